"""Several matrices or DataFrames and their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._utils.text import count, listed
from ..exceptions import ViewsError, ViewsTypeError
from .matrices import is_dataframe

__all__ = ["align_graph_frames", "checked_names", "named_members"]


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
