"""The orthogonal polar factor of a square matrix, the same on every processor even if the matrix is singular."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from .sums import squares_in_order, sums_in_order

__all__ = ["polar_factor"]

_SINGULAR = 1e-10  # singular value, relative to the largest one

_Reflection = tuple[np.ndarray, float]  # v and τ of I − τvvᵀ


def polar_factor(matrix: np.ndarray) -> np.ndarray:
    """The orthogonal matrix (c, c) that is closest to a matrix, ``UVᵀ`` of its decomposition ``UΣVᵀ``.

    If the matrix is singular, there are many that are equally close, and the rounding of the decomposition chooses one. It
    is then reduced to a bidiagonal matrix by reflections in plain arithmetic, as LAPACK without an optimised library does.
    The rest is not sensitive to rounding, because the entries of a bidiagonal matrix determine its singular vectors to high
    relative accuracy (Demmel and Kahan, 1990).
    """
    left, values, right = np.linalg.svd(matrix)
    if values[-1] > _SINGULAR * values[0]:
        return np.asarray(left @ right)
    bidiagonal, column_wise, row_wise = _bidiagonalised(matrix)
    left, _, right = scipy.linalg.svd(bidiagonal, lapack_driver="gesvd")
    factor = np.asarray(left @ right)
    for i, reflection in reversed(list(enumerate(column_wise))):
        _reflect_columns(factor[i:], reflection)
    for i, reflection in reversed(list(enumerate(row_wise, 1))):
        _reflect_rows(factor[:, i:], reflection)
    return factor


def _bidiagonalised(matrix: np.ndarray) -> tuple[np.ndarray, list[_Reflection], list[_Reflection]]:
    """An upper bidiagonal matrix, and the reflections of columns and of rows that lead to it."""
    rest = np.array(matrix, dtype=np.float64)
    diagonal, above = [], []
    column_wise: list[_Reflection] = []
    row_wise: list[_Reflection] = []
    while rest.size:
        reflection, entry = _reflection(rest[:, 0])
        column_wise.append(reflection)
        diagonal.append(entry)
        rest = rest[:, 1:]
        _reflect_columns(rest, reflection)
        if rest.size:
            reflection, entry = _reflection(rest[0])
            row_wise.append(reflection)
            above.append(entry)
            rest = rest[1:]
            _reflect_rows(rest, reflection)
    return np.diag(diagonal) + np.diag(above, 1), column_wise, row_wise


def _reflection(vector: np.ndarray) -> tuple[_Reflection, float]:
    """The reflection that takes a vector to a multiple of (1, 0, …, 0), and the multiple."""
    first, length = float(vector[0]), float(np.sqrt(squares_in_order(vector[None, 1:])[0]))
    if length == 0:
        return (np.zeros_like(vector), 0.0), first
    large, small = max(abs(first), length), min(abs(first), length)
    multiple = -np.copysign(large * np.sqrt(1 + (small / large) ** 2), first)
    direction = vector * (1 / (first - multiple))
    direction[0] = 1
    return (direction, float((multiple - first) / multiple)), float(multiple)


def _reflect_columns(matrix: np.ndarray, reflection: _Reflection) -> None:
    """``M − v (τ vᵀM)``, in place."""
    direction, factor = reflection
    products = sums_in_order((matrix * direction[:, None]).T)
    matrix -= direction[:, None] * (factor * products)


def _reflect_rows(matrix: np.ndarray, reflection: _Reflection) -> None:
    """``M − (Mv) (τ vᵀ)``, in place."""
    direction, factor = reflection
    products = sums_in_order(matrix * direction)
    matrix -= products[:, None] * (factor * direction)
