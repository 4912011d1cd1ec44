"""``viewfuse info``: the contents of a file."""

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
from ..views import RELATIONS, Views
from ._hints import message
from ._options import AsJson, File, Ids, KindRules, Labels, MissingSamples, NoLabels, SamplesAre, ViewRules, load

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
    kinds: KindRules = None,
    as_json: AsJson = False,
) -> None:
    """Show the contents of a file: views, features, types, sparsity, missing values, and the counts of the labels.

    [bold]Examples[/]

      viewfuse info news.mat

      viewfuse info papers/ --kind cites=graph

      viewfuse info table.csv --views 'audio_*' --views size:width-height
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = load(file, views, ids, labels, no_labels, samples, missing, kinds)
    if as_json:
        print(json.dumps(view_facts(found, str(file)), indent=2))
    else:
        describe_views(found, str(file), Console())
    for warning in caught:
        if issubclass(warning.category, UnusedVariablesWarning):
            # the unused variables are part of the file's contents
            print(f"not used: {message(warning.message)}", file=sys.stderr if as_json else sys.stdout)
        else:
            warnings.showwarning(warning.message, warning.category, warning.filename, warning.lineno)


def view_facts(views: Views, title: str) -> dict[str, Any]:
    """The facts that ``describe_views`` prints, for JSON."""
    counts = None if views.y is None else dict(zip(*np.unique(views.y, return_counts=True), strict=True))
    return {
        "file": title,
        "samples": len(views),
        "ids": views.ids is not None,
        "views": [
            {
                "name": name,
                "kind": views.kinds[v],
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
    """Print a table with one row per view, and the counts of the labels."""
    with_ids = "" if views.ids is None else f", ids {views.ids[0]} … {views.ids[-1]}"
    console.print(f"[bold]{escape(title)}[/]: {len(views):,} samples{escape(with_ids)}", highlight=False, soft_wrap=True)
    table = Table("view", "kind")
    for column in ("features", "type", "non-zero", "missing"):
        table.add_column(column, justify="right")
    for v, (name, array) in enumerate(zip(views.names, views.arrays, strict=True)):
        kind, width = views.kinds[v], f"{array.shape[1]:,}"
        table.add_row(escape(name), kind, width, _type(array), _share_non_zero(array), _missing(views, v))
    console.print(table)
    related = [name for name, kind in zip(views.names, views.kinds, strict=True) if kind in RELATIONS]
    if related:
        console.print(
            f"{escape(', '.join(related))}: one row and one column per sample, so taken as a relation between samples; say "
            f"otherwise with --kind {escape(related[0])}=features",
            highlight=False,
            soft_wrap=True,
        )
    console.print(escape(_label_counts(views.y)), highlight=False, soft_wrap=True)


def _type(array: Any) -> str:
    return f"sparse {array.dtype}" if sp.issparse(array) else str(array.dtype)


def _share_non_zero(array: Any) -> str:
    return f"{(array.count_nonzero() if sp.issparse(array) else np.count_nonzero(array)) / np.prod(array.shape):.1%}"


def _missing(views: Views, v: int) -> str:
    """The number of samples without the view, and of NaN values in the samples that have it."""
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
