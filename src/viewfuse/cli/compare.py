"""``viewfuse compare``: compare several methods on one file."""

from __future__ import annotations

import json
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
from .._utils.store import Store
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
    comparison = _Comparison(data, n_clusters, range(seed, seed + seeds), device)
    comparison.run(keys)
    for warning, warned in comparison.warned.items():
        notice(f"{', '.join(warned)}: {warning}")
    if not comparison.labels:
        if comparison.stopped:
            notice("stopped by Ctrl-C before any method had finished, so nothing is saved")
            raise typer.Exit(INTERRUPTED)
        error = comparison.errors[keys[0]]
        raise error if isinstance(error, Exception) else ViewfuseError(f"{keys[0]} failed: {error}")
    rows = comparison.rows()
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


@dataclass(frozen=True)
class _Fit:
    """A method with one seed, as a cell of the experiments' runner."""

    method: str
    seed: int
    dataset: str = ""

    @property
    def key(self) -> str:
        return f"{self.method}, seed {self.seed}"

    @property
    def setting(self) -> str:
        return self.method


@dataclass
class _Comparison:
    """The fits of the methods, and what they found.

    Attributes
    ----------
    seconds : mean time of each method that has finished, also if it failed
    labels : for every seed, of the methods that succeeded
    errors : of the methods that failed
    warned : text of each warning → the methods that gave it
    stopped : whether Ctrl-C ended the comparison
    """

    data: Views
    n_clusters: int
    seeds: range
    device: str | None
    seconds: dict[str, float] = field(default_factory=dict)
    labels: dict[str, list[np.ndarray]] = field(default_factory=dict)
    errors: dict[str, Exception | str] = field(default_factory=dict)
    warned: dict[str, list[str]] = field(default_factory=dict)
    stopped: bool = False

    def run(self, keys: list[str]) -> None:
        """Fit the methods one after the other, until Ctrl-C; a method that it interrupts is not in the result."""
        with steps_bar("Comparing", keys) as steps:
            try:
                for key in steps:
                    self._run_method(key)
            except KeyboardInterrupt:
                self.stopped = True

    def _run_method(self, key: str) -> None:
        from ..experiments.engine import compute

        found: list[np.ndarray] = []
        errors: list[Exception] = []
        store = Store()
        compute(self._result, [(_Fit(key, seed), found, errors) for seed in self.seeds], store)
        results = list(store.results.values())
        self.seconds[key] = float(np.mean([result["seconds"] for result in results]))
        failures = [*errors, *(result["failed"] for result in results if result["failed"])]
        if failures:
            self.errors[key] = failures[0]
        else:
            self.labels[key] = found

    def _result(self, cell: _Fit, found: list[np.ndarray], errors: list[Exception]) -> dict[str, Any]:
        """Add the labels of one fit, or its error. Methods without ``device`` run on the processor."""
        from ..experiments.engine import measured

        method = METHODS[cell.method]
        options = {"device": self.device} if self.device is not None and "device" in method._get_param_names() else {}

        def work() -> dict[str, Any]:
            with warnings.catch_warnings(record=True) as given:
                warnings.simplefilter("always", ViewfuseWarning)
                try:
                    model = method(n_clusters=self.n_clusters, random_state=cell.seed, **options).fit(self.data)
                except ViewfuseError as error:
                    errors.append(error)
                    raise
            self._record([one for one in given if isinstance(one.message, ViewfuseWarning)], cell.method)
            found.append(to_host(model.labels_))
            return {}

        return measured(cell.key, work, threads=None)

    def _record(self, given: list[warnings.WarningMessage], key: str) -> None:
        for warning in given:
            methods = self.warned.setdefault(message(warning.message), [])
            if key not in methods:  # with another seed
                methods.append(key)

    def scores(self) -> dict[str, dict[str, float]]:
        """Scores of each method; with several seeds their mean, and their standard deviation as ``<name> sd``."""
        y, by_seed = self.data.y, []
        for i in range(len(self.seeds)):
            found = {key: labels[i] for key, labels in self.labels.items()}
            by_seed.append(labelled_scores(y, found) if y is not None else label_free_scores(self.data, found))
        return {key: _over_seeds([scores[key] for scores in by_seed]) for key in self.labels}

    def rows(self) -> list[dict[str, Any]]:
        """One row per method that has finished, with its scores or its error."""
        scores = self.scores()
        names = next(iter(scores.values()))
        return [
            {
                "method": key,
                **{name: _finite(scores[key][name]) if key in scores else None for name in names},
                "seconds": seconds,
                "error": message(self.errors[key]) if key in self.errors else None,
            }
            for key, seconds in self.seconds.items()
        ]


def _over_seeds(scores: list[dict[str, float]]) -> dict[str, float]:
    from ..experiments.tables import mean_std

    if len(scores) == 1:
        return scores[0]
    found = {}
    for name in scores[0]:
        found[name], found[f"{name}{_DEVIATION}"] = mean_std([one[name] for one in scores])
    return found


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
    from ..experiments.tables import as_csv

    text = _latex(rows) if path.suffix.lower() == ".tex" else as_csv(rows)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")


def _columns(rows: list[dict[str, Any]]) -> list[str]:
    return [name for name in rows[0] if name not in ("method", "error") and not name.endswith(_DEVIATION)]


def _latex(rows: list[dict[str, Any]]) -> str:
    from ..experiments.tables import as_booktabs, latex_text

    columns = _columns(rows)
    cells = [[row["method"], *(_cell(row, name) for name in columns)] for row in rows]
    texts = [list(map(latex_text, line)) for line in (["method", *columns], *cells)]
    return as_booktabs("l" + "r" * len(columns), texts[:1], texts[1:])


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
