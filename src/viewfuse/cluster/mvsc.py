"""MVSC: a self-expressive graph per view, sparse errors, one embedding.

    min Σ_v ‖X_vᵀ − X_vᵀZ_v − E_v‖² + α‖Z_v‖² + λ₁ Tr(FᵀL_vF) + λ₂‖E_v‖₁,   1ᵀZ_v = 1ᵀ, diag Z_v = 0, FᵀF = I

L_v is the Laplacian of sym(|Z_v|), so λ₁Tr(FᵀL_vF) = (λ₁/2) Σ_ij P_ij|Z_ij|, P_ij = ‖F_i − F_j‖²: for each
column a quadratic
program with a weighted ℓ1 term. ADMM splits Z = J: Z takes the fit and the sum, J the ℓ1 term and the
diagonal. All columns of
all programs of a view share the eigenbasis of G_v, factored once per fit: (2G + (2α + ρ)I)⁻¹ is 4n²r
operations an inner step.
Memory: Z, J and the multipliers, 3t arrays of n × n, and E_v.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..graphs import ScaledView, factorise
from ..spectral import Laplacian, smallest_eigenpairs, unit_rows
from ..views import Views
from ._base import EmbeddingMixin
from ._checks import check_number
from ._family import ComparisonMethod
from ._solution import Solution

__all__ = ["MVSC", "GraphProgram", "subspace_graphs"]

_INNER_STEPS = 30
_INNER_TOL = 1e-3


def soft(values: np.ndarray, threshold: Any) -> np.ndarray:
    """Shrink towards 0 by the threshold."""
    return values - np.clip(values, -threshold, threshold)


class GraphProgram:
    """``min ‖A − XᵀZ‖² + α‖Z‖² + Σ_ij C_ij|Z_ij|`` with ``1ᵀZ = 1ᵀ``, ``diag Z = 0``.

    Warm-started ADMM on the split ``Z = J``.

    The Z-step, ``(2G + (2α + ρ)I) Z = 2XA + ρ(J − U) + 1μᵀ`` with μ from the sums, uses the one factorisation of G.
    """

    def __init__(self, x: np.ndarray, alpha: float) -> None:
        self.x, self.alpha = x, alpha
        factor = factorise(ScaledView(x))
        self.basis, self.eigenvalues = factor.basis, factor.eigenvalues
        n = x.shape[0]
        self.rho = 2 * float((max(alpha, 1e-3) * self.eigenvalues[-1]) ** 0.5)
        start = self.solve(2 * self.basis @ self.basis.T)
        self.graph = start - start.mean(axis=0) + 1 / n
        np.fill_diagonal(self.graph, 0)
        self.split, self.dual = self.graph.copy(), np.zeros((n, n))

    def solve(self, right: np.ndarray) -> np.ndarray:
        """``(2G + (2α + ρ)I)⁻¹ R``, by the matrix inversion lemma."""
        shift = self.alpha + self.rho / 2
        inner = (self.basis.T @ right) / (self.eigenvalues + shift)[:, None]
        return (right - self.basis @ inner) / (2 * shift)

    def step(self, target: np.ndarray, costs: np.ndarray) -> tuple[float, float]:
        """Improve the graph for the data ``Aᵀ`` (n, d) and the ℓ1 costs; relative primal and dual residuals."""
        n = self.x.shape[0]
        fit = 2 * (self.x @ target.T)
        ones = self.solve(np.ones((n, 1)))
        primal = dual = np.inf
        for _ in range(_INNER_STEPS):
            free = self.solve(fit + self.rho * (self.split - self.dual))
            self.graph = free + ones * ((1 - free.sum(axis=0)) / ones.sum())
            old, self.split = self.split, soft(self.graph + self.dual, costs / self.rho)
            np.fill_diagonal(self.split, 0)
            self.dual += self.graph - self.split
            size = max(float(np.linalg.norm(self.split)), 1e-12)
            primal = float(np.linalg.norm(self.graph - self.split)) / size
            dual = float(np.linalg.norm(self.split - old)) / size
            if max(primal, dual) <= _INNER_TOL:
                break
        return primal, dual

    def errors(self, threshold: float) -> np.ndarray:
        """``argmin_E ‖X − ZᵀX − E‖² + λ₂‖E‖₁``, (n, d)."""
        return soft(self.x - self.split.T @ self.x, threshold / 2)


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
    """Alternate errors, graphs and embedding until the objective changes by less than ``tol``."""
    programs = [GraphProgram(x, alpha) for x in features]
    n = features[0].shape[0]
    thresholds = [lam2 * float(np.abs(x).mean()) for x in features]
    price = lam1 * n / n_clusters
    embedding = None
    objective: list[float] = []
    residuals: list[tuple[float, float]] = []
    converged = False
    while not converged and len(objective) < max_iter:
        graph = _graph(programs)
        laplacian = Laplacian.of(graph, normalized=False)
        embedding = smallest_eigenpairs(laplacian, n_clusters, start=embedding, random_state=random_state).vectors
        squares = (embedding**2).sum(axis=1)
        apart = np.maximum(squares[:, None] + squares[None, :] - 2 * embedding @ embedding.T, 0)
        value, worst = 0.0, (0.0, 0.0)
        for program, threshold in zip(programs, thresholds, strict=True):
            errors = program.errors(threshold)
            primal, dual = program.step(program.x - errors, price / 2 * apart)
            worst = (max(worst[0], primal), max(worst[1], dual))
            misfit = program.x - program.split.T @ program.x - errors
            value += float((misfit**2).sum() + price / 2 * (apart * np.abs(program.split)).sum())
            value += alpha * float((program.split**2).sum())
            value += threshold * float(np.abs(errors).sum())
        objective.append(value)
        residuals.append(worst)
        converged = len(objective) > 1 and abs(objective[-2] - value) <= tol * value
    assert embedding is not None
    graph = _graph(programs)
    history = {"primal": np.asarray([r[0] for r in residuals]), "dual": np.asarray([r[1] for r in residuals])}
    points = unit_rows(
        smallest_eigenpairs(
            Laplacian.of(graph, normalized=True), n_clusters, start=embedding, random_state=random_state
        ).vectors
    )
    return Solution(
        converged, len(objective), np.asarray(objective), points=points, embedding=embedding, graph=graph, history=history
    )


def _graph(programs: Sequence[GraphProgram]) -> np.ndarray:
    """``Σ_v sym(|Z_v|)``."""
    total = sum((np.abs(program.split) for program in programs[1:]), np.abs(programs[0].split))
    return (total + total.T) / 2


class MVSC(EmbeddingMixin, ComparisonMethod):
    """Multi-view subspace clustering with one embedding for all views.

    ``min Σ_v ‖X_vᵀ − X_vᵀZ_v − E_v‖² + α‖Z_v‖² + λ₁ Tr(FᵀL_vF) + λ₂‖E_v‖₁`` with columns of ``Z_v`` summing to one, a zero
    diagonal, ``FᵀF = I`` and ``L_v`` the Laplacian of ``sym(|Z_v|)``: alternately the errors (soft threshold), the graphs
    (ADMM, all columns together) and ``F``. k-means on the degree-normalised embedding of the final graph, rows of unit
    length; ``embedding_`` is ``F``.

    ``history_["primal"]`` and ``["dual"]`` have the relative residuals of the graphs' programs after every iteration.

    Parameters
    ----------
    n_clusters : int, default=8
    lam1, lam2 : float, default=0.1, 1
        λ₁ and λ₂: the weight of the cut, in units of n/k (the mean ``P_ij`` is 2k/n), and of the errors' size, in units
        of a view's mean absolute entry.
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
        lam1: float = 0.1,
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
