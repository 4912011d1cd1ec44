"""Rows of tensors, processed on their device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from array_api_compat import array_namespace

from ..._utils.device import beside, is_tensor, on_device, to_host
from ..._utils.row_blocks import read_rows
from ...graphs.anchors import UnitRows
from ...linalg.threads import spans
from ...views import Views
from .local import LocalRows
from .placement import Placement
from .source import Scaler

__all__ = ["TensorRows"]

_BLOCK_ROWS = 2**17  # enough to keep a GPU busy
# Samples of at most this many numbers are learned from on the host, so that labels are the same on every device.
_MOST_ON_HOST = 2**18


class TensorRows(LocalRows):
    """Rows of views on a device. Only a sample of the rows is copied to the host, to be checked, and back.

    Parameters
    ----------
    views : Views
        Tensors; with ``device`` any views, which are then copied there.
    device : str, optional
    block_rows : int, optional
        Rows that are processed at a time.
    """

    def __init__(self, views: Views, device: str | None = None, *, block_rows: int | None = None) -> None:
        self._results_to_host = not any(map(is_tensor, views.arrays))
        if device is not None:
            arrays = on_device([_whole(array) for array in views.arrays], device)
            views = Views(arrays, names=views.names, ids=views.ids, present=views.present)
        super().__init__(views, block_rows=block_rows or _BLOCK_ROWS)

    def reordered(self, order: Sequence[int]) -> TensorRows:
        rows = TensorRows(self._reordered_views(order), block_rows=self.block_rows)
        rows._results_to_host = self._results_to_host
        return rows

    def held(self, sample: list[UnitRows]) -> list[UnitRows]:
        if sum(view.values.shape[0] * view.values.shape[1] for view in sample) <= _MOST_ON_HOST:
            return sample
        return [view.like(self.described.arrays[0]) for view in sample]

    def assign(self, placement: Placement, used: Sequence[int], wanted: Sequence[str]) -> list[Any]:
        first = self.described.arrays[used[0]]
        xp, formats, placement = array_namespace(first), placement.row_formats(len(used)), placement.like(first)
        arrays = [
            xp.empty((len(self), *formats[name][0]), dtype=getattr(xp, _TYPES[name]), device=first.device) for name in wanted
        ]
        for rows, views in self._blocks(used):
            assigned = placement.assign(views, wanted)
            for name, array in zip(wanted, arrays, strict=True):
                array[rows, ...] = assigned[name]
        return [to_host(array) if self._results_to_host else array for array in arrays]

    def _blocks(self, used: Sequence[int]) -> Iterator[tuple[slice, list[UnitRows]]]:
        """Scaled rows. Only blocks with values that are not finite are checked on the host."""
        views, scaler = self.described, Scaler(self.described, used)
        for rows in spans(len(self), self.block_rows):
            blocks = [views.arrays[v][rows, :] for v in used]
            xp = array_namespace(*blocks)
            if views.present is None and all(bool(xp.all(xp.isfinite(block))) for block in blocks):
                yield rows, [UnitRows.of(block) for block in blocks]
            else:
                checked = scaler.scaled([to_host(block) for block in blocks], rows)
                yield rows, [UnitRows.of(b, beside(b, view.absent)) for b, view in zip(blocks, checked, strict=True)]


_TYPES = {"labels": "int64", "confidence": "float64", "embedding": "float32", "consensus": "float32", "zero": "bool"}


def _whole(array: Any) -> Any:
    return array if is_tensor(array) else read_rows(array, slice(0, array.shape[0]))
