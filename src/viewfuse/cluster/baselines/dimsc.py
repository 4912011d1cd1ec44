"""DiMSC: self-expressive graphs that are smooth on their own view and different from those of the other views.

    min Σ_v ‖X_vᵀ − X_vᵀZ_v‖² + λ_S Tr(Z_vL_vZ_vᵀ) + λ_V Σ_{u<v} Tr(K_vHK_uH),   K_v = Z_vᵀZ_v,  H = I − 11ᵀ/n

(each pair of views once, without the factor (n−1)⁻² of HSIC). With the others fixed, Z_v solves the Sylvester equation

    G_v Z + Z B = G_v,   B = λ_S L_v + λ_V Σ_{u≠v} HK_uH.

With G_v = QΛQᵀ factored once, the rows of Y = QᵀZ are independent: (λ_i I + B) y_i = λ_i q_i. Rows with λ_i = 0 stay 0, so Y
has only r_v rows (r_v is the rank). All rows are solved together by warm-started conjugate gradients: 2n²r_v operations per
step instead of an eigendecomposition of B per view and iteration. Memory: Y_v (r_v × n), and L_v and B (n × n).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from ...graphs import AFFINITIES, GramFactor, ScaledView, factorise
from ...linalg import Laplacian
from ...views import Views
from .._constraints import Number, OneOf
from .._memory import MemoryDemand
from .._solution import Solution
from .base import GraphMethod
from .sc import spectral_embedding

__all__ = ["DiMSC", "diverse_graphs", "solve_rows"]

_CG_TOL = 1e-7
_CG_STEPS = 500


def solve_rows(eigenvalues: np.ndarray, matrix: np.ndarray, right: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Solve ``diag(λ) Y + Y B = R`` by Jacobi-preconditioned conjugate gradients, all rows together."""
    solution = start.copy()
    scaling = 1 / (eigenvalues[:, None] + np.diagonal(matrix)[None, :])
    residual = right - eigenvalues[:, None] * solution - solution @ matrix
    goals = _CG_TOL * np.linalg.norm(right, axis=1)
    direction = scaling * residual
    power = (residual * direction).sum(axis=1)
    for _ in range(_CG_STEPS):
        if (np.linalg.norm(residual, axis=1) <= goals).all():
            break
        image = eigenvalues[:, None] * direction + direction @ matrix
        curvature = (direction * image).sum(axis=1)
        step = (power / np.where(curvature > 0, curvature, 1))[:, None]
        solution += step * direction
        residual -= step * image
        preconditioned = scaling * residual
        new_power = (residual * preconditioned).sum(axis=1)
        direction = preconditioned + (new_power / np.where(power > 0, power, 1))[:, None] * direction
        power = new_power
    return solution


def diverse_graphs(
    factors: Sequence[GramFactor], laplacians: Sequence[np.ndarray], *, lam_s: float, lam_v: float, max_iter: int, tol: float
) -> Solution:
    """Solve for the graph of each view in turn until the objective decreases by less than ``tol``."""
    bases = [factor.basis / np.sqrt(factor.eigenvalues) for factor in factors]  # Q, orthonormal columns
    rights = [factor.eigenvalues[:, None] * Q.T for factor, Q in zip(factors, bases, strict=True)]
    rows: list[np.ndarray] = []
    for factor, right, laplacian in zip(factors, rights, laplacians, strict=True):
        start = right / (factor.eigenvalues[:, None] + lam_s)
        rows.append(solve_rows(factor.eigenvalues, lam_s * laplacian, right, start))
    objective: list[float] = []
    converged = False
    while not converged and len(objective) < max_iter:
        for v, factor in enumerate(factors):
            centred = [lam_v**0.5 * (Y - Y.mean(axis=1, keepdims=True)) for u, Y in enumerate(rows) if u != v]
            matrix = lam_s * laplacians[v]
            if centred:
                others = np.vstack(centred)
                matrix = matrix + others.T @ others
            rows[v] = solve_rows(factor.eigenvalues, matrix, rights[v], rows[v])
        objective.append(_objective(factors, bases, laplacians, rows, lam_s, lam_v))
        converged = len(objective) > 1 and objective[-2] - objective[-1] <= tol * objective[-1]
    graph = np.zeros_like(laplacians[0])
    for Q, Y in zip(bases, rows, strict=True):
        Z = np.abs(Q @ Y)
        graph += Z + Z.T
    return Solution(converged, len(objective), np.asarray(objective), graph=graph)


