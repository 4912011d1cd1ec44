"""Points from their inner products."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from .lapack import cholesky

__all__ = ["gram_factor"]

_TINY = 1e-11  # of the mean square: more than rounding makes eigenvalues negative, less than distances are known to


def gram_factor(products: np.ndarray, tiny: float = _TINY) -> np.ndarray:
    """``L``, lower triangular, with ``LLᵀ = K`` but for a tiny multiple of the identity; K is positive semidefinite.

    The rows of ``L`` are points in n columns with the inner products K. Time is ``n³/3``. ``tiny`` is relative to the mean
    square of the points and more than the rounding error of the products; a larger multiple is added if that fails.
    """
    n = len(products)
    mean_square = float(np.trace(products)) / n
    if not mean_square > 0:
        return np.zeros((n, 1))
    for added in (tiny, 1e3 * tiny, 1e6 * tiny):
        shifted = products.T.copy(order="F")  # which LAPACK works on in place
        shifted[np.diag_indices(n)] += added * mean_square
        try:
            factor = cholesky(shifted)
        except np.linalg.LinAlgError:
            continue
        for i in range(1, n):  # by columns, which lie in a row
            factor[:i, i] = 0
        return factor
    values, vectors = scipy.linalg.eigh(products, check_finite=False)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0)))
