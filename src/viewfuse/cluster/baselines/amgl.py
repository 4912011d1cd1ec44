"""AMGL: a weighted sum of Laplacians whose weights follow from the embedding.

    min Σ_v √Tr(FᵀL_vF),   FᵀF = I

Alternates a_v = 1/(2√Tr(FᵀL_vF)) and F = the k smallest eigenvectors of Σ_v a_v L_v. As √ is concave, each iteration
decreases the objective. An iteration takes t·n² operations for the sum and one warm-started eigenproblem. Memory: t + 1
arrays of n × n.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...linalg import Complement, normalized_adjacency, smallest_eigenpairs, unit_rows
from ...views import Views
from .._memory import MemoryDemand
from .._solution import Solution
from .base import GraphMethod

__all__ = ["AMGL", "auto_weighted"]

_LEAST_CUT = 1e-6  # added to a cut: that of a graph with k connected components is 0 up to rounding


def auto_weighted(
    graphs: Sequence[np.ndarray], n_clusters: int, *, max_iter: int, tol: float, random_state: np.random.RandomState
) -> Solution:
    """Alternate weights and embedding until ``Σ_v √(Tr(FᵀL_vF) + 1e-6)`` decreases by less than ``tol``."""
    normalized = [normalized_adjacency(graph) for graph in graphs]
    weights = np.full(len(graphs), 1 / len(graphs))
    embedding: np.ndarray | None = None
    objective: list[float] = []
    converged = False
    while not converged and len(objective) < max_iter:
        # F does not depend on the sum of the weights, so they are scaled to sum to 1.
        total = sum((w * matrix for w, matrix in zip(weights, normalized, strict=True)), np.zeros_like(normalized[0]))
        embedding = smallest_eigenpairs(
            Complement(total), n_clusters, start=embedding, tol=1e-6, random_state=random_state
        ).vectors
        cuts = np.asarray([n_clusters - float((embedding * (matrix @ embedding)).sum()) for matrix in normalized])
        roots = np.sqrt(np.maximum(cuts, 0) + _LEAST_CUT)
        objective.append(float(roots.sum()))
        weights = (1 / roots) / (1 / roots).sum()
        converged = len(objective) > 1 and objective[-2] - objective[-1] <= tol * max(objective[-1], 1.0)
    assert embedding is not None
    points = unit_rows(embedding)
    return Solution(converged, len(objective), np.asarray(objective), points=points, embedding=embedding, weights=weights)


class AMGL(GraphMethod):
    """Auto-weighted multiple graph learning.

    ``min Σ_v √Tr(FᵀL_vF)`` with ``FᵀF = I``, where ``L_v`` is the normalized Laplacian of a graph of adaptive neighbours.
    The weights ``a_v = 1/(2√Tr(FᵀL_vF))`` and ``F``, the k smallest eigenvectors of ``Σ_v a_v L_v``, are updated
    alternately. There are no parameters to tune. With one view this is spectral clustering.

    Parameters
    ----------
    {n_clusters, affinity, n_neighbors, alpha, scaling, max_iter, tol, views, n_init, random_state}

    Attributes
    ----------
    {labels_, embedding_, objective_, view_weights_, traces, names}

    References
    ----------
    F. Nie, J. Li and X. Li. Parameter-free auto-weighted multiple graph learning: a framework for multiview clustering and
    semi-supervised classification. IJCAI 2016.

    Examples
    --------
    {example: amgl}
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        affinity: str = "adaptive-neighbors",
        n_neighbors: int | None = 10,
        alpha: float = 10.0,
        scaling: str = "unit-samples",
        max_iter: int = 100,
        tol: float = 1e-4,
        views: Any = None,
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.scaling = scaling
        self.max_iter = max_iter
        self.tol = tol
        self.views = views
        self.n_init = n_init
        self.random_state = random_state

    _memory_demand = MemoryDemand(3.0, 2.2, 1.5)

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        graphs = self._graphs(arrays)
        return auto_weighted(graphs, self.n_clusters, max_iter=self.max_iter, tol=self.tol, random_state=rng)