def _objective(
    factors: Sequence[GramFactor],
    bases: Sequence[np.ndarray],
    laplacians: Sequence[np.ndarray],
    rows: Sequence[np.ndarray],
    lam_s: float,
    lam_v: float,
) -> float:
    value = 0.0
    for factor, Q, laplacian, Y in zip(factors, bases, laplacians, rows, strict=True):
        value += float((factor.eigenvalues[:, None] * (Q.T - Y) ** 2).sum()) + lam_s * float((Y * (Y @ laplacian)).sum())
    centred = [Y - Y.mean(axis=1, keepdims=True) for Y in rows]
    return value + lam_v * sum(float(((a @ b.T) ** 2).sum()) for a, b in combinations(centred, 2))


class DiMSC(GraphMethod):
    """Diversity-induced multi-view subspace clustering.

    ``min Σ_v ‖X_vᵀ − X_vᵀZ_v‖² + λ_S Tr(Z_vL_vZ_vᵀ) + λ_V Σ_{u<v} HSIC(Z_v, Z_u)``, where ``L_v`` is the normalized
    Laplacian of the neighbour graph of a view and HSIC measures the dependence of the kernels ``Z_vᵀZ_v``. The graphs
    complement each other. The labels are those of spectral clustering of ``Σ_v (|Z_v| + |Z_v|ᵀ)``.

    Parameters
    ----------
    {n_clusters}
    lam_s, lam_v : float, default=1, 0.1
        λ_S and λ_V, the weights of smoothness and diversity.
    {affinity_of_features, n_neighbors, alpha, scaling, max_iter, tol, views, n_init, random_state}

    Attributes
    ----------
    {labels_, embedding_, affinity_matrix_, objective_, traces, names}

    References
    ----------
    X. Cao, C. Zhang, H. Fu, S. Liu and H. Zhang. Diversity-induced multi-view subspace clustering. CVPR 2015.

    Examples
    --------
    {example: dimsc}
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        lam_s: float = 1.0,
        lam_v: float = 0.1,
        affinity: str = "adaptive-neighbors",
        n_neighbors: int | None = 10,
        alpha: float = 10.0,
        scaling: str = "unit-samples",
        max_iter: int = 50,
        tol: float = 1e-3,
        views: Any = None,
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.lam_s = lam_s
        self.lam_v = lam_v
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.scaling = scaling
        self.max_iter = max_iter
        self.tol = tol
        self.views = views
        self.n_init = n_init
        self.random_state = random_state

    _memory_demand = MemoryDemand(3.4, 1.8, 3.0, 5.5)
    _parameter_constraints: ClassVar = {
        **GraphMethod._parameter_constraints,
        "affinity": [OneOf(*AFFINITIES)],  # features are needed too, so graphs cannot be given
        "lam_s": [Number(least=0)],
        "lam_v": [Number(least=0)],
    }

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        factors = [factorise(ScaledView(x)) for x in self._features(arrays)]
        laplacians = [Laplacian.of(graph, normalized=True).dense() for graph in self._graphs(arrays)]
        options: dict[str, Any] = {"lam_s": self.lam_s, "lam_v": self.lam_v, "max_iter": self.max_iter, "tol": self.tol}
        found = diverse_graphs(factors, laplacians, **options)
        assert found.graph is not None
        cut = spectral_embedding(found.graph, self.n_clusters, rng)[0]
        return replace(found, points=cut.points, embedding=cut.embedding)
