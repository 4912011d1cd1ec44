"""The smallest entries of each row of a matrix."""

from __future__ import annotations

import numpy as np

__all__ = ["smallest_of_rows"]

_GROUPS = 4  # of columns, for each entry that is wanted
_LENGTH = 4  # columns of a group, from which on bounds are faster


def smallest_of_rows(values: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns and values of the ``count`` smallest entries of each row, ascending, (n, count) each.

    The columns are divided into groups. The ``count``-th smallest of the groups' minima is at least the ``count``-th
    smallest entry, and not much more, so that few entries of a row are below it: three passes over the matrix, which take a
    quarter of the time of a partition. Of equal entries the first columns are taken.
    """
    n, columns = values.shape
    groups = _GROUPS * count
    if columns < _LENGTH * groups:
        index = np.argsort(values, axis=1, kind="stable")[:, :count]
        return index, np.take_along_axis(values, index, axis=1)
    whole = columns // groups * groups
    least = values[:, :whole].reshape(n, -1, groups).min(axis=1)
    rest = least[:, : columns - whole]
    np.minimum(rest, values[:, whole:], out=rest)
    bound = np.partition(least, count - 1, axis=1)[:, count - 1 : count]
    row, column = np.divmod(np.flatnonzero(values <= bound), columns)
    found = np.bincount(row, minlength=n)
    place = np.arange(len(row)) - np.repeat(np.cumsum(found) - found, found)
    kept = np.full((n, found.max()), np.inf, dtype=values.dtype)
    kept[row, place] = values[row, column]
    index = np.zeros(kept.shape, dtype=np.intp)
    index[row, place] = column
    order = np.argsort(kept, axis=1, kind="stable")[:, :count]
    return np.take_along_axis(index, order, axis=1), np.take_along_axis(kept, order, axis=1)
