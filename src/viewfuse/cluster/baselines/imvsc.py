"""IMVSC: low-rank and sparse self-expressive graphs that agree with each other.

    min Σ_v ‖Z_v‖_* + λ₁‖E_v‖₁ + λ₂‖Z_v‖₁ + λ₃Tr(Z_vL_vZ_vᵀ) + (β/2) Σ_{u<v} ‖Z_v − Z_u‖²,   X_vᵀ = X_vᵀZ_v + E_v,  Z_v ≥ 0

Linearised ADMM with the split Z = J (low rank) = W (sparse, smooth, ≥ 0). It has two blocks, so it converges. The penalties
of the constraints on the errors, on J and on W are κμ, μ and 2μ, and Y₁, Y₂, Y₃ are the multipliers in units of the
penalties. An iteration of a view is

    Z   (G + sI) Z = X(Xᵀ − E + Y₁) + (J − Y₂ + 2(W − Y₃) + (β/μ) Σ_u Z_u) / κ,   s = (3 + βt/μ) / κ: the agreement term
        is linearised; a solve in the eigenbasis of G_v, 4n²r;
    T_J = J + ρ(Z − J) + Y₂,  J = argmin ‖J‖_* + (μ/2)‖J − T_J‖²,  Y₂ = T_J − J: singular values above 1/μ only;
    T_W = W + ρ(Z − W) + Y₃,  a gradient step on λ₃, soft threshold, projection,  Y₃ = T_W − W;
    T_E = E + ρ(Xᵀ − XᵀZ − E) + Y₁,  E = soft(T_E, λ₁/κμ),  Y₁ = T_E − E;

ρ = 1.6 is over-relaxation. Each view has its own μ, adapted so that the primal and the dual residual stay of similar size,
and its own κ, increased while the residual of the errors is the largest. The singular values take most of the time: if λ₁
allows a sample to represent itself, the rank of the optimum is a third of the number of samples or more, and every
iteration computes all eigenvectors of an n × n matrix. The number of iterations therefore decides the time. Views run in
parallel threads, in single precision. Memory: six n × n arrays of floats per view and the right singular vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from ...graphs import AFFINITIES, ScaledView, factorise
from ...linalg import Laplacian, symmetric_eigh
from ...linalg.threads import for_each, worker_threads
from ...views import Views
from .._constraints import Number, OneOf
from .._memory import MemoryDemand
from .._solution import Solution
from .base import GraphMethod
from .mvsc import soft
from .sc import spectral_embedding

__all__ = ["IMVSC", "agreeing_graphs", "shrunk_singular_values", "smooth_step"]

_FIRST_RANK = 20
_SPARE = 20  # vectors below the threshold that are kept, so that the rank can grow
_FIRST_MU, _FIRST_KAPPA, _KAPPA_OF_W = 5.0, 0.3, 2.0  # μ, and the penalties of the errors and of W relative to μ
_FIRST_STEP, _PATIENCE = (
    0.25,
    20,
)  # largest relative change of μ, and iterations until it is halved: without that, μ can cycle
_LAG = 2.0  # ratio of the dual to the primal residual above which μ is decreased
_RELAXATION = 1.6
_DENSE_FROM = 0.1  # share of non-zeros from which a sparse product is not faster


def shrunk_singular_values(
    matrix: np.ndarray, threshold: float, start: np.ndarray | None, random_state: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray, float]:
    """``argmin_J τ‖J‖_* + ½‖J − M‖²``: only the singular values above τ are computed, and reduced by τ.

    Subspace iteration from ``start`` (the last right singular vectors; one pass is enough) or from random vectors. The block
    grows until it contains a singular value below τ. If it would be large, the eigenvectors of ``MᵀM`` are cheaper. Returns
    J, the right singular vectors above τ and a few more, and ``‖J‖_*``.
    """
    n = matrix.shape[1]
    block = np.empty((n, 0), matrix.dtype) if start is None else start
    size, passes = max(_FIRST_RANK, block.shape[1]), 2 if start is None else 1
    while 4 * size < n:
        fresh = random_state.standard_normal((n, size - block.shape[1])).astype(matrix.dtype)
        block = np.hstack([block, fresh])
        for _ in range(passes):
            block = np.linalg.qr(matrix.T @ (matrix @ block))[0]
        image = matrix @ block
        squares, rotation = symmetric_eigh(image.T @ image)
        block = block @ rotation[:, ::-1]
        if squares[0] < threshold**2:
            return _shrunk(image @ rotation[:, ::-1], block, squares[::-1], threshold)
        size, passes = 2 * size, 2
    squares, vectors = symmetric_eigh(matrix.T @ matrix)
    found = vectors[:, -_SPARE - int((squares > threshold**2).sum()) :][:, ::-1]
    return _shrunk(matrix @ found, found, squares[::-1][: found.shape[1]], threshold)


def _shrunk(
    image: np.ndarray, right: np.ndarray, squares: np.ndarray, threshold: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """``Σ_i (1 − τ/σ_i) (M v_i) v_iᵀ`` over the singular values above τ, which come first."""
    kept = int((squares > threshold**2).sum())
    values = np.sqrt(squares[:kept])
    factors = (1 - threshold / values).astype(image.dtype)
    shrunk = (image[:, :kept] * factors) @ right[:, :kept].T
    return shrunk, right[:, : kept + _SPARE], float((values - threshold).sum())


def smooth_step(
    graph: np.ndarray, smoothed: np.ndarray, target: np.ndarray, mu: float, lam2: float, lam3: float
) -> np.ndarray:
    """A proximal gradient step on ``λ₂‖W‖₁ + λ₃Tr(WLWᵀ) + (μ/2)‖W − T‖²``, ``W ≥ 0``, given ``LWᵀ``, from ``Wᵀ``."""
    rate = mu + 4 * lam3  # a normalized Laplacian has no eigenvalue above 2
    slope = 2 * lam3 * smoothed + mu * (graph - target) + lam2
    return np.maximum(graph - slope / rate, 0)


class _View:
    """The variables of one view and their updates. A row of an array is a column of ``Z``, so that ``ZL`` is ``L @ Zᵀ``."""

    def __init__(
        self, x: np.ndarray, laplacian: np.ndarray, lam: tuple[float, float, float], random_state: np.random.RandomState
    ) -> None:
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
        # multipliers / penalty
        self.to_x, self.to_j, self.to_w = np.zeros_like(self.x), np.zeros_like(start), np.zeros_like(start)
        self.mu, self.kappa = _FIRST_MU, _FIRST_KAPPA
        self.gaps, self.dual = (np.inf, np.inf, np.inf), np.inf
        self.right: np.ndarray | None = None
        self.nuclear = 0.0
        self.random_state = random_state

    @property
    def primal(self) -> float:
        return max(self.gaps)

    def solve(self, total: np.ndarray, beta: float, n_views: int) -> None:
        """Update Z, given ``Σ_u Z_u`` of the last iteration."""
        pull = beta / self.mu
        shift = (1 + _KAPPA_OF_W + pull * n_views) / self.kappa
        rest = self.W - self.to_w
        rest *= _KAPPA_OF_W
        rest += self.J
        rest -= self.to_j
        rest += pull * total
        rest /= self.kappa
        data = (self.x - self.E + self.to_x) @ self.loadings.T
        inner = (shift * data - rest @ self.basis) / (self.eigenvalues + shift)
        rest += inner @ self.basis.T
        rest /= shift
        self.Z = rest

    def step(self, total: np.ndarray, beta: float, n_views: int) -> None:
        """Update J, W, E, the multipliers and the residuals, given ``Σ_u Z_u``."""
        errors = self.x - self.Z @ self.x
        wanted = _relaxed(errors, self.E, self.to_x)
        self.E = soft(wanted, self.lam1 / (self.kappa * self.mu))
        self.to_x = wanted - self.E
        wanted = _relaxed(self.Z, self.J, self.to_j)
        self.J, self.right, self.nuclear = shrunk_singular_values(wanted, 1 / self.mu, self.right, self.random_state)
        wanted -= self.J
        self.to_j = wanted
        wanted = _relaxed(self.Z, self.W, self.to_w)
        moved, moved_smoothed = self.W, self.smoothed
        self.W = smooth_step(self.W, self.smoothed, wanted, _KAPPA_OF_W * self.mu, self.lam2, self.lam3)
        self.smoothed = self.laplacian @ self.W
        wanted -= self.W
        self.to_w = wanted
        moved -= self.W
        moved_smoothed -= self.smoothed
        self._measure(errors, self._residual_in_z(total, beta, n_views), 2 * self.lam3 * _norm(moved_smoothed - 2 * moved))

    def _residual_in_z(self, total: np.ndarray, beta: float, n_views: int) -> float:
        """How far the Lagrangian is from stationary in Z: ``β(tZ − Σ_u Z_u) + μ(Y₂ + 2Y₃ − κXY₁)``."""
        slope = _KAPPA_OF_W * self.to_w
        slope += self.to_j
        slope -= (self.kappa * self.to_x) @ self.x.T
        slope *= self.mu
        slope += beta * (n_views * self.Z - total)
        return _norm(slope)

    def _measure(self, errors: np.ndarray, residual_in_z: float, residual_in_w: float) -> None:
        """Compute the relative residuals.

        Primal: the distances of ``XᵀZ + E`` from ``Xᵀ`` and of ``J`` and ``W`` from ``Z``, relative to their norms; the norm
        of Z counts as at least 1. Dual: the gradient of the Lagrangian in Z and in W (``2λ₃ΔW(L − 2I)``, from its
        linearisation), relative to the multipliers. The residuals in J and E are 0.
        """
        size = max(_norm(self.Z), 1.0)
        self.gaps = (
            _norm(errors - self.E) / max(_norm(self.x), 1e-12),
            _norm(self.Z - self.J) / size,
            _norm(self.Z - self.W) / size,
        )
        scale = self.mu * float(np.hypot(_norm(self.to_j), _KAPPA_OF_W * _norm(self.to_w)))
        self.dual = float(np.hypot(residual_in_z, residual_in_w)) / (scale + 1e-12)

    def balance(self, step: float) -> None:
        """Change the penalties by the factor ``step`` if one residual is much larger than the others."""
        if self.gaps[0] > max(self.gaps[1:]):
            self.kappa *= step
            self.to_x /= step
        factor = step if self.primal > self.dual else 1 / step if self.dual > _LAG * self.primal else 1.0
        if factor != 1:
            self.mu *= factor
            for multipliers in (self.to_x, self.to_j, self.to_w):
                multipliers /= factor

    def objective(self) -> float:
        smooth = self.lam3 * float(np.vdot(self.W, self.smoothed))
        return self.nuclear + self.lam1 * float(np.abs(self.E).sum()) + self.lam2 * float(self.W.sum()) + smooth


def _relaxed(new: np.ndarray, old: np.ndarray, multipliers: np.ndarray) -> np.ndarray:
    """The over-relaxed target of the next variable: old + ρ(new − old), plus the multipliers."""
    wanted = new - old
    wanted *= _RELAXATION
    wanted += old
    wanted += multipliers
    return wanted


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
    """Linearised ADMM until the primal and dual residuals are below ``tol`` in every view."""
    seed = random_state.randint(2**31 - 1)  # the same seed for all views, so that their order does not matter
    states = [
        _View(x, laplacian, lam, np.random.RandomState(seed)) for x, laplacian in zip(features, laplacians, strict=True)
    ]
    total = _total([state.Z for state in states])
    objective: list[float] = []
    residuals: list[tuple[float, float]] = []
    converged = False
    with worker_threads():
        while not converged and len(objective) < max_iter:
            total, value = _iterate(states, total, beta)
            objective.append(value)
            residuals.append((max(state.primal for state in states), max(state.dual for state in states)))
            converged = max(residuals[-1]) <= tol
            for state in states:
                state.balance(1 + _FIRST_STEP / (1 + len(objective) / _PATIENCE))
    mean = _total([state.W for state in states]).astype(float) / len(states)
    history = {"primal": np.asarray([r[0] for r in residuals]), "dual": np.asarray([r[1] for r in residuals])}
    return Solution(converged, len(objective), np.asarray(objective), graph=(mean + mean.T) / 2, history=history)


def _iterate(states: Sequence[_View], total: np.ndarray, beta: float) -> tuple[np.ndarray, float]:
    """One iteration of all views in parallel. Returns the new ``Σ_u Z_u`` and the objective."""

    def solve(state: _View, _: Any) -> tuple[float, ...]:
        state.solve(total, beta, len(states))
        return ()

    for_each(solve, states)
    new_total = _total([state.Z for state in states])

    def step(state: _View, _: Any) -> tuple[float, ...]:
        state.step(new_total, beta, len(states))
        return state.objective(), _norm(state.Z) ** 2

    own, squares = for_each(step, states)
    apart = len(states) * squares - _norm(new_total) ** 2  # Σ_{u<v} ‖Z_u − Z_v‖²
    return new_total, own + beta / 2 * max(apart, 0.0)


def _total(graphs: Sequence[np.ndarray]) -> np.ndarray:
    return sum(graphs[1:], graphs[0])


class IMVSC(GraphMethod):
    """Iterative views agreement: low-rank, sparse, smooth graphs that agree.

    ``min Σ_v ‖Z_v‖_* + λ₁‖E_v‖₁ + λ₂‖Z_v‖₁ + λ₃Tr(Z_vL_vZ_vᵀ) + (β/2) Σ_{u<v} ‖Z_v − Z_u‖²`` with
    ``X_vᵀ = X_vᵀZ_v + E_v`` and ``Z_v ≥ 0``, by linearised ADMM. The labels are those of spectral clustering of the mean of
    ``sym(|Z_v|)``.

    ``history_["primal"]`` and ``history_["dual"]`` hold the largest relative residuals over the views.

    Parameters
    ----------
    {n_clusters}
    lam1, lam2, lam3, beta : float, default=1, 0.01, 0.1, 0.1
        The weights of small errors (λ₁, in units of one over the mean ℓ1 norm of the samples of a view), of sparsity (λ₂),
        of smoothness (λ₃) and of agreement between the views (β).
    {affinity_of_features, n_neighbors, alpha, scaling, max_iter}
    tol : float
        Stop when the relative primal and dual residuals of all views are below this value.
    {views, n_init, random_state}

    Attributes
    ----------
    {labels_, embedding_, affinity_matrix_, objective_, traces, names}

    References
    ----------
    Y. Wang, W. Zhang, L. Wu, X. Lin, M. Fang and S. Pan. Iterative views agreement: an iterative low-rank based structured
    optimization method to multi-view spectral clustering. IJCAI 2016.

    Examples
    --------
    {example: imvsc}
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

    _memory_demand = MemoryDemand(4.5, 4.3, 2.4, 5.6)
    _parameter_constraints: ClassVar = {
        **GraphMethod._parameter_constraints,
        "affinity": [OneOf(*AFFINITIES)],  # features are needed too, so graphs cannot be given
        "lam1": [Number(above=0)],
        "lam2": [Number(least=0)],
        "lam3": [Number(least=0)],
        "beta": [Number(least=0)],
    }

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        laplacians = [Laplacian.of(graph, normalized=True).dense() for graph in self._graphs(arrays)]
        options: dict[str, Any] = {
            "lam": (float(self.lam1), float(self.lam2), float(self.lam3)),
            "beta": float(self.beta),
            "max_iter": self.max_iter,
            "tol": self.tol,
            "random_state": rng,
        }
        found = agreeing_graphs(self._features(arrays), laplacians, **options)
        assert found.graph is not None
        cut = spectral_embedding(found.graph, self.n_clusters, rng)[0]
        return replace(found, points=cut.points, embedding=cut.embedding)
