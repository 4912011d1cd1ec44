"""The charts of the report: interactive charts by Bokeh, heat maps as images. No text is inserted as HTML."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np

from .._utils.extras import require
from ..inspection.graphs import heat_map_values
from ..inspection.palette import PALETTE

__all__ = ["bokeh_script", "convergence_chart", "embedding_chart", "heat_map", "spectrum_chart", "weights_chart"]

_HEIGHT = 260
_ACCENT = "#D55E00"
_NEUTRAL = "#8a8f98"  # readable on white and on black
_GRID = "#8080803f"


def bokeh_script() -> str:
    """The JavaScript of Bokeh, for the page."""
    require("bokeh", extra="report")
    from bokeh.resources import Resources

    return "\n".join(Resources(mode="inline", components=["bokeh"]).js_raw)


def embedding_chart(
    layouts: dict[str, np.ndarray], names: list[str], labels: np.ndarray, confidence: np.ndarray | None
) -> dict[str, Any]:
    """A scatter plot of the samples; the script of the page changes its colours and its layout."""
    from bokeh.models import ColumnDataSource, HoverTool

    data: dict[str, Any] = {
        "id": names,
        "cluster": np.asarray(labels, dtype=np.int32),
        "colour": [PALETTE[label % len(PALETTE)] for label in labels],
        "shown": [f"cluster: {label}" for label in labels],
    }
    for number, points in enumerate(layouts.values()):
        data[f"x{number}"], data[f"y{number}"] = points.astype(np.float32).T
    tips = [("sample", "@id"), ("cluster", "@cluster"), ("colour", "@shown")]
    if confidence is not None:
        data["confidence"] = np.asarray(confidence, dtype=np.float32)
        tips.insert(2, ("confidence", "@confidence{0.00}"))
    source = ColumnDataSource(data, name="samples")
    chart = _figure(None, None, height=520, tools="pan,wheel_zoom,box_zoom,reset,save", match_aspect=True)
    size = 6 if len(names) < 1500 else 4 if len(names) < 4000 else 3
    points = chart.scatter("x0", "y0", source=source, size=size, fill_color="colour", line_color=None, name="points")
    points.selection_glyph = points.glyph.clone(size=4 * size, line_color=_ACCENT, line_width=3)
    points.nonselection_glyph = points.glyph.clone(fill_alpha=0.35)
    chart.add_tools(HoverTool(tooltips=tips, renderers=[points]))
    _number_clusters(chart, layouts, labels)
    chart.axis.visible = False
    chart.grid.visible = False
    return _item(chart)


def _number_clusters(chart: Any, layouts: dict[str, np.ndarray], labels: np.ndarray) -> None:
    """The number of each cluster at its centre: colours repeat after ten, and not every reader can tell them apart."""
    from bokeh.models import ColumnDataSource

    clusters = np.unique(labels)
    data: dict[str, Any] = {"number": [str(cluster) for cluster in clusters]}
    for number, points in enumerate(layouts.values()):
        middles = np.stack([points[labels == cluster].mean(axis=0) for cluster in clusters])
        data[f"x{number}"], data[f"y{number}"] = middles.T
    numbers = chart.text("x0", "y0", text="number", source=ColumnDataSource(data), name="numbers")
    numbers.glyph.update(
        text_align="center", text_baseline="middle", text_font_size="13px", text_font_style="bold",
        text_color="#1d2430", background_fill_color="#ffffff", background_fill_alpha=0.8, padding=2, border_radius=4,
    )  # fmt: skip


def weights_chart(names: list[str], weights: np.ndarray, colours: list[str]) -> dict[str, Any]:
    """The weight of each view after every iteration."""
    chart = _figure("iteration", "weight")
    for name, column, colour in zip(names, weights.T, colours, strict=True):
        _line(chart, column, colour, [name] * len(column), "view")
    chart.y_range.start = 0
    return _item(chart)


def convergence_chart(change: np.ndarray, tol: float) -> dict[str, Any]:
    """The relative change in each iteration, on a logarithmic scale."""
    from bokeh.models.annotations import Span

    chart = _figure("iteration", "relative change", y_axis_type="log")
    _line(chart, np.maximum(change, 1e-16), PALETTE[0], ["change"] * len(change), "quantity")
    if tol > 0:
        chart.add_layout(Span(location=tol, dimension="width", line_color=_ACCENT, line_dash="dashed"))
        chart.y_range.start = min(tol, change.min()) / 2
    return _item(chart)


def spectrum_chart(values: np.ndarray, k: int) -> dict[str, Any]:
    """The smallest eigenvalues, with a line after the k-th."""
    from bokeh.models import ColumnDataSource, HoverTool
    from bokeh.models.annotations import Span

    chart = _figure("eigenvalue number", "eigenvalue")
    colours = [PALETTE[0] if place < k else _NEUTRAL for place in range(len(values))]
    source = ColumnDataSource({"x": np.arange(1, len(values) + 1), "y": values, "colour": colours})
    points = chart.scatter("x", "y", source=source, size=9, fill_color="colour", line_color=None)
    chart.add_tools(HoverTool(tooltips=[("number", "@x"), ("eigenvalue", "@y{0.0000}")], renderers=[points]))
    chart.add_layout(Span(location=k + 0.5, dimension="height", line_color=_ACCENT, line_dash="dashed"))
    return _item(chart)


def heat_map(graph: np.ndarray) -> str:
    """A graph as an image in a ``data:`` URI."""
    from bokeh.palettes import Magma256
    from PIL import Image

    values, brightest = heat_map_values(graph)
    image = Image.fromarray(np.round(255 * np.minimum(values / brightest, 1)).astype(np.uint8), mode="P")
    image.putpalette(bytes.fromhex("".join(colour.lstrip("#") for colour in Magma256)))
    file = io.BytesIO()
    image.save(file, format="PNG", optimize=True)
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"


def _figure(x_label: str | None, y_label: str | None, *, height: int = _HEIGHT, tools: str = "", **options: Any) -> Any:
    from bokeh.plotting import figure

    chart = figure(
        height=height,
        sizing_mode="stretch_width",
        tools=tools,
        toolbar_location="above" if tools else None,
        x_axis_label=x_label,
        y_axis_label=y_label,
        background_fill_color=None,
        border_fill_color=None,
        outline_line_color=None,
        **options,
    )
    chart.toolbar.logo = None
    chart.grid.grid_line_color = _GRID
    for axis in chart.axis:
        axis.minor_tick_line_color = None
        axis.axis_label_text_font_style = "normal"
    return chart


def _line(chart: Any, values: np.ndarray, colour: str, names: list[str], field: str) -> None:
    from bokeh.models import ColumnDataSource, HoverTool

    source = ColumnDataSource({"x": np.arange(1, len(values) + 1), "y": np.asarray(values, dtype=float), field: names})
    chart.line("x", "y", source=source, line_color=colour, line_width=2)
    points = chart.scatter("x", "y", source=source, size=6, fill_color=colour, line_color=None)
    tips = [(field, f"@{field}"), ("iteration", "@x"), ("value", "@y")]
    chart.add_tools(HoverTool(tooltips=tips, renderers=[points]))
    chart.xaxis.ticker.min_interval = 1  # there is no iteration 1.5


def _item(chart: Any) -> dict[str, Any]:
    from bokeh.embed import json_item

    return dict(json_item(chart))
