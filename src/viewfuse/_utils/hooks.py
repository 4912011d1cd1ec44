"""Functions that a lower room needs from a higher one. The package's front door sets them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["notebook_summary"]

notebook_summary: Callable[[Any], str] | None = None  # a fitted estimator as HTML; from viewfuse.inspection
