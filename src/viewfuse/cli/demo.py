"""``viewfuse demo``: cluster the embedded digits and show what came out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from .._extras import require
from ..io.writers import check_labels_target
from ..report import check_report_target, write_report
from ._watching import busy, watched_steps


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for the labels, the picture and the report.")
    ] = Path("viewfuse-demo"),
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
) -> None:
    """Cluster 1,797 handwritten digits seen in six views, without labels, and compare with simpler ways.

    Needs no data and no network; takes about half a minute.

    [bold]Examples[/]

      viewfuse demo

      viewfuse demo -o somewhere
    """
    # before the work, not after it
    require("matplotlib", extra="plot")
    report_path = check_report_target(output / "report.html")
    labels_path = check_labels_target(output / "labels.csv")
    import numpy as np
    from rich.console import Console
    from rich.table import Table
    from sklearn.cluster import KMeans
    from sklearn.preprocessing import StandardScaler

    from .. import GFSC, metrics
    from ..datasets import load_digits_views
    from ..io import save_labels
    from ..plotting import plot_fit

    console = Console()
    views = load_digits_views()
    truth = np.asarray(views.y)
    k = len(np.unique(truth))
    features = ", ".join(f"{n} ({a.shape[1]})" for n, a in zip(views.names, views.arrays, strict=True))
    console.print(f"[bold]{len(views)} digits in {views.n_views} views[/]: {features}", highlight=False)

    def fused(data: Any) -> Any:
        return GFSC(n_clusters=k, random_state=seed).fit(data)

    steps: dict[str, Callable[[], Any]] = {
        "six views fused": lambda: fused(views),
        "k-means": lambda: KMeans(k, n_init=10, random_state=seed).fit(
            StandardScaler().fit_transform(np.hstack(views.arrays))
        ),
        **{name: partial(fused, [array]) for name, array in zip(views.names, views.arrays, strict=True)},
    }
    with watched_steps("Clustering", list(steps)) as names:
        model, k_means, *singles = (steps[name]() for name in names)
    alone = dict(zip(views.names, (single.labels_ for single in singles), strict=True))
    best = max(alone, key=lambda name: metrics.accuracy(truth, alone[name]))

    table = Table("way", "Acc", "NMI", "ARI", "purity", title="Against the true digits (used for nothing but this table)")
    ways = {
        "viewfuse: six views fused": model.labels_,
        "k-means on all columns": k_means.labels_,
        f"the best view alone ({best}, picked with the labels)": alone[best],
    }
    for way, labels in ways.items():
        scores = metrics.evaluate(truth, labels)
        table.add_row(way, *(f"{100 * scores[name]:.1f}" for name in ("acc", "nmi", "ari", "purity")))
    console.print(table)

    weights = Table("view", "weight", "alone: Acc", title="How far each view is trusted")
    for name, weight in zip(views.names, model.view_weights_, strict=True):
        bar = "█" * round(40 * weight)
        weights.add_row(name, f"{weight:.3f} {bar}", f"{100 * metrics.accuracy(truth, alone[name]):.1f}")
    console.print(weights)
    settled = "settled" if model.converged_ else "not settled"
    console.print(f"{model.n_iter_} sweeps, {settled}.", highlight=False)

    output.mkdir(parents=True, exist_ok=True)
    save_labels(labels_path, model, views)
    with busy("Writing the report"):
        plot_fit(model).savefig(output / "digits.png", dpi=110)
        write_report(report_path, model, views, title="Handwritten digits in six views")
    console.print(f"Report, to open in a browser: {report_path}", highlight=False, soft_wrap=True)
    console.print(f"Labels: {labels_path}   picture: {output / 'digits.png'}", highlight=False, soft_wrap=True)
