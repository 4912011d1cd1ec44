"""``viewfuse compare``: several methods on one file, in one table."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from ..cluster import METHODS
from ..comparison import label_free_scores, labelled_scores
from ..exceptions import ParameterError, ViewfuseError, ViewfuseWarning

__all__ = ["compare"]


def compare(
    file: Annotated[Path, typer.Argument(help="The file or folder with the views.")],
    n_clusters: Annotated[int, typer.Option("-k", "--clusters", min=2, help="Number of clusters.")],
    methods: Annotated[
        str | None, typer.Option("-m", "--methods", help="Keys, separated by commas; all by default.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same clusters.")] = 0,
) -> None:
    """Run all or some methods on a file and compare them in one table."""
    from ..io import load_views

    keys = _keys(methods)
    views = load_views(file)
    labels: dict[str, np.ndarray] = {}
    seconds: dict[str, float] = {}
    failures: dict[str, ViewfuseError] = {}
    for key in keys:
        started = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ViewfuseWarning)
                labels[key] = METHODS[key](n_clusters=n_clusters, random_state=seed).fit(views).labels_
        except ViewfuseError as error:
            failures[key] = error
        seconds[key] = time.perf_counter() - started
    if not labels:
        raise failures[keys[0]]
    scores = labelled_scores(views.y, labels) if views.y is not None else label_free_scores(views, labels)
    _show(keys, scores, seconds, failures, Console())


def _keys(methods: str | None) -> list[str]:
    keys = list(METHODS) if methods is None else [key.strip() for key in methods.split(",") if key.strip()]
    unknown = [key for key in keys if key not in METHODS]
    if unknown or not keys:
        raise ParameterError(f"No such method: {', '.join(unknown) or 'none named'}. There are: {', '.join(METHODS)}.")
    return keys


def _show(
    keys: list[str],
    scores: dict[str, dict[str, float]],
    seconds: dict[str, float],
    failures: dict[str, ViewfuseError],
    console: Console,
) -> None:
    columns = next(iter(scores.values()))
    table = Table("method")
    for name in [*columns, "seconds"]:
        table.add_column(name, justify="right")
    for key in keys:
        cells = [f"{scores[key][name]:.3f}" if key in scores else "failed" for name in columns]
        table.add_row(key, *cells, f"{seconds[key]:.2f}")
    console.print(table)
    for key, error in failures.items():
        console.print(f"{key}: {error}", highlight=False, markup=False)
