"""Fixtures that every test may use, and the marks of slow tests."""

import signal
from pathlib import Path

import array_api_strict
import numpy as np
import pytest

from slow_tests import reasons

ROOT = Path(__file__).resolve().parents[1]


def pytest_configure() -> None:
    # A shell starts background jobs with Ctrl-C ignored, and child processes inherit that; tests of Ctrl-C need the default.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        path, _, name = item.nodeid.partition("[")[0].partition("::")
        for reason in reasons(path, name):
            item.add_marker(pytest.mark.slow(reason=reason))


@pytest.fixture(params=["numpy", "array-api-strict", "torch"])
def xp(request):
    """The array libraries on which the core must give the same results."""
    if request.param == "torch":
        return pytest.importorskip("torch", reason="PyTorch is not installed")
    return {"numpy": np, "array-api-strict": array_api_strict}[request.param]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference data next to the checkout."""
    folder = ROOT.parent / "shared"
    if not (folder / "datasets").is_dir():
        pytest.skip("the reference data (../shared/datasets) is not next to this checkout")
    return folder
