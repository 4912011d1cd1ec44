"""Pictures of a fit, on matplotlib axes; each function returns the axes it drew on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .cluster import MultiViewClusterer

__all__ = ["plot_consensus", "plot_embedding", "plot_fit", "plot_weights"]

# Distinguishable with every common colour blindness (after Okabe & Ito, and Tol); repeated past ten clusters.
PALETTE = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#332288", "#882255", "#999999",
)  # fmt: skip


def plot_consensus(model: MultiViewClusterer, ax: Axes | None = None) -> Axes:
    """The consensus graph as a heat map, samples sorted by cluster: good clusters are bright blocks on the diagonal."""
    ax = _axes(ax)
    order = np.argsort(model.labels_, kind="stable")
    graph = np.asarray(model.affinity_matrix_)[np.ix_(order, order)]
    ties = graph - np.diag(np.diag(graph))
    positive = ties[ties > 0]
    # Between clusters and within them the edges differ by orders of magnitude: roots show both.
    ax.imshow(np.sqrt(ties), cmap="magma", vmax=np.sqrt(np.quantile(positive, 0.98)) if positive.size else 1)
    edges = np.cumsum(np.bincount(model.labels_))[:-1] - 0.5
    for edge in edges:
        ax.axhline(edge, color="white", lw=0.4, alpha=0.6)
        ax.axvline(edge, color="white", lw=0.4, alpha=0.6)
    ax.set(title="Consensus graph, sorted by cluster", xticks=[], yticks=[], xlabel="samples", ylabel="samples")
    return ax


def plot_weights(model: MultiViewClusterer, ax: Axes | None = None) -> Axes:
    """How much each view is trusted; the dashed line is an equal share."""
    ax = _axes(ax)
    names, weights = [str(name) for name in model.view_names_], model.view_weights_
    bars = ax.barh(names, weights, color=PALETTE[0])
    ax.bar_label(bars, [f"{weight:.2f}" for weight in weights], padding=3, bbox={"fc": "white", "ec": "none", "pad": 1})
    ax.axvline(1 / len(weights), color="0.4", ls="--", lw=1, zorder=0)
    ax.invert_yaxis()
    ax.spines[["top", "right"]].set_visible(False)
    ax.set(title="Trust in each view", xlabel="weight", xlim=(0, max(weights) * 1.18))
    return ax


def plot_embedding(model: MultiViewClusterer, ax: Axes | None = None) -> Axes:
    """The clusters as discs around a circle, the surest samples inmost; strays are drawn to the clusters they are near."""
    ax = _axes(ax)
    rows = np.asarray(model.embedding_, dtype=float)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    confidence = getattr(model, "confidence_", np.zeros(len(rows)))
    points = _spread_by_cluster(rows / np.where(lengths > 0, lengths, 1), model.labels_, confidence)
    for cluster in np.unique(model.labels_):
        members = points[model.labels_ == cluster]
        ax.scatter(members[:, 0], members[:, 1], s=7, lw=0, alpha=0.85, color=PALETTE[cluster % len(PALETTE)])
        ax.annotate(str(cluster), members.mean(axis=0), ha="center", va="center", weight="bold", fontsize=11,
                    bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none", "alpha": 0.75})  # fmt: skip
    ax.set(title="Samples by cluster, the surest inmost", xticks=[], yticks=[], aspect="equal")
    ax.spines[:].set_color("0.8")
    return ax


def plot_fit(model: MultiViewClusterer) -> Figure:
    """Consensus graph, embedding and weights of one fit in one figure."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(15, 4.8), width_ratios=(1, 1.15, 0.85), layout="constrained")
    for ax, draw in zip(axes, (plot_consensus, plot_embedding, plot_weights), strict=True):
        draw(model, ax)
    return figure


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots()[1]


def _spread_by_cluster(rows: np.ndarray, labels: np.ndarray, confidence: np.ndarray) -> np.ndarray:
    """Two coordinates: clusters as discs around a circle, the surest samples inmost, strays drawn to whom they are close."""
    clusters = np.unique(labels)
    centres = np.stack([rows[labels == cluster].mean(axis=0) for cluster in clusters])
    nearness: Any = np.exp(4 * (rows @ centres.T))
    nearness /= nearness.sum(axis=1, keepdims=True)
    angles = 2 * np.pi * np.arange(len(centres)) / len(centres)
    points = nearness @ np.stack([np.cos(angles), np.sin(angles)], axis=1)
    disc = 0.9 * np.sin(np.pi / max(len(clusters), 3)) * np.linalg.norm(points, axis=1).mean()
    for cluster in clusters:
        members = np.flatnonzero(labels == cluster)
        members = members[np.argsort(-confidence[members], kind="stable")]
        points[members] += disc * _sunflower(members.size)
    return points


def _sunflower(count: int) -> np.ndarray:
    """``count`` points that fill the unit disc evenly, from the centre outwards."""
    place = np.arange(count)
    radius, angle = np.sqrt((place + 0.5) / max(count, 1)), np.pi * (3 - 5**0.5) * place
    return radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
