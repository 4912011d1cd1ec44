"""Facts about a run that its results are kept with: the command, versions, machine and code."""

from __future__ import annotations

import hashlib
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .._utils.version import __version__

__all__ = ["file_name", "session", "solver_fingerprint"]

_SOLVERS = ("cluster", "fusion", "graphs", "linalg")


def session(command: str, workers: int, **facts: Any) -> dict[str, Any]:
    """The facts of a run that begins now."""
    packages = ("numpy", "scipy", "scikit-learn")
    return {
        "command": command,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "workers": workers,
        **facts,
        "versions": {
            "viewfuse": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in packages},
        },
        "machine": f"{platform.system()} {platform.machine()}",
        "code": solver_fingerprint(),
    }


def solver_fingerprint() -> str:
    """A checksum of the solvers' source code. Cells with different checksums were computed by different code."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(path for folder in _SOLVERS for path in (root / folder).rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def file_name(dataset: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in dataset.lower())
