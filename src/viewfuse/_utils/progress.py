"""Who watches a fit from outside: is told of every sweep, and may end it after one. So may the clock, and Ctrl-C."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

__all__ = ["Progress", "Stop", "stoppable", "watching"]


@dataclass(frozen=True)
class Progress:
    """How far a fit is: the sweep it has just done, how far the consensus moved in it, and when that counts as settled."""

    sweep: int
    change: float
    tol: float


_watcher: ContextVar[Callable[[Progress], bool] | None] = ContextVar("watcher", default=None)


@contextmanager
def watching(watcher: Callable[[Progress], bool]) -> Iterator[None]:
    """Within this block every sweep is told to ``watcher``; if it returns True, the fit ends with what it has."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


class Stop:
    """Asked after every sweep whether to end the fit; ``reason`` says why it did, None while it did not."""

    def __init__(self, max_time: float | None) -> None:
        self.reason: str | None = None
        self._max_time, self._begin = max_time, time.monotonic()
        self._interrupted = False

    def __call__(self, sweep: int, change: float, tol: float) -> bool:
        watcher = _watcher.get()
        if watcher is not None and watcher(Progress(sweep, change, tol)):
            self.reason = "as asked"
        elif self._interrupted:
            self.reason = "by Ctrl-C"
        elif self._max_time is not None and time.monotonic() - self._begin >= self._max_time:
            self.reason = f"by max_time={self._max_time:g} seconds"
        return self.reason is not None

    def interrupt(self, *_: Any) -> None:
        """The first Ctrl-C ends the fit after the sweep it is in; the second is Python's own."""
        self._interrupted = True
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def stoppable(max_time: float | None) -> Iterator[Stop]:
    """Within this block Ctrl-C asks for the end, as the clock does.

    Only where Ctrl-C would otherwise raise KeyboardInterrupt: whoever handles it in another way goes on doing so.
    """
    stop = Stop(max_time)
    ours = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if ours:
        signal.signal(signal.SIGINT, stop.interrupt)
    try:
        yield stop
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
