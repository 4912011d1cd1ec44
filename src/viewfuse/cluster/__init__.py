"""The estimators, one file per method, and ``METHODS``, their registry."""

from collections.abc import Iterable
from pathlib import Path

from ..exceptions import ParameterError
from ._base import MultiViewClusterer
from ._plugins import add_registered, class_at
from ._saving import read_model
from ._solution import Solution
from .anchor_gfsc import AnchorGFSC
from .auto.choice import AutoChoice
from .auto.estimator import AutoFusion
from .baselines.amgl import AMGL
from .baselines.cgd import CGD
from .baselines.co_reg import CoReg
from .baselines.co_train import CoTrain
from .baselines.dimsc import DiMSC
from .baselines.fpmvs import FPMVS
from .baselines.gmc import GMC
from .baselines.imvsc import IMVSC
from .baselines.km import KM
from .baselines.lmvsc import LMVSC
from .baselines.mlan import MLAN
from .baselines.mspl import MSPL
from .baselines.mvkkm import MVKKM
from .baselines.mvsc import MVSC
from .baselines.opmc import OPMC
from .baselines.rmkmc import RMKMC
from .baselines.sc import SC
from .baselines.sc_ave import SCAve
from .baselines.snf import SNF
from .baselines.swmc import SwMC
from .gf import GF
from .gfsc import GFSC

METHODS: dict[str, type[MultiViewClusterer]] = {
    "auto": AutoFusion,
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
    "gmc": GMC,
    "snf": SNF,
    "lmvsc": LMVSC,
    "opmc": OPMC,
    "fpmvs": FPMVS,
    "mlan": MLAN,
    "swmc": SwMC,
    "cgd": CGD,
}


def known_methods(keys: Iterable[str] | None = None) -> list[str]:
    """The given keys, or all keys of ``METHODS``. Raises ParameterError for unknown keys.

    Methods that installed packages register as entry points of the group ``viewfuse.methods`` are added to ``METHODS``
    first. A key may also be a class of your own, as ``module:Class``, which is then added under this name.
    """
    add_registered(METHODS)
    wanted = list(METHODS if keys is None else keys)
    for key in wanted:
        if ":" in key and key not in METHODS:
            METHODS[key] = class_at(key)
    unknown = [key for key in wanted if key not in METHODS]
    if unknown or not wanted:
        problem = f"No such method: {', '.join(unknown)}." if unknown else "No method was given."
        raise ParameterError(problem, hint=f"There are: {', '.join(METHODS)}.", parameter="method", value=wanted)
    return wanted


def load(path: str | Path) -> MultiViewClusterer:
    """Load an estimator that was saved by ``model.save(path)``.

    Nothing in the file is executed. A file that is damaged, was edited, or was saved by a newer version of viewfuse raises a
    :class:`~viewfuse.exceptions.ModelFormatError` with the reason.

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
    add_registered(METHODS)
    return read_model(path, {method.__name__: method for method in METHODS.values()})


__all__ = [
    "AMGL",
    "CGD",
    "FPMVS",
    "GF",
    "GFSC",
    "GMC",
    "IMVSC",
    "KM",
    "LMVSC",
    "METHODS",
    "MLAN",
    "MSPL",
    "MVKKM",
    "MVSC",
    "OPMC",
    "RMKMC",
    "SC",
    "SNF",
    "AnchorGFSC",
    "AutoChoice",
    "AutoFusion",
    "CoReg",
    "CoTrain",
    "DiMSC",
    "MultiViewClusterer",
    "SCAve",
    "Solution",
    "SwMC",
    "known_methods",
    "load",
]
