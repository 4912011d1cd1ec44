"""AnchorGFSC over Dask: the same sweeps, on chunks of rows, where they are.

A chunk is to a worker what a portion is to one machine: the same functions (:mod:`viewfuse.cluster.rows.local`) reduce it to
the sums of a sweep, m × m numbers, or place its rows. To the client come a sample of the rows (200 for every anchor), on
which it learns the anchors and the weights, and one set of sums; to the workers goes what places a row, d × m numbers.
Labels, embedding and confidence stay Dask arrays, in the chunks of the views.

Chunks are worked on by whatever Dask uses: the cluster a ``distributed.Client`` is connected to, or this machine's threads.
Every step is a function of a chunk and of what was learned before, so what a lost worker held is simply made again.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..._utils.extras import require
from ...exceptions import ChunksWarning, ViewsError, ViewsTypeError
from ...fusion.anchor import AnchorModel, Sums
from ...views import Views
from .dask_frames import frames_as_arrays
from .local import Scaler, assign_block, sum_block
from .placement import Placement

__all__ = ["DaskRows"]

_FAN_IN = 16  # sums that are added in one task


class DaskRows:
    """Rows of Dask arrays or DataFrames, chunked by rows, all views in the same chunks.

    Parameters
    ----------
    data : list, tuple or mapping of 2-D Dask arrays or DataFrames, or one of them
        Row i of every view is the same sample. DataFrames whose index is not row numbers are matched by it: those in another
        order follow the first, those with other ids are refused. Where the chunks of a view do not line up with those of
        the first, they are re-chunked, with a warning.
    views : must be None: Dask data is given as views, not as groups of columns
    """

    def __init__(self, data: Any, views: Any = None) -> None:
        if views is not None:
            raise ViewsTypeError(
                "views= splits the columns of one array in memory; give Dask data as a list or dict of views."
            )
        if isinstance(data, Mapping):
            names, members = [str(name) for name in data], list(data.values())
        else:
            members = list(data) if isinstance(data, (list, tuple)) else [data]
            names = [f"view{v}" for v in range(len(members))]
        for member, name in zip(members, names, strict=True):
            _check_is_dask(member, name)
        members = frames_as_arrays(members, names)
        self.arrays = _lined_up([_as_array(member, name) for member, name in zip(members, names, strict=True)], names)
        # One empty row of each view: what messages need to know of the views.
        self.described = Views([np.zeros((1, array.shape[1]), dtype=array.dtype) for array in self.arrays], names=names)

    def __len__(self) -> int:
        return int(self.arrays[0].shape[0])

    def reordered(self, order: Sequence[int]) -> DaskRows:
        return DaskRows({self.described.names[v]: self.arrays[v] for v in order})

    def take(self, rows: slice | np.ndarray) -> list[Any]:
        positions = np.arange(len(self))[rows] if isinstance(rows, slice) else rows
        delayed = require("dask", extra="dask").delayed
        chosen = []
        for start, stop, blocks in self._chunks(range(len(self.arrays))):
            first, last = np.searchsorted(positions, (start, stop))
            if first < last:
                chosen.append(delayed(_rows_of)(positions[first:last] - start, *blocks))
        parts = require("dask", extra="dask").compute(*chosen)
        return [_stacked([part[v] for part in parts]) for v in range(len(self.arrays))]

    def sums(self, model: AnchorModel, used: Sequence[int]) -> Sums:
        delayed = require("dask", extra="dask").delayed
        shared = delayed((model, Scaler(self.described, used)))
        parts = [delayed(_sums_of)(shared, start, *blocks) for start, _, blocks in self._chunks(used)]
        while len(parts) > 1:
            parts = [delayed(sum)(parts[i : i + _FAN_IN]) for i in range(0, len(parts), _FAN_IN)]
        total: Sums = parts[0].compute()
        return total

    def assign(self, placement: Placement, used: Sequence[int], wanted: Sequence[str]) -> list[Any]:
        delayed = require("dask", extra="dask").delayed
        array = require("dask.array", extra="dask")
        shared = delayed((placement, Scaler(self.described, used)))
        layout = placement.layout(len(used))
        columns: list[list[Any]] = [[] for _ in wanted]
        for start, stop, blocks in self._chunks(used):
            found = delayed(_assigned_of, nout=len(wanted))(shared, start, list(wanted), *blocks)
            for column, name, part in zip(columns, wanted, found, strict=True):
                shape, dtype = layout[name]
                column.append(array.from_delayed(part, (stop - start, *shape), dtype=dtype))
        return [array.concatenate(column) for column in columns]

    def _chunks(self, used: Sequence[int]) -> list[tuple[int, int, list[Any]]]:
        """First row, last row and the views' blocks of every chunk."""
        columns = [self.arrays[v].to_delayed().ravel() for v in used]
        ends = np.cumsum(self.arrays[0].chunks[0]).tolist()
        starts = [0, *ends[:-1]]
        return [(start, stop, list(blocks)) for start, stop, *blocks in zip(starts, ends, *columns, strict=True)]


def _rows_of(rows: np.ndarray, *blocks: Any) -> list[Any]:
    return [block[rows] for block in blocks]


def _sums_of(shared: tuple[AnchorModel, Scaler], start: int, *blocks: Any) -> Sums:
    return sum_block(*shared, blocks, start)


def _assigned_of(shared: tuple[Placement, Scaler], start: int, wanted: list[str], *blocks: Any) -> list[np.ndarray]:
    return assign_block(*shared, blocks, start, wanted)


def _stacked(parts: list[Any]) -> Any:
    return sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.concatenate(parts)


def _check_is_dask(member: Any, name: str) -> None:
    if not type(member).__module__.startswith("dask"):
        raise ViewsTypeError(
            f"View {name!r} is a {type(member).__name__}, but others are Dask collections; make it one with "
            "dask.array.from_array, or compute the others."
        )


def _as_array(member: Any, name: str) -> Any:
    """A view as a Dask array of known sizes, all columns of a row in one chunk."""
    if member.ndim != 2:
        raise ViewsError(f"View {name!r} must be 2-D (samples × features), but has shape {member.shape}.")
    if np.dtype(member.dtype).kind not in "biuf":
        raise ViewsTypeError(f"View {name!r} is not numeric ({member.dtype}); encode its columns as numbers first.")
    if any(np.isnan(size) for size in member.shape):
        member = member.compute_chunk_sizes()
    if 0 in member.shape:
        raise ViewsError(f"View {name!r} is empty: {member.shape[0]} samples × {member.shape[1]} features. Leave it out.")
    return member.rechunk({1: -1})


def _lined_up(arrays: list[Any], names: Sequence[str]) -> list[Any]:
    """All views in the row chunks of the first."""
    if not arrays:
        raise ViewsError("There are no views; give at least one (samples × features) Dask array.")
    lengths = [array.shape[0] for array in arrays]
    if len(set(lengths)) > 1:
        listed = ", ".join(f"{name!r} {length}" for name, length in zip(names, lengths, strict=True))
        raise ViewsError(f"The views do not have the same number of samples: {listed}. Every view needs one row per sample.")
    wanted = arrays[0].chunks[0]
    astray = [name for name, array in zip(names, arrays, strict=True) if array.chunks[0] != wanted]
    if astray:
        warnings.warn(
            f"The chunks of {', '.join(map(repr, astray))} do not line up with those of {names[0]!r}: they are re-chunked, "
            "and data moves between workers in every pass. Re-chunk them by rows once, and persist or store them.",
            ChunksWarning,
            stacklevel=5,
        )
    return [array.rechunk({0: wanted}) for array in arrays]
