"""Whether new samples are like those of the fit.

A point is compared with its nearest known points: its score is ``log₂`` of its mean distance to them over the harmonic mean
of theirs (the simplified local outlier factor). In few dimensions known points have scores up to 1 and more, in many hardly
0.3, because all distances are about the same. So new points are *unlike* the known ones if their score is above that of 99 %
of these, each compared with the others. With correct data that is one new point in a hundred.

Points with many columns are compared after a random projection (Johnson and Lindenstrauss), not by principal components:
what is new about a point may lie outside of all directions in which the known points vary.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.neighbors import NearestNeighbors

from .._utils.warn import warn
from ..exceptions import UnlikeFitWarning

__all__ = ["FEWEST_NEW", "Novelty", "some_rows", "warn_of_unlike_samples"]

_MOST_KNOWN = _MOST_NEW = 500
_FEWEST_KNOWN = 20
FEWEST_NEW = 10  # of fewer new samples, many may be unlike by chance
_MANY_UNLIKE = 0.3
_MOST_COLUMNS = 100
_NEIGHBORS = 10
_LEAST = 1e-6
_FARTHEST = 1e12
_USUAL = 0.99  # quantile of the scores of known points


@dataclass(frozen=True)
class Novelty:
    """Some known points, and how unlike each other they are.

    Attributes
    ----------
    n_columns : int
    known : (m, r) array of float32, with r < n_columns if these are many
    distances : (m,) array, the mean distance of each to its nearest ones
    bound : float, the score above which points are unlike these
    """

    n_columns: int
    known: np.ndarray
    distances: np.ndarray
    bound: float

    @classmethod
    def learn(cls, points: np.ndarray) -> Novelty | None:
        """Learn from (n, p) points, or some of them; None if they are too few."""
        if len(points) < _FEWEST_KNOWN:
            return None
        known = _projected(points[some_rows(len(points), _MOST_KNOWN)])
        distance, index = NearestNeighbors(n_neighbors=_NEIGHBORS).fit(known).kneighbors()
        distances = distance.mean(axis=1)
        distances = np.maximum(distances, _LEAST * float(known.std()) or 1.0)  # equal points have 0
        bound = float(np.quantile(_scores(distances, distances[index]), _USUAL))
        return cls(points.shape[1], known, distances, bound)

    def unlike(self, points: np.ndarray) -> np.ndarray:
        """Which points are unlike the known ones, (n,) bool."""
        if not len(points):
            return np.empty(0, dtype=bool)
        distance, index = NearestNeighbors(n_neighbors=_NEIGHBORS).fit(self.known).kneighbors(_projected(points))
        return _scores(distance.mean(axis=1), self.distances[index]) > self.bound


def some_rows(n: int, most: int = _MOST_NEW) -> np.ndarray:
    """At most so many of n rows, at equal distances: those that are looked at."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(int))


def warn_of_unlike_samples(unlike: np.ndarray) -> None:
    """Warn if many of the new samples are unlike those of the fit."""
    n = len(unlike)
    if n >= FEWEST_NEW and unlike.sum() > _MANY_UNLIKE * n:
        warn(
            UnlikeFitWarning(
                f"{int(unlike.sum())} of {n} new samples are unlike all samples of the fit, so their clusters mean little.",
                hint="Check the units, the order of the columns and the order of the rows of the new views.",
                parameter="X",
            )
        )


def _scores(distances: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    return np.asarray(np.log2(np.maximum(distances * (1 / theirs).mean(axis=1), _LEAST)))


def _projected(points: np.ndarray) -> np.ndarray:
    """At most a hundred coordinates, between which squared distances are the same up to about a seventh."""
    p = points.shape[1]
    points = np.clip(points, -_FARTHEST, _FARTHEST)  # squares of single precision overflow
    if p > _MOST_COLUMNS:
        points = points @ (np.random.RandomState(0).standard_normal((p, _MOST_COLUMNS)) / np.sqrt(_MOST_COLUMNS))
    return points.astype(np.float32)
