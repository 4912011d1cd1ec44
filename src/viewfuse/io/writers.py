"""The record of a fit → files. A file gets its name only when it is complete, so a crash leaves the old file intact."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .._utils.extras import require
from .._utils.files import replacing
from ..exceptions import ViewsError
from ..inspection import FitSummary, as_summary
from ..inspection.stored import parts_to_arrays
from ..views import Views
from ..views.containers import is_anndata, is_mudata
from . import omics
from .annotations import annotate
from .sniff import sniff

__all__ = [
    "check_labels_target",
    "check_results_target",
    "save_labels",
    "save_predictions",
    "save_results",
    "spreadsheet_safe",
]

_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_PARQUET = (".parquet", ".pq")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_OMICS = {".h5ad": "AnnData", ".h5mu": "MuData"}


def save_labels(path: str | Path, model: Any, views: Any = None) -> Path:
    """Write one line per sample: its id, its cluster and, if the model has it, its confidence.

    In ``.csv`` and ``.tsv`` files, an id that a spreadsheet would run as a formula (it begins with ``=``, ``+``, ``-`` or
    ``@`` and is no number) gets an apostrophe in front. Parquet files have the ids as they are.

    Parameters
    ----------
    path : path
        ``.csv``, ``.tsv`` or ``.parquet``.
    model : fitted estimator, or FitSummary
        With ``labels_`` and, optionally, ``confidence_``.
    views : Views, optional
        The views that the model was fitted on; a FitSummary has them already. Without ids the column ``row`` counts from 0.

    Returns
    -------
    Path
        The path of the file.

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
    fit = as_summary(model, views)
    ids = fit.sample_ids
    columns: dict[str, Any] = {"row": np.arange(fit.n_samples)} if ids is None else {_id_header(fit): ids}
    columns["label"] = fit.labels
    if fit.confidence is not None:
        columns["confidence"] = fit.confidence
    return _write_table(path, columns)


def save_predictions(path: str | Path, views: Views, columns: Mapping[str, Any]) -> Path:
    """Write one line per sample: its id, or its row counted from 0, and these columns. The formats are those of labels."""
    path = check_labels_target(path)
    first = {"row": np.arange(len(views))} if views.ids is None else {"id": views.ids}
    return _write_table(path, {**first, **columns})


def _write_table(path: Path, columns: Mapping[str, Any]) -> Path:
    held = dict(columns)
    if path.suffix.lower() in _SEPARATORS:
        held = {spreadsheet_safe(name): _safe_cells(values) for name, values in held.items()}
    frame = require("pandas").DataFrame(held)
    with replacing(path) as temporary:
        if path.suffix.lower() in _PARQUET:
            frame.to_parquet(temporary, index=False)
        else:
            frame.to_csv(temporary, index=False, sep=_SEPARATORS[path.suffix.lower()])
    return path


def _id_header(fit: FitSummary) -> str:
    """The name of the ids in the input; "id" if they have none, or the name of another column."""
    return "id" if fit.id_name in (None, "label", "confidence") else str(fit.id_name)


def _safe_cells(values: Any) -> Any:
    return values if np.asarray(values).dtype.kind in "biuf" else [spreadsheet_safe(value) for value in values]


def spreadsheet_safe(value: Any) -> Any:
    """A cell that a spreadsheet shows and does not run: text that begins like a formula gets an apostrophe.

    >>> [spreadsheet_safe(cell) for cell in ("=1+1", "@x", "-5", "plain", 7)]
    ["'=1+1", "'@x", '-5', 'plain', 7]
    """
    if not isinstance(value, str) or not value.startswith(_FORMULA):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value


def check_labels_target(path: str | Path) -> Path:
    """Check that labels can be written to this file, before a long fit."""
    path = Path(path).expanduser()
    if path.suffix.lower() not in (*_SEPARATORS, *_PARQUET):
        raise ViewsError(f"{path}: labels are written as .csv, .tsv or .parquet.", hint="Use one of these file names.")
    require("pandas")
    if path.suffix.lower() in _PARQUET:
        require("pyarrow")
    return path


