"""IMVSC: low-rank and sparse self-expressive graphs that are pulled together.

    min Σ_v ‖Z_v‖_* + λ₁‖E_v‖₁ + λ₂‖Z_v‖₁ + λ₃Tr(Z_vL_vZ_vᵀ) + (β/2) Σ_{u<v} ‖Z_v − Z_u‖²,   X_vᵀ = X_vᵀZ_v + E_v,  Z_v ≥ 0

Linearised ADMM with the split Z = J (low rank) = W (sparse, smooth, ≥ 0), two blocks, so it converges. Z: the views' pull
linearised, a solve in the eigenbasis of G_v, 4n²r; J: singular values above 1/μ only, by a warm-started block of a few more
vectors than the last rank; W: a gradient step on λ₃, soft threshold, projection; E: soft threshold. μ follows the
residuals, so that neither falls behind. In single precision; memory: six n × n arrays of floats per view.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..graphs import AFFINITIES, ScaledView, factorise
from ..spectral import Laplacian, symmetric_eigh
from ..views import Views
from ._checks import check_number
from ._family import GraphMethod
from ._solution import Solution
from .mvsc import soft
from .sc import spectral_embedding

__all__ = ["IMVSC", "agreeing_graphs", "shrunk_singular_values", "smooth_step"]

_FIRST_RANK = 20
_SPARE = 10
_FIRST_MU = 5.0
_FIRST_STEP, _PATIENCE = 0.25, 20  # μ's largest relative change, and when it is halved: a μ that follows on and on circles
_LAG = 4.0  # how many times the primal residual the dual one may be before μ is lowered
_DENSE_FROM = 0.1  # share of non-zeros from which a sparse product is no faster


def shrunk_singular_values(
    matrix: np.ndarray, threshold: float, start: np.ndarray | None, random_state: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray, float]:
    """``argmin_J τ‖J‖_* + ½‖J − M‖²``: only the singular values above τ are found, and shrunk by it.

    Subspace iteration from ``start`` (the last right singular vectors) and a few random vectors; the block grows until it
    holds a singular value below τ, or goes over to the eigenvectors of ``MᵀM`` where it would be no smaller than that.
    Returns J, the right vectors kept, and ``‖J‖_*``.
    """
    n = matrix.shape[1]
    size = max(_FIRST_RANK, (0 if start is None else start.shape[1]) + _SPARE)
    block = start
    while 4 * size < n:
        fresh = random_state.standard_normal((n, size - (0 if block is None else block.shape[1]))).astype(matrix.dtype)
        block = np.linalg.qr(fresh if block is None else np.hstack([block, fresh]))[0]
        for _ in range(2):
            block = np.linalg.qr(matrix.T @ (matrix @ block))[0]
        image = matrix @ block
        squares, rotation = symmetric_eigh(image.T @ image)
        block = block @ rotation[:, ::-1]
        if squares[0] < threshold**2:
            return _shrunk(image @ rotation[:, ::-1], block, squares[::-1], threshold)
        size *= 2
    squares, vectors = symmetric_eigh(matrix.T @ matrix)
    kept = vectors[:, squares > threshold**2][:, ::-1]
    return _shrunk(matrix @ kept, kept, squares[::-1][: kept.shape[1]], threshold)


def _shrunk(
    image: np.ndarray, right: np.ndarray, squares: np.ndarray, threshold: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """``Σ_i (1 − τ/σ_i) (M v_i) v_iᵀ`` over the singular values above τ, which come first."""
    kept = int((squares > threshold**2).sum())
    values = np.sqrt(squares[:kept])
    factors = (1 - threshold / values).astype(image.dtype)
    return (image[:, :kept] * factors) @ right[:, :kept].T, right[:, :kept], float((values - threshold).sum())


def smooth_step(
    graph: np.ndarray, smoothed: np.ndarray, target: np.ndarray, mu: float, lam2: float, lam3: float
) -> np.ndarray:
    """A proximal gradient step on ``λ₂‖W‖₁ + λ₃Tr(WLWᵀ) + (μ/2)‖W − T‖²``, ``W ≥ 0``, given ``LWᵀ``, from ``Wᵀ``."""
    rate = mu + 4 * lam3  # a normalised Laplacian has no eigenvalue above 2
    slope = 2 * lam3 * smoothed + mu * (graph - target) + lam2
    return np.maximum(graph - slope / rate, 0)


class _View:
    """The variables of one view and their steps; arrays hold a column of ``Z`` in each row, so that ``ZL`` is ``L @ Zᵀ``."""

    def __init__(self, x: np.ndarray, laplacian: np.ndarray, lam: tuple[float, float, float]) -> None:
        factor = factorise(ScaledView(x))
        self.lam1 = lam[0] * x.shape[0] / max(float(np.abs(x).sum()), 1e-300)
        self.lam2, self.lam3 = lam[1:]
        self.x = x.astype(np.float32)
        loadings = factor.basis.T @ x / factor.eigenvalues[:, None]  # X = U · loadings
        factor = factor.single_precision()
        self.basis, self.eigenvalues, self.loadings = factor.basis, factor.eigenvalues, loadings.astype(np.float32)
        sparse = np.count_nonzero(laplacian) < _DENSE_FROM * laplacian.size
        self.laplacian = (sp.csr_array(laplacian) if sparse else laplacian).astype(np.float32)
        start = (self.basis / (self.eigenvalues + 1)) @ self.basis.T
        self.Z, self.J, self.W = start, start.copy(), np.maximum(start, 0)
        self.smoothed = self.laplacian @ self.W
        self.E = np.zeros_like(self.x)
        # multipliers / μ
        self.to_x, self.to_j, self.to_w = np.zeros_like(self.x), np.zeros_like(start), np.zeros_like(start)
        self.right: np.ndarray | None = None
        self.nuclear = 0.0

    def solve(self, total: np.ndarray, mu: float, beta: float, n_views: int) -> None:
        """Z: ``(G + sI) Z = X(Xᵀ − E + Y₁) + J − Y₂ + W − Y₃ + (β/μ) Σ_u Z_u`` with ``s = 2 + βt/μ``."""
        shift = 2 + beta * n_views / mu
        rest = self.J - self.to_j
        rest += self.W
        rest -= self.to_w
        rest += np.float32(beta / mu) * total
        data = (self.x - self.E + self.to_x) @ self.loadings.T
        inner = (shift * data - rest @ self.basis) / (self.eigenvalues + np.float32(shift))
        rest += inner @ self.basis.T
        rest /= np.float32(shift)
        self.Z = rest

    def step(self, mu: float, moved_pull: np.ndarray, random_state: np.random.RandomState) -> tuple[float, float]:
        """J, W, E and the multipliers; relative primal and dual residuals.

        Primal: how far ``XᵀZ + E``, ``J`` and ``W`` are from ``Xᵀ`` and ``Z``. Dual: what is left of the stationarity of the
        Lagrangian in Z (``μ(XΔE − ΔJ − ΔW) − β ΔΣ_uZ_u``) and in W (``2λ₃ΔW(L − 2I)``, from its linearisation), relative
        to the multipliers; in J and E nothing is left.
        """
        fitted = self.Z @ self.x
        old_j, old_w, old_e, old_smoothed = self.J, self.W, self.E, self.smoothed
        self.J, self.right, self.nuclear = shrunk_singular_values(self.Z + self.to_j, 1 / mu, self.right, random_state)
        self.W = smooth_step(self.W, self.smoothed, self.Z + self.to_w, mu, self.lam2, self.lam3)
        self.smoothed = self.laplacian @ self.W
        self.E = soft(self.x - fitted + self.to_x, np.float32(self.lam1 / mu))
        gaps = (self.x - fitted - self.E, self.Z - self.J, self.Z - self.W)
        self.to_x += gaps[0]
        self.to_j += gaps[1]
        self.to_w += gaps[2]
        size = _norm(self.Z) + 1e-12
        primal = max(_norm(gaps[0]) / _norm(self.x), _norm(gaps[1]) / size, _norm(gaps[2]) / size)
        old_w -= self.W
        old_smoothed -= self.smoothed
        old_j -= self.J
        left_in_w = 2 * self.lam3 * _norm(old_smoothed - 2 * old_w)
        old_j += old_w
        old_j += ((self.E - old_e) @ self.loadings.T) @ self.basis.T
        old_j *= np.float32(mu)
        old_j -= moved_pull
        dual = float(np.hypot(_norm(old_j), left_in_w))
        return primal, dual / (mu * float(np.hypot(_norm(self.to_j), _norm(self.to_w))) + 1e-12)

    def objective(self) -> float:
        smooth = self.lam3 * float(np.vdot(self.W, self.smoothed))
        return self.nuclear + self.lam1 * float(np.abs(self.E).sum()) + self.lam2 * float(self.W.sum()) + smooth


def _norm(array: np.ndarray) -> float:
    return float(np.vdot(array, array)) ** 0.5


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
    mu = _FIRST_MU
    total = _total([state.Z for state in states])
    objective: list[float] = []
    residuals: list[tuple[float, float]] = []
    converged = False
    while not converged and len(objective) < max_iter:
        for state in states:
            state.solve(total, mu, beta, len(states))
        old, total = total, _total([state.Z for state in states])
        moved_pull = np.float32(beta) * (total - old)
        found = [state.step(mu, moved_pull, random_state) for state in states]
        primal, dual = max(r[0] for r in found), max(r[1] for r in found)
        apart = len(states) * sum(_norm(state.Z) ** 2 for state in states) - _norm(total) ** 2  # Σ_{u<v} ‖Z_u − Z_v‖²
        objective.append(sum(state.objective() for state in states) + beta / 2 * max(apart, 0.0))
        residuals.append((primal, dual))
        converged = max(primal, dual) <= tol
        step = 1 + _FIRST_STEP / (1 + len(objective) / _PATIENCE)
        factor = step if primal > dual else 1 / step if dual > _LAG * primal else 1.0
        if factor != 1 and not converged:
            mu *= factor
            for state in states:
                for multipliers in (state.to_x, state.to_j, state.to_w):
                    multipliers /= np.float32(factor)
    mean = _total([state.W for state in states]).astype(float) / len(states)
    history = {"primal": np.asarray([r[0] for r in residuals]), "dual": np.asarray([r[1] for r in residuals])}
    return Solution(converged, len(objective), np.asarray(objective), graph=(mean + mean.T) / 2, history=history)


def _total(graphs: Sequence[np.ndarray]) -> np.ndarray:
    return sum(graphs[1:], graphs[0])


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
        max_iter: int = 300,
        tol: float = 2e-2,
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
