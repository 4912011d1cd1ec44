"""``viewfuse info``: the contents of a file."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..exceptions import UnusedVariablesWarning, ViewfuseError
from ..io.problems import problems_of_tables
from ..views import RELATIONS, Encoding, Views
from ._hints import message
from ._options import (
    AsJson,
    ColumnTypes,
    Files,
    Ids,
    KindRules,
    Labels,
    LooseIds,
    MissingSamples,
    NoLabels,
    Reading,
    SamplesAre,
    ViewRules,
    load,
    title_of,
)

__all__ = ["describe_views", "info", "view_facts"]

_SHOWN_LABELS = 12
_SHOWN_COLUMNS = 60


def info(
    files: Files,
    views: ViewRules = None,
    ids: Ids = None,
    labels: Labels = None,
    no_labels: NoLabels = False,
    samples: SamplesAre = None,
    missing: MissingSamples = "error",
    types: ColumnTypes = None,
    loose_ids: LooseIds = False,
    kinds: KindRules = None,
    as_json: AsJson = False,
) -> None:
    """Show the contents of files: views, features, types, missing values, labels and, of tables, each column.

    If something is wrong with tables, all problems of all files are listed, each with its remedy, and the exit code is 2.

    [bold]Examples[/]

      viewfuse info profile.csv usage.parquet survey.xlsx

      viewfuse info news.mat

      viewfuse info papers/ --kind cites=graph

      viewfuse info table.csv --views 'audio_*' --views size:width-height
    """
    reading = Reading(views, ids, labels, no_labels, samples, missing, types, loose_ids, kinds)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found, problems = _load(files, reading)
    if found is None:
        _show_problems(problems, title_of(files))
    elif as_json:
        print(json.dumps(view_facts(found, title_of(files)), indent=2))
    else:
        describe_views(found, title_of(files), Console())
    for warning in caught:
        if getattr(warning.message, "parameter", None) in ("types", "empty"):
            continue  # the table of columns shows this
        if issubclass(warning.category, UnusedVariablesWarning):
            # the unused variables are part of the file's contents
            print(f"not used: {message(warning.message)}", file=sys.stderr if as_json else sys.stdout)
        else:
            warnings.showwarning(warning.message, warning.category, warning.filename, warning.lineno)
    if problems:
        raise typer.Exit(2)


def _load(files: list[Path], reading: Reading) -> tuple[Views | None, list[Exception]]:
    """The views, or the problems of tables if there are several; a single one is raised."""
    try:
        return load(files, reading), []
    except (ViewfuseError, OSError):
        if len(files) == 1 and reading.views:
            raise  # columns in no view may be of any kind
        problems = problems_of_tables(files[0] if len(files) == 1 else files, reading.table_options())
        if len(problems) < 2:
            raise
        return None, problems


def _show_problems(problems: list[Exception], title: str) -> None:
    console = Console(stderr=True, soft_wrap=True)
    console.print(f"[bold red]viewfuse:[/] {escape(title)}: {len(problems)} problems", highlight=False)
    for number, problem in enumerate(problems, start=1):
        console.print(f"{number}. {escape(message(problem))}", highlight=False)


def view_facts(views: Views, title: str) -> dict[str, Any]:
    """The facts that ``describe_views`` prints, for JSON."""
    counts = None if views.y is None else dict(zip(*np.unique(views.y, return_counts=True), strict=True))
    return {
        "file": title,
        "samples": len(views),
        "ids": views.ids is not None,
        "id_name": views.id_name,
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
        "columns": [] if views.encoding is None else views.encoding.rows(),
        "labels": None if counts is None else {str(label): int(n) for label, n in counts.items()},
    }


def describe_views(views: Views, title: str, console: Console) -> None:
    """Print a table with one row per view, and the counts of the labels."""
    named = "" if views.id_name is None else f" {views.id_name!r}"
    with_ids = "" if views.ids is None else f", ids{named} {views.ids[0]} … {views.ids[-1]}"
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
    if views.tables is not None and views.encoding is not None:
        _describe_columns(views.encoding, console)
    console.print(escape(_label_counts(views.y)), highlight=False, soft_wrap=True)


def _describe_columns(encoding: Encoding, console: Console) -> None:
    """Print what each column of a table is, and what is done to it."""
    rows = encoding.rows()
    table = Table("view", "column", "type", "encoding")
    table.add_column("empty", justify="right")
    table.add_column("note")
    for row in rows[:_SHOWN_COLUMNS]:
        said = row["encoding"] if row["left_out"] is None else f"left out: {row['left_out']}"
        cells = (
            row["view"],
            row["column"],
            row["type"],
            said,
            f"{row['empty']:,}" if row["empty"] else "",
            row["note"] or "",
        )
        table.add_row(*map(escape, cells))
    console.print(table)
    if len(rows) > _SHOWN_COLUMNS:
        console.print(f"and {len(rows) - _SHOWN_COLUMNS:,} more columns; --json lists all", highlight=False)


def _type(array: Any) -> str:
    return f"sparse {array.dtype}" if sp.issparse(array) else str(array.dtype)


def _share_non_zero(array: Any) -> str:
    return f"{(array.count_nonzero() if sp.issparse(array) else np.count_nonzero(array)) / np.prod(array.shape):.1%}"


def _missing(views: Views, v: int) -> str:
    """The number of samples without the view, and of empty cells in the samples that have it."""
    n_absent = 0 if views.present is None else int((~views.present[:, v]).sum())
    table = None if views.encoding is None else views.encoding.tables[v]
    n_empty = 0 if table is None else sum(column.n_empty for column in table.columns)
    parts = [f"{n_absent:,} samples"] if n_absent else []
    parts += [f"{n_empty:,} cells"] if n_empty else []
    return ", ".join(parts) or "none"


def _label_counts(y: np.ndarray | None) -> str:
    if y is None:
        return "no labels"
    labels, counts = np.unique(y, return_counts=True)
    shown = [f"{label}: {count}" for label, count in zip(labels, counts, strict=True)][:_SHOWN_LABELS]
    if len(labels) > _SHOWN_LABELS:
        shown.append(f"… (from {counts.min()} to {counts.max()} samples each)")
    return f"labels: {len(labels)} classes, {', '.join(shown)}"
