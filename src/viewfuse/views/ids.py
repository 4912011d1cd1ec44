"""Find the column that says which row of a table is which sample. The same rules hold for files and for frames in memory."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._utils.extras import require
from .._utils.text import listed
from ..exceptions import ViewsError
from .conventions import is_id_column, is_id_variable, is_label_name
from .encoding.column_types import is_row_numbers
from .encoding.written import date_format, number_style
from .frames import check_column_names

__all__ = ["IdSource", "find_ids", "id_values", "loose", "without_ids"]

_ALMOST_DISTINCT = 0.9
_COMMON = 0.5  # share of values that tables must have in common for a column to be their id
_FEWEST_ROWS = 10  # fewer whole numbers may be different, and the same in two tables, by chance
_LOOKED_AT = 1_000  # values that tell whether a column is text
_ALWAYS_WHOLE = 2**53  # larger floating-point numbers have no fractions, and may not fit into whole numbers
_UNNAMED = re.compile(r"Unnamed: \d+")  # pandas' name for a column without a header, such as an index


@dataclass(frozen=True)
class IdSource:
    """Where the ids of a table are: in a column or, if ``column`` is None, in its index. ``name`` is for outputs."""

    column: str | None
    name: str | None


def find_ids(tables: Mapping[str, Any], asked: str | None = None) -> dict[str, IdSource | None]:
    """Find the ids of each table, a pandas DataFrame; None for a table that has none.

    The ids are, in this order: the column (or index) of the name ``asked``; an index with a name or of text; a column of the
    same name in all tables that is different in every row, text or whole numbers, and has most of its values in common; a
    column with the name of ids, an index that does not just count the rows, or a first column of different texts. A column
    without a name that counts the rows of every table holds no ids.
    """
    for view, table in tables.items():
        check_column_names(table, view)
    if asked is not None:
        return {view: _asked(table, asked, view) for view, table in tables.items()}
    if all(_has_labelled_index(table) for table in tables.values()):
        return {view: IdSource(None, _index_name(table)) for view, table in tables.items()}
    if len(tables) > 1 and (common := _common_column(tables)) is not None:
        return {view: _named(table, common) for view, table in tables.items()}
    found = {view: _by_convention(table, view) for view, table in tables.items()}
    unnamed = {view: source for view, source in found.items() if source is not None and _is_unnamed(source)}
    if all(_counts_rows(tables[view], source) for view, source in unnamed.items()):
        found |= dict.fromkeys(unnamed)
    return found


def id_values(table: Any, source: IdSource, view: str) -> np.ndarray:
    """The ids of the rows: whole numbers, or objects."""
    values = table.index if source.column is None else table[source.column]
    if values.dtype.kind == "f" and not values.isna().any():
        numbers = values.to_numpy()
        if np.all(numbers == np.round(numbers)) and np.abs(numbers).max(initial=0) < _ALWAYS_WHOLE:
            return np.asarray(numbers, dtype=np.int64)
    found = values.to_numpy(dtype=object) if values.dtype.kind not in "iu" else values.to_numpy()
    if found.dtype == object:
        _check_one_type(found, source, view)
    return np.asarray(found)


def without_ids(table: Any, source: IdSource | None) -> Any:
    """The table without its ids, its rows numbered."""
    if source is not None and source.column is not None:
        table = table.drop(columns=source.column)
    return table.reset_index(drop=True)


def loose(value: Any) -> str:
    """An id without case, blanks and leading zeros, which spreadsheets leave out.

    >>> loose(" C 07"), loose(7.0), loose("007"), loose("000")
    ('c07', '7', '7', '0')
    """
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        value = int(value)
    text = "".join(str(value).split()).casefold()
    return (text.lstrip("0") or "0") if text.isdigit() else text


def _asked(table: Any, name: str, view: str) -> IdSource:
    if name in table.columns:
        return IdSource(name, name)
    if name in table.index.names:
        return IdSource(None, name)
    raise ViewsError(
        f"View {view!r}: there is no column {name!r} for the ids; the columns are {listed(table.columns)}.",
        hint="Choose a column with ids='NAME'.",
        view=view,
        parameter="ids",
        value=tuple(table.columns),
    )


def _has_labelled_index(table: Any) -> bool:
    """Whether the index has a name, or holds text: it was made on purpose."""
    index = table.index
    return index.nlevels > 1 or index.name is not None or index.dtype.kind not in "iuf"


def _has_index(table: Any) -> bool:
    """Whether the rows have names, not just numbers."""
    return not isinstance(table.index, require("pandas").RangeIndex) and not np.array_equal(
        table.index.to_numpy(), np.arange(len(table))
    )


def _index_name(table: Any) -> str | None:
    return None if table.index.nlevels > 1 or table.index.name is None else str(table.index.name)


def _named(table: Any, name: str) -> IdSource:
    return IdSource(name if name in table.columns else None, name)


def _common_column(tables: Mapping[str, Any]) -> str | None:
    """The column of the same name in all tables that holds their ids."""
    frames = list(tables.values())
    shared = [
        name
        for name in _names(frames[0])
        if all(name in _names(frame) for frame in frames) and not is_label_name(name) and _may_be_ids(frames, name)
    ]
    shared = [name for name in shared if not all(_counts_rows(frame, _named(frame, name)) for frame in frames)]
    for fits in (is_id_variable, is_id_column, lambda name: _is_text(_column(frames[0], name)), lambda _: True):
        chosen = [name for name in shared if fits(name)]
        if len(chosen) == 1:
            return chosen[0]
        if chosen:
            raise _several(chosen)
    return None


def _may_be_ids(frames: Sequence[Any], name: str) -> bool:
    columns = [_column(frame, name) for frame in frames]
    if not all(_holds_text(column) or _is_whole(column) for column in columns):
        return False
    distinct = [column.nunique() / max(column.count(), 1) for column in columns]
    if max(distinct) < _ALMOST_DISTINCT or (min(distinct) < _ALMOST_DISTINCT and not is_id_column(name)):
        return False
    is_plain_number = not is_id_column(name) and not _is_text(columns[0])
    if is_plain_number and min(map(len, columns)) < _FEWEST_ROWS:
        return False
    values = [{loose(value) for value in column.dropna()} for column in columns]
    return all(len(values[0] & other) >= _COMMON * min(len(values[0]), len(other)) for other in values[1:])


def _by_convention(table: Any, view: str) -> IdSource | None:
    named = [name for name in table.columns if is_id_column(name)]
    named = [name for name in named if is_id_variable(name) or _is_almost_distinct(table[name])]
    if len(named) > 1:
        raise _several(named, view)
    if named:
        return IdSource(named[0], named[0])
    if _has_labelled_index(table) or _has_index(table):
        return IdSource(None, _index_name(table))
    if not len(table.columns):
        return None
    first = table.columns[0]
    if is_label_name(first) or len(table.columns) == 1:
        return None
    if _UNNAMED.fullmatch(first):
        unnamed, second = IdSource(first, None), table.columns[1]
        # Beside ids, a column that counts the rows is an index that was saved with them.
        has_ids = len(table.columns) > 2 and _is_text(table[second]) and table[second].is_unique
        return IdSource(second, second) if has_ids and _counts_rows(table, unnamed) else unnamed
    return IdSource(first, first) if _is_text(table[first]) and table[first].is_unique else None


def _is_unnamed(source: IdSource) -> bool:
    """Whether this is a column without a name: an index that was saved."""
    return source.column is not None and _UNNAMED.fullmatch(source.column) is not None


def _counts_rows(table: Any, source: IdSource) -> bool:
    """Whether this is a column without a name that only counts the rows."""
    return _is_unnamed(source) and is_row_numbers(table[source.column], str(source.column))


def _names(table: Any) -> list[str]:
    index = [] if _index_name(table) is None else [_index_name(table)]
    return [*index, *table.columns]


def _column(table: Any, name: str) -> Any:
    return table[name] if name in table.columns else table.index.to_series()


def _is_text(column: Any) -> bool:
    if column.dtype.kind in "biufcmM" or hasattr(column.dtype, "ordered"):
        return False
    # If only some of its values are text, the column is a damaged feature, not ids.
    texts = [str(value) for value in column.dropna().iloc[:_LOOKED_AT]]
    return bool(texts) and not any(number_style([text]) for text in texts) and date_format(texts) is None


def _holds_text(column: Any) -> bool:
    """Whether some values may be text: ids such as 7, 12a and 13."""
    return column.dtype.kind not in "biufcmM" and not hasattr(column.dtype, "ordered")


def _is_whole(column: Any) -> bool:
    if column.dtype.kind in "iu":
        return True
    if column.dtype.kind == "f":
        present = column.dropna().to_numpy()
        return bool(np.all(present == np.round(present)))
    return column.dtype.kind == "O" and bool(column.dropna().astype(str).str.fullmatch(r"\d+").all())


def _is_almost_distinct(column: Any) -> bool:
    return bool(column.nunique() >= _ALMOST_DISTINCT * max(column.count(), 1)) and (_holds_text(column) or _is_whole(column))


def _several(names: Sequence[str], view: str | None = None) -> ViewsError:
    where = "" if view is None else f"View {view!r}: "
    return ViewsError(
        f"{where}several columns could be the ids: {listed(names)}.",
        hint="Choose one with ids='NAME'.",
        view=view,
        parameter="ids",
        value=tuple(names),
    )


def _check_one_type(ids: np.ndarray, source: IdSource, view: str) -> None:
    """Ids that mix numbers and text are an error: 7 and "7" may be two ids or one."""
    kinds: dict[str, int] = {}
    for row, value in enumerate(ids.tolist()):
        if value is None or value != value or isinstance(value, tuple):
            continue
        kinds.setdefault("number" if isinstance(value, (int, float, np.number)) else "text", row)
    if len(kinds) > 1:
        row, other = kinds["number"], kinds["text"]
        raise ViewsError(
            f"View {view!r} has ids of mixed types in {source.name or 'its index'!r}: {ids[row]!r} in row {row} is a "
            f"number, {ids[other]!r} in row {other} is text.",
            hint="Write all of them as text, or all as numbers; in a spreadsheet, set the format of this column to text.",
            view=view,
        )
