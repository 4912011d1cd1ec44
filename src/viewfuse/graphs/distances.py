"""Squared Euclidean distances between the samples of one view."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.extmath import row_norms

from .scaling import ScaledView

__all__ = ["squared_distances"]


def squared_distances(view: ScaledView) -> np.ndarray:
    """``d_ij = ‖x_i − x_j‖²``, (n, n), symmetric with a zero diagonal.

    Computed by scikit-learn's ``euclidean_distances`` with two additions. A dense view is centred first, which reduces
    cancellation far from the origin; a sparse view stays sparse and is not centred. A distance that is only the rounding
    error of two equal samples becomes 0.
    """
    values = view.values if sp.issparse(view.values) else np.asarray(view.values)
    if not sp.issparse(values):
        values = values - values.mean(axis=0)
    squares = row_norms(values, squared=True)
    distances = euclidean_distances(values, squared=True)
    distances[distances < 32 * np.finfo(distances.dtype).eps * (squares[:, None] + squares[None, :])] = 0
    return (distances + distances.T) / 2
