"""Read CSV, TSV and Parquet: one table per view, joined on their ids, or one table with groups of columns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._utils.extras import require
from .._utils.text import listed
from .._utils.warn import warn
from ..exceptions import UnusedColumnsWarning, ViewsError
from ..views import Views
from ..views.column_groups import columns_of_group
from ..views.conventions import is_id_column, is_label_name
from ..views.join_by_id import Member, Missing
from ..views.labels import Labels, check_kind, checked_labels, plain_values, several_labels
from ..views.matrices import as_matrix
from ._safety import check_claim, reading
from .columns import ColumnGroups, column_groups, no_groups_error
from .delimited import read_delimited
from .variables import Samples

__all__ = ["TABLE_SUFFIXES", "Labels", "read_columns", "views_from_columns", "views_from_frame", "views_from_tables"]

TABLE_SUFFIXES = (".csv", ".tsv", ".tab", ".txt", ".parquet", ".pq")

_UNNAMED = re.compile(r"Unnamed: \d+")  # pandas' name for a column without a header, such as an index
_ROWS_PER_BYTE = 10  # a constant column compresses to less than Deflate's bound, by up to this factor


@dataclass(frozen=True)
class Table:
    """The features, ids and labels of a table, separated."""

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
    """Return one view per file, matched by id. A file named ``labels`` (``y``, ``truth``, …) holds the true labels."""
    label_files = [name for name in paths if is_label_name(name)]
    tables = {name: _read(path, ids, labels, samples) for name, path in paths.items() if name not in label_files}
    if not tables:
        raise ViewsError(
            f"The only table is {listed(label_files)}, which holds labels; there are no views.",
            hint="Give one table for each view too.",
        )
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
        raise ViewsError(
            f"No table has a column {labels!r} for the labels.",
            hint="Choose a column with labels='NAME', or read no labels with labels=False.",
            parameter="labels",
            value=(False,),
        )
    return _labelled(views, columns)


def views_from_columns(
    path: Path,
    groups: ColumnGroups | None,
    *,
    ids: str | None = None,
    labels: Labels = None,
    samples: Samples | None = None,
) -> Views:
    """Return the views of one table file, by groups of its columns."""
    table = _read(path, ids, labels, samples)
    with reading(path, "a table"):
        if isinstance(labels, str) and table.labels is None:
            raise ViewsError(
                f"there is no column {labels!r} for the labels; the columns are {listed(table.all_columns)}.",
                hint="Choose a column with labels='NAME', or read no labels with labels=False.",
                parameter="labels",
                value=(*table.all_columns, False),
            )
        return _grouped(table, groups)


def views_from_frame(frame: Any, groups: ColumnGroups | None, *, ids: str | None = None, labels: Labels = None) -> Views:
    """Return the views of a DataFrame, by groups of its columns."""
    return _grouped(_separated(frame.copy(deep=False), ids, labels), groups)


def read_columns(path: str | Path) -> Any:
    """Return the columns of a table, of any type, as a DataFrame; the ids, if there are any, are the index."""
    table = _read(Path(path).expanduser(), None, False, None)
    return table.features if table.ids is None else table.features.set_axis(table.ids, axis=0)


def _grouped(table: Table, groups: ColumnGroups | None) -> Views:
    features = list(table.features.columns)
    if groups is None:
        raise no_groups_error(features)
    names = np.array(features, dtype=object)
    positions = {
        view: columns_of_group(view, rule, len(names), names)
        for view, rule in column_groups(groups, features, table.all_columns).items()
    }
    used = sorted(set(np.concatenate(list(positions.values())).tolist()))
    _check_numbers(table.features.iloc[:, used])
    views = Views({view: table.features.iloc[:, columns] for view, columns in positions.items()})
    if unused := np.delete(names, used).tolist():
        warn(
            UnusedColumnsWarning(
                f"Columns in no view are not used: {listed(unused)}.",
                hint="Add them to a view in views= if they are needed.",
                parameter="views",
                value=tuple(unused),
            )
        )
    views = Views(views, ids=table.ids)
    if table.labels is None:
        return views
    return Views(views, y=checked_labels(table.labels, str(table.labels.name), views.sample_name, asked=True))


def _read(path: Path, ids: str | None, labels: Labels, samples: Samples | None) -> Table:
    with reading(path, "a table"):
        is_parquet = _is_parquet(path)
        frame = _read_parquet(path) if is_parquet else read_delimited(path)
        if samples == "columns":
            frame = (frame if _has_index(frame) else frame.set_index(frame.columns[0])).T
            return _separated(frame, ids, labels)
        table = _separated(frame, ids, labels)
        id_column = _id_column(frame, ids)
        if is_parquet or (id_column is None and not _has_index(frame)):
            return table
        # Ids keep the spelling of the file: 007 is not 7.
        if id_column is None:  # row names, as R writes them
            written = read_delimited(path, dtype=str, keep_default_na=False).index
        else:
            columns = [frame.columns.get_loc(id_column)]
            written = read_delimited(path, dtype=str, keep_default_na=False, usecols=columns).iloc[:, 0]
        return Table(table.features, written.to_numpy(dtype=object), table.labels, table.all_columns)


def _separated(frame: Any, ids: str | None, labels: Labels) -> Table:
    """Separate the id column and the label column of a table from its features."""
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
    """Return the chosen column, else one with the name of ids, else a first column that is text or has no name."""
    if wanted is not None:
        if wanted not in frame.columns:
            raise ViewsError(
                f"there is no column {wanted!r} for the ids; the columns are {listed(frame.columns)}.",
                hint="Choose a column with ids='NAME'.",
                parameter="ids",
                value=tuple(frame.columns),
            )
        return wanted
    named = [name for name in frame.columns if is_id_column(name)]
    if len(named) > 1:
        raise ViewsError(
            f"several columns could be the ids: {listed(named)}.",
            hint="Choose one with ids='NAME'.",
            parameter="ids",
            value=tuple(named),
        )
    if named:
        return named[0]
    first = frame.columns[0]
    if _has_index(frame) or is_label_name(first):
        return None
    # If only some of its values are text, the column is a damaged feature, not ids.
    is_text = frame[first].dtype.kind == "O" and len(_not_numbers(frame[first])) == frame[first].notna().sum()
    return first if is_text or _UNNAMED.fullmatch(first) else None


def _label_column(frame: Any, labels: Labels) -> str | None:
    if labels is False:
        return None
    named = [name for name in frame.columns if (is_label_name(name) if labels is None else name == labels)]
    if len(named) > 1:
        raise several_labels(named)
    return named[0] if named else None


def _check_numbers(frame: Any) -> None:
    """Raise an error for the first value that is not a number: a single one turns its whole column into text."""
    for name, column in frame.items():
        if column.dtype.kind == "O" and (wrong := _not_numbers(column)).size:
            raise ViewsError(
                f"column {name!r} holds {column.iloc[wrong[0]]!r} in row {wrong[0]}; features must be numbers.",
                hint="Leave the column out, or encode it as numbers.",
            )


def _not_numbers(column: Any) -> np.ndarray:
    """Return the rows with a value that is not a number."""
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


def _has_index(frame: Any) -> bool:
    """Return whether the rows have names, not just numbers."""
    return not isinstance(frame.index, require("pandas").RangeIndex)


def _feature_names(table: Table) -> np.ndarray:
    return np.asarray(table.features.columns, dtype=object)


def _read_label_file(path: Path, ids: str | None, labels: Labels) -> tuple[np.ndarray | None, Any]:
    table = _read(path, ids, labels, None)
    if table.labels is not None:
        return table.ids, table.labels
    with reading(path, "a table of labels"):
        if table.features.shape[1] != 1:
            raise ViewsError(
                f"a file of labels must have one column besides the ids, not {listed(table.features.columns) or 'none'}.",
                hint="Choose the column with labels='NAME', or read no labels with labels=False.",
                parameter="labels",
                value=(*table.features.columns, False),
            )
        found = table.features.iloc[:, 0]
        if labels is None:
            check_kind(plain_values(found), str(found.name))
        return table.ids, found


def _labelled(views: Views, columns: Mapping[str, tuple[np.ndarray | None, Any]]) -> Views:
    """Add the labels, matched by id. If several tables have labels, they must agree."""
    y: np.ndarray | None = None
    first = ""
    for name, (ids, labels) in columns.items():
        found = _labels_in_order(views, name, ids, labels)
        if y is None:
            y, first = found, name
        both_known = np.array([a is not None and b is not None for a, b in zip(y, found, strict=True)])
        differing = np.flatnonzero(both_known & (y != found))
        if differing.size:
            raise ViewsError(
                f"Tables {first!r} and {name!r} have different labels for {views.sample_name(differing[0])}.",
                hint="Correct the labels, or read no labels with labels=False.",
                parameter="labels",
                value=(False,),
            )
        y = np.where([a is None for a in y], found, y)
    if y is None:
        return views
    return Views(views, y=checked_labels(y, first, views.sample_name, asked=True))  # check_kind was called for each table


def _labels_in_order(views: Views, name: str, ids: np.ndarray | None, labels: Any) -> np.ndarray:
    """Return the labels in the order of the samples, as objects; None for samples without a label in this table."""
    values = plain_values(labels)
    found = np.empty(len(views), dtype=object)
    if (ids is None) != (views.ids is None):
        with_ids, without = ("The views", "the labels") if ids is None else ("The labels", "the views")
        raise ViewsError(
            f"{with_ids} have ids, but {without} do not, so the labels in {name!r} cannot be matched.",
            hint="Give both an id column, or read no labels with labels=False.",
            parameter="labels",
            value=(False,),
        )
    if ids is not None and views.ids is not None:
        by_id = dict(zip(map(str, ids.tolist()), values, strict=True))
        if len(by_id) < len(values):
            raise ViewsError(
                f"Table {name!r} has labels for the same id in several rows.",
                hint="Keep one row for each id, or read no labels with labels=False.",
                parameter="labels",
                value=(False,),
            )
        found[:] = [by_id.get(str(i)) for i in views.ids.tolist()]
    elif len(values) == len(views):
        found[:] = values
    else:
        raise ViewsError(
            f"Table {name!r} has {len(values)} labels for {len(views)} samples.",
            hint="Give one label per sample, or read no labels with labels=False.",
            parameter="labels",
            value=(False,),
        )
    return found
