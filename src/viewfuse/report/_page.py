"""The page: the record of a fit and its charts in one HTML file that needs nothing else."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from html import escape
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
from ..inspection.features import Feature
from ..inspection.palette import colour_of
from ..linalg.threads import worker_threads
from . import _pictures
from ._columns import given_columns
from ._explorer import explorer
from ._verdict import notices, verdict

__all__ = ["Explorer", "check_report_target", "explore", "write_report"]

_MAX_HEAT_MAPS = 12
_CERTAIN = 0.95  # from this confidence on, a sample is not near a border
_MOST_COUNTS = 20  # numbers of clusters in the chart, unless many were found
_SCRIPTS = ("scatter.js", "compare.js", "page.js")


def write_report(
    path: str | Path,
    model: Any,
    views: Any = None,
    *,
    columns: Any = None,
    title: str | None = None,
    source: str | Path | Sequence[Path] | None = None,
    load_options: Mapping[str, Any] | None = None,
    max_drawn: int | None = None,
    on_part: Callable[[int, int, str], None] | None = None,
) -> Path:
    """Write one self-contained HTML page about a fit; it opens without a network, in any browser.

    The page begins with whether the clusters are real. Its map can be searched, coloured, zoomed and selected from; a
    selection is compared with the other samples and exported.

    Parameters
    ----------
    path : path
        Where to write it, ``….html``.
    model : fitted estimator, or FitSummary
        :func:`viewfuse.summarise` and :func:`viewfuse.io.load_results` return a FitSummary.
    views : the views that the model was fitted on, optional
        Without them the page has no features, no graphs of single views and no agreement between views, and its map is drawn
        from the embedding, which the cut has shaped. Saved results hold all these.
    columns : DataFrame, or mapping of names to one value per sample, optional
        More variables to colour the samples by. The index of a DataFrame is matched with the ids of the samples, if there
        are any; a sample without a row is drawn in grey, with a warning.
    title : str, optional
    source : path or list of paths, optional
        The files that the views came from. The page shows their names and checksums.
    load_options : mapping, optional
        The options with which :func:`viewfuse.load_views` read them, for the code on the page.
    max_drawn : int, optional
        The most samples on the map; the default is 5,000. A million can be drawn; the map of more than 50,000 is computed
        from 50,000 of them, and the others are put among their neighbours.
    on_part : callable, optional
        Called as ``on_part(done, parts, name)`` before each part of the page, with the name of the part.

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
    text = _page(
        model,
        views,
        columns=columns,
        title=title,
        source=source,
        load_options=load_options,
        max_drawn=max_drawn,
        on_part=on_part,
    )
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return path


def _page(
    model: Any,
    views: Any,
    *,
    columns: Any,
    title: str | None,
    source: str | Path | Sequence[Path] | None = None,
    load_options: Mapping[str, Any] | None = None,
    max_drawn: int | None = None,
    on_part: Callable[[int, int, str], None] | None = None,
) -> str:
    """The HTML of the page."""
    fit = as_summary(model, views)
    if max_drawn is not None and max_drawn != fit.max_drawn:
        if fit.saved:
            raise ViewsError(
                f"These saved results hold the map of at most {fit.max_drawn:,} samples, not of {max_drawn:,}.",
                hint="Pass the data too.",
                parameter="max_drawn",
                value=max_drawn,
            )
        fit = replace(fit, max_drawn=max_drawn)
    with worker_threads():  # a threaded BLAS is slower for many small products
        content = _content(fit, columns, title, _paths(source), load_options or {}, on_part)
    return _render(content)


class Explorer:
    """A report that a notebook shows inline. :func:`viewfuse.explore` makes it."""

    def __init__(self, html: str, height: int) -> None:
        self.html, self.height = html, height

    def _repr_html_(self) -> str:
        style = f"width:100%;height:{self.height}px;border:0"
        return (
            f'<iframe srcdoc="{escape(self.html)}" title="viewfuse report" style="{style}" '
            'sandbox="allow-scripts allow-downloads"></iframe>'
        )

    def save(self, path: str | Path) -> Path:
        """Write the page to a file, ``….html``."""
        path = check_report_target(path)
        with replacing(path) as temporary:
            temporary.write_text(self.html, encoding="utf-8")
        return path


