"""Values that were rounded, and samples that look the same because of it.

Answers on a scale, scores, ages and codes take few values, so many samples have exactly the same. Where a sample has more
copies than neighbours, all its neighbours are copies at the distance 0, and these are a piece of the neighbour graph of
their own: a questionnaire falls apart into its most frequent answers. But a rounded value stands for a range. Anywhere in
this range, as the value before rounding was, samples are also near others that answered a little differently.

A category or a yes or no is as coarse. In a table of numbers and a few of these, the nearest neighbours of a sample have all
its categories, since any other category is farther away than most numbers: the graph falls apart into the combinations of
categories, whether or not these have anything to do with each other or with the numbers.

So the values of such a view are spread before graphs are made: each by a random number within half a step to either side,
where a step is the distance to the nearer one of the next values. A value far from all others stays far from them, and one
that many samples share among finely graded ones (0 for nothing at all) stays nearly where it is. Two categories that are
spread touch, so that one of them alone divides nothing; samples that differ in several still lie apart. Columns in which no
value occurs twice stay as they are. In the end copies get the same label again.

The random numbers follow from the values, so that the order of columns and units do not matter. Time is ``n p log n``, for
such views only.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np

__all__ = [
    "are_mostly_two_valued",
    "is_rounded",
    "n_distinct",
    "same_for_copies",
    "spread_over_steps",
    "two_valued",
]

_DIGITS = 10  # in which rows must agree to be copies; products of equal rows may differ in the last ones

_MOSTLY = 0.5  # share of the columns


def two_valued(values: np.ndarray) -> np.ndarray:
    """Which columns take at most two values, (p,) bool."""
    return np.asarray(np.all((values == values.min(axis=0)) | (values == values.max(axis=0)), axis=0))


def are_mostly_two_valued(views: Sequence[np.ndarray]) -> bool:
    """Whether most of the columns that vary, of all (n, p_v) views together, take two values."""
    varying = [view[:, view.min(axis=0) < view.max(axis=0)] for view in views]
    two = np.concatenate([two_valued(view) for view in varying if view.size] or [np.empty(0)])
    return two.size > 0 and bool(two.mean() > _MOSTLY)


def is_rounded(points: np.ndarray, count: int) -> bool:
    """Whether a column of an (n, p) array takes two values, or some row has more than ``count`` copies beside itself."""
    varying = points[:, points.min(axis=0) < points.max(axis=0)]
    return bool(two_valued(varying).any()) or bool(np.bincount(_distinct(points)).max() > count + 1)


def n_distinct(views: Sequence[np.ndarray]) -> int:
    """How many different samples there are; in the view with most of them, if not all views have all samples."""
    if len({len(view) for view in views}) == 1:
        views = [np.stack([_distinct(view) for view in views], axis=1)]
    return max(int(_distinct(view).max()) + 1 for view in views)


def spread_over_steps(points: np.ndarray) -> np.ndarray:
    """The (n, p) points, with every value anywhere within half a step of where it was."""
    columns = [np.unique(column, return_inverse=True) for column in points.T]
    order = np.argsort(sum(_hashed(of) for _, of in columns), kind="stable")
    return points + np.stack([_shifts(values, of, order) for values, of in columns], axis=1)


def same_for_copies(labels: np.ndarray, views: Sequence[np.ndarray]) -> np.ndarray:
    """The labels, with copies of a sample in the cluster that most of them are in; as they were if that empties a cluster.

    Copies have the same points in all views, (n, p_v) each.
    """
    of = _distinct(np.stack([_distinct(view) for view in views], axis=1))
    votes = np.zeros((of.max() + 1, labels.max() + 1), dtype=np.intp)
    np.add.at(votes, (of, labels), 1)
    voted = votes.argmax(axis=1)[of]
    return voted if np.unique(voted).size == np.unique(labels).size else labels


def _distinct(points: np.ndarray) -> np.ndarray:
    """Which of the distinct rows each row is, (n,); rows with the same random projection are taken for the same."""
    key = points @ np.random.RandomState(0).standard_normal(points.shape[1])
    largest = float(np.abs(key).max()) or 1.0
    return np.unique(np.round(key / largest, _DIGITS), return_inverse=True)[1]


def _hashed(of: np.ndarray) -> np.ndarray:
    """A random number for each value of a column that depends on nothing but how often its values occur."""
    times = np.bincount(of)
    return np.asarray(np.random.RandomState(zlib.crc32(times.tobytes())).random_sample(len(times))[of])


def _shifts(values: np.ndarray, of: np.ndarray, order: np.ndarray) -> np.ndarray:
    """What is added to a column of these ascending values, of which each sample has one; drawn in this order of samples."""
    if len(values) in (1, len(of)):
        return np.zeros(len(of))
    gaps = np.diff(values)
    step = np.minimum(np.append(gaps, np.inf), np.insert(gaps, 0, np.inf))
    shift = np.empty(len(of))
    shift[order] = np.random.RandomState(zlib.crc32(of[order].tobytes())).uniform(-0.5, 0.5, len(of))
    return np.asarray(shift * step[of])
