"""Co-train: the graph of each view is projected onto the embeddings of the other views.

    A_v = sym((Σ_{u≠v} U_u U_uᵀ) K_v),   U_v = the k largest eigenvectors of the normalized A_v

No objective is minimised; the number of iterations is fixed. An iteration takes 4n²kt operations and t eigenproblems.
Memory: t + 2 arrays of n × n.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...linalg import Laplacian, smallest_eigenpairs, unit_rows
from ...views import Views
from .._memory import MemoryDemand
from .._solution import Solution
from .base import GraphMethod
from .sc import spectral_embedding

__all__ = ["CoTrain", "co_train"]


def co_train(
    graphs: Sequence[np.ndarray], n_clusters: int, *, max_iter: int, tol: float, random_state: np.random.RandomState
) -> Solution:
    """The iterations of co-training on symmetric non-negative graphs, (n, n)."""
    embeddings = [_embedding(graph, n_clusters, None, random_state) for graph in graphs]
    changes: list[float] = []
    while len(changes) < max_iter and not (changes and changes[-1] <= tol):
        old, embeddings = embeddings, []
        for v, graph in enumerate(graphs):
            others = np.hstack([old[u] for u in range(len(graphs)) if u != v] or [old[v]])
            projected = others @ (others.T @ graph)
            projected = (projected + projected.T) / 2
            projected -= min(projected.min(), 0)
            embeddings.append(_embedding(projected, n_clusters, old[v], random_state))
        pairs = zip(old, embeddings, strict=True)
        changes.append(float(np.mean([1 - ((a.T @ b) ** 2).sum() / n_clusters for a, b in pairs])))
    points = np.hstack([unit_rows(embedding) for embedding in embeddings])
    history = {"change": np.asarray(changes)}
    return Solution(changes[-1] <= tol, len(changes), points=points, embedding=np.hstack(embeddings), history=history)


def _embedding(graph: np.ndarray, k: int, start: np.ndarray | None, rng: np.random.RandomState) -> np.ndarray:
    return smallest_eigenpairs(Laplacian.of(graph, normalized=True), k, start=start, random_state=rng).vectors


class CoTrain(GraphMethod):
    """Co-trained multi-view spectral clustering.

    There is no objective. In every iteration each graph ``K_v`` is replaced by ``sym((Σ_{u≠v} U_u U_uᵀ) K_v)``, shifted to
    be non-negative, and ``U_v`` by the k largest eigenvectors of its normalized form. k-means runs on the rows of all
    ``U_v`` concatenated, each scaled to unit length. With one view this is spectral clustering.

    ``history_["change"]`` holds the mean squared sine of the angles between successive embeddings.

    Parameters
    ----------
    {n_clusters, affinity, n_neighbors, alpha, scaling, max_iter}
    tol : float
        Stop when the mean squared sine of the angles between successive embeddings is below this value.
    {views, n_init, random_state}

    Attributes
    ----------
    {labels_, embedding_, traces, names}

    References
    ----------
    A. Kumar and H. Daumé III. A co-training approach for multi-view spectral clustering. ICML 2011.

    Examples
    --------
    {example: co-train}
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        affinity: str = "gaussian",
        n_neighbors: int | None = 10,
        alpha: float = 10.0,
        scaling: str = "unit-samples",
        max_iter: int = 10,
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

    _warns_at_max_iter = False  # the method has a fixed number of iterations

    _memory_demand = MemoryDemand(4.1, 1.0, 2.2)

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        if len(arrays) == 1:
            return spectral_embedding(self._graphs(arrays)[0], self.n_clusters, rng)[0]
        graphs = self._graphs(arrays)
        return co_train(graphs, self.n_clusters, max_iter=self.max_iter, tol=self.tol, random_state=rng)