def explore(
    model: Any, views: Any = None, *, columns: Any = None, title: str | None = None, height: int = 900, **options: Any
) -> Explorer:
    """Show the report of a fit in a notebook: the verdict, a map to select from, clusters and views.

    Parameters
    ----------
    model, views, columns, title : as in :func:`viewfuse.report.write_report`
    height : int
        Height of the frame in pixels.
    **options : ``max_drawn`` and other options of :func:`viewfuse.report.write_report`

    Returns
    -------
    Explorer
        At the end of a cell it shows the page. ``save(path)`` writes it to a file.

    Examples
    --------
    >>> import viewfuse as vf
    >>> views = vf.datasets.make_views(n_samples=60, random_state=0)
    >>> shown = vf.explore(vf.GFSC(n_clusters=3, random_state=0).fit(views), views)
    >>> shown._repr_html_().startswith("<iframe")
    True
    """
    return Explorer(_page(model, views, columns=columns, title=title, **options), height)


def check_report_target(path: str | Path) -> Path:
    """Check that a report can be written to this file, before a long fit."""
    path = Path(path).expanduser()
    if path.suffix.lower() not in (".html", ".htm"):
        raise ViewsError(f"{path}: a report is written as .html.", hint="Use a file name that ends in .html.")
    require("jinja2", extra="report")
    return path


def _render(content: dict[str, Any]) -> str:
    jinja2 = require("jinja2", extra="report")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__, "."), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"data": _embedded_json, "count_of": count, "mean": _mean}
    folder = files(__package__)
    css = folder.joinpath("page.css").read_text(encoding="utf-8")
    js = "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in _SCRIPTS)
    return str(environment.get_template("page.html").render(**content, css=css, js=js))


def _mean(feature: Feature, side: str) -> str:
    return feature.shown(float(getattr(feature, side)))


def _embedded_json(value: Any) -> Any:
    """JSON for a script element. "<" is escaped, so that no text can end the element."""
    markup = require("markupsafe", extra="report").Markup
    return markup(json.dumps(value, ensure_ascii=True, allow_nan=False).replace("<", "\\u003c"))


def _content(
    fit: FitSummary,
    columns: Any,
    title: str | None,
    source: list[Path],
    load_options: Mapping[str, Any],
    on_part: Callable[[int, int, str], None] | None,
) -> dict[str, Any]:
    confidence = fit.confidence if fit.n_clusters > 1 else None  # confidence compares clusters
    extra = given_columns(columns, fit.sample_ids, fit.n_samples)
    content: dict[str, Any] = {
        "title": title or ", ".join(path.name for path in source) or fit.method,
        "n_samples": fit.n_samples,
        "verdict": verdict(fit),
        "notices": notices(fit),
        "largest": max(fit.sizes.values()),
        "colours": [colour_of(place) for place in range(fit.n_clusters)],
        "confidence": confidence is not None,
        "confusion": fit.confusion,
        "reproduce": _reproduce(fit, source, load_options),
        "method": fit.method,
        "choice": fit.choice,
        "table_columns": fit.table_columns,
        "border": [sample for sample in fit.border_samples if sample.confidence < _CERTAIN],
        "compared": len(fit.border_samples) > 0,
        "converged": fit.converged is not False,
        "n_iter": fit.n_iter or 0,
    }
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "neighbour graphs": lambda: {"spectrum_is_before_cut": fit.spectrum_is_before_cut},
        "maps": lambda: {"explorer": explorer(fit, confidence, extra)},
        "clusters": lambda: _clusters(fit),
        "views": lambda: {"views": _views(fit), "agreement": fit.agreement},
        "pictures": lambda: _graphs(fit) | {"charts": _charts(fit)},
    }
    for done, (name, part) in enumerate(parts.items()):
        if on_part is not None:
            on_part(done, len(parts), name)
        content |= part()
    return content


def _clusters(fit: FitSummary) -> dict[str, Any]:
    return {"clusters": fit.clusters, "returned": any(cluster.returned is not None for cluster in fit.clusters)}


def _graphs(fit: FitSummary) -> dict[str, Any]:
    graphs = [("all views, before the cut", fit.fused_graph, False)]
    if len(fit.view_graphs) > 1:
        graphs += [(name, graph, False) for name, graph in list(fit.view_graphs.items())[:_MAX_HEAT_MAPS]]
    graphs.append(("consensus graph after the cut", fit.consensus_graph, True))
    return {
        "heat_map_samples": len(fit.graph_rows),
        "pictures": [
            {"name": name, "image": _pictures.heat_map(graph), "after_cut": after_cut}
            for name, graph, after_cut in graphs
            if graph is not None
        ],
        "more_views": max(len(fit.view_graphs) - _MAX_HEAT_MAPS, 0),
    }


