"""Match the samples of several tables by id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from .._utils.text import count, listed
from ..exceptions import ViewsError
from .ids import loose
from .kinds import RELATIONS
from .matrices import is_dataframe

__all__ = ["Aligned", "Member", "Missing", "align", "check_missing"]

Missing = Literal["error", "keep", "drop"]


_TINY = 0.1  # share of ids in common below which the ids of two views are not of the same samples


@dataclass(frozen=True)
class Member:
    """One view before alignment: its matrix or DataFrame, and the ids of its rows if it has ids."""

    name: str
    matrix: Any
    ids: np.ndarray | None = None
    feature_names: np.ndarray | None = None
    kind: str = "features"


@dataclass(frozen=True)
class Aligned:
    """Views whose rows are in the same order.

    ``ids`` is None if the views have no ids. ``present`` is None if rows were matched by position, and so is
    ``table_rows``, (n_samples, n_views): the row of each sample before alignment, −1 where it is missing.
    """

    members: tuple[Member, ...]
    ids: np.ndarray | None = None
    present: np.ndarray | None = None
    n_dropped: int = 0  # samples that were left out, because some view does not have them
    table_rows: np.ndarray | None = None


def check_missing(missing: Any) -> None:
    if missing not in ("error", "keep", "drop"):
        raise ViewsError(
            f"missing must be 'error', 'keep' or 'drop', not {missing!r}.",
            parameter="missing",
            value=("error", "keep", "drop"),
        )


def align(members: Sequence[Member], missing: Missing = "error", *, loose_ids: bool = False) -> Aligned:
    """Put the rows of all views in the same order, by id.

    The samples of the first view come first, in its order. Samples that only later views contain follow, in their order.

    Parameters
    ----------
    members : sequence of Member
        Either all have ids or none has. If none has, rows are matched by position.
    missing : {"error", "keep", "drop"}
        What to do with samples that are missing from some view. "error" raises an error that names the first few. "keep"
        keeps them: their rows are NaN (empty in a sparse view) and ``present`` is False there. "drop" removes them from
        all views. If views have hardly any ids in common, that is an error whatever is asked.
    loose_ids : bool
        Whether ids are compared without case, blanks and leading zeros.
    """
    check_missing(missing)
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
            value="some",
        )
    row_of_id = [_row_of_id(member) for member in _with_comparable_ids(members, loose_ids)]
    _check_overlap(members, row_of_id)
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
    n_dropped = len(complete) - len(all_ids)
    return Aligned(tuple(taken), _id_array(all_ids), present, n_dropped, np.column_stack(rows))


def _with_comparable_ids(members: Sequence[Member], loose_ids: bool) -> list[Member]:
    """Compare ids as text if some views have numbers and others text: 7 and "7" are the same id."""
    if loose_ids:
        return _loosened(members)
    kinds = {"number" if member.ids is not None and member.ids.dtype.kind in "iu" else "text" for member in members}
    if len(kinds) == 1:
        return list(members)
    return [replace(m, ids=np.array([str(i) for i in m.ids], dtype=object)) for m in members if m.ids is not None]


def _loosened(members: Sequence[Member]) -> list[Member]:
    """Write each id as the first view that has it does, if ids are compared without case, blanks and leading zeros."""
    spelling: dict[str, Any] = {}
    loosened = []
    for member in members:
        spelled = [spelling.setdefault(loose(i), i) if not _is_blank(i) else i for i in np.asarray(member.ids).tolist()]
        ids = np.empty(len(spelled), dtype=object)
        ids[:] = spelled
        loosened.append(Member(member.name, member.matrix, ids))
    return loosened


def _is_blank(value: Any) -> bool:
    return value is None or value != value or value == ""


def _check_overlap(members: Sequence[Member], row_of_id: Sequence[dict[Any, int]]) -> None:
    """Raise an error if a view has hardly any id that another view has."""
    for v, member in enumerate(members):
        others: set[Any] = set().union(*(rows for u, rows in enumerate(row_of_id) if u != v))
        shared = len(others & row_of_id[v].keys())
        possible = min(len(others), len(row_of_id[v]))
        if len(members) == 1 or shared >= max(1, _TINY * possible):
            continue
        own, theirs = [i for i in row_of_id[v] if i not in others], [i for i in others if i not in row_of_id[v]]
        matching = {loose(i) for i in row_of_id[v]} & {loose(i) for i in others}
        if len(matching) >= max(1, _TINY * possible) and len(matching) > shared:
            remedy = f"{len(matching)} would be if case, blanks and leading zeros did not count: "
            hint, parameter = "use loose_ids=True for that.", "loose_ids"
        else:
            remedy, parameter = "", "ids"
            hint = "Write the ids in the same way in all tables, or name their column with ids='NAME'."
        raise ViewsError(
            f"Of the {count(len(row_of_id[v]), 'id')} of view {member.name!r}, {shared or 'none'} "
            f"{'is' if shared < 2 else 'are'} in another view: it has {listed(own[:3])}, the others "
            f"{listed(sorted(theirs, key=str)[:3])}. {remedy}".rstrip(),
            hint=hint if remedy == "" else hint[0].lower() + hint[1:],
            view=member.name,
            parameter=parameter,
            value="different" if parameter == "ids" else None,
        )


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
        named = [f"{i!r} in rows {', '.join(str(r) for r, j in enumerate(ids) if j == i)}" for i in list(repeated)[:3]]
        more = f" and {len(repeated) - 3} more ids" if len(repeated) > 3 else ""
        problem = f"View {member.name!r} has the same id in several rows: {'; '.join(named)}{more}."
        if member.matrix.shape[1] > 2:
            raise ViewsError(problem, hint="Keep one row for each id.", view=member.name)
        raise ViewsError(
            f"{problem} Keep one row for each id, unless it is an edge list (source, target, weight).",
            hint=f"Of a file with an edge list, say so with kinds={{{member.name!r}: 'graph'}}.",
            view=member.name,
            parameter="kinds",
            value=("graph",),
        )
    return rows


def _missing_samples(members: Sequence[Member], ids: list[Any], present: np.ndarray) -> ViewsError:
    parts = [
        (member.name, f"{count(len(absent), 'sample')} missing from view {member.name!r}: {listed(ids[i] for i in absent)}")
        for member, column in zip(members, present.T, strict=True)
        if len(absent := np.flatnonzero(~column))
    ]
    complete = int(present.all(axis=1).sum())
    return ViewsError(
        f"Not every sample is in every view: {'; '.join(found for _, found in parts)}. Of {count(len(ids), 'sample')}, "
        f"{complete} are in every view.",
        hint="Use missing='keep' to keep all samples, or missing='drop' to drop these.",
        view=parts[0][0],
        parameter="missing",
        value=("keep", "drop"),
    )


def _taken(member: Member, rows: np.ndarray) -> Any:
    """The rows of a view; of a relation, the same columns too."""
    taken = _take_rows(member.matrix, rows)
    return _take_rows(taken.T, rows).T if member.kind in RELATIONS else taken


def _take_rows(matrix: Any, rows: np.ndarray) -> Any:
    """Take rows by position; position −1 gives a row of NaN, or an empty row of a sparse matrix."""
    absent = rows < 0
    if is_dataframe(matrix):
        taken = matrix.reset_index(drop=True)
        return (
            taken.reindex(np.where(absent, len(matrix), rows)).reset_index(drop=True)
            if absent.any()
            else taken.iloc[rows].reset_index(drop=True)
        )
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
