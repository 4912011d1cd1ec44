"""What pictures of a fit show: which samples, where, in which order. Pure; ``plotting`` and ``report`` draw it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.distance import pdist

from .._utils.device import to_host
from .._utils.disk import read_rows
from ..graphs import factorise_deviations, self_expressive_graph
from ..linalg import Laplacian, smallest_eigenpairs, unit_rows

if TYPE_CHECKING:
    from ..cluster import MultiViewClusterer

__all__ = [
    "EIGENVALUES_PAST_K",
    "HEAT_MAP_SAMPLES",
    "PALETTE",
    "cluster_map",
    "consensus_block",
    "drawn_samples",
    "principal_plane",
    "relative_changes",
    "runner_up",
    "sharpness",
    "sorted_by_cluster",
    "spectrum",
    "view_block",
]

# Distinguishable with every common colour blindness (after Okabe & Ito, and Tol); repeated past ten clusters.
PALETTE = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#332288", "#882255", "#999999",
)  # fmt: skip

HEAT_MAP_SAMPLES = 400  # of how many samples a report shows the ties
_ALPHA = 1.0  # of a view's own graph, as in GFSC
_MOST_AROUND_A_CIRCLE = 12
EIGENVALUES_PAST_K = 10  # how many more than there are clusters a spectrum shows


def drawn_samples(labels: np.ndarray, most: int) -> np.ndarray:
    """Positions of at most ``most`` samples, in order: all of them, or each cluster's share, evenly spaced in it.

    >>> drawn_samples(np.array([0, 0, 0, 0, 1, 1]), 3)
    array([0, 2, 4])
    """
    labels = np.asarray(labels)
    if len(labels) <= most:
        return np.arange(len(labels))
    by_cluster = np.argsort(labels, kind="stable")
    return np.sort(by_cluster[np.linspace(0, len(labels), most, endpoint=False).astype(int)])


def sorted_by_cluster(labels: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The same samples, cluster by cluster."""
    return rows[np.argsort(np.asarray(labels)[rows], kind="stable")]


def consensus_block(model: MultiViewClusterer, rows: np.ndarray) -> np.ndarray | None:
    """The ties of some samples among each other in the fused graph; None where the method fuses no graph."""
    to_anchors = getattr(model, "anchor_graph_", None)
    if to_anchors is not None:
        ties = np.asarray(to_anchors[rows], dtype=float)
        return (ties / _nonzero(to_anchors.sum(axis=0))) @ ties.T
    graph = getattr(model, "affinity_matrix_", None)
    return None if graph is None else _block(graph, rows)


def view_block(view: Any, rows: np.ndarray, *, precomputed: bool = False) -> np.ndarray:
    """What one view says alone: the graph it gives of these samples, before any fusion. Who lacks the view has no ties."""
    if precomputed:
        block = _block(view, rows)
        return (block + block.T) / 2
    ascending = np.argsort(rows)  # as files are read
    samples = np.nan_to_num(_dense(read_rows(view, rows[ascending])))[np.argsort(ascending)]
    return np.asarray(self_expressive_graph(factorise_deviations(samples), _ALPHA))


def sharpness(graph: np.ndarray) -> tuple[np.ndarray, float]:
    """A graph for a heat map: roots of the ties without the self-loops, and the value that is drawn brightest.

    Between clusters and within them ties differ by orders of magnitude: roots show both. What nearly all pairs have in
    common is taken off first: a view whose samples all point one way would be bright all over.
    """
    others = ~np.eye(len(graph), dtype=bool)
    common = max(float(np.quantile(graph[others], 0.02)), 0.0) if len(graph) > 1 else 0.0
    ties = np.sqrt(np.where(others, np.maximum(graph - common, 0), 0))
    positive = ties[ties > 0]
    return ties, float(np.quantile(positive, 0.98)) if positive.size else 1.0


def principal_plane(rows: np.ndarray) -> np.ndarray:
    """The directions of the embedding's rows, seen in the plane in which they spread most; (n, 2)."""
    directions = np.asarray(unit_rows(np.asarray(rows, dtype=float)))
    centred = directions - directions.mean(axis=0)
    _, _, axes = np.linalg.svd(centred.T @ centred)
    plane = centred @ axes[:2].T
    return plane if plane.shape[1] == 2 else np.column_stack([plane, np.zeros(len(plane))])


