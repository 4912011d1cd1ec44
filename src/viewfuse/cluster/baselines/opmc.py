"""OPMC: one partition for all views by matrix factorisation, without a step that discretises an embedding.

    min Σ_v ‖X_v − Y C_v W_v‖²/V,   Y a hard assignment (n × c), C_v (c × c), W_vW_vᵀ = I

For a given Y the product C_vW_v is the matrix of the cluster means, so this is k-means on the concatenated views, which the
program starts from random partitions. All starts run together: an iteration of r starts is one product of n × d and d × r·c.
Views with more features than samples are rotated into n coordinates first. Memory: the views and n × r·c distances, with r
reduced so that these are few.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from ...linalg import all_clusters_taken
from ...linalg.threads import spans
from ...views import Views
from .._constraints import OneOf
from .._solution import Solution
from .base import ProgramMethod
from .coordinates import in_few_coordinates

__all__ = ["OPMC", "factorise_from"]

_AT_ONCE = 2**22  # distances in memory at once


def factorise_from(
    points: np.ndarray, starts: np.ndarray, n_clusters: int, *, max_iter: int, tol: float
) -> tuple[np.ndarray, list[list[float]], np.ndarray]:
    """Alternate means and labels, from each row of ``starts`` (r, n), until its loss falls by less than ``tol`` of itself.

    Returns labels (r, n), the losses of every start after each iteration, and whether each start converged. The mean of an
    empty cluster is the origin.
    """
    labels = np.array(starts)
    losses: list[list[float]] = [[] for _ in labels]
    converged = np.zeros(len(labels), dtype=bool)
    squares = np.einsum("ij,ij->i", points, points)
    active = np.arange(len(labels))
    for _ in range(max_iter):
        labels[active], costs = _assigned(points, squares, labels[active], n_clusters)
        for start, cost in zip(active, costs, strict=True):
            losses[start].append(float(cost))
            converged[start] = len(losses[start]) > 1 and abs(losses[start][-2] - cost) <= tol * losses[start][-2]
        active = active[~converged[active]]
        if not active.size:
            break
    return labels, losses, converged


def _assigned(points: np.ndarray, squares: np.ndarray, labels: np.ndarray, n_clusters: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels by the nearest cluster mean, (r, n), and the sums of squared distances to them, (r,)."""
    r, n = labels.shape
    clusters = (labels + n_clusters * np.arange(r)[:, None]).ravel()
    members = sp.csr_array((np.ones(r * n), (clusters, np.tile(np.arange(n), r))), shape=(r * n_clusters, n))
    sizes = np.bincount(clusters, minlength=r * n_clusters)
    means = (members @ points) / np.maximum(sizes, 1)[:, None]
    costs = points @ (-2 * means.T)
    costs += np.einsum("ij,ij->i", means, means)
    costs = costs.reshape(n, r, n_clusters)
    nearest = costs.argmin(axis=2)
    return nearest.T, np.take_along_axis(costs, nearest[:, :, None], axis=2)[:, :, 0].sum(axis=0) + squares.sum()


class OPMC(ProgramMethod):
    """One-pass multi-view clustering.

    ``min Σ_v ‖X_v − Y C_v W_v‖²`` with one hard assignment ``Y`` for all views and ``W_vW_vᵀ = I``. Since ``C_vW_v`` is the
    matrix of the cluster means, this is k-means on the views side by side; the best of many random partitions is kept. The
    views have no weights: the program contains an update of weights that it never calls. Linear in the number of samples.

    ``objective_`` is the loss of the best start after every iteration, divided by the number of views as in the program,
    and ``history_["start_losses"]`` the final losses of all starts.

    Parameters
    ----------
    {n_clusters}
    variant : {"program"}, default="program"
        The only variant.
    {program_scaling, max_iter}
    tol : float, default=1e-5
        Stop when the loss decreases by less than this share of itself.
    {views}
    n_init : int, default=100
        Number of random partitions to start from; the one with the smallest loss is kept.
    {random_state}

    Attributes
    ----------
    {labels_, objective_, traces, names}

    References
    ----------
    J. Liu, X. Liu, Y. Yang, L. Liu, S. Wang, W. Liang and J. Shi. One-pass multi-view clustering for large-scale data. ICCV
    2021.

    Examples
    --------
    {example: opmc}
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        variant: str = "program",
        scaling: str = "standard-samples",
        max_iter: int = 1000,
        tol: float = 1e-5,
        views: Any = None,
        n_init: int = 100,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.scaling = scaling
        self.max_iter = max_iter
        self.tol = tol
        self.views = views
        self.n_init = n_init
        self.random_state = random_state

    _parameter_constraints: ClassVar = {**ProgramMethod._parameter_constraints, "variant": [OneOf("program")]}

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        points = in_few_coordinates(np.hstack(self._scaled(views, arrays, used)))
        points /= np.sqrt(len(used))
        best: tuple[np.ndarray, list[float], bool] | None = None
        finals: list[float] = []
        for part in spans(self.n_init, max(1, _AT_ONCE // (len(points) * self.n_clusters))):
            starts = rng.randint(self.n_clusters, size=(part.stop - part.start, len(points)))
            labels, losses, ended = factorise_from(points, starts, self.n_clusters, max_iter=self.max_iter, tol=self.tol)
            lasts = [trace[-1] for trace in losses]
            i = int(np.argmin(lasts))
            if best is None or lasts[i] < best[1][-1]:
                best = labels[i], losses[i], bool(ended[i])
            finals += lasts
        assert best is not None
        found, trace, converged = best
        means = np.stack(
            [points[found == j].mean(axis=0) if (found == j).any() else points[0] * 0 for j in range(self.n_clusters)]
        )
        gaps = points - means[found]
        labels = all_clusters_taken(found, np.einsum("ij,ij->i", gaps, gaps), self.n_clusters)
        history = {"start_losses": np.asarray(finals)}
        return Solution(converged, len(trace), np.asarray(trace), labels=labels, history=history)
