"""From what the user gives, tables and matrices, to the matrices of views: ids, alignment, encoding and empty cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from .._utils.steps import step
from .._utils.text import count, listed
from .._utils.warn import recording, texts_of, warn
from ..exceptions import EmptyCellsWarning, EncodingWarning, UnusedColumnsWarning, ViewsError
from .conventions import is_label_name
from .encoding import Encoding, TableEncoding, Types, encode_table, learn_encodings
from .encoding.table import encode_array, learn_array, plain_encoding, weigh_categories
from .filling import Filler, has_empty_cells
from .join_by_id import Aligned, Member, Missing
from .kinds import RELATIONS, guess_kind
from .matrices import as_matrix, column_names, is_dataframe
from .tables import Joined, join_frames

__all__ = ["Read", "known_ids", "read_members"]

_SHOWN = 6  # columns that a warning names
_FEWEST_NEW, _MOVED = 10, 2.0  # new samples, and standard deviations


@dataclass(frozen=True)
class Read:
    """What ``Views`` is made from.

    Attributes
    ----------
    arrays : list of matrices
    feature_names : list of arrays or None
    kinds : tuple of str, as asked for, but guessed where a view was a table
    tables : tuple with the DataFrame of each view that was one, aligned and without ids, else None; None if there is none
    encoding : Encoding, or None if no view was a table and no cell was empty
    ids, present, id_name, n_dropped, notes, table_rows : as in ``Views``
    """

    arrays: list[Any]
    feature_names: list[Any]
    kinds: tuple[str, ...]
    tables: tuple[Any, ...] | None = None
    encoding: Encoding | None = None
    ids: np.ndarray | None = None
    present: np.ndarray | None = None
    id_name: str | None = None
    n_dropped: int = 0
    notes: tuple[str, ...] = ()
    table_rows: np.ndarray | None = None


def read_members(names: Sequence[str], members: Sequence[Any], **options: Any) -> Read:
    """Align tables by id, encode their columns and fill their empty cells; the options are those of ``_read``."""
    with recording() as given:
        found = _read(names, members, **options)
    return replace(found, notes=texts_of(given))


def _read(
    names: Sequence[str],
    members: Sequence[Any],
    *,
    kinds: Sequence[str],
    ids: str | None = None,
    missing: Missing = "error",
    loose_ids: bool = False,
    types: Types | Literal[False] | None = None,
    encoding: Encoding | None = None,
    aligned: bool = False,
) -> Read:
    """Align tables by id, encode their columns and fill their empty cells.

    With the ``encoding`` of a fitted model nothing is learned: columns are found by name, and empty cells are filled from
    the samples of the fit. ``aligned`` says that the rows of all members are the same samples, so no ids are looked for.
    """
    if encoding is not None:
        ids = known_ids(members, encoding) if ids is None else ids
        encoding = encoding.for_views(names)
        members = [_without_new_labels(member, t) for member, t in zip(members, encoding.tables, strict=True)]
    has_frames = any(map(is_dataframe, members))
    if has_frames:
        step("matching samples")
    joined = _as_they_are(names, members, kinds) if aligned else _joined(names, members, kinds, ids, missing, loose_ids)
    parts = joined.aligned.members
    if has_frames:
        step("types of columns")
    tables = _learned_tables(joined, types) if encoding is None else _matched_tables(parts, encoding)
    arrays = [_array(member.matrix, member.name, table) for member, table in zip(parts, tables, strict=True)]
    found = tuple(guess_kind(a) if m.kind == "auto" else m.kind for m, a in zip(parts, arrays, strict=True))
    related = [kind in RELATIONS for kind in found]
    if encoding is None:
        tables = [
            learn_array(name, array) if table is None and not is_relation else table
            for name, array, table, is_relation in zip(names, arrays, tables, related, strict=True)
        ]
        tables, arrays = weigh_categories(tables, arrays)
    arrays = [array if t is None else encode_array(array, t) for array, t in zip(arrays, tables, strict=True)]
    filler = _filler(arrays, tables, related) if encoding is None else encoding.filler
    if any(map(has_empty_cells, arrays)):
        step("empty cells")
    filled = arrays if filler is None else filler.fill(arrays)
    present = _present_somewhere(joined.aligned.present, arrays, tables)
    has_table = any(table is not None for table in tables)
    made = Encoding(tuple(tables), filler, joined.id_name, tuple(names)) if has_table else None
    if encoding is None and made is not None:
        _warn_of_unused(made)
    if encoding is not None:
        _warn_of_shifts(arrays, tables)
    _warn_of_empty(names, arrays, filled)
    held = tuple(member.matrix if is_dataframe(member.matrix) else None for member in parts)
    return Read(
        filled,
        [_feature_names(member.matrix, table) for member, table in zip(parts, tables, strict=True)],
        found,
        held if any(table is not None for table in held) else None,
        made if encoding is None else encoding,
        joined.aligned.ids,
        present,
        joined.id_name,
        joined.aligned.n_dropped,
        table_rows=joined.aligned.table_rows,
    )


def _as_they_are(names: Sequence[str], members: Sequence[Any], kinds: Sequence[str]) -> Joined:
    """Members whose rows are the same samples already."""
    parts = tuple(Member(n, member, kind=kind) for n, member, kind in zip(names, members, kinds, strict=True))
    return Joined(Aligned(parts), {part.name: part.matrix for part in parts if is_dataframe(part.matrix)}, None)


def _joined(
    names: Sequence[str], members: Sequence[Any], kinds: Sequence[str], ids: str | None, missing: Missing, loose_ids: bool
) -> Joined:
    if missing != "error" and (without := [n for n, m in zip(names, members, strict=True) if not is_dataframe(m)]):
        raise ViewsError(
            f"Samples are matched by the ids of DataFrames, but {listed(without)} is not a DataFrame.",
            hint=f"Give every view as a DataFrame with ids, or leave missing={missing!r} out.",
            view=without[0],
            parameter="missing",
            value=("error",),
        )
    return join_frames(names, members, kinds=kinds, ids=ids, missing=missing, loose_ids=loose_ids)


def known_ids(members: Sequence[Any], encoding: Encoding) -> str | None:
    """The name of the ids of the fit, if all tables have it."""
    frames = [member for member in members if is_dataframe(member)]
    name = encoding.id_name
    has_it = bool(frames) and all(name in frame.columns or name in frame.index.names for frame in frames)
    return name if name is not None and has_it else None


def _without_new_labels(member: Any, table: TableEncoding | None) -> Any:
    """A table without columns that have the name of labels and were no columns of the fit."""
    if not is_dataframe(member) or table is None:
        return member
    known = {column.name for column in table.columns}
    return member.drop(columns=[name for name in member.columns if is_label_name(name) and name not in known])


def _learned_tables(joined: Joined, types: Types | Literal[False] | None) -> list[TableEncoding | None]:
    frames = {name: frame for name, frame in joined.features.items() if not _is_square(frame, joined)}
    left = {name: frame for name, frame in joined.features.items() if name not in frames}
    if types is False:
        left, frames = {**left, **frames}, {}
    learned = {
        **learn_encodings(frames, types or None),
        **{name: plain_encoding(frame, name) for name, frame in left.items()},
    }
    return [learned.get(member.name) for member in joined.aligned.members]


def _is_square(frame: Any, joined: Joined) -> bool:
    """Whether the columns of a table are the samples: a graph, a kernel or distances."""
    ids = joined.aligned.ids
    return ids is not None and frame.shape[1] == len(ids) and set(map(str, ids)) == set(frame.columns)


def _matched_tables(members: Sequence[Any], encoding: Encoding) -> list[TableEncoding | None]:
    """The encoding of each view, checked against its columns."""
    return [
        _checked_columns(member, table) if table is not None else _without_encoding(member)
        for member, table in zip(members, encoding.tables, strict=True)
    ]


def _without_encoding(member: Any) -> TableEncoding | None:
    """The encoding of a table whose view was an array in the fit: its numbers as they are."""
    return plain_encoding(member.matrix, member.name) if is_dataframe(member.matrix) else None


def _checked_columns(member: Any, table: TableEncoding) -> TableEncoding:
    """Check that new data has the columns of the fit; their order is matched by name, and said."""
    if not is_dataframe(member.matrix):
        if table.ready:
            raise ViewsError(
                f"View {member.name!r} was a table with the columns {listed(c.name for c in table.used)} when the model was "
                "fitted, but is an array now.",
                hint="Give a DataFrame with the same columns.",
                view=member.name,
            )
        return table
    columns, known = [str(name) for name in member.matrix.columns], [column.name for column in table.columns]
    absent = [column.name for column in table.used if column.name not in columns]
    new = [name for name in columns if name not in known]
    if absent or new:
        found = [f"column {listed(absent)} is missing"] if absent else []
        found += [f"column {listed(new)} was not in the fit"] if new else []
        raise ViewsError(
            f"View {member.name!r} has other columns than in the fit: {' and '.join(found)}.",
            hint="Give the columns of the fit, in any order; cells may be empty.",
            view=member.name,
        )
    if columns != [name for name in known if name in columns]:
        problem = f"View {member.name!r}: its columns are in another order than in the fit, and are matched by name."
        warn(EncodingWarning(problem, view=member.name))
    return table


def _array(member: Any, name: str, table: TableEncoding | None) -> Any:
    if is_dataframe(member) and table is not None:
        return encode_table(member, table)
    return as_matrix(member, name)


def _filler(arrays: Sequence[Any], tables: Sequence[TableEncoding | None], related: Sequence[bool]) -> Filler | None:
    """The samples that empty cells are filled from; None if no view is a table and no cell is empty."""
    if all(table is None for table in tables):
        return None
    return Filler.learn(arrays, ready=[table is not None and table.ready for table in tables], left_out=related)


def _present_somewhere(
    present: np.ndarray | None, arrays: Sequence[Any], tables: Sequence[TableEncoding | None]
) -> np.ndarray | None:
    """Which samples are present: a row that is empty in a table is missing from that view."""
    found = None if present is None else present.copy()
    for v, (array, table) in enumerate(zip(arrays, tables, strict=True)):
        if table is None or not isinstance(array, np.ndarray) or array.dtype.kind != "f":
            continue
        empty: np.ndarray = np.all(np.isnan(array), axis=1)
        if empty.any():
            found = np.ones((len(empty), len(arrays)), dtype=bool) if found is None else found
            found[:, v] &= ~empty
    return found


def _feature_names(member: Any, table: TableEncoding | None) -> np.ndarray | None:
    return table.feature_names if table is not None and is_dataframe(member) else column_names(member)


def _warn_of_unused(encoding: Encoding) -> None:
    left_out = [row for row in encoding.rows() if row["left_out"] is not None]
    if not left_out:
        return
    named = [f"{row['column']!r} of {row['view']!r} ({row['left_out']})" for row in left_out[:_SHOWN]]
    more = f", and {len(left_out) - _SHOWN} more" if len(left_out) > _SHOWN else ""
    could_be_used = [row for row in left_out if row["type"] not in ("empty", "constant")]
    counting = [row["type"] == "row numbers" for row in could_be_used]
    wanted = "number" if counting[:1] == [True] else "category"
    warn(
        UnusedColumnsWarning(
            f"{count(len(left_out), 'column is', 'columns are')} not used: {', '.join(named)}{more}.",
            hint=f"Say otherwise with types={{'COLUMN': {wanted!r}}}." if could_be_used else None,
            parameter="types" if could_be_used else None,
            value=tuple(r["column"] + "=number" * counts for r, counts in zip(could_be_used, counting, strict=True)),
        )
    )


def _warn_of_shifts(arrays: Sequence[Any], tables: Sequence[TableEncoding | None]) -> None:
    """Warn of columns of numbers that lie elsewhere in the new data than in the fit: other units, or another column."""
    for array, table in zip(arrays, tables, strict=True):
        if table is None or not table.ready or len(array) < _FEWEST_NEW:
            continue
        is_number = [column.levels is None for column in table.used for _ in column.feature_names]
        numbers = array[:, is_number]
        middles = [np.median(known) if (known := column[~np.isnan(column)]).size else 0.0 for column in numbers.T]
        names = table.feature_names[is_number]
        moved = [str(name) for name, middle in zip(names, middles, strict=True) if abs(middle) > _MOVED]
        if moved:
            warn(
                EncodingWarning(
                    f"View {table.view!r}: {listed(moved)} lies elsewhere than in the fit; the median of the new values is "
                    f"more than {_MOVED:g} standard deviations from the mean.",
                    hint="Check the units and the names of the columns.",
                    view=table.view,
                )
            )


def _warn_of_empty(names: Sequence[str], arrays: Sequence[Any], filled: Sequence[Any]) -> None:
    n_rows = {
        name: int((np.isnan(before) & ~np.isnan(after)).any(axis=1).sum())
        for name, before, after in zip(names, arrays, filled, strict=True)
        if before is not after
    }
    if n_rows:
        where = ", ".join(f"{name!r} ({count(n, 'sample')})" for name, n in n_rows.items())
        warn(
            EmptyCellsWarning(
                f"Empty cells were filled from similar samples in {where}.",
                hint="encoding_ of the model, or encoding of the views, has the number for each column.",
                parameter="empty",
            )
        )
