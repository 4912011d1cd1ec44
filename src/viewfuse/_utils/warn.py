"""Warnings that point to the user's line, and ways to suppress some that are safe in threads.

``warnings.catch_warnings`` changes a setting of the whole process. If two threads use it at once, one may restore what the
other has set, and warnings stay suppressed for good.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import RLock
from typing import Any

from ..exceptions import ViewfuseWarning
from .callers import calling_frames
from .kept import Kept

__all__ = ["filters_kept", "ignoring", "quietly", "warn"]

_is_quiet: ContextVar[bool] = ContextVar("is_quiet", default=False)
_filters_lock = RLock()


def warn(warning: ViewfuseWarning) -> None:
    """Give a warning at the user's line, unless :func:`quietly` suppresses it."""
    if not _is_quiet.get():
        warnings.warn(warning, stacklevel=len(calling_frames()))


@contextmanager
def quietly() -> Iterator[None]:
    """Give no warnings of viewfuse: a fit that the user did not ask for may be poor, and its warnings would mislead."""
    token = _is_quiet.set(True)
    try:
        yield
    finally:
        _is_quiet.reset(token)


@contextmanager
def ignoring(message: str) -> Iterator[None]:
    """Ignore the warnings of another library that begin with this text, by one thread at a time.

    A whole category would be too much: should the filter outlast this block, because scikit-learn uses ``catch_warnings`` in
    another thread, it must not hide other warnings.
    """
    with _filters_lock, warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=message)
        yield


def _set_filters(filters: list[Any]) -> None:
    warnings.filters = filters
    with warnings.catch_warnings():  # tells Python that the filters have changed
        pass


filters_kept = Kept(lambda: list(warnings.filters), _set_filters)


def _renew_lock() -> None:
    """A forked process has none of the other threads, one of which may have held the lock."""
    global _filters_lock
    _filters_lock = RLock()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_renew_lock)
