"""MVKKM: kernel k-means on a weighted sum of kernels.

    min Σ_v w_v^p D_v,   D_v = Tr(K_v) − Tr(YᵀK_vY),   w ≥ 0, Σ_v w_v = 1

Y is the normalized indicator matrix of the clusters. An iteration reads the rows of the m samples whose label changed:
t·n·m·k operations. Memory: t kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ...exceptions import ViewsError
from ...graphs import SCALINGS, cosine_similarity
from ...linalg import Complement, refilled, smallest_eigenpairs
from ...views import Views
from .._constraints import Number
from .._memory import MemoryDemand
from .._solution import Solution
from .base import AffinityMethod
from .lloyd import best_of, seeded_labels, view_weights

__all__ = ["MVKKM", "multi_view_kernel_kmeans"]

_NEGLIGIBLE = 1e-6


def multi_view_kernel_kmeans(
    kernels: Sequence[np.ndarray],
    n_clusters: int,
    *,
    p: float,
    max_iter: int,
    tol: float,
    random_state: np.random.RandomState,
) -> Solution:
    """One start: alternate labels and weights until the objective decreases by less than ``tol``."""
    n_views = len(kernels)
    weights = np.full(n_views, 1 / n_views)
    diagonals = [kernel.diagonal() for kernel in kernels]
    labels = seeded_labels(partial(_distances_from, kernels, weights**p), n_clusters, random_state)
    sums = [kernel @ np.eye(n_clusters)[labels] for kernel in kernels]
    objective: list[float] = []
    converged = False
    while not converged and len(objective) < max_iter:
        old = labels
        labels = _moved(_weighted_sum(diagonals, weights**p), _weighted_sum(sums, weights**p), labels, n_clusters)
        sums = [_updated(total, kernel, old, labels) for total, kernel in zip(sums, kernels, strict=True)]
        scatters = np.asarray([d.sum() - _explained(total, labels).sum() for d, total in zip(diagonals, sums, strict=True)])
        scatters = np.maximum(scatters, np.finfo(float).eps * len(labels))
        new_weights = view_weights(scatters, p)
        value = float((new_weights**p * scatters).sum())
        if objective and value > objective[-1]:
            labels, converged = old, True  # an indefinite kernel or rounding: keep the previous labels
            break
        weights = new_weights
        objective.append(value)
        converged = len(objective) > 1 and objective[-2] - value <= tol * value
    return Solution(converged, len(objective), np.asarray(objective), labels=labels, weights=weights)


def _weighted_sum(arrays: Sequence[np.ndarray], weights: np.ndarray) -> np.ndarray:
    return sum((w * array for w, array in zip(weights, arrays, strict=True)), np.zeros_like(arrays[0]))


def _distances_from(kernels: Sequence[np.ndarray], weights: np.ndarray, i: int) -> np.ndarray:
    squares = [kernel.diagonal() + kernel[i, i] - 2 * kernel[i] for kernel in kernels]
    return _weighted_sum(squares, weights)


def _updated(sums: np.ndarray, kernel: np.ndarray, old: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Update ``K H`` for new one-hot labels H. Only the rows of the samples whose label changed are read."""
    moved = np.flatnonzero(labels != old)
    identity = np.eye(sums.shape[1])
    if 2 * moved.size > labels.size:
        return kernel @ identity[labels]
    return sums + kernel[moved].T @ (identity[labels[moved]] - identity[old[moved]])


