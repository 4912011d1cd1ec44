"""Deviations of a view's samples from their mean, as a Gram factor: the robust variant learns its graphs from these.

With ``u_i = x_i/‖x_i‖`` and ``m`` the mean of all ``u_i``,

    a_i = (u_i − m) / ‖u_i − m‖,    G = c · A Aᵀ  with c such that tr G = 100.

If features are counts, pixels or concentrations, every ``u_i`` lies in one orthant: the part that all samples share
dominates ``U Uᵀ``, and an edge says little about two samples. After centring, an edge says that two samples differ from the
others in the same way; samples that differ in opposite ways have no edge. With a fixed trace, α and β are percentages of the
view's variation for any number of samples.

All-zero samples stay zero, and so do samples whose deviation is only a rounding error. If all samples point in the same
direction, there are no deviations, and the view is used without centring.

The cost is that of :func:`factorise` or, with at least as many features as samples, of G alone. A sparse view with more
features than samples is not made dense, because G follows from the inner products of the samples:

    (u_i − m)·(u_j − m) = K_ij − k_i − k_j + k̄,    K = U Uᵀ, k its row means, k̄ their mean.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from array_api_compat import array_namespace, is_numpy_array

from .representation import sparse_if_mostly_zero
from .scaling import ScaledView, as_dense, unit_samples
from .self_expressive import GramFactor, GramMatrix, factorise, gram_matrix, in_double

__all__ = ["TRACE", "deviations_of_products", "factorise_deviations", "of_trace"]

TRACE = 100.0
_FAR = 1e-4  # of the length of a sample
_ROUNDING = 64  # times the precision of the view: shorter deviations count as rounding errors


def factorise_deviations(view: Any) -> GramFactor | GramMatrix:
    """The deviations of an (n, d) array or sparse matrix, in single precision: their factor or, if d ≥ n, their Gram matrix.

    On a device it is always the factor.
    """
    xp = np if sp.issparse(view) else array_namespace(view)
    negligible = _ROUNDING * float(xp.finfo(view.dtype).eps)
    wide = view.shape[1] >= view.shape[0] and (sp.issparse(view) or is_numpy_array(view))
    if wide:
        gram = gram_matrix(unit_samples(sparse_if_mostly_zero(view)))
        if sp.issparse(view) or _all_far_from_mean(gram):
            return GramMatrix(_gram_from_mean(gram, negligible).astype(np.float32))
    unit = unit_samples(view)
    dense = in_double(as_dense(unit) if sp.issparse(view) else unit.values)
    scaled = of_trace(unit_samples(_from_mean(dense, negligible)))
    return GramMatrix(gram_matrix(scaled).astype(np.float32)) if wide else factorise(scaled).single_precision()


def deviations_of_products(products: np.ndarray) -> GramMatrix | None:
    """The same from the inner products of the samples, (n, n); None if rounding errors are too large for that."""
    lengths = np.sqrt(np.maximum(np.diagonal(products), 0.0))
    inverse = np.where(lengths > 0, 1 / np.where(lengths > 0, lengths, 1.0), 0.0)
    gram = products * inverse[:, None]
    gram *= inverse[None, :]
    negligible = _ROUNDING * float(np.finfo(np.float32).eps)  # as that of the points in single precision
    return GramMatrix(_gram_from_mean(gram, negligible).astype(np.float32)) if _all_far_from_mean(gram) else None


def of_trace(view: ScaledView) -> ScaledView:
    """A view from ``unit_samples`` with a Gram matrix of trace 100 instead of n."""
    return ScaledView(view.values * (TRACE / view.values.shape[0]) ** 0.5)


def _from_mean(unit: Any, negligible: float) -> Any:
    xp = array_namespace(unit)
    nonzero = xp.astype(xp.linalg.vector_norm(unit, axis=1) > 0, unit.dtype)
    centred = unit - nonzero[:, None] * (xp.sum(unit, axis=0) / xp.sum(nonzero))[None, :]
    real = xp.linalg.vector_norm(centred, axis=1) > negligible
    return centred * xp.astype(real, unit.dtype)[:, None] if bool(xp.any(real)) else unit


def _all_far_from_mean(gram: np.ndarray) -> bool:
    """Whether no deviation is so short that its inner products, differences of products near 1, have rounding errors."""
    _, lengths, nonzero = _shift_and_lengths(gram)
    return bool((lengths[nonzero] > _FAR).all())


def _shift_and_lengths(gram: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What is subtracted from rows and columns of inner products by centring, the lengths then, and nonzero samples."""
    squares = np.diagonal(gram).copy()
    nonzero = squares > 0
    common = gram @ nonzero / np.count_nonzero(nonzero)
    shift = common - common[nonzero].mean() / 2
    return shift, np.sqrt(np.maximum(squares - 2 * shift, 0.0)) * nonzero, nonzero


def _gram_from_mean(gram: np.ndarray, negligible: float) -> np.ndarray:
    """The same from the inner products of the samples, in place, scaled to unit length and trace 100."""
    shift, lengths, nonzero = _shift_and_lengths(gram)
    # A length is the root of a difference of products near 1, so its rounding error is √eps.
    real = lengths > max(negligible, (_ROUNDING * np.finfo(float).eps) ** 0.5)
    if real.any():
        gram -= shift[:, None]
        gram -= shift[None, :]
    else:
        real, lengths = nonzero, np.sqrt(np.diagonal(gram))
    scale = np.where(real, (TRACE / np.count_nonzero(real)) ** 0.5 / np.where(real, lengths, 1.0), 0.0)
    gram *= scale[:, None]
    gram *= scale[None, :]
    return gram
