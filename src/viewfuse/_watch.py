"""Who watches a fit from outside: is told of every sweep, and may end it after one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

__all__ = ["Progress", "tell_watcher", "watching"]


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


def tell_watcher(sweep: int, change: float, tol: float) -> bool:
    """Tell whoever watches; whether to stop."""
    watcher = _watcher.get()
    return watcher is not None and watcher(Progress(sweep, change, tol))
