"""Pictures as ``data:`` URIs and charts as SVG, made with nothing but NumPy. No text is inserted as HTML."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Sequence

import numpy as np

from .._utils.extras import require
from .._utils.text import number
from ..inspection.graphs import heat_map_values
from ..inspection.palette import MAGMA, PALETTE

__all__ = ["STILL_SIZE", "counts_chart", "heat_map", "line_chart", "spectrum_chart", "still_of_map"]

STILL_SIZE = (960, 640)  # pixels of the still picture of the map
_WIDTH, _HEIGHT = 460, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 10, 10, 36
_NEUTRAL = "#8a8f98"  # readable on white and on black


def heat_map(graph: np.ndarray) -> str:
    """A graph as an image."""
    values, brightest = heat_map_values(graph)
    levels = np.round(255 * np.minimum(values / brightest, 1)).astype(np.uint8)
    return _png(levels, _interpolated(MAGMA, 256))


def still_of_map(points: np.ndarray, labels: np.ndarray, colours: Sequence[str]) -> str:
    """The samples as dots: ``points`` are in the unit square, ``labels`` are places in ``colours``; the ground is clear."""
    width, height = STILL_SIZE
    side = 0.94 * min(width, height)
    radius = 3 if len(points) <= 3_000 else 2 if len(points) <= 20_000 else 1
    left = np.round(width / 2 + (points[:, 0] - 0.5) * side).astype(int)
    top = np.round(height / 2 - (points[:, 1] - 0.5) * side).astype(int)
    canvas = np.zeros((height, width), dtype=np.uint8)
    codes = (labels + 1).astype(np.uint8)  # 0 is the ground
    for down in range(-radius, radius + 1):
        for right in range(-radius, radius + 1):
            if right * right + down * down <= radius * radius + 1:
                canvas[np.clip(top + down, 0, height - 1), np.clip(left + right, 0, width - 1)] = codes
    return _png(canvas, ["#000000", *colours], transparent_first=True)


def spectrum_chart(values: np.ndarray, k: int) -> str:
    """The smallest eigenvalues, with a line after the k-th."""
    chart = _Chart(
        (0.5, len(values) + 0.5), (0.0, float(values.max(initial=0.01)) * 1.05), "eigenvalue number", "eigenvalue"
    )
    for place, value in enumerate(values):
        chart.dot(place + 1, float(value), PALETTE[0] if place < k else _NEUTRAL)
    chart.upright(k + 0.5)
    return chart.svg(f"The {len(values)} smallest eigenvalues; a dashed line after number {k} marks the number of clusters.")


def line_chart(
    lines: Sequence[np.ndarray],
    colours: Sequence[str],
    *,
    label: str,
    description: str,
    logarithmic: bool = False,
    mark: float = 0.0,
) -> str:
    """One line per series over the iterations; ``mark`` is the height of a dashed line, 0 for none."""
    series = [np.maximum(np.asarray(line, dtype=float), 1e-16) if logarithmic else np.asarray(line, float) for line in lines]
    values = np.concatenate([*series, [mark]] if mark > 0 else series)
    low, high = (float(values.min()) / 2, float(values.max()) * 2) if logarithmic else (0.0, float(values.max()) * 1.05 or 1)
    chart = _Chart((1, max(len(series[0]), 2)), (low, high), "iteration", label, logarithmic)
    for line, colour in zip(series, colours, strict=True):
        chart.line(np.arange(1, len(line) + 1), line, colour)
    if mark > 0:
        chart.level(mark)
    return chart.svg(description)


def counts_chart(counts: Sequence[int], score: Sequence[float], label: str, chosen: int) -> str:
    """The score of each number of clusters, with a line at the one that was taken."""
    values = np.asarray(score, dtype=float)
    known = np.isfinite(values)
    low, high = float(values[known].min(initial=0.0)), float(values[known].max(initial=0.01))
    chart = _Chart((min(counts) - 0.5, max(counts) + 0.5), (min(low, 0.0), high + 0.05 * (high - low)), "clusters", label)
    chart.line(np.asarray(counts)[known], values[known], PALETTE[0])
    chart.upright(chosen)
    return chart.svg(
        f"{label} of each number of clusters from {min(counts)} to {max(counts)}; a dashed line marks {chosen}."
    )


class _Chart:
    """A chart with two axes. Text is escaped by markupsafe."""

    def __init__(
        self, x: tuple[float, float], y: tuple[float, float], x_label: str, y_label: str, logarithmic: bool = False
    ) -> None:
        self._x, self._y, self._logarithmic = x, y, logarithmic
        self._escape = require("markupsafe", extra="report").escape
        self._parts: list[str] = []
        for value in _ticks(*x, whole=True):
            self._text(self._left(value), _HEIGHT - _BOTTOM + 15, number(value), "middle")
        for value in _powers(*y) if logarithmic else _ticks(*y):
            at = self._top(value)
            self._parts.append(f'<line class="axis" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>')
            self._text(_LEFT - 6, at + 4, f"{value:g}", "end")
        self._text((_LEFT + _WIDTH) / 2, _HEIGHT - 4, x_label, "middle")
        self._text(12, _TOP + (_HEIGHT - _BOTTOM - _TOP) / 2, y_label, "middle", turned=True)

    def _left(self, x: float) -> float:
        low, high = self._x
        return _LEFT + (x - low) / ((high - low) or 1) * (_WIDTH - _LEFT - _RIGHT)

    def _top(self, y: float) -> float:
        low, high = (float(np.log(value)) for value in self._y) if self._logarithmic else self._y
        share = ((float(np.log(y)) if self._logarithmic else y) - low) / ((high - low) or 1)
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _BOTTOM - _TOP)

    def _text(self, x: float, y: float, text: str, anchor: str, *, turned: bool = False) -> None:
        turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turned else ""
        self._parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{turn}>{self._escape(text)}</text>')

    def dot(self, x: float, y: float, colour: str) -> None:
        self._parts.append(
            f'<circle cx="{self._left(x):.1f}" cy="{self._top(y):.1f}" r="4" fill="{colour}">'
            f"<title>{number(x)}: {y:.4g}</title></circle>"
        )

    def line(self, x: np.ndarray, y: np.ndarray, colour: str) -> None:
        path = " ".join(f"{self._left(float(a)):.1f},{self._top(float(b)):.1f}" for a, b in zip(x, y, strict=True))
        self._parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        if len(x) <= 40:
            for a, b in zip(x, y, strict=True):
                self.dot(float(a), float(b), colour)

    def upright(self, x: float) -> None:
        at = self._left(x)
        self._parts.append(f'<line class="mark" x1="{at:.1f}" x2="{at:.1f}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}"/>')

    def level(self, y: float) -> None:
        at = self._top(y)
        self._parts.append(f'<line class="mark" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>')

    def svg(self, description: str) -> str:
        markup = require("markupsafe", extra="report").Markup
        head = f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{self._escape(description)}">'
        return str(markup(f"{head}{''.join(self._parts)}</svg>"))


def _ticks(low: float, high: float, *, whole: bool = False) -> list[float]:
    """About five round numbers between two others.

    >>> _ticks(0.0, 1.0)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    >>> _ticks(0.5, 12.5, whole=True)
    [2.0, 4.0, 6.0, 8.0, 10.0, 12.0]
    """
    rough = max((high - low) / 6, 1e-12)
    power = 10.0 ** np.floor(np.log10(rough))
    step = float(next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough))
    step = max(step, 1.0) if whole else step
    first = np.ceil(low / step)
    return [float(round(value * step, 12)) + 0.0 for value in np.arange(first, np.floor(high / step + 1e-9) + 1)]


def _powers(low: float, high: float) -> list[float]:
    powers = np.arange(np.ceil(np.log10(low)), np.floor(np.log10(high)) + 1)
    return [float(f"{10.0**power:g}") for power in powers[:: max(len(powers) // 6, 1)]]


def _interpolated(stops: Sequence[str], count: int) -> list[str]:
    rgb = np.array([[int(stop[at : at + 2], 16) for at in (1, 3, 5)] for stop in stops], dtype=float)
    places = np.linspace(0, len(stops) - 1, count)
    values = np.stack([np.interp(places, np.arange(len(stops)), rgb[:, c]) for c in range(3)], axis=1).round().astype(int)
    return [f"#{r:02x}{g:02x}{b:02x}" for r, g, b in values]


def _png(codes: np.ndarray, palette: Sequence[str], *, transparent_first: bool = False) -> str:
    """An image of places in a palette of at most 256 colours, as PNG in a ``data:`` URI."""
    height, width = codes.shape

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    lines = np.column_stack([np.zeros(height, dtype=np.uint8), codes.astype(np.uint8)])  # no filter
    parts = [
        b"\x89PNG\r\n\x1a\n",
        chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        chunk(b"PLTE", bytes.fromhex("".join(colour.lstrip("#") for colour in palette[:256]))),
        *([chunk(b"tRNS", b"\x00")] if transparent_first else []),
        chunk(b"IDAT", zlib.compress(lines.tobytes(), 9)),
        chunk(b"IEND", b""),
    ]
    return f"data:image/png;base64,{base64.b64encode(b''.join(parts)).decode()}"
