"""CGD: one graph that varies smoothly along the graphs of all views at once (cross-view graph diffusion).

    min Σ_v β_v H_v(A) + μ‖A − I‖² + (λ/2)‖β‖²,   H_v(A) = ‖A‖² − ⟨A, S_v A S_v⟩,   β on the simplex

S_v is the degree-normalised graph of the nearest neighbours of view v, μ = 0.3 and λ = 19. For given β the minimum is the
solution of A = Σ_v α_v S_v A S_v + (1 − Σα) I with α_v = β_v/(μ + Σβ). The program makes ten rounds of this map and
updates β, ten times; A then solves the equation to single precision. Here it is solved by conjugate gradients, in single
precision as in the program, with fewer steps of 1.5·V·s·n² operations, s entries in a row of S_v. Memory: 2.5 arrays of n ×
n.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from ...graphs import largest_distance, nearest_samples
from ...linalg import Congruence, Laplacian, smallest_eigenpairs
from ...views import Views
from .._base import RelabelMixin
from .._constraints import Count, Number, OneOf
from .._memory import MemoryDemand
from .._solution import Solution
from .base import ProgramMethod

__all__ = ["CGD", "balanced", "cross_view_graph", "normalised_neighbors"]

_MU, _LAM = 0.3, 19.0
_BANDWIDTH = 0.25
_WEIGHT_SWEEPS = 20
_RESIDUAL = 3e-7  # relative, of the conjugate gradients: about the precision of single precision
_REDUCTION = 0.01  # of the residual between two updates of the weights
_STEPS = 60


def normalised_neighbors(points: np.ndarray, n_neighbors: int) -> sp.csr_array:
    """``D^-½ W D^-½`` of ``exp(−(d/d_max)²/0.25)`` to the nearest samples and the sample itself; d squared distances."""
    index, distance = nearest_samples(points, n_neighbors - 1, exclude_self=True)
    n, count = index.shape
    largest = largest_distance(points) or 1.0
    weights = np.exp(-((distance / largest) ** 2) / _BANDWIDTH)
    kept = sp.csr_array((weights.ravel(), index.ravel(), count * np.arange(n + 1)), shape=(n, n)) + sp.eye_array(n)
    graph = sp.csr_array((kept + kept.T) / 2)
    root = sp.diags_array(np.asarray(graph.sum(axis=1)).ravel() ** -0.5)
    return sp.csr_array(root @ graph @ root)


def cross_view_graph(
    walks: Sequence[sp.csr_array], *, max_iter: int, tol: float
) -> tuple[np.ndarray, np.ndarray, list[float], bool]:
    """A, β, the objective after every alternation, and whether β changed by less than ``tol`` in the last one."""
    congruence = Congruence(walks, np.float32)
    n = walks[0].shape[0]
    fused = np.eye(n, dtype=np.float32)
    weights = np.full(len(walks), 1 / len(walks))
    objective: list[float] = []
    converged = False
    while not converged and len(objective) < max_iter:
        fused, solved = _diffused(congruence, weights / (_MU + weights.sum()), fused)
        square = float(np.einsum("ij,ij->", fused, fused, dtype=np.float64))
        costs = [square - congruence.inner(v, fused) for v in range(len(walks))]
        before, weights = weights, balanced(weights, costs)
        trace = float(np.trace(fused, dtype=np.float64))
        objective.append(float(weights @ costs) + _MU * (square - 2 * trace + n) + _LAM / 2 * float(weights @ weights))
        converged = solved and float(np.abs(weights - before).max()) <= tol
    return fused, weights, objective, converged


def _diffused(congruence: Congruence, shares: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, bool]:
    """``A = Σ_v α_v S_v A S_v + (1 − Σα) I`` by conjugate gradients. The map is symmetric with norm Σα < 1.

    The residual is reduced to a hundredth, since the weights change again; also returned is whether it is as small as single
    precision allows.
    """
    rest = np.float32(1 - shares.sum())
    solution = start.copy()
    residual = congruence.weighted(shares, solution)
    residual -= solution
    residual[np.diag_indices_from(residual)] += rest
    direction = residual.copy()
    square = _square(residual)
    least = _RESIDUAL**2 * float(rest) ** 2 * len(start)
    enough = max(least, _REDUCTION**2 * square)
    for _ in range(_STEPS):
        if square <= enough:
            break
        image = congruence.weighted(shares, direction)
        np.subtract(direction, image, out=image)
        step = np.float32(square / float(np.einsum("ij,ij->", direction, image, dtype=np.float64)))
        image *= step
        residual -= image
        np.multiply(direction, step, out=image)
        solution += image
        last, square = square, _square(residual)
        direction *= np.float32(square / last)
        direction += residual
    return solution, square <= least


def _square(matrix: np.ndarray) -> float:
    return float(np.einsum("ij,ij->", matrix, matrix, dtype=np.float64))


def balanced(weights: np.ndarray, costs: Sequence[float]) -> np.ndarray:
    """``argmin Σβ_v H_v + (λ/2)‖β‖²`` over the simplex, by the program's sweeps over pairs of views."""
    weights = weights.copy()
    for _ in range(_WEIGHT_SWEEPS):
        for i in range(len(weights)):
            for j in range(i + 1, len(weights)):
                total = weights[i] + weights[j]
                weights[i] = min(max(total / 2 + (costs[j] - costs[i]) / (2 * _LAM), 0.0), total)
                weights[j] = total - weights[i]
    return weights


