"""Work on parts of large NumPy arrays in threads, instead of using a threaded BLAS.

A threaded BLAS speeds up products only; the elementwise work between them runs on one thread while the others spin.
Here whole parts of the work, products included, run on as many threads as the BLAS would use, each with a one-thread BLAS.

The threads of a BLAS wait for each other by spinning. If other processes need the cores, a thread spins until the one it
waits for gets a core again, which has made fits twenty times slower. So a fit uses one thread if the cores are taken.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from .._utils.kept import Kept

__all__ = [
    "collected",
    "cores_are_taken",
    "for_each",
    "matmul",
    "row_sums",
    "spans",
    "thread_limits_kept",
    "threads_for",
    "worker_threads",
]

_PANEL = 256
_SMALL = 500  # samples: for so few, one thread is as fast as several
_LOAD = Path("/proc/loadavg")
_LOOKS = 3  # at the running tasks: a busy process may wait for a moment

_workers: ContextVar[tuple[ThreadPoolExecutor, int] | None] = ContextVar("workers", default=None)
# The number of BLAS threads is a setting of the whole process, so only one computation at a time may change it.
_blas_lock = Lock()
_is_forked = False


def _note_fork() -> None:
    """A forked process has none of the threads of its parent, and GNU's OpenMP waits for them for ever.

    So it computes on one thread if it uses OpenMP, and neither the pool nor the lock of another thread is of use.
    """
    global _blas_lock, _is_forked
    _blas_lock, _is_forked = Lock(), True
    _workers.set(None)


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_note_fork)


@contextmanager
def worker_threads() -> Iterator[None]:
    """Threads for :func:`for_each` that last for a whole computation.

    A nested block uses the threads of the outer one. While a computation in another thread holds the lock, this one runs
    on a single thread.
    """
    if _workers.get() is not None or not _blas_lock.acquire(blocking=False):
        yield
        return
    try:
        blas = _blas()
        threads = max((library["num_threads"] for library in blas.info()), default=1)
        limited = _libraries() if _is_forked else blas
        with limited.limit(limits=1), ThreadPoolExecutor(threads) as pool:
            token = _workers.set((pool, threads))
            try:
                yield
            finally:
                _workers.reset(token)
    finally:
        _blas_lock.release()


@contextmanager
def threads_for(n_samples: int, few: int = _SMALL) -> Iterator[None]:
    """Limit the computation to one thread if there are few samples, or if other processes need the cores.

    A forked process has one thread for any number of samples.
    """
    use_all = n_samples > few and not _is_forked and not cores_are_taken()
    if use_all or _workers.get() is not None or not _blas_lock.acquire(blocking=False):
        yield
        return
    try:
        with _libraries().limit(limits=1):
            yield
    finally:
        _blas_lock.release()


def cores_are_taken() -> bool:
    """Whether there are fewer idle cores than threads; False where the system does not tell (other than Linux)."""
    threads = max(_thread_numbers(), default=1)
    running = max(_running_tasks() for _ in range(_LOOKS))
    return threads > 1 and running - 1 + threads > (os.cpu_count() or 1)


def _running_tasks() -> int:
    """Tasks of the whole system that run or wait for a core, this one included."""
    try:
        return int(_LOAD.read_text().split()[3].partition("/")[0])
    except (OSError, IndexError, ValueError):
        return 1


def collected(task: Callable[[Any], Any], parts: Sequence[Any]) -> list[Any]:
    """``[task(part) for part in parts]``, computed in parallel."""
    found: list[Any] = [None] * len(parts)

    def one(i: int, _: object) -> tuple[float, ...]:
        found[i] = task(parts[i])
        return ()

    for_each(one, range(len(parts)))
    return found


def for_each(task: Callable[..., tuple[Any, ...]], parts: Sequence[Any], *, per_thread: Any = tuple) -> tuple[Any, ...]:
    """Run ``task(part, own)`` on every part and add up the returned tuples, entry by entry, in the order of the parts.

    ``own`` is the result of ``per_thread()``, called once in each thread. The order of the sums is fixed, so results do not
    depend on the number of threads.
    """
    results: list[Any] = [None] * len(parts)

    def work(remaining: Iterator[int]) -> None:
        own = per_thread()
        # The caller checks the returned numbers; warnings raised in a thread would not reach the user.
        with np.errstate(over="ignore", invalid="ignore"):
            for i in remaining:  # shared by all threads: each takes the next part when it is free
                results[i] = task(parts[i], own)

    with worker_threads():
        workers, remaining = _workers.get(), iter(range(len(parts)))
        if workers is None or len(parts) == 1:
            work(remaining)
        else:
            pool, threads = workers
            list(pool.map(work, [remaining] * threads))
    return tuple(sum(column) for column in zip(*results, strict=True))


def matmul(matrix: np.ndarray, block: np.ndarray) -> np.ndarray:
    """``matrix @ block`` in panels of rows."""
    product = np.empty((matrix.shape[0], block.shape[1]), dtype=np.result_type(matrix, block))

    def panel(rows: slice, _: Any) -> tuple[float, ...]:
        np.matmul(matrix[rows], block, out=product[rows])
        return ()

    for_each(panel, spans(matrix.shape[0], _PANEL))
    return product


def row_sums(matrix: np.ndarray) -> np.ndarray:
    """``matrix.sum(axis=1)`` of floating-point numbers, in panels of rows."""
    sums = np.empty(matrix.shape[0], dtype=matrix.dtype)

    def panel(rows: slice, _: Any) -> tuple[float, ...]:
        np.sum(matrix[rows], axis=1, out=sums[rows])
        return ()

    for_each(panel, spans(matrix.shape[0], _PANEL))
    return sums


def spans(n: int, length: int) -> list[slice]:
    """0 … n in slices of ``length``."""
    return [slice(begin, min(begin + length, n)) for begin in range(0, n, length)]


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


@cache
def _blas() -> ThreadpoolController:
    return _libraries().select(user_api="blas")


def _thread_numbers() -> list[int]:
    return [library.get_num_threads() for library in _libraries().lib_controllers]


def _set_thread_numbers(numbers: list[int]) -> None:
    for library, number in zip(_libraries().lib_controllers, numbers, strict=True):
        library.set_num_threads(number)


thread_limits_kept = Kept(_thread_numbers, _set_thread_numbers)
