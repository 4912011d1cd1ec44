"""Read NumPy ``.npz`` archives, without unpickling."""

from __future__ import annotations

import math
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..exceptions import ViewsFormatError
from ._safety import check_claim, checked_sparse

__all__ = ["read_npz"]


def read_npz(path: Path) -> dict[str, Any]:
    """Return the arrays of the archive by name; the size in each header is compared with the bytes in the file."""
    with zipfile.ZipFile(path) as archive:
        members = [member for member in archive.infolist() if member.filename.endswith(".npy")]
        if not members:
            raise ViewsFormatError("the file is a zip archive without NumPy arrays.")
        arrays = {member.filename.removesuffix(".npy"): _read_array(archive, member) for member in members}
    if {"format", "shape", "data"} <= arrays.keys() and arrays["format"].ndim == 0 and arrays["format"].dtype.kind in "SU":
        return {"X": _sparse(arrays)}
    return arrays


def _sparse(arrays: dict[str, np.ndarray]) -> Any:
    """Return the matrix that ``scipy.sparse.save_npz`` has written as several arrays."""
    form = arrays["format"].astype(str).item()
    shape = arrays["shape"].tolist()
    parts = {"csr": ("indices", "indptr"), "csc": ("indices", "indptr"), "coo": ("row", "col")}.get(form)
    if parts is None:
        raise ViewsFormatError(
            f"the sparse matrix has the format {form!r}; csr, csc and coo can be read.", hint="Save matrix.tocsr() instead."
        )
    absent = [part for part in parts if part not in arrays]
    if absent or len(shape) != 2:
        raise ViewsFormatError(
            f"the sparse matrix is incomplete: {absent[0] if absent else 'a shape of two numbers'} is missing."
        )
    first, second = (arrays[part] for part in parts)
    if form == "coo":
        return checked_sparse(sp.coo_array((arrays["data"], (first, second)), shape=shape), "the sparse matrix")
    made = sp.csr_array if form == "csr" else sp.csc_array
    return checked_sparse(made((arrays["data"], first, second), shape=shape), "the sparse matrix")


def _read_array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> np.ndarray:
    name = f"array {member.filename.removesuffix('.npy')!r}"
    check_claim(member.file_size, member.compress_size, name)
    with archive.open(member) as stream:
        version = np.lib.format.read_magic(stream)
        # Version 3 differs from version 2 only in the encoding of field names, and a matrix has no fields.
        read_header = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }.get(version)
        if read_header is None:
            raise ViewsFormatError(f"{name} has the unknown format version {version}.")
        shape, _, dtype = read_header(stream)
        if dtype.hasobject:
            raise ViewsFormatError(
                f"{name} holds pickled Python objects, which are never loaded.",
                hint="Save each view as a separate numeric array.",
            )
        claimed = math.prod(shape) * dtype.itemsize
        if claimed > member.file_size:
            raise ViewsFormatError(f"{name} claims {claimed:,} bytes, but the file has {member.file_size:,} bytes for it.")
    with archive.open(member) as stream:
        return np.lib.format.read_array(stream, allow_pickle=False)
