"""Tables whose columns are the samples: a graph, a kernel or distances as a DataFrame."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._utils.text import listed
from ..exceptions import ViewsError
from .kinds import RELATIONS, checked_kinds, guess_kind
from .matrices import as_matrix

__all__ = ["relation_of_table"]


def relation_of_table(table: Any, ids: np.ndarray | None, name: str, kind: str) -> tuple[Any, str]:
    """Return a relation as a matrix whose columns are in the order of its rows, and its kind; other tables as they are.

    Parameters
    ----------
    table : DataFrame without ids
    ids : of its rows, or None
    name : str, of the view
    kind : str
        The kind that was asked for. A table of the kind "auto" is a relation if its values say so.
    """
    if kind not in (*RELATIONS, "auto"):
        return table, kind
    if table.shape[0] != table.shape[1] and kind == "auto":
        return table, "features"
    if ids is not None:
        table = _columns_like_rows(table, [str(i) for i in ids.tolist()], name, kind)
    if kind in RELATIONS:
        return as_matrix(table, name), checked_kinds((kind,), (name,), (table,))[0]
    if not all(column.kind in "biuf" for column in table.dtypes):
        return table, "features"
    matrix = as_matrix(table, name)
    guess = guess_kind(matrix)
    return (matrix, guess) if guess in RELATIONS else (table, "features")


def _columns_like_rows(table: Any, ids: list[str], name: str, kind: str) -> Any:
    """Put the columns in the order of the rows, if they are named by the samples."""
    columns = set(table.columns)
    if columns == set(ids):
        return table[ids]
    if kind in RELATIONS and columns & set(ids):
        raise ViewsError(
            f"View {name!r}: a {kind}'s columns must hold the ids of its rows, but {listed(sorted(columns ^ set(ids)))} are "
            "only rows or only columns.",
            hint="Give the same ids as rows and as columns.",
            view=name,
        )
    return table  # the columns are numbered
