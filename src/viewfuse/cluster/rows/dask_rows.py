"""AnchorGFSC over Dask: rows are assigned in chunks, on the workers that hold them.

The client receives a sample of the rows (200 per anchor), from which it learns anchors, weights and clusters. It sends
d × m numbers to the workers. A worker assigns the rows of a chunk as one machine assigns those of a portion of a file, by
the same functions (:mod:`viewfuse.cluster.rows.source`). Labels, embedding and confidence stay Dask arrays with the chunks
of the views.

Chunks are processed by the cluster that a ``distributed.Client`` is connected to, or by the threads of this machine. Every
step is a function of a chunk and of what was learned before, so Dask can recompute what a lost worker held.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..._utils.extras import require
from ..._utils.warn import warn
from ...exceptions import ChunksWarning, ViewsError, ViewsTypeError
from ...graphs.anchors import UnitRows
from ...linalg import occurrences
from ...views import Views
from .dask_frames import frames_as_arrays
from .placement import Placement
from .source import Scaler, assign_block

__all__ = ["DaskRows", "occurrences_in_chunks"]


class DaskRows:
    """Rows of Dask arrays or DataFrames, chunked by rows, all views in the same chunks.

    Parameters
    ----------
    data : list, tuple or mapping of 2-D Dask arrays or DataFrames, or one of them
        Row i of every view is the same sample. DataFrames are matched by their index unless it holds row numbers: a frame in
        another order is sorted like the first, a frame with other ids raises ViewsError. Views whose chunks differ from
        those of the first view are re-chunked, with a warning.
    views : must be None, because Dask data is given as views, not as groups of columns
    block_rows : int, optional
        Rows that one thread of a worker processes at a time.
    """

    lazy = True

    def __init__(self, data: Any, views: Any = None, *, block_rows: int | None = None) -> None:
        if views is not None:
            raise ViewsTypeError(
                "views= splits the columns of one array in memory, but the data is a Dask collection.",
                hint="Pass Dask data as a list or dict of views, and leave views= out.",
                parameter="views",
                value=views,
            )
        self.block_rows = block_rows
        if isinstance(data, Mapping):
            names, members = [str(name) for name in data], list(data.values())
        else:
            members = list(data) if isinstance(data, (list, tuple)) else [data]
            names = [f"view{v}" for v in range(len(members))]
        for member, name in zip(members, names, strict=True):
            _check_is_dask(member, name)
        columns = tuple(_column_names(member) for member in members)
        members = frames_as_arrays(members, names)
        self.arrays = _aligned([_as_array(member, name) for member, name in zip(members, names, strict=True)], names)
        # Messages need the names and widths of the views, so one row of zeros per view is enough.
        self.described = Views([np.zeros((1, array.shape[1]), dtype=array.dtype) for array in self.arrays], names=names)
        self.described.feature_names = columns

    def __len__(self) -> int:
        return int(self.arrays[0].shape[0])

    def reordered(self, order: Sequence[int]) -> DaskRows:
        rows = DaskRows({self.described.names[v]: self.arrays[v] for v in order}, block_rows=self.block_rows)
        rows.described.feature_names = tuple(self.described.feature_names[v] for v in order)
        return rows

    def with_columns(self, positions: Sequence[Sequence[int] | None]) -> DaskRows:
        """These rows with the columns at these positions, one list per view; None keeps all."""
        arrays = [array if p is None else array[:, list(p)] for array, p in zip(self.arrays, positions, strict=True)]
        return DaskRows(dict(zip(self.described.names, arrays, strict=True)), block_rows=self.block_rows)

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

    def held(self, sample: list[UnitRows]) -> list[UnitRows]:
        return sample

    def assign(self, placement: Placement, used: Sequence[int], wanted: Sequence[str]) -> list[Any]:
        delayed = require("dask", extra="dask").delayed
        array = require("dask.array", extra="dask")
        shared = delayed((placement, Scaler(self.described, used, self.block_rows)))
        formats = placement.row_formats(len(used))
        columns: list[list[Any]] = [[] for _ in wanted]
        for start, stop, blocks in self._chunks(used):
            found = delayed(_assigned_of, nout=len(wanted))(shared, start, list(wanted), *blocks)
            for column, name, part in zip(columns, wanted, found, strict=True):
                shape, dtype = formats[name]
                column.append(array.from_delayed(part, (stop - start, *shape), dtype=dtype))
        return [array.concatenate(column) for column in columns]

    def _chunks(self, used: Sequence[int]) -> list[tuple[int, int, list[Any]]]:
        """First row, end and blocks of the views for every chunk."""
        columns = [self.arrays[v].to_delayed().ravel() for v in used]
        ends = np.cumsum(self.arrays[0].chunks[0]).tolist()
        starts = [0, *ends[:-1]]
        return [(start, stop, list(blocks)) for start, stop, *blocks in zip(starts, ends, *columns, strict=True)]


def occurrences_in_chunks(labels: Any, n_clusters: int) -> tuple[np.ndarray, np.ndarray]:
    """Size and first sample of each cluster of a Dask array, as :func:`viewfuse.linalg.occurrences`."""
    dask = require("dask", extra="dask")
    parts = dask.compute(*(dask.delayed(occurrences)(chunk, n_clusters) for chunk in labels.to_delayed().ravel()))
    lengths = np.array(labels.chunks[0])
    starts = np.cumsum(lengths) - lengths
    first = [
        np.where(found < length, start + found, len(labels))
        for (_, found), start, length in zip(parts, starts, lengths, strict=True)
    ]
    return np.sum([sizes for sizes, _ in parts], axis=0), np.min(first, axis=0)


def _rows_of(rows: np.ndarray, *blocks: Any) -> list[Any]:
    return [block[rows] for block in blocks]


def _assigned_of(shared: tuple[Placement, Scaler], start: int, wanted: list[str], *blocks: Any) -> list[np.ndarray]:
    return assign_block(*shared, blocks, start, wanted)


def _stacked(parts: list[Any]) -> Any:
    return sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.concatenate(parts)


def _column_names(member: Any) -> np.ndarray | None:
    """The names of the columns of a DataFrame, as text; None of an array."""
    columns = getattr(member, "columns", None)
    return None if columns is None else np.array([str(column) for column in columns], dtype=object)


def _check_is_dask(member: Any, name: str) -> None:
    if not type(member).__module__.startswith("dask"):
        raise ViewsTypeError(
            f"View {name!r} is a {type(member).__name__}, but others are Dask collections.",
            hint="Convert it with dask.array.from_array, or compute the others.",
            view=name,
        )


def _as_array(member: Any, name: str) -> Any:
    """A view as a Dask array of known sizes, chunked by rows only."""
    if member.ndim != 2:
        raise ViewsError(f"View {name!r} must be 2-D (samples × features), but has shape {member.shape}.", view=name)
    if np.dtype(member.dtype).kind not in "biuf":
        raise ViewsTypeError(
            f"View {name!r} is not numeric ({member.dtype}).", hint="Encode its columns as numbers first.", view=name
        )
    if any(np.isnan(size) for size in member.shape):
        member = member.compute_chunk_sizes()
    if 0 in member.shape:
        raise ViewsError(
            f"View {name!r} is empty: {member.shape[0]} samples × {member.shape[1]} features.",
            hint="Leave it out.",
            view=name,
        )
    return member.rechunk({1: -1})


def _aligned(arrays: list[Any], names: Sequence[str]) -> list[Any]:
    """Re-chunk all views like the first."""
    if not arrays:
        raise ViewsError("There are no views.", hint="Provide at least one (samples × features) Dask array.")
    lengths = [array.shape[0] for array in arrays]
    if len(set(lengths)) > 1:
        listed = ", ".join(f"{name!r} {length}" for name, length in zip(names, lengths, strict=True))
        raise ViewsError(f"The views have different numbers of samples: {listed}. Every view needs one row per sample.")
    wanted = arrays[0].chunks[0]
    different = [name for name, array in zip(names, arrays, strict=True) if array.chunks[0] != wanted]
    if different:
        warn(
            ChunksWarning(
                f"The row chunks of {', '.join(map(repr, different))} differ from those of {names[0]!r}, so they are "
                "re-chunked, and every pass moves data between workers.",
                hint="Re-chunk these views by rows once, and persist or store them.",
                view=different[0],
            )
        )
    return [array.rechunk({0: wanted}) for array in arrays]