def cluster_map(rows: np.ndarray, labels: np.ndarray, confidence: np.ndarray) -> np.ndarray:
    """Clusters as discs, the surest samples inmost, strays drawn to the clusters they are near; (n, 2).

    A few clusters lie around a circle; many would crowd its rim, so they fill it.
    """
    rows = np.asarray(unit_rows(np.asarray(rows, dtype=float)))
    clusters, centres = _centres(rows, labels)
    nearness: Any = np.exp(4 * (rows @ centres.T))
    nearness /= nearness.sum(axis=1, keepdims=True)
    places = _circle(len(clusters)) if len(clusters) <= _MOST_AROUND_A_CIRCLE else _sunflower(len(clusters))
    points = nearness @ places
    drawn_in = (
        np.linalg.norm(points, axis=1).mean() / np.linalg.norm(places[np.searchsorted(clusters, labels)], axis=1).mean()
    )
    apart = pdist(places).min() if len(clusters) > 2 else 3**0.5
    disc = 0.45 * apart * drawn_in
    for cluster in clusters:
        members = np.flatnonzero(labels == cluster)
        members = members[np.argsort(-confidence[members], kind="stable")]
        points[members] += disc * _sunflower(members.size)
    return points


def runner_up(rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The cluster, other than its own, whose mean direction each sample is nearest to; its own where there is no other."""
    rows = np.asarray(unit_rows(np.asarray(rows, dtype=float)))
    clusters, centres = _centres(rows, labels)
    if len(clusters) == 1:
        return np.asarray(labels)
    nearness = rows @ np.asarray(unit_rows(centres)).T
    nearness[np.arange(len(rows)), np.searchsorted(clusters, labels)] = -np.inf
    return clusters[nearness.argmax(axis=1)]


def spectrum(model: MultiViewClusterer, most: int) -> np.ndarray | None:
    """The ``most`` smallest eigenvalues of the fused graph's normalised Laplacian: a gap after the k-th speaks for k.

    With anchors that graph is ``S D⁻¹ Sᵀ``, and all eigenvalues below 1 come from an m × m matrix.
    """
    to_anchors = getattr(model, "anchor_graph_", None)
    if to_anchors is not None:
        scaled = to_anchors / np.sqrt(_nonzero(to_anchors.sum(axis=1)))[:, None]
        scaled = scaled / np.sqrt(_nonzero(to_anchors.sum(axis=0)))
        return np.maximum(1 - np.linalg.eigvalsh(np.asarray(scaled.T @ scaled, dtype=float))[::-1][:most], 0)
    graph = getattr(model, "affinity_matrix_", None)
    if graph is None:
        return None
    laplacian = Laplacian.of(_dense(graph), normalized=True, symmetric=False)
    count = min(most, laplacian.n_samples)
    found = smallest_eigenpairs(laplacian, count, tol=1e-3, random_state=np.random.RandomState(0))
    return np.maximum(np.asarray(found.values, dtype=float), 0)


def relative_changes(history: Any) -> np.ndarray | None:
    """The consensus's relative change per sweep, or that of the objective where a method keeps only this."""
    if not isinstance(history, dict):
        return None
    if "change" in history:
        return np.asarray(history["change"], dtype=float)
    objective = np.asarray(history.get("objective", ()), dtype=float)
    if len(objective) < 2:
        return None
    return np.abs(np.diff(objective)) / np.maximum(np.abs(objective[:-1]), np.finfo(float).tiny)


def _block(graph: Any, rows: np.ndarray) -> np.ndarray:
    return _dense(graph[rows][:, rows])


def _dense(matrix: Any) -> np.ndarray:
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else to_host(matrix), dtype=float)


def _nonzero(sums: np.ndarray) -> np.ndarray:
    return np.where(sums > 0, sums, 1)


def _centres(rows: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    clusters = np.unique(labels)
    return clusters, np.stack([rows[labels == cluster].mean(axis=0) for cluster in clusters])


def _circle(count: int) -> np.ndarray:
    """``count`` points evenly around the unit circle."""
    angles = 2 * np.pi * np.arange(count) / count
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _sunflower(count: int) -> np.ndarray:
    """``count`` points that fill the unit disc evenly, from the centre outwards."""
    place = np.arange(count)
    radius, angle = np.sqrt((place + 0.5) / max(count, 1)), np.pi * (3 - 5**0.5) * place
    return radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
