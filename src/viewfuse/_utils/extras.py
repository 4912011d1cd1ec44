"""Optional dependencies, imported only when something needs them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..exceptions import MissingExtraError

__all__ = ["require"]


def require(module: str, *, extra: str = "io") -> Any:
    """Import an optional module, or say which extra of viewfuse installs it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        raise MissingExtraError(f"This needs {missing.name}: pip install 'viewfuse[{extra}]'") from missing
