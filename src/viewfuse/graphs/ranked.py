"""The nearest samples of every sample in exact order, a block of rows at a time: memory is n · count numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..linalg import products_in_order, squares_in_order
from ..linalg.threads import for_each, spans

__all__ = ["adaptive_weights", "distances_at", "largest_distance", "nearest_samples"]

_BLOCK = 2**22  # distances in memory at once
_FEW = 10  # a product takes about a tenth of the time that single distances take for each pair
_ROUNDING = 32 * np.finfo(float).eps  # of the squared lengths: a smaller squared distance is that of two equal samples
_SIMILAR = 4096 * np.finfo(float).eps  # of the squared lengths: a smaller difference of distances may be due to rounding


def nearest_samples(points: np.ndarray, count: int, *, exclude_self: bool) -> tuple[np.ndarray, np.ndarray]:
    """Positions and squared distances of the nearest other samples, (n, min(count, n − 1)) each, ascending.

    Samples at equal distances are ranked by position. With ``exclude_self=False`` the first of all samples in this order is
    taken for the sample itself and dropped, as programs do that sort a matrix of distances. If samples occur more than once,
    a twin may be dropped instead, and the sample is then its own neighbour.

    Distances that differ by rounding only are not equal, and rounding decides which of these samples are among the nearest.
    Matrix products are rounded in different ways on different processors. So where it matters, sums are added up from the
    first feature to the last, as these programs do.
    """
    n = len(points)
    count = min(count, n - 1)
    index, distance = np.empty((n, count), dtype=np.int64), np.empty((n, count))

    def rank(rows: slice, _: object) -> tuple[float, ...]:
        block = _distances(points, squares, rows)
        if exclude_self:
            block[np.arange(rows.stop - rows.start), np.arange(rows.start, rows.stop)] = -1.0
        bound = _bound(block, count + 1)
        changed = _add_up_in_order(block, bound, points, squares, rows)
        bound[changed] = _bound(block[changed], count + 1)
        order = _smallest(block, bound, count + 1)[:, 1:]
        index[rows], distance[rows] = order, np.take_along_axis(block, order, axis=1)
        return ()

    squares = squares_in_order(points)
    for_each(rank, list(_row_blocks(n)))
    return index, distance


def distances_at(points: np.ndarray, index: np.ndarray) -> np.ndarray:
    """Squared distances of every sample to the samples ``index`` (n, m) of its row."""
    found = np.empty(index.shape)
    if _FEW * index.shape[1] < len(points):  # fewer operations than one product with all samples
        for rows in spans(len(points), max(1, _BLOCK // (index.shape[1] * points.shape[1]))):
            gaps = points[index[rows]]
            gaps -= points[rows, None, :]
            found[rows] = np.einsum("ijk,ijk->ij", gaps, gaps)
        return found
    squares = squares_in_order(points)
    for rows in _row_blocks(len(points)):
        found[rows] = np.take_along_axis(_distances(points, squares, rows), index[rows], axis=1)
    return found


def largest_distance(points: np.ndarray) -> float:
    """The largest squared distance between two samples."""
    squares = squares_in_order(points)
    return max(float(_distances(points, squares, rows).max()) for rows in _row_blocks(len(points)))


def adaptive_weights(distance: np.ndarray) -> np.ndarray:
    """``s_h = (e_{k+1} − e_h)/(k e_{k+1} − Σ_{h≤k} e_h)`` from ascending ``e``, (n, k + 1): adaptive neighbours.

    If all of them are equally far away, this is 0/0, and the k nearest get equal weights. A single neighbour gets weight 1.
    """
    if distance.shape[1] == 1:
        return np.ones_like(distance)
    margins = distance[:, -1:] - distance
    totals = margins.sum(axis=1, keepdims=True)
    equal = totals <= np.finfo(float).eps * distance.shape[1] * distance[:, -1:]
    shares = np.where(equal, 1 / (distance.shape[1] - 1), margins / np.where(equal, 1, totals))
    shares[:, -1] = 0
    return shares


def _row_blocks(n: int) -> Iterator[slice]:
    yield from spans(n, max(1, min(256, _BLOCK // n)))


def _distances(points: np.ndarray, squares: np.ndarray, rows: slice) -> np.ndarray:
    block = points[rows] @ (-2 * points.T)
    return _with_lengths(block, squares[rows, None] + squares[None, :])


def _with_lengths(products: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Squared distances from ``−2 x·y`` and ``x·x + y·y``, in place."""
    products += lengths
    products[products < _ROUNDING * lengths] = 0
    return products


def _bound(block: np.ndarray, count: int) -> np.ndarray:
    """The ``count``-th smallest entry of each row, (rows, 1)."""
    return np.partition(block, count - 1, axis=1)[:, count - 1 : count]


def _add_up_in_order(
    block: np.ndarray, bound: np.ndarray, points: np.ndarray, squares: np.ndarray, rows: slice
) -> np.ndarray:
    """Compute again the distances that equal the bound but for rounding, if there are several. Returns these rows."""
    lengths = squares[rows, None] + squares[None, :]
    similar = (np.abs(block - bound) <= _SIMILAR * lengths) & (block > 0)
    changed = np.flatnonzero(similar.sum(axis=1) > 1)
    # The product of orthogonal samples is mostly a sum of zeros, the same in any order.
    i, j = np.nonzero(similar[changed] & (block[changed] != lengths[changed]))
    i = changed[i]
    block[i, j] = _with_lengths(-2 * products_in_order(points, rows.start + i, j), lengths[i, j])
    return changed


def _smallest(block: np.ndarray, bound: np.ndarray, count: int) -> np.ndarray:
    """Positions of the ``count`` smallest entries of each row, ascending; equal entries by position."""
    near = block <= bound
    chosen = np.empty((len(block), count), dtype=np.int64)
    clear = near.sum(axis=1) == count
    chosen[clear] = np.nonzero(near[clear])[1].reshape(-1, count)
    for i in np.flatnonzero(~clear):  # entries equal to the bound: those at the lowest positions
        below, equal = np.flatnonzero(block[i] < bound[i]), np.flatnonzero(block[i] == bound[i])
        chosen[i] = np.sort(np.concatenate([below, equal[: count - len(below)]]))
    order = np.argsort(np.take_along_axis(block, chosen, axis=1), axis=1, kind="stable")
    return np.take_along_axis(chosen, order, axis=1)
