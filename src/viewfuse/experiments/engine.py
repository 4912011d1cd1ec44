"""The runner of ``benchmark``, ``reproduce`` and ``compare``: compute the cells that a store lacks, and record failures.

A cell is one result to compute: a method with its parameters on a data set. Its result is a dictionary with ``key``,
``scores`` (None after a failure), ``failed`` (None or the message), ``warnings``, ``seconds`` and ``core_seconds``.
"""

from __future__ import annotations

import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Protocol

from threadpoolctl import threadpool_limits

from .._utils.store import Store
from ..exceptions import ParameterError, ViewfuseError, ViewfuseWarning
from .page import require_page_extras
from .session import session
from .workers import Limits, Outcome, in_workers

__all__ = ["ANOTHER_SEED", "CellProgress", "PlannedCell", "compute", "measured", "run_in_folder"]

ANOTHER_SEED = ", with another seed"  # ends the message of a cell that was not tried
Task = tuple[Any, ...]  # a cell and further arguments of the function


class PlannedCell(Protocol):
    """What the runner needs to know of a cell.

    Attributes
    ----------
    dataset, method : what is fitted, and on which data
    key : identifies the result
    setting : the same for cells that differ in the seed only
    """

    @property
    def dataset(self) -> str: ...

    @property
    def method(self) -> str: ...

    @property
    def key(self) -> str: ...

    @property
    def setting(self) -> str: ...


@dataclass(frozen=True)
class CellProgress:
    """A finished cell, and how far the run is."""

    cell: Any
    result: dict[str, Any]
    done: int
    total: int
    seconds_left: float


def measured(key: str, work: Callable[[], Mapping[str, Any]], *, threads: int | None = 1) -> dict[str, Any]:
    """The result of a cell: what ``work`` returns, its time, and the warnings and error of the method.

    With one thread, sums are taken in the same order on every machine and for any number of workers.
    """
    result: dict[str, Any] = {"key": key, "scores": None, "failed": None}
    started, worked = time.perf_counter(), time.process_time()
    with warnings.catch_warnings(record=True) as given, threadpool_limits(threads):
        warnings.simplefilter("always", ViewfuseWarning)
        try:
            result.update(work())
        except ViewfuseError as error:
            result["failed"] = _described(error)
    result["seconds"] = round(time.perf_counter() - started, 3)
    result["core_seconds"] = round(time.process_time() - worked, 3)  # not affected by other work on the machine
    result["warnings"] = sorted(
        {f"{w.category.__name__}: {w.message}" for w in given if issubclass(w.category, ViewfuseWarning)}
    )
    return result


