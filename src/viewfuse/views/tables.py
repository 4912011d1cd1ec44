"""Join several tables by id. Files and frames in memory go through here, so the same rules hold for both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._utils.text import listed, listed_counts
from ..exceptions import ViewsError
from .ids import IdSource, find_ids, id_values, without_ids
from .join_by_id import Aligned, Member, Missing, align
from .matrices import is_dataframe
from .relation_tables import relation_of_table

__all__ = ["Joined", "join_frames"]


@dataclass(frozen=True)
class Joined:
    """Views, some of them DataFrames, whose rows are the same samples.

    ``features`` are the DataFrames before they were aligned, without ids; ``id_name`` is the name of the ids.
    """

    aligned: Aligned
    features: dict[str, Any]
    id_name: str | None


def join_frames(
    names: Sequence[str],
    members: Sequence[Any],
    *,
    ids: str | None = None,
    kinds: Sequence[str] | None = None,
    missing: Missing = "error",
    loose_ids: bool = False,
) -> Joined:
    """Put the rows of all DataFrames in the same order, by id. Other members have no ids and must be in that order.

    ``kinds`` are those that were asked for. A DataFrame that is a relation becomes a matrix, and its columns are put in the
    same order as its rows.
    """
    asked = ["features"] * len(names) if kinds is None else kinds
    frames = {name: member for name, member in zip(names, members, strict=True) if is_dataframe(member)}
    sources = find_ids(frames, ids)
    tables = [
        _table(name, member, sources[name], kind) if name in frames else Member(name, member, kind=kind)
        for name, member, kind in zip(names, members, asked, strict=True)
    ]
    features = {table.name: table.matrix for table in tables if is_dataframe(table.matrix)}
    id_name = _common_name([source for source in sources.values() if source is not None])
    with_ids = [table for table in tables if table.ids is not None]
    if len(frames) == len(members) or not with_ids:
        if not with_ids:
            _check_equal_lengths(tables, missing)
        return Joined(align(tables, missing, loose_ids=loose_ids), features, id_name)
    unframed = next(name for name in names if name not in frames)
    aligned = align(with_ids, missing, loose_ids=loose_ids)
    if any(not np.array_equal(np.asarray(table.ids), np.asarray(with_ids[0].ids)) for table in with_ids):
        same = [table.name for table in with_ids]
        raise ViewsError(
            f"Views {listed(same)} have the same ids in different orders, but view {unframed!r} has no ids, so its rows "
            "cannot be matched.",
            hint="Give it as a DataFrame with the ids as index.",
            view=unframed,
        )
    without = [replace(table, ids=None) for table in tables]
    return Joined(Aligned(tuple(without), aligned.ids), features, id_name)


def _table(name: str, frame: Any, source: IdSource | None, asked: str) -> Member:
    ids = None if source is None else id_values(frame, source, name)
    matrix, kind = relation_of_table(without_ids(frame, source), ids, name, asked)
    return Member(name, matrix, ids, kind=kind)


def _common_name(sources: Sequence[IdSource]) -> str | None:
    """The name of the ids: that of the first table that has one."""
    return next((source.name for source in sources if source.name is not None), None)


def _check_equal_lengths(tables: Sequence[Member], missing: str) -> None:
    """Without ids, rows can only be matched by position, and only if the tables are equally long."""
    lengths = {table.name: int(table.matrix.shape[0]) for table in tables if hasattr(table.matrix, "shape")}
    if len(set(lengths.values())) > 1:
        raise ViewsError(
            f"The views do not have the same number of samples ({listed_counts(lengths)}), and no column was found that "
            "says which row is which sample.",
            hint="Name the column of ids with ids='NAME', or give DataFrames with the ids as index.",
            parameter="ids",
        )
    if missing != "error":
        raise ViewsError(
            f"No column was found that says which row is which sample, so there are no missing samples to {missing}.",
            hint=f"Name the column of ids with ids='NAME', or leave missing={missing!r} out.",
            parameter="ids",
        )
