"""The estimators, one file per method, and ``METHODS``, their registry."""

from ._base import MultiViewClusterer
from .amgl import AMGL
from .anchor_gfsc import AnchorGFSC
from .co_reg import CoReg
from .co_train import CoTrain
from .dimsc import DiMSC
from .gf import GF
from .gfsc import GFSC
from .imvsc import IMVSC
from .km import KM
from .mspl import MSPL
from .mvkkm import MVKKM
from .mvsc import MVSC
from .rmkmc import RMKMC
from .sc import SC
from .sc_ave import SCAve

METHODS: dict[str, type[MultiViewClusterer]] = {
    "gfsc": GFSC,
    "gf": GF,
    "sc": SC,
    "sc-ave": SCAve,
    "km": KM,
    "co-train": CoTrain,
    "co-reg": CoReg,
    "mvkkm": MVKKM,
    "rmkmc": RMKMC,
    "mspl": MSPL,
    "amgl": AMGL,
    "mvsc": MVSC,
    "dimsc": DiMSC,
    "imvsc": IMVSC,
    "anchor-gfsc": AnchorGFSC,
}

__all__ = [
    "AMGL",
    "GF",
    "GFSC",
    "IMVSC",
    "KM",
    "METHODS",
    "MSPL",
    "MVKKM",
    "MVSC",
    "RMKMC",
    "SC",
    "AnchorGFSC",
    "CoReg",
    "CoTrain",
    "DiMSC",
    "MultiViewClusterer",
    "SCAve",
]
