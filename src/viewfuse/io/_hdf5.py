"""Reading HDF5 without trusting it: what a data set claims is compared with what the file stores first."""

from __future__ import annotations

import math
from typing import Any

from .._extras import require
from ..exceptions import ViewsFormatError
from ._safety import check_claim

__all__ = ["check_all_datasets", "check_dataset"]


def check_dataset(dataset: Any) -> None:
    """Refuse a data set that would take more memory than its bytes can fill, or that points at other files."""
    name = f"data set {dataset.name!r}"
    if dataset.is_virtual or dataset.external:
        raise ViewsFormatError(f"{name} keeps its values in another file; store them in this one.")
    if dataset.shape is None:
        return
    stored, item_size = dataset.id.get_storage_size(), dataset.dtype.itemsize
    check_claim(math.prod(dataset.shape) * item_size, stored, name)
    if dataset.chunks is not None:
        check_claim(math.prod(dataset.chunks) * item_size, max(stored, 1024), f"a chunk of {name}")


def check_all_datasets(path: Any) -> None:
    """Check every data set of a file that another library is going to read as a whole."""
    h5py = require("h5py")
    with h5py.File(path, "r") as file:
        file.visititems(lambda _, item: check_dataset(item) if isinstance(item, h5py.Dataset) else None)
