"""The figures: critical differences of ranks, bars for each data set, quality against time."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from ...plotting import PALETTE
from .results import MethodResult, Ranking

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot_bars", "plot_critical_differences", "plot_quality_against_time"]

# Where a name may stand beside its point, in points, and which of its sides is there.
_BESIDE = (
    ((4, 6), "left"),
    ((4, -7), "left"),
    ((-4, 6), "right"),
    ((-4, -7), "right"),
    ((6, 0), "left"),
    ((-6, 0), "right"),
)


def plot_critical_differences(found: Ranking) -> Figure:
    """Mean ranks on an axis, the best on the left; a bar joins methods that do not differ (Demšar, JMLR 7, 2006)."""
    import matplotlib.pyplot as plt

    count = len(found.methods)
    groups = _groups(found)
    half = (count + 1) // 2
    figure, ax = plt.subplots(figsize=(8, 1.4 + 0.24 * half + 0.12 * len(groups)), layout="constrained")
    top = 0.6 + 0.18 * len(groups)
    for i, (method, rank) in enumerate(zip(found.methods, found.ranks, strict=True)):
        left = i < half
        y = -(top + 0.42 * (i if left else count - 1 - i))
        end = 0.6 if left else count + 0.4
        ax.plot([rank, rank, end], [0, y, y], color="0.5", lw=0.8)
        text = f"{method} ({rank:.1f}) " if left else f" {method} ({rank:.1f})"
        ax.text(end, y, text, ha="right" if left else "left", va="center", fontsize=8)
    for level, (low, high) in enumerate(groups):
        ax.plot([low - 0.05, high + 0.05], [-0.3 - 0.18 * level] * 2, color=PALETTE[0], lw=3, solid_capstyle="butt")
    ax.plot([1, count], [0, 0], color="black", lw=1)
    for rank in range(1, count + 1):
        ax.plot([rank, rank], [0, 0.12], color="black", lw=0.8)
        ax.text(rank, 0.2, str(rank), ha="center", va="bottom", fontsize=7)
    ax.set_xlim(-count * 0.18, count * 1.22)
    ax.axis("off")
    width = f"; critical difference {found.critical_difference:.2f}" if found.critical_difference else ""
    ax.set_title(f"Mean rank over {found.n_datasets} data sets{width}", fontsize=10, pad=14)
    return figure


def _groups(found: Ranking) -> list[tuple[float, float]]:
    """The largest runs of methods whose ranks differ by less than the critical difference."""
    if found.critical_difference is None:
        return []
    runs: list[tuple[float, float]] = []
    for low in found.ranks:
        high = max(rank for rank in found.ranks if rank - low <= found.critical_difference)
        if high > low and (not runs or high > runs[-1][1]):
            runs.append((low, high))
    return runs


def plot_bars(dataset: str, found: Sequence[MethodResult]) -> Figure:
    """Mean Acc of every method on one data set, the best on top; a cross marks a failure."""
    import matplotlib.pyplot as plt

    shown = sorted(found, key=lambda result: -(result.mean("acc") or -1))
    figure, ax = plt.subplots(figsize=(6.4, 0.26 * len(shown) + 0.9), layout="constrained")
    for y, result in enumerate(shown):
        mean = result.mean("acc")
        if mean is None:
            ax.plot(1, y, "x", color=PALETTE[5])
        else:
            ax.barh(y, mean, xerr=result.deviation("acc"), color=PALETTE[0], error_kw={"lw": 1})
    ax.set_yticks(range(len(shown)), [result.method for result in shown], fontsize=8)
    ax.invert_yaxis()
    ax.set(xlabel="Acc (%), mean and standard deviation over seeds; × failed", xlim=(0, 100), title=dataset)
    ax.spines[["top", "right"]].set_visible(False)
    return figure


def plot_quality_against_time(found: Sequence[MethodResult]) -> Figure:
    """Mean Acc against mean CPU seconds over the data sets, one point per method."""
    import matplotlib.pyplot as plt
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    figure, ax = plt.subplots(figsize=(6.8, 4.6), layout="constrained")
    points = {}
    for method in dict.fromkeys(result.method for result in found):
        own = [result for result in found if result.method == method and result.scores]
        if not own:
            continue
        x, y = fmean(fmean(result.seconds) for result in own), fmean(result.mean("acc") or 0.0 for result in own)
        ax.plot(x, y, "o", color=PALETTE[0], ms=5)
        points[method] = (x, y)
    ax.set_xscale("log")
    ax.xaxis.set(
        major_locator=LogLocator(subs=(1, 2, 5)),
        major_formatter=StrMethodFormatter("{x:g}"),
        minor_formatter=NullFormatter(),
    )
    ax.set(xlabel="CPU seconds per fit, mean over data sets, one thread", ylabel="Acc (%), mean over data sets")
    ax.grid(color="0.92")
    ax.spines[["top", "right"]].set_visible(False)
    _name_points(ax, points)
    return figure


def _name_points(ax: Any, points: dict[str, tuple[float, float]]) -> None:
    """Write the names beside the points, each where it covers the least of other names, of points and beyond the axes."""
    from matplotlib.transforms import Bbox

    ax.figure.draw_without_rendering()  # so that places in pixels are known
    around = [Bbox.from_extents(*(place - 4), *(place + 4)) for place in map(ax.transData.transform, points.values())]
    taken = list(around)
    for own, (name, point) in zip(around, points.items(), strict=True):
        options = {"textcoords": "offset points", "fontsize": 8, "va": "center"}
        tried = [ax.annotate(name, point, xytext=place, ha=side, **options) for place, side in _BESIDE]
        boxes = [text.get_window_extent() for text in tried]
        costs = [
            sum(_common_area(box, other) for other in taken if other is not own) + _area(box) - _common_area(box, ax.bbox)
            for box in boxes
        ]
        best = costs.index(min(costs))
        taken.append(boxes[best])
        for text in tried[:best] + tried[best + 1 :]:
            text.remove()


def _area(box: Any) -> float:
    return float(box.width * box.height)


def _common_area(box: Any, other: Any) -> float:
    common = type(other).intersection(box, other)
    return 0.0 if common is None else _area(common)
