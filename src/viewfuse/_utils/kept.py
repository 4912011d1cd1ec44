"""Settings of the whole process that libraries change for a while, which goes wrong in several threads at once.

A thread that restores what it found may find what another thread has set: with filters of warnings, or the number of threads
of a library, the last one to leave then leaves the wrong setting for good.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Any

__all__ = ["Kept"]


class Kept:
    """Restores a setting, after the last of several computations at once, to what it was before the first.

    Parameters
    ----------
    read : function that returns the setting
    write : function that sets it
    """

    def __init__(self, read: Callable[[], Any], write: Callable[[Any], None]) -> None:
        self._read, self._write = read, write
        self._is_inside: ContextVar[bool] = ContextVar("is_inside", default=False)
        self._begin()
        if hasattr(os, "register_at_fork"):  # not on Windows
            os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        self._lock, self._running, self._at_once, self._before = Lock(), 0, False, None

    @contextmanager
    def __call__(self) -> Iterator[None]:
        if self._is_inside.get():  # a computation within another
            yield
            return
        token = self._is_inside.set(True)
        self._enter()
        try:
            yield
        finally:
            self._leave()
            self._is_inside.reset(token)

    def _enter(self) -> None:
        with self._lock:
            if self._running == 0:
                self._before, self._at_once = self._read(), False
            else:
                self._at_once = True
            self._running += 1

    def _leave(self) -> None:
        with self._lock:
            self._running = max(self._running - 1, 0)  # a fork within a computation begins at 0
            if self._running == 0 and self._at_once and self._read() != self._before:
                self._write(self._before)
