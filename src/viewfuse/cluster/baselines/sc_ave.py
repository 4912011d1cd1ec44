"""SC(Ave): normalized spectral clustering of the mean graph.

    min Tr(FᵀLF),  FᵀF = I,   L of (1/t) Σ_v A_v

Time and memory are those of SC, plus the graphs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...views import Views
from .._memory import MemoryDemand
from .._solution import Solution
from .base import GraphMethod
from .sc import spectral_embedding

__all__ = ["SCAve"]


class SCAve(GraphMethod):
    """Spectral clustering of the mean of the views' graphs.

    ``min Tr(FᵀLF)`` with ``FᵀF = I``, where ``L`` is the normalized Laplacian of ``(1/t) Σ_v A_v``: all views have equal
    weight.

    Parameters
    ----------
    {n_clusters, affinity, n_neighbors, alpha, scaling, views, n_init, random_state}

    Attributes
    ----------
    {labels_, embedding_}
    affinity_matrix_ : (n_samples, n_samples) array, the mean graph
    {objective_, traces, names}

    References
    ----------
    {paper}

    Examples
    --------
    {example: sc-ave}
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        affinity: str = "self-expressive",
        n_neighbors: int | None = 10,
        alpha: float = 10.0,
        scaling: str = "unit-samples",
        views: Any = None,
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.scaling = scaling
        self.views = views
        self.n_init = n_init
        self.random_state = random_state

    _memory_demand = MemoryDemand(4.1, 1.0, 1.6)

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        graphs = self._graphs(arrays)
        return spectral_embedding(sum(graphs[1:], graphs[0]) / len(graphs), self.n_clusters, rng)[0]
