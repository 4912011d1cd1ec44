"""Dask DataFrames as arrays whose row i is the same sample in every view, matched by the indices of the frames.

Readers number the rows of every partition from 0, so an index of row numbers holds no ids, and such a frame keeps its order.
The index of any other partition is reduced to its length and two sums over the hashes ``h`` of its ids. Modulo 2⁶⁴ they add
up to

    Σ_i h_i    and    Σ_i i·h_i    over all rows i,

for any partitions. Equal ids have the same first sum in any order, and the same second sum only in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._utils.extras import require
from ...exceptions import ViewsError

__all__ = ["frames_as_arrays"]

_MODULUS = 2**64


@dataclass(frozen=True)
class _Index:
    """Summary of the index of a frame; ``numbered`` if it holds row numbers only."""

    lengths: tuple[int, ...]
    numbered: bool
    ids: int
    order: int

    @classmethod
    def of(cls, partitions: Sequence[tuple[int, bool, int, int]]) -> _Index:
        ids = order = begin = 0
        for length, _, some_ids, some_order in partitions:
            ids = (ids + some_ids) % _MODULUS
            order = (order + begin * some_ids + some_order) % _MODULUS
            begin += length
        return cls(tuple(part[0] for part in partitions), all(part[1] for part in partitions), ids, order)


def frames_as_arrays(members: Sequence[Any], names: Sequence[str]) -> list[Any]:
    """Convert DataFrames to arrays with rows in the order of the first frame with ids; arrays are returned unchanged."""
    dask = require("dask", extra="dask")
    frames = {v: member for v, member in enumerate(members) if hasattr(member, "to_dask_array") and hasattr(member, "index")}
    parts = [[dask.delayed(_summary)(part) for part in frame.to_delayed()] for frame in frames.values()]
    indices = {v: _Index.of(found) for v, found in zip(frames, dask.compute(*parts), strict=True)}
    first = next((v for v, index in indices.items() if not index.numbered), None)
    arrays = list(members)
    for v, index in indices.items():
        frame, lengths = frames[v], index.lengths
        if first is not None and not index.numbered and index.order != indices[first].order:
            _check_can_be_matched(v, first, frames, indices, names)
            frame, lengths = _in_order(frame, frames[first], names[v]), indices[first].lengths
        arrays[v] = frame.to_dask_array(lengths=lengths)
    return arrays


def _summary(part: Any) -> tuple[int, bool, int, int]:
    pandas = require("pandas")
    if isinstance(part.index, pandas.RangeIndex):
        return len(part), True, 0, 0
    hashes = pandas.util.hash_pandas_object(part.index, index=False).to_numpy()
    positions = np.arange(len(part), dtype=np.uint64)
    return len(part), False, int(hashes.sum(dtype=np.uint64)), int((hashes * positions).sum(dtype=np.uint64))


def _check_can_be_matched(
    v: int, first: int, frames: dict[int, Any], indices: dict[int, _Index], names: Sequence[str]
) -> None:
    if indices[v].ids != indices[first].ids:
        raise ViewsError(
            f"Views {names[v]!r} and {names[first]!r} have different samples: their indices hold different ids.",
            hint="Keep the ids that both have, or use reset_index(drop=True) if row i is the same sample in both.",
            view=names[v],
        )
    disorder = f"The samples of view {names[v]!r} are in another order than those of {names[first]!r}, and "
    if not (frames[v].known_divisions and frames[first].known_divisions):
        raise ViewsError(
            f"{disorder}Dask does not know which partition holds which ids.",
            hint="Sort both by their ids with set_index, or use reset_index(drop=True) if row i is the same sample in both.",
            view=names[v],
        )
    without = [name for u, name in enumerate(names) if u not in frames]
    if without:
        raise ViewsError(
            f"{disorder}view {without[0]!r} has no ids to match them with.",
            hint=f"Set the index of {without[0]!r} to the ids.",
            view=without[0],
        )


def _in_order(frame: Any, first: Any, name: str) -> Any:
    """The frame with the partitions and the order of another frame with the same ids."""
    ordered = frame.repartition(divisions=first.divisions, force=True)
    return ordered.map_partitions(_in_order_of, first, name, meta=frame._meta, align_dataframes=False)


def _in_order_of(part: Any, other: Any, name: str) -> Any:
    """The rows of a partition in the order of the ids of another."""
    if not part.index.is_unique:
        repeated = part.index[part.index.duplicated()][0]
        raise ViewsError(
            f"The id {repeated!r} is repeated in view {name!r}, so its samples cannot be matched by id.",
            hint="Keep one row per id.",
            view=name,
            value=repeated,
        )
    return part.loc[other.index]
