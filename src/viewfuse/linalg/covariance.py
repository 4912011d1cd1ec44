"""Covariances of few samples in many columns."""

from __future__ import annotations

import numpy as np

__all__ = ["shrunk_covariance"]


def shrunk_covariance(centred: np.ndarray) -> np.ndarray:
    """The covariance of centred points, (n, p), shrunk towards a multiple of the identity (Ledoit & Wolf, 2004), (p, p).

    With ``C = XᵀX/n`` and ``m = tr C/p``, it is ``(1 − s)C + s·mI``, where ``s = b/d`` is at most 1,
    ``d = ‖C − mI‖²`` and ``b = Σ_i ‖x_i x_iᵀ − C‖² / n²``. As ``‖x_i x_iᵀ‖ = ‖x_i‖²``, one product is enough;
    scikit-learn's ``ledoit_wolf`` squares and multiplies the whole matrix once more.
    """
    n, p = centred.shape
    covariance = centred.T @ centred / n
    mean = float(np.trace(covariance)) / p
    squares = float(np.vdot(covariance, covariance))
    lengths = np.einsum("ij,ij->i", centred, centred)
    distance = squares - p * mean**2
    noise = min((float(np.vdot(lengths, lengths)) / n - squares) / n, distance)
    shrinkage = noise / distance if noise > 0 else 0.0
    covariance *= 1 - shrinkage
    covariance[np.diag_indices(p)] += shrinkage * mean
    return np.asarray(covariance)
