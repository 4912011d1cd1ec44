"""Arrays of any library on any device: to the device once, and only small things back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from array_api_compat import (
    array_namespace,
    is_array_api_obj,
    is_cupy_array,
    is_numpy_array,
    is_torch_array,
    to_device,
)

from ..exceptions import ParameterError
from .extras import require

__all__ = ["beside", "free_memory", "is_tensor", "on_device", "to_host", "true_positions"]


def to_host(array: Any) -> np.ndarray:
    """The same as a NumPy array: for a few numbers, or for the results of somebody who came with NumPy arrays."""
    return np.asarray(to_device(array, "cpu") if is_torch_array(array) or is_cupy_array(array) else array)


def true_positions(mask: Any) -> np.ndarray:
    """Where a mask is true; of a mask on a device nothing but that there is none comes to the host, where there is none."""
    any_true = bool(array_namespace(mask).any(mask))
    return np.flatnonzero(to_host(mask)) if any_true else np.empty(0, dtype=np.intp)


def is_tensor(array: Any) -> bool:
    """Whether this is an array of a library other than NumPy, which stays on its device."""
    return is_array_api_obj(array) and not is_numpy_array(array)


def beside(array: Any, matrix: np.ndarray) -> Any:
    """The matrix in the library and on the device of an array."""
    return array_namespace(array).asarray(matrix, device=array.device)


def on_device(arrays: Sequence[Any], device: str) -> list[Any]:
    """The views as PyTorch tensors on ``device``, each copied once; sparse ones become dense."""
    torch = require("torch", extra="torch")
    try:
        place = torch.device(device)
    except (RuntimeError, TypeError) as error:
        raise ParameterError(
            f"device must be a PyTorch device such as 'cuda', 'cuda:1' or 'cpu'; got {device!r}."
        ) from error
    if place.type == "cuda" and not torch.cuda.is_available():
        raise ParameterError(
            f"device={device!r}, but PyTorch sees no CUDA device here; leave device out to use the processor."
        )
    return [_as_tensor(array, place, torch) for array in arrays]


def _as_tensor(array: Any, place: Any, torch: Any) -> Any:
    if is_torch_array(array):
        return array.to(place)
    dense = array.toarray() if sp.issparse(array) else to_host(array)
    if not dense.flags.writeable:
        dense = dense.copy()  # PyTorch warns of read-only memory it might share
    return torch.asarray(dense, device=place)


def free_memory(array: Any) -> int | None:
    """Bytes that can still be had on the array's CUDA device; None elsewhere."""
    if not is_torch_array(array) or array.device.type != "cuda":
        return None
    import torch

    free, _ = torch.cuda.mem_get_info(array.device)
    return free + torch.cuda.memory_reserved(array.device) - torch.cuda.memory_allocated(array.device)
