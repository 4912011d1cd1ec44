"""``viewfuse info``: what a file holds."""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..exceptions import UnusedVariablesWarning
from ..views import Views
from ._options import AsJson, File, Ids, Labels, MissingSamples, NoLabels, SamplesAre, ViewRules, load
from ._wording import as_options

__all__ = ["describe_views", "info", "view_facts"]

_SHOWN_LABELS = 12


def info(
    file: File,
    views: ViewRules = None,
    ids: Ids = None,
    labels: Labels = None,
    no_labels: NoLabels = False,
    samples: SamplesAre = None,
    missing: MissingSamples = "error",
    as_json: AsJson = False,
) -> None:
    """Show what a file holds: views, features, types, sparsity, missing values, labels and their counts.

    [bold]Examples[/]

      viewfuse info news.mat

      viewfuse info table.csv --views 'audio_*' --views size:width-height
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = load(file, views, ids, labels, no_labels, samples, missing)
    if as_json:
        print(json.dumps(view_facts(found, str(file)), indent=2))
    else:
        describe_views(found, str(file), Console())
    for warning in caught:
        if issubclass(warning.category, UnusedVariablesWarning):
            # part of what the file holds
            print(f"left out: {as_options(str(warning.message))}", file=sys.stderr if as_json else sys.stdout)
        else:
            warnings.showwarning(warning.message, warning.category, warning.filename, warning.lineno)


def view_facts(views: Views, title: str) -> dict[str, Any]:
    """The same as ``describe_views``, for machines."""
    counts = None if views.y is None else dict(zip(*np.unique(views.y, return_counts=True), strict=True))
    return {
        "file": title,
        "samples": len(views),
        "ids": views.ids is not None,
        "views": [
            {
                "name": name,
                "features": int(array.shape[1]),
                "type": str(array.dtype),
                "sparse": bool(sp.issparse(array)),
                "samples_missing": 0 if views.present is None else int((~views.present[:, v]).sum()),
            }
            for v, (name, array) in enumerate(zip(views.names, views.arrays, strict=True))
        ],
        "labels": None if counts is None else {str(label): int(n) for label, n in counts.items()},
    }


def describe_views(views: Views, title: str, console: Console) -> None:
    """Print one line per view, and the labels."""
    with_ids = "" if views.ids is None else f", ids {views.ids[0]} … {views.ids[-1]}"
    console.print(f"[bold]{escape(title)}[/]: {len(views):,} samples{escape(with_ids)}", highlight=False, soft_wrap=True)
    table = Table("view")
    for column in ("features", "type", "non-zero", "missing"):
        table.add_column(column, justify="right")
    for v, (name, array) in enumerate(zip(views.names, views.arrays, strict=True)):
        table.add_row(escape(name), f"{array.shape[1]:,}", _type(array), _filled(array), _missing(views, v))
    console.print(table)
    console.print(escape(_label_counts(views.y)), highlight=False, soft_wrap=True)


def _type(array: Any) -> str:
    return f"sparse {array.dtype}" if sp.issparse(array) else str(array.dtype)


def _filled(array: Any) -> str:
    return f"{(array.count_nonzero() if sp.issparse(array) else np.count_nonzero(array)) / np.prod(array.shape):.1%}"


def _missing(views: Views, v: int) -> str:
    """Samples that lack the view, and single values that are NaN in those that have it."""
    here = np.ones(len(views), dtype=bool) if views.present is None else views.present[:, v]
    rows = views.arrays[v][here]
    values = rows.data if sp.issparse(rows) else rows
    n_nan = int(np.isnan(values).sum()) if values.dtype.kind == "f" else 0
    n_absent = int((~here).sum())
    parts = [f"{n_absent:,} samples"] if n_absent else []
    parts += [f"{n_nan:,} values"] if n_nan else []
    return ", ".join(parts) or "none"


def _label_counts(y: np.ndarray | None) -> str:
    if y is None:
        return "no labels"
    labels, counts = np.unique(y, return_counts=True)
    shown = [f"{label}: {count}" for label, count in zip(labels, counts, strict=True)][:_SHOWN_LABELS]
    if len(labels) > _SHOWN_LABELS:
        shown.append(f"… (from {counts.min()} to {counts.max()} samples each)")
    return f"labels: {len(labels)} classes, {', '.join(shown)}"
