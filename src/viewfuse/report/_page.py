"""The page: facts and charts of a fit put into one HTML file that needs nothing else."""

from __future__ import annotations

import hashlib
import inspect
import json
import platform
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from .. import cluster
from .._utils.checksum import checksum
from .._utils.device import to_host
from .._utils.extras import require
from .._utils.files import replacing
from .._utils.text import count
from .._utils.version import versions
from ..exceptions import ViewsError
from ..inspection import facts as _facts
from ..inspection.layouts import (
    EIGENVALUES_PAST_K,
    HEAT_MAP_SAMPLES,
    PALETTE,
    cluster_map,
    consensus_block,
    drawn_samples,
    principal_plane,
    relative_changes,
    sorted_by_cluster,
    spectrum,
    view_block,
)
from ..linalg.threads import worker_threads
from ..views import Views
from . import _charts
from ._colours import Colouring, by_category, by_number, colouring, given_columns

__all__ = ["check_report_target", "write_report"]

_MOST_POINTS = 5000
_MOST_HEAT_MAPS = 12
_BORDER = 0.1  # below it another cluster's ties are at least 0.8 times as strong


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
    model : fitted estimator, or what :func:`viewfuse.io.load_results` returns
    views : the views the model was fitted on, optional
        Without them the page has no features, no view graphs and no agreement between views.
    columns : DataFrame, or mapping of names to one value per sample, optional
        More ways to colour the samples. A DataFrame is matched by the views' ids where they have any.
    title : str, optional
    source : path, optional
        The file the views came from: named on the page with its checksum.
    on_part : callable, optional
        Called as ``on_part(done, parts)`` whenever a part of the page is done.

    Returns
    -------
    Path
        Where the page is.

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
    views = views if views is None or isinstance(views, Views) else Views(views)
    with worker_threads():  # many small products: a threaded BLAS would only get in its own way
        content = _content(model, views, columns, title, None if source is None else Path(source), on_part)
    text = _render(content)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return path


def check_report_target(path: str | Path) -> Path:
    """Whether a report can be written under this name, so that a long fit need not be in vain."""
    path = Path(path).expanduser()
    if path.suffix.lower() not in (".html", ".htm"):
        raise ViewsError(f"{path}: a report is written as .html; choose such a name.")
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
    """JSON that can stand inside a script element: no text in it can end the element."""
    markup = require("markupsafe", extra="report").Markup
    return markup(json.dumps(value, ensure_ascii=True, allow_nan=False).replace("<", "\\u003c"))


def _content(
    model: Any,
    views: Views | None,
    columns: Any,
    title: str | None,
    source: Path | None,
    on_part: Callable[[int, int], None] | None,
) -> dict[str, Any]:
    labels = to_host(model.labels_)
    divided = np.unique(labels).size > 1
    confidence = _array_or_none(model, "confidence_") if divided else None  # of which of one cluster?
    names = _sample_names(model, views)
    truth = views.y if views is not None else getattr(model, "y", None)
    found = _facts.clusters(labels, confidence, views)
    content: dict[str, Any] = {
        "title": title or (source.name if source else _method_name(model)),
        "n_samples": len(labels),
        "clusters": found,
        "largest": max(cluster.size for cluster in found),
        "confidence": None if confidence is None else _sureness(confidence),
        "confusion": _facts.confusion(truth, labels),
        "palette": PALETTE,
        "reproduce": _reproduce(model, views, source),
        "method": _method_name(model),
        "border": _facts.border_samples(labels, confidence, _array_or_none(model, "embedding_"), names),
        "converged": bool(getattr(model, "converged_", True)),
        "n_iter": int(getattr(model, "n_iter_", 0)),
    }
    more = given_columns(columns, _ids(model, views), len(labels))
    parts: list[Callable[[], dict[str, Any]]] = [
        lambda: _graphs(model, views, labels),
        lambda: {"views": _views(model, views, content.get("agreement"))},
        lambda: {"charts": _charts_of_sweeps(model, found)},
        lambda: _embedding(model, labels, confidence, names, truth, more),
    ]
    for done, part in enumerate(parts, start=1):
        content |= part()
        if on_part is not None:
            on_part(done, len(parts))
    return content


def _sureness(confidence: np.ndarray) -> dict[str, float]:
    unsure = confidence < _BORDER
    return {"median": float(np.median(confidence)), "unsure": int(unsure.sum()), "share": float(unsure.mean())}


def _embedding(
    model: Any,
    labels: np.ndarray,
    confidence: np.ndarray | None,
    names: list[str],
    truth: np.ndarray | None,
    columns: dict[str, np.ndarray],
) -> dict[str, Any]:
    embedding = _array_or_none(model, "embedding_")
    if embedding is None:
        return {"drawn": 0}
    rows = drawn_samples(labels, _MOST_POINTS)
    sure = np.zeros(len(rows)) if confidence is None else confidence[rows]
    layouts = {
        "clusters apart, the surest inmost": cluster_map(embedding[rows], labels[rows], sure),
        "principal plane": principal_plane(embedding[rows]),
    }
    colourings: list[Colouring] = [by_category("cluster", labels[rows])]
    if confidence is not None:
        colourings.append(by_number("confidence", sure))
    if truth is not None:
        colourings.append(by_category("known label", truth[rows]))
    colourings += [colouring(name, values[rows]) for name, values in columns.items()]
    drawn_names = [names[row] for row in rows]
    chart = _charts.embedding_chart(layouts, drawn_names, labels[rows], None if confidence is None else sure)
    return {
        "drawn": len(rows),
        "layouts": list(layouts),
        "colourings": [one.payload() for one in colourings],
        "embedding": chart,
    }


