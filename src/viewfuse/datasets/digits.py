"""Six views of the handwritten digits that scikit-learn includes; no download is needed."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import sobel
from sklearn.datasets import load_digits

from ..views import Views

__all__ = ["load_digits_views"]

_SIDE = 8


def load_digits_views() -> Views:
    """Load six views of 1,797 handwritten digits (8 × 8 pixels, 10 classes).

    ============ ======== =========================================================
    view         features contents
    ============ ======== =========================================================
    pixels       64       the grey values
    fourier      40       modulus of the 2-D Fourier transform (its distinct half)
    profiles     32       row and column sums, and where the ink begins at each side
    gradients    32       direction histogram of the edges in each quadrant
    zones        16       mean ink in 2 × 2 cells
    moments      9        position, spread, skew of the ink, and its amount
    ============ ======== =========================================================

    The views differ in quality: ``pixels`` and ``zones`` alone show the digits well, ``gradients`` and ``moments`` poorly.

    Returns
    -------
    Views
        With ``y`` the true digits, for metrics only.

    Examples
    --------
    >>> from viewfuse.datasets import load_digits_views
    >>> load_digits_views().shape
    (1797, 193)
    """
    digits = load_digits()
    images = digits.images
    views = {
        "pixels": images.reshape(len(images), -1),
        "fourier": _fourier(images),
        "profiles": _profiles(images),
        "gradients": _gradients(images),
        "zones": images.reshape(-1, 4, 2, 4, 2).mean(axis=(2, 4)).reshape(len(images), -1),
        "moments": _moments(images),
    }
    return Views(views, y=digits.target)


def _fourier(images: np.ndarray) -> np.ndarray:
    return np.abs(np.fft.rfft2(images)).reshape(len(images), -1)


def _profiles(images: np.ndarray) -> np.ndarray:
    """Sums along rows and columns, and the distance of the first ink from the left and from the top."""
    ink = images > 4
    depth = [np.where(ink.any(axis=axis), ink.argmax(axis=axis), _SIDE) for axis in (1, 2)]
    return np.hstack([images.sum(axis=1), images.sum(axis=2), *depth]).astype(float)


def _gradients(images: np.ndarray) -> np.ndarray:
    """Histogram of eight edge directions in each of the four quadrants, weighted by edge strength."""
    across, down = sobel(images, axis=2), sobel(images, axis=1)
    strength = np.hypot(across, down)
    direction = np.floor((np.arctan2(down, across) + np.pi) / (2 * np.pi) * 8).astype(int) % 8
    by_direction = np.stack([np.where(direction == d, strength, 0.0) for d in range(8)], axis=1)
    quadrants = by_direction.reshape(-1, 8, 2, 4, 2, 4).sum(axis=(3, 5))
    return quadrants.reshape(len(images), -1)


def _moments(images: np.ndarray) -> np.ndarray:
    """Amount of ink, its centre, its covariance and its third central moments along the axes and diagonal."""
    mass = images.sum(axis=(1, 2))
    rows, columns = np.mgrid[:_SIDE, :_SIDE]

    def mean(values: np.ndarray) -> np.ndarray:
        return (images * values).sum(axis=(1, 2)) / mass

    row, column = mean(rows), mean(columns)
    y, x = rows - row[:, None, None], columns - column[:, None, None]
    return np.stack(
        [mass, row, column, mean(y * y), mean(x * x), mean(x * y), mean(y**3), mean(x**3), mean(x * x * y)], axis=1
    )