def save_results(path: str | Path, model: Any, views: Any = None, *, into: Any = None) -> Path:
    """Write the results of a fit: labels, weights, embedding, parameters, versions.

    Parameters
    ----------
    path : path
        ``.npz``: arrays ``labels``, ``ids``, ``confidence``, ``view_names``, ``view_weights``, ``embedding``, then
        ``n_iter``, ``converged``, ``method``, ``params``, ``params_source`` and ``versions`` (the last three are JSON), and
        what a report shows, so that it needs no data: ``history_…``, ``spectrum``, ``drawn_consensus``, ``noise_views``,
        ``notes``, ``y``, ``choice`` and ``verdict`` as JSON, the neighbour graphs of the drawn samples and values of
        their features. Nothing is pickled. :func:`load_results` reads it.
        ``.h5ad`` or ``.h5mu``: the data of ``into`` with the results added by :func:`viewfuse.annotate`.
    model : fitted estimator, or FitSummary
        With ``labels_``. What else it has is saved too.
    views : Views, optional
        The views that the model was fitted on; a FitSummary has them already.
    into : AnnData, MuData, or path of one, optional
        The object that the views came from. Neither the object nor its file is changed, unless ``path`` is that file.

    Returns
    -------
    Path
        The path of the file.
    """
    path = check_results_target(path, into)
    fit = as_summary(model, views)
    if path.suffix.lower() == ".npz":
        with replacing(path) as temporary:
            _write_npz(temporary, {**_results(fit), **_for_report(fit)})
        return path
    with omics.without_mudata_announcement():
        data = omics.read_omics(Path(into)) if isinstance(into, (str, Path)) else into.copy()
    annotate(data, fit)
    with replacing(path) as temporary, omics.without_mudata_announcement():
        data.write(temporary)
    return path


def check_results_target(path: str | Path, into: Any = None) -> Path:
    """Check that results can be written to this file, and that ``into`` has the matching type."""
    path = Path(path).expanduser()
    suffix = path.suffix.lower()
    if suffix != ".npz" and suffix not in _OMICS:
        raise ViewsError(f"{path}: results are written as .npz, .h5ad or .h5mu.", hint="Use one of these file names.")
    if suffix == ".npz":
        return path
    if into is None:
        raise ViewsError(
            f"{path}: {suffix} holds the results and the AnnData or MuData that the views came from.",
            hint="Pass that object or its file as into=.",
            parameter="into",
        )
    found = _kind(into)
    if found not in _OMICS.values():
        raise ViewsError(
            f"{path}: {suffix} is for results of views that came from {_OMICS[suffix]}, not from {found}.",
            hint="Use .npz.",
            parameter="path",
            value=path,
        )
    if found != _OMICS[suffix]:
        fitting = next(s for s, kind in _OMICS.items() if kind == found)
        raise ViewsError(
            f"{path}: the views came from {found}, which is written as {fitting}.",
            hint=f"Use a file name that ends in {fitting}.",
            parameter="path",
            value=path,
        )
    require(found.lower(), extra="omics")
    return path


def _kind(source: Any) -> str:
    """The type of the object or file that the results are added to, for messages."""
    if isinstance(source, (str, Path)):
        path = Path(source).expanduser()
        if path.is_dir():
            return "a folder of tables"
        kind = sniff(path)
        return kind if kind in _OMICS.values() else f"a {kind}" if kind == "table" else f"a {kind} file"
    return "MuData" if is_mudata(source) else "AnnData" if is_anndata(source) else type(source).__name__


def _results(fit: FitSummary) -> dict[str, Any]:
    """The results as arrays and texts that need no pickle."""
    found = {
        "labels": fit.labels,
        "view_names": np.array(fit.view_names),
        "params": json.dumps(fit.params, default=repr),
        "versions": json.dumps(fit.versions),
        "ids": fit.sample_ids,
        "view_weights": fit.view_weights,
        "embedding": fit.embedding,
        "confidence": fit.confidence,
        "n_iter": None if fit.n_iter is None else np.asarray(fit.n_iter),
        "converged": None if fit.converged is None else np.asarray(fit.converged),
    }
    return {name: value for name, value in found.items() if value is not None}


def _for_report(fit: FitSummary) -> dict[str, Any]:
    """What else a report needs, so that it can be made without the n × n graph."""
    found = {
        "method": fit.method,
        "params_source": json.dumps({name: repr(value) for name, value in fit.params.items()}),
        "y": fit.known_labels,
        "noise_views": np.array(fit.noise_views, dtype=str),
        "notes": np.array(fit.notes, dtype=str),
        "stopped": fit.stopped,
        "id_name": fit.id_name,
        "choice": None if fit.choice is None else json.dumps(fit.choice),
        "drawn_consensus": fit.consensus_graph,
        "spectrum": fit.consensus_spectrum,
        "outlier_score": fit.outlier_score,
        "verdict": None if fit.verdict is None else json.dumps(fit.verdict),
        "counts": None if fit.counts is None else json.dumps(fit.counts),
        "max_drawn": np.asarray(fit.max_drawn),
        **parts_to_arrays(fit),
        **{f"history_{name}": trace for name, trace in fit.history.items()},
    }
    return {name: value for name, value in found.items() if value is not None}


def _write_npz(path: Path, arrays: dict[str, Any]) -> None:
    """Like ``np.savez_compressed``, but close the file if the disk is full. NumPy 2.0 leaves it open, and Python warns."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, values in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, np.asanyarray(values), allow_pickle=False)
