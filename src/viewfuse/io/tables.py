"""CSV, TSV and Parquet: one table per view, joined on their ids, or one table whose columns are grouped."""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._utils.extras import require
from .._utils.text import listed
from ..exceptions import UnusedColumnsWarning, ViewsError, ViewsFormatError
from ..views import Views
from ..views.align import Member, Missing
from ..views.column_groups import columns_of_group
from ..views.conventions import is_id_column, is_label_name
from ..views.labels import Labels, check_kind, checked_labels, plain_values
from ..views.matrices import as_matrix
from ._safety import check_claim, reading
from .columns import ColumnGroups, column_groups, which_columns
from .layout import Samples

__all__ = ["TABLE_SUFFIXES", "Labels", "read_columns", "views_from_columns", "views_from_frame", "views_from_tables"]

TABLE_SUFFIXES = (".csv", ".tsv", ".tab", ".txt", ".parquet", ".pq")

_UNNAMED = re.compile(r"Unnamed: \d+")  # what pandas calls a column without a header, such as a written index
_MISSING = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NULL", "null", "None")
_ROWS_PER_BYTE = 10  # a constant column compresses well; beyond this times the deflate bound nothing is believed


@dataclass(frozen=True)
class Table:
    """A table taken apart: its features, and the ids and labels that stood beside them."""

    features: Any
    ids: np.ndarray | None
    labels: Any
    all_columns: list[str]


def views_from_tables(
    paths: Mapping[str, Path],
    *,
    ids: str | None = None,
    labels: Labels = None,
    samples: Samples | None = None,
    missing: Missing = "error",
) -> Views:
    """One view per file, matched by id. A file called ``labels`` (or ``y``, ``truth``, …) holds the true labels."""
    label_files = [name for name in paths if is_label_name(name)]
    tables = {name: _read(path, ids, labels, samples) for name, path in paths.items() if name not in label_files}
    if not tables:
        raise ViewsError(f"{listed(label_files)} alone is no view; give a table per view too.")
    members = []
    for name, table in tables.items():
        with reading(paths[name], "a table"):
            _check_numbers(table.features)
            members.append(Member(name, as_matrix(table.features, name), table.ids, _feature_names(table)))
    views = Views.from_members(members, missing)
    columns = {name: (table.ids, table.labels) for name, table in tables.items() if table.labels is not None}
    if labels is not False:
        columns |= {name: _read_label_file(paths[name], ids, labels) for name in label_files}
    if isinstance(labels, str) and not columns:
        raise ViewsError(f"No table has a column {labels!r}, which labels= asks for.")
    return _labelled(views, columns)


def views_from_columns(
    path: Path,
    groups: ColumnGroups | None,
    *,
    ids: str | None = None,
    labels: Labels = None,
    samples: Samples | None = None,
) -> Views:
    """The views of one table file by groups of its columns."""
    table = _read(path, ids, labels, samples)
    with reading(path, "a table"):
        if isinstance(labels, str) and table.labels is None:
            raise ViewsError(f"there is no column {labels!r}, which labels= asks for.")
        return _grouped(table, groups)


def views_from_frame(frame: Any, groups: ColumnGroups | None, *, ids: str | None = None, labels: Labels = None) -> Views:
    """The same for a DataFrame that is already in memory."""
    return _grouped(_take_apart(frame.copy(deep=False), ids, labels), groups)


def read_columns(path: str | Path) -> Any:
    """A table's columns, of whatever type, as a DataFrame; its ids, where it has any, are the index."""
    table = _read(Path(path).expanduser(), None, False, None)
    return table.features if table.ids is None else table.features.set_axis(table.ids, axis=0)


def _grouped(table: Table, groups: ColumnGroups | None) -> Views:
    features = list(table.features.columns)
    if groups is None:
        raise ViewsError(which_columns(features))
    names = np.array(features, dtype=object)
    places = {
        view: columns_of_group(view, rule, len(names), names)
        for view, rule in column_groups(groups, features, table.all_columns).items()
    }
    used = sorted(set(np.concatenate(list(places.values())).tolist()))
    _check_numbers(table.features.iloc[:, used])
    views = Views({view: table.features.iloc[:, columns] for view, columns in places.items()})
    if unused := np.delete(names, used).tolist():
        warnings.warn(f"Columns in no view are left out: {listed(unused)}.", UnusedColumnsWarning, stacklevel=4)
    views = Views(views, ids=table.ids)
    if table.labels is None:
        return views
    return Views(views, y=checked_labels(table.labels, str(table.labels.name), views.sample_name, asked=True))


