"""A tiny labelled data set in a file, and ``viewfuse reproduce`` on it in a separate process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from viewfuse.datasets import make_views

pytest.importorskip("matplotlib")
pytest.importorskip("filelock")
pytest.importorskip("jinja2")
pytest.importorskip("typer")


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    views = make_views(n_samples=48, n_clusters=3, n_features=(5, 7), noise=2.0, random_state=0)
    path = tmp_path_factory.mktemp("data") / "tiny.npz"
    np.savez(path, X1=views.arrays[0], X2=views.arrays[1], y=views.y)
    return path


@pytest.fixture(scope="session")
def started(tiny: Path) -> Callable[..., subprocess.Popen]:
    """``started(folder, "-m", "km")``: ``viewfuse reproduce`` on the tiny data, as a running process."""

    def start(folder: Path, *arguments: object) -> subprocess.Popen:
        command = [sys.executable, "-c", "from viewfuse.cli import main; main()", "reproduce", "-o", folder, "-d", tiny]
        return subprocess.Popen(
            [*map(str, command), *map(str, arguments)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "MPLBACKEND": "agg"},
        )  # fmt: skip

    return start
