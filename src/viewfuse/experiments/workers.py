"""Run tasks in worker processes, each under a limit of time and memory.

A worker keeps what it has read for its next task. One that is over its time is killed and replaced, so that a task can
neither hang the run nor take the others with it.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

__all__ = ["Limits", "Outcome", "in_workers"]


@dataclass(frozen=True)
class Limits:
    """What a task may use; None is no limit.

    Attributes
    ----------
    seconds : wall-clock time
    memory : bytes beyond those that its process already has; on systems with limits of address space only
    """

    seconds: float | None = None
    memory: int | None = None


NO_LIMITS = Limits()


@dataclass(frozen=True)
class Outcome:
    """What became of a task.

    Attributes
    ----------
    value : what the function returned, or None
    error : the exception that it raised, or None
    failure : why there is neither, such as a limit that was exceeded, or None
    over : which of the :class:`Limits` was exceeded, or None
    seconds : wall-clock time
    peak : bytes that the process needed at most, beyond those of an idle one; None where unknown
    """

    value: Any = None
    error: BaseException | None = None
    failure: str | None = None
    over: str | None = None
    seconds: float = 0.0
    peak: int | None = None


def in_workers(
    function: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    workers: int,
    limits: Limits = NO_LIMITS,
    skip: Callable[[int], bool] = lambda position: False,
) -> Iterator[tuple[int, Outcome]]:
    """Call ``function(*task)`` for every task; yields the position of a task and its outcome, in the order of finishing.

    A task for which ``skip(position)`` is true when its turn comes is left out.
    """
    waiting = (position for position in range(len(tasks)) if not skip(position))
    pool = [_Worker(function, limits) for _ in range(min(workers, len(tasks)))]
    try:
        busy = [worker for worker in pool if worker.start(waiting, tasks)]
        while busy:
            wait([worker.connection for worker in busy], timeout=_until_next_deadline(busy))
            for worker in list(busy):
                outcome = worker.outcome()
                if outcome is None:
                    continue
                position = worker.position
                if not worker.start(waiting, tasks):
                    busy.remove(worker)
                yield position, outcome
    finally:
        for worker in pool:
            worker.stop()


def _until_next_deadline(busy: Sequence[_Worker]) -> float | None:
    deadlines = [worker.deadline for worker in busy if worker.deadline is not None]
    return max(min(deadlines) - time.monotonic(), 0) if deadlines else None


class _Worker:
    """A process that serves one task after the other."""

    def __init__(self, function: Callable[..., Any], limits: Limits) -> None:
        self._function, self._limits = function, limits
        self.position = -1
        self._begin: float | None = None
        self._spawn()

    def _spawn(self) -> None:
        spawn = multiprocessing.get_context("spawn")  # a forked process would keep the folder locked after a kill
        self.connection, other = spawn.Pipe()
        self._process = spawn.Process(target=_serve, args=(other, self._function, self._limits.memory), daemon=True)
        self._process.start()
        other.close()

    def start(self, waiting: Iterator[int], tasks: Sequence[tuple[Any, ...]]) -> bool:
        """Give the process the next task; False if there is none."""
        position = next(waiting, None)
        if position is None:
            return False
        self.position, self._begin = position, None
        self.connection.send(tasks[position])
        return True

    @property
    def deadline(self) -> float | None:
        """When the task is over its time; None if there is no limit, or the process is still starting."""
        return None if self._limits.seconds is None or self._begin is None else self._begin + self._limits.seconds

    def outcome(self) -> Outcome | None:
        """The outcome of the current task, or None if it is still running."""
        elapsed = 0.0 if self._begin is None else time.monotonic() - self._begin
        if self.connection.poll():
            try:
                found: Outcome | None = self.connection.recv()
            except (EOFError, ConnectionError):
                self._process.join()
                code = self._process.exitcode
                reason = f"killed by signal {-code}" if code is not None and code < 0 else f"exit code {code}"
                self._replace()
                return Outcome(failure=f"the process ended ({reason})", seconds=elapsed)
            if found is None:  # the process has started and begins its task: the time counts from here
                self._begin = time.monotonic()
                return None
            return replace(found, seconds=elapsed)
        if self.deadline is not None and time.monotonic() >= self.deadline:
            self._replace()
            return Outcome(failure=f"over the time limit of {self._limits.seconds:g} s", over="seconds", seconds=elapsed)
        return None

    def _replace(self) -> None:
        self.stop()
        self._spawn()

    def stop(self) -> None:
        self.connection.close()
        self._process.kill()
        self._process.join()


def _serve(connection: Connection, function: Callable[..., Any], memory: int | None) -> None:
    """The loop of a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which stops its workers
    _end_with_parent()
    idle = _status("VmRSS")
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        connection.send(None)
        measured = _reset_peak()
        _limit_memory(memory)
        try:
            outcome = Outcome(value=function(*task))
        except MemoryError:
            failure = f"over the memory limit of {memory / 2**30:.3g} GiB" if memory else "out of memory"
            outcome = Outcome(failure=failure, over="memory" if memory else None)
        except Exception as error:
            outcome = Outcome(error=error)
        _limit_memory(None)
        peak = _status("VmHWM")
        known = measured and peak is not None and idle is not None
        connection.send(replace(outcome, peak=max(peak - idle, 0) if known else None))  # type: ignore[operator]


def _end_with_parent() -> None:
    """End this process if its parent is killed, instead of computing for nobody."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _limit_memory(extra: int | None) -> None:
    try:
        import resource
    except ImportError:  # not a Unix
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    soft = hard if extra is None else _status("VmSize")
    if soft is not None:
        resource.setrlimit(resource.RLIMIT_AS, (soft if extra is None else soft + extra, hard))


def _reset_peak() -> bool:
    """Return what the last task has freed to the system and forget the peak so far; False where this is not possible."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")
        return True
    return False


def _status(name: str) -> int | None:
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    return None
