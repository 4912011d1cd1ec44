"""Warnings that point to the user's line, records of them, and ways to suppress some that are safe in threads.

``warnings.catch_warnings`` changes a setting of the whole process. If two threads use it at once, one may restore what the
other has set, and warnings stay suppressed for good.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from threading import RLock
from typing import Any

from ..exceptions import ViewfuseWarning
from .callers import calling_frames
from .kept import Kept

__all__ = ["filters_kept", "ignoring", "note", "quietly", "recording", "suppressing", "texts_of", "warn"]

Unwanted = Callable[[ViewfuseWarning], bool]

_unwanted: ContextVar[tuple[Unwanted, ...]] = ContextVar("unwanted", default=())
_records: ContextVar[tuple[list[ViewfuseWarning], ...]] = ContextVar("records", default=())
_filters_lock = RLock()


def warn(warning: ViewfuseWarning) -> None:
    """Give a warning at the user's line, unless :func:`suppressing` or :func:`quietly` is in force."""
    if any(is_unwanted(warning) for is_unwanted in _unwanted.get()):
        return
    for record in _records.get():
        record.append(warning)
    warnings.warn(warning, stacklevel=len(calling_frames()))


def note(text: str) -> None:
    """Record what a reader of the result should know, though it is no reason for a warning."""
    about = ViewfuseWarning(text)
    if not any(is_unwanted(about) for is_unwanted in _unwanted.get()):
        for record in _records.get():
            record.append(about)


@contextmanager
def suppressing(is_unwanted: Unwanted) -> Iterator[None]:
    """Neither give nor record these warnings of viewfuse."""
    token = _unwanted.set((*_unwanted.get(), is_unwanted))
    try:
        yield
    finally:
        _unwanted.reset(token)


def quietly() -> AbstractContextManager[None]:
    """Give no warnings of viewfuse: a fit that the user did not ask for may be poor, and its warnings would mislead."""
    return suppressing(lambda _: True)


@contextmanager
def recording() -> Iterator[list[ViewfuseWarning]]:
    """Collect the warnings that are given in this block, whether or not the user's filters show them."""
    record: list[ViewfuseWarning] = []
    token = _records.set((*_records.get(), record))
    try:
        yield record
    finally:
        _records.reset(token)


def texts_of(record: list[ViewfuseWarning], *earlier: str) -> tuple[str, ...]:
    """The warnings as texts, each once, after ``earlier`` ones."""
    return tuple(dict.fromkeys([*earlier, *map(str, record)]))


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
