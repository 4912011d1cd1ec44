"""``viewfuse compare``: compare several methods on one file."""

from __future__ import annotations

import csv
import json
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from .._utils.files import replacing
from .._utils.text import count
from ..cluster import METHODS, known_methods
from ..exceptions import ViewfuseError, ViewfuseWarning
from ..selection.comparison import label_free_scores, labelled_scores
from ..selection.method_choice import count_in_sample
from ..views import Views
from ._hints import message
from ._interrupt import INTERRUPTED
from ._options import (
    AsJson,
    ColumnTypes,
    Files,
    Ids,
    Labels,
    LooseIds,
    MissingSamples,
    NoLabels,
    Reading,
    SamplesAre,
    Seed,
    ViewRules,
    comma_separated,
    load,
    title_of,
)
from ._progress import notice, steps_bar

__all__ = ["compare"]

_PARTIAL = Path("viewfuse-partial.csv")


def compare(
    files: Files,
    n_clusters: Annotated[
        int | None,
        typer.Option("-k", "--clusters", min=2, help="Number of clusters. If not given, it is found from the data."),
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(
            "-m", "--methods", help="Keys of the methods, separated by commas (see viewfuse methods). Default: all."
        ),
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write the table to this file: .csv.")] = None,
    seed: Seed = 0,
    as_json: AsJson = False,
    views: ViewRules = None,
    ids: Ids = None,
    labels: Labels = None,
    no_labels: NoLabels = False,
    samples: SamplesAre = None,
    missing: MissingSamples = "error",
    types: ColumnTypes = None,
    loose_ids: LooseIds = False,
) -> None:
    """Run several methods on a file and compare them in one table.

    If the file has true labels, the table shows scores against them.
    Otherwise it shows how well the methods agree with each other, and the silhouette.
    Ctrl-C stops the comparison and saves a table of the methods that have finished.

    [bold]Examples[/]

      viewfuse compare news.mat -k 6

      viewfuse compare news.mat -k 6 -m gfsc,km,co-reg -o scores.csv
    """
    keys = known_methods(None if methods is None else comma_separated(methods))
    data = load(files, Reading(views, ids, labels, no_labels, samples, missing, types, loose_ids))
    if n_clusters is None:
        n_clusters, reason = count_in_sample(data, seed)
        notice(f"picked: {reason}")
    comparison = _run(keys, data, n_clusters, seed)
    if not comparison.labels:
        if comparison.stopped:
            notice("stopped by Ctrl-C before any method had finished, so nothing is saved")
            raise typer.Exit(INTERRUPTED)
        raise comparison.failures[keys[0]]
    found = comparison.labels
    scores = labelled_scores(data.y, found) if data.y is not None else label_free_scores(data, found)
    rows = comparison.rows(scores)
    if as_json:
        print(json.dumps({"file": title_of(files), "samples": len(data), "clusters": n_clusters, "methods": rows}, indent=2))
    else:
        _show(rows, Console())
    if comparison.stopped and output is None:
        output = _PARTIAL
    if output is not None:
        _write(rows, output)
        notice(f"table written to {output}")
    if comparison.stopped:
        notice(f"stopped by Ctrl-C after {len(rows)} of {count(len(keys), 'method')}; their table is saved in {output}")
        raise typer.Exit(INTERRUPTED)


@dataclass
class _Comparison:
    """The outcome of each method that has finished."""

    labels: dict[str, np.ndarray] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    failures: dict[str, ViewfuseError] = field(default_factory=dict)
    stopped: bool = False

    def add(self, key: str, outcome: np.ndarray | ViewfuseError, seconds: float) -> None:
        self.seconds[key] = seconds
        if isinstance(outcome, ViewfuseError):
            self.failures[key] = outcome
        else:
            self.labels[key] = outcome

    def rows(self, scores: dict[str, dict[str, float]]) -> list[dict[str, Any]]:
        """One row per method that has finished, with its scores or its error."""
        names = next(iter(scores.values()))
        return [
            {
                "method": key,
                **{name: _finite(scores[key][name]) if key in scores else None for name in names},
                "seconds": seconds,
                "error": message(self.failures[key]) if key in self.failures else None,
            }
            for key, seconds in self.seconds.items()
        ]


def _run(keys: list[str], data: Views, n_clusters: int, seed: int) -> _Comparison:
    """Fit the methods one after the other, until Ctrl-C; a method that it interrupts is not in the result."""
    done = _Comparison()
    with steps_bar("Comparing", keys) as steps:
        try:
            for key in steps:
                started = time.perf_counter()
                outcome = _outcome(key, data, n_clusters, seed)
                done.add(key, outcome, time.perf_counter() - started)
        except KeyboardInterrupt:
            done.stopped = True
    return done


def _outcome(key: str, data: Views, n_clusters: int, seed: int) -> np.ndarray | ViewfuseError:
    """The labels that a method finds, or its error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ViewfuseWarning)
            return METHODS[key](n_clusters=n_clusters, random_state=seed).fit(data).labels_
    except ViewfuseError as error:
        return error


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _write(rows: list[dict[str, Any]], path: Path) -> None:
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _show(rows: list[dict[str, Any]], console: Console) -> None:
    columns = [name for name in rows[0] if name not in ("method", "error")]
    table = Table("method")
    for name in columns:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(row["method"], *(_cell(row, name) for name in columns))
    console.print(table)
    for row in rows:
        if row["error"]:
            console.print(f"{row['method']}: {row['error']}", highlight=False, markup=False)


def _cell(row: dict[str, Any], name: str) -> str:
    if name == "seconds":
        return f"{row[name]:.2f}"
    return "failed" if row["error"] else "nan" if row[name] is None else f"{row[name]:.3f}"
