"""Views with more features than samples, in as many coordinates as samples."""

from __future__ import annotations

import numpy as np

__all__ = ["in_few_coordinates"]


def in_few_coordinates(view: np.ndarray) -> np.ndarray:
    """The view rotated into min(n, d) coordinates: all inner products, and so all distances, stay the same."""
    n, d = view.shape
    return view if d <= n else np.asarray(np.linalg.qr(view.T, mode="r")).T
