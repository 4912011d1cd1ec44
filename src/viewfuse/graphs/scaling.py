"""How a view is scaled before its graph is learned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from array_api_compat import array_namespace

__all__ = ["SCALINGS", "ScaledView", "as_dense", "min_max", "unit_samples", "unit_spread"]


@dataclass(frozen=True)
class ScaledView:
    """The matrix ``values + offset``; the offset is kept separate so that a sparse view stays sparse.

    Attributes
    ----------
    values : (n, d) array or sparse matrix
    offset : float, added to every entry
    """

    values: Any
    offset: float = 0.0


def min_max(view: Any) -> ScaledView:
    """Scale the view as a whole to [−1, 1]: ``2 (x − min) / (max − min) − 1`` with one min and max for all features."""
    low, high = _extremes(view)
    half_range = (high / 2 - low / 2) or 1.0  # halved first, because max − min may overflow
    offset = -(low / half_range) - 1
    if not sp.issparse(view):
        return ScaledView(view / half_range + offset)
    scaled = sp.csr_array(view, copy=True)
    scaled.data /= half_range  # SciPy's own division multiplies by the inverse, which may overflow
    return ScaledView(scaled, offset)


def unit_samples(view: Any) -> ScaledView:
    """Scale every sample to unit length, then the view so that its Gram matrix has trace n.

    The graphs of such views are comparable for any units, number of features and sparsity. All-zero samples stay zero; the
    others are scaled up so that the trace is still n.
    """
    if sp.issparse(view):
        rows = sp.csr_array(view, copy=True)
        peaks = abs(rows).max(axis=1).toarray().ravel()
        rows.data /= np.repeat(_nonzero(peaks), np.diff(rows.indptr))  # the inverse of a tiny peak would overflow
        lengths = (rows.multiply(rows)).sum(axis=1) ** 0.5
        unit = sp.diags_array(1 / _nonzero(lengths)) @ rows
        return ScaledView(sp.csr_array(unit, dtype=view.dtype) * _trace_factor(lengths))
    xp = array_namespace(view)
    # Divided by the largest entry first, so that squares neither overflow nor underflow.
    rows = view / _nonzero(xp.max(xp.abs(view), axis=1))[:, None]
    lengths = xp.linalg.vector_norm(rows, axis=1)
    return ScaledView(rows * (_trace_factor(lengths) / _nonzero(lengths))[:, None])


def _extremes(view: Any) -> tuple[float, float]:
    if sp.issparse(view):
        return float(view.min()), float(view.max())
    xp = array_namespace(view)
    return float(xp.min(view)), float(xp.max(view))


def unit_spread(view: Any) -> ScaledView:
    """Centre the view and scale it as a whole so that the mean squared distance of its samples from their mean is 1.

    Every view then has the same weight in a sum of squared distances, for any unit and number of features. The proportions
    of its features do not change. Centring makes a sparse view dense.
    """
    dense = view.toarray() if sp.issparse(view) else np.asarray(view)
    peak = float(np.abs(dense).max()) or 1.0  # divided by it first, so that squares neither overflow nor underflow
    dense = dense / peak
    centred = dense - dense.mean(axis=0)
    spread = float(np.sqrt((centred**2).sum(axis=1).mean()))
    return ScaledView(centred / (spread or 1.0))


def as_dense(view: ScaledView) -> np.ndarray:
    """``values + offset`` as one NumPy array."""
    values = view.values.toarray() if sp.issparse(view.values) else np.asarray(view.values)
    return values + view.offset if view.offset else values


def _nonzero(scale: Any) -> Any:
    xp = array_namespace(scale)
    return xp.where(scale > 0, scale, xp.ones_like(scale))


def _trace_factor(lengths: Any) -> float:
    """√(n / number of samples that are not zero)."""
    xp = array_namespace(lengths)
    occupied = int(xp.count_nonzero(lengths))
    return float((lengths.shape[0] / max(occupied, 1)) ** 0.5)


SCALINGS: dict[str, Callable[[Any], ScaledView]] = {
    "unit-samples": unit_samples,
    "min-max": min_max,
    "unit-spread": unit_spread,
}