def _graphs(model: Any, views: Views | None, labels: np.ndarray) -> dict[str, Any]:
    rows = sorted_by_cluster(labels, drawn_samples(labels, HEAT_MAP_SAMPLES))
    consensus = getattr(model, "drawn_consensus_", None)
    consensus = consensus_block(model, rows) if consensus is None else consensus
    pictures = [] if consensus is None else [("consensus", _charts.heat_map(consensus))]
    found: dict[str, Any] = {"heat_map_samples": len(rows), "pictures": pictures, "more_views": 0}
    if views is None:
        return found
    precomputed = _params(model).get("affinity") == "precomputed"
    graphs = [view_block(array, rows, precomputed=precomputed) for array in views.arrays]
    if np.unique(labels).size > 1:
        found["agreement"] = _facts.agreement(labels[rows], views.names, graphs)
    shown = list(zip(views.names, graphs, strict=True))[:_MOST_HEAT_MAPS]
    found["pictures"] = pictures + [(name, _charts.heat_map(graph)) for name, graph in shown]
    found["more_views"] = len(graphs) - len(shown)
    return found


def _views(model: Any, views: Views | None, agreement: _facts.Agreement | None) -> list[dict[str, Any]]:
    names = [str(name) for name in getattr(model, "view_names_", ())] or list(views.names if views is not None else ())
    weights = _array_or_none(model, "view_weights_")
    alone = {} if agreement is None else agreement.alone()
    noise = {str(name) for name in getattr(model, "noise_views_", ())}
    rows = [
        {
            "name": name,
            "features": None if views is None else int(views.arrays[v].shape[1]),
            "weight": None if weights is None else float(weights[v]),
            "alone": alone.get(name),
            "noise": name in noise,
            "colour": PALETTE[v % len(PALETTE)],
        }
        for v, name in enumerate(names)
    ]
    return sorted(rows, key=lambda row: -(row["weight"] or 0))


def _charts_of_sweeps(model: Any, found: list[_facts.Cluster]) -> dict[str, Any]:
    charts: dict[str, Any] = {}
    history = getattr(model, "history_", None)
    if isinstance(history, dict) and len(history.get("weights", ())) > 1:
        weights = np.asarray(history["weights"])
        names = [str(name) for name in model.view_names_]
        colours = [PALETTE[v % len(PALETTE)] for v in range(len(names))]
        charts["weights"] = _charts.weights_chart(names, weights, colours)
    change = relative_changes(history)
    if change is not None and len(change) > 1:
        charts["convergence"] = _charts.convergence_chart(change, float(_params(model).get("tol") or 0))
    values = getattr(model, "spectrum_", None)
    values = spectrum(model, len(found) + EIGENVALUES_PAST_K) if values is None else values
    if values is not None:
        charts["spectrum"] = _charts.spectrum_chart(values, len(found))
    return charts


def _reproduce(model: Any, views: Views | None, source: Path | None) -> dict[str, Any]:
    params = _params(model)
    return {
        "params": {name: repr(value) for name, value in params.items()},
        "versions": getattr(model, "versions", None) or _versions(),
        "checksums": [] if views is None else list(zip(views.names, map(checksum, views.arrays), strict=True)),
        "file": None if source is None else (source.name, _file_checksum(source)),
        "code": _code(_method_name(model), params, source),
    }


def _code(name: str, params: dict[str, Any], source: Path | None) -> str:
    """Python that fits the same model again."""
    method = getattr(cluster, name, None)
    defaults = inspect.signature(method).parameters if method is not None else {}
    said = [
        f"{key}={value!r}"
        for key, value in params.items()
        if key not in defaults or not _same(defaults[key].default, value) or key == "random_state"
    ]
    views = "...  # the data it was fitted on" if source is None else f"vf.load_views({source.name!r})"
    return (
        "import viewfuse as vf\n\n"
        f"views = {views}\n"
        f"model = vf.cluster.{name}({', '.join(said)}).fit(views)\n"
        'vf.report.write_report("report.html", model, views)\n'
    )


def _same(default: Any, value: Any) -> bool:
    return type(default) is type(value) and repr(default) == repr(value)


def _versions() -> dict[str, str]:
    return {**versions(), "system": f"{platform.system()} {platform.machine()}"}


def _file_checksum(source: Path) -> str | None:
    """SHA-256 of a file; of a folder, that of its files' checksums in the order of their names."""
    if not source.exists():
        return None
    if source.is_dir():
        parts = [_file_checksum(file) or "" for file in sorted(source.iterdir()) if file.is_file()]
        return hashlib.sha256("".join(parts).encode()).hexdigest()
    with source.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _params(model: Any) -> dict[str, Any]:
    return dict(model.get_params()) if hasattr(model, "get_params") else {}


def _method_name(model: Any) -> str:
    """The method's name; a saved fit remembers it."""
    return str(getattr(model, "method", None) or type(model).__name__)


def _ids(model: Any, views: Views | None) -> np.ndarray | None:
    return views.ids if views is not None else getattr(model, "ids", None)


def _sample_names(model: Any, views: Views | None) -> list[str]:
    ids = _ids(model, views)
    return [str(i) for i in ids] if ids is not None else [f"row {row}" for row in range(len(model.labels_))]


def _array_or_none(model: Any, name: str) -> np.ndarray | None:
    value = getattr(model, name, None)
    return None if value is None else to_host(value)
