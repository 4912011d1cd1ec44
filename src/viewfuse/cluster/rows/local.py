"""Rows in memory or in files; a file is read in portions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._utils.row_blocks import each_portion, portion_of, read_rows
from ...graphs.anchors import UnitRows
from ...linalg.threads import spans
from ...views import Views
from .placement import Placement
from .source import BLOCK_ROWS, Rows, Scaler, assign_block

__all__ = ["LocalRows"]


class LocalRows:
    """Rows of views in memory or in files.

    Parameters
    ----------
    views : Views
    block_rows : int, optional
        Rows that one thread processes at a time.
    """

    lazy = False

    def __init__(self, views: Views, *, block_rows: int | None = None) -> None:
        self.described = views
        self.block_rows = block_rows or BLOCK_ROWS

    def __len__(self) -> int:
        return len(self.described)

    def reordered(self, order: Sequence[int]) -> LocalRows:
        return LocalRows(self._reordered_views(order), block_rows=self.block_rows)

    def take(self, rows: Rows) -> list[Any]:
        return [read_rows(array, rows) for array in self.described.arrays]

    def held(self, sample: list[UnitRows]) -> list[UnitRows]:
        return sample

    def assign(self, placement: Placement, used: Sequence[int], wanted: Sequence[str]) -> list[np.ndarray]:
        scaler = Scaler(self.described, used, self.block_rows)
        arrays = placement.empty(len(self), len(used), wanted)
        for rows, blocks in each_portion([self.described.arrays[v] for v in used], self._portions(used)):
            found = assign_block(placement, scaler, blocks, rows.start, wanted)
            for array, part in zip(arrays, found, strict=True):
                array[rows] = part
        return arrays

    def _reordered_views(self, order: Sequence[int]) -> Views:
        views = self.described
        present = None if views.present is None else views.present[:, order]
        names = [views.names[v] for v in order]
        return Views([views.arrays[v] for v in order], names=names, ids=views.ids, present=present)

    def _portions(self, used: Sequence[int]) -> list[slice]:
        arrays = [self.described.arrays[v] for v in used]
        width = sum(array.shape[1] * array.dtype.itemsize for array in arrays)
        return spans(len(self), max(portion_of(width) // self.block_rows, 1) * self.block_rows)
