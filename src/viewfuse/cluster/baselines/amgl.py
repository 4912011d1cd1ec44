"""AMGL: a weighted sum of Laplacians that weighs itself.

    min Σ_v √Tr(FᵀL_vF),   FᵀF = I

Alternates a_v = 1/(2√Tr(FᵀL_vF)) and F = the k smallest eigenvectors of Σ_v a_v L_v. As √ is concave, each pass lowers the
objective. A pass is t·n² for the sum and one warm-started eigenproblem; memory t + 1 arrays of n × n.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...linalg import Complement, normalized_adjacency, smallest_eigenpairs, unit_rows
from ...views import Views
from ._family import GraphMethod
from ._solution import Solution

__all__ = ["AMGL", "auto_weighted"]

_LEAST_CUT = 1e-6  # of a view's graph in k separate parts, whose cut is 0 but for rounding


def auto_weighted(
    graphs: Sequence[np.ndarray], n_clusters: int, *, max_iter: int, tol: float, random_state: np.random.RandomState
) -> Solution:
    """Alternate weights and embedding until ``Σ_v √(Tr(FᵀL_vF) + 1e-6)`` falls by less than ``tol``."""
    normalised = [normalized_adjacency(graph) for graph in graphs]
    weights = np.full(len(graphs), 1 / len(graphs))
    embedding: np.ndarray | None = None
    objective: list[float] = []
    converged = False
    while not converged and len(objective) < max_iter:
        # F does not change with the sum of the weights, so they may as well sum to 1.
        total = sum((w * matrix for w, matrix in zip(weights, normalised, strict=True)), np.zeros_like(normalised[0]))
        embedding = smallest_eigenpairs(
            Complement(total), n_clusters, start=embedding, tol=1e-6, random_state=random_state
        ).vectors
        cuts = np.asarray([n_clusters - float((embedding * (matrix @ embedding)).sum()) for matrix in normalised])
        roots = np.sqrt(np.maximum(cuts, 0) + _LEAST_CUT)
        objective.append(float(roots.sum()))
        weights = (1 / roots) / (1 / roots).sum()
        converged = len(objective) > 1 and objective[-2] - objective[-1] <= tol * max(objective[-1], 1.0)
    assert embedding is not None
    points = unit_rows(embedding)
    return Solution(converged, len(objective), np.asarray(objective), points=points, embedding=embedding, weights=weights)


class AMGL(GraphMethod):
    """Auto-weighted multiple graph learning.

    ``min Σ_v √Tr(FᵀL_vF)`` with ``FᵀF = I`` and ``L_v`` the normalised Laplacian of a graph of adaptive
    neighbours: alternately
    the weights ``a_v = 1/(2√Tr(FᵀL_vF))`` and ``F``, the k smallest eigenvectors of ``Σ_v a_v L_v``. There is
    nothing to tune.
    With one view it is spectral clustering.

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
    max_iter : int
        Largest number of iterations.
    tol : float
        The relative fall of the objective below which it has settled.
    views : dict or list, default=None
        For one 2-D array or DataFrame: the columns of each view, as in :class:`viewfuse.GFSC`.
    n_init : int, default=10
        k-means runs on the embedding; the best counts.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : (n_samples,) array of int
    embedding_ : (n_samples, p) array
    objective_ : array, per iteration
    view_weights_ : (n_views,) array, summing to 1; a constant view has weight 0
    history_ : dict of traces
    n_iter_ : int
    converged_ : bool
    view_names_ : (n_views,) array of str
    n_features_in_ : int, of all views together

    References
    ----------
    F. Nie, J. Li and X. Li. Parameter-free auto-weighted multiple graph learning: a framework for multiview clustering and
    semi-supervised classification. IJCAI 2016.

    Examples
    --------
    >>> from viewfuse import METHODS, metrics
    >>> from viewfuse.datasets import load_digits_views
    >>> views = load_digits_views()[:150]
    >>> model = METHODS["amgl"](n_clusters=10, random_state=0).fit(views)
    >>> metrics.accuracy(views.y, model.labels_) > 0.4
    True
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

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        graphs = self._graphs(arrays)
        return auto_weighted(graphs, self.n_clusters, max_iter=self.max_iter, tol=self.tol, random_state=rng)
