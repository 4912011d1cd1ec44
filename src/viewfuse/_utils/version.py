"""The version of viewfuse and of the libraries that results depend on."""

from __future__ import annotations

import platform
from importlib.metadata import version

__all__ = ["__version__", "versions"]

__version__ = "0.1.0"


def versions() -> dict[str, str]:
    """Return the versions that a result depends on, and the system."""
    return {
        "viewfuse": __version__,
        "python": platform.python_version(),
        **{library: version(library) for library in ("numpy", "scipy", "scikit-learn")},
        "system": f"{platform.system()} {platform.machine()}",
    }
