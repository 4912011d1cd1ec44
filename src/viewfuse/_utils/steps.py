"""What a long computation is doing at the moment, for a program that shows it. Without a listener it costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["listening", "step"]

_listener: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def step(name: str) -> None:
    """Say what begins now, such as "counting clusters"."""
    listener = _listener.get()
    if listener is not None:
        listener(name)


@contextmanager
def listening(listener: Callable[[str], None]) -> Iterator[None]:
    """Call ``listener`` with the name of each step of this block.

    >>> with listening(print):
    ...     step("counting clusters")
    counting clusters
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
