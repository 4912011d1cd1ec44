"""IMVSC: low-rank and sparse self-expressive graphs that are pulled together.

    min Σ_v ‖Z_v‖_* + λ₁‖E_v‖₁ + λ₂‖Z_v‖₁ + λ₃Tr(Z_vL_vZ_vᵀ) + (β/2) Σ_{u<v} ‖Z_v − Z_u‖²,   X_vᵀ = X_vᵀZ_v + E_v,  Z_v ≥ 0

Linearised ADMM with the split Z = J (low rank) = W (sparse, smooth, ≥ 0), two blocks, so it converges. With the penalties κμ
of the errors' constraint, μ of J's and 2μ of W's, and multipliers Y₁, Y₂, Y₃ in their units, every iteration of a view is

    Z   (G + sI) Z = X(Xᵀ − E + Y₁) + (J − Y₂ + 2(W − Y₃) + (β/μ) Σ_u Z_u) / κ,   s = (3 + βt/μ) / κ: the views' pull
        linearised, a solve in the eigenbasis of G_v, 4n²r;
    T_J = J + ρ(Z − J) + Y₂,  J = argmin ‖J‖_* + (μ/2)‖J − T_J‖²,  Y₂ = T_J − J: singular values above 1/μ only;
    T_W = W + ρ(Z − W) + Y₃,  a gradient step on λ₃, soft threshold, projection,  Y₃ = T_W − W;
    T_E = E + ρ(Xᵀ − XᵀZ − E) + Y₁,  E = soft(T_E, λ₁/κμ),  Y₁ = T_E − E;

ρ = 1.6 is over-relaxation. Each view has its own μ, which follows its residuals so that neither falls behind, and its own κ,
raised while the errors' gap is the largest. The singular values take most of the time: where λ₁ lets a sample stand for
itself the optimum has a rank of a third of the samples and more, and all eigenvectors of an n × n matrix are found in each
iteration, so what counts is that the iterations are few. Views run side by side on the threads. In single precision; memory:
six n × n arrays of floats per view and the right singular vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...graphs import AFFINITIES, ScaledView, factorise
from ...linalg import Laplacian, symmetric_eigh
from ...linalg.threads import for_each, worker_threads
from ...views import Views
from .._checks import check_number
from .base import GraphMethod
from .solution import Solution
from .mvsc import soft
from .sc import spectral_embedding

__all__ = ["IMVSC", "agreeing_graphs", "shrunk_singular_values", "smooth_step"]

_FIRST_RANK = 20
_SPARE = 20  # vectors below the threshold that are kept, so that the rank may grow
_FIRST_MU, _FIRST_GRIP, _GRIP_OF_W = 5.0, 0.3, 2.0  # μ, and the penalties of the errors' and W's constraints relative to it
_FIRST_STEP, _PATIENCE = 0.25, 20  # μ's largest relative change, and when it is halved: a μ that follows on and on circles
_LAG = 2.0  # how many times the primal residual the dual one may be before μ is lowered
_RELAXATION = 1.6
_DENSE_FROM = 0.1  # share of non-zeros from which a sparse product is no faster


def shrunk_singular_values(
    matrix: np.ndarray, threshold: float, start: np.ndarray | None, random_state: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray, float]:
    """``argmin_J τ‖J‖_* + ½‖J − M‖²``: only the singular values above τ are found, and shrunk by it.

    Subspace iteration from ``start`` (the last right singular vectors; one pass is enough) or random vectors. The block
    grows until it holds a singular value below τ; where it would be large, the eigenvectors of ``MᵀM`` are cheaper.
    Returns J, the right vectors kept and a few more, and ``‖J‖_*``.
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
    rate = mu + 4 * lam3  # a normalised Laplacian has no eigenvalue above 2
    slope = 2 * lam3 * smoothed + mu * (graph - target) + lam2
    return np.maximum(graph - slope / rate, 0)


