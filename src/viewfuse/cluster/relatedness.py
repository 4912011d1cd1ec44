"""Whether two views of the same samples tell anything about each other.

If the rows of one view are in another order, samples that are near each other in it are near each other in the other view no
more often than by chance. That is true of a view of noise too. It needs no clusters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

__all__ = ["NearPairs", "are_related"]

_CERTAINLY = 6.0  # standard deviations of a Poisson distribution above the expected number of common pairs
_PERMUTATIONS, _BY_CHANCE = 99, 0.03
_FEWEST_PAIRS = 50


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


def are_related(one: NearPairs, other: NearPairs) -> bool | None:
    """Whether pairs that are near in one view are near in the other more often than by chance; None if there are too few."""
    _, here, there = np.intersect1d(one.rows, other.rows, return_indices=True)
    n = len(here)
    first, second = one.among(here)
    left, right = other.among(there)
    if min(len(first), len(left)) < _FEWEST_PAIRS:
        return None
    is_near = np.zeros((n, n), dtype=bool)
    is_near[first, second] = True

    def common(order: np.ndarray) -> int:
        return int(np.count_nonzero(is_near[order[left], order[right]]))

    found, expected = common(np.arange(n)), len(first) * len(left) / (n * (n - 1))
    if found > expected + _CERTAINLY * np.sqrt(expected):
        return True
    rng = np.random.RandomState(0)
    as_many = sum(common(rng.permutation(n)) >= found for _ in range(_PERMUTATIONS))
    return (1 + as_many) / (1 + _PERMUTATIONS) <= _BY_CHANCE