class CGD(RelabelMixin, ProgramMethod):
    """Cross-view graph diffusion.

    ``min Σ_v β_v H_v(A) + μ‖A − I‖² + (λ/2)‖β‖²`` over a graph ``A`` and weights ``β`` on the simplex, where ``H_v(A) =
    ‖A‖² − ⟨A, S_v A S_v⟩`` is small if ``A`` varies little along the normalised neighbour graph ``S_v`` of view v.
    k-means runs on the leading eigenvectors of the degree-normalised ``A``, divided by the root of the degree. μ and λ are
    fixed.

    Parameters
    ----------
    {n_clusters}
    variant : {"program"}, default="program"
        The authors' program, the only variant: their text was not available to us. The program makes a fixed number of
        rounds for ``A``; this implementation solves for ``A`` and agrees with it to single precision.
    n_neighbors : int, default=16
        Number of edges of a sample in each view, its edge to itself included.
    {program_scaling}
    max_iter : int, default=10
        Number of updates of the weights. The program makes ten, even if the weights still change a little then;
        ``converged_`` says whether they do.
    tol : float, default=1e-6
        Stop before when no weight of a view changes by more than this.
    {views}
    n_init : int, default=20
        Number of k-means runs on the embedding; the best one is kept.
    {random_state}

    Attributes
    ----------
    {labels_, embedding_, affinity_matrix_, objective_, view_weights_, traces, names}

    References
    ----------
    C. Tang, X. Liu, X. Zhu, E. Zhu, Z. Luo, L. Wang and W. Gao. CGD: multi-view clustering via cross-view graph diffusion.
    AAAI 2020.

    Examples
    --------
    {example: cgd}
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        variant: str = "program",
        n_neighbors: int = 16,
        scaling: str = "unit-samples",
        max_iter: int = 10,
        tol: float = 1e-6,
        views: Any = None,
        n_init: int = 20,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.n_neighbors = n_neighbors
        self.scaling = scaling
        self.max_iter = max_iter
        self.tol = tol
        self.views = views
        self.n_init = n_init
        self.random_state = random_state

    _warns_at_max_iter = False  # ten updates are the method
    _memory_demand = MemoryDemand(3.5, 0.1, 0.0, 1.2)
    _parameter_constraints: ClassVar = {
        **ProgramMethod._parameter_constraints,
        "variant": [OneOf("program")],
        "n_neighbors": [Count(2)],
        "tol": [Number(least=0)],
    }

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        walks = [normalised_neighbors(x, self.n_neighbors) for x in self._scaled(views, arrays, used)]
        fused, weights, objective, converged = cross_view_graph(walks, max_iter=self.max_iter, tol=self.tol)
        laplacian = Laplacian.of(fused.astype(np.float64), normalized=True)
        vectors = smallest_eigenpairs(laplacian, self.n_clusters, random_state=rng).vectors
        points = laplacian.inverse_root[:, None] * vectors
        found: dict[str, Any] = {"points": points, "embedding": points, "graph": fused, "weights": weights}
        return Solution(converged, len(objective), np.asarray(objective), **found)