def _read(path: Path, ids: str | None, labels: Labels, samples: Samples | None) -> Table:
    with reading(path, "a table"):
        is_parquet = _is_parquet(path)
        frame = _read_parquet(path) if is_parquet else _read_text(path)
        if samples == "columns":
            frame = (frame if _has_index(frame) else frame.set_index(frame.columns[0])).T
            return _take_apart(frame, ids, labels)
        table = _take_apart(frame, ids, labels)
        id_column = _id_column(frame, ids)
        if is_parquet or (id_column is None and not _has_index(frame)):
            return table
        # Numbers among ids must stay as the file spells them: 007 is not 7.
        if id_column is None:  # the rows' names, as R writes them
            written = _read_text(path, dtype=str, keep_default_na=False).index
        else:
            columns = [frame.columns.get_loc(id_column)]
            written = _read_text(path, dtype=str, keep_default_na=False, usecols=columns).iloc[:, 0]
        return Table(table.features, written.to_numpy(dtype=object), table.labels, table.all_columns)


def _take_apart(frame: Any, ids: str | None, labels: Labels) -> Table:
    """Set the id column and the label column of a table aside."""
    frame.columns = [str(name) for name in frame.columns]
    all_columns = list(frame.columns)
    id_values = frame.index.to_numpy() if _has_index(frame) else None
    if (id_column := _id_column(frame, ids)) is not None:
        id_values = frame[id_column].to_numpy()
        frame = frame.drop(columns=id_column)
    label_values = None
    if (label_column := _label_column(frame, labels)) is not None:
        label_values = frame[label_column]
        if labels is None:
            check_kind(plain_values(label_values), label_column)
        frame = frame.drop(columns=label_column)
    return Table(frame.reset_index(drop=True), id_values, label_values, all_columns)


def _id_column(frame: Any, wanted: str | None) -> str | None:
    """The column asked for, else one called like an id, else a first column that is text or has no name."""
    if wanted is not None:
        if wanted not in frame.columns:
            raise ViewsError(f"there is no id column {wanted!r}; the columns are {listed(frame.columns)}.")
        return wanted
    named = [name for name in frame.columns if is_id_column(name)]
    if len(named) > 1:
        raise ViewsError(f"{listed(named)} could each be the ids; choose with ids=.")
    if named:
        return named[0]
    first = frame.columns[0]
    if _has_index(frame) or is_label_name(first):
        return None
    # Numbers with a stray text among them are a damaged feature, not ids.
    is_text = frame[first].dtype.kind == "O" and len(_not_numbers(frame[first])) == frame[first].notna().sum()
    return first if is_text or _UNNAMED.fullmatch(first) else None


def _label_column(frame: Any, labels: Labels) -> str | None:
    if labels is False:
        return None
    named = [name for name in frame.columns if (is_label_name(name) if labels is None else name == labels)]
    if len(named) > 1:
        raise ViewsError(f"{listed(named)} could each be the labels; choose with labels=, or none with labels=False.")
    return named[0] if named else None


def _check_numbers(frame: Any) -> None:
    """Name the first cell that is no number: one of them turns its whole column into text."""
    for name, column in frame.items():
        if column.dtype.kind == "O" and (wrong := _not_numbers(column)).size:
            raise ViewsError(
                f"column {name!r} holds {column.iloc[wrong[0]]!r} in row {wrong[0]}, which is no number; "
                "leave the column out, or encode it as numbers."
            )


def _not_numbers(column: Any) -> np.ndarray:
    """Rows that hold something, but no number."""
    numbers = require("pandas").to_numeric(column, errors="coerce")
    return np.flatnonzero(column.notna() & numbers.isna())


