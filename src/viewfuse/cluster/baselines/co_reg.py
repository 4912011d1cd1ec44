"""Co-reg: spectral embeddings of the views that are regularised towards each other.

    pairwise:  max Σ_v Tr(U_vᵀN_vU_v) + λ Σ_{u<v} Tr(U_uU_uᵀU_vU_vᵀ)
    centroid:  max Σ_v Tr(U_vᵀN_vU_v) + λ Σ_v Tr(U_vU_vᵀU*U*ᵀ)

over orthonormal U_v (n × k), N_v = D^-½ K_v D^-½. Each step is a warm-started eigenproblem of N_v plus a low-rank term,
which is applied as a product. An iteration takes t·n²k operations per iteration of the eigensolver. Memory: t arrays of n ×
n.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from ...linalg import Complement, normalized_adjacency, smallest_eigenpairs, unit_rows
from ...views import Views
from .._constraints import Number, OneOf
from .._memory import MemoryDemand
from .._solution import Solution
from .base import GraphMethod

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
    """Maximise over each embedding in turn, and the common one, until the objective increases by less than ``tol``."""
    normalized = [normalized_adjacency(graph) for graph in graphs]
    root = lam**0.5
    embeddings = [_largest(matrix, None, n_clusters, None, random_state) for matrix in normalized]
    common = _common(embeddings, n_clusters)
    objective: list[float] = []
    converged = False
    while not converged and len(objective) < max_iter:
        for v, matrix in enumerate(normalized):
            others = [common] if mode == "centroid" else [u for w, u in enumerate(embeddings) if w != v]
            factor = root * np.hstack(others) if others else None
            embeddings[v] = _largest(matrix, factor, n_clusters, embeddings[v], random_state)
        common = _common(embeddings, n_clusters)
        fit = sum(float((u * (matrix @ u)).sum()) for u, matrix in zip(embeddings, normalized, strict=True))
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
    """The k largest eigenvectors of ``Σ_v U_v U_vᵀ``: the left singular vectors of all ``U_v`` concatenated."""
    return np.linalg.svd(np.hstack(embeddings), full_matrices=False)[0][:, :k]


class CoReg(GraphMethod):
    """Co-regularised multi-view spectral clustering.

    ``max Σ_v Tr(U_vᵀN_vU_v) + λ Σ_{u<v} Tr(U_uU_uᵀU_vU_vᵀ)`` over orthonormal ``U_v``, where ``N_v`` is the normalized graph
    (``mode="pairwise"``; every pair is counted once, so that each step is the exact maximiser). With ``mode="centroid"`` the
    second term is ``λ Σ_v Tr(U_vU_vᵀU*U*ᵀ)`` with a common ``U*``. The objective never decreases. k-means runs on the rows,
    scaled to unit length, of ``U*`` or of all ``U_v`` concatenated. With one view, ``U*`` is its spectral embedding.

    Parameters
    ----------
    {n_clusters}
    lam : float, default=0.1
        λ, the weight of agreement; the paper uses 0.01 to 0.1.
    mode : {"pairwise", "centroid"}, default="centroid"
    {affinity, n_neighbors, alpha, scaling, max_iter}
    tol : float
        Stop when the objective increases by less than this share of itself.
    {views, n_init, random_state}

    Attributes
    ----------
    {labels_, embedding_, objective_, traces, names}

    References
    ----------
    A. Kumar, P. Rai and H. Daumé III. Co-regularized multi-view spectral clustering. NIPS 2011.

    Examples
    --------
    {example: co-reg}
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

    _memory_demand = MemoryDemand(3.6, 1.5, 1.5)
    _parameter_constraints: ClassVar = {
        **GraphMethod._parameter_constraints,
        "lam": [Number(least=0)],
        "mode": [OneOf("pairwise", "centroid")],
    }

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        options: dict[str, Any] = {
            "lam": self.lam,
            "mode": self.mode,
            "max_iter": self.max_iter,
            "tol": self.tol,
            "random_state": rng,
        }
        return co_regularise(self._graphs(arrays), self.n_clusters, **options)
