"""Which code finishes a tile after its matrix product: one fused kernel on CUDA, array-API operations elsewhere."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from array_api_compat import is_torch_array

from . import tile_plain as _tile_plain

__all__ = ["tile_kernels_for"]


def tile_kernels_for(graph: Any) -> ModuleType:
    """Triton's numbers are single precision and its kernels CUDA's; it comes with PyTorch, though not everywhere."""
    if is_torch_array(graph) and graph.device.type == "cuda" and str(graph.dtype) == "torch.float32":
        try:
            from . import tile_triton as _tile_triton
        except ImportError:
            return _tile_plain
        return _tile_triton
    return _tile_plain
