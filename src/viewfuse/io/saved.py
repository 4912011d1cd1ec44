"""Saved results → the record of the fit."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from ..exceptions import ViewsFormatError
from ..inspection import FitSummary
from ..inspection.graphs import SavedGraph
from ..inspection.parameters import from_source
from ..inspection.stored import parts_from_arrays
from ._safety import reading
from .npz import read_npz
from .sniff import sniff

__all__ = ["load_results"]

_REQUIRED = {"labels", "view_names", "params", "versions", "method"}
_PER_SAMPLE = {"ids", "y", "confidence", "embedding", "outlier_score"}


def load_results(path: str | Path) -> FitSummary:
    """Read an ``.npz`` that :func:`viewfuse.io.save_results` wrote; nothing is unpickled.

    Returns
    -------
    FitSummary
        The record of the fit. It has what a report shows; ``with_views(views)`` adds the data itself.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from viewfuse import GFSC, io
    >>> from viewfuse.datasets import make_views
    >>> views = make_views(n_samples=60, random_state=0)
    >>> model = GFSC(n_clusters=3, random_state=0).fit(views)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     saved = io.load_results(io.save_results(pathlib.Path(folder) / "fit.npz", model, views))
    >>> saved.method, bool((saved.labels == model.labels_).all())
    ('GFSC', True)
    """
    path = Path(path).expanduser()
    if sniff(path) != "NumPy archive":
        raise ViewsFormatError(f"{path}: this is not an .npz file of saved results.", hint="io.save_results writes them.")
    with reading(path, "saved results"):
        found = read_npz(path)
        if is_model(path):
            raise ViewsFormatError("it holds a model, not the results of a fit.", hint="viewfuse.load(path) reads models.")
        missing = sorted(_REQUIRED - found.keys())
        if missing:
            raise ViewsFormatError(f"these are not the saved results of a fit: there is no array {missing[0]!r}.")
        n_samples = len(found["labels"])
        for name in _PER_SAMPLE & found.keys():
            if len(found[name]) != n_samples:
                raise ViewsFormatError(f"{name!r} has {len(found[name])} entries, but there are {n_samples} samples.")
        return FitSummary(
            method=str(found["method"]),
            params=_params(found),
            versions=json.loads(str(found["versions"])),
            view_names=tuple(str(name) for name in found["view_names"]),
            results={name: found.get(name) for name in ("labels", "confidence", "embedding", "outlier_score")},
            graph=_graph(found),
            sample_ids=found.get("ids"),
            id_name=str(found["id_name"]) if "id_name" in found else None,
            known_labels=found.get("y"),
            view_weights=found.get("view_weights"),
            noise_views=tuple(str(name) for name in found.get("noise_views", ())),
            n_iter=int(found["n_iter"]) if "n_iter" in found else None,
            converged=bool(found["converged"]) if "converged" in found else None,
            stopped=str(found["stopped"]) if "stopped" in found else None,
            notes=tuple(str(one) for one in found.get("notes", ())),
            own_verdict=json.loads(str(found["verdict"])) if "verdict" in found else None,
            counts=json.loads(str(found["counts"])) if "counts" in found else None,
            max_drawn=int(found["max_drawn"]) if "max_drawn" in found else FitSummary.max_drawn,
            saved=parts_from_arrays(found),
            choice=json.loads(str(found["choice"])) if "choice" in found else None,
            history={name.removeprefix("history_"): found[name] for name in found if name.startswith("history_")},
        )


def is_model(path: Path) -> bool:
    """Whether an archive holds a saved model."""
    with zipfile.ZipFile(path) as archive:
        return "model.json" in archive.namelist()


def _params(found: dict[str, Any]) -> dict[str, Any]:
    """The parameters. Files of older versions have them as JSON only, which has no tuples and no slices."""
    if "params_source" not in found:
        return dict(json.loads(str(found["params"])))
    return {str(name): from_source(str(text)) for name, text in json.loads(str(found["params_source"])).items()}


def _graph(found: dict[str, np.ndarray]) -> SavedGraph | None:
    block, eigenvalues = found.get("drawn_consensus"), found.get("spectrum")
    return None if block is None and eigenvalues is None else SavedGraph(block, eigenvalues)
