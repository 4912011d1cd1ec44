"""Starts of k-means: samples that lie far from each other."""

from __future__ import annotations

import numpy as np

__all__ = ["plus_plus_seeds"]


def plus_plus_seeds(points: np.ndarray, n_clusters: int, random_state: np.random.RandomState) -> np.ndarray:
    """The rows that k-means++ draws, (n_clusters, p), with several trials for each.

    The draws are those of scikit-learn's ``kmeans_plusplus``, which spends most of its time on checks of its arguments if
    there are few points: this is a start for its ``KMeans``, the same up to rounding and several times faster.
    """
    n, trials = len(points), 2 + int(np.log(n_clusters))
    squares = np.einsum("ij,ij->i", points, points)
    transposed = np.ascontiguousarray(points.T)  # copied once, where every product would copy it again

    def squared_distances(chosen: np.ndarray) -> np.ndarray:
        found = points[chosen] @ transposed
        found *= -2
        found += squares[chosen][:, None]
        found += squares
        return np.maximum(found, 0, out=found)

    seeds = np.empty(n_clusters, dtype=np.intp)
    seeds[0] = random_state.choice(n, p=np.full(n, 1 / n))
    nearest = squared_distances(seeds[:1])[0]
    total = nearest.sum()
    for c in range(1, n_clusters):
        drawn = random_state.uniform(size=trials) * total
        candidates = np.minimum(np.searchsorted(np.cumsum(nearest), drawn), n - 1)  # with rounding it may be n
        shorter = squared_distances(candidates)
        np.minimum(shorter, nearest, out=shorter)
        totals = shorter.sum(axis=1)
        best = totals.argmin()
        seeds[c], nearest, total = candidates[best], shorter[best], totals[best]
    return points[seeds]
