"""IMVSC: low-rank and sparse self-expressive graphs that are pulled together.

    min Σ_v ‖Z_v‖_* + λ₁‖E_v‖₁ + λ₂‖Z_v‖₁ + λ₃Tr(Z_vL_vZ_vᵀ) + (β/2) Σ_{u<v} ‖Z_v − Z_u‖²,   X_vᵀ = X_vᵀZ_v + E_v,  Z_v ≥ 0

Linearised ADMM with the split Z = J (low rank) = W (sparse, smooth, ≥ 0), two blocks, so it converges. Z: the views' pull
linearised, a solve in the eigenbasis of G_v, 4n²r; J: singular values above 1/μ only, by a warm-started block of a few more
vectors than the last rank; W: a gradient step on λ₃, soft threshold, projection; E: soft threshold. μ grows while the dual
residual is the smaller. Memory: five n × n arrays per view.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from ..graphs import AFFINITIES, ScaledView, factorise
from ..spectral import Laplacian
from ..views import Views
from ._checks import check_number
from ._family import GraphMethod
from ._solution import Solution
from .mvsc import soft
from .sc import spectral_embedding

__all__ = ["IMVSC", "agreeing_graphs", "shrunk_singular_values"]

_FIRST_RANK = 20


def shrunk_singular_values(
    matrix: np.ndarray, threshold: float, start: np.ndarray | None, random_state: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray, float]:
    """``argmin_J τ‖J‖_* + ½‖J − M‖²``: only the singular values above τ are found, and shrunk by it.

    Subspace iteration from ``start`` (the last right singular vectors) and a few random vectors; the block grows until it
    holds a singular value below τ. Returns J, the right vectors kept, and ``‖J‖_*``.
    """
    n = matrix.shape[1]
    known = 0 if start is None else start.shape[1]
    size = max(known + 10, _FIRST_RANK)
    block = start
    while True:
        if 3 * size >= n:
            left, values, right = np.linalg.svd(matrix, full_matrices=False)
            break
        fresh = random_state.standard_normal((n, size - (0 if block is None else block.shape[1])))
        block = np.linalg.qr(fresh if block is None else np.hstack([block, fresh]))[0]
        for _ in range(2):
            image = np.linalg.qr(matrix @ block)[0]
            block = np.linalg.qr(matrix.T @ image)[0]
        left, values, small = np.linalg.svd(matrix @ block, full_matrices=False)
        right = small @ block.T
        if values[-1] < threshold:
            break
        block, size = right.T, 2 * size
    kept = int((values > threshold).sum())
    shrunk = values[:kept] - threshold
    return (left[:, :kept] * shrunk) @ right[:kept], right[:kept].T, float(shrunk.sum())


class _View:
    """The variables of one view and their steps."""

    def __init__(self, x: np.ndarray, laplacian: np.ndarray, lam: tuple[float, float, float]) -> None:
        factor = factorise(ScaledView(x))
        self.x, self.laplacian = x, laplacian
        self.basis, self.eigenvalues = factor.basis, factor.eigenvalues
        self.lam1 = lam[0] * x.shape[0] / max(float(np.abs(x).sum()), 1e-300)
        self.lam2, self.lam3 = lam[1:]
        n = x.shape[0]
        start = self.basis @ (self.basis.T / (self.eigenvalues + 1)[:, None])
        self.Z, self.J, self.W = start, start.copy(), np.maximum(start, 0)
        self.E = np.zeros_like(x)
        self.to_x, self.to_j, self.to_w = np.zeros_like(x), np.zeros((n, n)), np.zeros((n, n))  # multipliers / μ
        self.right: np.ndarray | None = None
        self.nuclear = 0.0

    def solve(self, total: np.ndarray, mu: float, beta: float, n_views: int) -> np.ndarray:
        """Z: ``(μG + (2μ + βt)I) Z = μ(X(Xᵀ − E + Y₁)) + μ(J − Y₂ + W − Y₃) + β Σ_u Z_u``."""
        pull = beta * n_views
        right = mu * (self.x @ (self.x - self.E + self.to_x).T + self.J - self.to_j + self.W - self.to_w) + beta * total
        shift = 2 + pull / mu
        inner = (self.basis.T @ right) / (self.eigenvalues + shift)[:, None]
        return (right - self.basis @ inner) / (mu * shift)

    def step(self, mu: float, random_state: np.random.RandomState) -> tuple[float, float]:
        """J, W, E and the multipliers; relative primal and dual residuals."""
        fitted = self.Z.T @ self.x
        old = (self.J, self.W, self.E)
        self.J, self.right, self.nuclear = shrunk_singular_values(self.Z + self.to_j, 1 / mu, self.right, random_state)
        rate = mu + 4 * self.lam3  # a normalised Laplacian has no eigenvalue above 2
        slope = 2 * self.lam3 * (self.W @ self.laplacian) + mu * (self.W - self.Z - self.to_w)
        self.W = np.maximum(self.W - (slope + self.lam2) / rate, 0)
        self.E = soft(self.x - fitted + self.to_x, self.lam1 / mu)
        gaps = (self.x - fitted - self.E, self.Z - self.J, self.Z - self.W)
        self.to_x += gaps[0]
        self.to_j += gaps[1]
        self.to_w += gaps[2]
        size = float(np.linalg.norm(self.Z)) + 1e-12
        primal = max(
            float(np.linalg.norm(gaps[0]) / np.linalg.norm(self.x)), *(float(np.linalg.norm(gap)) / size for gap in gaps[1:])
        )
        moved = [float(np.linalg.norm(new - before)) for new, before in zip((self.J, self.W, self.E), old, strict=True)]
        dual = max(moved[0] / size, moved[1] / size, moved[2] / float(np.linalg.norm(self.x)))
        return primal, dual

    def objective(self) -> float:
        smooth = self.lam3 * float((self.W * (self.W @ self.laplacian)).sum())
        return self.nuclear + self.lam1 * float(np.abs(self.E).sum()) + self.lam2 * float(self.W.sum()) + smooth


def agreeing_graphs(
    features: Sequence[np.ndarray],
    laplacians: Sequence[np.ndarray],
    *,
    lam: tuple[float, float, float],
    beta: float,
    max_iter: int,
    tol: float,
    random_state: np.random.RandomState,
) -> Solution:
    """Linearised ADMM until the primal and dual residuals are below ``tol``."""
    states = [_View(x, laplacian, lam) for x, laplacian in zip(features, laplacians, strict=True)]
    mu = 1.0
    objective: list[float] = []
    residuals: list[tuple[float, float]] = []
    converged = False
    while not converged and len(objective) < max_iter:
        total = sum((state.Z for state in states[1:]), states[0].Z)
        for state in states:
            state.Z = state.solve(total, mu, beta, len(states))
        found = [state.step(mu, random_state) for state in states]
        primal, dual = max(r[0] for r in found), max(r[1] for r in found)
        pulls = sum(float(((a.Z - b.Z) ** 2).sum()) for a, b in combinations(states, 2))
        objective.append(sum(state.objective() for state in states) + beta / 2 * pulls)
        residuals.append((primal, dual))
        converged = max(primal, dual) <= tol
        if primal > dual:
            mu *= 1.2
            for state in states:
                state.to_x, state.to_j, state.to_w = state.to_x / 1.2, state.to_j / 1.2, state.to_w / 1.2
    mean = sum((state.W for state in states[1:]), states[0].W) / len(states)
    history = {"primal": np.asarray([r[0] for r in residuals]), "dual": np.asarray([r[1] for r in residuals])}
    return Solution(converged, len(objective), np.asarray(objective), graph=(mean + mean.T) / 2, history=history)


class IMVSC(GraphMethod):
    """Iterative views agreement: low-rank, sparse, smooth graphs that agree.

    ``min Σ_v ‖Z_v‖_* + λ₁‖E_v‖₁ + λ₂‖Z_v‖₁ + λ₃Tr(Z_vL_vZ_vᵀ) + (β/2) Σ_{u<v} ‖Z_v − Z_u‖²`` with ``X_vᵀ =
    X_vᵀZ_v + E_v`` and
    ``Z_v ≥ 0``, by linearised ADMM. Spectral clustering of the mean of ``sym(|Z_v|)``.

    ``history_["primal"]`` and ``["dual"]`` have the relative residuals of every iteration, the largest over the views.

    Parameters
    ----------
    n_clusters : int, default=8
    lam1, lam2, lam3, beta : float, default=1, 0.01, 0.1, 0.1
        λ₁ (in units of one over a view's mean column ℓ1 norm), λ₂, λ₃ and β: what the errors' size, sparsity, smoothness
        and agreement are worth.
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
        The relative primal and dual residuals below which it has settled.
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
    objective_ : array, per iteration
    history_ : dict of traces
    n_iter_ : int
    converged_ : bool
    view_names_ : (n_views,) array of str
    n_features_in_ : int, of all views together

    References
    ----------
    Y. Wang, W. Zhang, L. Wu, X. Lin, M. Fang and S. Pan. Iterative views agreement: an iterative low-rank based structured
    optimization method to multi-view spectral clustering. IJCAI 2016.

    Examples
    --------
    >>> from viewfuse import METHODS, metrics
    >>> from viewfuse.datasets import load_digits_views
    >>> views = load_digits_views()[:150]
    >>> model = METHODS["imvsc"](n_clusters=10, random_state=0).fit(views)
    >>> metrics.accuracy(views.y, model.labels_) > 0.4
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        lam1: float = 1.0,
        lam2: float = 0.01,
        lam3: float = 0.1,
        beta: float = 0.1,
        affinity: str = "adaptive-neighbors",
        n_neighbors: int | None = 10,
        alpha: float = 10.0,
        scaling: str = "unit-samples",
        max_iter: int = 100,
        tol: float = 1e-2,
        views: Any = None,
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.lam1 = lam1
        self.lam2 = lam2
        self.lam3 = lam3
        self.beta = beta
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.scaling = scaling
        self.max_iter = max_iter
        self.tol = tol
        self.views = views
        self.n_init = n_init
        self.random_state = random_state

    _affinities = AFFINITIES  # features are needed too, so the graphs cannot be given

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("lam1", self.lam1, positive=True)
        check_number("lam2", self.lam2, positive=False)
        check_number("lam3", self.lam3, positive=False)
        check_number("beta", self.beta, positive=False)

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        laplacians = [Laplacian.of(graph, normalized=True).dense() for graph in self._graphs(arrays)]
        lam = (self.lam1, self.lam2, self.lam3)
        options: dict[str, Any] = {
            "lam": lam,
            "beta": self.beta,
            "max_iter": self.max_iter,
            "tol": self.tol,
            "random_state": rng,
        }
        found = agreeing_graphs(self._features(arrays), laplacians, **options)
        assert found.graph is not None
        cut = spectral_embedding(found.graph, self.n_clusters, rng)[0]
        return replace(found, points=cut.points, embedding=cut.embedding)
