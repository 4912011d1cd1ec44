"""Read matrices in files, a portion of the rows at a time."""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from array_api_compat import is_numpy_array

from .device import beside, to_host

__all__ = ["PORTION_BYTES", "each_portion", "is_on_disk", "portion_of", "read_rows"]

PORTION_BYTES = 2**26
# Mean distance in bytes between rows of a memory map above which only their pages are read: below it, the whole file is read
# in less time than a solid-state drive needs to find them.
_FAR_APART = 2**16
_PAGES = 1_000  # rows that are then read at a time


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


def each_portion(arrays: Sequence[Any], portions: Sequence[slice]) -> Iterator[tuple[slice, list[Any]]]:
    """Rows of several views, one portion after the other, as NumPy arrays or sparse matrices.

    Memory maps are not copied. While a portion is processed the system reads the next one, and pages are released when the
    caller asks for the next portion.
    """
    maps = [mapped for array in arrays if (mapped := _MappedRows.of(array)) is not None]
    for number, rows in enumerate(portions):
        if number + 1 < len(portions):
            for mapped in maps:
                mapped.announce(portions[number + 1].start, portions[number + 1].stop)
        yield rows, [np.asarray(array[rows]) if isinstance(array, np.memmap) else read_rows(array, rows) for array in arrays]
        for array in arrays:
            if isinstance(array, np.memmap):
                _release_pages(array)


def _copied(array: Any, rows: slice) -> np.ndarray:
    copy = np.array(array[rows])
    if isinstance(array, np.memmap):
        _release_pages(array)
    return copy


def _gathered(array: Any, rows: np.ndarray, portion_bytes: int) -> np.ndarray:
    """Read rows by position. Unless they are far apart, the file is read once, portion by portion, from beginning to end."""
    if isinstance(array, np.memmap) and array.nbytes > _FAR_APART * max(len(rows), 1) and array.flags.c_contiguous:
        return _gathered_by_pages(array, rows)
    portion = portion_of(array.shape[1] * array.dtype.itemsize, portion_bytes=portion_bytes)
    gathered = np.empty((len(rows), array.shape[1]), dtype=array.dtype)
    for begin in range(0, array.shape[0], portion):
        first, last = np.searchsorted(rows, (begin, begin + portion))
        if first < last:
            gathered[first:last] = _copied(array, slice(begin, begin + portion))[rows[first:last] - begin]
    return gathered


def _gathered_by_pages(array: np.memmap, rows: np.ndarray) -> np.ndarray:
    """Read the pages of these rows only, a few at a time: the system maps those around them too."""
    gathered = np.empty((len(rows), array.shape[1]), dtype=array.dtype)
    mapped = _MappedRows.of(array)
    for begin in range(0, len(rows), _PAGES):
        some = rows[begin : begin + _PAGES]
        if mapped is not None:
            for row in some.tolist():
                mapped.announce(row, row + 1)
        gathered[begin : begin + _PAGES] = array[some]
        _release_pages(array)
    return gathered


@dataclass(frozen=True)
class _MappedRows:
    """Where the rows of a memory map lie in its file.

    Attributes
    ----------
    base : mmap
    first : int, the position of the first row in bytes
    width : int, bytes of a row
    """

    base: Any
    first: int
    width: int

    @classmethod
    def of(cls, array: Any) -> _MappedRows | None:
        """None if this is no memory map of whole rows, or if the system cannot be told about it."""
        base = _mapping(array) if isinstance(array, np.memmap) and array.flags.c_contiguous else None
        if base is None:
            return None
        return cls(base, array.ctypes.data - _address(base), array.nbytes // max(array.shape[0], 1))

    def announce(self, start: int, stop: int) -> None:
        """Tell the system that these rows will be needed, so that it reads them without being waited for."""
        begin = max(self.first + start * self.width, 0) // mmap.PAGESIZE * mmap.PAGESIZE
        end = min(self.first + stop * self.width, len(self.base))
        if begin < end:
            self.base.madvise(mmap.MADV_WILLNEED, begin, end - begin)


def _release_pages(array: np.memmap) -> None:
    """Tell the system that the pages of this memory map are no longer needed; otherwise they count as used memory.

    The pages of a private copy (mode "c") are kept: they may hold values that are not in the file.
    """
    base = _mapping(array)
    if array.mode != "c" and base is not None:
        base.madvise(mmap.MADV_DONTNEED)


def _mapping(array: np.memmap) -> Any:
    """The memory map behind an array; None if the system cannot be told about it."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    return base if isinstance(base, mmap.mmap) and hasattr(base, "madvise") else None


def _address(base: Any) -> int:
    return int(np.frombuffer(base, dtype=np.uint8).ctypes.data)
