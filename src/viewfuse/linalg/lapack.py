"""LAPACK's routines for symmetric matrices, called without Python's lock.

SciPy's and NumPy's LAPACK are equally fast, but a call of SciPy's holds the lock: two threads that each decompose a matrix
take as long as one that decomposes both. NumPy has not all of the routines. So they are called at the addresses that
:mod:`scipy.linalg.cython_lapack` publishes for compiled code, by :mod:`ctypes`, which gives the lock away meanwhile.

Matrices are real, of single or double precision. Of a symmetric one the lower triangle is read. Integers have the width that
the published signatures say: a LAPACK whose integers are not C's ``int`` has those of 64 bits.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from scipy.linalg import cython_lapack

__all__ = ["cholesky", "divide_and_conquer", "inverse_of_cholesky", "some_eigenpairs"]

_LETTERS = {np.dtype(np.float32): "s", np.dtype(np.float64): "d"}
_LOWER = "L"


def cholesky(matrix: np.ndarray) -> np.ndarray:
    """``L`` of ``A = LLᵀ`` in place of the lower triangle of ``A``, (n, n) in Fortran order; what is above it stays."""
    n = len(matrix)
    _run("potrf", matrix.dtype, _LOWER, n, matrix, n, problem="The leading minor of order {} is not positive.")
    return matrix


def inverse_of_cholesky(factor: np.ndarray) -> np.ndarray:
    """The lower triangle of ``(LLᵀ)⁻¹`` in place of ``L``, (n, n) in Fortran order."""
    n = len(factor)
    _run("potri", factor.dtype, _LOWER, n, factor, n, problem="The factor has a zero in row {}.")
    return factor


def some_eigenpairs(matrix: np.ndarray, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
    """The eigenvalues from the ``first`` to the ``last``, ascending and counted from 0, and their eigenvectors.

    The driver may leave out some of many equal eigenvalues without a word.
    """
    n, dtype = len(matrix), matrix.dtype
    values, vectors = np.empty(n, dtype), np.empty((n, last - first + 1), dtype, order="F")
    found, support, unused = np.zeros(1, _integer()), np.empty(2 * n, _integer()), np.zeros(1, dtype)
    matrix = matrix.copy(order="F")  # it is destroyed
    wanted = (unused, unused, first + 1, last + 1, unused)
    _with_work("syevr", dtype, "V", "I", _LOWER, n, matrix, n, *wanted, found, values, vectors, n, support)
    return values[: found[0]], vectors[:, : found[0]]


def divide_and_conquer(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All eigenvalues, ascending, and eigenvectors."""
    n, values, vectors = len(matrix), np.empty(len(matrix), matrix.dtype), matrix.copy(order="F")
    _with_work("syevd", matrix.dtype, "V", _LOWER, n, vectors, n, values)
    return values, vectors


def _with_work(name: str, dtype: Any, *arguments: Any) -> None:
    """Run a routine with the memory that it asks for: its numbers, and its integers."""
    numbers, integers = np.empty(1, dtype), np.empty(1, _integer())
    problem = f"LAPACK's {name} failed with the code {{}}."
    _run(name, dtype, *arguments, numbers, -1, integers, -1, problem=problem)
    numbers, integers = np.empty(int(numbers[0]), dtype), np.empty(int(integers[0]), _integer())
    _run(name, dtype, *arguments, numbers, len(numbers), integers, len(integers), problem=problem)


def _run(name: str, dtype: Any, *arguments: Any, problem: str) -> None:
    """Call a routine with letters, integers and arrays, all by their addresses, and see whether it failed."""
    failed = np.zeros(1, _integer())
    given = [_by_address(each) for each in (*arguments, failed)]
    _routine(_LETTERS[np.dtype(dtype)] + name, len(given))(*given)
    if failed[0]:
        raise np.linalg.LinAlgError(problem.format(failed[0]))


def _by_address(argument: Any) -> Any:
    if isinstance(argument, str):
        return ctypes.byref(ctypes.c_char(argument.encode()))
    return np.asarray(argument, None if isinstance(argument, np.ndarray) else _integer()).ctypes


@cache
def _routine(name: str, n_arguments: int) -> Callable[..., None]:
    find = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
    address = find(cython_lapack.__pyx_capi__[name], _signature(name))
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * n_arguments)(address)


@cache
def _integer() -> np.dtype:
    """The type of LAPACK's integers."""
    return np.dtype(np.intc if b" int *" in _signature("dpotrf") else np.int64)


def _signature(name: str) -> bytes:
    """The types of a routine's arguments, in C."""
    name_of = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", ctypes.pythonapi))
    return bytes(name_of(cython_lapack.__pyx_capi__[name]))
