"""SNF: similarity networks of the views, diffused through each other until they agree.

    P_v ← S_v (mean of the other P) S_vᵀ, normalised, for a fixed number of rounds

where P_v is the full network of view v and S_v that of its k strongest edges. There is no objective. The clusters are those
of the normalised Laplacian of the mean network, by Yu and Shi's rotation. S_v is sparse: a round takes 1.5·V·k·n²
operations instead of the 4V·n³ of dense products, mostly in single precision. Memory: V + 3 arrays of n × n.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from ...graphs import ScaledView, squared_distances
from ...linalg import Congruence, Laplacian, all_clusters_taken, smallest_eigenpairs, unit_rows
from ...linalg.threads import for_each, spans
from ...views import Views
from .._base import EmbeddingMixin
from .._constraints import Count, Number
from .._memory import MemoryDemand
from .._solution import Solution
from .base import ProgramMethod

__all__ = ["SNF", "diffuse", "network", "rotated_labels"]

_PANEL = 256
_ROTATIONS = 20
_DOUBLE_ROUNDS = 3
_ROUNDING = 1e-12  # relative difference of two weights that are equal but for rounding
_DENSE_UP_TO = 1000  # samples: to this precision LAPACK is faster than iterations


def network(view: np.ndarray, n_neighbors: int, mu: float, variant: str) -> np.ndarray:
    """The similarity network of a view, (n, n), symmetric.

    ``ε_ij = (m_i + m_j + ρ_ij)/3`` with distances ρ and the mean distance m to the nearest samples. The program takes the
    normal density at ρ with standard deviation με, the paper ``exp(−ρ²/(με))``.
    """
    distances = np.sqrt(squared_distances(ScaledView(view)))
    count = min(n_neighbors, len(distances) - 1)
    near = np.partition(distances, count, axis=1)[:, : count + 1].sum(axis=1) / count  # the distance to itself is 0
    least = np.finfo(float).eps

    def panel(rows: slice, _: object) -> tuple[float, ...]:
        rho = distances[rows]
        scale = np.maximum((near[rows, None] + near[None, :] + rho) / 3, least) * mu
        if variant == "program":
            distances[rows] = np.exp(-0.5 * (rho / scale) ** 2) / (np.sqrt(2 * np.pi) * scale)
        else:
            distances[rows] = np.exp(-(rho**2) / scale)
        return ()

    for_each(panel, spans(len(distances), _PANEL))
    return distances


def halved(weights: np.ndarray) -> np.ndarray:
    """Half of a sample's weight to itself, the other half to others in proportion; symmetrised. Works in place.

    A factor of all weights makes no difference.
    """
    np.fill_diagonal(weights, 0)
    sums = weights.sum(axis=1)
    shares = (0.25 / np.where(sums > 0, sums, 1)).astype(weights.dtype)
    for rows in spans(len(weights), _PANEL):
        weights[rows] *= shares[rows, None] + shares[None, :]
    np.fill_diagonal(weights, 0.5)
    return weights


def strongest(weights: np.ndarray, count: int) -> sp.csr_array:
    """The ``count`` largest entries of each row, scaled to sum to 1; of equal ones those at the highest positions.

    SNFtool sorts a row in ascending order and keeps the end of it. Entries that differ by rounding only are equal here, so
    that the result does not depend on the processor.
    """
    n = len(weights)
    count = min(count, n)
    bound = np.partition(weights, n - count, axis=1)[:, n - count, None]
    kept = weights >= bound * (1 - _ROUNDING)
    for i in np.flatnonzero(kept.sum(axis=1) > count):
        equal = np.flatnonzero(kept[i] & (weights[i] <= bound[i] * (1 + _ROUNDING)))
        kept[i, equal[: int(kept[i].sum()) - count]] = False
    rows, columns = np.nonzero(kept)
    values = weights[rows, columns]
    sums = np.bincount(rows, weights=values, minlength=n)
    return sp.csr_array((values / sums[rows], (rows, columns)), shape=(n, n))


def diffuse(current: list[np.ndarray], n_neighbors: int, rounds: int) -> np.ndarray:
    """The fused network, (n, n), from symmetric networks; the list is emptied. A single one is diffused through itself."""
    for weights in current:
        halved(weights)
    edges = [strongest(weights, n_neighbors) for weights in current]
    # A round averages rounding errors away: the sum of squares has the same eight digits with more rounds in double.
    _diffuse(current, Congruence(edges, np.float32), rounds - _DOUBLE_ROUNDS, np.float32)
    _diffuse(current, Congruence(edges), min(rounds, _DOUBLE_ROUNDS), np.float64)
    total = _sum(current)
    current.clear()
    return halved(total)


def _diffuse(current: list[np.ndarray], congruence: Congruence, rounds: int, dtype: type) -> None:
    """Diffuse the networks of the list, all at once in every round."""
    if rounds <= 0:
        return
    for v, weights in enumerate(current):
        current[v] = weights.astype(dtype, copy=False)
    for _ in range(rounds):
        total = _sum(current)
        for v, own in enumerate(current):
            others = own if len(current) == 1 else total - own  # their sum; the mean gives the same
            current[v] = halved(congruence(v, others))


def _sum(networks: Sequence[np.ndarray]) -> np.ndarray:
    total = networks[0].copy()
    for other in networks[1:]:
        total += other
    return total


def rotated_labels(embedding: np.ndarray) -> np.ndarray:
    """Yu and Shi's discretisation: rotate rows of unit length onto the axes; the nearest axis is the label.

    The first axis is the row in the middle, so labels may depend on the order of the samples.
    """
    rows = unit_rows(embedding)
    n, k = rows.shape
    axes = np.zeros((k, k))
    axes[:, 0] = rows[max(round(n / 2) - 1, 0)]
    used = np.zeros(n)
    for j in range(1, k):
        used += np.abs(rows @ axes[:, j - 1])
        axes[:, j] = rows[used.argmin()]
    last = 0.0
    for _ in range(_ROTATIONS):
        similarity = rows @ axes
        labels = similarity.argmax(axis=1)
        left, values, right = np.linalg.svd(rows.T @ np.eye(k)[labels])
        cut = 2 * (n - float(values.sum()))
        if abs(cut - last) < np.finfo(float).eps:
            break
        last, axes = cut, left @ right
    return np.asarray(all_clusters_taken(labels, 1 - similarity.max(axis=1), k))


class SNF(EmbeddingMixin, ProgramMethod):
    """Similarity network fusion.

    ``P_v ← S_v (mean of the other P) S_vᵀ`` for a fixed number of rounds, where ``P_v`` is the network of view v and ``S_v``
    that of its strongest edges: edges that several views support become stronger. There is no objective and there are no
    weights of views. With one view, its network is diffused through itself. Labels may change with the order of the
    samples, because the rotation that finds them starts from one of them; the fused network does not.

    Parameters
    ----------
    {n_clusters}
    variant : {"program", "paper"}, default="program"
        The similarity of samples at distance ρ: the normal density with standard deviation με (SNFtool), or
        ``exp(−ρ²/(με))`` as printed.
    n_neighbors : int, default=20
        Number of neighbours that set the scale ε, and of the edges in ``S_v``, the sample itself included.
    mu : float, default=0.5
        μ; the paper uses 0.3 to 0.8.
    {program_scaling}
    max_iter : int, default=20
        Number of rounds; all are made.
    {views, random_state}

    Attributes
    ----------
    {labels_, embedding_, affinity_matrix_, traces, names}

    References
    ----------
    B. Wang, A. M. Mezlini, F. Demir, M. Fiume, Z. Tu, M. Brudno, B. Haibe-Kains and A. Goldenberg. Similarity network fusion
    for aggregating data types on a genomic scale. Nature Methods 11 (2014).

    Examples
    --------
    {example: snf}
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        variant: str = "program",
        n_neighbors: int = 20,
        mu: float = 0.5,
        scaling: str = "standard-features",
        max_iter: int = 20,
        views: Any = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.n_neighbors = n_neighbors
        self.mu = mu
        self.scaling = scaling
        self.max_iter = max_iter
        self.views = views
        self.random_state = random_state

    _warns_at_max_iter = False  # the number of rounds is fixed
    _memory_demand = MemoryDemand(5.0, 1.1, 0.0, 1.2)
    _parameter_constraints: ClassVar = {
        **ProgramMethod._parameter_constraints,
        "n_neighbors": [Count(1)],
        "mu": [Number(above=0)],
    }

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        features = self._scaled(views, arrays, used)
        networks = [network(x, self.n_neighbors, self.mu, self.variant) for x in features]
        fused = diffuse(networks, self.n_neighbors, self.max_iter)
        laplacian = Laplacian.of(fused, normalized=True)
        embedding = smallest_eigenpairs(
            laplacian, self.n_clusters, tol=1e-9, random_state=rng, dense_below=_DENSE_UP_TO
        ).vectors
        labels = rotated_labels(embedding)
        return Solution(True, self.max_iter, labels=labels, embedding=embedding, graph=fused)
