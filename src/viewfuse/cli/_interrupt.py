"""Ctrl-C: the first one asks for a stop, the second one ends the program."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console

__all__ = ["INTERRUPTED", "StopRequest", "stop_on_ctrl_c"]

INTERRUPTED = 130  # the exit code that shells give to a program ended by Ctrl-C


class StopRequest:
    """A signal handler; ``requested`` is True after the first Ctrl-C, and the second raises KeyboardInterrupt."""

    def __init__(self) -> None:
        self.requested = False

    def __call__(self, *_: Any) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True
        Console(stderr=True).print("Stopping after this iteration … (press Ctrl-C again to stop at once)", style="yellow")


@contextmanager
def stop_on_ctrl_c() -> Iterator[StopRequest]:
    """Within this block, Ctrl-C sets a flag that an iterative fit can check, instead of raising KeyboardInterrupt."""
    request = StopRequest()
    if threading.current_thread() is not threading.main_thread():  # only the main thread may install a handler
        yield request
        return
    before = signal.signal(signal.SIGINT, request)
    try:
        yield request
    finally:
        signal.signal(signal.SIGINT, before)