class _View:
    """The variables of one view and their steps; arrays hold a column of ``Z`` in each row, so that ``ZL`` is ``L @ Zᵀ``."""

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
        self.mu, self.grip = _FIRST_MU, _FIRST_GRIP
        self.gaps, self.dual = (np.inf, np.inf, np.inf), np.inf
        self.right: np.ndarray | None = None
        self.nuclear = 0.0
        self.random_state = random_state

    @property
    def primal(self) -> float:
        return max(self.gaps)

    def solve(self, total: np.ndarray, beta: float, n_views: int) -> None:
        """Z, given ``Σ_u Z_u`` of the last iteration."""
        pull = beta / self.mu
        shift = (1 + _GRIP_OF_W + pull * n_views) / self.grip
        rest = self.W - self.to_w
        rest *= _GRIP_OF_W
        rest += self.J
        rest -= self.to_j
        rest += pull * total
        rest /= self.grip
        data = (self.x - self.E + self.to_x) @ self.loadings.T
        inner = (shift * data - rest @ self.basis) / (self.eigenvalues + shift)
        rest += inner @ self.basis.T
        rest /= shift
        self.Z = rest

    def step(self, total: np.ndarray, beta: float, n_views: int) -> None:
        """J, W, E, the multipliers and the residuals, given ``Σ_u Z_u``."""
        errors = self.x - self.Z @ self.x
        wanted = _relaxed(errors, self.E, self.to_x)
        self.E = soft(wanted, self.lam1 / (self.grip * self.mu))
        self.to_x = wanted - self.E
        wanted = _relaxed(self.Z, self.J, self.to_j)
        self.J, self.right, self.nuclear = shrunk_singular_values(wanted, 1 / self.mu, self.right, self.random_state)
        wanted -= self.J
        self.to_j = wanted
        wanted = _relaxed(self.Z, self.W, self.to_w)
        moved, moved_smoothed = self.W, self.smoothed
        self.W = smooth_step(self.W, self.smoothed, wanted, _GRIP_OF_W * self.mu, self.lam2, self.lam3)
        self.smoothed = self.laplacian @ self.W
        wanted -= self.W
        self.to_w = wanted
        moved -= self.W
        moved_smoothed -= self.smoothed
        self._measure(errors, self._lack_in_z(total, beta, n_views), 2 * self.lam3 * _norm(moved_smoothed - 2 * moved))

    def _lack_in_z(self, total: np.ndarray, beta: float, n_views: int) -> float:
        """How far the Lagrangian is from stationary in Z: ``β(tZ − Σ_u Z_u) + μ(Y₂ + 2Y₃ − κXY₁)``."""
        slope = _GRIP_OF_W * self.to_w
        slope += self.to_j
        slope -= (self.grip * self.to_x) @ self.x.T
        slope *= self.mu
        slope += beta * (n_views * self.Z - total)
        return _norm(slope)

    def _measure(self, errors: np.ndarray, lack_in_z: float, lack_in_w: float) -> None:
        """The relative residuals.

        Primal: how far ``XᵀZ + E``, ``J`` and ``W`` are from ``Xᵀ`` and ``Z``; a Z that vanishes counts as if one sample
        stood for itself. Dual: what is left of the stationarity of the Lagrangian in Z and in W (``2λ₃ΔW(L − 2I)``, from its
        linearisation), relative to the multipliers; in J and E nothing is left.
        """
        size = max(_norm(self.Z), 1.0)
        self.gaps = (
            _norm(errors - self.E) / max(_norm(self.x), 1e-12),
            _norm(self.Z - self.J) / size,
            _norm(self.Z - self.W) / size,
        )
        scale = self.mu * float(np.hypot(_norm(self.to_j), _GRIP_OF_W * _norm(self.to_w)))
        self.dual = float(np.hypot(lack_in_z, lack_in_w)) / (scale + 1e-12)

    def balance(self, step: float) -> None:
        """Change the penalties by the factor ``step`` where one residual falls behind the others."""
        if self.gaps[0] > max(self.gaps[1:]):
            self.grip *= step
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
    """What the next variable should equal: beyond the new value, seen from the old one."""
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
    seed = random_state.randint(2**31 - 1)  # the same for all views, so that their order does not matter
    states = [
        _View(x, laplacian, lam, np.random.RandomState(seed)) for x, laplacian in zip(features, laplacians, strict=True)
    ]
    total = _total([state.Z for state in states])
    objective: list[float] = []
    residuals: list[tuple[float, float]] = []
    converged = False
    with worker_threads():
        while not converged and len(objective) < max_iter:
            total, value = _sweep(states, total, beta)
            objective.append(value)
            residuals.append((max(state.primal for state in states), max(state.dual for state in states)))
            converged = max(residuals[-1]) <= tol
            for state in states:
                state.balance(1 + _FIRST_STEP / (1 + len(objective) / _PATIENCE))
    mean = _total([state.W for state in states]).astype(float) / len(states)
    history = {"primal": np.asarray([r[0] for r in residuals]), "dual": np.asarray([r[1] for r in residuals])}
    return Solution(converged, len(objective), np.asarray(objective), graph=(mean + mean.T) / 2, history=history)


def _sweep(states: Sequence[_View], total: np.ndarray, beta: float) -> tuple[np.ndarray, float]:
    """One iteration, the views side by side: the new ``Σ_u Z_u`` and the objective."""

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
