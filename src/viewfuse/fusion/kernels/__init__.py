"""Passes over n × n graphs: :class:`Kernels` says what they compute, :func:`kernels_for` chooses an implementation.

``numpy_tiled``
    NumPy arrays, tile by tile on threads.
``array_api``
    Arrays of any other library. Each tile is completed by ``array_api_tiles`` or, for PyTorch tensors in single precision
    on a CUDA device, by the fused kernels of ``triton_tiles``.
"""

from __future__ import annotations

from typing import Any

from array_api_compat import is_numpy_array

from ..._utils.device import is_single_on_cuda
from .array_api import ArrayApiKernels
from .interface import Kernels
from .numpy_tiled import NumpyKernels
from .records import ConsensusChange, ConsensusUpdate, GraphNorms, SingleViewGraph

__all__ = ["ConsensusChange", "ConsensusUpdate", "GraphNorms", "Kernels", "SingleViewGraph", "kernels_for"]


def kernels_for(array: Any) -> Kernels:
    """The implementation for arrays of this library, dtype and device."""
    if is_numpy_array(array):
        return NumpyKernels()
    if is_single_on_cuda(array):
        try:
            from . import triton_tiles
        except ImportError:  # some builds of PyTorch come without Triton
            return ArrayApiKernels()
        return ArrayApiKernels(tiles=triton_tiles)
    return ArrayApiKernels()
