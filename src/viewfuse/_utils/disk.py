"""Matrices in files, read some rows at a time."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
import scipy.sparse as sp
from array_api_compat import is_numpy_array

from .device import beside, to_host

__all__ = ["is_on_disk", "portion_of", "read_rows"]

_BYTES_AT_A_TIME = 2**26


def is_on_disk(data: Any) -> bool:
    """Whether this is a matrix in a file that is read by slices: an HDF5 data set, a Zarr array, or ``io.ParquetRows``."""
    return type(data).__module__.partition(".")[0] in ("h5py", "zarr") or getattr(data, "reads_rows_from_disk", False)


def portion_of(width: int) -> int:
    """How many rows of so many bytes to read at a time."""
    return max(_BYTES_AT_A_TIME // max(width, 1), 1)


def read_rows(array: Any, rows: slice | np.ndarray) -> Any:
    """Some rows of a view, by a slice or by ascending positions, as a NumPy array or a sparse matrix.

    Of a file no more is held than these rows and one portion of it: what a memory map has read for them is given back.
    """
    if isinstance(array, np.memmap) or is_on_disk(array):
        return _copied(array, rows) if isinstance(rows, slice) else _gathered(array, rows)
    if sp.issparse(array) or is_numpy_array(array):
        return array[rows]
    return to_host(array[rows if isinstance(rows, slice) else beside(array, rows), :])


def _copied(array: Any, rows: slice) -> np.ndarray:
    copy = np.array(array[rows])
    if isinstance(array, np.memmap):
        _give_back(array)
    return copy


def _gathered(array: Any, rows: np.ndarray) -> np.ndarray:
    """Rows by position, the file read once from its first portion to its last: files are slow to jump about in."""
    portion = portion_of(array.shape[1] * array.dtype.itemsize)
    gathered = np.empty((len(rows), array.shape[1]), dtype=array.dtype)
    for begin in range(0, array.shape[0], portion):
        first, last = np.searchsorted(rows, (begin, begin + portion))
        if first < last:
            gathered[first:last] = _copied(array, slice(begin, begin + portion))[rows[first:last] - begin]
    return gathered


def _give_back(array: np.memmap) -> None:
    """Tell the system that the pages read through this map are no longer needed; they would count as ours until it is short.

    Not where the map is a private copy: its pages may hold what no file does.
    """
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    if array.mode != "c" and isinstance(base, mmap.mmap) and hasattr(base, "madvise"):
        base.madvise(mmap.MADV_DONTNEED)
