"""Samples that are missing from views."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .._utils.row_blocks import read_rows
from ..views import Views

__all__ = ["absent_samples"]

_ROWS_AT_A_TIME = 65_536


def absent_samples(views: Views, view: int) -> int:
    """Number of samples that a view does not have: ``present`` is False, or the row is all NaN."""
    array: Any = views.arrays[view]
    absent = np.zeros(len(views), dtype=bool) if views.present is None else ~views.present[:, view]
    if not sp.issparse(array) and "float" in str(array.dtype):
        for start in range(0, len(views), _ROWS_AT_A_TIME):
            rows = slice(start, min(start + _ROWS_AT_A_TIME, len(views)))
            absent[rows] |= np.isnan(read_rows(array, rows)).all(axis=1)
    return int(absent.sum())
