"""Co-reg: spectral embeddings that are drawn towards each other.

    pairwise:  max Σ_v Tr(U_vᵀN_vU_v) + λ Σ_{u<v} Tr(U_uU_uᵀU_vU_vᵀ)
    centroid:  max Σ_v Tr(U_vᵀN_vU_v) + λ Σ_v Tr(U_vU_vᵀU*U*ᵀ)

over orthonormal U_v (n × k), N_v = D^-½ K_v D^-½. Each step is an eigenproblem of N_v plus a low-rank term, which is applied
as a product and warm-started: t·n²k operations times the solver's iterations a sweep; memory t arrays of n × n.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from ...linalg import Complement, normalized_adjacency, smallest_eigenpairs, unit_rows
from ...views import Views
from .._checks import check_choice, check_number
from ._family import GraphMethod
from ._solution import Solution

__all__ = ["CoReg", "co_regularise"]


def co_regularise(
    graphs: Sequence[np.ndarray],
    n_clusters: int,
    *,
    lam: float,
    mode: str,
    max_iter: int,
    tol: float,
    random_state: np.random.RandomState,
) -> Solution:
    """Maximise one view's embedding after the other, and the common one, until the objective rises by less than ``tol``."""
    normalised = [normalized_adjacency(graph) for graph in graphs]
    root = lam**0.5
    embeddings = [_largest(matrix, None, n_clusters, None, random_state) for matrix in normalised]
    common = _common(embeddings, n_clusters)
    objective: list[float] = []
    converged = False
    while not converged and len(objective) < max_iter:
        for v, matrix in enumerate(normalised):
            others = [common] if mode == "centroid" else [u for w, u in enumerate(embeddings) if w != v]
            factor = root * np.hstack(others) if others else None
            embeddings[v] = _largest(matrix, factor, n_clusters, embeddings[v], random_state)
        common = _common(embeddings, n_clusters)
        fit = sum(float((u * (matrix @ u)).sum()) for u, matrix in zip(embeddings, normalised, strict=True))
        if mode == "centroid":
            agreement = sum(float(((common.T @ u) ** 2).sum()) for u in embeddings)
        else:
            agreement = sum(float(((a.T @ b) ** 2).sum()) for a, b in combinations(embeddings, 2))
        objective.append(fit + lam * agreement)
        converged = len(objective) > 1 and objective[-1] - objective[-2] <= tol * abs(objective[-1])
    embedding = common if mode == "centroid" else np.hstack(embeddings)
    points = unit_rows(common) if mode == "centroid" else np.hstack([unit_rows(u) for u in embeddings])
    return Solution(converged, len(objective), np.asarray(objective), points=points, embedding=embedding)


def _largest(
    matrix: np.ndarray, factor: np.ndarray | None, k: int, start: np.ndarray | None, rng: np.random.RandomState
) -> np.ndarray:
    return smallest_eigenpairs(Complement(matrix, 1.0, factor), k, start=start, random_state=rng).vectors


def _common(embeddings: Sequence[np.ndarray], k: int) -> np.ndarray:
    """The k largest eigenvectors of ``Σ_v U_v U_vᵀ``: the left singular vectors of all ``U_v`` side by side."""
    return np.linalg.svd(np.hstack(embeddings), full_matrices=False)[0][:, :k]


class CoReg(GraphMethod):
    """Co-regularised multi-view spectral clustering.

    ``max Σ_v Tr(U_vᵀN_vU_v) + λ Σ_{u<v} Tr(U_uU_uᵀU_vU_vᵀ)`` (``mode="pairwise"``, every pair counted once,
    so that each step
    is the exact maximiser), or with ``λ Σ_v Tr(U_vU_vᵀU*U*ᵀ)`` and a common ``U*`` (``mode="centroid"``), over orthonormal
    ``U_v``; ``N_v`` is the normalised graph. Never decreases. k-means on the rows, scaled to unit length, of
    ``U*`` or of all
    ``U_v`` side by side. With one view the centroid is that view's spectral embedding.

    Parameters
    ----------
    n_clusters : int, default=8
    lam : float, default=0.1
        λ, how much agreement is worth; the paper uses 0.01 to 0.1.
    mode : {"pairwise", "centroid"}, default="centroid"
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
        The relative rise of the objective below which it has settled.
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
    history_ : dict of traces
    n_iter_ : int
    converged_ : bool
    view_names_ : (n_views,) array of str
    n_features_in_ : int, of all views together

    References
    ----------
    A. Kumar, P. Rai and H. Daumé III. Co-regularized multi-view spectral clustering. NIPS 2011.

    Examples
    --------
    >>> from viewfuse import METHODS, metrics
    >>> from viewfuse.datasets import load_digits_views
    >>> views = load_digits_views()[:150]
    >>> model = METHODS["co-reg"](n_clusters=10, random_state=0).fit(views)
    >>> metrics.accuracy(views.y, model.labels_) > 0.4
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        lam: float = 0.1,
        mode: str = "centroid",
        affinity: str = "gaussian",
        n_neighbors: int | None = 10,
        alpha: float = 10.0,
        scaling: str = "unit-samples",
        max_iter: int = 100,
        tol: float = 1e-5,
        views: Any = None,
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.lam = lam
        self.mode = mode
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.scaling = scaling
        self.max_iter = max_iter
        self.tol = tol
        self.views = views
        self.n_init = n_init
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("lam", self.lam, positive=False)
        check_choice("mode", self.mode, ("pairwise", "centroid"))

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        options: dict[str, Any] = {
            "lam": self.lam,
            "mode": self.mode,
            "max_iter": self.max_iter,
            "tol": self.tol,
            "random_state": rng,
        }
        return co_regularise(self._graphs(arrays), self.n_clusters, **options)
