"""NumPy ``.npz`` archives, never unpickled."""

from __future__ import annotations

import math
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from ..exceptions import ViewsFormatError
from ._safety import check_claim

__all__ = ["read_npz"]


def read_npz(path: Path) -> dict[str, Any]:
    """The arrays of the archive by name, each one's header checked against the bytes it has."""
    with zipfile.ZipFile(path) as archive:
        members = [member for member in archive.infolist() if member.filename.endswith(".npy")]
        if not members:
            raise ViewsFormatError("it is a zip archive without NumPy arrays.")
        return {member.filename.removesuffix(".npy"): _read_array(archive, member) for member in members}


def _read_array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> np.ndarray:
    name = f"array {member.filename.removesuffix('.npy')!r}"
    check_claim(member.file_size, member.compress_size, name)
    with archive.open(member) as stream:
        version = np.lib.format.read_magic(stream)
        # Version 3 differs from 2 only in the encoding of field names, which no matrix has.
        read_header = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }.get(version)
        if read_header is None:
            raise ViewsFormatError(f"{name} has the unknown format version {version}.")
        shape, _, dtype = read_header(stream)
        if dtype.hasobject:
            raise ViewsFormatError(
                f"{name} holds pickled Python objects, which are never loaded; save each view as an array of its own."
            )
        claimed = math.prod(shape) * dtype.itemsize
        if claimed > member.file_size:
            raise ViewsFormatError(f"{name} claims {claimed:,} bytes, but the file holds {member.file_size:,} of them.")
    with archive.open(member) as stream:
        return np.lib.format.read_array(stream, allow_pickle=False)
