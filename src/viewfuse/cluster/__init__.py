"""The estimators, one file per method, and ``METHODS``, their registry."""

from pathlib import Path

from ._base import MultiViewClusterer
from ._saving import read_model
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


def load(path: str | Path) -> MultiViewClusterer:
    """The estimator that ``model.save(path)`` wrote.

    Nothing in the file is executed. A file that is damaged, was edited, or comes from a newer viewfuse is refused with a
    :class:`~viewfuse.exceptions.ModelFormatError` that says why.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import viewfuse as vf
    >>> model = vf.GFSC(n_clusters=3, random_state=0).fit(vf.datasets.make_views(n_samples=60, random_state=0))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = vf.load(model.save(pathlib.Path(folder) / "fit.model"))
    >>> again, bool((again.labels_ == model.labels_).all())
    (GFSC(n_clusters=3, random_state=0), True)
    """
    return read_model(path, {method.__name__: method for method in METHODS.values()})


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
    "load",
]
