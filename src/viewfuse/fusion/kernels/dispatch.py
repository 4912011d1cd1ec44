"""Which code runs the n × n passes of a sweep: tiles on NumPy arrays, plain array-API code on any other."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from array_api_compat import is_numpy_array

from . import plain as _plain
from . import tiled as _tiled

__all__ = ["kernels_for"]


def kernels_for(array: Any) -> ModuleType:
    return _tiled if is_numpy_array(array) else _plain
