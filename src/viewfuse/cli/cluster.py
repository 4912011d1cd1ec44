"""``viewfuse cluster``: cluster the samples of a file."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .._utils.text import count
from ..exceptions import ConvergenceWarning, ParameterError, ViewsError
from ..inspection import FitSummary, summarise
from ..io import save_labels, save_results
from ..io.tables import read_columns
from ..io.writers import check_labels_target, check_results_target
from ..report import check_columns, check_report_target, write_report
from ..selection.method_choice import MethodChoice, choose
from ..views import Views
from ._interrupt import INTERRUPTED, stop_on_ctrl_c
from ._options import (
    AsJson,
    Columns,
    ColumnTypes,
    Device,
    Files,
    Ids,
    KindRules,
    Labels,
    LooseIds,
    MaxDrawn,
    Method,
    MissingSamples,
    NoLabels,
    Reading,
    SamplesAre,
    Seed,
    ViewRules,
    WeightRules,
    by_name,
    load,
    title_of,
)
from ._progress import fit_bar, notice, parts_bar, spinner

if TYPE_CHECKING:
    from ..fusion import Sweep

__all__ = ["cluster"]

_OMICS = (".h5ad", ".h5mu")
_MODEL = ".model"
_PARTIAL = Path("viewfuse-partial.npz")
NOT_CONVERGED = 3


def cluster(
    files: Files,
    n_clusters: Annotated[
        int | None,
        typer.Option("-k", "--clusters", min=2, help="Number of clusters. If not given, it is found from the data."),
    ] = None,
    method: Method = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Write the cluster of each sample to this file: .csv, .tsv or .parquet."),
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Write a report about the result to this file: .html.")] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            help="Write to this file: .model, the fitted model, for viewfuse predict; .npz, all results, for viewfuse "
            "report; or .h5ad or .h5mu, which is the input with the results added."
        ),
    ] = None,
    columns: Columns = None,
    points: MaxDrawn = None,
    seed: Seed = 0,
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
    weights: WeightRules = None,
) -> None:
    """Cluster the samples of a file, and show the weight of each view.

    Without options, AutoFusion chooses graphs that suit the data and the number of clusters, and prints what it chose.
    Ctrl-C stops the fit of an iterative method (gfsc, gf, anchor-gfsc) after the current iteration and saves the result so
    far; a second Ctrl-C stops at once. Other methods stop at once, without a result.
    Exit codes: 0 done, 2 bad input, 3 not converged, 130 stopped by Ctrl-C.

    [bold]Examples[/]

      viewfuse cluster patients.h5mu

      viewfuse cluster news.mat -k 6 --report news.html -o labels.csv

      viewfuse cluster tables/ -k 4 --json | jq .sizes

      viewfuse cluster patients.h5mu --save patients.model
    """
    _check_targets(files, output, save, report)
    reading = Reading(views, ids, labels, no_labels, samples, missing, types, loose_ids, kinds)
    data = load(files, reading)
    extra = None if columns is None else read_columns(columns)
    check_columns(extra, data)
    choice = choose(data, method, n_clusters)
    model, stopped = _fit(_model(choice, seed, device, weights), choice, data)
    if stopped and not (output or save or report):
        save = _PARTIAL
    fit = summarise(model, data)
    found = _summary(fit, title_of(files), choice)
    if not as_json:
        # AutoFusion's own account of its choice says more than the reason for taking AutoFusion.
        chosen = str(model.choice_).splitlines() if hasattr(model, "choice_") else None
        _show(found, chosen or [f"picked: {reason}" for reason in found["picked"]], Console())
    found["written"] = written = {}
    if output is not None:
        written["labels"] = str(save_labels(output, fit))
    if save is not None and save.suffix.lower() == _MODEL:
        written["model"] = str(model.save(save))
    elif save is not None:
        into = files[0] if save.suffix.lower() in _OMICS else None
        with spinner(f"Saving {save.name}"):
            written["results"] = str(save_results(save, fit, into=into))
    if report is not None:
        with parts_bar("Writing the report") as on_part:
            about: dict[str, Any] = {"source": files, "load_options": reading.given(), "max_drawn": points}
            written["report"] = str(write_report(report, fit, columns=extra, on_part=on_part, **about))
    if as_json:
        print(json.dumps(found, indent=2))
    else:
        for what, path in written.items():
            print(f"{what} written to {path}")
    if stopped:
        where = ", ".join(written.values())
        what = "results" if found["converged"] else "results so far"
        notice(f"stopped by Ctrl-C after {count(found['sweeps'], 'iteration')}; the {what} are saved in {where}")
        raise typer.Exit(INTERRUPTED)
    if not found["converged"]:
        raise typer.Exit(NOT_CONVERGED)


def _model(choice: MethodChoice, seed: int, device: str | None, weights: list[str] | None) -> Any:
    """The chosen method with the options of the command line."""
    from ..cluster import METHODS

    model = METHODS[choice.method](n_clusters=choice.n_clusters, random_state=seed)
    options = {"device": None if device == "cpu" else device, "view_weights": _factors(weights)}
    for parameter, value in options.items():
        if value is None:
            continue
        if parameter not in model.get_params():
            able = ", ".join(key for key, method in METHODS.items() if parameter in method().get_params())
            what = (
                "runs on the processor only; these methods run on other devices"
                if parameter == "device"
                else ("takes no weights of views; these methods do")
            )
            raise ParameterError(
                f"{choice.method} {what}: {able}.",
                hint=f"Leave {parameter} out.",
                parameter=parameter,
                value=value,
            )
        model.set_params(**{parameter: value})
    return model


def _factors(weights: list[str] | None) -> dict[str, float] | None:
    named = by_name(weights, "view_weights")
    for name, value in named.items():
        try:
            float(value)
        except ValueError:
            raise ParameterError(
                f"The weight of view {name!r} is {value!r}, which is not a number.", parameter="view_weights", value=value
            ) from None
    return {name: float(value) for name, value in named.items()} or None


def _fit(model: Any, choice: MethodChoice, data: Views) -> tuple[Any, bool]:
    """Fit the chosen method.

    Returns the model, and whether Ctrl-C was pressed: the model then holds the result so far. A method without the parameter
    ``callback`` cannot be stopped between iterations, so Ctrl-C interrupts it at once and there is no result.
    """
    doing = f"Clustering {len(data):,} samples{', choosing among graphs' if choice.method == 'auto' else ''}"
    try:
        if "callback" in model.get_params():
            return _fit_with_callback(model, data, doing)
        with spinner(doing):
            return model.fit(data), False
    except KeyboardInterrupt:
        notice("stopped by Ctrl-C before anything was found, so nothing is saved")
        raise typer.Exit(INTERRUPTED) from None


def _fit_with_callback(model: Any, data: Views, doing: str) -> tuple[Any, bool]:
    """The fitted model, and whether Ctrl-C was pressed."""
    with (
        stop_on_ctrl_c() as stop,
        fit_bar(doing, model.get_params().get("tol", 0.0)) as show_iteration,
        warnings.catch_warnings(),
    ):

        def callback(iteration: int, state: Sweep) -> bool:
            show_iteration(iteration, state)
            if stop.requested:
                # The command prints a message of its own.
                warnings.simplefilter("ignore", ConvergenceWarning)
            return stop.requested

        try:
            model.set_params(callback=callback).fit(data)
        finally:
            model.set_params(callback=None)  # saved results list the parameters
        return model, stop.requested


def _check_targets(files: list[Path], output: Path | None, save: Path | None, report: Path | None) -> None:
    """Check before the fit that its results can be written."""
    for parameter, target in {"output": output, "save": save, "report": report}.items():
        if target is None:
            continue
        fields: dict[str, Any] = {"parameter": parameter, "value": target}
        if not target.resolve().parent.is_dir():
            raise ViewsError(f"{target}: the folder {target.resolve().parent} does not exist.", hint="Create it first.")
        if target.is_dir():
            raise ViewsError(f"{target} is a folder, not a file.", **fields)
        if any(target.resolve() == file.resolve() for file in files) and target.suffix.lower() not in _OMICS:
            raise ViewsError(f"{target} is the input file.", **fields)
        if any(target.resolve().parent == file.resolve() for file in files) and target is not report:
            raise ViewsError(f"{target} is in the input folder, so the next run would read it as a view.", **fields)
    if output is not None:
        check_labels_target(output)
    if save is not None and save.suffix.lower() != _MODEL:
        check_results_target(save, into=files[0])
    if report is not None:
        check_report_target(report)


def _summary(fit: FitSummary, title: str, choice: MethodChoice) -> dict[str, Any]:
    """What is shown, and what ``--json`` prints."""
    own = fit.own_weights
    weights = [None] * len(fit.view_names) if fit.view_weights is None else map(float, fit.view_weights)
    return {
        "file": title,
        "samples": fit.n_samples,
        "dropped": fit.n_dropped,
        "missing": {name: absent for name, absent in fit.n_missing.items() if absent},
        "verdict": fit.verdict,
        "method": choice.method,
        "picked": list(choice.reasons),
        "choice": fit.choice,
        "views": [
            {"name": name, "features": features, "weight": weight, **({} if own is None else {"own_weight": own[v]})}
            for v, (name, features, weight) in enumerate(zip(fit.view_names, fit.n_features or (), weights, strict=True))
        ],
        "clusters": fit.n_clusters,
        "also": list((fit.counts or {}).get("also", [])),
        "sizes": {str(cluster): size for cluster, size in fit.sizes.items()},
        "noise_views": list(fit.noise_views),
        "notes": list(fit.notes),
        "median_confidence": None if fit.confidence is None else float(np.median(fit.confidence)),
        "sweeps": fit.n_iter,
        "converged": fit.converged,
        "scores": fit.scores,
    }


def _show(found: dict[str, Any], chosen: list[str], console: Console) -> None:
    def line(text: str) -> None:
        console.print(text, highlight=False, soft_wrap=True)

    line(f"[bold]{escape(found['file'])}[/]: {found['samples']:,} samples")
    if found["dropped"]:
        line(f"{count(found['dropped'], 'sample was', 'samples were')} dropped, because some view does not have them")
    for name, absent in found["missing"].items():
        line(f"{count(absent, 'sample is', 'samples are')} missing from view {escape(name)}")
    if found["verdict"] is not None:
        line(f"[bold]{escape(found['verdict']['sentence'])}[/]")
    for reason in chosen:
        line(escape(reason))
    table = Table("view")
    table.add_column("features", justify="right")
    table.add_column("weight", justify="right")
    given = any("own_weight" in view for view in found["views"])
    if given:
        table.add_column("your factor", justify="right")
    for view in found["views"]:
        weight = "–" if view["weight"] is None else f"{view['weight']:.3f}"
        table.add_row(escape(view["name"]), f"{view['features']:,}", weight, *([f"{view['own_weight']:g}"] if given else []))
    console.print(table)
    for name in found["noise_views"]:
        line(f"view {escape(name)} does not separate these clusters: it may be noise, or its rows may be in another order")
    listed = ", ".join(f"{cluster}: {size}" for cluster, size in found["sizes"].items())
    also = " and ".join(map(str, found["also"]))
    others = f" ({also} also hold{'s' if len(found['also']) == 1 else ''})" if also else ""
    line(f"{count(found['clusters'], 'cluster')}{others}, sizes {listed}")
    converged = "converged" if found["converged"] else "not converged"
    confidence = "" if found["median_confidence"] is None else f", median confidence {found['median_confidence']:.2f}"
    line(f"{count(found['sweeps'], 'iteration')}, {converged}{confidence}")
    if found["scores"] is not None:
        listed = ", ".join(f"{name} {value:.3f}" for name, value in found["scores"].items())
        line(f"scores against the true labels: {listed}")
