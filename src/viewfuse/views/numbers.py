"""The columns of numbers of views, as :mod:`viewfuse.views.suspicions` compares them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import kolmogorov
from scipy.stats import rankdata

from .matrices import is_dataframe

__all__ = [
    "MOST_ROWS",
    "Numbers",
    "is_in_memory",
    "is_known_to",
    "is_varied",
    "ranked_rows",
    "same_distribution",
    "spread",
    "unit_ranks",
]

MOST_ROWS, _MOST_COLUMNS = 5_000, 200
_MOST_RANKED = 500  # rows
_WIDE_VIEW = 50  # columns
_FEW_VALUES = 10
_FIRST = 64  # values, which mostly show that a column has more than a few
_KNOWN = 0.001  # p-value below which distributions differ
_SHOWN = 4  # columns that a message names


class Numbers:
    """The columns of numbers of one view; of large ones, rows and columns at equal distances.

    Attributes
    ----------
    values : (n, p) array of float, NaN where a cell is empty
    names : list of p str
    all : (N, P) array, without omissions
    is_wide : bool
    """

    def __init__(self, member: Any) -> None:
        names, self.all = _numbers(member)
        n_rows, n_columns = self.all.shape
        rows, columns = spread(np.arange(n_rows)), spread(np.arange(n_columns), _MOST_COLUMNS)
        self._columns = columns
        self.is_complete = (len(rows), len(columns)) == self.all.shape
        self.values = (self.all if self.is_complete else self.all[np.ix_(rows, columns)]).astype(float, copy=False)
        self.names = [names[column] for column in columns]
        self.is_wide = len(names) > _WIDE_VIEW

    def __len__(self) -> int:
        return len(self.all)

    def of_rows(self, rows: np.ndarray) -> np.ndarray:
        """The values in these rows of all, (len(rows), p)."""
        return np.asarray(self.all[np.ix_(rows, self._columns)].astype(float, copy=False))

    @cached_property
    def lowest(self) -> np.ndarray:
        """The smallest value of each column, without empty cells; infinite if there is none."""
        return np.asarray(np.fmin.reduce(self.values, axis=0, initial=np.inf))

    @cached_property
    def highest(self) -> np.ndarray:
        return np.asarray(np.fmax.reduce(self.values, axis=0, initial=-np.inf))

    @cached_property
    def ranks(self) -> np.ndarray:
        """The ranks of the values of each column in some rows, of mean 0 and length 1; 0 for empty cells."""
        return unit_ranks(self.values[ranked_rows(len(self.values))])

    def named(self, columns: Sequence[int]) -> str:
        """Such as "columns 'a', 'b', 'c', 'd' and 3 more"."""
        shown = ", ".join(self.names[column] for column in columns[:_SHOWN])
        more = f" and {len(columns) - _SHOWN} more" if len(columns) > _SHOWN else ""
        return f"column{'' if len(columns) == 1 else 's'} {shown}{more}"

    def except_for(self, columns: Sequence[int]) -> list[np.ndarray]:
        return [column for number, column in enumerate(self.values.T) if number not in columns]


def _numbers(member: Any) -> tuple[list[str], np.ndarray]:
    if is_dataframe(member):
        names = [name for name in member.columns if member[name].dtype.kind in "iuf"]
        if names:
            return [repr(str(name)) for name in names], member[names].to_numpy(dtype=float, na_value=np.nan)
    elif is_in_memory(member):
        return [str(column) for column in range(member.shape[1])], member
    return [], np.empty((0, 0))


def spread(rows: np.ndarray, most: int = MOST_ROWS) -> np.ndarray:
    """At most so many of these rows, at equal distances."""
    return np.asarray(rows[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), most)).astype(int))])


def ranked_rows(n: int) -> np.ndarray:
    """The rows of n that are ranked."""
    return spread(np.arange(n), _MOST_RANKED)


def unit_ranks(values: np.ndarray) -> np.ndarray:
    """The ranks in each column, of mean 0 and length 1; 0 for empty cells."""
    ranks = rankdata(values, axis=0, nan_policy="omit") if values.size else values
    centred = np.nan_to_num(ranks - (np.count_nonzero(~np.isnan(values), axis=0) + 1) / 2)
    length = np.sqrt((centred**2).sum(axis=0))
    return np.asarray(centred / np.where(length > 0, length, 1))


def is_in_memory(member: Any) -> bool:
    """Whether a view is an array of numbers in the processor's memory."""
    return isinstance(member, np.ndarray) and not isinstance(member, np.memmap) and member.dtype.kind in "iuf"


def is_varied(column: np.ndarray) -> bool:
    """Whether a column has more than a few different values."""
    there = column[~np.isnan(column)]
    return len(set(there[:_FIRST].tolist())) > _FEW_VALUES or np.unique(there).size > _FEW_VALUES


def is_known_to(columns: Sequence[np.ndarray], rows: np.ndarray) -> bool:
    """Whether any of the columns is distributed otherwise in these rows; True if no column has values to compare."""
    compared = False
    for column in columns:
        there = ~np.isnan(column)
        one, other = column[rows & there], column[~rows & there]
        if one.size and other.size:
            compared = True
            if same_distribution(one, other) <= _KNOWN / len(columns):
                return True
    return not compared


def same_distribution(one: np.ndarray, other: np.ndarray) -> float:
    """The p-value of the two-sample test of Kolmogorov and Smirnov, for numbers without NaN.

    The largest distance between the two empirical distribution functions is multiplied by ``√m + 0.12 + 0.11/√m``, with
    ``m = n₁n₂ / (n₁ + n₂)``, which corrects the limit distribution for few samples (Stephens 1970). The function of SciPy
    takes a millisecond, of which most goes into checking its arguments; in a fit hundreds of columns are compared.
    """
    one, other = np.sort(one), np.sort(other)
    both = np.concatenate([one, other])
    below_one, below_other = (part.searchsorted(both, side="right") / len(part) for part in (one, other))
    root = np.sqrt(len(one) * len(other) / len(both))
    return float(kolmogorov(np.abs(below_one - below_other).max() * (root + 0.12 + 0.11 / root)))
