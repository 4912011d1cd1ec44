"""Nearest rows on a device; for NumPy arrays scikit-learn's ``NearestNeighbors`` needs less memory."""

from __future__ import annotations

from typing import Any

from array_api_compat import array_namespace, is_torch_array

from .kmeans import squared_distances
from .threads import spans

__all__ = ["nearest_rows"]

_MOST_DISTANCES = 2**27  # in memory at a time


def nearest_rows(rows: Any, others: Any, count: int) -> tuple[Any, Any]:
    """Distances and positions of the ``count`` nearest of the others to each row, (b, count) each, the nearest first."""
    xp = array_namespace(rows, others)
    height = max(_MOST_DISTANCES // int(others.shape[0]), 1)
    found = [_nearest(rows[part, :], others, count) for part in spans(int(rows.shape[0]), height)]
    return tuple(xp.concat(parts, axis=0) for parts in zip(*found, strict=True))


def _nearest(rows: Any, others: Any, count: int) -> tuple[Any, Any]:
    xp, squares = array_namespace(rows), squared_distances(rows, others)
    if is_torch_array(squares):  # far faster than sorting
        values, index = squares.topk(count, dim=1, largest=False, sorted=True)
    else:
        index = xp.argsort(squares, axis=1)[:, :count]
        values = xp.take_along_axis(squares, index, axis=1)
    return xp.sqrt(values), index
