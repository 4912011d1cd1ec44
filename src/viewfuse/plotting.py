"""Pictures of a fit, on matplotlib axes; each function returns the axes it drew on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._utils.device import to_host
from ._utils.extras import require
from ._utils.text import count
from .exceptions import ParameterError
from .inspection.layouts import (
    EIGENVALUES_PAST_K,
    PALETTE,
    cluster_map,
    consensus_block,
    drawn_samples,
    relative_changes,
    sharpness,
    sorted_by_cluster,
    spectrum,
    view_block,
)
from .views import Views

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .cluster import MultiViewClusterer
    from .selection import ClusterCounts

__all__ = [
    "plot_consensus",
    "plot_convergence",
    "plot_counts",
    "plot_embedding",
    "plot_fit",
    "plot_spectrum",
    "plot_views",
    "plot_weights",
]

_MOST_IN_HEAT_MAP = 1000


def plot_consensus(model: MultiViewClusterer, ax: Axes | None = None) -> Axes:
    """The consensus graph as a heat map, samples sorted by cluster: good clusters are bright blocks on the diagonal.

    Of more than a thousand samples each cluster's share is drawn.
    """
    rows = _rows_of_heat_map(model)
    graph = consensus_block(model, rows)
    if graph is None:
        raise _lacks(model, "affinity_matrix_", "fuses no graph")
    return _heat_map(_axes(ax), graph, np.asarray(model.labels_)[rows], "Consensus graph, sorted by cluster")


def plot_views(model: MultiViewClusterer, views: Any, axes: Any = None) -> np.ndarray:
    """The consensus beside the graph that each view gives alone, all sorted by cluster: who sees the clusters, who does not.

    Parameters
    ----------
    model : fitted estimator
    views : the views it was fitted on
    axes : as many axes as views and one more, optional

    Returns
    -------
    array of axes
    """
    views = views if isinstance(views, Views) else Views(views)
    rows = _rows_of_heat_map(model)
    labels = np.asarray(model.labels_)[rows]
    if axes is None:
        columns = min(views.n_views + 1, 4)
        lines = -(-(views.n_views + 1) // columns)
        plt = require("matplotlib.pyplot", extra="plot")
        grid = plt.subplots(lines, columns, figsize=(3 * columns, 3.2 * lines), layout="constrained", squeeze=False)[1]
        axes = grid.ravel()
        for unused in axes[views.n_views + 1 :]:
            unused.remove()
    axes = np.asarray(axes).ravel()[: views.n_views + 1]
    plot_consensus(model, axes[0]).set_title("consensus")
    precomputed = getattr(model, "affinity", "") == "precomputed"
    for ax, name, array in zip(axes[1:], views.names, views.arrays, strict=True):
        _heat_map(ax, view_block(array, rows, precomputed=precomputed), labels, _plain(name))
    for ax in axes:
        ax.set(xlabel="", ylabel="")
    return axes


def plot_weights(model: MultiViewClusterer, ax: Axes | None = None) -> Axes:
    """How much each view is trusted; the dashed line is an equal share."""
    weights = getattr(model, "view_weights_", None)
    if weights is None:
        raise _lacks(model, "view_weights_", "does not weigh the views")
    ax = _axes(ax)
    places = np.arange(len(weights))
    bars = ax.barh(places, weights, color=PALETTE[0])
    ax.bar_label(bars, [f"{weight:.2f}" for weight in weights], padding=3, bbox={"fc": "white", "ec": "none", "pad": 1})
    ax.axvline(1 / len(weights), color="0.4", ls="--", lw=1, zorder=0)
    ax.set_yticks(places, [_plain(name) for name in model.view_names_])
    ax.invert_yaxis()
    ax.spines[["top", "right"]].set_visible(False)
    ax.set(title="Trust in each view", xlabel="weight", xlim=(0, max(weights) * 1.18))
    return ax


def plot_embedding(model: MultiViewClusterer, ax: Axes | None = None) -> Axes:
    """The clusters as discs around a circle, the surest samples inmost; strays are drawn to the clusters they are near."""
    rows = getattr(model, "embedding_", None)
    if rows is None:
        raise _lacks(model, "embedding_", "embeds no samples")
    ax = _axes(ax)
    confidence = getattr(model, "confidence_", np.zeros(len(model.labels_)))
    points = cluster_map(to_host(rows), model.labels_, to_host(confidence))
    for cluster in np.unique(model.labels_):
        members = points[model.labels_ == cluster]
        ax.scatter(members[:, 0], members[:, 1], s=7, lw=0, alpha=0.85, color=PALETTE[cluster % len(PALETTE)])
        ax.annotate(str(cluster), members.mean(axis=0), ha="center", va="center", weight="bold", fontsize=11,
                    bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none", "alpha": 0.75})  # fmt: skip
    ax.set(title="Samples by cluster, the surest inmost", xticks=[], yticks=[], aspect="equal")
    ax.spines[:].set_color("0.8")
    return ax


def plot_spectrum(model: MultiViewClusterer, ax: Axes | None = None) -> Axes:
    """The smallest eigenvalues of the consensus graph's normalised Laplacian; a gap after the k-th speaks for k clusters."""
    k = np.unique(model.labels_).size
    values = spectrum(model, k + EIGENVALUES_PAST_K)
    if values is None:
        raise _lacks(model, "affinity_matrix_", "fuses no graph")
    ax = _axes(ax)
    numbers = np.arange(1, len(values) + 1)
    ax.plot(numbers[:k], values[:k], "o", color=PALETTE[0], label=f"the {k} clusters")
    ax.plot(numbers[k:], values[k:], "o", color="0.6", label="the rest")
    ax.axvline(k + 0.5, color=PALETTE[5], ls="--", lw=1)
    ax.annotate(f"k = {k}", (k + 0.5, values.max()), (-4, 0), textcoords="offset points", ha="right", color=PALETTE[5])
    ax.set(title="Spectrum of the consensus", xlabel="eigenvalue number", ylabel="eigenvalue")
    ax.locator_params(axis="x", integer=True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, loc="lower right")
    return ax


