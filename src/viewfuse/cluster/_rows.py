"""Rows of views, block by block, whatever holds them: memory, or a file that is read as rows are needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp

from .._disk import portion_of, read_rows
from .._parallel import for_each, spans
from ..exceptions import ViewsError
from ..graphs.anchors import UnitRows, squared_lengths
from ..views import Views

__all__ = ["BLOCK", "RowReader"]

BLOCK = 2048  # rows whose ties to the anchors stay in the cache

Result = TypeVar("Result")
Rows = slice | np.ndarray


class RowReader:
    """Scaled rows of some of the views.

    A row that is NaN throughout, or that ``views.present`` says is absent, is a sample that lacks the view. A row that is
    NaN or infinite in part is an error, and so is a sample that lacks every view; both are named.
    """

    def __init__(self, views: Views, used: Sequence[int]) -> None:
        self.views, self.used = views, list(used)

    def __len__(self) -> int:
        return len(self.views)

    def each_block(self, task: Callable[[slice, list[UnitRows]], Result]) -> Result:
        """``task(rows, their views)`` for all rows, on all threads; the sum of its results, in the order of the rows."""
        width = sum(self.views.arrays[v].shape[1] * self.views.arrays[v].dtype.itemsize for v in self.used)
        total: Any = 0
        for portion in spans(len(self), max(portion_of(width) // BLOCK, 1) * BLOCK):
            raw = [read_rows(self.views.arrays[v], portion) for v in self.used]

            def block(part: slice, _: object, portion: slice = portion, raw: list[Any] = raw) -> tuple[Result]:
                rows = slice(portion.start + part.start, portion.start + part.stop)
                return (task(rows, self.scaled([view[part] for view in raw], rows)),)

            (subtotal,) = for_each(block, spans(portion.stop - portion.start, BLOCK))
            total = total + subtotal
        return total

    def read(self, rows: Rows) -> list[UnitRows]:
        """These rows of every view, scaled; positions must ascend."""
        return self.scaled([read_rows(self.views.arrays[v], rows) for v in self.used], rows)

    def scaled(self, blocks: Sequence[Any], rows: Rows) -> list[UnitRows]:
        """Blocks that hold these rows, checked and scaled."""
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


def _position(rows: Rows, i: int) -> int:
    return int(rows.start + i if isinstance(rows, slice) else rows[i])
