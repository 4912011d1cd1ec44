"""Dask DataFrames as arrays whose rows are the same samples: as their indices say, where these say anything.

Readers number the rows of every partition from 0, so an index of row numbers is no id, and such frames are taken as they
come. Of others, each partition is reduced to its length and two sums over hashes ``h`` of its ids; mod 2⁶⁴ they add up to

    Σ_i h_i    and    Σ_i i·h_i    over all rows i,

whatever the partitions: the first is the same for the same ids in any order, the second for the same order only.
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
    """What is known of a frame's index; ``numbered`` if it is nothing but row numbers."""

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
    """DataFrames become arrays with their rows in the order of the first frame that has ids; others stay as they are."""
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
            f"The samples of {names[v]!r} are not those of {names[first]!r}: their indices hold other ids. Keep those that "
            "both have, or reset_index(drop=True) where rows of the same number are the same sample."
        )
    disorder = f"{names[v]!r} has its samples in another order than {names[first]!r}, and "
    if not (frames[v].known_divisions and frames[first].known_divisions):
        raise ViewsError(
            f"{disorder}Dask does not know which partition has which: sort both by their ids first, with set_index, or "
            "reset_index(drop=True) where rows of the same number are the same sample."
        )
    without = [name for u, name in enumerate(names) if u not in frames]
    if without:
        raise ViewsError(f"{disorder}{without[0]!r} has no ids to follow them; give it an index too.")


def _in_order(frame: Any, first: Any, name: str) -> Any:
    """A frame in the partitions and the order of another with the same ids."""
    ordered = frame.repartition(divisions=first.divisions, force=True)
    return ordered.map_partitions(_in_order_of, first, name, meta=frame._meta, align_dataframes=False)


def _in_order_of(part: Any, other: Any, name: str) -> Any:
    """The rows of a partition in the order of another's ids."""
    if not part.index.is_unique:
        repeated = part.index[part.index.duplicated()][0]
        raise ViewsError(f"The id {repeated!r} repeats in view {name!r}, so its samples cannot be matched by id.")
    return part.loc[other.index]
