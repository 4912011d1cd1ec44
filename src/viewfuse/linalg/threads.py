"""Work on parts of large NumPy arrays in threads, in place of a threaded BLAS.

A BLAS with threads speeds up its products only; the elementwise work between them stays on one thread while the others spin.
Here whole parts of the work, products included, run on as many threads as the BLAS would use, each with a one-thread BLAS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from threading import Lock
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

__all__ = ["for_each", "matmul", "row_sums", "spans", "threads_for", "worker_threads"]

_PANEL = 256
_SMALL = 500  # samples: what is done for so few takes no longer on one thread

_workers: ContextVar[tuple[ThreadPoolExecutor, int] | None] = ContextVar("workers", default=None)
_turn = Lock()  # the BLAS has one number of threads for the whole process, so one computation at a time may change it


@contextmanager
def worker_threads() -> Iterator[None]:
    """Threads for :func:`for_each` that last for a whole computation.

    Inside another such block its threads serve on; while another thread's computation has them, this one works alone.
    """
    if _workers.get() is not None or not _turn.acquire(blocking=False):
        yield
        return
    try:
        blas = _blas()
        threads = max((library["num_threads"] for library in blas.info()), default=1)
        with blas.limit(limits=1), ThreadPoolExecutor(threads) as pool:
            token = _workers.set((pool, threads))
            try:
                yield
            finally:
                _workers.reset(token)
    finally:
        _turn.release()


@contextmanager
def threads_for(n_samples: int) -> Iterator[None]:
    """One thread for few samples: more gain nothing, and on a busy machine they spin while they wait for each other."""
    if n_samples > _SMALL or _workers.get() is not None or not _turn.acquire(blocking=False):
        yield
        return
    try:
        with _libraries().limit(limits=1):
            yield
    finally:
        _turn.release()


def for_each(task: Callable[..., tuple[Any, ...]], parts: Sequence[Any], *, per_thread: Any = tuple) -> tuple[Any, ...]:
    """Run ``task(part, own)`` on every part and add up what is returned, number by number, in the order of the parts.

    ``own`` is what ``per_thread()`` made for the thread. As sums are taken in one order, no result depends on the threads.
    """
    results: list[Any] = [None] * len(parts)

    def work(remaining: Iterator[int]) -> None:
        own = per_thread()
        # Whoever asked looks at the numbers that come back; a thread's own warnings would reach nobody in time.
        with np.errstate(over="ignore", invalid="ignore"):
            for i in remaining:  # shared by the threads: each takes the next part when it has finished one
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
