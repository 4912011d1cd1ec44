"""Plan the cells of the selected data sets and methods, and compute them in one or several processes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean
from typing import Any

from threadpoolctl import threadpool_limits

from .._utils.store import Store
from ..cluster import METHODS
from ..exceptions import ViewfuseError
from .grids import grid_points, rows_for
from .paper import DataSource
from .protocol import Bench, Cell, run_cell
from .workers import in_workers

__all__ = ["CellProgress", "compute", "planned_cells"]


@dataclass(frozen=True)
class CellProgress:
    """A finished cell, and how far the run is."""

    cell: Cell
    result: dict[str, Any]
    done: int
    total: int
    seconds_left: float


def planned_cells(source: DataSource, methods: Sequence[str], *, quick: bool) -> list[Cell]:
    """All cells of a data set: the grid and the defaults of each row."""
    checksum, views = source.checksum(), source.load()
    cells = []
    for row, label, view in rows_for(views.n_views):
        if row.method not in methods or row.method not in METHODS:
            continue
        if row.in_paper:
            for point in grid_points(row, source.name, len(views), quick=quick):
                cells.append(Cell(source.name, checksum, label, row.method, {**view, **point}))
        cells.append(Cell(source.name, checksum, label, row.method, view, default=True))
    return cells


def compute(
    sources: Sequence[DataSource],
    cells: Sequence[Cell],
    store: Store,
    *,
    workers: int,
    on_cell: Callable[[CellProgress], None] | None = None,
) -> None:
    """Compute the cells that are not in the store, and save each as soon as it is finished."""
    by_name = {source.name: source for source in sources}
    missing = [cell for cell in cells if cell.key not in store.results]
    clock = _Clock(cells, store, workers)
    tasks = [(cell, by_name[cell.dataset]) for cell in missing]
    for cell, result in _in_processes(tasks, workers) if workers > 1 else _in_turn(tasks):
        store.add(result)
        clock.finished(cell, result)
        if on_cell is not None:
            on_cell(CellProgress(cell, result, clock.done, len(cells), clock.seconds_left()))


def _in_turn(tasks: Sequence[tuple[Cell, DataSource]]) -> Iterator[tuple[Cell, dict[str, Any]]]:
    for task in tasks:
        yield _run(*task)


def _in_processes(tasks: Sequence[tuple[Cell, DataSource]], workers: int) -> Iterator[tuple[Cell, dict[str, Any]]]:
    for position, outcome in in_workers(_run, tasks, workers):
        if outcome.error is not None:
            raise outcome.error
        if outcome.failure is not None:
            raise ViewfuseError(f"{tasks[position][0].dataset}, {tasks[position][0].row}: {outcome.failure}.")
        yield outcome.value


def _run(cell: Cell, source: DataSource) -> tuple[Cell, dict[str, Any]]:
    # One thread for any number of workers: sums are then always taken in the same order.
    with threadpool_limits(1):
        return cell, run_cell(cell, _bench(source))


@lru_cache(maxsize=1)
def _bench(source: DataSource) -> Bench:
    return Bench(source)


class _Clock:
    """Estimate the remaining time from the finished cells of the same method and data set, or of all if there are none."""

    def __init__(self, cells: Sequence[Cell], store: Store, workers: int) -> None:
        self.workers, self.done = workers, 0
        self.seconds: dict[tuple[str, str], list[float]] = defaultdict(list)
        self.remaining: dict[tuple[str, str], int] = defaultdict(int)
        for cell in cells:
            self.remaining[cell.dataset, cell.method] += 1
        for cell in cells:
            if cell.key in store.results:
                self.finished(cell, store.results[cell.key])

    def finished(self, cell: Cell, result: dict[str, Any]) -> None:
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