def _described(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def run_in_folder(
    folder: Path,
    function: Callable[..., dict[str, Any]],
    tasks: Sequence[Task],
    write: Callable[[Store, str], Path],
    *,
    workers: int,
    page_only: bool,
    cells_only: bool,
    command: str,
    **options: Any,
) -> Path | None:
    """Compute what the store in ``folder`` lacks, and write the page with ``write(store, command)``; returns its path.

    With ``page_only`` nothing is computed, and the command is that of the last run; with ``cells_only`` there is no page.
    Other options are those of :func:`compute`.
    """
    if workers < 1:
        raise ParameterError(f"workers must be at least 1; got {workers}.", parameter="workers", value=workers)
    if not cells_only:
        require_page_extras()
    with Store.opened(folder) as store:
        if not page_only:
            compute(function, tasks, store, workers=workers, command=command, **options)
        elif store.sessions:
            command = store.sessions[-1]["command"]
        return None if cells_only else write(store, command)


def compute(
    function: Callable[..., dict[str, Any]],
    tasks: Sequence[Task],
    store: Store,
    *,
    workers: int = 1,
    limits: Limits | None = None,
    command: str = "",
    on_cell: Callable[[CellProgress], None] | None = None,
    **facts: Any,
) -> None:
    """Call ``function(cell, *more)`` for every task ``(cell, *more)`` that the store lacks, and save each result at once.

    Every failure is a result. Once a cell is over a limit, cells of the same setting are not tried and fail with it. Cells
    that failed by a lower limit than now are computed again.

    Parameters
    ----------
    function : returns the result of a cell; see :func:`measured`. With processes, it must be importable
    tasks : a cell (:class:`PlannedCell`) and further arguments each
    store : Store
    workers : int
    limits : Limits or None
        None with one worker: everything runs in this process.
    command : str
        What the session is called in the store; ``facts`` are stored with it.
    on_cell : callable, optional
        Called with a :class:`CellProgress` for every finished cell.
    """
    cells = [task[0] for task in tasks]
    missing = [task for task in tasks if not _is_final(store.results.get(task[0].key), limits)]
    if not missing:
        return
    store.begin_session(session(command, workers, **facts))
    clock = _Clock([cell for cell in cells if _is_final(store.results.get(cell.key), limits)], cells, store, workers)
    over = {cell.setting: result for cell in cells if "over" in (result := store.results.get(cell.key, {}))}
    over = {setting: result for setting, result in over.items() if _is_final(result, limits)}

    def finish(cell: Any, result: dict[str, Any]) -> None:
        store.add(result)
        clock.finished(cell, result)
        if "over" in result:
            over.setdefault(cell.setting, result)
        if on_cell is not None:
            on_cell(CellProgress(cell, result, clock.done, len(cells), clock.seconds_left()))

    def hopeless(position: int) -> bool:
        return missing[position][0].setting in over

    run = _in_turn(function, missing, hopeless) if workers == 1 and limits is None else None
    for position, outcome in run or in_workers(function, missing, workers, limits or Limits(), hopeless):
        cell = missing[position][0]
        finish(cell, _recorded(cell.key, outcome, limits))
    for cell in [task[0] for task in missing if not _is_final(store.results.get(task[0].key), limits)]:
        first = over[cell.setting]
        failed = f"{first['failed'].removesuffix(ANOTHER_SEED)}{ANOTHER_SEED}"
        finish(cell, {**first, "key": cell.key, "failed": failed, "seconds": 0.0, "core_seconds": 0.0})


def _in_turn(
    function: Callable[..., dict[str, Any]], tasks: Sequence[Task], skip: Callable[[int], bool]
) -> Iterator[tuple[int, Outcome]]:
    for position, task in enumerate(tasks):
        if skip(position):
            continue
        try:
            outcome = Outcome(value=function(*task))
        except Exception as error:
            outcome = Outcome(error=error)
        yield position, outcome


def _recorded(key: str, outcome: Outcome, limits: Limits | None) -> dict[str, Any]:
    """The result of a cell. A failure of any kind is a result with a message, not a gap."""
    if outcome.value is not None:
        return {**outcome.value, "peak": outcome.peak}
    failed = _described(outcome.error) if outcome.error is not None else outcome.failure
    seconds = round(outcome.seconds, 3)
    empty = {"key": key, "scores": None, "failed": failed, "seconds": seconds, "core_seconds": seconds}
    over = {} if outcome.over is None or limits is None else {"over": {outcome.over: getattr(limits, outcome.over)}}
    return {**empty, **over, "warnings": [], "peak": outcome.peak}


def _is_final(result: Mapping[str, Any] | None, limits: Limits | None) -> bool:
    """Whether a stored result stands: not if it is a failure by a lower limit than now."""
    if result is None:
        return False
    for name, limit in result.get("over", {}).items():
        now = None if limits is None else getattr(limits, name)
        if now is None or now > limit:
            return False
    return True


class _Clock:
    """Estimate the remaining time from the finished cells of the same method and data set, or of all if there are none."""

    def __init__(self, done: Sequence[Any], cells: Sequence[Any], store: Store, workers: int) -> None:
        self.workers, self.done = workers, 0
        self.seconds: dict[tuple[str, str], list[float]] = defaultdict(list)
        self.remaining: dict[tuple[str, str], int] = defaultdict(int)
        for cell in cells:
            self.remaining[cell.dataset, cell.method] += 1
        for cell in done:
            self.finished(cell, store.results[cell.key])

    def finished(self, cell: Any, result: Mapping[str, Any]) -> None:
        self.done += 1
        self.remaining[cell.dataset, cell.method] -= 1
        self.seconds[cell.dataset, cell.method].append(result["seconds"])

    def seconds_left(self) -> float:
        overall = fmean(second for seconds in self.seconds.values() for second in seconds)
        work = sum(
            count * (fmean(self.seconds[group]) if self.seconds[group] else overall)
            for group, count in self.remaining.items()
        )
        return work / self.workers
