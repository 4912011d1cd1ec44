"""Progress bars and a spinner on standard error, and single-line messages."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from .._utils.steps import listening

if TYPE_CHECKING:
    from ..experiments.engine import CellProgress
    from ..fusion import Sweep

__all__ = ["cells_bar", "fit_bar", "notice", "parts_bar", "spinner", "steps_bar"]

_DELAY = 2.0  # seconds: a bar that appears for an instant only flickers


def notice(sentence: str) -> None:
    """Print one line for the user on standard error, so that standard output holds results only."""
    Console(stderr=True, soft_wrap=True).print(f"[yellow]viewfuse:[/] {escape(sentence)}", highlight=False)


@contextmanager
def fit_bar(
    description: str, tol: float, *, delay: float = _DELAY, console: Console | None = None
) -> Iterator[Callable[[int, Sweep], None]]:
    """Progress bar of an iterative fit; yields the function to call after each iteration.

    The bar shows the share of the way from the first change down to ``tol``, on a logarithmic scale, because the number of
    iterations is not known in advance.
    """
    with _bar(console, delay, BarColumn(), TextColumn("{task.fields[iteration]}"), *_times()) as bar:
        task = bar.add_task(description, total=1.0, iteration="")
        first_change = completed = 0.0

        def update(iteration: int, state: Sweep) -> None:
            nonlocal first_change, completed
            first_change = first_change or state.change
            completed = max(completed, _share_done(first_change, state.change, tol))  # the bar never goes back
            bar.update(task, completed=completed, iteration=f"iteration {iteration}")

        yield update


def _share_done(first_change: float, change: float, tol: float) -> float:
    """
    >>> _share_done(1.0, 1e-2, 1e-4), _share_done(1.0, 1e-9, 1e-4), _share_done(1.0, 2.0, 1e-4)
    (0.5, 0.99, 0.0)
    """
    if not (first_change > change > 0 and 0 < tol < first_change):
        return 0.0
    return min(math.log(first_change / change) / math.log(first_change / tol), 0.99)


@contextmanager
def steps_bar(
    description: str, steps: Sequence[str], *, delay: float = _DELAY, console: Console | None = None
) -> Iterator[Iterator[str]]:
    """Progress bar of named steps; yields an iterator over the steps, and shows the name of the current one."""
    with _bar(console, delay, BarColumn(), TextColumn("{task.fields[step]}"), *_times()) as bar:
        task = bar.add_task(description, total=len(steps), step="")

        def each() -> Iterator[str]:
            for number, step in enumerate(steps):
                bar.update(task, completed=number, step=step)
                yield step

        yield each()


@contextmanager
def parts_bar(
    description: str, *, delay: float = _DELAY, console: Console | None = None
) -> Iterator[Callable[[int, int, str], None]]:
    """Progress bar of work in parts; yields the function to call with the parts done, all parts, and the next one's name.

    The steps of a part are shown as they begin.
    """
    with _bar(console, delay, BarColumn(), TextColumn("{task.fields[part]}"), *_times()) as bar:
        task = bar.add_task(description, total=1.0, part="")
        with listening(lambda name: bar.update(task, part=name)):
            yield lambda done, parts, name: bar.update(task, completed=done / parts, part=name)


@contextmanager
def spinner(description: str, *, delay: float = _DELAY, console: Console | None = None) -> Iterator[None]:
    """Spinner with the elapsed time, for work of unknown length; the steps of the work are shown as they begin."""
    with _bar(console, delay, TextColumn("{task.fields[step]}", markup=False), TimeElapsedColumn()) as bar:
        task = bar.add_task(description, total=None, step="")
        with listening(lambda name: bar.update(task, step=name)):
            yield


@contextmanager
def cells_bar(
    line: Callable[[CellProgress], str], *, console: Console | None = None, piped: Callable[[str], None] | None = None
) -> Iterator[Callable[[CellProgress], None]]:
    """Progress bar of an experiment with the time left; yields the function to call with each finished cell.

    ``line`` words what is printed for a cell. Where output is piped there is no bar, and ``piped`` gets the lines.
    """
    console = Console(stderr=True) if console is None else console
    if not console.is_terminal:
        yield (lambda progress: None) if piped is None else lambda progress: piped(line(progress))
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[left]} left"))
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("cells", total=None, left="…")

        def show(progress: CellProgress) -> None:
            bar.update(task, completed=progress.done, total=progress.total, left=_duration(progress.seconds_left))
            bar.console.print(line(progress), highlight=False, markup=False, soft_wrap=True)

        yield show


def _duration(seconds: float) -> str:
    """
    >>> _duration(50), _duration(200), _duration(9000)
    ('50 s', '3 min', '2.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _times() -> tuple[ProgressColumn, ProgressColumn]:
    return TimeElapsedColumn(), TimeRemainingColumn()


@contextmanager
def _bar(console: Console | None, delay: float, *columns: ProgressColumn) -> Iterator[Progress]:
    """A bar that a terminal shows after ``delay`` seconds and until the block ends; piped output shows none."""
    console = Console(stderr=True) if console is None else console
    shown = (SpinnerColumn(), TextColumn("{task.description}", markup=False), *columns)
    bar = Progress(*shown, console=console, transient=True)
    timer = threading.Timer(delay, bar.start)
    timer.daemon = True
    if console.is_terminal:
        timer.start()
    try:
        yield bar
    finally:
        timer.cancel()
        if timer.is_alive():
            timer.join()  # it may be starting the bar at this moment
        if bar.live.is_started:
            bar.stop()
