"""Rows of views, block by block, whatever holds them: memory, or a file that is read as rows are needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
import scipy.sparse as sp

from ..._utils.disk import portion_of, read_rows
from ...exceptions import ViewsError
from ...fusion.anchor import AnchorModel, Sums, block_sums
from ...graphs.anchors import UnitRows, squared_lengths
from ...linalg.threads import for_each, spans, worker_threads
from ...views import Views
from .placement import Placement

__all__ = ["LocalRows", "RowSource", "Scaler", "assign_block", "sum_block"]

_BLOCK = 2048  # rows whose ties to the anchors stay in the cache

Result = TypeVar("Result")
Rows = slice | np.ndarray


class RowSource(Protocol):
    """Where AnchorGFSC gets its rows from; one that is not local does the work where the rows are."""

    @property
    def described(self) -> Views:
        """Views with the names, and, where rows are local, their ids."""
        ...

    def __len__(self) -> int: ...

    def reordered(self, order: Sequence[int]) -> RowSource:
        """The same rows, the views in another order."""
        ...

    def take(self, rows: Rows) -> list[Any]:
        """Some rows of every view, by ascending positions, as they are."""
        ...

    def sums(self, model: AnchorModel, used: Sequence[int]) -> Sums:
        """The sums over all rows that a sweep needs."""
        ...

    def assign(self, placement: Placement, used: Sequence[int], wanted: Sequence[str]) -> list[Any]:
        """The wanted attributes of :class:`Assigned` of all rows, each as one array."""
        ...


class Scaler:
    """Checks blocks of rows and scales them.

    A row that is NaN throughout, or that ``views.present`` says is absent, is of a sample that lacks the view. A row that is
    NaN or infinite in part is an error, and so is a sample that lacks every view; both are named.
    """

    def __init__(self, views: Views, used: Sequence[int]) -> None:
        self.views, self.used = views, list(used)

    def each_block(self, blocks: Sequence[Any], start: int, task: Callable[[slice, list[UnitRows]], Result]) -> Result:
        """``task(rows, their views)`` on parts of the blocks, whose first row is ``start``; the sum of what it returns.

        Parts are done on all threads and added in their order.
        """

        def part(own: slice, _: object) -> tuple[Result]:
            rows = slice(start + own.start, start + own.stop)
            return (task(rows, self.scaled([block[own] for block in blocks], rows)),)

        (total,) = for_each(part, spans(blocks[0].shape[0], _BLOCK))
        return total

    def scaled(self, blocks: Sequence[Any], rows: Rows) -> list[UnitRows]:
        """Blocks of the used views that hold these rows, checked and scaled."""
        absent = np.stack([self.absent(v, block, rows) for v, block in zip(self.used, blocks, strict=True)])
        nowhere = np.flatnonzero(absent.all(axis=0))
        if nowhere.size:
            names = ", ".join(repr(self.views.names[v]) for v in self.used)
            sample = self.views.sample_name(_position(rows, nowhere[0]))
            raise ViewsError(
                f"The sample in {sample} lacks every view ({names}), so nothing says where it belongs. Leave it out."
            )
        return [UnitRows.of(block, gone) for block, gone in zip(blocks, absent, strict=True)]

    def absent(self, v: int, block: Any, rows: Rows) -> np.ndarray:
        """Which of these rows are of samples that lack view ``v``, (b,) bool."""
        present = self.views.present
        absent = np.zeros(block.shape[0], dtype=bool) if present is None else ~present[rows, v]
        suspicious = np.flatnonzero(~np.isfinite(squared_lengths(block)) & ~absent)
        if suspicious.size:
            values = block[suspicious].toarray() if sp.issparse(block) else block[suspicious]
            missing = np.isnan(values).all(axis=1)
            absent[suspicious[missing]] = True
            wrong = ~np.isfinite(values) & ~missing[:, None]  # where there is none, only the square overflows
            if wrong.any():
                self._refuse(v, suspicious, values, wrong, rows)
        return absent

    def _refuse(self, v: int, suspicious: np.ndarray, values: np.ndarray, wrong: np.ndarray, rows: Rows) -> None:
        i, column = np.argwhere(wrong)[0]
        kind = "NaN" if np.isnan(values[i, column]) else "inf"
        row = self.views.sample_name(_position(rows, suspicious[i]))
        raise ViewsError(
            f"View {self.views.names[v]!r} has values that are NaN or infinite; the first is {kind} in {row}, "
            f"{self.views.feature_name(v, int(column))}. Only a sample that lacks the whole view may be NaN, in all its "
            "columns. Remove or impute them first."
        )


def sum_block(model: AnchorModel, scaler: Scaler, blocks: Sequence[Any], start: int) -> Sums:
    """The sums over the rows of one portion, or of one chunk on a worker."""
    with worker_threads():
        return scaler.each_block(blocks, start, lambda _, views: block_sums(model, views))


def assign_block(
    placement: Placement, scaler: Scaler, blocks: Sequence[Any], start: int, wanted: Sequence[str]
) -> list[np.ndarray]:
    """The wanted attributes of :class:`Assigned` for the rows of one portion, or of one chunk on a worker."""
    arrays = placement.empty(blocks[0].shape[0], len(scaler.used), wanted)

    def fill(rows: slice, views: list[UnitRows]) -> int:
        assigned = placement.assign(views)
        for name, array in zip(wanted, arrays, strict=True):
            array[rows.start - start : rows.stop - start] = getattr(assigned, name)
        return 0

    with worker_threads():
        scaler.each_block(blocks, start, fill)
    return arrays


class LocalRows:
    """Rows of views in memory or in files; of a file a portion is read at a time."""

    def __init__(self, views: Views) -> None:
        self.described = views

    def __len__(self) -> int:
        return len(self.described)

    def reordered(self, order: Sequence[int]) -> LocalRows:
        views = self.described
        present = None if views.present is None else views.present[:, order]
        names = [views.names[v] for v in order]
        return LocalRows(Views([views.arrays[v] for v in order], names=names, ids=views.ids, present=present))

    def take(self, rows: Rows) -> list[Any]:
        return [read_rows(array, rows) for array in self.described.arrays]

    def sums(self, model: AnchorModel, used: Sequence[int]) -> Sums:
        scaler = Scaler(self.described, used)
        parts = (sum_block(model, scaler, self._read(rows, used), rows.start) for rows in self._portions(used))
        total: Sums = sum(parts)  # type: ignore[assignment]
        return total

    def assign(self, placement: Placement, used: Sequence[int], wanted: Sequence[str]) -> list[np.ndarray]:
        scaler = Scaler(self.described, used)
        arrays = placement.empty(len(self), len(used), wanted)
        for rows in self._portions(used):
            found = assign_block(placement, scaler, self._read(rows, used), rows.start, wanted)
            for array, part in zip(arrays, found, strict=True):
                array[rows] = part
        return arrays

    def _portions(self, used: Sequence[int]) -> list[slice]:
        arrays = [self.described.arrays[v] for v in used]
        width = sum(array.shape[1] * array.dtype.itemsize for array in arrays)
        return spans(len(self), max(portion_of(width) // _BLOCK, 1) * _BLOCK)

    def _read(self, rows: slice, used: Sequence[int]) -> list[Any]:
        return [read_rows(self.described.arrays[v], rows) for v in used]


def _position(rows: Rows, i: int) -> int:
    return int(rows.start + i if isinstance(rows, slice) else rows[i])
