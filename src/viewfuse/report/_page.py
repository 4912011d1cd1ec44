"""The page: the record of a fit and its charts in one HTML file that needs nothing else."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from .. import cluster
from .._utils.extras import require
from .._utils.files import replacing
from .._utils.text import count
from ..exceptions import ViewsError
from ..inspection import FitSummary, as_summary
from ..inspection.palette import PALETTE
from ..linalg.threads import worker_threads
from . import _charts
from ._colours import Colouring, by_category, by_number, colouring, given_columns

__all__ = ["check_report_target", "write_report"]

_MAX_HEAT_MAPS = 12
_BORDER = 0.1  # below this confidence, the edges to another cluster have at least 0.8 times the weight
_LAYOUT_NAMES = {"cluster map": "discs, most confident in centre"}


def write_report(
    path: str | Path,
    model: Any,
    views: Any = None,
    *,
    columns: Any = None,
    title: str | None = None,
    source: str | Path | None = None,
    on_part: Callable[[int, int], None] | None = None,
) -> Path:
    """Write one self-contained HTML page about a fit; it opens without a network, in any browser.

    Parameters
    ----------
    path : path
        Where to write it, ``….html``.
    model : fitted estimator, or FitSummary
        :func:`viewfuse.summarise` and :func:`viewfuse.io.load_results` return a FitSummary.
    views : the views that the model was fitted on, optional
        Without them the page has no features, no graphs of single views and no agreement between views.
    columns : DataFrame, or mapping of names to one value per sample, optional
        More variables to colour the samples by. The index of a DataFrame is matched with the ids of the samples, if there
        are any; a sample without a row is drawn in grey, with a warning.
    title : str, optional
    source : path, optional
        The file that the views came from. The page shows its name and its checksum.
    on_part : callable, optional
        Called as ``on_part(done, parts)`` after each part of the page.

    Returns
    -------
    Path
        The path of the page.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from viewfuse import GFSC, report
    >>> from viewfuse.datasets import make_views
    >>> views = make_views(n_samples=60, random_state=0)
    >>> model = GFSC(n_clusters=3, random_state=0).fit(views)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = report.write_report(pathlib.Path(folder) / "report.html", model, views)
    ...     page.stat().st_size < 5e6
    True
    """
    path = check_report_target(path)
    fit = as_summary(model, views)
    with worker_threads():  # a threaded BLAS is slower for many small products
        content = _content(fit, columns, title, None if source is None else Path(source), on_part)
    text = _render(content)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return path


def check_report_target(path: str | Path) -> Path:
    """Check that a report can be written to this file, before a long fit."""
    path = Path(path).expanduser()
    if path.suffix.lower() not in (".html", ".htm"):
        raise ViewsError(f"{path}: a report is written as .html.", hint="Use a file name that ends in .html.")
    require("bokeh", extra="report")
    require("jinja2", extra="report")
    return path


def _render(content: dict[str, Any]) -> str:
    jinja2 = require("jinja2", extra="report")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__, "."), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"data": _embedded_json, "count_of": count}
    folder = files(__package__)
    parts = {name: folder.joinpath(f"page.{name}").read_text(encoding="utf-8") for name in ("css", "js")}
    return str(environment.get_template("page.html").render(**content, **parts, bokeh=_charts.bokeh_script()))


def _embedded_json(value: Any) -> Any:
    """JSON for a script element. "<" is escaped, so that no text can end the element."""
    markup = require("markupsafe", extra="report").Markup
    return markup(json.dumps(value, ensure_ascii=True, allow_nan=False).replace("<", "\\u003c"))


def _content(
    fit: FitSummary,
    columns: Any,
    title: str | None,
    source: Path | None,
    on_part: Callable[[int, int], None] | None,
) -> dict[str, Any]:
    confidence = fit.confidence if fit.n_clusters > 1 else None  # confidence compares clusters
    content: dict[str, Any] = {
        "title": title or (source.name if source else fit.method),
        "n_samples": fit.n_samples,
        "clusters": fit.clusters,
        "largest": max(fit.sizes.values()),
        "confidence": None if confidence is None else _confidence(confidence),
        "confusion": fit.confusion,
        "palette": PALETTE,
        "reproduce": _reproduce(fit, source),
        "method": fit.method,
        "choice": fit.choice,
        "table_columns": fit.table_columns,
        "border": fit.border_samples,
        "converged": fit.converged is not False,
        "n_iter": fit.n_iter or 0,
    }
    extra = given_columns(columns, fit.sample_ids, fit.n_samples)
    parts: list[Callable[[], dict[str, Any]]] = [
        lambda: _graphs(fit),
        lambda: {"views": _views(fit), "agreement": fit.agreement},
        lambda: {"charts": _iteration_charts(fit)},
        lambda: _embedding(fit, confidence, extra),
    ]
    for done, part in enumerate(parts, start=1):
        content |= part()
        if on_part is not None:
            on_part(done, len(parts))
    return content


def _confidence(confidence: np.ndarray) -> dict[str, float]:
    border = confidence < _BORDER
    return {"median": float(np.median(confidence)), "border": int(border.sum()), "share": float(border.mean())}


def _embedding(fit: FitSummary, confidence: np.ndarray | None, columns: dict[str, np.ndarray]) -> dict[str, Any]:
    if fit.embedding is None:
        return {"drawn": 0}
    rows = fit.layout_rows
    labels = fit.labels[rows]
    drawn_confidence = None if confidence is None else confidence[rows]
    layouts = {_LAYOUT_NAMES.get(name, name): points for name, points in fit.layouts.items()}
    colourings: list[Colouring] = [by_category("cluster", labels)]
    if drawn_confidence is not None:
        colourings.append(by_number("confidence", drawn_confidence))
    if fit.known_labels is not None:
        colourings.append(by_category("known label", fit.known_labels[rows]))
    colourings += [colouring(name, values[rows]) for name, values in columns.items()]
    names = [fit.sample_names[row] for row in rows]
    return {
        "drawn": len(rows),
        "layouts": list(layouts),
        "colourings": [one.payload() for one in colourings],
        "embedding": _charts.embedding_chart(layouts, names, labels, drawn_confidence),
    }


def _graphs(fit: FitSummary) -> dict[str, Any]:
    graphs = {} if fit.consensus_graph is None else {"consensus": fit.consensus_graph}
    pictures = [*graphs.items(), *list(fit.view_graphs.items())[:_MAX_HEAT_MAPS]]
    return {
        "heat_map_samples": len(fit.graph_rows),
        "pictures": [(name, _charts.heat_map(graph)) for name, graph in pictures],
        "more_views": max(len(fit.view_graphs) - _MAX_HEAT_MAPS, 0),
    }


def _views(fit: FitSummary) -> list[dict[str, Any]]:
    agreement = {} if fit.agreement is None else fit.agreement.with_result()
    rows = [
        {
            "name": name,
            "features": None if fit.n_features is None else fit.n_features[v],
            "weight": None if fit.view_weights is None else float(fit.view_weights[v]),
            "own_weight": None if fit.own_weights is None else fit.own_weights[v],
            "agreement": agreement.get(name),
            "noise": name in fit.noise_views,
            "colour": PALETTE[v % len(PALETTE)],
        }
        for v, name in enumerate(fit.view_names)
    ]
    return sorted(rows, key=lambda row: -(row["weight"] or 0))


def _iteration_charts(fit: FitSummary) -> dict[str, Any]:
    charts: dict[str, Any] = {}
    weights = fit.history.get("weights", ())
    if len(weights) > 1:
        colours = [PALETTE[v % len(PALETTE)] for v in range(len(fit.view_names))]
        charts["weights"] = _charts.weights_chart(list(fit.view_names), np.asarray(weights), colours)
    change = fit.relative_changes
    if change is not None and len(change) > 1:
        charts["convergence"] = _charts.convergence_chart(change, fit.tol)
    if fit.spectrum is not None:
        charts["spectrum"] = _charts.spectrum_chart(fit.spectrum, fit.n_clusters)
    return charts


def _reproduce(fit: FitSummary, source: Path | None) -> dict[str, Any]:
    return {
        "params": {name: repr(value) for name, value in fit.params.items()},
        "versions": fit.versions,
        "checksums": fit.checksums,
        "file": None if source is None else (source.name, _file_checksum(source)),
        "code": _code(fit.method, fit.params, source),
    }


def _code(name: str, params: dict[str, Any], source: Path | None) -> str:
    """Python code that fits the same model again."""
    method = getattr(cluster, name, None)
    defaults = inspect.signature(method).parameters if method is not None else {}
    arguments = [
        f"{key}={value!r}"
        for key, value in params.items()
        if key not in defaults or not _same(defaults[key].default, value) or key == "random_state"
    ]
    views = "...  # the data that the model was fitted on" if source is None else f"vf.load_views({source.name!r})"
    return (
        "import viewfuse as vf\n\n"
        f"views = {views}\n"
        f"model = vf.cluster.{name}({', '.join(arguments)}).fit(views)\n"
        'vf.report.write_report("report.html", model, views)\n'
    )


def _same(default: Any, value: Any) -> bool:
    return type(default) is type(value) and repr(default) == repr(value)


def _file_checksum(source: Path) -> str | None:
    """SHA-256 of a file; for a folder, of the checksums of its files in the order of their names."""
    if not source.exists():
        return None
    if source.is_dir():
        parts = [_file_checksum(file) or "" for file in sorted(source.iterdir()) if file.is_file()]
        return hashlib.sha256("".join(parts).encode()).hexdigest()
    with source.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
