"""Small things for arrays of any library and device."""

from __future__ import annotations

from typing import Any

import numpy as np
from array_api_compat import is_cupy_array, is_torch_array, to_device

__all__ = ["to_host"]


def to_host(array: Any) -> np.ndarray:
    """A copy as a NumPy array: for a few numbers, never for anything of n rows inside a solver."""
    return np.asarray(to_device(array, "cpu") if is_torch_array(array) or is_cupy_array(array) else array)
