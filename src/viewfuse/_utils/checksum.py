"""Checksums of views, which do not depend on the format of the file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp

from .row_blocks import portion_of, read_rows

__all__ = ["checksum"]


def checksum(view: Any) -> str:
    """Return the SHA-256 of a view's shape, dtype and values."""
    digest = hashlib.sha256(f"{view.shape} {view.dtype}".encode())
    if sp.issparse(view):
        csr = view.tocsr()
        parts: Iterable[Any] = (csr.data, csr.indices, csr.indptr)
    else:
        portion = portion_of(view.shape[1] * view.dtype.itemsize)
        parts = (read_rows(view, slice(begin, begin + portion)) for begin in range(0, view.shape[0], portion))
    for part in parts:
        digest.update(np.ascontiguousarray(part).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()
