"""Match the samples of several tables by id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from .._utils.text import count, listed
from ..exceptions import ViewsError
from .kinds import RELATIONS
from .matrices import as_matrix, column_names, is_dataframe

__all__ = ["Aligned", "Member", "Missing", "align", "joined_on_index", "matched_by_id"]

Missing = Literal["error", "keep", "drop"]


@dataclass(frozen=True)
class Member:
    """One view before alignment: its matrix, and the ids of its rows if it has ids."""

    name: str
    matrix: Any
    ids: np.ndarray | None = None
    feature_names: np.ndarray | None = None
    kind: str = "features"


@dataclass(frozen=True)
class Aligned:
    """Views whose rows are in the same order.

    ``ids`` is None if the views have no ids. ``present`` is None if rows were matched by position.
    """

    members: tuple[Member, ...]
    ids: np.ndarray | None = None
    present: np.ndarray | None = None
    n_dropped: int = 0  # samples that were left out, because some view does not have them


def align(members: Sequence[Member], missing: Missing = "error") -> Aligned:
    """Put the rows of all views in the same order, by id.

    The samples of the first view come first, in its order. Samples that only later views contain follow, in their order.

    Parameters
    ----------
    members : sequence of Member
        Either all have ids or none has. If none has, rows are matched by position.
    missing : {"error", "keep", "drop"}
        What to do with samples that are missing from some view. "error" raises an error that names the first few. "keep"
        keeps them: their rows are NaN (empty in a sparse view) and ``present`` is False there. "drop" removes them from
        all views.
    """
    without_ids = [member.name for member in members if member.ids is None]
    if len(without_ids) == len(members):
        return Aligned(tuple(members))
    if without_ids:
        with_ids = next(member.name for member in members if member.ids is not None)
        raise ViewsError(
            f"View {with_ids!r} has sample ids, but {listed(without_ids)} has none, so the rows cannot be matched.",
            hint="Give every view an id column, or name the id column with ids='NAME'.",
            view=without_ids[0],
            parameter="ids",
        )
    row_of_id = [_row_of_id(member) for member in _with_comparable_ids(members)]
    all_ids = list(dict.fromkeys(i for rows in row_of_id for i in rows))
    present = np.array([[i in rows for rows in row_of_id] for i in all_ids])
    complete = np.asarray(present.all(axis=1))
    if missing == "drop":
        if not complete.any():
            raise ViewsError(
                "No sample is in every view, so no samples are left after dropping the incomplete ones.",
                hint="Check that all views spell their ids in the same way, or keep incomplete samples with missing='keep'.",
                parameter="missing",
                value=("keep",),
            )
        all_ids = [i for i, kept in zip(all_ids, complete, strict=True) if kept]
        present = present[complete]
    elif missing == "error" and not complete.all():
        raise _missing_samples(members, all_ids, present)
    rows = [np.array([known.get(i, -1) for i in all_ids]) for known in row_of_id]
    taken = [
        Member(member.name, _taken(member, row), None, member.feature_names, member.kind)
        for member, row in zip(members, rows, strict=True)
    ]
    return Aligned(tuple(taken), _id_array(all_ids), present, n_dropped=len(complete) - len(all_ids))


def _with_comparable_ids(members: Sequence[Member]) -> list[Member]:
    """Compare ids as text if some views have numbers and others text: 7 and "7" are the same id."""
    kinds = {"number" if member.ids is not None and member.ids.dtype.kind in "iu" else "text" for member in members}
    if len(kinds) == 1:
        return list(members)
    return [replace(m, ids=np.array([str(i) for i in m.ids], dtype=object)) for m in members if m.ids is not None]


def _row_of_id(member: Member) -> dict[Any, int]:
    """Map the ids of a view to its rows; blank and repeated ids are errors."""
    ids = [] if member.ids is None else member.ids.tolist()
    blank = [row for row, i in enumerate(ids) if i is None or i != i or i == ""]
    if blank:
        raise ViewsError(
            f"View {member.name!r} has no id in row {blank[0]}; every row needs one.",
            hint="Fill in the missing ids.",
            view=member.name,
        )
    rows = {i: row for row, i in enumerate(ids)}
    if len(rows) < len(ids):
        repeated = dict.fromkeys(i for row, i in enumerate(ids) if rows[i] != row)
        raise ViewsError(
            f"View {member.name!r} has the same id in several rows: {listed(repeated)}.",
            hint="Keep one row for each id.",
            view=member.name,
        )
    return rows


def _missing_samples(members: Sequence[Member], ids: list[Any], present: np.ndarray) -> ViewsError:
    parts = [
        (member.name, f"{count(len(absent), 'sample')} missing from view {member.name!r}: {listed(ids[i] for i in absent)}")
        for member, column in zip(members, present.T, strict=True)
        if len(absent := np.flatnonzero(~column))
    ]
    return ViewsError(
        f"Not every sample is in every view: {'; '.join(found for _, found in parts)}.",
        hint="Use missing='drop' to drop these samples, or missing='keep' to mark them as missing.",
        view=parts[0][0],
        parameter="missing",
        value=("drop", "keep"),
    )


def _taken(member: Member, rows: np.ndarray) -> Any:
    """The rows of a view; of a relation, the same columns too."""
    taken = _take_rows(member.matrix, rows)
    return _take_rows(taken.T, rows).T if member.kind in RELATIONS else taken


def _take_rows(matrix: Any, rows: np.ndarray) -> Any:
    """Take rows by position; position −1 gives a row of NaN, or an empty row of a sparse matrix."""
    absent = rows < 0
    if not absent.any():
        return matrix[rows]
    if sp.issparse(matrix):
        empty = sp.csr_array((1, matrix.shape[1]), dtype=matrix.dtype)
        return sp.vstack([matrix, empty], format="csr")[rows]  # position −1 is the last row, which is empty
    taken = matrix[rows].astype(matrix.dtype if matrix.dtype.kind == "f" else float)
    taken[absent] = np.nan
    return taken


def _id_array(ids: list[Any]) -> np.ndarray:
    array = np.empty(len(ids), dtype=object)
    array[:] = ids
    return array if any(not isinstance(i, int) for i in ids) else np.array(ids)


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


def matched_by_id(members: Sequence[Any], names: Sequence[str], missing: str) -> Aligned:
    """Align DataFrames that do not all have the same ids; ``missing`` is "keep" or "drop"."""
    if missing not in ("keep", "drop"):
        raise ViewsError(
            f"missing must be 'error', 'keep' or 'drop', not {missing!r}.",
            parameter="missing",
            value=("error", "keep", "drop"),
        )
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
