"""Fixtures that every test may use."""

from pathlib import Path

import array_api_strict
import numpy as np
import pytest


@pytest.fixture(params=["numpy", "array-api-strict", "torch"])
def xp(request):
    """The array libraries the core must run on: the same lines, the same answers."""
    if request.param == "torch":
        return pytest.importorskip("torch", reason="PyTorch is not installed")
    return {"numpy": np, "array-api-strict": array_api_strict}[request.param]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference data beside the checkout."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not (folder / "datasets").is_dir():
        pytest.skip("the reference data (../shared/datasets) is not beside this checkout")
    return folder
