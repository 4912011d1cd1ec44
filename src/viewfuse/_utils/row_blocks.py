"""Read matrices in files, a portion of the rows at a time."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
import scipy.sparse as sp
from array_api_compat import is_numpy_array

from .device import beside, to_host

__all__ = ["PORTION_BYTES", "is_on_disk", "portion_of", "read_rows"]

PORTION_BYTES = 2**26


def is_on_disk(data: Any) -> bool:
    """Return whether this is a matrix in a file: an HDF5 data set, a Zarr array, or ``io.ParquetRows``."""
    return type(data).__module__.partition(".")[0] in ("h5py", "zarr") or getattr(data, "reads_rows_from_disk", False)


def portion_of(row_bytes: int, *, portion_bytes: int = PORTION_BYTES) -> int:
    """Return the number of rows to read at a time, if a row has ``row_bytes`` bytes."""
    return max(portion_bytes // max(row_bytes, 1), 1)


def read_rows(array: Any, rows: slice | np.ndarray, *, portion_bytes: int = PORTION_BYTES) -> Any:
    """Read rows of a view, by a slice or by ascending positions, as a NumPy array or a sparse matrix.

    For a matrix in a file, memory is needed for these rows and one portion of the file, of ``portion_bytes``. The pages of
    a memory map are released.
    """
    if isinstance(array, np.memmap) or is_on_disk(array):
        return _copied(array, rows) if isinstance(rows, slice) else _gathered(array, rows, portion_bytes)
    if sp.issparse(array) or is_numpy_array(array):
        return array[rows]
    return to_host(array[rows if isinstance(rows, slice) else beside(array, rows), :])


def _copied(array: Any, rows: slice) -> np.ndarray:
    copy = np.array(array[rows])
    if isinstance(array, np.memmap):
        _release_pages(array)
    return copy


def _gathered(array: Any, rows: np.ndarray, portion_bytes: int) -> np.ndarray:
    """Read rows by position. The file is read once, portion by portion, because random access to files is slow."""
    portion = portion_of(array.shape[1] * array.dtype.itemsize, portion_bytes=portion_bytes)
    gathered = np.empty((len(rows), array.shape[1]), dtype=array.dtype)
    for begin in range(0, array.shape[0], portion):
        first, last = np.searchsorted(rows, (begin, begin + portion))
        if first < last:
            gathered[first:last] = _copied(array, slice(begin, begin + portion))[rows[first:last] - begin]
    return gathered


def _release_pages(array: np.memmap) -> None:
    """Tell the system that the pages of this memory map are no longer needed; otherwise they count as used memory.

    The pages of a private copy (mode "c") are kept: they may hold values that are not in the file.
    """
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    if array.mode != "c" and isinstance(base, mmap.mmap) and hasattr(base, "madvise"):
        base.madvise(mmap.MADV_DONTNEED)
