"""Fill single empty cells from the samples that are most alike.

For samples ``i`` and ``j`` let ``d_v²(i, j)`` be the mean of the squared differences over the standardised columns of view
``v`` that both have. Their distance is the mean of ``d_v²`` over the views in which they have a column in common. An empty
cell gets the mean of the ten nearest samples that have it. Labels are never used. A row that is empty in a view is not
filled: the sample is missing from that view.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from array_api_compat import is_numpy_array

__all__ = ["Filler", "has_empty_cells"]

_NEIGHBORS = 10
_CONSIDERED = 200  # nearest samples, at most, among which those that have a cell are looked for
_MOST_DONORS = 2_000
_MOST_NUMBERS = 20_000_000  # in all donors together
_BLOCK = 100
_MOST_CANDIDATES = 2_000_000  # cells of donors that are looked at together


@dataclass(frozen=True)
class Filler:
    """The samples that empty cells are filled from.

    Attributes
    ----------
    donors : tuple of (m, p_v) arrays, or None for views that are never filled (sparse, on a device, in files)
    centres, scales : tuples of (p_v,) arrays or None, of the columns
    whole : tuple of (p_v,) arrays of bool or None, the columns of whole numbers; they are filled with whole numbers
    """

    donors: tuple[Any, ...]
    centres: tuple[Any, ...]
    scales: tuple[Any, ...]
    whole: tuple[Any, ...]

    @classmethod
    def learn(cls, arrays: Sequence[Any], *, ready: Sequence[bool], left_out: Sequence[bool] | None = None) -> Filler:
        """Keep the samples of these views, or some of them; whole numbers are kept whole where a view is not ``ready``.

        The views in ``left_out``, such as graphs, are neither filled nor compared.
        """
        fillable = [_can_be_filled(array) and not (left_out and left_out[v]) for v, array in enumerate(arrays)]
        width = sum(array.shape[1] for array, can in zip(arrays, fillable, strict=True) if can)
        most = int(np.clip(_MOST_NUMBERS // max(width, 1), 50, _MOST_DONORS))
        n = arrays[0].shape[0]
        rows = np.arange(n) if n <= most else np.sort(np.random.RandomState(0).choice(n, most, replace=False))
        parts = [
            _learn(array[rows], is_ready) if can else (None,) * 4
            for array, is_ready, can in zip(arrays, ready, fillable, strict=True)
        ]
        donors, centres, scales, whole = zip(*parts, strict=True)
        return cls(donors, centres, scales, whole)

    def of_views(self, order: Sequence[int | None]) -> Filler:
        """The samples in some of the views, by position; None is a view that is never filled."""
        parts = (
            [None if v is None else part[v] for v in order] for part in (self.donors, self.centres, self.scales, self.whole)
        )
        return Filler(*map(tuple, parts))

    def fill(self, arrays: Sequence[Any]) -> list[Any]:
        """Return the views with their empty cells filled; views without empty cells are returned as they are."""
        wanted = [v for v, array in enumerate(arrays) if self.donors[v] is not None and has_empty_cells(array)]
        if not wanted:
            return list(arrays)
        comparable = [v for v in range(len(arrays)) if self.donors[v] is not None and is_numpy_array(arrays[v])]
        points = {v: (np.asarray(arrays[v], dtype=float) - self.centres[v]) / self.scales[v] for v in comparable}
        donors = {v: (self.donors[v] - self.centres[v]) / self.scales[v] for v in comparable}
        filled = list(arrays)
        for v in wanted:
            filled[v] = self._filled(v, arrays[v], points, donors)
        return filled

    def _filled(self, v: int, array: np.ndarray, points: dict[int, np.ndarray], donors: dict[int, np.ndarray]) -> np.ndarray:
        filled = array.copy()
        empty = np.isnan(array)
        rows = np.flatnonzero(empty.any(axis=1) & ~empty.all(axis=1))
        present = float((~np.isnan(donors[v])).mean(axis=0)[empty[rows].any(axis=0)].min(initial=1.0))
        considered = int(np.clip(8 * _NEIGHBORS / max(present, 1e-9), 8 * _NEIGHBORS, _CONSIDERED))
        for start in range(0, rows.size, _BLOCK):
            block = rows[start : start + _BLOCK]
            nearest = _nearest({u: x[block] for u, x in points.items()}, donors, considered)
            rows_of_cells, columns = np.nonzero(empty[block])
            for cells in _parts(len(columns), nearest.shape[1]):
                where = columns[cells]
                found = _mean_of_first(donors[v][nearest[rows_of_cells[cells]], where[:, None]])
                filled[block[rows_of_cells[cells]], where] = found * self.scales[v][where] + self.centres[v][where]
        whole = empty & self.whole[v][None, :]
        filled[whole] = np.round(filled[whole])
        return filled


def has_empty_cells(array: Any) -> bool:
    """Whether some row of a NumPy array has NaN beside numbers; a memory map is not read."""
    if not _can_be_filled(array) or array.dtype.kind != "f":
        return False
    empty = np.isnan(array)
    return bool(empty.any()) and bool((empty.any(axis=1) & ~empty.all(axis=1)).any())


def _can_be_filled(array: Any) -> bool:
    return is_numpy_array(array) and not isinstance(array, np.memmap) and array.dtype.kind in "biuf"


def _learn(donors: np.ndarray, is_ready: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    donors = donors.astype(float)
    present = ~np.isnan(donors)
    counts = np.maximum(present.sum(axis=0), 1)
    zeroed = np.where(present, donors, 0.0)
    unit = np.abs(zeroed).max(axis=0, initial=0)
    unit = np.where(unit > 0, unit, 1.0)  # in these units squares neither overflow nor vanish
    mean = (zeroed / unit).sum(axis=0) / counts
    spread = unit * np.sqrt(np.where(present, (donors / unit - mean) ** 2, 0.0).sum(axis=0) / counts)
    centre = mean * unit
    whole = np.zeros(donors.shape[1], dtype=bool) if is_ready else (zeroed == np.round(zeroed)).all(axis=0)
    return donors, centre, np.where(spread > 0, spread, 1.0), whole


def _nearest(points: dict[int, np.ndarray], donors: dict[int, np.ndarray], most: int) -> np.ndarray:
    """For each point the positions of the nearest donors, at most ``most``, the nearest first."""
    total: Any = 0.0
    n_views: Any = 0
    for u, x in points.items():
        squares, shared = _squared_differences(x, donors[u])
        if shared is None:  # all columns
            total, n_views = total + squares / x.shape[1], n_views + 1
            continue
        total = total + np.where(shared > 0, squares / np.maximum(shared, 1), 0.0)
        n_views = n_views + (shared > 0)
    distance = np.where(n_views > 0, total / np.maximum(n_views, 1), np.inf)
    count = min(most, distance.shape[1])
    nearest = np.sort(np.argpartition(distance, count - 1, axis=1)[:, :count], axis=1)
    order = np.argsort(np.take_along_axis(distance, nearest, axis=1), axis=1, kind="stable")
    return np.take_along_axis(nearest, order, axis=1)


def _parts(n_cells: int, n_candidates: int) -> list[slice]:
    """Empty cells in parts whose candidates fit in memory."""
    size = max(_MOST_CANDIDATES // max(n_candidates, 1), 1)
    return [slice(start, start + size) for start in range(0, n_cells, size)]


def _squared_differences(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """Sums of squared differences over the columns that both rows have, and the numbers of these columns; None if all."""
    there, here = ~np.isnan(y), ~np.isnan(x)
    if there.all() and here.all():
        return np.maximum((x * x).sum(axis=1)[:, None] + (y * y).sum(axis=1) - 2 * x @ y.T, 0.0), None
    a, b, m, k = np.where(here, x, 0.0), np.where(there, y, 0.0), here.astype(float), there.astype(float)
    squares = (a * a) @ k.T + m @ (b * b).T - 2 * a @ b.T
    return np.maximum(squares, 0.0), m @ k.T


def _mean_of_first(values: np.ndarray) -> np.ndarray:
    """The mean of the first ten numbers of each row; 0, the mean of all samples, where there is none."""
    there = ~np.isnan(values)
    chosen = there & (np.cumsum(there, axis=1) <= _NEIGHBORS)
    return np.asarray(np.where(chosen, values, 0.0).sum(axis=1) / np.maximum(chosen.sum(axis=1), 1))
