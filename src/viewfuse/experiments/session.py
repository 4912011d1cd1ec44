"""Facts about a run that its results are kept with: the command, versions, machine and code."""

from __future__ import annotations

import hashlib
import os
import platform
from contextlib import suppress
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
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores{_processor()}",
        "code": solver_fingerprint(),
    }


def _processor() -> str:
    """The name of the processor, with a comma before it; empty where the system does not tell."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return f", {value.strip()}"
    return ""


def solver_fingerprint() -> str:
    """A checksum of the solvers' source code. Cells with different checksums were computed by different code."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(path for folder in _SOLVERS for path in (root / folder).rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def file_name(dataset: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in dataset.lower())