def _explained(sums: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """``y_jᵀKy_j = h_jᵀKh_j/n_j`` of every cluster, (k,)."""
    n_clusters = sums.shape[1]
    within = np.bincount(labels, sums[np.arange(len(labels)), labels], minlength=n_clusters)
    return within / np.maximum(np.bincount(labels, minlength=n_clusters), 1)


def _moved(diagonal: np.ndarray, sums: np.ndarray, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Assign every sample to the nearest centre: ``‖φ_i − c_j‖² = K_ii − 2 K_i·h_j/n_j + h_jᵀKh_j/n_j²``."""
    occupied = np.bincount(labels, minlength=n_clusters)
    sizes = np.maximum(occupied, 1)
    distances = diagonal[:, None] - 2 * sums / sizes + _explained(sums, labels) / sizes
    distances[:, occupied == 0] = np.inf
    return refilled(distances.argmin(axis=1), distances.min(axis=1), n_clusters)


def _unit_scatter(kernel: np.ndarray) -> np.ndarray:
    """Scale to mean scatter 1 about the overall mean. Otherwise a kernel with nearly equal samples would get all weight."""
    scatter = float(kernel.diagonal().mean() - kernel.mean())
    return kernel / scatter if scatter > 0 else kernel


def _unit_diagonal(kernel: np.ndarray, name: str) -> np.ndarray:
    diagonal = kernel.diagonal()
    if diagonal.min() <= 0:
        raise ViewsError(
            f"View {name!r} is not a kernel: its diagonal has the entry {diagonal.min():.3g}; the similarity of a sample to "
            "itself must be positive.",
            hint="Add the missing diagonal, or use another affinity.",
            view=name,
            parameter="affinity",
        )
    return kernel / np.sqrt(diagonal[:, None] * diagonal[None, :])


def _positive(kernel: np.ndarray, random_state: np.random.RandomState) -> np.ndarray:
    """``K + σI`` with the least σ that removes negative eigenvalues. All scatters grow by σ(n − k), for any labels."""
    raised = Complement(-kernel, shift=1.0)  # I + K
    least = float(smallest_eigenpairs(raised, 1, random_state=random_state).values[0]) - 1
    if least < -_NEGLIGIBLE * float(np.abs(kernel).max()):
        kernel = kernel.copy()
        kernel[np.diag_indices_from(kernel)] -= least
    return kernel


class MVKKM(AffinityMethod):
    """Multi-view kernel k-means.

    ``min Σ_v w_v^p D_v`` with ``w_v ≥ 0`` and ``Σ_v w_v = 1``, where ``D_v = Tr(K_v) − Tr(YᵀK_vY)`` is the scatter within
    clusters in the kernel of view v. A step of kernel k-means on ``Σ_v w_v^p K_v`` alternates with the closed form of the
    weights. Kernels are scaled to unit diagonal and then (not in the paper) to equal total scatter. The objective decreases
    because the kernels are positive semi-definite. A kernel that is not (such as a neighbour graph) gets the multiple of the
    identity that makes it so; this adds the same amount to the scatter of every clustering.

    Parameters
    ----------
    {n_clusters}
    p : float of at least 1, default=3
        1 gives all weight to the view with the least scatter; the larger p, the more equal the weights.
    affinity : {"gaussian", "adaptive-neighbors", "self-expressive", "cosine", "precomputed"}, default="cosine"
        The kernel of each view: Gaussian with median bandwidth; the graph of adaptive neighbours; ``(G + αI)⁻¹G``; cosine.
        With "precomputed" the views themselves are kernels without negative entries.
    {n_neighbors, alpha, scaling, max_iter, tol, views, n_starts, random_state}

    Attributes
    ----------
    {labels_, objective_, view_weights_, traces, names}

    References
    ----------
    G. Tzortzis and A. Likas. Kernel-based weighted multi-view clustering. ICDM 2012.

    Examples
    --------
    {example: mvkkm}
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        p: float = 3.0,
        affinity: str = "cosine",
        n_neighbors: int | None = None,
        alpha: float = 10.0,
        scaling: str = "unit-samples",
        max_iter: int = 200,
        tol: float = 1e-6,
        views: Any = None,
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.p = p
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.scaling = scaling
        self.max_iter = max_iter
        self.tol = tol
        self.views = views
        self.n_init = n_init
        self.random_state = random_state

    _memory_demand = MemoryDemand(1.1, 1.0, 3.1)
    _parameter_constraints: ClassVar = {
        **AffinityMethod._parameter_constraints,
        "p": [Number(least=1)],
    }

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        kernels = [self._kernel(array, views.names[v], rng) for array, v in zip(arrays, used, strict=True)]
        options: dict[str, Any] = {"p": self.p, "max_iter": self.max_iter, "tol": self.tol, "random_state": rng}
        return best_of(self.n_init, lambda: multi_view_kernel_kmeans(kernels, self.n_clusters, **options))

    def _kernel(self, array: Any, name: str, rng: np.random.RandomState) -> np.ndarray:
        if self.affinity == "cosine" and self.n_neighbors is None:  # unlike the graph, the kernel keeps its negative entries
            kernel = cosine_similarity(SCALINGS[self.scaling](array))
            np.fill_diagonal(kernel, 1)
        else:
            kernel = self._graphs([array])[0]
            if self.affinity != "gaussian" or self.n_neighbors is not None:
                kernel = _positive(kernel, rng)
        return _unit_scatter(_unit_diagonal(kernel, name))
