"""Name several matrices or DataFrames, and join DataFrames on their index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._utils.text import count, listed
from ..exceptions import ViewsError, ViewsTypeError
from .align import Aligned, Member, align
from .matrices import as_matrix, column_names, is_dataframe

__all__ = ["align_graph_frames", "checked_names", "joined_on_index", "matched_by_id", "named_members"]


def named_members(data: Any, names: Sequence[str] | None) -> tuple[list[str], list[Any]]:
    """Return the names and the views of a list or mapping; the default names are its keys, or ``view0``, ``view1``, …"""
    if isinstance(data, Mapping):
        members = list(data.values())
        names = [str(name) for name in data] if names is None else list(names)
    elif isinstance(data, (list, tuple)):
        members = list(data)
        names = [f"view{v}" for v in range(len(members))] if names is None else list(names)
    else:
        shape = f" of shape {data.shape}" if hasattr(data, "shape") else ""
        raise ViewsTypeError(
            f"Views must be a list of matrices, a mapping of names to matrices, or Views; got {type(data).__name__}{shape}.",
            hint="Put a single 2-D array in a list, or pass it to an estimator that has its groups of columns in views=.",
            parameter="views",
        )
    if not members:
        raise ViewsError("There are no views; at least one matrix (samples × features) is needed.")
    return list(checked_names(names, len(members))), members


def joined_on_index(members: list[Any], names: Sequence[str]) -> tuple[list[Any], Any]:
    """Put the rows of all DataFrames in the order of the first one's index.

    Returns the views and their ids. The ids are None if there is no DataFrame, or if its index only numbers the rows.
    """
    framed = [v for v, member in enumerate(members) if is_dataframe(member)]
    if not framed:
        return members, None
    reference = members[framed[0]].index
    for v in framed:
        repeated = members[v].index[members[v].index.duplicated()].unique()
        if len(repeated):
            raise ViewsError(
                f"View {names[v]!r} has the same id in several rows: {listed(repeated)}.",
                hint="Keep one row for each id.",
                view=names[v],
            )
    joined = list(members)
    for v in framed[1:]:
        index = members[v].index
        if index.equals(reference):
            continue
        unknown, absent = index.difference(reference, sort=False), reference.difference(index, sort=False)
        if len(unknown) or len(absent):
            raise _id_mismatch(names[framed[0]], names[v], unknown, absent)
        if len(framed) < len(members):
            unframed = next(name for w, name in enumerate(names) if w not in framed)
            raise ViewsError(
                f"Views {names[framed[0]]!r} and {names[v]!r} have the same ids in different orders, but view {unframed!r} "
                "has no ids, so its rows cannot be matched.",
                hint="Give it as a DataFrame with the ids as index.",
                view=unframed,
            )
        joined[v] = members[v].loc[reference]
    # The index 0…n−1 numbers the rows; it holds no ids.
    is_row_numbers = np.array_equal(reference.to_numpy(), np.arange(len(reference)))
    return joined, None if is_row_numbers else reference.to_numpy()


def matched_by_id(data: Any, names: Sequence[str] | None, missing: str) -> Aligned:
    """Align DataFrames that do not all have the same ids; ``missing`` is "keep" or "drop"."""
    if missing not in ("keep", "drop"):
        raise ViewsError(
            f"missing must be 'error', 'keep' or 'drop', not {missing!r}.",
            parameter="missing",
            value=("error", "keep", "drop"),
        )
    names, members = named_members(data, names)
    without = [name for name, member in zip(names, members, strict=True) if not is_dataframe(member)]
    if without:
        raise ViewsError(
            f"Samples are matched by the index of DataFrames, but {listed(without)} is not a DataFrame.",
            hint=f"Give every view as a DataFrame with the ids as index, or leave missing={missing!r} out.",
            view=without[0],
            parameter="missing",
            value=("error",),
        )
    return align(
        [
            Member(name, as_matrix(frame, name), frame.index.to_numpy(), column_names(frame))
            for name, frame in zip(names, members, strict=True)
        ],
        missing,  # type: ignore[arg-type]
    )


def _id_mismatch(first: str, other: str, unknown: Any, absent: Any) -> ViewsError:
    parts = []
    if len(unknown):
        parts.append(f"View {other!r} has {count(len(unknown), 'id')} that view {first!r} does not have: {listed(unknown)}.")
    if len(absent):
        parts.append(f"View {other!r} does not have {count(len(absent), 'id')} of view {first!r}: {listed(absent)}.")
    return ViewsError(
        " ".join(parts),
        hint="Use Views(..., missing='drop') to drop these samples, or missing='keep' to mark them as missing.",
        view=other,
        parameter="missing",
        value=("drop", "keep"),
    )


def align_graph_frames(data: Any) -> Any:
    """Put the columns of graphs given as DataFrames in the order of the first one's rows.

    ``Views`` joins the rows, but a graph has the samples as columns too.
    """
    if not isinstance(data, (Mapping, list, tuple)):
        return data
    names, members = named_members(data, None)
    reference = next((member.index for member in members if is_dataframe(member)), None)
    aligned = [_columns_like(m, reference, name) if is_dataframe(m) else m for m, name in zip(members, names, strict=True)]
    return dict(zip(names, aligned, strict=True))


def _columns_like(graph: Any, reference: Any, name: str) -> Any:
    """Put the columns of one graph in the order of ``reference``, if the columns are named by the samples."""
    if graph.columns.equals(reference) or not graph.columns.isin(graph.index).any():
        return graph  # the order is right already, or the columns are numbered
    if len(graph.columns) != len(reference) or not reference.isin(graph.columns).all():
        raise ViewsError(
            f"View {name!r}: a graph's columns must hold the ids of its rows, but "
            f"{listed(reference.symmetric_difference(graph.columns))} are only rows or only columns.",
            hint="Give each graph the same ids as index and as columns.",
            view=name,
        )
    return graph[reference]


def checked_names(names: Sequence[str], n_views: int) -> tuple[str, ...]:
    """Return the names as text; there must be one for each view, and all different."""
    checked = tuple(str(name) for name in names)
    if len(checked) != n_views:
        raise ViewsError(f"There are {count(len(checked), 'name')} for {count(n_views, 'view')}.", parameter="names")
    repeated = sorted({name for name in checked if checked.count(name) > 1})
    if repeated:
        raise ViewsError(
            f"Several views have the name {listed(repeated)}.",
            hint="Give each view a name of its own.",
            view=repeated[0],
            parameter="names",
        )
    return checked
