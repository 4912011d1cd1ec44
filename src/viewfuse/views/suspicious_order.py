"""Views whose values change from some row on, in the order of the rows of their own table.

Tables with ids are put in the order of the first one. What happened to the rows of a file from some row on is then spread
over all samples, so each view is looked at in the order in which its rows were written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import kolmogorov

from .numbers import Numbers, is_known_to, is_varied, ranked_rows, same_distribution, spread, unit_ranks
from .views import Views

__all__ = ["InOwnOrder", "changed", "moved", "sorted_alone"]

_ALL_COLUMNS = 0.8
_CHANGED = 1e-4  # p-value below which distributions are not the same
_SIGNIFICANT = 0.01  # after multiplication by the number of comparisons
_FEWEST_PART = 10  # rows: the distribution of fewer values tells nothing
_FEWEST_MOVED = 2  # columns that are recognised in the next one
_FEWEST_SORTED = 2  # columns
_FIRST = 20  # rows

Found = Iterator[tuple[str, str]]  # what was seen, and what to do


@dataclass(frozen=True)
class InOwnOrder:
    """The numbers of a view, and those of the others, in the order of the rows of its table.

    Attributes
    ----------
    rows : (n,) array of int, the rows of the table
    values : (n, p) array of float, NaN where a cell is empty
    others : columns of the other views, each (n,)
    ranks : (m, p) array of float, the ranks of the values in m of the rows, of mean 0 and length 1; 0 for empty cells
    """

    rows: np.ndarray
    values: np.ndarray
    others: Sequence[np.ndarray]
    ranks: np.ndarray

    @classmethod
    def of(cls, views: Views, v: int, tables: Sequence[Numbers]) -> InOwnOrder:
        table, rest = tables[v], [other for u, other in enumerate(tables) if u != v and len(other)]
        places = np.arange(len(views)) if views.table_rows is None else views.table_rows[:, v]
        if (np.diff(places, prepend=-1) > 0).all():
            columns = [column for other in rest for column in other.values.T]
            return cls(spread(places), table.values, columns, table.ranks)
        order = np.argsort(places, kind="stable")
        samples = spread(order[places[order] >= 0])
        values, columns = table.of_rows(samples), [column for other in rest for column in other.of_rows(samples).T]
        return cls(places[samples], values, columns, unit_ranks(values[ranked_rows(len(values))]))


def changed(view: InOwnOrder) -> Found:
    """Rows from which on nearly all columns are distributed otherwise, but those of other views are not.

    A table that is sorted by a column changes by itself.
    """
    n = len(view.values)
    if n < 2 * _FEWEST_PART or view.values.shape[1] < 2 or _are_sorted(view.values).any():
        return
    for start in (n // 2, n // 3, 2 * n // 3):
        if _nearly_all_change(view.values, start) and not is_known_to(view.others, np.arange(n) >= start):
            yield (
                f"nearly all columns have other values from about the {start / n:.0%} of the rows on, while the other views "
                "have not.",
                "Check whether two exports were joined that have other units, or another order of columns.",
            )
            return


def _are_sorted(values: np.ndarray) -> np.ndarray:
    """Which columns are in ascending or descending order and not constant, (p,) bool. The first rows mostly show it."""
    found = _are_monotone(values[:_FIRST])
    if found.any():
        found[found] = _are_monotone(values[:, found]) & (values[0, found] != values[-1, found])
    return found


def _are_monotone(values: np.ndarray) -> np.ndarray:
    above, below = values[:-1], values[1:]
    return np.asarray((above <= below).all(axis=0) | (above >= below).all(axis=0))


def sorted_alone(view: InOwnOrder) -> Found:
    """Two columns or more that are all sorted, while those of other views do not change with the rows.

    A table that is sorted by one column has the others in its order, and they are sorted only if they depend on it.
    """
    n = len(view.values)
    if n < 2 * _FEWEST_PART or (are_sorted := _are_sorted(view.values)).sum() < _FEWEST_SORTED:
        return
    which = np.array([is_varied(column) for column in view.values.T])
    if which.sum() < _FEWEST_SORTED or not are_sorted[which].all():
        return
    if not is_known_to(view.others, np.arange(n) >= n // 2):
        yield (
            f"all {which.sum()} columns of numbers are sorted, while other views do not change with the rows.",
            "Check whether each column was sorted on its own.",
        )


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

    Two columns or more then change there, by the test of Pettitt (1979), and the values below are distributed as those of
    the column beside them above. P-values are multiplied by the number of columns.
    """
    n, p = view.values.shape
    if p <= _FEWEST_MOVED or n < 2 * _FEWEST_PART:
        return
    start, change = _first_changed(view.ranks)
    start = int(ranked_rows(n)[start])
    above, below = view.values[:start], view.values[start:]
    is_change = np.sum(change * p < _SIGNIFICANT) >= _FEWEST_MOVED and min(len(above), len(below)) >= _FEWEST_PART
    if not is_change or is_known_to(view.others, np.arange(n) >= start):
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


def _first_changed(ranks: np.ndarray) -> tuple[int, np.ndarray]:
    """The row from which on the columns differ most from the rows above, and the p-value of each column, (p,).

    Without a change the sums of the ranks, of length 1, are a Brownian bridge, whose largest distance from 0 has
    Kolmogorov's distribution. The row is that of all columns together, so the p-values hold though it is estimated.
    """
    sums = np.cumsum(ranks, axis=0)
    return int(np.argmax((sums[:-1] ** 2).sum(axis=1))) + 1, kolmogorov(np.abs(sums).max(axis=0))
