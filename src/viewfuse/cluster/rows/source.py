"""Where AnchorGFSC gets its rows from, and the checks and scaling of blocks of rows that all sources share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
import scipy.sparse as sp

from ...exceptions import ViewsError
from ...graphs.anchors import UnitRows, squared_lengths
from ...linalg.threads import for_each, spans, worker_threads
from ...views import Views
from .placement import Placement

__all__ = ["BLOCK_ROWS", "RowSource", "Rows", "Scaler", "assign_block"]

BLOCK_ROWS = 2048  # rows whose edges to the anchors fit into the cache

Result = TypeVar("Result")
Rows = slice | np.ndarray


class RowSource(Protocol):
    """Rows of all views. A source on a device or on Dask workers does the work where the rows are."""

    @property
    def described(self) -> Views:
        """Views with the names and, if the rows are local, their ids."""
        ...

    @property
    def lazy(self) -> bool:
        """Whether results are computed only on request, as Dask arrays are."""
        ...

    def __len__(self) -> int: ...

    def reordered(self, order: Sequence[int]) -> RowSource:
        """The same rows with the views in another order."""
        ...

    def take(self, rows: Rows) -> list[Any]:
        """Some rows of every view, by ascending positions, neither checked nor scaled."""
        ...

    def held(self, sample: list[UnitRows]) -> list[UnitRows]:
        """Rows of the host, where the source learns from them: on its device, if it has one."""
        ...

    def assign(self, placement: Placement, used: Sequence[int], wanted: Sequence[str]) -> list[Any]:
        """The wanted results of :meth:`Placement.assign` for all rows, each as one array."""
        ...


class Scaler:
    """Checks blocks of rows and scales them.

    A sample is missing from a view if its row is all NaN, or if ``views.present`` is False. A row with some NaN or infinite
    values is an error, and so is a sample that is missing from every view; the message names both.
    """

    def __init__(self, views: Views, used: Sequence[int], block_rows: int | None = None) -> None:
        self.views, self.used = views, list(used)
        self.block_rows = block_rows or BLOCK_ROWS

    def each_block(self, blocks: Sequence[Any], start: int, task: Callable[[slice, list[UnitRows]], Result]) -> Result:
        """The sum of ``task(rows, their views)`` over parts of the blocks, whose first row is ``start``.

        The parts run on all threads; their results are added in order.
        """

        def part(own: slice, _: object) -> tuple[Result]:
            rows = slice(start + own.start, start + own.stop)
            return (task(rows, self.scaled([block[own] for block in blocks], rows)),)

        (total,) = for_each(part, spans(blocks[0].shape[0], self.block_rows))
        return total

    def scaled(self, blocks: Sequence[Any], rows: Rows) -> list[UnitRows]:
        """Check and scale blocks of the used views; ``rows`` are the positions of their rows."""
        found = [self._absent(v, block, rows) for v, block in zip(self.used, blocks, strict=True)]
        absent = np.stack([missing for missing, _ in found])
        nowhere = np.flatnonzero(absent.all(axis=0))
        if nowhere.size:
            names = ", ".join(repr(self.views.names[v]) for v in self.used)
            sample = self.views.sample_name(_position(rows, nowhere[0]))
            raise ViewsError(
                f"The sample in {sample} is missing from every view ({names}), so it cannot be assigned to a cluster.",
                hint="Remove this sample.",
            )
        return [
            UnitRows.of(block, missing, None if missing.any() else squares)
            for block, (missing, squares) in zip(blocks, found, strict=True)
        ]

    def absent(self, v: int, block: Any, rows: Rows) -> np.ndarray:
        """Which of these rows belong to samples that are missing from view ``v``, (b,) bool."""
        return self._absent(v, block, rows)[0]

    def _absent(self, v: int, block: Any, rows: Rows) -> tuple[np.ndarray, np.ndarray]:
        """The same, and the squared lengths of the rows."""
        present = self.views.present
        absent = np.zeros(block.shape[0], dtype=bool) if present is None else ~present[rows, v]
        squares = squared_lengths(block)
        suspicious = np.flatnonzero(~np.isfinite(squares) & ~absent)
        if suspicious.size:
            values = block[suspicious].toarray() if sp.issparse(block) else block[suspicious]
            missing = np.isnan(values).all(axis=1)
            absent[suspicious[missing]] = True
            wrong = ~np.isfinite(values) & ~missing[:, None]  # all False if only the square overflows
            if wrong.any():
                self._refuse(v, suspicious, values, wrong, rows)
        return absent, squares

    def _refuse(self, v: int, suspicious: np.ndarray, values: np.ndarray, wrong: np.ndarray, rows: Rows) -> None:
        i, column = np.argwhere(wrong)[0]
        kind = "NaN" if np.isnan(values[i, column]) else "inf"
        row, name = self.views.sample_name(_position(rows, suspicious[i])), self.views.names[v]
        raise ViewsError(
            f"View {name!r} has values that are NaN or infinite; the first is {kind} in {row}, "
            f"{self.views.feature_name(v, int(column))}. NaN is allowed only as the whole row of a sample that is missing "
            "from the view.",
            hint="Remove or impute these values.",
            view=name,
        )


def assign_block(
    placement: Placement, scaler: Scaler, blocks: Sequence[Any], start: int, wanted: Sequence[str]
) -> list[np.ndarray]:
    """The wanted results of :meth:`Placement.assign` for the rows of one portion of a file, or of one chunk on a worker."""
    arrays = placement.empty(blocks[0].shape[0], len(scaler.used), wanted)

    def fill(rows: slice, views: list[UnitRows]) -> int:
        assigned = placement.assign(views, wanted)
        for name, array in zip(wanted, arrays, strict=True):
            array[rows.start - start : rows.stop - start] = assigned[name]
        return 0

    with worker_threads():
        scaler.each_block(blocks, start, fill)
    return arrays


def _position(rows: Rows, i: int) -> int:
    return int(rows.start + i if isinstance(rows, slice) else rows[i])
