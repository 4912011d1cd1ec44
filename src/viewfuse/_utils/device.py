"""Move arrays of any library to a device, and small results back to the host."""

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

__all__ = [
    "beside",
    "free_memory",
    "has_fast_tf32",
    "is_on_accelerator",
    "is_single_on_cuda",
    "is_tensor",
    "moves_to",
    "on_device",
    "to_host",
    "true_positions",
]


def to_host(array: Any) -> np.ndarray:
    """Return a NumPy array with the same values. On a GPU this copies, so use it for small arrays and final results."""
    return np.asarray(to_device(array, "cpu") if is_torch_array(array) or is_cupy_array(array) else array)


def true_positions(mask: Any) -> np.ndarray:
    """Return the positions of the True elements. If no element is True, only that single boolean is transferred."""
    any_true = bool(array_namespace(mask).any(mask))
    return np.flatnonzero(to_host(mask)) if any_true else np.empty(0, dtype=np.intp)


def is_tensor(array: Any) -> bool:
    """Return whether this is an array of a library other than NumPy."""
    return is_array_api_obj(array) and not is_numpy_array(array)


def is_on_accelerator(array: Any) -> bool:
    """Return whether the array is not in the processor's memory."""
    return is_cupy_array(array) or (is_torch_array(array) and array.device.type != "cpu")


def is_single_on_cuda(array: Any) -> bool:
    """Return whether this is a PyTorch tensor in single precision on a CUDA device."""
    return is_torch_array(array) and array.device.type == "cuda" and str(array.dtype) == "torch.float32"


def has_fast_tf32(array: Any) -> bool:
    """Return whether this is such a tensor on an NVIDIA device whose tensor cores know TF32 (from Ampere on)."""
    if not is_single_on_cuda(array):
        return False
    import torch

    return torch.version.hip is None and torch.cuda.get_device_capability(array.device) >= (8, 0)


def beside(array: Any, matrix: np.ndarray) -> Any:
    """Return a NumPy matrix in the library and on the device of ``array``."""
    return array_namespace(array).asarray(matrix, device=array.device)


def moves_to(device: str | None, arrays: Sequence[Any]) -> bool:
    """Return whether arrays must be moved to use this device. NumPy and sparse arrays are in the processor's memory."""
    return device is not None and (device != "cpu" or any(map(is_tensor, arrays)))


def on_device(arrays: Sequence[Any], device: str) -> list[Any]:
    """Return the views as PyTorch tensors on ``device``; sparse views become dense."""
    torch = require("torch", extra="torch")
    try:
        place = torch.device(device)
    except (RuntimeError, TypeError) as error:
        raise ParameterError(
            f"device must be a PyTorch device such as 'cuda', 'cuda:1' or 'cpu'; got {device!r}.",
            parameter="device",
            value=device,
        ) from error
    if place.type == "cuda" and not torch.cuda.is_available():
        raise ParameterError(
            f"The device {device!r} is not available: PyTorch finds no CUDA device.",
            hint="Leave device out to use the CPU.",
            parameter="device",
            value=device,
        )
    return [_as_tensor(array, place, torch) for array in arrays]


def _as_tensor(array: Any, place: Any, torch: Any) -> Any:
    if is_torch_array(array):
        return array.to(place)
    dense = array.toarray() if sp.issparse(array) else to_host(array)
    if not dense.flags.writeable:
        dense = dense.copy()  # PyTorch warns if it shares read-only memory
    return torch.asarray(dense, device=place)


def free_memory(array: Any) -> int | None:
    """Return the bytes of free memory on the array's CUDA device; None on other devices."""
    if not is_torch_array(array) or array.device.type != "cuda":
        return None
    import torch

    free, _ = torch.cuda.mem_get_info(array.device)
    return free + torch.cuda.memory_reserved(array.device) - torch.cuda.memory_allocated(array.device)