def plot_convergence(model: MultiViewClusterer, ax: Axes | None = None) -> Axes:
    """How far the consensus, or else the objective, moved in each sweep, and the tolerance.

    Robust GFSC and GF may end above it, where the changes shrink so fast that little is left to go.
    """
    change = relative_changes(getattr(model, "history_", None))
    if change is None:
        raise _lacks(model, "history_", "has no sweeps")
    ax = _axes(ax)
    ax.plot(np.arange(1, len(change) + 1), change, "o-", color=PALETTE[0], ms=4)
    tol = getattr(model, "tol", 0)
    if tol:
        ax.axhline(tol, color=PALETTE[5], ls="--", lw=1)
        ax.annotate(f"tol = {tol:g}", (1, tol), (0, 4), textcoords="offset points", color=PALETTE[5])
    settled = "settled" if model.converged_ else "not settled"
    ax.set(title=f"{count(len(change), 'sweep')}, {settled}", xlabel="sweep", ylabel="relative change", yscale="log")
    ax.locator_params(axis="x", integer=True, min_n_ticks=1)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def plot_counts(found: ClusterCounts, ax: Axes | None = None) -> Axes:
    """What each number of clusters is worth, ± its spread over the subsets, and beside it how stable it is.

    The dotted line is the best that data without clusters reaches.
    """
    ax = _axes(ax)
    counts, gain, spread = found.counts, found.gain, found.gain_spread
    ax.fill_between(counts, gain - spread, gain + spread, color=PALETTE[0], alpha=0.2, lw=0)
    ax.plot(counts, gain, "o-", ms=4, color=PALETTE[0], label="gain (nats per sample)")
    if np.isfinite(found.reference_gain):
        ax.axhline(found.reference_gain, color="0.4", ls=":", lw=1, label="best without clusters")
    if found.structured:
        ax.axvline(found.suggested, color="0.4", ls="--", lw=1, zorder=0, label=f"suggested: {found.suggested}")
    stability = ax.twinx()
    stability.plot(counts, found.stability, "s-", ms=3, lw=1, color=PALETTE[1], label="stability (right)")
    stability.set(ylim=(min(0.0, float(found.stability.min())), 1.05), ylabel="stability (adjusted Rand index)")
    lines = [*ax.get_legend_handles_labels()[0], *stability.get_legend_handles_labels()[0]]
    ax.legend(handles=lines, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2, frameon=False, fontsize="small")
    for axes in (ax, stability):
        axes.spines["top"].set_visible(False)
    ax.locator_params(axis="x", integer=True)
    title = "How many clusters?" if found.structured else "How many clusters? None that hold together"
    ax.set(title=title, xlabel="number of clusters", ylabel="gain (nats per sample)")
    return ax


def plot_fit(model: MultiViewClusterer) -> Figure:
    """Consensus graph, embedding and weights of one fit in one figure."""
    plt = require("matplotlib.pyplot", extra="plot")
    figure, axes = plt.subplots(1, 3, figsize=(15, 4.8), width_ratios=(1, 1.15, 0.85), layout="constrained")
    for ax, draw in zip(axes, (plot_consensus, plot_embedding, plot_weights), strict=True):
        draw(model, ax)
    return figure


def _rows_of_heat_map(model: MultiViewClusterer) -> np.ndarray:
    return sorted_by_cluster(model.labels_, drawn_samples(model.labels_, _MOST_IN_HEAT_MAP))


def _heat_map(ax: Axes, graph: np.ndarray, labels: np.ndarray, title: str) -> Axes:
    ties, brightest = sharpness(graph)
    ax.imshow(ties, cmap="magma", vmin=0, vmax=brightest)
    for edge in np.flatnonzero(np.diff(labels)) + 0.5:
        ax.axhline(edge, color="white", lw=0.4, alpha=0.6)
        ax.axvline(edge, color="white", lw=0.4, alpha=0.6)
    ax.set(title=title, xticks=[], yticks=[], xlabel="samples", ylabel="samples")
    return ax


def _plain(name: Any) -> str:
    """A name as it is spelled: matplotlib would read what stands between dollars as mathematics."""
    return str(name).replace("$", r"\$")


def _lacks(model: Any, attribute: str, why: str) -> ParameterError:
    return ParameterError(f"{type(model).__name__} {why}, so there is no {attribute} to draw; try another method.")


def _axes(ax: Axes | None) -> Axes:
    return require("matplotlib.pyplot", extra="plot").subplots()[1] if ax is None else ax
