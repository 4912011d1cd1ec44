"""Checks of HDF5 files before they are read: the claimed size of a data set is compared with its bytes in the file."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from .._utils.extras import require
from ..exceptions import ViewsFormatError
from ._safety import check_claim

__all__ = ["check_all_datasets", "check_dataset", "linked_addresses"]


def check_dataset(dataset: Any, name: str) -> None:
    """Refuse a data set that claims more memory than its bytes can fill, or that refers to other files.

    ``name`` is an argument because HDF5 searches the whole file to find the name of an object.
    """
    if dataset.is_virtual or dataset.external:
        raise ViewsFormatError(f"{name} keeps its values in another file.", hint="Store the values in this file.")
    if dataset.shape is None:
        return
    stored, item_size = dataset.id.get_storage_size(), dataset.dtype.itemsize
    check_claim(math.prod(dataset.shape) * item_size, stored, name)
    if dataset.chunks is not None:
        check_claim(math.prod(dataset.chunks) * item_size, max(stored, 1024), f"one chunk of {name}")


def check_all_datasets(path: Path) -> None:
    """Check every data set of a file that another library will read as a whole."""
    h5py = require("h5py")
    size = path.stat().st_size
    with h5py.File(path, "r") as file, path.open("rb") as raw:

        def check(name: str, item: Any) -> None:
            if not isinstance(item, h5py.Dataset):
                return
            check_dataset(item, name)
            if h5py.check_vlen_dtype(item.dtype) is not None and _total_length(h5py, item, raw) > size:
                raise ViewsFormatError(f"{name} claims texts longer than the whole file; the file is damaged.")

        file.visititems(check)


def _total_length(h5py: Any, dataset: Any, raw: Any) -> int:
    """Sum the lengths of values of variable length. A descriptor is a length (4 bytes) and a position (12 bytes).

    HDF5 allocates each length before it checks the position. Compressed descriptors are skipped: their checksum shows
    damage.
    """
    properties = dataset.id.get_create_plist()
    stored = dataset.id.get_storage_size()
    if properties.get_nfilters() or not stored:
        return 0
    match properties.get_layout():
        case h5py.h5d.CONTIGUOUS:
            spans = [(dataset.id.get_offset(), stored)]
        case h5py.h5d.CHUNKED:
            chunks = [dataset.id.get_chunk_info(c) for c in range(dataset.id.get_num_chunks())]
            spans = [(chunk.byte_offset, chunk.size) for chunk in chunks]
        case _:
            return 0
    total = 0
    for offset, n_bytes in spans:
        raw.seek(offset)
        descriptors = raw.read(n_bytes // 16 * 16)
        total += int(np.frombuffer(descriptors, dtype="<u4")[::4].sum(dtype=np.int64))
    return total


def linked_addresses(file: Any) -> set[int]:
    """Return the addresses of all objects that have a name in the file.

    The bytes of a deleted object often remain in the file, and a reference to it would still open them.
    """
    get_info = require("h5py").h5o.get_info
    addresses: set[int] = set()
    file.visit(lambda name: addresses.add(get_info(file.id, name.encode()).addr))
    return addresses
