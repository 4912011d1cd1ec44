"""What makes a fit independent of the order of rows and of repeated views.

Clusterings depend on the order of the samples through random starts. So samples are first put in an order that follows
from their values: permuting the rows then permutes the labels and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from array_api_compat import array_namespace

from ..._utils.device import to_host
from ..._utils.warn import warn
from ...exceptions import UninformativeViewWarning
from ...linalg.threads import spans
from ...views import Views

__all__ = ["canonical_order", "distinct_views", "in_unit", "unit"]

_HUGE = 1e15
_BLOCK = 4096  # rows that are converted to double precision at a time


def canonical_order(views: Sequence[Any]) -> np.ndarray:
    """The positions of the samples by the sums of their values and squares, which do not depend on the order of columns."""
    keys = [key for view in views for key in _row_sums(view)]
    total = sum(key / scale if (scale := float(np.abs(key).mean())) > 0 else key for key in keys)
    return np.argsort(total, kind="stable")


def distinct_views(views: Views, arrays: Sequence[Any], used: Sequence[int]) -> tuple[list[int], dict[int, int]]:
    """The views without those that repeat another one, or hold its rows in another order; and which one each repeats.

    A repeated view would count twice. Rows in another order are a mistake made before the fit, and are warned of.
    """
    kept: list[int] = []
    repeats: dict[int, int] = {}
    keys = {v: _row_key(arrays[v]) for v in used}
    for v in used:
        alike = [u for u in kept if arrays[u].shape == arrays[v].shape]
        same = [u for u in alike if np.array_equal(keys[u], keys[v])]
        if same:
            repeats[v] = same[0]
            continue
        reordered = [u for u in alike if _is_reordered(keys[u], keys[v])]
        if not reordered:
            kept.append(v)
            continue
        warn(
            UninformativeViewWarning(
                f"View {views.names[v]!r} has the rows of {views.names[reordered[0]]!r} in another order: it is not used.",
                hint="Put the rows of all views in the same order, or give DataFrames with the ids as index.",
                view=views.names[v],
            )
        )
    return kept, repeats


def unit(view: Any) -> float:
    """1, or the largest absolute value where squares of the values would overflow or vanish."""
    if sp.issparse(view):
        largest = float(abs(view).max()) if view.nnz else 0.0
    else:
        xp = array_namespace(view)
        largest = max(float(xp.max(view)), -float(xp.min(view)))
    return largest if largest > _HUGE or 0 < largest < 1 / _HUGE else 1.0


def in_unit(view: Any, size: float) -> Any:
    """The view divided by its unit."""
    if size == 1:
        return view
    if not sp.issparse(view):
        return view / size
    divided = view.astype(float, copy=True)
    divided.data /= size  # scipy would multiply by 1 / size, which may overflow
    return divided


def _row_sums(view: Any) -> tuple[np.ndarray, np.ndarray]:
    squares = view.multiply(view).sum(axis=1) if sp.issparse(view) else np.einsum("ij,ij->i", view, view)
    return np.asarray(view.sum(axis=1)).ravel(), np.asarray(squares).ravel()


def _row_key(view: Any) -> np.ndarray:
    """A number for each row: equal for equal rows and, but for coincidences, different for others."""
    direction = np.random.RandomState(0).standard_normal(view.shape[1])
    if sp.issparse(view):
        return np.asarray(view @ direction)
    held = to_host(view)
    return np.concatenate([held[rows] @ direction for rows in spans(len(held), _BLOCK)])  # in double precision


def _is_reordered(one: np.ndarray, other: np.ndarray) -> bool:
    mostly_distinct = np.unique(one).size > len(one) / 2  # a column of few values may agree by chance
    return mostly_distinct and np.allclose(np.sort(one), np.sort(other), rtol=1e-12, atol=0)
