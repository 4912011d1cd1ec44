"""How the columns of tables become the matrices of views.

A table of numbers in one unit is left as it is: a method that knows how to measure such a view (counts by directions,
expression by logarithms) does so better than a rule for single columns. All columns of other tables are encoded one by one
(:mod:`viewfuse.views.encoding.columns`); if one table needs that, so do the tables beside it, except wide
tables of numbers, such as genes, pixels or words.

``skrub.TableVectorizer`` was considered. It prepares tables for supervised learners, so it leaves numbers in their units,
turns ids into thirty columns of substrings, knows no order of words, and leaves empty cells to the learner.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..._utils.text import count, listed
from ..._utils.warn import warn
from ...exceptions import EncodingWarning, ViewsError, ViewsTypeError
from ..filling import has_empty_cells
from ..frames import check_column_names
from .column_types import MOST_EMPTY, Types, asked_type, check_types, column_type
from .columns import ColumnEncoding, has_heavy_tail, learn_column, mean_and_spread, numbers_of
from .relevance import column_weights

__all__ = [
    "TableEncoding",
    "encode_array",
    "encode_table",
    "learn_array",
    "learn_encodings",
    "plain_encoding",
    "readable_matrix",
    "weigh_categories",
]

_MOST_COLUMNS = 100_000
_FEWEST_ROWS = 20  # fewer do not tell whether columns are in different units
_DIFFERENT_UNITS = 10.0  # largest over smallest standard deviation
_WIDE = 50  # more columns of numbers are of one kind: genes, pixels, words
_FEWEST_NUMBERS = 2  # columns beside which categories are weighed: many categories alone do not hide each other
_FEWEST_COUNTS = 10  # more columns of whole numbers may be counts, which are measured by directions

_PLAIN_DTYPES = tuple(np.dtype(kind) for kind in ("f8", "f4", "i8", "i4", "i2", "i1", "u1", "u2", "u4", "u8", "?"))

Problem = Callable[[ViewsError], None]


@dataclass(frozen=True)
class TableEncoding:
    """How the columns of one view became numbers.

    Attributes
    ----------
    view : str
    columns : tuple of ColumnEncoding, in the order of the table, with those that are not used
    ready : bool
        Whether the columns were encoded one by one. If not, the numbers are as they were.
    """

    view: str
    columns: tuple[ColumnEncoding, ...]
    ready: bool

    @property
    def used(self) -> tuple[ColumnEncoding, ...]:
        return tuple(column for column in self.columns if column.left_out is None)

    @property
    def feature_names(self) -> np.ndarray:
        if not self.ready:
            return np.array([column.name for column in self.used], dtype=object)
        return np.array([name for column in self.used for name in column.feature_names], dtype=object)


def learn_encodings(
    tables: Mapping[str, Any], types: Types | None = None, on_problem: Problem | None = None
) -> dict[str, TableEncoding]:
    """Decide how the columns of each table, a pandas DataFrame, are encoded.

    ``on_problem`` is called with every problem; without it, the first one is raised.
    """
    for view, table in tables.items():
        _check_shape(table, view)
    check_types(types, [str(name) for table in tables.values() for name in table.columns])
    learned = {view: _learn_columns(table, view, types, on_problem) for view, table in tables.items()}
    needed = any(_needs_encoding(tables[view], columns) for view, columns in learned.items())
    encodings = {}
    for view, columns in learned.items():
        is_plain = _is_numeric(tables[view], columns) and (not needed or _is_wide(columns))
        columns = _as_they_are(tables[view], columns) if is_plain else columns
        encodings[view] = TableEncoding(view, columns, ready=not is_plain)
        if not encodings[view].used:
            _report(_nothing_left(view, columns), on_problem)
    return encodings


def encode_table(table: Any, encoding: TableEncoding) -> np.ndarray:
    """Return the matrix of a table, NaN where cells are empty; new categories are named in a warning."""
    if not encoding.ready:
        return _plain_matrix(table, encoding)
    parts, unknown = [], []
    for column in encoding.used:
        part, unseen = column.encode(table[column.name], encoding.view)
        parts.append(part)
        unknown += [f"{column.name!r}: {listed(unseen)}"] if unseen else []
    if unknown:
        warn(
            EncodingWarning(
                f"View {encoding.view!r} has categories that the training data does not have ({'; '.join(unknown)}). They "
                "are taken as different from all known ones.",
                hint="Fit again if they are frequent.",
                view=encoding.view,
            )
        )
    return np.hstack(parts)


def weigh_categories(
    encodings: Sequence[TableEncoding | None], arrays: Sequence[Any]
) -> tuple[list[TableEncoding | None], list[Any]]:
    """Let categories that have nothing to do with other columns count less, if there are numbers that they would hide.

    ``arrays`` are the encoded tables, whose rows are the same samples. Returns the encodings and the arrays.
    """
    ready = [v for v, table in enumerate(encodings) if table is not None and table.ready]
    columns = {v: table.used for v, table in enumerate(encodings) if table is not None and v in ready}
    are_levels = [column.levels is not None for used in columns.values() for column in used]
    if not any(are_levels) or are_levels.count(False) < _FEWEST_NUMBERS:
        return list(encodings), list(arrays)
    widths = {v: [len(column.feature_names) for column in columns[v]] for v in ready}
    weights = iter(column_weights(np.hstack([arrays[v] for v in ready]), [w for v in ready for w in widths[v]]).tolist())
    tables, weighted = list(encodings), list(arrays)
    for v in ready:
        found = [(column, next(weights)) for column in columns[v]]
        factors = [1.0 if column.levels is None else round(weight, 2) for column, weight in found]
        by_name = {column.name: factor for column, factor in zip(columns[v], factors, strict=True)}
        table = tables[v]
        assert table is not None, "only encoded tables are weighed"
        tables[v] = replace(table, columns=tuple(one.weighted(by_name.get(one.name, 1.0)) for one in table.columns))
        weighted[v] = arrays[v] * np.repeat(factors, widths[v])
    return tables, weighted


def readable_matrix(table: Any, encoding: TableEncoding) -> np.ndarray:
    """The matrix of an encoded table in the units of its columns, for people; empty cells hold the mean of their column."""
    values = np.hstack([column.readable(table[column.name], encoding.view) for column in encoding.used])
    empty = np.isnan(values)
    counts = np.maximum((~empty).sum(axis=0), 1)
    means = (np.where(empty, 0.0, values) / counts).sum(axis=0)  # sums of large values overflow
    present = ~empty.all(axis=1)
    return np.where(empty & present[:, None], means, values)


def plain_encoding(table: Any, view: str) -> TableEncoding:
    """The encoding of a table of numbers that is left as it is: a graph, or a view that was an array in the fit."""
    for name in table.columns:
        kind = table[name].dtype.kind
        if kind not in "biufO":
            raise ViewsTypeError(
                f"View {view!r}, column {name!r} is not numeric ({table[name].dtype}); features must be real numbers.",
                hint="Drop the column, or encode it as numbers.",
                view=view,
            )
    columns = tuple(ColumnEncoding(str(name), "number", "as it is", int(table[name].isna().sum())) for name in table.columns)
    return TableEncoding(view, columns, ready=False)


def learn_array(view: str, array: Any) -> TableEncoding | None:
    """The encoding of an array with empty cells: its columns as they are, without those that are mostly empty; else None."""
    if not has_empty_cells(array):
        return None
    empty = np.isnan(array)
    present = ~empty.all(axis=1)  # the other samples are missing from the view
    n_empty, n = empty[present].sum(axis=0), int(present.sum())
    columns = tuple(
        ColumnEncoding(str(position), "number", "as it is", int(found))
        if found <= MOST_EMPTY * n
        else ColumnEncoding(str(position), "empty", "", int(found), left_out=f"{found / n:.0%} of its cells are empty")
        for position, found in enumerate(n_empty)
    )
    encoding = TableEncoding(view, columns, ready=False)
    if not encoding.used:
        raise _nothing_left(view, columns)
    return encoding


def encode_array(array: Any, encoding: TableEncoding) -> Any:
    """An array without the columns that the encoding leaves out."""
    if array.shape[1] != len(encoding.columns) or len(encoding.used) == len(encoding.columns) or encoding.ready:
        return array
    return array[:, [column.left_out is None for column in encoding.columns]]


def _check_shape(table: Any, view: str) -> None:
    n_rows, n_columns = table.shape
    if 0 in table.shape:
        raise ViewsError(
            f"View {view!r} is empty: {n_rows} samples × {n_columns} features.", hint="Leave it out.", view=view
        )
    if n_columns > _MOST_COLUMNS:
        raise ViewsError(
            f"View {view!r} has {n_columns:,} columns and {count(n_rows, 'row')}; a table may have {_MOST_COLUMNS:,}.",
            hint="If its columns are the samples, use samples='columns'; otherwise give an array.",
            view=view,
            parameter="samples",
            value=("columns",),
        )
    check_column_names(table, view)


def _learn_columns(table: Any, view: str, types: Types | None, on_problem: Problem | None) -> tuple[ColumnEncoding, ...]:
    learned: list[ColumnEncoding] = []
    if table.shape[1] > _WIDE and not types and all(dtype in _PLAIN_DTYPES for dtype in table.dtypes):
        return _learn_wide(table)
    for name in table.columns:
        values = table[name]
        try:
            found = column_type(values, str(name), view=view, asked=asked_type(types, str(name)))
            learned.append(learn_column(values, str(name), found, view))
        except ViewsError as problem:
            _report(problem, on_problem)
    return tuple(learned)


def _learn_wide(table: Any) -> tuple[ColumnEncoding, ...]:
    """The columns of a wide table of numbers: types are not looked for one by one."""
    n_empty = table.isna().sum().to_numpy()
    too_empty = n_empty > MOST_EMPTY * len(table)
    return tuple(
        ColumnEncoding(str(name), "empty", "", int(n), left_out=f"{n / len(table):.0%} of its cells are empty")
        if is_left_out
        else ColumnEncoding(str(name), "number", "as it is", int(n))
        for name, n, is_left_out in zip(table.columns, n_empty, too_empty, strict=True)
    )


def _report(problem: ViewsError, on_problem: Problem | None) -> None:
    if on_problem is None:
        raise problem
    on_problem(problem)


def _needs_encoding(table: Any, columns: Sequence[ColumnEncoding]) -> bool:
    if not _is_numeric(table, columns):
        return True
    numbers = [column for column in columns if column.left_out is None]
    if len(table) < _FEWEST_ROWS or len(numbers) < 2 or _is_wide(columns):
        return False
    values = [_present(table[column.name]) for column in numbers]
    if len(numbers) > _FEWEST_COUNTS and all(map(_are_counts, values)):
        return False
    spreads = np.array([spread for x in values if (spread := mean_and_spread(x)[1]) > 0])
    if spreads.size and spreads.max() > _DIFFERENT_UNITS * spreads.min():
        return True
    return any(map(has_heavy_tail, values)) and not all(map(has_heavy_tail, values))


def _is_numeric(table: Any, columns: Sequence[ColumnEncoding]) -> bool:
    """Whether all columns that are used are numbers or booleans, stored as such."""
    used = [column for column in columns if column.left_out is None]
    return all(column.style is None and (column.type == "number" or table[column.name].dtype.kind == "b") for column in used)


def _is_wide(columns: Sequence[ColumnEncoding]) -> bool:
    return sum(column.left_out is None for column in columns) > _WIDE


def _are_counts(numbers: np.ndarray) -> bool:
    return bool(numbers.min() >= 0 and np.all(numbers == np.round(numbers)))


def _present(values: Any) -> np.ndarray:
    numbers = values.to_numpy(dtype=float, na_value=np.nan)
    return numbers[~np.isnan(numbers)]


def _as_they_are(table: Any, columns: Sequence[ColumnEncoding]) -> tuple[ColumnEncoding, ...]:
    """The encodings of a table of numbers that is left as it is, with its constant columns."""

    def plain(column: ColumnEncoding) -> ColumnEncoding:
        is_constant_number = column.type == "constant" and table[column.name].dtype.kind in "biuf"
        if column.left_out is not None and not is_constant_number:
            return column
        return ColumnEncoding(column.name, "number", "as it is", column.n_empty)

    return tuple(plain(column) for column in columns)


def _plain_matrix(table: Any, encoding: TableEncoding) -> np.ndarray:
    """The numbers as they are, in their own dtype if they have one in common."""
    chosen = table[[column.name for column in encoding.used]]
    if all(dtype.kind in "biuf" and not str(dtype)[:1].isupper() for dtype in chosen.dtypes):
        matrix = chosen.to_numpy()
        if matrix.dtype.kind in "biuf":
            return matrix
    parts = [numbers_of(chosen[column.name], column, encoding.view) for column in encoding.used]
    return np.column_stack(parts)


def _nothing_left(view: str, columns: Sequence[ColumnEncoding]) -> ViewsError:
    reasons = "; ".join(f"{column.name!r}: {column.left_out}" for column in columns[:5])
    problem = f"View {view!r} has no column that can be used ({reasons})."
    if all(column.type in ("empty", "constant") for column in columns):
        return ViewsError(
            problem, hint="Leave it out, or check that it is a table with a line that names its columns.", view=view
        )
    wanted = "number" if any(column.type == "row numbers" for column in columns) else "category"
    hint = f"Leave the view out, or say what a column is with types={{'COLUMN': {wanted!r}}}."
    return ViewsError(problem, hint=hint, view=view, parameter="types")
