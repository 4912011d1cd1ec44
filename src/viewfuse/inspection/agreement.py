"""How well clusterings agree: single views with each other and with the result, and the result with known labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from sklearn.metrics.cluster import contingency_matrix

from .._utils.warn import quietly
from ..linalg import Laplacian, assign_clusters, smallest_eigenpairs, unit_rows
from ..metrics import ari, evaluate

__all__ = ["Agreement", "Confusion", "agreement", "confusion", "natural_order"]


@dataclass(frozen=True, eq=False)
class Agreement:
    """Adjusted Rand index between the clusterings of single views and the result of all views, on the drawn samples.

    ``values`` is a symmetric matrix; its last row and column are the result.
    """

    names: tuple[str, ...]
    values: np.ndarray

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


def agreement(labels: np.ndarray, graphs: Mapping[str, np.ndarray]) -> Agreement:
    """Cluster each view's graph by itself and compare. ``labels`` are the result for the same samples."""
    k = np.unique(labels).size
    clusterings = [*(_spectral_clusters(graph, k) for graph in graphs.values()), np.asarray(labels)]
    values = np.array([[ari(one, other) for other in clusterings] for one in clusterings])
    return Agreement((*graphs, "all views fused"), values)


def _spectral_clusters(graph: np.ndarray, k: int) -> np.ndarray:
    rng = np.random.RandomState(0)
    if not 1 < k < len(graph):
        return np.zeros(len(graph), dtype=int)
    with quietly():  # noise views are expected here
        pairs = smallest_eigenpairs(Laplacian.of(graph, normalized=True), k, tol=1e-3, random_state=rng)
        return assign_clusters(np.asarray(unit_rows(pairs.vectors)), k, n_init=3, random_state=rng)


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
