"""Results → files. Every file is written beside its place and renamed, so a crash leaves the old one whole."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from .._utils.extras import require
from .._utils.files import replacing
from .._utils.version import versions
from ..exceptions import ViewsError
from ..inspection.layouts import (
    EIGENVALUES_PAST_K,
    HEAT_MAP_SAMPLES,
    consensus_block,
    drawn_samples,
    sorted_by_cluster,
    spectrum,
)
from ..views import Views
from ..views.containers import is_anndata, is_mudata
from . import omics
from .sniff import sniff

__all__ = [
    "add_results",
    "check_labels_target",
    "check_results_target",
    "save_labels",
    "save_results",
]

_KEY = "viewfuse"
_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_PARQUET = (".parquet", ".pq")
_OMICS = {".h5ad": "AnnData", ".h5mu": "MuData"}


def save_labels(path: str | Path, model: Any, views: Views) -> Path:
    """Write one line per sample: its id, its cluster and, where the model has them, its confidence.

    Parameters
    ----------
    path : path
        ``.csv``, ``.tsv`` or ``.parquet``.
    model : fitted estimator
        With ``labels_`` and, optionally, ``confidence_``.
    views : Views
        What the model was fitted on. Without ids the column ``row`` counts from 0.

    Returns
    -------
    Path
        Where the file is.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from types import SimpleNamespace
    >>> from viewfuse import Views
    >>> from viewfuse.io import save_labels
    >>> views = Views([[[1.0], [2.0]]], ids=["ann", "bob"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save_labels(pathlib.Path(folder) / "labels.csv", SimpleNamespace(labels_=[1, 0]), views)
    ...     print(path.read_text().strip())
    id,label
    ann,1
    bob,0
    """
    path = check_labels_target(path)
    columns: dict[str, Any] = {"row": np.arange(len(views))} if views.ids is None else {"id": views.ids}
    columns["label"] = _per_sample(model.labels_, views, "labels_")
    if getattr(model, "confidence_", None) is not None:
        columns["confidence"] = _per_sample(model.confidence_, views, "confidence_")
    frame = require("pandas").DataFrame(columns)
    with replacing(path) as temporary:
        if path.suffix.lower() in _PARQUET:
            frame.to_parquet(temporary, index=False)
        else:
            frame.to_csv(temporary, index=False, sep=_SEPARATORS[path.suffix.lower()])
    return path


def check_labels_target(path: str | Path) -> Path:
    """Whether labels can be written under this name, so that a long fit need not be in vain."""
    path = Path(path).expanduser()
    if path.suffix.lower() not in (*_SEPARATORS, *_PARQUET):
        raise ViewsError(f"{path}: labels are written as .csv, .tsv or .parquet; choose one of these names.")
    require("pandas")
    if path.suffix.lower() in _PARQUET:
        require("pyarrow")
    return path


def save_results(path: str | Path, model: Any, views: Views, *, into: Any = None) -> Path:
    """Write a fit's results: labels, weights, embedding, parameters, versions.

    Parameters
    ----------
    path : path
        ``.npz``: arrays ``labels``, ``ids``, ``confidence``, ``view_names``, ``view_weights``, ``embedding``, and
        ``n_iter``, ``converged``, ``method``, ``params`` and ``versions`` (the last two JSON), and what a report draws
        (``history_…``, ``spectrum``, ``drawn_consensus``, ``y``); nothing is pickled. ``load_results`` reads it.
        ``.h5ad`` or ``.h5mu``: the data of ``into`` with the results added.
    model : fitted estimator
        With ``labels_``; ``view_weights_``, ``embedding_``, ``confidence_``, ``n_iter_``, ``converged_`` and
        ``get_params`` where it has them.
    views : Views
        What the model was fitted on.
    into : AnnData, MuData, or path of one, optional
        Where the views came from; it is not changed, and neither is its file unless ``path`` names it.

    Returns
    -------
    Path
        Where the file is.
    """
    path = check_results_target(path, into)
    if path.suffix.lower() == ".npz":
        with replacing(path) as temporary:
            _write_npz(temporary, {**_arrays(model, views), **_for_a_report(model, views)})
        return path
    with omics.without_mudata_announcement():
        data = omics.read_omics(Path(into)) if isinstance(into, (str, Path)) else into.copy()
    add_results(data, model, views)
    with replacing(path) as temporary, omics.without_mudata_announcement():
        data.write(temporary)
    return path


def check_results_target(path: str | Path, into: Any = None) -> Path:
    """Whether results can be written under this name, and ``into`` is what such a file holds."""
    path = Path(path).expanduser()
    suffix = path.suffix.lower()
    if suffix != ".npz" and suffix not in _OMICS:
        raise ViewsError(f"{path}: results are written as .npz, .h5ad or .h5mu; choose one of these names.")
    if suffix == ".npz":
        return path
    if into is None:
        raise ViewsError(f"{path}: results go into the AnnData or MuData they came from; name it with into=.")
    found = _kind(into)
    if found not in _OMICS.values():
        raise ViewsError(f"{path}: {suffix} is for results of views that came from {_OMICS[suffix]}, not {found}; use .npz.")
    if found != _OMICS[suffix]:
        fitting = next(s for s, kind in _OMICS.items() if kind == found)
        raise ViewsError(f"{path}: the views came from {found}, which is written as {fitting}.")
    require(found.lower(), extra="omics")
    return path


def _kind(source: Any) -> str:
    """What results are to be added to, in words."""
    if isinstance(source, (str, Path)):
        path = Path(source).expanduser()
        if path.is_dir():
            return "a folder of tables"
        kind = sniff(path)
        return kind if kind in _OMICS.values() else f"a {kind}" if kind == "table" else f"a {kind} file"
    return "MuData" if is_mudata(source) else "AnnData" if is_anndata(source) else type(source).__name__


def add_results(data: Any, model: Any, views: Views) -> None:
    """Put a fit's results into the AnnData or MuData the views came from.

    ``obs["viewfuse"]`` gets the labels as categories, ``obs["viewfuse_confidence"]`` the confidence,
    ``obsm["X_viewfuse"]`` the embedding, and ``uns["viewfuse"]`` weights, parameters and versions. Samples that were
    not clustered get no category, and NaN.
    """
    if not (is_anndata(data) or is_mudata(data)):
        raise ViewsError(f"Results are added to AnnData or MuData, not to {type(data).__name__}.")
    pandas = require("pandas")
    if views.ids is None:
        raise ViewsError("These views have no ids, so they did not come from this object.")
    rows = data.obs_names.get_indexer(views.ids)
    if (rows < 0).any():
        raise ViewsError(
            f"Sample {views.ids.tolist()[np.argmin(rows)]!r} is not in this object; its results belong elsewhere."
        )

    def spread(values: Any) -> np.ndarray:
        values = np.asarray(values)
        full = np.full((data.n_obs, *values.shape[1:]), np.nan)
        full[rows] = values
        return full

    labels = np.full(data.n_obs, None, dtype=object)
    labels[rows] = [str(label) for label in _per_sample(model.labels_, views, "labels_")]
    data.obs[_KEY] = pandas.Categorical(labels)
    if getattr(model, "confidence_", None) is not None:
        data.obs[f"{_KEY}_confidence"] = spread(model.confidence_)
    if getattr(model, "embedding_", None) is not None:
        data.obsm[f"X_{_KEY}"] = spread(model.embedding_)
    about = ("view_names", "view_weights", "n_iter", "converged", "params", "versions")
    data.uns[_KEY] = {name: value for name, value in _arrays(model, views).items() if name in about}


def _arrays(model: Any, views: Views) -> dict[str, Any]:
    """Everything a fit found, as arrays and texts that need no pickle."""
    arrays: dict[str, Any] = {
        "labels": _per_sample(model.labels_, views, "labels_"),
        "view_names": np.array(views.names),
        "params": json.dumps(model.get_params() if hasattr(model, "get_params") else {}, default=repr),
        "versions": json.dumps(versions()),
    }
    if views.ids is not None:
        arrays["ids"] = views.ids if views.ids.dtype.kind != "O" else np.array([str(i) for i in views.ids])
    for name in ("view_weights", "embedding", "confidence", "n_iter", "converged"):
        value = getattr(model, f"{name}_", None)
        if value is not None:
            arrays[name] = np.asarray(value)
    return arrays


def _for_a_report(model: Any, views: Views) -> dict[str, Any]:
    """What else a report of this fit needs, so that it can be made without the n × n graph."""
    labels = np.asarray(model.labels_)
    history = getattr(model, "history_", None)
    rows = sorted_by_cluster(labels, drawn_samples(labels, HEAT_MAP_SAMPLES))
    found = {
        "method": type(model).__name__,
        "y": None if views.y is None else np.asarray([str(label) for label in views.y]),
        "noise_views": np.array([str(name) for name in getattr(model, "noise_views_", ())], dtype=str),
        "drawn_consensus": consensus_block(model, rows),
        "spectrum": spectrum(model, np.unique(labels).size + EIGENVALUES_PAST_K),
    }
    if isinstance(history, dict):
        found |= {
            f"history_{name}": np.asarray(trace) for name, trace in history.items() if np.asarray(trace).dtype != object
        }
    return {name: value for name, value in found.items() if value is not None}


def _write_npz(path: Path, arrays: dict[str, Any]) -> None:
    """As ``np.savez_compressed``, but closed where the disk is full: NumPy 2.0 leaves it open and Python complains."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, values in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, np.asanyarray(values), allow_pickle=False)


def _per_sample(values: Any, views: Views, what: str) -> np.ndarray:
    values = np.asarray(values)
    if values.shape != (len(views),):
        raise ViewsError(
            f"{what} has shape {values.shape}, but there are {len(views)} samples: not the views it was fitted on?"
        )
    return values
