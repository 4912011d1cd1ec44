"""Rows of views that look damaged: totals, rows filled down, copies, and views that are nearly constant or given twice.

The rules are those of :mod:`viewfuse.views.suspicions`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._utils.extras import require
from .._utils.text import count
from .matrices import is_dataframe
from .numbers import Numbers, is_in_memory
from .views import Views

__all__ = ["copies", "filled_down", "given_twice", "nearly_constant", "totals"]

_EXACTLY, _NEARLY = 1e-6, 1e-3  # of the value, and of the range of the column
_ALL_COLUMNS = 0.8
_FEWEST_ROWS = 20
_FEWEST_FILLED, _SHARE_OF_FILLED = 10, 0.02
_MOSTLY_DIFFERENT = 0.9
_FEW_OTHERS = 0.1  # share of the samples
_COMPARED = 64  # rows at a time
_FEW_ROWS = 10  # different ones, which two views may have by chance

Found = Iterator[tuple[str, str]]  # what was seen, and what to do


def copies(views: Views, members: Sequence[Any], tables: Sequence[Numbers]) -> Found:
    """Samples with the same values in every view, though some column hardly ever repeats a value otherwise."""
    if not all(table.is_complete and len(table) >= _FEWEST_ROWS for table in tables):
        return
    keys = np.column_stack([np.asarray(_row_keys(member)).view(np.uint64) for member in members])
    _, first, counts = np.unique(keys, axis=0, return_index=True, return_counts=True)
    n_copies = len(keys) - len(first)
    if n_copies < max(_FEWEST_FILLED, _SHARE_OF_FILLED * len(keys)):
        return
    others = (column[first] for table in tables for column in table.values.T)
    if any(np.unique(column).size >= _MOSTLY_DIFFERENT * len(first) for column in others):
        where = views.sample_name(int(first[counts > 1].min()))
        yield (
            f"{count(n_copies, 'sample')} have the same values as another one in every view, as the one in {where}.",
            "If they are the same samples, keep each once.",
        )


def given_twice(views: Views) -> Iterator[tuple[int, int]]:
    """Pairs of views with the same values in every row, unless there are only few different rows."""
    members = views.raw_members()
    for u, v in combinations(range(views.n_views), 2):
        if views.kinds[u] == views.kinds[v] and _are_equal(members[u], members[v]):
            keys = _row_keys(members[u])
            if keys is None or np.unique(keys).size > _FEW_ROWS:
                yield u, v


def _are_equal(one: Any, other: Any) -> bool:
    if one.shape != other.shape or is_dataframe(one) != is_dataframe(other):
        return False
    if is_dataframe(one):
        return bool(one.set_axis(range(one.shape[1]), axis=1).equals(other.set_axis(range(one.shape[1]), axis=1)))
    if sp.issparse(one) and sp.issparse(other):
        return one.nnz == other.nnz and (one != other).nnz == 0
    if not (is_in_memory(one) and is_in_memory(other)):
        return False
    # Views that differ mostly do so in the first rows already, so that the others need not be read.
    parts = (slice(start, start + _COMPARED) for start in range(0, len(one), _COMPARED))
    return all(np.array_equal(one[rows], other[rows], equal_nan=True) for rows in parts)


def totals(views: Views, table: Numbers) -> Found:
    varies = table.highest > table.lowest
    if varies.sum() < 2:
        return
    present = ~np.isnan(table.values)
    values = np.where(present, table.values, 0.0)
    others = values.sum(axis=0) - values
    width = np.where(varies, table.highest - table.lowest, 0.0)  # values that hardly differ are all near their mean
    for what, expected in (("the sum", others), ("the mean", others / np.maximum(present.sum(axis=0) - present, 1))):
        allowed = np.minimum(_EXACTLY * np.abs(expected), _NEARLY * width)
        close = present & (np.abs(values - expected) <= allowed) & varies & (values != 0)
        for row in np.flatnonzero(close.sum(axis=1) >= max(2, _ALL_COLUMNS * varies.sum())):
            where = f"{int(close[row].sum())} of {int(varies.sum())} columns"
            yield f"{views.sample_name(int(row))} is {what} of all other rows in {where}.", "Remove this row."


def nearly_constant(member: Any, table: Numbers) -> Found:
    if table.all.shape[1] != member.shape[1]:  # a table with other columns than numbers
        return
    values = table.values
    if values.size and np.isnan(values[:, 0]).any():
        values = values[~np.isnan(values).all(axis=1)]  # others are missing from the view
    if not values.size or np.mean(_differ_from_most(np.nan_to_num(values[:, 0]))) > _FEW_OTHERS:
        return
    keys = _keys(values)
    is_other = _differ_from_most(keys)
    others = np.flatnonzero(is_other)
    if not 2 <= len(others) <= _FEW_OTHERS * len(keys):
        return
    usual = np.nan_to_num(values[np.argmin(is_other)])
    is_amount = not usual.any() and np.nanmin(values) >= 0
    if not is_amount and np.unique(keys[others]).size >= _MOSTLY_DIFFERENT * len(others):
        yield (
            f"{1 - len(others) / len(keys):.0%} of the samples have exactly the same values, and the others all differ. The "
            "view can only set these few apart.",
            "Check whether a default was filled in; leave the view out if it says nothing about most samples.",
        )


def _differ_from_most(numbers: np.ndarray) -> np.ndarray:
    """Which numbers differ from the one in the middle; if most are the same, it is one of them."""
    return np.asarray(numbers != np.sort(numbers)[len(numbers) // 2])


def filled_down(views: Views, v: int, members: Sequence[Any], table: Numbers) -> Found:
    keys = _row_keys(members[v])
    if keys is None:
        return
    there = np.ones(len(keys), dtype=bool) if views.present is None else views.present[:, v]
    values, counts = np.unique(keys[there], return_counts=True)
    often = counts >= max(_FEWEST_FILLED, _SHARE_OF_FILLED * len(keys))
    rest = int(counts[~often].sum())
    if not often.any() or (~often).sum() < _MOSTLY_DIFFERENT * rest or rest < len(keys) / 2:
        return
    others = [other for u, member in enumerate(members) if u != v and (other := _row_keys(member)) is not None]
    for value in values[often]:
        rows = np.flatnonzero(there & (keys == value))
        differ_elsewhere = any(np.unique(other[rows]).size > len(rows) / 2 for other in others)
        if differ_elsewhere and not _is_empty(members[v], table, int(rows[0])):
            yield (
                f"{count(len(rows), 'sample')} have exactly the same values, the first in "
                f"{views.sample_name(int(rows[0]))}, although nearly all others differ, and these differ in other views.",
                "Check whether one row was copied over others.",
            )


def _is_empty(member: Any, table: Numbers, row: int) -> bool:
    """Whether a row has only zeros, or the same word everywhere: many use nothing, or answer "never" throughout."""
    if len(table):
        return not np.nan_to_num(table.values[row]).any()
    return bool(member.iloc[row].nunique() <= 1)


def _row_keys(member: Any) -> np.ndarray | None:
    """A number for each row, equal for equal rows; None for views that are not in the processor's memory."""
    if is_dataframe(member):
        objects = [name for name, dtype in member.dtypes.items() if dtype.kind == "O"]  # not all have a hash
        return np.asarray(require("pandas").util.hash_pandas_object(member.astype(dict.fromkeys(objects, str)), index=False))
    return _keys(member.astype(float, copy=False)) if is_in_memory(member) else None


def _keys(rows: np.ndarray) -> np.ndarray:
    """A number for each row, equal for equal rows and, but for coincidences, different for others."""
    values = np.nan_to_num(rows)
    peaks = np.abs(values).max(axis=0, initial=0)  # sums of large values overflow
    weights = np.random.RandomState(0).standard_normal(values.shape[1])
    return np.asarray((values / np.where(peaks > 0, peaks, 1)) @ weights)
