"""Whether two views of the same samples tell anything about each other.

If the rows of one view are in another order, samples that are near each other in it are near each other in the other view no
more often than by chance. That is true of a view of noise too. It needs no clusters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

__all__ = ["NearPairs", "are_certainly_related", "are_nearer", "are_related"]

_CERTAINLY = 6.0  # standard deviations of a Poisson distribution above the expected number of common pairs
_PERMUTATIONS, _BY_CHANCE = 99, 0.03
_FEWEST_PAIRS = 50
_NEARER = 3.0  # standard deviations of a binomial distribution


@dataclass(frozen=True)
class NearPairs:
    """Which samples are near each other in one view.

    Attributes
    ----------
    rows : (m,) array of int, the samples that were looked at, ascending
    graph : (m, m) sparse array, an entry for each pair
    """

    rows: np.ndarray
    graph: sp.csr_array

    def among(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The pairs among these samples, given by their places in ``rows``, ascending, as two arrays of positions."""
        every = len(places) == len(self.rows)
        pairs = (self.graph if every else sp.csr_array(self.graph[places][:, places])).tocoo()
        different = pairs.row != pairs.col
        return pairs.row[different].astype(np.intp), pairs.col[different].astype(np.intp)


@dataclass(frozen=True)
class _CommonPairs:
    """Pairs of the same n samples in two views.

    Attributes
    ----------
    is_near : (n, n) array of bool, which pairs are near in one of them
    left, right : arrays of int, the pairs that are near in the other
    """

    is_near: np.ndarray
    left: np.ndarray
    right: np.ndarray

    @classmethod
    def of(cls, one: NearPairs, other: NearPairs) -> _CommonPairs | None:
        """None if there are too few."""
        _, here, there = np.intersect1d(one.rows, other.rows, return_indices=True)
        first, second = one.among(here)
        left, right = other.among(there)
        if min(len(first), len(left)) < _FEWEST_PAIRS:
            return None
        is_near = np.zeros((len(here), len(here)), dtype=bool)
        is_near[first, second] = True
        return cls(is_near, left, right)

    def found(self) -> int:
        return int(np.count_nonzero(self.is_near[self.left, self.right]))

    def found_in(self, order: np.ndarray) -> int:
        """The same with the samples of the other view in this order."""
        return int(np.count_nonzero(self.is_near[order[self.left], order[self.right]]))

    def certainly(self) -> bool:
        """Whether there are far more than chance explains."""
        n = len(self.is_near)
        expected = np.count_nonzero(self.is_near) * len(self.left) / (n * (n - 1))
        return bool(self.found() > expected + _CERTAINLY * np.sqrt(expected))


def are_certainly_related(one: NearPairs, other: NearPairs) -> bool:
    """Whether far more pairs are near in both views than chance explains."""
    pairs = _CommonPairs.of(one, other)
    return pairs is not None and pairs.certainly()


def are_related(one: NearPairs, other: NearPairs) -> bool | None:
    """Whether pairs that are near in one view are near in the other more often than by chance; None if there are too few."""
    pairs = _CommonPairs.of(one, other)
    if pairs is None:
        return None
    if pairs.certainly():
        return True
    found, rng = pairs.found(), np.random.RandomState(0)
    as_many = sum(pairs.found_in(rng.permutation(len(pairs.is_near))) >= found for _ in range(_PERMUTATIONS))
    return (1 + as_many) / (1 + _PERMUTATIONS) <= _BY_CHANCE


def are_nearer(distances: np.ndarray, others: np.ndarray) -> bool:
    """Whether the first of two distances is the smaller one more often than by chance; equal ones count half."""
    sooner = float(np.mean(distances < others)) + 0.5 * float(np.mean(distances == others))
    return bool(2 * (sooner - 0.5) * np.sqrt(len(distances)) > _NEARER)
