"""Fill single empty cells from the samples that are most alike.

The distance of sample ``i`` to sample ``j`` is ``Σ_v (1/p_v) Σ_c (x_ic − x_jc)²`` over those of the ``p_v`` standardised
columns of each view ``v`` that ``i`` has. An empty cell gets the mean of the ten nearest samples that have it. Labels are
never used. A row that is empty in a view is not filled: the sample is missing from that view.

There are two passes. In the first, where ``j`` has no ``x_jc``, the squared difference is taken as 1, half of what two
samples differ by on average. A mean over the columns that both have, as in scikit-learn's ``KNNImputer``, would prefer
samples that have few of them, because few columns are near by chance. In the second pass, ``j`` has what the first one gave
it. A third pass would change little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
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
_FARTHEST = 1e100
_UNKNOWN_DIFFERENCE = 1.0  # squared, of standardised columns


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
        points = {v: self._points(v, arrays[v]) for v in comparable}
        compared = {v: self._completed[v] for v in comparable}
        filled = list(arrays)
        for v in wanted:
            filled[v] = self._filled(v, arrays[v], points, compared)
        return filled

    def _points(self, v: int, array: np.ndarray) -> np.ndarray:
        """Standardised values. Those of new samples may be of any size; farther ones are as far as can be squared."""
        with np.errstate(over="ignore"):
            points = (np.asarray(array, dtype=float) - self.centres[v]) / self.scales[v]
        return np.clip(points, -_FARTHEST, _FARTHEST)

    @cached_property
    def _standardised(self) -> dict[int, np.ndarray]:
        return {v: (donors - self.centres[v]) / self.scales[v] for v, donors in enumerate(self.donors) if donors is not None}

    @cached_property
    def _completed(self) -> dict[int, np.ndarray]:
        """The standardised donors with all their cells filled, in the first pass."""
        known = self._standardised
        empty = {v: np.isnan(donors) for v, donors in known.items()}
        found = dict(known)
        for v, cells in empty.items():
            if cells.any():
                found[v] = np.where(cells, _fill_standardised(known[v], cells, known, known, known[v]), known[v])
        return found

    def _filled(
        self, v: int, array: np.ndarray, points: dict[int, np.ndarray], compared: dict[int, np.ndarray]
    ) -> np.ndarray:
        empty = np.isnan(array)
        empty[empty.all(axis=1)] = False
        found = _fill_standardised(points[v], empty, points, compared, self._standardised[v])
        filled = np.where(empty, found * self.scales[v] + self.centres[v], array)
        whole = empty & self.whole[v][None, :]
        filled[whole] = np.round(filled[whole])
        return filled.astype(array.dtype, copy=False)


def _fill_standardised(
    own: np.ndarray,
    empty: np.ndarray,
    points: dict[int, np.ndarray],
    compared: dict[int, np.ndarray],
    donors: np.ndarray,
) -> np.ndarray:
    """The numbers of one view, with the cells where ``empty`` filled from ``donors``, (m, p).

    ``points`` are the samples in all views, and ``compared`` the donors, by which the nearest are found.
    """
    filled = own.copy()
    rows = np.flatnonzero(empty.any(axis=1))
    present = float((~np.isnan(donors)).mean(axis=0)[empty[rows].any(axis=0)].min(initial=1.0))
    considered = int(np.clip(8 * _NEIGHBORS / max(present, 1e-9), 8 * _NEIGHBORS, _CONSIDERED))
    for start in range(0, rows.size, _BLOCK):
        block = rows[start : start + _BLOCK]
        nearest = _nearest({u: x[block] for u, x in points.items()}, compared, considered)
        rows_of_cells, columns = np.nonzero(empty[block])
        for cells in _parts(len(columns), nearest.shape[1]):
            where = columns[cells]
            filled[block[rows_of_cells[cells]], where] = _mean_of_first(
                donors[nearest[rows_of_cells[cells]], where[:, None]]
            )
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
    donors = np.where(np.isfinite(donors), donors, np.nan)  # nothing is filled from infinite cells, which are refused later
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
    distance = sum(_squared_differences(x, donors[u]) / x.shape[1] for u, x in points.items())
    count = min(most, distance.shape[1])
    nearest = np.sort(np.argpartition(distance, count - 1, axis=1)[:, :count], axis=1)
    order = np.argsort(np.take_along_axis(distance, nearest, axis=1), axis=1, kind="stable")
    return np.take_along_axis(nearest, order, axis=1)


def _parts(n_cells: int, n_candidates: int) -> list[slice]:
    """Empty cells in parts whose candidates fit in memory."""
    size = max(_MOST_CANDIDATES // max(n_candidates, 1), 1)
    return [slice(start, start + size) for start in range(0, n_cells, size)]


def _squared_differences(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Sums of squared differences over the columns that the rows of ``x`` have; 1 for those that a row of ``y`` lacks."""
    here, there = ~np.isnan(x), ~np.isnan(y)
    if there.all():
        a = np.where(here, x, 0.0)
        squares = (a * a).sum(axis=1)[:, None] + here.astype(float) @ (y * y).T - 2 * a @ y.T
        return np.maximum(squares, 0.0)
    a, b, m, k = np.where(here, x, 0.0), np.where(there, y, 0.0), here.astype(float), there.astype(float)
    squares = (a * a) @ k.T + m @ (b * b).T - 2 * a @ b.T
    return np.maximum(squares, 0.0) + _UNKNOWN_DIFFERENCE * (m @ (1 - k).T)


def _mean_of_first(values: np.ndarray) -> np.ndarray:
    """The mean of the first ten numbers of each row; 0, the mean of all samples, where there is none."""
    there = ~np.isnan(values)
    chosen = there & (np.cumsum(there, axis=1) <= _NEIGHBORS)
    return np.asarray(np.where(chosen, values, 0.0).sum(axis=1) / np.maximum(chosen.sum(axis=1), 1))
