"""Warnings that point to the line of the user's program, however deep in the package they are given."""

from __future__ import annotations

import warnings

from ..exceptions import ViewfuseWarning
from .callers import calling_frames

__all__ = ["warn"]


def warn(warning: ViewfuseWarning) -> None:
    """Give a warning at the user's line."""
    warnings.warn(warning, stacklevel=len(calling_frames()))
