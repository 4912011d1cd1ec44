"""Suppress warnings of fits that the user did not ask for."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from ..exceptions import ViewfuseWarning

__all__ = ["ignore_fit_warnings"]


@contextmanager
def ignore_fit_warnings() -> Iterator[None]:
    """Ignore viewfuse's warnings: a fit made only for comparison may be poor, and its warnings would mislead the user."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ViewfuseWarning)
        yield
