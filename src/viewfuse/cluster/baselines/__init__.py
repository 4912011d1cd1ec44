"""The methods that GFSC is compared with, one file each."""

from .amgl import AMGL
from .cgd import CGD
from .co_reg import CoReg
from .co_train import CoTrain
from .dimsc import DiMSC
from .fpmvs import FPMVS
from .gmc import GMC
from .imvsc import IMVSC
from .km import KM
from .lmvsc import LMVSC
from .mlan import MLAN
from .mspl import MSPL
from .mvkkm import MVKKM
from .mvsc import MVSC
from .opmc import OPMC
from .rmkmc import RMKMC
from .sc import SC
from .sc_ave import SCAve
from .snf import SNF
from .swmc import SwMC

__all__ = [
    "AMGL",
    "CGD",
    "FPMVS",
    "GMC",
    "IMVSC",
    "KM",
    "LMVSC",
    "MLAN",
    "MSPL",
    "MVKKM",
    "MVSC",
    "OPMC",
    "RMKMC",
    "SC",
    "SNF",
    "CoReg",
    "CoTrain",
    "DiMSC",
    "SCAve",
    "SwMC",
]