def _views(fit: FitSummary) -> list[dict[str, Any]]:
    alone = {} if fit.agreement is None else fit.agreement.with_result()
    without = {} if fit.agreement is None else fit.agreement.without
    rows = [
        {
            "name": name,
            "features": None if fit.n_features is None else fit.n_features[v],
            "weight": None if fit.view_weights is None else float(fit.view_weights[v]),
            "own_weight": None if fit.own_weights is None else fit.own_weights[v],
            "agreement": alone.get(name),
            "without": without.get(name),
            "remark": "noise view: the clusters are not visible in it" if name in fit.noise_views else "",
            "colour": colour_of(v),
        }
        for v, name in enumerate(fit.view_names)
    ]
    return sorted(rows, key=lambda row: -(row["weight"] or 0))


def _charts(fit: FitSummary) -> dict[str, Any]:
    """The charts as SVG, which the template inserts as it is."""
    markup = require("markupsafe", extra="report").Markup
    charts: dict[str, str] = {}
    weights = np.asarray(fit.history.get("weights", ()), dtype=float)
    if len(weights) > 1:
        charts["weights"] = _pictures.line_chart(
            list(weights.T),
            [colour_of(v) for v in range(len(fit.view_names))],
            label="weight",
            description="The weight of each view after every iteration; the final weights are in the table of views.",
        )
    change = fit.relative_changes
    if change is not None and len(change) > 1:
        charts["convergence"] = _pictures.line_chart(
            [change],
            [colour_of(0)],
            label="relative change",
            description=f"The relative change in {count(len(change), 'iteration')}, on a logarithmic scale.",
            logarithmic=True,
            mark=fit.tol,
        )
    if fit.spectrum is not None:
        charts["spectrum"] = _pictures.spectrum_chart(fit.spectrum, fit.n_clusters)
    found: dict[str, Any] = {name: markup(chart) for name, chart in charts.items()}
    return found | _counts(fit)


def _counts(fit: FitSummary) -> dict[str, Any]:
    """The chart of the numbers of clusters that were considered; empty if the number was given."""
    profile = fit.counts or {}
    score = next((name for name in ("score", "gain") if name in profile), None)
    if score is None or len(profile.get("counts", ())) < 2:
        return {}
    markup = require("markupsafe", extra="report").Markup
    counts = [number for number in profile["counts"] if number <= max(_MOST_COUNTS, 3 * fit.n_clusters)]
    chart = _pictures.counts_chart(counts, profile[score][: len(counts)], score, fit.n_clusters)
    caption = f"The {score} of each number of clusters; the dashed line is the number that was taken. "
    also = ", ".join(str(number) for number in profile.get("also", ()))
    caption += f"These hold nearly as well: {also}. Look at them too." if also else "No other number holds nearly as well."
    return {"counts": markup(chart), "counts_caption": caption}


def _paths(source: str | Path | Sequence[Path] | None) -> list[Path]:
    if source is None:
        return []
    return [Path(source)] if isinstance(source, (str, Path)) else [Path(path) for path in source]


def _reproduce(fit: FitSummary, source: list[Path], load_options: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "params": {name: repr(value) for name, value in fit.params.items()},
        "versions": fit.versions,
        "checksums": fit.checksums,
        "files": [(path.name, _file_checksum(path)) for path in source],
        "code": _code(fit.method, fit.params, source, load_options),
    }


def _code(name: str, params: dict[str, Any], source: list[Path], load_options: Mapping[str, Any]) -> str:
    """Python code that fits the same model again."""
    method = getattr(cluster, name, None)
    defaults = inspect.signature(method).parameters if method is not None else {}
    arguments = [
        f"{key}={value!r}"
        for key, value in params.items()
        if key not in defaults or not _same(defaults[key].default, value) or key == "random_state"
    ]
    lines = ["import viewfuse as vf", ""]
    if not source:
        lines.append("# views: the data that the model was fitted on")
    else:
        options = [f"{key}={value!r}" for key, value in load_options.items()]
        lines.append("# in the folder of the data")
        names = [path.name for path in source]
        lines.append(f"views = vf.load_views({', '.join([repr(names[0] if len(names) == 1 else names), *options])})")
    lines.append(f"model = vf.cluster.{name}({', '.join(arguments)}).fit(views)")
    lines.append('vf.report.write_report("report.html", model, views)')
    return "\n".join(lines) + "\n"


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
