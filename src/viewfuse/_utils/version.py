"""The version of viewfuse and of the libraries that results depend on."""

from __future__ import annotations

import platform

import numpy as np
import scipy
import sklearn

__all__ = ["__version__", "versions"]

__version__ = "0.1.0"


def versions() -> dict[str, str]:
    """Return the versions that a result depends on, and the system."""
    return {
        "viewfuse": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "system": f"{platform.system()} {platform.machine()}",
    }
