"""A bar for what takes a while, and Ctrl-C that ends one after the sweep it is in."""

from __future__ import annotations

import math
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console, RenderableType
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, Task, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from .._utils.progress import Progress as SweepDone
from .._utils.progress import watching

__all__ = ["INTERRUPTED", "Watch", "say", "watched", "watched_parts", "watched_reading", "watched_steps"]

INTERRUPTED = 130  # what a shell reports of a program that Ctrl-C ended
_SHOWN_AFTER = 2.0  # seconds
_TEXT = (".csv", ".tsv", ".tab", ".txt")
_TEXT_IS_READ = 0.35  # of the time that pandas needs for a table of numbers


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
def watched_parts(doing: str) -> Iterator[Callable[[int, int], None]]:
    """For work that says how many of its parts are done: hands out what it is to call with them and their number."""
    console = Console(stderr=True)
    with _shown_when_slow(_plain_bar(console), console) as bar:
        task = bar.add_task(doing, total=1.0)
        yield lambda done, parts: bar.update(task, completed=done / parts)


@contextmanager
def watched_reading(path: Path) -> Iterator[None]:
    """A bar for the reading of a file or a folder, by the bytes that this process has read; a system that does not count
    them shows how long it takes already."""
    console = Console(stderr=True)
    begun, to_read = _bytes_read(), _bytes_to_read(path)
    total = 1.0 if begun is not None and to_read else None
    with _shown_when_slow(_plain_bar(console, kind=_ReadingBar), console) as bar:
        bar.add_task(f"Reading {path.name}", total=total, begun=begun, to_read=to_read, reading=_share_of_reading(path))
        yield


class _ReadingBar(Progress):
    """Looks up what has been read whenever it is drawn."""

    def get_renderables(self) -> Iterable[RenderableType]:
        for task in self.tasks:
            if task.total is not None:
                self.update(task.id, completed=self._completed(task))
        return super().get_renderables()

    def _completed(self, task: Task) -> float:
        """The share of the bytes that are read and, once all are, how long the rest should take by how long these took."""
        share, elapsed = task.fields["reading"], task.elapsed or 0.0
        read = ((_bytes_read() or 0) - task.fields["begun"]) / task.fields["to_read"]
        if read < 1:
            task.fields["read_after"] = elapsed
            return share * read
        read_after = max(task.fields.get("read_after", elapsed), 1e-3)
        return min(share * elapsed / read_after, 0.99)


def _plain_bar(console: Console, kind: type[Progress] = Progress) -> Progress:
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    return kind(*columns, console=console, transient=True)


def _bytes_read() -> int | None:
    """What this process has read of files so far, as Linux counts it."""
    try:
        counts = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    except OSError:
        return None
    return int(counts["rchar"])


def _bytes_to_read(path: Path) -> int:
    files = [file for file in path.iterdir() if file.is_file()] if path.is_dir() else [path]
    return sum(_times_read(file) * file.stat().st_size for file in files if file.is_file())


def _share_of_reading(path: Path) -> float:
    """How much of the work is done when all bytes are read: words of a table are still to be made numbers then."""
    return _TEXT_IS_READ if path.is_dir() or path.suffix.lower() in _TEXT else 1.0


def _times_read(file: Path) -> int:
    """MATLAB files before 7.3 are looked through before they are read."""
    try:
        with file.open("rb") as content:
            return 2 if content.read(8) == b"MATLAB 5" else 1
    except OSError:  # whoever reads it will say why it cannot be read
        return 1


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
