"""Nearest points among very many: only the groups of points that are nearest are looked at.

The m points are divided into about ``√m`` groups around centres. A query is compared with the points of the groups whose
centres are nearest to it: ``√m`` times fewer products for each group than with all points. Some of the nearest points are in
other groups and are not found, most often the farthest of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.cluster import MiniBatchKMeans
from sklearn.metrics import pairwise_distances_argmin

__all__ = ["GroupedSearch"]

_POINTS_PER_GROUP_IN_TRAINING = 50
_QUERIES_AT_A_TIME = 50_000
_MISSING_AT_A_TIME = 1_000


class GroupedSearch:
    """A search for the nearest of (m, d) points, in single precision.

    ``n_groups`` is the number of nearest groups in which neighbours are looked for.
    """

    def __init__(self, points: np.ndarray, n_groups: int, random_state: np.random.RandomState) -> None:
        self._origin = points.mean(axis=0)  # near 0, differences lose no digits
        self._points = self._single(points)
        count = max(int(np.sqrt(len(points))), 1)
        training = random_state.permutation(len(points))[: _POINTS_PER_GROUP_IN_TRAINING * count]
        means = MiniBatchKMeans(count, n_init=1, max_iter=10, random_state=random_state).fit(self._points[training])
        groups = pairwise_distances_argmin(self._points, means.cluster_centers_)
        self._members = [found for g in range(count) if (found := np.flatnonzero(groups == g)).size]
        self._centres = np.stack([self._points[members].mean(axis=0) for members in self._members])
        self._n_groups = min(n_groups, len(self._members))

    def nearest(self, queries: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Distances to the nearest points found and their positions, (n, count) each, the nearest first.

        ``count`` is at most the number of points.
        """
        parts = [
            self._nearest(self._single(queries[start : start + _QUERIES_AT_A_TIME]), count)
            for start in range(0, len(queries), _QUERIES_AT_A_TIME)
        ]
        distances, positions = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        return distances, positions

    def _single(self, points: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(points - self._origin, dtype=np.float32)

    def _nearest(self, queries: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        best = np.full((len(queries), count), np.inf, dtype=np.float32)
        where = np.zeros((len(queries), count), dtype=np.intp)
        looked_in = _smallest(_squared_distances(queries, self._centres), self._n_groups)
        asked = np.argsort(looked_in, axis=None, kind="stable")
        bounds = np.searchsorted(looked_in.ravel()[asked], np.arange(len(self._members) + 1))
        for group, members in enumerate(self._members):
            rows = asked[bounds[group] : bounds[group + 1]] // self._n_groups
            if rows.size:
                distances = _squared_distances(queries[rows], self._points[members])
                near = _smallest(distances, min(count, len(members)))
                _merge(best, where, rows, np.take_along_axis(distances, near, axis=1), members[near])
        missing = np.flatnonzero(np.isinf(best).any(axis=1))  # the groups have too few points
        for start in range(0, missing.size, _MISSING_AT_A_TIME):
            rows = missing[start : start + _MISSING_AT_A_TIME]
            distances = _squared_distances(queries[rows], self._points)
            where[rows] = _smallest(distances, count)
            best[rows] = np.take_along_axis(distances, where[rows], axis=1)
        order = np.argsort(best, axis=1, kind="stable")
        found = np.take_along_axis(best, order, axis=1).astype(np.float64)
        return np.sqrt(np.maximum(found, 0)), np.take_along_axis(where, order, axis=1)


def _squared_distances(queries: np.ndarray, points: np.ndarray) -> np.ndarray:
    products = queries @ points.T
    products *= -2
    products += (queries * queries).sum(axis=1)[:, None]
    products += (points * points).sum(axis=1)
    return products


def _smallest(values: np.ndarray, count: int) -> np.ndarray:
    """Positions of the smallest values of each row, in any order."""
    if count >= values.shape[1]:
        return np.broadcast_to(np.arange(values.shape[1]), values.shape)
    return np.argpartition(values, count - 1, axis=1)[:, :count]


def _merge(best: np.ndarray, where: np.ndarray, rows: np.ndarray, distances: np.ndarray, positions: Any) -> None:
    """Keep the smallest distances of those that are known and the new ones of some rows."""
    count = best.shape[1]
    all_distances = np.hstack([best[rows], distances])
    all_positions = np.hstack([where[rows], positions])
    kept = _smallest(all_distances, count)
    best[rows] = np.take_along_axis(all_distances, kept, axis=1)
    where[rows] = np.take_along_axis(all_positions, kept, axis=1)
