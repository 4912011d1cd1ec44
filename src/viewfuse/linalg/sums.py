"""Sums whose rounding is that of a plain loop."""

from __future__ import annotations

import numpy as np

from .threads import spans

__all__ = ["products_in_order", "squares_in_order", "sums_in_order"]

_BLOCK = 2**17  # numbers: 1 MiB


def sums_in_order(rows: np.ndarray) -> np.ndarray:
    """The sum of each row (n, d), added up from the first number to the last.

    NumPy and linear algebra libraries add up several parts at once, which rounds otherwise. Where many distances are equal
    but for rounding, that decides which samples are the nearest. To give the same result as another program, and the same
    one on all processors, one has to add up in one order.
    """
    return _in_order(rows, square=False)


def squares_in_order(rows: np.ndarray) -> np.ndarray:
    """The sum of squares of each row, added up in the same way."""
    return _in_order(rows, square=True)


def products_in_order(rows: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """The products ``x_i · x_j`` of pairs of rows, added up in the same way."""
    products = np.empty(len(i))
    for some in spans(len(i), max(1, _BLOCK // max(rows.shape[1], 1))):
        products[some] = sums_in_order(rows[i[some]] * rows[j[some]])
    return products


def _in_order(rows: np.ndarray, *, square: bool) -> np.ndarray:
    sums = np.zeros(len(rows))
    if rows.shape[1] == 0:
        return sums
    for some in spans(len(rows), max(1, _BLOCK // rows.shape[1])):
        part = rows[some]
        sums[some] = np.cumsum(part * part if square else part, axis=1)[:, -1]
    return sums
