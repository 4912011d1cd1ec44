"""Read MATLAB files, v4 to v7.2: headers are checked first, then SciPy reads the file."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._utils.warn import ignoring
from ..exceptions import ViewsFormatError
from . import _mat5
from ._safety import Unread, checked_sparse

__all__ = ["read_mat"]

_V4_HEADER = 20
_V4_ITEM_SIZES = (8, 4, 4, 2, 2, 1)


def read_mat(path: Path) -> dict[str, Any]:
    """Return the variables of a v4–v7.2 file: matrices, texts, cells as lists (in MATLAB's order), and ``Unread``."""
    from scipy.io import loadmat

    with path.open("rb") as file:
        is_v4 = v4_order(file.read(_V4_HEADER)) is not None
    if is_v4:
        _scan_v4(path)
        wanted, unread = None, []
    else:
        scanned = [variable for variable in _mat5.scan(path) if variable.name]
        wanted = [variable.name for variable in scanned if variable.readable]
        unread = [variable.name for variable in scanned if not variable.readable]
    with ignoring("The default value for `spmatrix` is changing"):  # either kind is read
        found = loadmat(str(path), variable_names=wanted, appendmat=False)
    values = {name: _plain(value, name) for name, value in found.items() if not name.startswith("__")}
    return {**values, **{name: Unread() for name in unread}}


def _plain(value: Any, name: str) -> Any:
    if sp.issparse(value):
        return checked_sparse(value, f"variable {name!r}")
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.kind == "O":
        return [_plain(entry, f"{name}{{{e + 1}}}") for e, entry in enumerate(value.ravel(order="F"))]
    if value.dtype.kind in "US":
        return [str(line) for line in value.ravel()] if value.size != 1 else str(value.ravel()[0])
    return value


def v4_order(header: bytes) -> str | None:
    """Return the byte order of a v4 file, or None if this is not a v4 header. The format has no signature."""
    if len(header) < _V4_HEADER:
        return None
    for order in "<>":
        mopt, rows, columns, is_complex, name_length = struct.unpack(order + "5i", header)
        machine, reserved, kind, form = mopt // 1000, mopt // 100 % 10, mopt // 10 % 10, mopt % 10
        plausible = 0 <= machine <= 4 and reserved == 0 and kind < len(_V4_ITEM_SIZES) and form <= 2
        if plausible and rows >= 0 and columns >= 0 and is_complex in (0, 1) and 1 < name_length <= 256:
            return order
    return None


def _scan_v4(path: Path) -> None:
    """Check that every variable lies within the file, and that the last one ends where the file ends."""
    size, names = path.stat().st_size, set()
    with path.open("rb") as file:
        while (start := file.tell()) < size:
            header = file.read(_V4_HEADER)
            order = v4_order(header)
            if order is None:
                raise ViewsFormatError(f"the variable at byte {start} has no valid header; the file is damaged.")
            mopt, rows, columns, is_complex, name_length = struct.unpack(order + "5i", header)
            name = file.read(name_length)
            n_bytes = rows * columns * _V4_ITEM_SIZES[mopt // 10 % 10] * (1 + is_complex)
            if file.tell() + n_bytes > size:
                raise ViewsFormatError(
                    f"the variable at byte {start} claims {rows:,} × {columns:,} values ({n_bytes:,} bytes), "
                    f"but {size - file.tell():,} bytes are left; the file is cut short or damaged."
                )
            if name in names:
                raise ViewsFormatError("several variables have the same name; the file is damaged.")
            names.add(name)
            file.seek(n_bytes, 1)
