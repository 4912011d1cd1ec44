"""Samples of several tables, matched by id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from .._utils.text import count, listed
from ..exceptions import ViewsError

__all__ = ["Aligned", "Member", "Missing", "align"]

Missing = Literal["error", "keep", "drop"]


@dataclass(frozen=True)
class Member:
    """One view on its way in: its matrix, and the ids of its rows where it has them."""

    name: str
    matrix: Any
    ids: np.ndarray | None = None
    feature_names: np.ndarray | None = None


@dataclass(frozen=True)
class Aligned:
    """Several views with their rows in one order; ``ids`` is None without ids, ``present`` None without missing views."""

    members: tuple[Member, ...]
    ids: np.ndarray | None = None
    present: np.ndarray | None = None


def align(members: Sequence[Member], missing: Missing = "error") -> Aligned:
    """Put the rows of every view in one order, by id.

    Samples stand in the order of the first view; those it lacks follow in the order of the next, and so on.

    Parameters
    ----------
    members : sequence of Member
        All with ids, or none: then, and only then, rows are matched by position.
    missing : {"error", "keep", "drop"}
        What becomes of a sample that some view lacks: an error that names the first few; kept, with NaN (or, in
        a sparse view, an empty row) and ``views.present`` False there; or dropped from all views.
    """
    without = [member.name for member in members if member.ids is None]
    if len(without) == len(members):
        return Aligned(tuple(members))
    if without:
        have = next(member.name for member in members if member.ids is not None)
        raise ViewsError(
            f"View {have!r} has sample ids, but {listed(without)} has none, so its rows cannot be matched; "
            "give every view an id column, or name it with ids=."
        )
    places = [_places(member) for member in _with_comparable_ids(members)]
    everywhere = list(dict.fromkeys(i for place in places for i in place))
    present = np.array([[i in place for place in places] for i in everywhere])
    complete = np.asarray(present.all(axis=1))
    if missing == "drop":
        if not complete.any():
            raise ViewsError("No sample is in every view, so missing='drop' leaves none; do the ids agree in form?")
        everywhere = [i for i, kept in zip(everywhere, complete, strict=True) if kept]
        present = present[complete]
    elif missing == "error" and not complete.all():
        raise ViewsError(_absent_somewhere(members, everywhere, present))
    ids = _as_array(everywhere)
    rows = [np.array([place.get(i, -1) for i in everywhere]) for place in places]
    taken = [
        Member(member.name, _take(member.matrix, row), None, member.feature_names)
        for member, row in zip(members, rows, strict=True)
    ]
    return Aligned(tuple(taken), ids, present)


def _with_comparable_ids(members: Sequence[Member]) -> list[Member]:
    """The number 7 in one table and the text "7" in another are the same id."""
    kinds = {"number" if member.ids is not None and member.ids.dtype.kind in "iu" else "text" for member in members}
    if len(kinds) == 1:
        return list(members)
    return [Member(m.name, m.matrix, np.array([str(i) for i in m.ids], dtype=object)) for m in members if m.ids is not None]


def _places(member: Member) -> dict[Any, int]:
    ids = [] if member.ids is None else member.ids.tolist()
    blank = [row for row, i in enumerate(ids) if i is None or i != i or i == ""]
    if blank:
        raise ViewsError(f"View {member.name!r} has no id in row {blank[0]}; fill in its ids.")
    places = {i: row for row, i in enumerate(ids)}
    if len(places) < len(ids):
        repeated = [i for row, i in enumerate(ids) if places[i] != row]
        raise ViewsError(f"View {member.name!r} has the same id in several rows: {listed(dict.fromkeys(repeated))}.")
    return places


def _absent_somewhere(members: Sequence[Member], ids: list[Any], present: np.ndarray) -> str:
    parts = [
        f"view {member.name!r} lacks {count(len(absent), 'sample')}: {listed(ids[i] for i in absent)}"
        for member, column in zip(members, present.T, strict=True)
        if len(absent := np.flatnonzero(~column))
    ]
    return (
        f"Not every sample is in every view: {'; '.join(parts)}. "
        "Use missing='drop' for the samples all views share, or missing='keep' to mark them as missing."
    )


def _take(matrix: Any, rows: np.ndarray) -> Any:
    """Rows by position; −1 gives a missing row."""
    absent = rows < 0
    if not absent.any():
        return matrix[rows]
    if sp.issparse(matrix):
        empty = sp.csr_array((1, matrix.shape[1]), dtype=matrix.dtype)
        return sp.vstack([matrix, empty], format="csr")[rows]  # −1 is the last row, which is empty
    taken = matrix[rows].astype(matrix.dtype if matrix.dtype.kind == "f" else float)
    taken[absent] = np.nan
    return taken


def _as_array(ids: list[Any]) -> np.ndarray:
    array = np.empty(len(ids), dtype=object)
    array[:] = ids
    return array if any(not isinstance(i, int) for i in ids) else np.array(ids)
