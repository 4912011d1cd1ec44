"""``viewfuse demo``: cluster the embedded digits and show the result."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from .._utils.extras import require
from .._utils.text import count
from .._utils.warn import quietly
from ..inspection import FitSummary, summarise
from ..io.writers import check_labels_target
from ..report import check_report_target, write_report
from ..views import Views
from ._options import AsJson
from ._progress import parts_bar, steps_bar

_SHOWN = {"acc": "Acc", "nmi": "NMI", "ari": "ARI", "purity": "purity"}


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for the labels, the picture and the report.")
    ] = Path("viewfuse-demo"),
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Cluster 1,797 handwritten digits in six views, without labels, and compare the result with simpler methods.

    This needs no data and no network. It takes about half a minute.

    [bold]Examples[/]

      viewfuse demo

      viewfuse demo -o somewhere
    """
    # check before the fit, which takes a while
    require("matplotlib", extra="plot")
    report_path = check_report_target(output / "report.html")
    labels_path = check_labels_target(output / "labels.csv")
    from ..datasets import load_digits_views
    from ..io import save_labels
    from ..plotting import plot_fit

    console = Console()
    views = load_digits_views()
    if not as_json:
        features = ", ".join(f"{n} ({a.shape[1]})" for n, a in zip(views.names, views.arrays, strict=True))
        console.print(f"[bold]{len(views)} digits in {views.n_views} views[/]: {features}", highlight=False)
    model, k_means, singles = _fitted(views, seed)
    fit = summarise(model, views)
    found = _summary(views, fit, k_means, singles)
    if not as_json:
        _show(found, console)

    output.mkdir(parents=True, exist_ok=True)
    save_labels(labels_path, fit)
    picture_path = output / "digits.png"
    plot_fit(fit).savefig(picture_path, dpi=110)
    with parts_bar("Writing the report") as on_part:
        write_report(report_path, fit, title="Handwritten digits in six views", on_part=on_part)
    if as_json:
        found["written"] = {"report": str(report_path), "labels": str(labels_path), "picture": str(picture_path)}
        print(json.dumps(found, indent=2))
        return
    console.print(f"Report (open it in a browser): {report_path}", highlight=False, soft_wrap=True)
    console.print(f"Labels: {labels_path}   picture: {picture_path}", highlight=False, soft_wrap=True)


def _fitted(views: Views, seed: int) -> tuple[Any, Any, list[Any]]:
    """AutoFusion of all views, k-means on all columns, and AutoFusion of each single view."""
    from sklearn.cluster import KMeans
    from sklearn.preprocessing import StandardScaler

    from ..cluster import AutoFusion

    k = len(np.unique(np.asarray(views.y)))

    def fused(data: Any) -> Any:
        return AutoFusion(n_clusters=k, random_state=seed).fit(data)

    def alone(array: Any) -> Any:
        with quietly():
            return fused([array])

    steps: dict[str, Callable[[], Any]] = {
        "six views fused": lambda: fused(views),
        "k-means": lambda: KMeans(k, n_init=10, random_state=seed).fit(
            StandardScaler().fit_transform(np.hstack(views.arrays))
        ),
        **{name: partial(alone, array) for name, array in zip(views.names, views.arrays, strict=True)},
    }
    with steps_bar("Clustering", list(steps)) as names:
        model, k_means, *singles = (steps[name]() for name in names)
    return model, k_means, singles


def _summary(views: Views, fit: FitSummary, k_means: Any, singles: list[Any]) -> dict[str, Any]:
    """What is shown, and what ``--json`` prints."""
    from ..metrics import evaluate

    single_scores = {name: evaluate(views.y, single.labels_) for name, single in zip(views.names, singles, strict=True)}
    best = max(single_scores, key=lambda name: single_scores[name]["acc"])
    return {
        "samples": len(views),
        "views": [
            {"name": name, "features": int(array.shape[1]), "weight": float(weight), "alone": single_scores[name]}
            for name, array, weight in zip(views.names, views.arrays, np.asarray(fit.view_weights), strict=True)
        ],
        "fused": evaluate(views.y, fit.labels),
        "k_means": evaluate(views.y, k_means.labels_),
        "best_view": best,
        "sweeps": fit.n_iter,
        "converged": fit.converged,
    }


def _show(found: dict[str, Any], console: Console) -> None:
    table = Table("method", *_SHOWN.values(), title="Scores against the true digits (used for this table only)")
    single_view, best = {view["name"]: view["alone"] for view in found["views"]}, found["best_view"]
    methods = {
        "viewfuse: six views fused": found["fused"],
        "k-means on all columns": found["k_means"],
        f"best single view ({best}, picked with the labels)": single_view[best],
    }
    for method, scores in methods.items():
        table.add_row(method, *(f"{100 * scores[name]:.1f}" for name in _SHOWN))
    console.print(table)
    weights = Table("view", "weight", "Acc of this view alone", title="Weight of each view")
    for view in found["views"]:
        bar = "█" * round(40 * view["weight"])
        weights.add_row(view["name"], f"{view['weight']:.3f} {bar}", f"{100 * view['alone']['acc']:.1f}")
    console.print(weights)
    converged = "converged" if found["converged"] else "not converged"
    console.print(f"{count(found['sweeps'], 'iteration')}, {converged}.", highlight=False)
