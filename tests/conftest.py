"""Fixtures that every test may use."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference data beside the checkout."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not (folder / "datasets").is_dir():
        pytest.skip("the reference data (../shared/datasets) is not beside this checkout")
    return folder
