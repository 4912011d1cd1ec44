"""Work on parts of large NumPy arrays in threads, instead of using a threaded BLAS.

A threaded BLAS speeds up products only; the elementwise work between them runs on one thread while the others spin.
Here whole parts of the work, products included, run on as many threads as the BLAS would use, each with a one-thread BLAS.

The threads of a BLAS wait for each other by spinning. If other processes need the cores, a thread spins until the one it
waits for gets a core again, which has made fits twenty times slower. So a fit uses no more threads than cores are idle.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar, copy_context
from functools import cache
from pathlib import Path
from statistics import median_low
from threading import Lock
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from .._utils.kept import Kept

__all__ = [
    "collected",
    "for_each",
    "idle_cores",
    "matmul",
    "multiply",
    "one_thread",
    "row_sums",
    "spans",
    "thread_limits_kept",
    "threads_for",
    "together",
    "worker_threads",
]

_PANEL = 256
# OpenBLAS copies the factors of a product before it multiplies them, unless it has kernels for small products: on processors
# with AVX-512, for at most so many multiplications. With a narrow factor the copies take longer than the product.
_SMALL_PRODUCT = 1_000_000
_WITH_SMALL_PRODUCTS = {"SkylakeX", "Cooperlake", "SapphireRapids"}  # as OpenBLAS names the processors
_NARROW = 64  # columns
_SMALL = 500  # samples: for so few, one thread is as fast as several
_LOAD, _OWN_TASKS = Path("/proc/loadavg"), Path("/proc/self/task")
_LOOKS = 3  # at the running tasks: a busy process may wait for a moment
_LOOKS_AGAIN, _PAUSE = 5, 0.002  # and a short task, such as those of the system, is seen longer if our own threads spin

_workers: ContextVar[tuple[ThreadPoolExecutor, int] | None] = ContextVar("workers", default=None)
_at_once: ContextVar[int] = ContextVar("at_once", default=1)  # computations of :func:`together`
# The number of BLAS threads is a setting of the whole process, so only one computation at a time may change it.
_blas_lock = Lock()
_holds_lock: ContextVar[bool] = ContextVar("holds_lock", default=False)
_is_forked = False


def _note_fork() -> None:
    """A forked process has none of the threads of its parent, and GNU's OpenMP waits for them for ever.

    So it computes on one thread if it uses OpenMP, and neither the pool nor the lock of another thread is of use.
    """
    global _blas_lock, _is_forked
    _blas_lock, _is_forked = Lock(), True
    _workers.set(None)
    _at_once.set(1)
    _holds_lock.set(False)


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_note_fork)


@contextmanager
def worker_threads() -> Iterator[None]:
    """Threads for :func:`for_each` that last for a whole computation.

    A nested block uses the threads of the outer one. While a computation in another thread holds the lock, this one runs
    on a single thread.
    """
    if _workers.get() is not None:
        yield
        return
    with _sole_use_of_blas() as ours:
        threads = max((library.get_num_threads() for library in _blas().lib_controllers), default=1) if ours else 1
        if not ours or (threads == 1 and not _is_forked):
            yield
            return
        limited = _libraries() if _is_forked else _blas()
        with limited.limit(limits=1), ThreadPoolExecutor(threads) as pool:
            token = _workers.set((pool, threads))
            try:
                yield
            finally:
                _workers.reset(token)


@contextmanager
def threads_for(n_samples: int, few: int = _SMALL) -> Iterator[None]:
    """Limit the computation to one thread if there are few samples, and to the cores that other processes leave idle.

    With few samples, :func:`together` may use those cores. A forked process has one thread for any number of samples.
    """
    idle = 1 if _is_forked else idle_cores()
    most = 1 if n_samples <= few else idle
    if _workers.get() is not None or most >= max(_thread_numbers(), default=1):
        yield
        return
    with _sole_use_of_blas() as ours:
        if not ours:
            yield
            return
        before = _thread_numbers()
        token = _at_once.set(min(idle, max(before)) if most == 1 else 1)
        _set_thread_numbers([min(number, most) for number in before])
        try:
            yield
        finally:
            _set_thread_numbers(before)
            _at_once.reset(token)


def one_thread() -> AbstractContextManager[None]:
    """Limit the computation to one thread: beside a device the processor has only short steps."""
    return threads_for(0)


@contextmanager
def _sole_use_of_blas() -> Iterator[bool]:
    """Hold the lock, unless an outer block of this computation does. False if another computation holds it."""
    if _holds_lock.get():
        yield True
        return
    lock = _blas_lock
    if not lock.acquire(blocking=False):
        yield False
        return
    token = _holds_lock.set(True)
    try:
        yield True
    finally:
        _holds_lock.reset(token)
        lock.release()


def idle_cores() -> int:
    """Cores that no other process runs on or waits for, at least 1; all on a system that does not tell (all but Linux).

    Others are busy if they still are in most of the looks that follow, with pauses that let a short task end.
    """
    others = max(_tasks_of_others() for _ in range(_LOOKS))
    if others:
        others = median_low([_tasks_of_others_after(_PAUSE) for _ in range(_LOOKS_AGAIN)])
    return max((os.cpu_count() or 1) - others, 1)


def _tasks_of_others_after(pause: float) -> int:
    time.sleep(pause)
    return _tasks_of_others()


def _tasks_of_others() -> int:
    """Tasks of other processes that run or wait for a core.

    The threads of a BLAS spin for some time after a product, so those of this process do not count. They may stop at any
    time, so they are looked for before and after.
    """
    before = _own_tasks()
    try:
        running = int(_LOAD.read_text().split()[3].partition("/")[0])
    except (OSError, IndexError, ValueError):
        return 0
    return max(running - max(before, _own_tasks()), 0)


def _own_tasks() -> int:
    """Threads of this process that run or wait for a core, at least the one that asks."""
    try:
        states = [(task / "stat").read_text().rpartition(")")[2].split()[0] for task in _OWN_TASKS.iterdir()]
    except (OSError, IndexError):  # a thread that ended in the meantime, or another system
        return 1
    return max(states.count("R"), 1)


def collected(task: Callable[[Any], Any], parts: Sequence[Any]) -> list[Any]:
    """``[task(part) for part in parts]``, computed in parallel."""
    found: list[Any] = [None] * len(parts)

    def one(i: int, _: object) -> tuple[float, ...]:
        found[i] = task(parts[i])
        return ()

    for_each(one, range(len(parts)))
    return found


def together(tasks: Sequence[Callable[[], Any]]) -> list[Any]:
    """The results of independent computations, several at once on the cores that :func:`threads_for` found idle.

    For computations of many short steps, which would not gain by threads of their own.
    """
    if (threads := min(_at_once.get(), len(tasks))) < 2:
        return [task() for task in tasks]

    def alone(task: Callable[[], Any]) -> Any:
        _at_once.set(1)
        # OpenMP has a limit for each thread that calls it, so that of the caller does not hold here.
        _set_thread_numbers([1] * len(_openmp().lib_controllers), _openmp())
        return task()

    with ThreadPoolExecutor(threads) as pool:
        running = [pool.submit(copy_context().run, alone, task) for task in tasks]
        return [each.result() for each in running]


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
        multiply(matrix[rows], block, product[rows])
        return ()

    for_each(panel, spans(matrix.shape[0], _PANEL))
    return product


def multiply(matrix: np.ndarray, block: np.ndarray, out: np.ndarray) -> None:
    """``out ← matrix @ block`` on one thread; for a narrow block by small products, if the BLAS has kernels for them."""
    inner, width = block.shape
    if not (inner and 0 < width <= _NARROW and _has_small_products()):
        np.matmul(matrix, block, out=out)
        return
    height, length = _small_product(inner, width)
    for rows in spans(len(matrix), height):
        first, *others = spans(inner, length)
        np.matmul(matrix[rows, first], block[first], out=out[rows])
        for part in others:
            out[rows] += matrix[rows, part] @ block[part]


def _small_product(inner: int, width: int) -> tuple[int, int]:
    """Rows and columns of the parts of a matrix: whole rows if at least 16 of them make a small product, else 32 rows."""
    height = _SMALL_PRODUCT // (inner * width) // 8 * 8
    return (height, inner) if height >= 16 else (32, _SMALL_PRODUCT // (32 * width) // 8 * 8)


@cache
def _has_small_products() -> bool:
    """Whether NumPy's BLAS multiplies small matrices without copying them first."""
    return any(library.get("architecture") in _WITH_SMALL_PRODUCTS for library in _blas().info())


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


@cache
def _openmp() -> ThreadpoolController:
    return _libraries().select(user_api="openmp")


def _thread_numbers() -> list[int]:
    return [library.get_num_threads() for library in _libraries().lib_controllers]


def _set_thread_numbers(numbers: list[int], libraries: ThreadpoolController | None = None) -> None:
    for library, number in zip((libraries or _libraries()).lib_controllers, numbers, strict=True):
        library.set_num_threads(number)


thread_limits_kept = Kept(_thread_numbers, _set_thread_numbers)
