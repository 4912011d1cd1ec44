"""Steps that the k-means-like solvers share: seeds, means, distances, weights of views, starts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .._solution import Solution

__all__ = ["best_of", "distances_to", "seeded_labels", "view_weights", "weighted_means"]


def seeded_labels(
    distances_from: Callable[[int], np.ndarray], n_clusters: int, random_state: np.random.RandomState
) -> np.ndarray:
    """k-means++: draw each seed with probability proportional to the squared distance to the nearest seed so far.

    ``distances_from(i)`` returns the squared distances of all samples from sample ``i``, (n,). Every sample gets the label
    of its nearest seed.
    """
    n = len(distances_from(0))
    nearest = np.maximum(distances_from(int(random_state.randint(n))), 0)
    labels = np.zeros(n, dtype=int)
    for j in range(1, n_clusters):
        total = nearest.sum()
        seed = int(random_state.choice(n, p=nearest / total if total > 0 else None))
        distances = np.maximum(distances_from(seed), 0)
        closer = distances < nearest
        closer[seed] = True
        labels[closer] = j
        nearest = np.minimum(nearest, distances)
    return labels


def weighted_means(x: np.ndarray, labels: np.ndarray, weights: np.ndarray, n_clusters: int) -> np.ndarray:
    """Weighted cluster means, (k, d). The mean of a cluster without weight is the origin; ``refilled`` adds a sample."""
    shares = np.eye(n_clusters)[labels] * weights[:, None]
    totals = shares.sum(axis=0)
    return (shares.T @ x) / np.where(totals > 0, totals, 1)[:, None]


def distances_to(x: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Squared distances of samples to centres, (n, k)."""
    squares = (x**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1)[None, :] - 2 * (x @ centres.T)
    return np.maximum(squares, 0)


def view_weights(scatters: np.ndarray, exponent: float) -> np.ndarray:
    """``argmin_w Σ_v w_v^p D_v`` over the simplex: ``w_v ∝ D_v^{1/(1−p)}``; for p = 1 one view has all the weight."""
    if exponent == 1:
        return np.eye(len(scatters))[int(np.argmin(scatters))]
    logs = np.log(np.maximum(scatters, np.finfo(float).tiny)) / (1 - exponent)
    powers = np.exp(logs - logs.max())
    return powers / powers.sum()


def best_of(n_init: int, solve: Callable[[], Solution], trace: str = "objective") -> Solution:
    """The solution of ``n_init`` starts with the lowest final objective, or final value of another trace."""
    solutions = [solve() for _ in range(n_init)]

    def last(solution: Solution) -> float:
        return float(np.asarray({"objective": solution.objective, **solution.history}[trace])[-1])

    return min(solutions, key=last)
