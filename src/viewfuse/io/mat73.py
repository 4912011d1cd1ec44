"""Read MATLAB v7.3 files. They are HDF5: cells are references, and matrices are stored by columns."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._utils.extras import require
from ..exceptions import ViewsFormatError
from ._hdf5 import check_dataset, linked_addresses
from ._safety import Unread, checked_sparse

__all__ = ["read_mat73"]

_MAX_DEPTH = 8


def read_mat73(path: Path) -> dict[str, Any]:
    """Return the variables of the file, as ``read_mat`` does; also of a plain HDF5 file with matrices at the top level."""
    h5py = require("h5py")
    with h5py.File(path, "r") as file:
        reader = _Reader(h5py, file)
        # "#refs#" and "#subsystem#" hold what cells and objects refer to.
        values = {name: reader.value(file[name], name, depth=0) for name in file if not name.startswith("#")}
    return {name: Unread() if value is None else value for name, value in values.items()}


class _Reader:
    """Converts HDF5 objects to matrices, texts and lists; structs and other objects, which hold no views, to None."""

    def __init__(self, h5py: Any, file: Any) -> None:
        self._h5py = h5py
        self._file = file

    def value(self, item: Any, name: str, depth: int) -> Any:
        if isinstance(item, self._h5py.Group):
            return self._sparse(item, name) if "MATLAB_sparse" in item.attrs else None
        if not isinstance(item, self._h5py.Dataset):
            raise ViewsFormatError(f"{name!r} is not a data set; the file is damaged.")
        check_dataset(item, name)
        matlab_class = _text(item.attrs.get("MATLAB_class", b""))
        if item.attrs.get("MATLAB_empty"):
            return [] if matlab_class == "cell" else np.zeros((0, 0))
        if self._h5py.check_ref_dtype(item.dtype) is not None:
            return self._cell(item, name, depth)
        is_complex = item.dtype.names == ("real", "imag")
        if (item.dtype.kind not in "biufc" and not is_complex) or "MATLAB_object_decode" in item.attrs:
            return None  # MATLAB's objects, such as strings, are stored as numbers that only MATLAB can decode
        stored = item[()]
        if is_complex:
            stored = stored["real"] + 1j * stored["imag"]
        # MATLAB stores matrices by columns. The transpose shares memory, so nothing is copied.
        values = stored.T if matlab_class else stored
        return _lines(values, name) if matlab_class == "char" else values

    def _cell(self, item: Any, name: str, depth: int) -> list[Any]:
        if depth == _MAX_DEPTH:
            raise ViewsFormatError(f"{name} nests cells more than {_MAX_DEPTH} deep.")
        return [
            self.value(self._referred(reference, f"{name}{{{e + 1}}}"), f"{name}{{{e + 1}}}", depth + 1)
            for e, reference in enumerate(item[()].ravel())
        ]

    def _referred(self, reference: Any, name: str) -> Any:
        try:
            item = self._file[reference]
            if self._h5py.h5o.get_info(item.id).addr in self._linked:
                return item
        except (ValueError, KeyError, RuntimeError, OSError):
            pass
        raise ViewsFormatError(f"{name} refers to an object that is not in the file.")

    @cached_property
    def _linked(self) -> set[int]:
        return linked_addresses(self._file)

    def _sparse(self, group: Any, name: str) -> Any:
        n_rows = int(group.attrs["MATLAB_sparse"])
        pointers = self._vector(group, "jc", name)
        if n_rows < 0 or pointers is None or pointers.size == 0:
            raise ViewsFormatError(f"{name} is a sparse matrix without column pointers.")
        rows, values = self._vector(group, "ir", name), self._vector(group, "data", name)
        if rows is None or values is None:  # a sparse matrix without entries
            rows, values = np.zeros(0, dtype=np.int64), np.zeros(0)
        shape = (n_rows, pointers.size - 1)
        matrix = sp.csc_array((values, rows.astype(np.int64), pointers.astype(np.int64)), shape=shape)
        return checked_sparse(matrix, name)

    def _vector(self, group: Any, key: str, name: str) -> np.ndarray | None:
        if key not in group:
            return None
        dataset = group[key]
        if not isinstance(dataset, self._h5py.Dataset) or dataset.ndim != 1 or dataset.dtype.kind not in "biuf":
            raise ViewsFormatError(f"{name}: {key!r} of a sparse matrix must be a vector of numbers.")
        check_dataset(dataset, f"{name}/{key}")
        return dataset[()]


def _lines(values: np.ndarray, name: str) -> str | list[str]:
    """Return a char matrix as text, one line per row."""
    if values.ndim != 2:
        raise ViewsFormatError(f"{name} is text with {values.ndim} dimensions; it must have 2.")
    lines = ["".join(map(chr, row)).rstrip() for row in values.tolist()]
    return lines[0] if len(lines) == 1 else lines


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
