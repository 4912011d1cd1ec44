"""``viewfuse report``: write a report about saved results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from ..exceptions import ViewsError
from ..inspection import FitSummary
from ..io import load_results
from ..io.tables import read_columns
from ..report import check_report_target, write_report
from ..views import Views
from ._options import (
    AsJson,
    Columns,
    Ids,
    KindRules,
    Labels,
    MaxDrawn,
    MissingSamples,
    NoLabels,
    SamplesAre,
    ViewRules,
    load,
    load_options,
)
from ._progress import parts_bar

__all__ = ["report"]


def report(
    results: Annotated[Path, typer.Argument(help="File that viewfuse cluster --save wrote: .npz.")],
    data: Annotated[
        Path | None,
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
    kinds: KindRules = None,
    as_json: AsJson = False,
) -> None:
    """Write a report about saved results: one HTML file that needs no network.

    [bold]Examples[/]

      viewfuse cluster news.mat -k 6 --save news.npz

      viewfuse report news.npz -o news.html
    """
    check_report_target(output)
    fit = load_results(results)
    found = None if data is None else load(data, views, ids, labels, no_labels, samples, missing, kinds)
    if found is not None:
        _check_same_samples(fit, found, data)
    extra = None if columns is None else read_columns(columns)
    options = load_options(views, ids, labels, no_labels, samples, missing, kinds)
    with parts_bar("Writing the report") as on_part:
        path = write_report(
            output,
            fit,
            found,
            columns=extra,
            title=title or (data or results).name,
            source=data,
            load_options=options,
            max_drawn=points,
            on_part=on_part,
        )
    if as_json:
        summary = {"samples": fit.n_samples, "clusters": fit.n_clusters, "written": {"report": str(path)}}
        print(json.dumps(summary, indent=2))
    else:
        print(f"report written to {path}")


def _check_same_samples(fit: FitSummary, views: Views, data: Path | None) -> None:
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
