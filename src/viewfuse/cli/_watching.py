"""A bar for fits that take a while, and Ctrl-C that ends one after the sweep it is in."""

from __future__ import annotations

import math
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from .._watch import Progress as SweepDone
from .._watch import watching

__all__ = ["INTERRUPTED", "Watch", "busy", "say", "watched", "watched_steps"]

INTERRUPTED = 130  # what a shell reports of a program that Ctrl-C ended
_SHOWN_AFTER = 2.0  # seconds


class Watch:
    """Turns the sweeps of a fit into a bar; ``stopped`` once the user has asked for its end."""

    def __init__(self, doing: str, console: Console) -> None:
        self.console = console
        self.stopped = False
        self._first_change: float | None = None
        self._done = 0.0
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[sweep]}"))
        self._bar = Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console, transient=True)
        self._task = self._bar.add_task(doing, total=1.0, sweep="")

    def __call__(self, done: SweepDone) -> bool:
        self._done = max(self._done, self._share(done))
        self._bar.update(self._task, completed=self._done, sweep=f"sweep {done.sweep}")
        return self.stopped

    def through(self, steps: Sequence[str]) -> Iterator[str]:
        """The steps, one after the other, the bar naming the one that is being done."""
        for place, step in enumerate(steps):
            self._bar.update(self._task, completed=place / len(steps), sweep=step)
            yield step

    def _share(self, done: SweepDone) -> float:
        """How much of the way from the first change down to the tolerance is behind, on a logarithmic scale."""
        self._first_change = self._first_change or done.change
        if not (self._first_change > done.change > 0 and 0 < done.tol < self._first_change):
            return 0.0
        return min(math.log(self._first_change / done.change) / math.log(self._first_change / done.tol), 0.99)

    def interrupt(self, *_: Any) -> None:
        """The first Ctrl-C asks the fit to end; the second ends the program."""
        if self.stopped:
            raise KeyboardInterrupt
        self.stopped = True
        self.console.print("Stopping after this sweep … (Ctrl-C again to stop at once)", style="yellow")

    def shown_when_slow(self) -> AbstractContextManager[Progress]:
        """The bar, on a terminal, from the second second on."""
        return _shown_when_slow(self._bar, self.console)


@contextmanager
def _shown_when_slow(bar: Progress, console: Console) -> Iterator[Progress]:
    """Nothing at first, and nothing at all where output is piped."""
    timer = threading.Timer(_SHOWN_AFTER, bar.start)
    timer.daemon = True
    if console.is_terminal:
        timer.start()
    try:
        yield bar
    finally:
        timer.cancel()
        if bar.live.is_started:
            bar.stop()


@contextmanager
def watched_steps(doing: str, steps: Sequence[str]) -> Iterator[Iterator[str]]:
    """Goes through some steps with a bar on standard error, if they take a while; Ctrl-C raises KeyboardInterrupt."""
    watch = Watch(doing, Console(stderr=True))
    with watch.shown_when_slow():
        yield watch.through(steps)


@contextmanager
def busy(doing: str) -> Iterator[None]:
    """For work whose end cannot be foreseen: what is being done, and for how long already."""
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with _shown_when_slow(Progress(*columns, console=console, transient=True), console) as bar:
        bar.add_task(doing, total=None)
        yield


def say(sentence: str) -> None:
    """One line for the user, beside the results."""
    Console(stderr=True, soft_wrap=True).print(f"[yellow]viewfuse:[/] {escape(sentence)}", highlight=False)


@contextmanager
def watched(doing: str) -> Iterator[Watch]:
    """Within this block a fit has a bar on standard error, and Ctrl-C ends it with what it has."""
    watch = Watch(doing, Console(stderr=True))
    in_main_thread = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, watch.interrupt) if in_main_thread else None
    try:
        with watch.shown_when_slow(), watching(watch):
            yield watch
    finally:
        if in_main_thread:
            signal.signal(signal.SIGINT, before)
