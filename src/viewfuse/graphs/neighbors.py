"""The graph of adaptive neighbours (Nie, Wang & Huang, KDD 2014); its only parameter is the number of neighbours.

For each sample, over the simplex and with the regularization that gives exactly ``m`` neighbours,

    min_s Σ_j d_ij s_ij + r_i s_ij²   ⇒   s_ij = (d_{i,m+1} − d_ij)₊ / (m d_{i,m+1} − Σ_{h≤m} d_ih),

``d_i1 ≤ d_i2 ≤ …`` the squared distances to the other samples, sorted. The unit of the distances cancels.
"""

from __future__ import annotations

import numpy as np

from .distances import squared_distances
from .scaling import ScaledView

__all__ = ["adaptive_neighbors", "adaptive_neighbors_graph"]


def adaptive_neighbors_graph(view: ScaledView, n_neighbors: int) -> np.ndarray:
    """The symmetrized graph of ``n_neighbors`` adaptive neighbours, (n, n); its rows sum to 1 before symmetrization."""
    graph = adaptive_neighbors(squared_distances(view), n_neighbors)
    return (graph + graph.T) / 2


def adaptive_neighbors(distances: np.ndarray, n_neighbors: int) -> np.ndarray:
    """``s_ij`` from squared distances, (n, n), zero diagonal.

    If the ``m + 1`` nearest samples are equally far away (duplicates), the formula is 0/0; its limit is used, equal weights
    for ``m`` of them. With too few samples for ``m + 1`` neighbours, ``m`` is reduced.
    """
    n = distances.shape[0]
    m = min(n_neighbors, n - 2)
    if m < 1:
        return 1 - np.eye(n, dtype=distances.dtype)
    others = distances.copy()
    np.fill_diagonal(others, np.inf)
    order = np.argpartition(others, [m - 1, m], axis=1)
    nearest, bound_at = order[:, :m], order[:, m : m + 1]
    bound = np.take_along_axis(others, bound_at, axis=1)
    margins = bound - np.take_along_axis(others, nearest, axis=1)
    totals = margins.sum(axis=1, keepdims=True)
    equal = totals <= np.finfo(distances.dtype).eps * m * bound
    shares = np.where(equal, 1 / m, margins / np.where(equal, 1, totals))
    graph = np.zeros_like(distances)
    np.put_along_axis(graph, nearest, shares, axis=1)
    return graph
