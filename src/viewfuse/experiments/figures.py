"""The figures: Acc over α × β for each γ, as in the paper, and our Acc next to the paper's for each row."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..plotting import PALETTE
from .findings import is_degenerate
from .paper import PAPER_DATASETS
from .summary import TableRow, compared

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_comparison", "plot_sensitivity", "save_figure"]


def plot_sensitivity(row: TableRow) -> Figure:
    """Mean Acc of GFSC over α × β, one map for each γ.

    Hatched: degenerate points. Square: the paper's best point; circle: ours.
    """
    import matplotlib.pyplot as plt

    gammas = sorted({point.cell.parameters["gamma"] for point in row.points})
    figure, axes = plt.subplots(
        1, len(gammas), figsize=(4.4 * len(gammas) + 0.8, 4.3), layout="constrained", squeeze=False, sharey=True
    )
    accuracies = [point.stat("acc")[0] for point in row.points]
    for ax, gamma in zip(axes[0], gammas, strict=True):
        image = _map(ax, row, gamma, min(accuracies), max(accuracies))
    axes[0, 0].set_ylabel("α")
    figure.colorbar(image, ax=axes[0], label="Acc (%)", shrink=0.85)
    figure.suptitle(f"{row.dataset}: GFSC, published variant, mean Acc of ten repetitions")
    return figure


def _map(ax: Axes, row: TableRow, gamma: float, low: float, high: float) -> Any:
    points = {
        (p.cell.parameters["alpha"], p.cell.parameters["beta"]): p for p in row.points if p.cell.parameters["gamma"] == gamma
    }
    alphas, betas = sorted({alpha for alpha, _ in points}), sorted({beta for _, beta in points})
    values = np.array([[points[a, b].stat("acc")[0] if (a, b) in points else np.nan for b in betas] for a in alphas])
    image = ax.imshow(values, cmap="viridis", vmin=low, vmax=high, origin="lower", aspect="auto")
    for (alpha, beta), point in points.items():
        y, x = alphas.index(alpha), betas.index(beta)
        value = point.stat("acc")[0]
        light = value < (low + high) / 2
        if is_degenerate(point):
            ax.add_patch(_rectangle(x, y, fill=False, hatch="////", lw=0, ec="white" if light else "black", alpha=0.35))
        ax.text(x, y, f"{value:.0f}", ha="center", va="center", color="white" if light else "black", fontsize=9)
        if row.oracle is not None and point.cell == row.oracle.cell:
            ax.plot(x, y, "o", ms=24, mfc="none", mec="#D55E00", mew=2)
    optimum = PAPER_DATASETS[row.dataset].optimum if row.dataset in PAPER_DATASETS else None
    if optimum is not None and optimum[2] == gamma and optimum[:2] in points:
        ax.add_patch(_rectangle(betas.index(optimum[1]), alphas.index(optimum[0]), fill=False, lw=2.5, ec="#CC79A7"))
    ax.set_xticks(range(len(betas)), [f"{b:g}" for b in betas])
    ax.set_yticks(range(len(alphas)), [f"{a:g}" for a in alphas])
    ax.set(title=f"γ = {gamma:g}", xlabel="β")
    return image


def _rectangle(x: int, y: int, **style: Any) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((x - 0.46, y - 0.46), 0.92, 0.92, **style)


def plot_comparison(rows: Sequence[TableRow]) -> Figure:
    """Mean and standard deviation of Acc for each row: the paper's, ours with the oracle, and ours at the defaults."""
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(7.2, 0.34 * len(rows) + 1.3), layout="constrained")
    series = (
        ("paper", -0.22, "s", "0.45", lambda row: row.printed.get("Acc")),
        (
            "ours, parameters chosen with labels (oracle)",
            0.0,
            "o",
            PALETTE[0],
            lambda row: row.oracle and row.oracle.stat("acc"),
        ),
        ("ours, defaults without labels", 0.22, "D", PALETTE[5], lambda row: row.default and row.default.stat("acc")),
    )
    for name, offset, marker, colour, stat in series:
        found = [(y + offset, stat(row)) for y, row in enumerate(rows) if stat(row)]
        if found:
            ax.errorbar(
                [s[0] for _, s in found], [y for y, _ in found], xerr=[s[1] for _, s in found],
                fmt=marker, ms=5, color=colour, elinewidth=1, label=name,
            )  # fmt: skip
    for y, row in enumerate(rows):
        comparison = compared(row, "Acc")
        if comparison is not None and not comparison.within:
            ax.axhspan(y - 0.5, y + 0.5, color="0.94", zorder=0)
    ax.set_yticks(range(len(rows)), [row.label for row in rows])
    ax.invert_yaxis()
    ax.margins(y=0.02)
    ax.grid(axis="x", color="0.9")
    ax.spines[["top", "right"]].set_visible(False)
    ax.set(xlabel="Acc (%); grey bands: further apart than the two standard deviations", title=f"{rows[0].dataset}")
    figure.legend(loc="outside lower center", ncols=1 if len(rows) < 6 else 3, frameon=False, fontsize=8)
    return figure


def save_figure(figure: Figure, folder: Path, name: str) -> None:
    """Save as ``name.svg`` and ``name.png``. The same figure always gives the same bytes."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    with mpl.rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
        figure.savefig(folder / f"{name}.png", dpi=110, metadata={"Software": None})
    plt.close(figure)
