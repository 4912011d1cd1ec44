"""Import optional dependencies when they are needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..exceptions import MissingExtraError

__all__ = ["require"]


def require(module: str, *, extra: str = "io") -> Any:
    """Import an optional module; the error names the extra of viewfuse that installs it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        raise MissingExtraError(
            f"This needs {missing.name}, which is not installed.", hint=f"Run: pip install 'viewfuse[{extra}]'", value=extra
        ) from missing
