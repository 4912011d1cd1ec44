"""How well clusterings agree: single views with each other and with the result, and the result with known labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.metrics.cluster import contingency_matrix

from .._utils.warn import quietly
from ..linalg import assign_clusters, unit_rows
from ..linalg.sparse_cut import normalized_graph, spectrum
from ..metrics import ari, evaluate

__all__ = ["Agreement", "Confusion", "agreement", "confusion", "natural_order"]

_DENSE_UP_TO = 300  # samples; of more, a few eigenvectors of a sparse graph are found faster without the others


@dataclass(frozen=True, eq=False)
class Agreement:
    """Adjusted Rand index between the clusterings of single views and the result of all views, on the drawn samples.

    ``values`` is a symmetric matrix; its last row and column are the result. ``without`` is, for each view, the agreement of
    the result with the clusters that the other views have without it: high if the view is not needed.
    """

    names: tuple[str, ...]
    values: np.ndarray
    without: dict[str, float]

    def with_result(self) -> dict[str, float]:
        """For each view, the adjusted Rand index between its own clustering and the result."""
        return dict(zip(self.names[:-1], self.values[-1, :-1].tolist(), strict=True))

    def least_agreeing_pair(self) -> tuple[str, str, float] | None:
        """The two views that agree least; None if all views agree."""
        views = self.values[:-1, :-1]
        if views.min() > 0.99:
            return None
        first, second = np.unravel_index(np.where(np.eye(len(views), dtype=bool), np.inf, views).argmin(), views.shape)
        return self.names[first], self.names[second], float(views[first, second])


@dataclass(frozen=True, eq=False)
class Confusion:
    """Scores against known labels, and the number of samples of each class in each cluster.

    Classes are ordered by the cluster that holds most of their samples, so that large counts lie near the diagonal.
    """

    scores: dict[str, float]
    classes: tuple[str, ...]
    clusters: tuple[int, ...]
    counts: np.ndarray


def agreement(labels: np.ndarray, graphs: Mapping[str, sp.csr_array]) -> Agreement:
    """Cut each view's graph by itself, and the mean of the others without it, and compare.

    ``labels`` are the result for the same samples. Samples without edges in a graph are left out of its comparisons.
    """
    k = np.unique(labels).size
    normalized = {name: normalized_graph(graph) for name, graph in graphs.items()}
    everything = sum(normalized.values(), sp.csr_array((len(labels), len(labels))))
    clusterings = [*(_spectral_clusters(graph, k) for graph in graphs.values()), np.asarray(labels)]
    values = np.array([[_ari(one, other) for other in clusterings] for one in clusterings])
    without = {
        name: _ari(_spectral_clusters(sp.csr_array(everything - graph), k), labels) for name, graph in normalized.items()
    }
    return Agreement((*graphs, "all views fused"), values, without if len(graphs) > 1 else {})


def _spectral_clusters(graph: sp.csr_array, k: int) -> np.ndarray:
    """The clusters of a graph by itself; −1 for samples without edges, or in a piece too small for a cluster."""
    rng = np.random.RandomState(0)
    found = np.full(graph.shape[0], -1)
    rows = _in_large_pieces(graph, k)
    if not 1 < k < rows.size:
        found[rows] = 0
        return found
    with quietly():  # noise views are expected here
        some = graph if rows.size == len(found) else sp.csr_array(graph[rows][:, rows])
        vectors = spectrum(some, k, random_state=rng, dense_up_to=_DENSE_UP_TO).vectors
        found[rows] = assign_clusters(np.asarray(unit_rows(vectors)), k, n_init=3, random_state=rng)
    return found


def _in_large_pieces(graph: sp.csr_array, k: int) -> np.ndarray:
    """The samples in connected pieces of at least a quarter of the mean size of a cluster; all with edges if there are few.

    Rows that repeat are connected to each other only. They would be a cluster of their own.
    """
    connected = np.flatnonzero(np.asarray(graph.sum(axis=1)).ravel() > 0)
    _, pieces = connected_components(graph, directed=False)
    large = np.flatnonzero(np.bincount(pieces)[pieces] >= max(connected.size / (4 * k), 2))
    return large if large.size > connected.size / 2 else connected


def _ari(one: np.ndarray, other: np.ndarray) -> float:
    both = (one >= 0) & (other >= 0)
    return ari(one[both], other[both]) if both.any() else 0.0


def confusion(known_labels: np.ndarray, labels: np.ndarray) -> Confusion:
    """Compare the clusters with known labels, given as text."""
    classes, codes = np.unique(known_labels, return_inverse=True)
    order = natural_order(classes)
    codes = np.argsort(order, kind="stable")[codes]
    classes = classes[order]
    counts = np.asarray(contingency_matrix(codes, labels))
    by_cluster = np.argsort(counts.argmax(axis=1), kind="stable")
    return Confusion(
        scores=evaluate(codes, labels),
        classes=tuple(str(c) for c in classes[by_cluster]),
        clusters=tuple(int(c) for c in np.unique(labels)),
        counts=counts[by_cluster],
    )


def natural_order(texts: np.ndarray) -> np.ndarray:
    """The order of sorted texts: by value if all of them are numbers, else as they are.

    >>> natural_order(np.array(["1", "10", "9"]))
    array([0, 2, 1])
    """
    try:
        return np.argsort(texts.astype(float), kind="stable")
    except ValueError:
        return np.arange(len(texts))
