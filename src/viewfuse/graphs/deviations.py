"""A view's samples seen from their mean, as a Gram factor: what the robust variant learns its graphs from.

With ``u_i = x_i/‖x_i‖`` and ``m`` the mean of all ``u_i``,

    a_i = (u_i − m) / ‖u_i − m‖,    G = c · A Aᵀ  with c such that tr G = 100.

Where features are counts, pixels or concentrations every ``u_i`` points into one orthant: what all samples have in common
makes up most of ``U Uᵀ``, and a tie says little but that two samples come from the same data. Seen from the mean it says
that they differ from the rest in the same way, and those that differ in opposite ways are not tied at all. The trace makes
α and β percentages of what there is to be explained, for ten samples as for ten thousand.

All-zero samples stay zero, and so do those whose deviation is lost in rounding. No other sample is at the mean, which is
shorter than 1 unless all samples point one way: such a view has no deviations and stays as it is.

The cost is that of :func:`factorise`, whose work it is. A sparse view with more features than samples is never made dense,
as G follows from the products of the samples alone:

    (u_i − m)·(u_j − m) = K_ij − k_i − k_j + k̄,    K = U Uᵀ, k its row means, k̄ their mean.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from array_api_compat import array_namespace

from .scaling import ScaledView, as_dense, unit_samples
from .self_expressive import GramFactor, factorise, factorise_gram, gram_matrix, in_double

__all__ = ["TRACE", "factorise_deviations", "of_trace"]

TRACE = 100.0
_ROUNDING = 64  # times the precision of a view's numbers: deviations no longer than that are none


def factorise_deviations(view: Any) -> GramFactor:
    """The factor of the deviations of an (n, d) array or sparse matrix, in single precision."""
    unit = unit_samples(view)
    xp = np if sp.issparse(view) else array_namespace(view)
    negligible = _ROUNDING * float(xp.finfo(unit.values.dtype).eps)
    if sp.issparse(view) and view.shape[1] >= view.shape[0]:
        return factorise_gram(_gram_from_mean(gram_matrix(unit), negligible)).single_precision()
    dense = in_double(as_dense(unit) if sp.issparse(view) else unit.values)
    return factorise(of_trace(unit_samples(_from_mean(dense, negligible)))).single_precision()


def of_trace(view: ScaledView) -> ScaledView:
    """A view from ``unit_samples`` with a Gram matrix of trace 100 instead of n."""
    return ScaledView(view.values * (TRACE / view.values.shape[0]) ** 0.5)


def _from_mean(unit: Any, negligible: float) -> Any:
    xp = array_namespace(unit)
    there = xp.astype(xp.linalg.vector_norm(unit, axis=1) > 0, unit.dtype)
    apart = unit - there[:, None] * (xp.sum(unit, axis=0) / xp.sum(there))[None, :]
    real = xp.linalg.vector_norm(apart, axis=1) > negligible
    return apart * xp.astype(real, unit.dtype)[:, None] if bool(xp.any(real)) else unit


def _gram_from_mean(gram: np.ndarray, negligible: float) -> np.ndarray:
    """The same on the products of the samples, in place, and already of unit length and of trace 100."""
    squares = np.diagonal(gram).copy()
    there = squares > 0
    common = gram @ there / np.count_nonzero(there)
    shift = common - common[there].mean() / 2
    lengths = np.sqrt(np.maximum(squares - 2 * shift, 0.0)) * there
    # A length is the root of a difference of products near 1: rounding leaves the root of its own size.
    real = lengths > max(negligible, (_ROUNDING * np.finfo(float).eps) ** 0.5)
    if real.any():
        gram -= shift[:, None]
        gram -= shift[None, :]
    else:
        real, lengths = there, np.sqrt(squares)
    scale = np.where(real, (TRACE / np.count_nonzero(real)) ** 0.5 / np.where(real, lengths, 1.0), 0.0)
    gram *= scale[:, None]
    gram *= scale[None, :]
    return gram
