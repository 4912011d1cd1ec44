"""k-means for arrays of any library and device; NumPy arrays go to scikit-learn's (:mod:`viewfuse.linalg.assign`).

    min Σ_i ‖x_i − c_{y_i}‖²

Lloyd's iterations from k-means++ seeds, the best of several starts. An iteration is two products of 2nkd operations and
a few passes over n × k numbers. Only the stopping test waits for the device. scikit-learn's ``kmeans_plusplus`` cannot serve
here: it needs NumPy arrays on the host.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from array_api_compat import array_namespace

from .._utils.device import beside
from .threads import spans

__all__ = ["KMeansResult", "kmeans", "squared_distances"]


@dataclass(frozen=True)
class KMeansResult:
    """A clustering of the rows.

    Attributes
    ----------
    labels : (n,) array of int64; each of 0 … k − 1 occurs if there are at least k different rows
    centres : (k, d) array
    inertia : float, Σ_i ‖x_i − c_{y_i}‖²
    iterations : int
    """

    labels: Any
    centres: Any
    inertia: float
    iterations: int


def kmeans(
    points: Any,
    n_clusters: int,
    *,
    n_init: int,
    random_state: np.random.RandomState,
    tol: float = 1e-4,
    max_iterations: int = 300,
    max_distances: int = 2**24,
) -> KMeansResult:
    """The best of ``n_init`` runs by inertia.

    ``tol`` is relative to the features' mean variance, as in scikit-learn. Seeds are drawn for several starts at once, with
    at most ``max_distances`` distances in memory.
    """
    xp = array_namespace(points)
    centred = points - xp.mean(points, axis=0)
    threshold = tol * float(xp.mean(centred * centred))
    trials = 2 + int(np.log(n_clusters))
    at_once = max(1, max_distances // (trials * points.shape[0]))
    runs = []
    for part in spans(n_init, at_once):
        draws = random_state.random_sample((part.stop - part.start, n_clusters, trials))
        runs += [_lloyd(points, seeds, threshold, max_iterations) for seeds in _seeds(points, draws)]
    return min(runs, key=lambda run: run.inertia)


def _seeds(points: Any, draws: np.ndarray) -> list[Any]:
    """k-means++: draw each seed with probability proportional to the squared distance from the seeds before it.

    Of a few draws the best becomes the seed. ``draws`` (starts, k, trials) are uniform in [0, 1). All starts are processed
    together, so that a step is a few large operations that need not wait for the device.
    """
    xp = array_namespace(points)
    n, (n_starts, n_clusters, trials) = int(points.shape[0]), draws.shape
    first = beside(points, (n * draws[:, 0, 0]).astype(np.int64))
    draws = xp.asarray(draws, dtype=points.dtype, device=points.device)
    own = trials * xp.arange(n_starts, device=points.device)  # index of a start's first candidate
    seeds = [xp.take(points, first, axis=0)]
    nearest = squared_distances(seeds[0], points)  # (starts, n)
    for step in range(1, n_clusters):
        reached = xp.cumulative_sum(nearest, axis=1)
        targets = draws[:, step, :] * reached[:, -1:]
        chosen = xp.concat([xp.searchsorted(reached[s, :], targets[s, :]) for s in range(n_starts)])
        candidates = xp.take(points, xp.clip(chosen, None, n - 1), axis=0)
        distances = xp.reshape(squared_distances(candidates, points), (n_starts, trials, n))
        closer = xp.minimum(nearest[:, None, :], distances)
        best = own + xp.argmin(xp.sum(closer, axis=2), axis=1)
        nearest = xp.take(xp.reshape(closer, (n_starts * trials, n)), best, axis=0)
        seeds.append(xp.take(candidates, best, axis=0))
    together = xp.stack(seeds, axis=1)
    return [together[s, :, :] for s in range(n_starts)]


def _lloyd(points: Any, centres: Any, threshold: float, max_iterations: int) -> KMeansResult:
    xp = array_namespace(points)
    iterations, shift = 0, float("inf")
    while shift > threshold and iterations < max_iterations:
        labels, costs = _nearest(points, centres)
        moved = _means(points, labels, costs, centres)
        shift = float(xp.sum((moved - centres) ** 2))
        centres, iterations = moved, iterations + 1
    labels, costs = _nearest(points, centres)
    return KMeansResult(labels, centres, float(xp.sum(costs)), iterations)


def _nearest(points: Any, centres: Any) -> tuple[Any, Any]:
    xp = array_namespace(points)
    distances = squared_distances(points, centres)
    return xp.argmin(distances, axis=1), xp.min(distances, axis=1)


def _means(points: Any, labels: Any, costs: Any, centres: Any) -> Any:
    """Cluster means; empty clusters move to the samples farthest from their centres."""
    xp = array_namespace(points)
    numbers = xp.arange(centres.shape[0], dtype=labels.dtype, device=points.device)
    members = xp.astype(labels[:, None] == numbers[None, :], points.dtype)
    sizes = xp.sum(members, axis=0)
    means = (members.T @ points) / xp.where(sizes > 0, sizes, xp.ones_like(sizes))[:, None]
    empty = sizes == 0
    if not bool(xp.any(empty)):
        return means
    worst = xp.argsort(costs, descending=True)[: centres.shape[0]]
    order = xp.cumulative_sum(xp.astype(empty, worst.dtype)) - 1
    order = xp.where(empty, order, xp.zeros_like(order))
    return xp.where(empty[:, None], xp.take(points, xp.take(worst, order), axis=0), means)


def squared_distances(points: Any, centres: Any) -> Any:
    """``‖x_i − c_j‖²`` of all pairs of rows, at least 0."""
    xp = array_namespace(points)
    squares = xp.sum(points * points, axis=1)[:, None] + xp.sum(centres * centres, axis=1)[None, :]
    distances = squares - 2 * (points @ centres.T)
    return xp.where(distances > 0, distances, xp.zeros_like(distances))
