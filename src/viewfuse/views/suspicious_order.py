"""Views whose values change from some row on, in the order of the rows of their own table.

Tables with ids are put in the order of the first one. What happened to the rows of a file from some row on is then spread
over all samples, so each view is looked at in the order in which its rows were written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from .numbers import Numbers, is_known_to, same_distribution, spread, unit_ranks
from .views import Views

__all__ = ["InOwnOrder", "changed", "moved"]

_ALL_COLUMNS = 0.8
_CHANGED = 1e-4  # p-value below which distributions are not the same
_SIGNIFICANT = 0.01  # after multiplication by the number of comparisons
_FEWEST_PART = 10  # rows: the distribution of fewer values tells nothing
_FEWEST_MOVED = 2  # columns that are recognised in the next one

Found = Iterator[tuple[str, str]]  # what was seen, and what to do


@dataclass(frozen=True)
class InOwnOrder:
    """The numbers of a view, and those of the others, in the order of the rows of its table.

    Attributes
    ----------
    rows : (n,) array of int, the rows of the table
    values : (n, p) array of float, NaN where a cell is empty
    others : columns of the other views, each (n,)
    """

    rows: np.ndarray
    values: np.ndarray
    others: Sequence[np.ndarray]

    @classmethod
    def of(cls, views: Views, v: int, tables: Sequence[Numbers]) -> InOwnOrder:
        places = np.arange(len(views)) if views.table_rows is None else views.table_rows[:, v]
        order = np.argsort(places, kind="stable")
        samples = spread(order[places[order] >= 0])
        return cls(
            places[samples],
            tables[v].of_rows(samples),
            [column for u, other in enumerate(tables) if u != v and len(other) for column in other.of_rows(samples).T],
        )


def changed(view: InOwnOrder) -> Found:
    """Rows from which on nearly all columns are distributed otherwise, but those of other views are not.

    A table that is sorted by a column changes by itself.
    """
    n = len(view.values)
    if view.values.shape[1] < 2 or _is_sorted(view.values):
        return
    for start in (n // 2, n // 3, 2 * n // 3):
        if _nearly_all_change(view.values, start) and not is_known_to(view.others, np.arange(n) >= start):
            yield (
                f"nearly all columns have other values from about the {start / n:.0%} of the rows on, while the other views "
                "have not.",
                "Check whether two exports were joined that have other units, or another order of columns.",
            )
            return


def _is_sorted(values: np.ndarray) -> bool:
    """Whether the rows are in the order of some column."""
    steps = np.diff(values, axis=0)
    is_monotone = (steps >= 0).all(axis=0) | (steps <= 0).all(axis=0)  # False for NaN
    return bool((is_monotone & steps.any(axis=0)).any())


def _nearly_all_change(numbers: np.ndarray, start: int) -> bool:
    """Whether nearly all columns are distributed otherwise from this row on. Ends as soon as too many are not."""
    same, most = 0, (1 - _ALL_COLUMNS) * numbers.shape[1]
    for column in numbers.T:
        same += not _same(column[:start], column[start:], otherwise=1.0) < _CHANGED
        if same > most:
            return False
    return True


def _same(one: np.ndarray, other: np.ndarray, otherwise: float) -> float:
    """The p-value of two samples with empty cells; ``otherwise`` if one has no values."""
    one, other = one[~np.isnan(one)], other[~np.isnan(other)]
    return same_distribution(one, other) if one.size and other.size else otherwise


def moved(view: InOwnOrder) -> Found:
    """Rows from which on the values lie one column further to the right, or to the left.

    The values of two columns or more are then distributed otherwise than above, and as those of the column beside them
    above. The first row is estimated, so the p-values of the former are multiplied by the number of rows, and all by the
    number of columns.
    """
    n, p = view.values.shape
    if p <= _FEWEST_MOVED or n < 2 * _FEWEST_PART:
        return
    start = _first_changed(view.values)
    above, below = view.values[:start], view.values[start:]
    differ = [_same(one, other, otherwise=1.0) * n * p < _SIGNIFICANT for one, other in zip(above.T, below.T, strict=True)]
    if sum(differ) < _FEWEST_MOVED or is_known_to(view.others, np.arange(n) >= start):
        return
    for side, before, after in (("right", above[:, :-1], below[:, 1:]), ("left", above[:, 1:], below[:, :-1])):
        fit = (_same(one, other, otherwise=0.0) for one, other in zip(before.T, after.T, strict=True))
        if all(value * (p - 1) > _SIGNIFICANT for value in fit):
            yield (
                f"from about row {view.rows[start]} of its table on, the values are distributed as those of the next column "
                f"above: they may lie one column too far to the {side}.",
                "Check these rows for a cell too many or too few.",
            )
            return


def _first_changed(values: np.ndarray) -> int:
    """The row from which on the columns differ most from the rows above, by the sums of their ranks (Pettitt 1979)."""
    sums = (np.cumsum(unit_ranks(values), axis=0) ** 2).sum(axis=1)
    inside = sums[_FEWEST_PART - 1 : len(sums) - _FEWEST_PART]
    return int(np.argmax(inside)) + _FEWEST_PART
