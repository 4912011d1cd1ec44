"""``viewfuse cluster``: a file in, clusters out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..exceptions import ViewsError
from ..io import save_labels, save_results
from ..io.writers import check_labels_target, check_results_target
from ..metrics import evaluate
from ..views import Views
from ._options import File, Ids, Labels, MissingSamples, NoLabels, SamplesAre, ViewRules, load

__all__ = ["cluster"]

_OMICS = (".h5ad", ".h5mu")


def cluster(
    file: File,
    n_clusters: Annotated[int, typer.Option("-k", "--clusters", min=2, help="Number of clusters, at least 2.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write each sample's cluster here: .csv, .tsv or .parquet.")
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(help="Write all results here: .npz; or .h5ad or .h5mu, the input with the results added."),
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same clusters.")] = 0,
    views: ViewRules = None,
    ids: Ids = None,
    labels: Labels = None,
    no_labels: NoLabels = False,
    samples: SamplesAre = None,
    missing: MissingSamples = "error",
) -> None:
    """Cluster the samples of a file, and show which views mattered."""
    _check_targets(file, output, save)
    data = load(file, views, ids, labels, no_labels, samples, missing)
    from ..cluster import GFSC

    model = GFSC(n_clusters=n_clusters, random_state=seed).fit(data)
    _show(model, data, str(file), Console())
    if output is not None:
        print(f"labels written to {save_labels(output, model, data)}")
    if save is not None:
        into = file if save.suffix.lower() in _OMICS else None
        print(f"results written to {save_results(save, model, data, into=into)}")


def _check_targets(file: Path, output: Path | None, save: Path | None) -> None:
    """Find out before the work, not after it, that its results have nowhere to go."""
    for target in (output, save):
        if target is None:
            continue
        if not target.resolve().parent.is_dir():
            raise ViewsError(f"{target}: there is no folder {target.resolve().parent}; make it first.")
        if target.is_dir():
            raise ViewsError(f"{target} is a folder; name a file.")
        if target.resolve() == file.resolve() and target.suffix.lower() not in _OMICS:
            raise ViewsError(f"{target} is the input; choose another file for the results.")
        if target.resolve().parent == file.resolve():
            raise ViewsError(f"{target} lies in the input folder, and would be read as a view next time.")
    if output is not None:
        check_labels_target(output)
    if save is not None:
        check_results_target(save, into=file)


def _show(model: Any, views: Views, title: str, console: Console) -> None:
    console.print(f"[bold]{escape(title)}[/]: {len(views):,} samples", highlight=False, soft_wrap=True)
    table = Table("view")
    table.add_column("features", justify="right")
    table.add_column("weight", justify="right")
    for name, array, weight in zip(views.names, views.arrays, model.view_weights_, strict=True):
        table.add_row(escape(name), f"{array.shape[1]:,}", f"{weight:.3f}")
    console.print(table)
    clusters, sizes = np.unique(model.labels_, return_counts=True)
    listed = ", ".join(f"{cluster}: {size}" for cluster, size in zip(clusters, sizes, strict=True))
    console.print(f"{len(clusters)} clusters, sizes {listed}", highlight=False, soft_wrap=True)
    if views.y is not None:
        scores = evaluate(views.y, model.labels_)
        listed = ", ".join(f"{name} {value:.3f}" for name, value in scores.items())
        console.print(f"against the file's labels: {listed}", highlight=False, soft_wrap=True)
