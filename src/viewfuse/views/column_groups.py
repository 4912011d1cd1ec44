"""Groups of columns of one matrix: a slice, positions, names or a mask, as ``ColumnTransformer`` takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._utils.text import count as _count
from .._utils.text import listed as _listed
from ..exceptions import ViewsError, ViewsTypeError

__all__ = ["columns_of_group"]


def columns_of_group(view: str, group: Any, n_columns: int, column_names: Sequence[str] | np.ndarray | None) -> np.ndarray:
    """Positions of one group's columns."""
    if isinstance(group, slice) and not any(isinstance(end, str) for end in (group.start, group.stop)):
        positions = np.arange(n_columns)[group]
    else:
        if isinstance(group, slice):
            raise ViewsTypeError(f"views[{view!r}]: a slice takes positions; list the columns' names instead.")
        wanted = np.atleast_1d(np.asarray(group))
        if wanted.dtype == bool:
            if wanted.size != n_columns:
                raise ViewsError(f"views[{view!r}]: the mask has {wanted.size} entries for {_count(n_columns, 'column')}.")
            positions = np.flatnonzero(wanted)
        elif wanted.dtype.kind in "iu":
            outside = wanted[(wanted < -n_columns) | (wanted >= n_columns)]
            if outside.size:
                raise ViewsError(
                    f"views[{view!r}] asks for column {outside[0]}, but there are {_count(n_columns, 'column')}."
                )
            positions = wanted % n_columns
        else:
            if column_names is None:
                raise ViewsError(
                    f"views[{view!r}] gives column names, but the data has none; pass a DataFrame, or positions or a slice."
                )
            place = {name: position for position, name in enumerate(column_names)}
            unknown = [name for name in wanted.tolist() if name not in place]
            if unknown:
                raise ViewsError(f"views[{view!r}] asks for {_listed(unknown)}, which the data does not have.")
            positions = np.array([place[name] for name in wanted.tolist()], dtype=int)
    if positions.size == 0:
        raise ViewsError(
            f"views[{view!r}] selects no column of the {n_columns} there are; leave the view out or mend its group."
        )
    return positions
