"""Squared Euclidean distances between the samples of one view."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from .scaling import ScaledView

__all__ = ["squared_distances"]


def squared_distances(view: ScaledView) -> np.ndarray:
    """``d_ij = ‖x_i − x_j‖²``, (n, n), symmetric with a zero diagonal: one product of 2n²d operations.

    The view is centred first, so that far from the origin little is lost to cancellation; what is left of the distance of
    two equal samples, mere rounding, becomes 0. A sparse view is not made dense, hence not centred either.
    """
    if sp.issparse(view.values):
        gram = (view.values @ view.values.T).toarray()
    else:
        values = np.asarray(view.values)
        centred = values - values.mean(axis=0)
        gram = centred @ centred.T
    squares = np.diagonal(gram).copy()
    scale = squares[:, None] + squares[None, :]
    distances = scale - 2 * gram
    distances[distances < 32 * np.finfo(gram.dtype).eps * scale] = 0
    np.fill_diagonal(distances, 0)
    return (distances + distances.T) / 2
