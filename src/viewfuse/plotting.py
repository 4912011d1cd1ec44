"""Plots of a fit on matplotlib axes. Every function takes a fitted estimator or a FitSummary and returns the axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._utils.extras import require
from ._utils.text import count
from .exceptions import ParameterError
from .inspection import FitSummary, as_summary
from .inspection.graphs import heat_map_values
from .inspection.palette import PALETTE, colour_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .cluster import MultiViewClusterer
    from .selection import ClusterCounts

    Fit = MultiViewClusterer | FitSummary

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


def plot_consensus(model: Fit, ax: Axes | None = None) -> Axes:
    """The consensus graph as a heat map with the samples sorted by cluster, after the cut.

    The cut itself makes bright blocks on the diagonal, also in noise: they are no evidence of clusters. At most 400 samples
    are drawn; each cluster contributes in proportion to its size.
    """
    fit = as_summary(model)
    if fit.consensus_graph is None:
        raise _nothing_to_plot(fit, "affinity_matrix_", "has no fused graph")
    return _heat_map(_axes(ax), fit.consensus_graph, fit, "Consensus graph after the cut")


def plot_views(model: Fit, views: Any = None, axes: Any = None) -> np.ndarray:
    """The joint neighbour graph before the cut and that of each view, sorted by cluster: where are the clusters visible?

    Bright pixels are edges and shared neighbours.

    Parameters
    ----------
    model : fitted estimator, or FitSummary
    views : the views that the model was fitted on, optional for a FitSummary that has them
    axes : as many axes as views and one more, optional

    Returns
    -------
    array of axes
    """
    fit = as_summary(model, views)
    if fit.fused_graph is None:
        raise ParameterError(
            "The graphs of single views need the data.",
            hint="Pass the views that the model was fitted on.",
            parameter="views",
        )
    n_axes = len(fit.view_names) + 1
    if axes is None:
        columns = min(n_axes, 4)
        lines = -(-n_axes // columns)
        plt = require("matplotlib.pyplot", extra="plot")
        grid = plt.subplots(lines, columns, figsize=(3 * columns, 3.2 * lines), layout="constrained", squeeze=False)[1]
        axes = grid.ravel()
        for unused in axes[n_axes:]:
            unused.remove()
    axes = np.asarray(axes).ravel()[:n_axes]
    for ax, (name, graph) in zip(axes, {"all views": fit.fused_graph, **fit.view_graphs}.items(), strict=True):
        _heat_map(ax, np.asarray(graph), fit, _plain(name))
    for ax in axes:
        ax.set(xlabel="", ylabel="")
    return axes


def plot_weights(model: Fit, ax: Axes | None = None) -> Axes:
    """The weight of each view; the dashed line marks equal weights."""
    fit = as_summary(model)
    weights = fit.view_weights
    if weights is None:
        raise _nothing_to_plot(fit, "view_weights_", "does not weight the views")
    ax = _axes(ax)
    places = np.arange(len(weights))
    bars = ax.barh(places, weights, color=PALETTE[0])
    ax.bar_label(bars, [f"{weight:.2f}" for weight in weights], padding=3, bbox={"fc": "white", "ec": "none", "pad": 1})
    ax.axvline(1 / len(weights), color="0.4", ls="--", lw=1, zorder=0)
    ax.set_yticks(places, [_plain(name) for name in fit.view_names])
    ax.invert_yaxis()
    ax.spines[["top", "right"]].set_visible(False)
    ax.set(title="Weight of each view", xlabel="weight", xlim=(0, max(weights) * 1.18))
    return ax


def plot_embedding(model: Fit, ax: Axes | None = None, *, views: Any = None) -> Axes:
    """A map of the samples: neighbours in the data lie close together.

    With the ``views`` that the model was fitted on, the map is drawn from their joint neighbour graph before any cut.
    Without them it is drawn from the embedding, which the cut has shaped, and the title says so. At most 5,000 samples are
    drawn; each cluster contributes in proportion to its size.
    """
    fit = as_summary(model, views)
    if not fit.layouts:
        raise _nothing_to_plot(fit, "embedding_", "has no embedding")
    ax = _axes(ax)
    points, labels = next(iter(fit.layouts.values())), fit.labels[fit.layout_rows]
    for place, cluster in enumerate(fit.sizes):
        members = points[labels == cluster]
        ax.scatter(members[:, 0], members[:, 1], s=7, lw=0, alpha=0.85, color=colour_of(place))
        ax.annotate(str(cluster), np.median(members, axis=0), ha="center", va="center", weight="bold", fontsize=11,
                    bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none", "alpha": 0.75})  # fmt: skip
    before = fit.spectrum_is_before_cut
    title = "Map of the joint neighbour graph, before the cut" if before else "Map of the embedding, shaped by the cut"
    ax.set(title=title, xticks=[], yticks=[], aspect="equal")
    ax.spines[:].set_color("0.8")
    return ax


def plot_spectrum(model: Fit, ax: Axes | None = None, *, views: Any = None) -> Axes:
    """The smallest eigenvalues of a graph's normalized Laplacian; a gap after the k-th supports k clusters.

    With the ``views`` that the model was fitted on, they are those of the joint neighbour graph before any cut. Without them
    they are those of the consensus graph, whose gap the cut itself has made: it is no evidence, and the title says so.
    """
    fit = as_summary(model, views)
    values, k = fit.spectrum, fit.n_clusters
    if values is None:
        raise _nothing_to_plot(fit, "affinity_matrix_", "has no fused graph")
    ax = _axes(ax)
    numbers = np.arange(1, len(values) + 1)
    ax.plot(numbers[:k], values[:k], "o", color=PALETTE[0], label=f"first {k}, one per cluster")
    ax.plot(numbers[k:], values[k:], "o", color="0.6", label="next eigenvalues")
    ax.axvline(k + 0.5, color=PALETTE[5], ls="--", lw=1)
    ax.annotate(f"k = {k}", (k + 0.5, values.max()), (-4, 0), textcoords="offset points", ha="right", color=PALETTE[5])
    graph = "joint graph before the cut" if fit.spectrum_is_before_cut else "consensus graph after the cut"
    ax.set(title=f"Spectrum of the {graph}", xlabel="eigenvalue number", ylabel="eigenvalue")
    ax.locator_params(axis="x", integer=True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, loc="lower right")
    return ax


def plot_convergence(model: Fit, ax: Axes | None = None) -> Axes:
    """The relative change in each iteration, of the consensus graph or else of the objective, and the tolerance.

    Robust GFSC and GF may stop above the tolerance, when the extrapolated remaining change is small.
    """
    fit = as_summary(model)
    change = fit.relative_changes
    if change is None:
        raise _nothing_to_plot(fit, "history_", "records no iterations")
    ax = _axes(ax)
    ax.plot(np.arange(1, len(change) + 1), change, "o-", color=PALETTE[0], ms=4)
    if fit.tol:
        ax.axhline(fit.tol, color=PALETTE[5], ls="--", lw=1)
        ax.annotate(f"tol = {fit.tol:g}", (1, fit.tol), (0, 4), textcoords="offset points", color=PALETTE[5])
    converged = "not converged" if fit.converged is False else "converged"
    title = f"{count(len(change), 'iteration')}, {converged}"
    ax.set(title=title, xlabel="iteration", ylabel="relative change", yscale="log")
    ax.locator_params(axis="x", integer=True, min_n_ticks=1)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def plot_counts(found: ClusterCounts, ax: Axes | None = None) -> Axes:
    """What speaks for each number of clusters: the score, the two parts it is the sum of, and the eigengap."""
    ax = _axes(ax)
    parts = (("gain", "gain in modularity"), ("agreement", "agreement of two graphs"), ("gap", "relative eigengap"))
    ax.plot(found.counts, found.score, "o-", ms=4, lw=2, color=PALETTE[0], label="score (sum)")
    for colour, (name, label) in zip(PALETTE[1:], parts, strict=False):
        ax.plot(found.counts, getattr(found, name), "-", lw=1, color=colour, label=label)
    if found.structured:
        ax.axvline(found.suggested, color="0.4", ls="--", lw=1, zorder=0, label=f"suggested: {found.suggested}")
        for number in found.also:
            ax.axvline(number, color="0.6", ls=":", lw=1, zorder=0, label=f"also holds: {number}")
    if found.counts.size and found.counts[-1] > 40:
        ax.set_xscale("log")
        ax.set_xticks(ticks := [k for k in (2, 5, 10, 20, 50, 100) if k <= found.counts[-1]], [str(k) for k in ticks])
        ax.minorticks_off()
    else:
        ax.locator_params(axis="x", integer=True)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2, frameon=False, fontsize="small")
    ax.spines[["top", "right"]].set_visible(False)
    title = "Number of clusters" if found.structured else "Number of clusters: there are none"
    ax.set(title=title, xlabel="number of clusters", ylabel="beyond data without clusters")
    return ax


def plot_fit(model: Fit, views: Any = None) -> Figure:
    """Graph, map and weights of one fit in one figure: before the cut if ``views`` are given, else after it."""
    fit = as_summary(model, views)
    plt = require("matplotlib.pyplot", extra="plot")
    figure, axes = plt.subplots(1, 3, figsize=(15, 4.8), width_ratios=(1, 1.15, 0.85), layout="constrained")
    if fit.fused_graph is not None:
        _heat_map(axes[0], fit.fused_graph, fit, "Joint neighbour graph, before the cut")
    else:
        plot_consensus(fit, axes[0])
    plot_embedding(fit, axes[1])
    plot_weights(fit, axes[2])
    return figure


def _heat_map(ax: Axes, graph: np.ndarray, fit: FitSummary, title: str) -> Axes:
    values, brightest = heat_map_values(graph)
    ax.imshow(values, cmap="magma", vmin=0, vmax=brightest)
    for boundary in np.flatnonzero(np.diff(fit.labels[fit.graph_rows])) + 0.5:
        ax.axhline(boundary, color="white", lw=0.4, alpha=0.6)
        ax.axvline(boundary, color="white", lw=0.4, alpha=0.6)
    ax.set(title=title, xticks=[], yticks=[], xlabel="samples", ylabel="samples")
    return ax


def _plain(name: Any) -> str:
    """A name as it is written; matplotlib would read text between dollar signs as mathematics."""
    return str(name).replace("$", r"\$")


def _nothing_to_plot(fit: FitSummary, attribute: str, why: str) -> ParameterError:
    return ParameterError(f"{fit.method} {why}, so there is no {attribute} to plot.", hint="Use another method.")


def _axes(ax: Axes | None) -> Axes:
    return require("matplotlib.pyplot", extra="plot").subplots()[1] if ax is None else ax
