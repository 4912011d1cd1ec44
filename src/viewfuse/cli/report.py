"""``viewfuse report``: write a report about saved results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from ..exceptions import ViewsError, ViewsFormatError
from ..inspection import FitSummary
from ..io import load_results
from ..io.tables import read_columns
from ..report import check_report_target, write_report
from ..views import Views
from ._options import (
    AsJson,
    Columns,
    ColumnTypes,
    Ids,
    KindRules,
    Labels,
    LooseIds,
    MaxDrawn,
    MissingSamples,
    NoLabels,
    Reading,
    SamplesAre,
    ViewRules,
    load,
    title_of,
)
from ._progress import parts_bar

__all__ = ["report"]


def report(
    results: Annotated[Path, typer.Argument(help="File that viewfuse cluster --save wrote: .npz.")],
    data: Annotated[
        list[Path] | None,
        typer.Argument(
            help="The data that was clustered. Results that viewfuse cluster --save wrote have all that the report needs."
        ),
    ] = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="Write the report to this file: .html.")] = Path(
        "report.html"
    ),
    title: Annotated[str | None, typer.Option(help="Title of the report.")] = None,
    columns: Columns = None,
    points: MaxDrawn = None,
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
    """Write a report about saved results: one HTML file that needs no network.

    [bold]Examples[/]

      viewfuse cluster news.mat -k 6 --save news.npz

      viewfuse report news.npz -o news.html
    """
    check_report_target(output)
    fit = _loaded(results)
    reading = Reading(views, ids, labels, no_labels, samples, missing, types, loose_ids, kinds)
    found = load(data, reading) if data else None
    if found is not None:
        _check_same_samples(fit, found, title_of(data or []))
    extra = None if columns is None else read_columns(columns)
    with parts_bar("Writing the report") as on_part:
        path = write_report(
            output,
            fit,
            found,
            columns=extra,
            title=title or ", ".join(path.name for path in data or [results]),
            source=data,
            load_options=reading.given(),
            max_drawn=points,
            on_part=on_part,
        )
    if as_json:
        summary = {"samples": fit.n_samples, "clusters": fit.n_clusters, "written": {"report": str(path)}}
        print(json.dumps(summary, indent=2))
    else:
        print(f"report written to {path}")


def _loaded(results: Path) -> FitSummary:
    try:
        return load_results(results)
    except ViewsFormatError as error:  # its hint names functions of Python
        raise ViewsFormatError(error.problem, parameter="results", value=results) from error


def _check_same_samples(fit: FitSummary, views: Views, data: str) -> None:
    if len(views) != fit.n_samples:
        raise ViewsError(
            f"{data} has {len(views)} samples, but the results have {fit.n_samples}.",
            hint="Give the data that was clustered.",
            parameter="data",
            value=data,
        )
    if fit.sample_ids is not None and views.ids is not None:
        differ = np.flatnonzero(fit.sample_ids.astype(str) != views.ids.astype(str))
        if differ.size:
            row = int(differ[0])
            raise ViewsError(
                f"{data}: row {row} has the id {views.ids[row]!r}, but in the results it has {str(fit.sample_ids[row])!r}.",
                hint="Give the data that was clustered, with the samples in the same order.",
                parameter="data",
                value=data,
            )
