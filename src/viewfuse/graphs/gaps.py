"""Joint distances of samples that are missing from views: what is not known is estimated from what is.

The joint distance of two samples is the sum over the views of their squared distances. If one of them is missing from a
view ``u``, their distance in it is not known. Its mean over all pairs would be too much for two samples that are near in the
views that both have: these are mostly of one cluster, and near in ``u`` too. So it counts as the mean distance in ``u`` of
the pairs that are as near in the same other views:

    d̂_u(i, j) = E[ d_u | x, G ],    x = mean over v in G of d_v / d̄_v

with ``G`` the views that both samples have and ``d̄_v`` the mean distance in view ``v``. The expectation is a table over the
values of ``x``, from all pairs of a few hundred samples with all others, and made to grow with ``x``. With more than four
views there are many sets ``G``; then those of equal size share a table. A pair without a common view counts as a mean one.
Time is ``n²`` per view.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from ..linalg.threads import spans

__all__ = ["ExpectedDistances"]

_MOST_VIEWS = 4  # of which every set has a table of its own
_BINS = 512
_LARGEST = 4.0  # of x
_ROWS = 500  # samples from whose pairs the tables are made
_FEWEST_PAIRS = 20  # in a bin that is believed
_BLOCK = 256  # rows at a time


@dataclass(frozen=True)
class ExpectedDistances:
    """Squared joint distances, with expected ones where they are not known.

    Attributes
    ----------
    points : sequence of (n, p_v) arrays; rows of absent samples are ignored
    present : (n, n_views) array of bool
    means : (n_views,) array, the mean squared distance in each view
    tables : (n_views, number of sets G, bins) array, the expected distance over the mean one
    """

    points: Sequence[np.ndarray]
    present: np.ndarray
    means: np.ndarray
    tables: np.ndarray

    @classmethod
    def learn(cls, points: Sequence[np.ndarray], present: np.ndarray) -> ExpectedDistances:
        n, n_views = present.shape
        means = np.array([_mean_squared(view[there]) for view, there in zip(points, present.T, strict=True)])
        n_sets = 2**n_views if n_views <= _MOST_VIEWS else n_views
        learned = cls(points, present, means, np.ones((n_views, n_sets, _BINS)))
        rows = np.arange(n) if n <= _ROWS else np.random.RandomState(0).choice(n, _ROWS, replace=False)
        distances, known = learned._relative(rows)
        known[:, np.arange(len(rows)), rows] = False  # a sample and itself are no pair
        for u in range(n_views):
            group, place = _groups_and_places(distances, known, u)
            both = known[u]
            cells = group[both] * _BINS + place[both]
            counts = np.bincount(cells, minlength=n_sets * _BINS).reshape(n_sets, _BINS)
            sums = np.bincount(cells, distances[u][both], n_sets * _BINS).reshape(n_sets, _BINS)
            for g in np.flatnonzero(counts.sum(axis=1)):
                learned.tables[u, g] = _growing(counts[g], sums[g])
        learned.tables[:, 0] = 1.0  # nothing is known
        return learned

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        """The distances of these samples to all, (number of rows, n)."""
        return np.vstack([self._of_block(rows[part]) for part in spans(len(rows), _BLOCK)])

    def _of_block(self, rows: np.ndarray) -> np.ndarray:
        distances, known = self._relative(rows)
        total = np.zeros(distances.shape[1:])
        for u, mean in enumerate(self.means):
            if known[u].all():
                total += mean * distances[u]
                continue
            group, place = _groups_and_places(distances, known, u)
            total += mean * np.where(known[u], distances[u], self.tables[u][group, place])
        return total

    def _relative(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """``d_v / d̄_v`` of these samples to all, 0 where it is not known, and where it is: (n_views, rows, n)."""
        known = np.stack([there[rows][:, None] & there[None, :] for there in self.present.T])
        scales = np.where(self.means > 0, self.means, 1.0)
        parts = zip(self.points, scales, known, strict=True)
        found = np.zeros((len(known), len(rows), len(self.present)), dtype=np.float32)
        for v, (view, scale, both) in enumerate(parts):
            np.copyto(found[v], euclidean_distances(view[rows], view, squared=True) / scale, where=both, casting="same_kind")
        return found, known


def _mean_squared(points: np.ndarray) -> float:
    """Squared distance, the mean over all pairs: twice the total variance."""
    return 2 * float(points.var(axis=0).sum()) if len(points) else 0.0


def _groups_and_places(distances: np.ndarray, known: np.ndarray, u: int) -> tuple[np.ndarray, np.ndarray]:
    """Which views other than ``u`` both samples have, as a number, and the bin of their mean distance in these."""
    others = [v for v in range(len(known)) if v != u]
    count = known[others].sum(axis=0)
    mean = distances[others].sum(axis=0) / np.maximum(count, 1)
    place = np.minimum(mean * (_BINS / _LARGEST), _BINS - 1).astype(np.intp)
    if len(known) > _MOST_VIEWS:
        return count, place
    return np.sum([known[v].astype(np.intp) << v for v in others], axis=0), place


def _growing(counts: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """Means of the bins, each joined with the next ones until there are enough pairs, that do not fall."""
    ends, pairs, reached = [], 0, np.cumsum(counts)
    for end in range(_BINS):
        if reached[end] - pairs >= _FEWEST_PAIRS:
            ends.append(end)
            pairs = reached[end]
    if not ends:
        return np.full(_BINS, sums.sum() / counts.sum())
    upto = np.array([*ends[:-1], _BINS - 1])  # the last bins are too few by themselves
    totals, numbers = np.cumsum(sums)[upto], reached[upto]
    means = np.diff(totals, prepend=0.0) / np.diff(numbers, prepend=0)
    return np.maximum.accumulate(means)[np.minimum(np.searchsorted(upto, np.arange(_BINS)), len(upto) - 1)]
