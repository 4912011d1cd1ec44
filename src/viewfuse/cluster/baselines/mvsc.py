"""MVSC: a self-expressive graph per view, sparse errors, one embedding.

    min Σ_v ‖X_vᵀ − X_vᵀZ_v − E_v‖² + α‖Z_v‖² + λ₁ Tr(FᵀL_vF) + λ₂‖E_v‖₁,   1ᵀZ_v = 1ᵀ, diag Z_v = 0, FᵀF = I

L_v is the Laplacian of sym(|Z_v|), so λ₁Tr(FᵀL_vF) = (λ₁/2) Σ_ij P_ij|Z_ij|, P_ij = ‖F_i − F_j‖²: a quadratic program with a
weighted ℓ1 term for each column. ADMM splits Z = J: Z takes the fit and the sum, J the ℓ1 term and the diagonal. As columns
sum to one, the origin does not matter and the view may be centred; (G + cI)⁻¹ then leaves 1 alone, and the sum is one
subtraction. All columns share that factor of G_v, found once per fit; panels of them are solved to the end one after the
other, on all threads, in single precision: 4n²r operations a step. Memory: J and the multipliers, 2t arrays of n × n floats.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...graphs import ScaledView, factorise
from ...linalg import Laplacian, smallest_eigenpairs, unit_rows
from ...linalg.threads import for_each, spans
from ...views import Views
from .._base import RelabelMixin
from .._checks import check_number
from .base import ComparisonMethod
from .solution import Solution

__all__ = ["MVSC", "GraphProgram", "subspace_graphs"]

_INNER_STEPS = 30
_INNER_TOL = 2e-3  # the relative residuals at which the graphs' programs count as solved
_UNBALANCED = 1.5
_PANEL = 128
_RELAXATION = np.float32(0.6)  # goes 1.6 times as far from J towards Z as ADMM would
_LEAST_ALPHA = 1e-3  # for ADMM's penalty only: with α = 0 the fit alone says nothing about its size


def soft(values: np.ndarray, threshold: Any) -> np.ndarray:
    """Shrink towards 0 by the threshold."""
    return values - np.clip(values, -threshold, threshold)


class GraphProgram:
    """``min ‖A − XᵀZ‖² + α‖Z‖² + Σ_ij C_ij|Z_ij|`` with ``1ᵀZ = 1ᵀ``, ``diag Z = 0``, by warm-started ADMM.

    Arrays hold one column of ``Z`` in each row, so that a panel of columns lies together in memory.

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
        self._use_penalty(2 * (least * (largest + least)) ** 0.5)  # √(smallest · largest curvature): best if all is smooth
        self.split = self._solve(2 * self.x @ self.x.T)
        self.split += 1 / np.float32(len(x))
        np.fill_diagonal(self.split, 0)
        self.dual = np.zeros_like(self.split)
        self.fitted = self.split @ self.x

    def _use_penalty(self, rho: float) -> None:
        self.rho, self._shift = rho, self.alpha + rho / 2
        basis, eigenvalues = self._factor.basis, self._factor.eigenvalues
        self._left, self._right = basis, (basis / (eigenvalues + np.float32(self._shift))).T
        if 2 * basis.shape[1] > basis.shape[0]:  # then one n × n product costs less than two of n × r
            self._left, self._right = self._left @ self._right, None

    def _balance(self, ratio: float) -> None:
        """Raise ρ where the multipliers outgrow the graph (``‖U‖/‖J‖`` large): then ρ is small beside the ℓ1 costs."""
        if ratio > _UNBALANCED:
            self.dual /= np.float32(ratio)  # the multipliers themselves, ρU, stay as they are
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
        """Improve the graph for the data ``Aᵀ`` (n, d) and the ℓ1 costs of some columns, one column in each row.

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
    """Alternate errors, graphs and embedding until the objective moves by less than ``tol`` and the residuals are small."""
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
        settled = len(objective) > 1 and abs(objective[-2] - value) <= tol * value
        converged = settled and max(worst) <= _INNER_TOL
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
    """``c ‖F_i − F_j‖²`` for some i and all j."""

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

    ``min Σ_v ‖X_vᵀ − X_vᵀZ_v − E_v‖² + α‖Z_v‖² + λ₁ Tr(FᵀL_vF) + λ₂‖E_v‖₁`` with columns of ``Z_v`` summing to one, a zero
    diagonal, ``FᵀF = I`` and ``L_v`` the Laplacian of ``sym(|Z_v|)``: alternately the errors (soft threshold), the graphs
    (ADMM, all columns together) and ``F``. k-means on the degree-normalised embedding of the final graph, rows of unit
    length; ``embedding_`` is ``F``.

    ``history_["primal"]`` and ``["dual"]`` have the relative residuals of the graphs' programs after every iteration.

    Parameters
    ----------
    n_clusters : int, default=8
    lam1, lam2 : float, default=0.01, 1
        λ₁ and λ₂: the weight of the cut, in units of n/k (the mean ``P_ij`` is 2k/n), and of the errors' size, in units
        of a view's mean absolute entry. From λ₁ = 0.1 on the cut can outweigh the fit: the embedding, of an unnormalised
        Laplacian, then tears off single samples.
    alpha : float, default=10
        α; 0 is the paper's own form, in which a view with few features has so many exact graphs that theirs means nothing.
    scaling : {"unit-samples", "min-max", "unit-spread"}
        How a view is scaled first: samples to unit length, the view as a whole to [−1, 1] as in the paper, or centred and
        to mean squared distance 1 (distances do not tell the last two from the features as they are).
    max_iter : int
        Largest number of iterations.
    tol : float
        The relative change of the objective below which it has settled.
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
    H. Gao, F. Nie, X. Li and H. Huang. Multi-view subspace clustering. ICCV 2015.

    Examples
    --------
    >>> from viewfuse import METHODS, metrics
    >>> from viewfuse.datasets import load_digits_views
    >>> views = load_digits_views()[:150]
    >>> model = METHODS["mvsc"](n_clusters=10, random_state=0).fit(views)
    >>> metrics.accuracy(views.y, model.labels_) > 0.4
    True
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

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("lam1", self.lam1, positive=False)
        check_number("lam2", self.lam2, positive=True)
        check_number("alpha", self.alpha, positive=False)

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
