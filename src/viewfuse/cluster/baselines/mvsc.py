"""MVSC: a self-expressive graph per view, sparse errors and one embedding.

    min Σ_v ‖X_vᵀ − X_vᵀZ_v − E_v‖² + α‖Z_v‖² + λ₁ Tr(FᵀL_vF) + λ₂‖E_v‖₁,   1ᵀZ_v = 1ᵀ, diag Z_v = 0, FᵀF = I

L_v is the Laplacian of sym(|Z_v|), so λ₁Tr(FᵀL_vF) = (λ₁/2) Σ_ij P_ij|Z_ij| with P_ij = ‖F_i − F_j‖²: a quadratic program
with a weighted ℓ1 term for each column. ADMM splits Z = J: Z has the fit and the sum constraint, J the ℓ1 term and the
diagonal. As columns sum to one, the view may be centred; 1 is then an eigenvector of (G + cI)⁻¹, and the sum constraint is
one subtraction. All columns share the factorisation of G_v, computed once per fit. Panels of columns are solved in parallel
threads, in single precision: 4n²r operations per step. Memory: J and the multipliers, 2t arrays of n × n floats.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from ...graphs import ScaledView, factorise
from ...linalg import Laplacian, smallest_eigenpairs, unit_rows
from ...linalg.threads import for_each, spans
from ...views import Views
from .._base import RelabelMixin
from .._constraints import Number
from .._memory import MemoryDemand
from .._solution import Solution
from .base import ComparisonMethod

__all__ = ["MVSC", "GraphProgram", "subspace_graphs"]

_INNER_STEPS = 30
_INNER_TOL = 2e-3  # relative residuals at which the programs of the graphs count as solved
_UNBALANCED = 1.5
_PANEL = 128
_RELAXATION = np.float32(0.6)  # in addition to 1: over-relaxation by 1.6
_LEAST_ALPHA = 1e-3  # only for the penalty of ADMM, which would be 0 for α = 0


def soft(values: np.ndarray, threshold: Any) -> np.ndarray:
    """Shrink towards 0 by the threshold."""
    return values - np.clip(values, -threshold, threshold)


class GraphProgram:
    """``min ‖A − XᵀZ‖² + α‖Z‖² + Σ_ij C_ij|Z_ij|`` with ``1ᵀZ = 1ᵀ``, ``diag Z = 0``, by warm-started ADMM.

    A row of an array is a column of ``Z``, so that a panel of columns is contiguous in memory.

    Attributes
    ----------
    x : (n, d) array, the view, centred
    split, dual : (n, n) arrays, ``Jᵀ`` and the scaled multipliers of ``Z = J``
    fitted : (n, d) array, ``JᵀX``
    """

    def __init__(self, x: np.ndarray, alpha: float) -> None:
        self.x = (x - x.mean(axis=0)).astype(np.float32)
        self.alpha = alpha
        factor = factorise(ScaledView(x - x.mean(axis=0)))
        least, largest = max(alpha, _LEAST_ALPHA), float(factor.eigenvalues[-1])
        self._factor = factor.single_precision()
        self._use_penalty(
            2 * (least * (largest + least)) ** 0.5
        )  # √(smallest · largest curvature), optimal for smooth problems
        self.split = self._solve(2 * self.x @ self.x.T)
        self.split += 1 / np.float32(len(x))
        np.fill_diagonal(self.split, 0)
        self.dual = np.zeros_like(self.split)
        self.fitted = self.split @ self.x

    def _use_penalty(self, rho: float) -> None:
        self.rho, self._shift = rho, self.alpha + rho / 2
        basis, eigenvalues = self._factor.basis, self._factor.eigenvalues
        self._left, self._right = basis, (basis / (eigenvalues + np.float32(self._shift))).T
        if 2 * basis.shape[1] > basis.shape[0]:  # one n × n product is then cheaper than two n × r products
            self._left, self._right = self._left @ self._right, None

    def _balance(self, ratio: float) -> None:
        """Increase ρ if the multipliers are larger than the graph (``‖U‖/‖J‖``): ρ is then too small for the ℓ1 costs."""
        if ratio > _UNBALANCED:
            self.dual /= np.float32(ratio)  # the unscaled multipliers ρU do not change
            self._use_penalty(ratio * self.rho)

    def _solve(self, right: np.ndarray) -> np.ndarray:
        """``R (2G + (2α + ρ)I)⁻¹``, by the matrix inversion lemma."""
        product = right @ self._left
        if self._right is not None:
            product = product @ self._right
        np.subtract(right, product, out=product)
        product *= np.float32(1 / (2 * self._shift))
        return product

    def step(self, target: np.ndarray, costs: Callable[[slice], np.ndarray]) -> tuple[float, float, float]:
        """Improve the graph for the data ``Aᵀ``, (n, d), and the ℓ1 costs, one column of ``Z`` in each row.

        Returns the primal residual ``‖Z − J‖`` relative to ``‖J‖``, the dual one ``ρ‖J − J_old‖`` relative to
        ``ρ max(‖J‖, ‖U‖)``, and the value of the program.
        """

        def panel(rows: slice, _: Any) -> tuple[float, ...]:
            return self._panel(rows, 2 * target[rows] @ self.x.T, costs(rows), target[rows])

        primal, moved, size, duals, value = for_each(panel, spans(len(self.x), _PANEL))
        scale = max(size, 1e-24)
        primal, dual = (primal / scale) ** 0.5, (moved / max(scale, duals)) ** 0.5
        self._balance((duals / scale) ** 0.5)
        return primal, dual, value

    def _panel(self, rows: slice, fit: np.ndarray, costs: np.ndarray, target: np.ndarray) -> tuple[float, ...]:
        split, dual = self.split[rows], self.dual[rows]
        n, rho = len(self.x), np.float32(self.rho)
        own = (np.arange(rows.stop - rows.start), np.arange(rows.start, rows.stop))
        thresholds = costs / rho
        for _ in range(_INNER_STEPS):
            graph = self._solve(fit + rho * (split - dual))
            graph += (1 - graph.sum(axis=1, keepdims=True)) / np.float32(n)
            dual += graph
            dual += _RELAXATION * (graph - split)
            old, split = split, soft(dual, thresholds)
            split[own] = 0
            dual -= split
            sizes = [_square(graph - split), _square(split - old), _square(split), _square(dual)]
            if max(sizes[0], sizes[1]) <= _INNER_TOL**2 * sizes[2]:
                break
        self.split[rows] = split
        self.fitted[rows] = split @ self.x
        value = _square(target - self.fitted[rows]) + self.alpha * sizes[2] + float((costs * np.abs(split)).sum())
        return *sizes, value

    def errors(self, threshold: float) -> np.ndarray:
        """``argmin_E ‖X − ZᵀX − E‖² + λ₂‖E‖₁``, (n, d)."""
        return soft(self.x - self.fitted, np.float32(threshold / 2))


def _square(array: np.ndarray) -> float:
    return float(np.vdot(array, array))


def subspace_graphs(
    features: Sequence[np.ndarray],
    n_clusters: int,
    *,
    lam1: float,
    lam2: float,
    alpha: float,
    max_iter: int,
    tol: float,
    random_state: np.random.RandomState,
) -> Solution:
    """Alternate errors, graphs and embedding until the objective changes by less than ``tol`` and residuals are small."""
    programs = [GraphProgram(x, alpha) for x in features]
    n = features[0].shape[0]
    thresholds = [lam2 * float(np.abs(x).mean()) for x in features]
    price = lam1 * n / n_clusters
    graph, embedding = _graph(programs), None
    objective: list[float] = []
    residuals: list[tuple[float, float]] = []
    converged = False
    while not converged and len(objective) < max_iter:
        laplacian = Laplacian.of(graph, normalized=False)
        embedding = smallest_eigenpairs(laplacian, n_clusters, start=embedding, random_state=random_state).vectors
        costs = _CutCosts(embedding, price / 2)
        value, worst = 0.0, (0.0, 0.0)
        for program, threshold in zip(programs, thresholds, strict=True):
            errors = program.errors(threshold)
            primal, dual, reached = program.step(program.x - errors, costs)
            worst = (max(worst[0], primal), max(worst[1], dual))
            value += reached + threshold * float(np.abs(errors).sum())
        graph = _graph(programs)
        objective.append(value)
        residuals.append(worst)
        constant = len(objective) > 1 and abs(objective[-2] - value) <= tol * value
        converged = constant and max(worst) <= _INNER_TOL
    history = {"primal": np.asarray([r[0] for r in residuals]), "dual": np.asarray([r[1] for r in residuals])}
    points = unit_rows(
        smallest_eigenpairs(
            Laplacian.of(graph, normalized=True), n_clusters, start=embedding, random_state=random_state
        ).vectors
    )
    return Solution(
        converged, len(objective), np.asarray(objective), points=points, embedding=embedding, graph=graph, history=history
    )


class _CutCosts:
    """``c ‖F_i − F_j‖²`` for the given i and all j."""

    def __init__(self, embedding: np.ndarray, price: float) -> None:
        self._points = (price**0.5 * embedding).astype(np.float32)
        self._squares = (self._points**2).sum(axis=1)

    def __call__(self, rows: slice) -> np.ndarray:
        costs = self._points[rows] @ (-2 * self._points.T)
        costs += self._squares[rows, None] + self._squares[None, :]
        return np.maximum(costs, 0, out=costs)


def _graph(programs: Sequence[GraphProgram]) -> np.ndarray:
    """``Σ_v sym(|Z_v|)``, in double precision."""
    total = np.zeros(programs[0].split.shape)
    for program in programs:
        total += np.abs(program.split)
    return (total + total.T) / 2


class MVSC(RelabelMixin, ComparisonMethod):
    """Multi-view subspace clustering with one embedding for all views.

    ``min Σ_v ‖X_vᵀ − X_vᵀZ_v − E_v‖² + α‖Z_v‖² + λ₁ Tr(FᵀL_vF) + λ₂‖E_v‖₁`` where the columns of ``Z_v`` sum to
    one, its diagonal is zero, ``FᵀF = I``, and ``L_v`` is the Laplacian of ``sym(|Z_v|)``. The errors (soft threshold), the
    graphs (ADMM, all columns together) and ``F`` are updated alternately. k-means runs on the degree-normalized embedding of
    the final graph, with rows of unit length; ``embedding_`` is ``F``.

    ``history_["primal"]`` and ``history_["dual"]`` hold the relative residuals of the programs of the graphs.

    Parameters
    ----------
    {n_clusters}
    lam1, lam2 : float, default=0.01, 1
        The weights of the cut (λ₁, in units of n/k; the mean ``P_ij`` is 2k/n) and of small errors (λ₂, in units of the mean
        absolute entry of a view). From λ₁ = 0.1 on the cut can outweigh the fit: the embedding, of an unnormalized
        Laplacian, then separates single samples.
    alpha : float, default=10
        α. The paper has α = 0, for which a view with fewer features than samples is expressed exactly by many graphs.
    {scaling, max_iter}
    tol : float
        Stop when the objective changes by less than this share of itself.
    {views, n_init, random_state}

    Attributes
    ----------
    {labels_, embedding_, affinity_matrix_, objective_, traces, names}

    References
    ----------
    H. Gao, F. Nie, X. Li and H. Huang. Multi-view subspace clustering. ICCV 2015.

    Examples
    --------
    {example: mvsc}
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        lam1: float = 0.01,
        lam2: float = 1.0,
        alpha: float = 10.0,
        scaling: str = "unit-samples",
        max_iter: int = 30,
        tol: float = 1e-3,
        views: Any = None,
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.lam1 = lam1
        self.lam2 = lam2
        self.alpha = alpha
        self.scaling = scaling
        self.max_iter = max_iter
        self.tol = tol
        self.views = views
        self.n_init = n_init
        self.random_state = random_state

    _memory_demand = MemoryDemand(3.0, 1.15, 1.2, 4.0)
    _parameter_constraints: ClassVar = {
        **ComparisonMethod._parameter_constraints,
        "lam1": [Number(least=0)],
        "lam2": [Number(above=0)],
        "alpha": [Number(least=0)],
    }

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        options: dict[str, Any] = {
            "lam1": self.lam1,
            "lam2": self.lam2,
            "alpha": self.alpha,
            "max_iter": self.max_iter,
            "tol": self.tol,
            "random_state": rng,
        }
        return subspace_graphs(self._features(arrays), self.n_clusters, **options)
