"""Reading HDF5 without trusting it: what a data set claims is compared with what the file stores first."""

from __future__ import annotations

import math
from typing import Any

from .._extras import require
from ..exceptions import ViewsFormatError
from ._safety import check_claim

__all__ = ["check_all_datasets", "check_dataset", "linked_addresses"]


def check_dataset(dataset: Any, name: str) -> None:
    """Refuse a data set that would take more memory than its bytes can fill, or that points at other files.

    ``name`` is passed in because HDF5 finds an object's own name by searching the whole file.
    """
    if dataset.is_virtual or dataset.external:
        raise ViewsFormatError(f"{name} keeps its values in another file; store them in this one.")
    if dataset.shape is None:
        return
    stored, item_size = dataset.id.get_storage_size(), dataset.dtype.itemsize
    check_claim(math.prod(dataset.shape) * item_size, stored, name)
    if dataset.chunks is not None:
        check_claim(math.prod(dataset.chunks) * item_size, max(stored, 1024), f"one chunk of {name}")


def check_all_datasets(path: Any) -> None:
    """Check every data set of a file that another library is going to read as a whole."""
    h5py = require("h5py")
    with h5py.File(path, "r") as file:
        file.visititems(lambda name, item: check_dataset(item, name) if isinstance(item, h5py.Dataset) else None)


def linked_addresses(file: Any) -> set[int]:
    """Where the objects lie that can be reached from the top.

    A deleted object's bytes often outlive it, and a reference still opens them.
    """
    get_info = require("h5py").h5o.get_info
    addresses: set[int] = set()
    file.visit(lambda name: addresses.add(get_info(file.id, name.encode()).addr))
    return addresses
