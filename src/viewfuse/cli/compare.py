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

from .._utils.device import to_host
from .._utils.files import replacing
from .._utils.text import count
from ..cluster import METHODS, known_methods
from ..exceptions import ParameterError, ViewfuseError, ViewfuseWarning
from ..selection.comparison import LABEL_FREE_COLUMNS, label_free_choice, label_free_scores, labelled_scores
from ..selection.method_choice import count_in_sample
from ..views import Views
from ._hints import message
from ._interrupt import INTERRUPTED
from ._options import (
    AsJson,
    ColumnTypes,
    Device,
    Files,
    Ids,
    KindRules,
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
_DEVIATION = " sd"  # ends the name of a column of standard deviations


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
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the table to this file: .csv, or .tex for LaTeX.")
    ] = None,
    seed: Seed = 0,
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="Fit with so many seeds, and show mean ± deviation.")] = 1,
    device: Device = None,
    as_json: AsJson = False,
    views: ViewRules = None,
    ids: Ids = None,
    labels: Labels = None,
    no_labels: NoLabels = False,
    samples: SamplesAre = None,
    missing: MissingSamples = "error",
    types: ColumnTypes = None,
    loose_ids: LooseIds = False,
    kinds: KindRules = None,
) -> None:
    """Run several methods on a file and compare them in one table.

    If the file has true labels, the table shows scores against them.
    Otherwise it shows how well the methods agree with each other, and the silhouette, and says what to make of them.
    Ctrl-C stops the comparison and saves a table of the methods that have finished.

    [bold]Examples[/]

      viewfuse compare news.mat -k 6

      viewfuse compare news.mat -k 6 -m gfsc,km,co-reg --seeds 10 -o scores.tex
    """
    _check_target(output)
    keys = known_methods(None if methods is None else comma_separated(methods))
    data = load(files, Reading(views, ids, labels, no_labels, samples, missing, types, loose_ids, kinds))
    if n_clusters is None:
        n_clusters, reason = count_in_sample(data, seed)
        notice(f"picked: {reason}")
    comparison = _run(keys, data, n_clusters, range(seed, seed + seeds), device)
    if not comparison.labels:
        if comparison.stopped:
            notice("stopped by Ctrl-C before any method had finished, so nothing is saved")
            raise typer.Exit(INTERRUPTED)
        raise comparison.failures[keys[0]]
    rows = comparison.rows(comparison.scores(data))
    choice = None if data.y is not None else label_free_choice(rows)
    if as_json:
        facts = {"file": title_of(files), "samples": len(data), "clusters": n_clusters, "methods": rows}
        print(json.dumps({**facts, **({"choice": choice} if choice else {})}, indent=2))
    else:
        _show(rows, Console())
        if choice is not None:
            notice(f"{LABEL_FREE_COLUMNS} {choice}")
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
    """The outcome of each method that has finished: labels for every seed, mean seconds, or the error."""

    labels: dict[str, list[np.ndarray]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    failures: dict[str, ViewfuseError] = field(default_factory=dict)
    stopped: bool = False

    def add(self, key: str, outcome: list[np.ndarray] | ViewfuseError, seconds: float) -> None:
        self.seconds[key] = seconds
        if isinstance(outcome, ViewfuseError):
            self.failures[key] = outcome
        else:
            self.labels[key] = outcome

    def scores(self, data: Views) -> dict[str, dict[str, float]]:
        """Scores of each method; with several seeds their mean, and their standard deviation as ``<name> sd``."""
        n_seeds = len(next(iter(self.labels.values())))
        by_seed = []
        for i in range(n_seeds):
            found = {key: labels[i] for key, labels in self.labels.items()}
            by_seed.append(labelled_scores(data.y, found) if data.y is not None else label_free_scores(data, found))
        return {key: _over_seeds([scores[key] for scores in by_seed]) for key in self.labels}

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


def _over_seeds(scores: list[dict[str, float]]) -> dict[str, float]:
    if len(scores) == 1:
        return scores[0]
    found = {}
    for name in scores[0]:
        values = [one[name] for one in scores]
        found[name], found[f"{name}{_DEVIATION}"] = float(np.mean(values)), float(np.std(values, ddof=1))
    return found


def _run(keys: list[str], data: Views, n_clusters: int, seeds: range, device: str | None) -> _Comparison:
    """Fit the methods one after the other, until Ctrl-C; a method that it interrupts is not in the result."""
    done = _Comparison()
    with steps_bar("Comparing", keys) as steps:
        try:
            for key in steps:
                started = time.perf_counter()
                outcome = _outcome(key, data, n_clusters, seeds, device)
                done.add(key, outcome, (time.perf_counter() - started) / len(seeds))
        except KeyboardInterrupt:
            done.stopped = True
    return done


def _outcome(key: str, data: Views, n_clusters: int, seeds: range, device: str | None) -> list[np.ndarray] | ViewfuseError:
    """The labels that a method finds with each seed, or its error. Methods without ``device`` run on the processor."""
    options = {"device": device} if device is not None and "device" in METHODS[key]._get_param_names() else {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ViewfuseWarning)
            models = [METHODS[key](n_clusters=n_clusters, random_state=seed, **options) for seed in seeds]
            return [to_host(model.fit(data).labels_) for model in models]
    except ViewfuseError as error:
        return error


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _check_target(path: Path | None) -> None:
    """Refuse a file type that cannot be written, before anything is computed."""
    if path is not None and path.suffix.lower() not in (".csv", ".tex"):
        raise ParameterError(
            f"The table cannot be written as {path.name!r}: only .csv and .tex are possible.",
            hint="Use a name that ends in .csv or .tex.",
            parameter="output",
            value=str(path),
        )


def _write(rows: list[dict[str, Any]], path: Path) -> None:
    if path.suffix.lower() == ".tex":
        with replacing(path) as temporary:
            temporary.write_text(_latex(rows), encoding="utf-8")
        return
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _columns(rows: list[dict[str, Any]]) -> list[str]:
    return [name for name in rows[0] if name not in ("method", "error") and not name.endswith(_DEVIATION)]


def _latex(rows: list[dict[str, Any]]) -> str:
    """A table in the style of booktabs."""
    from ..experiments.benchmark.tables import latex_text

    columns = _columns(rows)
    lines = [rf"\begin{{tabular}}{{l{'r' * len(columns)}}}", r"\toprule"]
    lines.append(" & ".join(map(latex_text, ["method", *columns])) + r" \\")
    lines.append(r"\midrule")
    for row in rows:
        cells = [_cell(row, name).replace("±", r"\(\pm\)") for name in columns]
        lines.append(" & ".join([latex_text(row["method"]), *cells]) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _show(rows: list[dict[str, Any]], console: Console) -> None:
    columns = _columns(rows)
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
    if row["error"] or row[name] is None:
        return "failed" if row["error"] else "nan"
    deviation = row.get(f"{name}{_DEVIATION}")
    return f"{row[name]:.3f}" if deviation is None else f"{row[name]:.3f} ± {deviation:.3f}"