def _is_parquet(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"PAR1"


def _read_parquet(path: Path) -> Any:
    pandas, parquet = require("pandas"), require("pyarrow.parquet")
    n_rows = parquet.read_metadata(path).num_rows
    check_claim(n_rows // _ROWS_PER_BYTE, path.stat().st_size, f"a table of {n_rows:,} rows")
    return pandas.read_parquet(path)


def _read_text(path: Path, **options: Any) -> Any:
    """The table of a text file, its separator and whether it has a header taken from the first lines."""
    pandas = require("pandas")
    with path.open(encoding="utf-8-sig") as file:
        first_line, second_line = (file.readline().rstrip("\r\n") for _ in range(2))
    separator = _separator(first_line, second_line)
    fields = [field.strip() for field in next(csv.reader([first_line], delimiter=separator), [])]
    header = 0 if _is_header(fields) else None
    frame = pandas.read_csv(path, sep=separator, header=header, encoding="utf-8-sig", low_memory=False, **options)
    if frame.index.nlevels > 1:
        raise ViewsFormatError(f"its rows are longer than its header of {len(fields)} columns.")
    if frame.empty:
        raise ViewsFormatError("it is a table without rows.")
    if header is None:
        frame.columns = [str(number) for number in range(1, frame.shape[1] + 1)]
    frame.columns = [str(name) for name in frame.columns]
    return frame


def _separator(first_line: str, second_line: str) -> str:
    separator = max(",\t;", key=first_line.count)
    if separator in first_line:
        return separator
    for other, called in (("|", "'|'"), (None, "spaces")):
        widths = {len(line.split(other)) for line in (first_line, second_line) if line.strip()}
        if min(widths, default=0) > 1 and max(widths) - min(widths) < 2:  # R's header has one field less than its rows
            raise ViewsFormatError(
                f"its separator was not recognised: the first line, {first_line[:40]!r}, has no comma, tab or semicolon, "
                f"but {called}; save it with one of these three."
            )
    return separator


def _is_header(fields: list[str]) -> bool:
    """Whether the first line names the columns. Nobody is asked to believe a guess: what could be both is an error."""
    first, *rest = fields or [""]
    valued = [_is_value(field) for field in fields]
    if not any(valued) or (rest and first and is_id_column(first)):
        return True
    # 0, 1, 2, … are the names pandas gives columns that have none, with a blank before them for those of an index.
    counted = [str(number) for number in range(len(fields))]
    if rest and (fields == counted or (first == "" and rest == counted[:-1])):
        return True
    if first == "" and rest and not any(valued[1:]):
        return True
    if all(valued) and first != "":
        return False
    numbers = [field for field, is_value in zip(fields, valued, strict=True) if is_value]
    raise ViewsFormatError(
        f"its first line could be a header or a sample: it holds {listed(numbers)} beside "
        f"{listed(field for field in fields if field not in numbers) or 'a blank'}. Begin the file with a line that names "
        "every column, as in id,x1,x2; after a first name 'id' the others may be numbers."
    )


def _is_value(field: str) -> bool:
    return field in _MISSING or _is_number(field)


def _has_index(frame: Any) -> bool:
    """Whether the rows have names of their own, not just numbers."""
    return not isinstance(frame.index, require("pandas").RangeIndex)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text  # 1_000 is a number to Python alone


def _feature_names(table: Table) -> np.ndarray:
    return np.asarray(table.features.columns, dtype=object)


def _read_label_file(path: Path, ids: str | None, labels: Labels) -> tuple[np.ndarray | None, Any]:
    table = _read(path, ids, labels, None)
    if table.labels is not None:
        return table.ids, table.labels
    with reading(path, "a table of labels"):
        if table.features.shape[1] != 1:
            raise ViewsError(f"labels are one column beside the ids, not {listed(table.features.columns)}.")
        found = table.features.iloc[:, 0]
        if labels is None:
            check_kind(plain_values(found), str(found.name))
        return table.ids, found


def _labelled(views: Views, columns: Mapping[str, tuple[np.ndarray | None, Any]]) -> Views:
    """Attach the labels, matched by id; where several tables repeat them they must agree."""
    y: np.ndarray | None = None
    first = ""
    for name, (ids, labels) in columns.items():
        found = _labels_in_order(views, name, ids, labels)
        if y is None:
            y, first = found, name
        both_known = np.array([a is not None and b is not None for a, b in zip(y, found, strict=True)])
        differing = np.flatnonzero(both_known & (y != found))
        if differing.size:
            raise ViewsError(f"{first!r} and {name!r} give {views.sample_name(differing[0])} different labels.")
        y = np.where([a is None for a in y], found, y)
    if y is None:
        return views
    return Views(views, y=checked_labels(y, first, views.sample_name, asked=True))  # each table's kind is checked


def _labels_in_order(views: Views, name: str, ids: np.ndarray | None, labels: Any) -> np.ndarray:
    """The labels as objects in the order of the samples, None where this table has none."""
    values = plain_values(labels)
    found = np.empty(len(views), dtype=object)
    if (ids is None) != (views.ids is None):
        raise ViewsError(f"the labels of {name!r} cannot be matched: only one of labels and views has ids.")
    if ids is not None and views.ids is not None:
        by_id = dict(zip(map(str, ids.tolist()), values, strict=True))
        if len(by_id) < len(values):
            raise ViewsError(f"{name!r} labels the same id in several rows.")
        found[:] = [by_id.get(str(i)) for i in views.ids.tolist()]
    elif len(values) == len(views):
        found[:] = values
    else:
        raise ViewsError(f"{name!r} has {len(values)} labels for {len(views)} samples.")
    return found
