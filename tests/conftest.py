"""Fixtures that tests of several folders share."""

from __future__ import annotations

from pathlib import Path

import pytest

_SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The reference material beside the repository, which is no part of it."""
    if not (_SHARED / "datasets").is_dir():
        pytest.skip(f"reference material is not at {_SHARED.name}/ beside the repository")
    return _SHARED
