"""SC(Ave): normalised spectral clustering of the mean graph.

    min Tr(FᵀLF),  FᵀF = I,   L of (1/t) Σ_v A_v

Cost and memory of SC, plus the graphs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...views import Views
from .base import GraphMethod
from .solution import Solution
from .sc import spectral_embedding

__all__ = ["SCAve"]


class SCAve(GraphMethod):
    """Spectral clustering of the mean of the views' graphs.

    ``min Tr(FᵀLF)`` with ``FᵀF = I``, ``L`` the normalised Laplacian of ``(1/t) Σ_v A_v``: every view counts the same.

    Parameters
    ----------
    n_clusters : int, default=8
    affinity : {"gaussian", "adaptive-neighbors", "self-expressive", "cosine", "precomputed"}
        The graph of each view: Gaussian with median bandwidth; adaptive neighbours; ``(G + αI)⁻¹G``; cosine; or the views
        are (n_samples, n_samples) graphs themselves.
    n_neighbors : int or None
        Keep each sample's strongest ties only; None keeps all (adaptive neighbours: 10).
    alpha : float, default=10
        The regularisation of the self-expressive graph.
    scaling : {"unit-samples", "min-max", "unit-spread"}
        How a view is scaled first: samples to unit length, the view as a whole to [−1, 1] as in the paper, or centred and
        to mean squared distance 1 (distances do not tell the last two from the features as they are).
    views : dict or list, default=None
        For one 2-D array or DataFrame: the columns of each view, as in :class:`viewfuse.GFSC`.
    n_init : int, default=10
        k-means runs on the embedding; the best counts.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : (n_samples,) array of int
    embedding_ : (n_samples, p) array
    affinity_matrix_ : (n_samples, n_samples) array, the mean graph
    objective_ : array, per iteration
    history_ : dict of traces
    n_iter_ : int
    converged_ : bool
    view_names_ : (n_views,) array of str
    n_features_in_ : int, of all views together

    References
    ----------
    Z. Kang et al. Multi-graph fusion for multi-view spectral clustering. Knowledge-Based Systems 189 (2020).

    Examples
    --------
    >>> from viewfuse import METHODS, metrics
    >>> from viewfuse.datasets import load_digits_views
    >>> views = load_digits_views()[:150]
    >>> model = METHODS["sc-ave"](n_clusters=10, random_state=0).fit(views)
    >>> metrics.accuracy(views.y, model.labels_) > 0.4
    True
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

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        graphs = self._graphs(arrays)
        return spectral_embedding(sum(graphs[1:], graphs[0]) / len(graphs), self.n_clusters, rng)[0]
