"""The methods that GFSC is compared with, one file each."""

from .amgl import AMGL
from .co_reg import CoReg
from .co_train import CoTrain
from .dimsc import DiMSC
from .imvsc import IMVSC
from .km import KM
from .mspl import MSPL
from .mvkkm import MVKKM
from .mvsc import MVSC
from .rmkmc import RMKMC
from .sc import SC
from .sc_ave import SCAve

__all__ = ["AMGL", "IMVSC", "KM", "MSPL", "MVKKM", "MVSC", "RMKMC", "SC", "CoReg", "CoTrain", "DiMSC", "SCAve"]
