"""Groups of columns of one matrix: a slice, positions, names or a mask, as ``ColumnTransformer`` takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._utils.text import count, listed
from ..exceptions import ViewsError, ViewsTypeError

__all__ = ["columns_of_group", "named_groups"]


def named_groups(groups: Any) -> dict[str, Any]:
    """Return the groups of columns by the names of their views; the views of a list are ``view0``, ``view1``, …"""
    if isinstance(groups, Mapping):
        named = {str(name): group for name, group in groups.items()}
    elif isinstance(groups, (list, tuple)):
        named = {f"view{v}": group for v, group in enumerate(groups)}
    else:
        raise ViewsTypeError(
            f"Groups of columns must be a mapping of view names to columns, or a list; got {type(groups).__name__}.",
            hint="Use, for example, views={'sound': slice(0, 20), 'image': slice(20, 60)}.",
            parameter="views",
            value=({"sound": slice(0, 20), "image": slice(20, 60)},),
        )
    if not named:
        raise ViewsError("No view is named.", hint="Give at least one group of columns in views=.", parameter="views")
    return named


def columns_of_group(view: str, group: Any, n_columns: int, column_names: Sequence[str] | np.ndarray | None) -> np.ndarray:
    """Return the positions of the columns that a group selects.

    Parameters
    ----------
    view : str
        Name of the view, for messages.
    group : slice, sequence of int, of str or of bool
    n_columns : int
    column_names : sequence of str or None
        Names of all columns, or None if they have no names.
    """
    if isinstance(group, slice):
        positions = _of_slice(view, group, n_columns)
    else:
        wanted = np.atleast_1d(np.asarray(group))
        if wanted.dtype == bool:
            positions = _of_mask(view, wanted, n_columns)
        elif wanted.dtype.kind in "iu":
            positions = _of_positions(view, wanted, n_columns)
        else:
            positions = _of_names(view, wanted.tolist(), column_names)
    if positions.size == 0:
        raise ViewsError(
            f"View {view!r} selects none of the {count(n_columns, 'column')}.",
            hint="Leave the view out, or correct its group of columns in views=.",
            view=view,
            parameter="views",
        )
    return positions


def _of_slice(view: str, group: slice, n_columns: int) -> np.ndarray:
    if any(isinstance(end, str) for end in (group.start, group.stop)):
        raise ViewsTypeError(
            f"View {view!r} has a slice of column names; a slice takes positions.",
            hint="List the names of the columns in views= instead.",
            view=view,
            parameter="views",
        )
    return np.arange(n_columns)[group]


def _of_mask(view: str, mask: np.ndarray, n_columns: int) -> np.ndarray:
    if mask.size != n_columns:
        raise ViewsError(
            f"The mask of view {view!r} has {count(mask.size, 'entry', 'entries')} for {count(n_columns, 'column')}.",
            hint="Give one entry for each column in views=.",
            view=view,
            parameter="views",
        )
    return np.flatnonzero(mask)


def _of_positions(view: str, positions: np.ndarray, n_columns: int) -> np.ndarray:
    outside = positions[(positions < -n_columns) | (positions >= n_columns)]
    if outside.size:
        raise ViewsError(
            f"View {view!r} asks for column {outside[0]}, but there are only {count(n_columns, 'column')}.",
            hint=f"Give positions from 0 to {n_columns - 1} in views=.",
            view=view,
            parameter="views",
        )
    return positions % n_columns


def _of_names(view: str, wanted: list[Any], column_names: Sequence[str] | np.ndarray | None) -> np.ndarray:
    if column_names is None:
        raise ViewsError(
            f"View {view!r} gives column names, but the columns of the data have no names.",
            hint="Pass a DataFrame, or give positions or a slice in views=.",
            view=view,
            parameter="views",
        )
    position_of = {name: position for position, name in enumerate(column_names)}
    unknown = [name for name in wanted if name not in position_of]
    if unknown:
        raise ViewsError(
            f"View {view!r} asks for {listed(unknown)}, which the data does not have.",
            hint="Correct the column names in views=.",
            view=view,
            parameter="views",
        )
    return np.array([position_of[name] for name in wanted], dtype=int)
