"""SC(v): normalised spectral clustering of one view.

    min Tr(FᵀLF),  FᵀF = I,   L = I − D^-½ A D^-½

The k smallest eigenvectors by block Davidson: a few dozen products of n²k operations, one n × n graph in memory at a time.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...exceptions import ParameterError
from ...linalg import Laplacian, smallest_eigenpairs, unit_rows
from ...views import Views
from .._checks import check_count
from .base import GraphMethod
from .solution import Solution

__all__ = ["SC", "spectral_embedding"]


def spectral_embedding(graph: np.ndarray, n_clusters: int, random_state: np.random.RandomState) -> tuple[Solution, float]:
    """``min Tr(FᵀLF)`` for one symmetric graph, and the relative gap behind the k-th eigenvalue."""
    count = min(n_clusters + 1, graph.shape[0])
    found = smallest_eigenpairs(Laplacian.of(graph, normalized=True), count, random_state=random_state)
    embedding, values = found.vectors[:, :n_clusters], np.maximum(found.values, 0)
    gap = (values[-1] - values[n_clusters - 1]) / values[-1] if values[-1] > 0 else 0.0
    objective = np.asarray([values[:n_clusters].sum()])
    solution = Solution(True, 1, objective, points=unit_rows(embedding), embedding=embedding, graph=graph)
    return solution, float(gap)


class SC(GraphMethod):
    """Spectral clustering of one view's graph.

    ``min Tr(FᵀLF)`` with ``FᵀF = I``, ``L`` the normalised Laplacian of one view's graph; k-means on the rows
    of ``F``, scaled
    to unit length. The baseline that uses one view only.

    Without ``view=`` the view is chosen without labels: the one whose normalised Laplacian has the largest relative gap
    ``(μ_{k+1} − μ_k)/μ_{k+1}`` behind its k-th eigenvalue, that is, whose graph falls most clearly into k parts (by the
    Davis–Kahan theorem the gap also bounds how far noise can turn the embedding). The paper instead reports the best
    view against the labels.

    Parameters
    ----------
    n_clusters : int, default=8
    view : str, int or None, default=None
        Name or position of the view; None chooses as above.
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
    affinity_matrix_ : (n_samples, n_samples) array
    view_ : str, the view used
    objective_ : array, per iteration
    view_weights_ : (n_views,) array, summing to 1; a constant view has weight 0
    history_ : dict of traces
    n_iter_ : int
    converged_ : bool
    view_names_ : (n_views,) array of str
    n_features_in_ : int, of all views together

    References
    ----------
    A. Y. Ng, M. I. Jordan and Y. Weiss. On spectral clustering: analysis and an algorithm. NIPS 2001.

    Examples
    --------
    >>> from viewfuse import METHODS, metrics
    >>> from viewfuse.datasets import load_digits_views
    >>> views = load_digits_views()[:150]
    >>> model = METHODS["sc"](n_clusters=10, random_state=0).fit(views)
    >>> metrics.accuracy(views.y, model.labels_) > 0.4
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        view: str | int | None = None,
        affinity: str = "self-expressive",
        n_neighbors: int | None = 10,
        alpha: float = 10.0,
        scaling: str = "unit-samples",
        views: Any = None,
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.view = view
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.scaling = scaling
        self.views = views
        self.n_init = n_init
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.view is not None and not isinstance(self.view, str):
            check_count("view", self.view, least=0)

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        candidates = range(len(used)) if self.view is None else [self._position(views, used)]
        best: tuple[Solution, float] | None = None
        chosen = 0
        for position in candidates:
            found = spectral_embedding(self._graphs([arrays[position]])[0], self.n_clusters, rng)
            if best is None or found[1] > best[1]:
                best, chosen = found, position
        assert best is not None
        self.view_ = views.names[used[chosen]]
        return replace(best[0], weights=np.eye(len(used))[chosen])

    def _position(self, views: Views, used: list[int]) -> int:
        """Where the wanted view stands among those used."""
        wanted = views.names.index(self.view) if self.view in views.names else self.view
        if not isinstance(wanted, (int, np.integer)) or wanted >= views.n_views:
            raise ParameterError(f"view={self.view!r} is none of the views: {', '.join(map(repr, views.names))}.")
        if wanted not in used:
            raise ParameterError(f"view={self.view!r} is constant, so there is nothing to cluster in it; choose another.")
        return used.index(int(wanted))
