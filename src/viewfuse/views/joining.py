"""Several matrices or frames with names, joined on their ids where they have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._utils.text import count as _count
from .._utils.text import listed as _listed
from ..exceptions import ViewsError, ViewsTypeError
from .align import Aligned, Member, align
from .matrices import as_matrix, column_names, is_dataframe

__all__ = ["align_graph_frames", "checked_names", "joined_on_index", "matched_by_id", "named_members"]


def named_members(data: Any, names: Sequence[str] | None) -> tuple[list[str], list[Any]]:
    if isinstance(data, Mapping):
        members = list(data.values())
        names = [str(name) for name in data] if names is None else list(names)
    elif isinstance(data, (list, tuple)):
        members = list(data)
        names = [f"view{v}" for v in range(len(members))] if names is None else list(names)
    else:
        shape = f" of shape {data.shape}" if hasattr(data, "shape") else ""
        raise ViewsTypeError(
            f"Views are a list, a mapping of names to matrices, or Views; got {type(data).__name__}{shape}. "
            "For one 2-D array, put it in a list or tell the estimator its column groups with views=."
        )
    if not members:
        raise ViewsError("There are no views; give at least one (samples × features) matrix.")
    return list(checked_names(names, len(members))), members


def joined_on_index(members: list[Any], names: Sequence[str]) -> tuple[list[Any], Any]:
    """Put every DataFrame in the order of the first one's index; returns the ids too."""
    framed = [v for v, member in enumerate(members) if is_dataframe(member)]
    if not framed:
        return members, None
    reference = members[framed[0]].index
    for v in framed:
        repeated = members[v].index[members[v].index.duplicated()].unique()
        if len(repeated):
            raise ViewsError(f"View {names[v]!r} has the same id in several rows: {_listed(repeated)}.")
    joined = list(members)
    for v in framed[1:]:
        index = members[v].index
        if index.equals(reference):
            continue
        unknown, absent = index.difference(reference, sort=False), reference.difference(index, sort=False)
        if len(unknown) or len(absent):
            raise ViewsError(_id_mismatch(names[framed[0]], names[v], unknown, absent))
        if len(framed) < len(members):
            unframed = next(name for w, name in enumerate(names) if w not in framed)
            raise ViewsError(
                f"Views {names[framed[0]]!r} and {names[v]!r} hold the same ids in different orders, and view "
                f"{unframed!r} has no ids to follow them; give it an index too."
            )
        joined[v] = members[v].loc[reference]
    # A plain 0…n−1 index is a frame's row numbers, not ids.
    is_row_numbers = np.array_equal(reference.to_numpy(), np.arange(len(reference)))
    return joined, None if is_row_numbers else reference.to_numpy()


def matched_by_id(data: Any, names: Sequence[str] | None, missing: str) -> Aligned:
    """DataFrames that do not all have the same ids."""
    if missing not in ("keep", "drop"):
        raise ViewsError(f"missing must be 'error', 'keep' or 'drop', not {missing!r}.")
    names, members = named_members(data, names)
    without = [name for name, member in zip(names, members, strict=True) if not is_dataframe(member)]
    if without:
        raise ViewsError(f"missing={missing!r} matches DataFrames by their index, and {_listed(without)} is none.")
    return align(
        [
            Member(name, as_matrix(frame, name), frame.index.to_numpy(), column_names(frame))
            for name, frame in zip(names, members, strict=True)
        ],
        missing,  # type: ignore[arg-type]
    )


def _id_mismatch(first: str, other: str, unknown: Any, absent: Any) -> str:
    parts = []
    if len(unknown):
        parts.append(f"View {other!r} has {_count(len(unknown), 'id')} unknown to view {first!r}: {_listed(unknown)}.")
    if len(absent):
        parts.append(f"View {other!r} lacks {_count(len(absent), 'id')} of view {first!r}: {_listed(absent)}.")
    return " ".join(
        [*parts, "Keep those all views share with Views(..., missing='drop'), or all of them with missing='keep'."]
    )


def align_graph_frames(data: Any) -> Any:
    """Graphs given as DataFrames, their columns in the order of the first one's rows: only rows remain to be joined."""
    if not isinstance(data, (Mapping, list, tuple)):
        return data
    names, members = named_members(data, None)
    reference = next((member.index for member in members if is_dataframe(member)), None)
    aligned = [_columns_like(m, reference, name) if is_dataframe(m) else m for m, name in zip(members, names, strict=True)]
    return dict(zip(names, aligned, strict=True))


def _columns_like(graph: Any, reference: Any, name: str) -> Any:
    """One graph's columns in the order of ``reference``, where they are named by the samples."""
    if graph.columns.equals(reference) or not graph.columns.isin(graph.index).any():
        return graph  # in order already, or numbered rather than named
    if len(graph.columns) != len(reference) or not reference.isin(graph.columns).all():
        raise ViewsError(
            f"View {name!r}: a graph's columns must hold the ids of its rows, but "
            f"{_listed(reference.symmetric_difference(graph.columns))} stand on one side only."
        )
    return graph[reference]


def checked_names(names: Sequence[str], n_views: int) -> tuple[str, ...]:
    checked = tuple(str(name) for name in names)
    if len(checked) != n_views:
        raise ViewsError(f"There are {_count(len(checked), 'name')} for {_count(n_views, 'view')}.")
    repeated = sorted({name for name in checked if checked.count(name) > 1})
    if repeated:
        raise ViewsError(f"Several views are called {_listed(repeated)}; give each its own name.")
    return checked
