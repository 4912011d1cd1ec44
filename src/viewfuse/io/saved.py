"""Saved results → what a fit was, as far as pictures and reports need it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..exceptions import ViewsFormatError
from ._safety import reading
from .npz import read_npz
from .sniff import sniff

__all__ = ["SavedFit", "load_results"]


@dataclass(frozen=True)
class SavedFit:
    """A fit as :func:`viewfuse.io.save_results` wrote it; attributes are named as an estimator's, None where it had none.

    ``drawn_consensus_`` is the fused graph of the samples that a report draws, ``spectrum_`` its smallest eigenvalues,
    ``y`` the known labels.
    """

    method: str
    params: dict[str, Any]
    versions: dict[str, str]
    labels_: np.ndarray
    view_names_: np.ndarray
    ids: np.ndarray | None = None
    y: np.ndarray | None = None
    confidence_: np.ndarray | None = None
    view_weights_: np.ndarray | None = None
    embedding_: np.ndarray | None = None
    drawn_consensus_: np.ndarray | None = None
    spectrum_: np.ndarray | None = None
    noise_views_: np.ndarray = field(default_factory=lambda: np.array([], dtype=str))
    n_iter_: int = 0
    converged_: bool = True
    history_: dict[str, np.ndarray] = field(default_factory=dict)

    def get_params(self) -> dict[str, Any]:
        """The parameters of the fit, as far as JSON can tell them."""
        return self.params


_PER_SAMPLE = {"ids", "y", "confidence", "embedding"}
_ARRAYS = ("labels", "view_names", "confidence", "view_weights", "embedding", "drawn_consensus", "spectrum", "noise_views")


def load_results(path: str | Path) -> SavedFit:
    """Read an ``.npz`` that :func:`viewfuse.io.save_results` wrote; nothing is unpickled.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from viewfuse import GFSC, io
    >>> from viewfuse.datasets import make_views
    >>> views = make_views(n_samples=60, random_state=0)
    >>> model = GFSC(n_clusters=3, random_state=0).fit(views)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     saved = io.load_results(io.save_results(pathlib.Path(folder) / "fit.npz", model, views))
    >>> saved.method, bool((saved.labels_ == model.labels_).all())
    ('GFSC', True)
    """
    path = Path(path).expanduser()
    if sniff(path) != "NumPy archive":
        raise ViewsFormatError(f"{path}: these are no saved results; viewfuse cluster --save writes them as .npz.")
    with reading(path, "saved results"):
        found = read_npz(path)
        missing = {"labels", "view_names", "params", "versions", "method"} - found.keys()
        if missing:
            raise ViewsFormatError(f"these are no saved results of a fit: there is no {sorted(missing)[0]!r}.")
        n_samples = len(found["labels"])
        for name in _PER_SAMPLE & found.keys():
            if len(found[name]) != n_samples:
                raise ViewsFormatError(f"{name!r} has {len(found[name])} entries, but there are {n_samples} samples.")
        return SavedFit(
            method=str(found["method"]),
            params=json.loads(str(found["params"])),
            versions=json.loads(str(found["versions"])),
            n_iter_=int(found.get("n_iter", 0)),
            converged_=bool(found.get("converged", True)),
            history_={name.removeprefix("history_"): found[name] for name in found if name.startswith("history_")},
            ids=found.get("ids"),
            y=found.get("y"),
            **{f"{name}_": found[name] for name in _ARRAYS if name in found},
        )
