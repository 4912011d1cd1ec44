"""Views from tables: one file or frame per view, joined on their ids, or one table with groups of columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._utils.steps import step
from .._utils.text import listed
from .._utils.warn import warn
from ..exceptions import SingleViewWarning, UnmatchedSamplesWarning, UnusedColumnsWarning, ViewsError, ViewsFormatError
from ..views import Views
from ..views.column_groups import columns_of_group
from ..views.column_rules import ColumnGroups, column_groups, likely_prefixes
from ..views.conventions import is_label_name
from ..views.encoding import Encoding, Types
from ..views.ids import IdSource, find_ids, id_values, without_ids
from ..views.join_by_id import Missing
from ..views.kinds import Kinds
from ..views.labels import Labels, check_kind, checked_labels, label_columns, plain_values, several_labels
from ..views.reading import known_ids
from ._safety import reading
from .table_files import TableFile, read_table
from .variables import Samples

__all__ = [
    "Table",
    "TableOptions",
    "naming_files",
    "read_columns",
    "table_files",
    "view_of_table",
    "views_of_one_table",
    "views_of_tables",
]


@dataclass(frozen=True)
class TableOptions:
    """The options of ``load_views`` that are about tables."""

    ids: str | None = None
    labels: Labels = None
    samples: Samples | None = None
    missing: Missing = "error"
    types: Types | None = None
    loose_ids: bool = False
    kinds: Kinds = None
    encoding: Encoding | None = None

    def kinds_of(self, names: Iterable[str]) -> Kinds:
        """The kinds of these views; a mapping may name views that are no tables too."""
        if isinstance(self.kinds, Mapping):
            return {name: self.kinds.get(name, "auto") for name in names}
        return self.kinds

    def ids_of(self, frames: Iterable[Any]) -> str | None:
        """The column of the ids, if it was asked for or is known from a fit."""
        return known_ids(list(frames), self.encoding) if self.ids is None and self.encoding is not None else self.ids


@dataclass(frozen=True)
class Table:
    """The features, ids and labels of a table, separated."""

    features: Any
    ids: np.ndarray | None
    id_name: str | None
    labels: Any
    all_columns: list[str]

    def indexed(self) -> Any:
        """The features with the ids as index."""
        return self.features if self.ids is None else _with_index(self.features, self.ids, self.id_name)


def table_files(paths: Mapping[str, Path], samples: Samples | None = None) -> dict[str, TableFile]:
    """Read the table in each file; with ``samples="columns"`` its columns are the samples."""
    found = {}
    for name, path in paths.items():
        step(path.name)
        table = read_table(path)
        found[name] = _transposed(table) if samples == "columns" else table
    return found


def views_of_tables(
    tables: Mapping[str, TableFile], options: TableOptions, paths: Mapping[str, Path] | None = None
) -> Views:
    """Return one view per table, matched by id. A table named ``labels`` (``y``, ``truth``, …) holds the true labels.

    ``paths`` are the files that the tables came from, for messages.
    """
    with naming_files(paths or {}):
        label_tables = [name for name in tables if is_label_name(name)]
        frames = {name: table.frame for name, table in tables.items() if name not in label_tables}
        if not frames:
            raise ViewsError(
                f"The only table is {listed(label_tables)}, which holds labels; there are no views.",
                hint="Give one table for each view too.",
            )
        sources = find_ids(frames, options.ids_of(frames.values()))
        separated = {name: view_of_table(tables[name], source, options.labels, name) for name, source in sources.items()}
        views = Views.of_features(
            {name: table.indexed() for name, table in separated.items()},
            missing=options.missing,
            kinds=options.kinds_of(separated),
            types=options.types,
            loose_ids=options.loose_ids,
            encoding=options.encoding,
        )
        if len(sources) > 1 and not any(sources.values()):
            _warn_of_positions(list(sources))
        columns = {name: (table.ids, table.labels) for name, table in separated.items() if table.labels is not None}
        if options.labels is not False:
            columns |= {name: _label_table(tables[name], name, options, views.id_name) for name in label_tables}
        if isinstance(options.labels, str) and not columns:
            raise ViewsError(
                f"No table has a column {options.labels!r} for the labels.",
                hint="Choose a column with labels='NAME', or read no labels with labels=False.",
                parameter="labels",
                value=(False,),
            )
        return _labelled(views, columns)


def _warn_of_positions(names: list[str]) -> None:
    warn(
        UnmatchedSamplesWarning(
            f"No column says which row is which sample, so the rows of {listed(names)} are matched by position.",
            hint="Name the column of ids with ids='NAME', if there is one.",
            parameter="ids",
        )
    )


def views_of_one_table(table: TableFile, name: str, groups: ColumnGroups | None, options: TableOptions) -> Views:
    """Return the views of one table: groups of its columns or, without ``groups``, all columns as one view."""
    source = find_ids({name: table.frame}, options.ids_of([table.frame]))[name]
    separated = view_of_table(table, source, options.labels, name)
    if len(separated.all_columns) == 1 and source is None:
        raise ViewsError(
            f"the table has one column, {separated.all_columns[0]!r}: it holds no table, or its columns are divided by a "
            "character other than tab, semicolon, comma, bar and blank.",
            hint="Check the file; in Python, a single column can be clustered as an array.",
        )
    if isinstance(options.labels, str) and separated.labels is None:
        raise ViewsError(
            f"there is no column {options.labels!r} for the labels; the columns are {listed(separated.all_columns)}.",
            hint="Choose a column with labels='NAME', or read no labels with labels=False.",
            parameter="labels",
            value=(*separated.all_columns, False),
        )
    return _grouped(separated, name, groups, options)


def read_columns(path: str | Path) -> Any:
    """Return the columns of a table, of any type, as a DataFrame; the ids, if there are any, are the index."""
    path = Path(path).expanduser()
    table = read_table(path)
    with reading(path, "a table"):
        source = find_ids({path.stem: table.frame})[path.stem]
        return _separated(table, source, False, path.stem).indexed()


@contextmanager
def naming_files(paths: Mapping[str, Path]) -> Iterator[None]:
    """Name the file in an error that is about the view in it."""
    try:
        yield
    except ViewsFormatError:
        raise
    except ViewsError as error:
        if error.view is None or error.view not in paths:
            raise
        fields = {name: getattr(error, name) for name in ("hint", "view", "parameter", "value")}
        problem = error.problem.removeprefix(f"View {error.view!r}: ")
        raise ViewsFormatError(f"{paths[error.view]}: {problem}", **fields) from error


def _transposed(table: TableFile) -> TableFile:
    frame = table.frame
    named = frame if not _counts_rows(frame) else frame.set_index(frame.columns[0])
    turned = named.T.infer_objects()
    return TableFile(turned.set_axis([str(name) for name in turned.columns], axis=1).rename_axis(None, axis=1))


def _counts_rows(frame: Any) -> bool:
    return bool(np.array_equal(frame.index.to_numpy(), np.arange(len(frame))))


def _with_index(features: Any, ids: np.ndarray, name: str | None) -> Any:
    framed = features.set_axis(np.arange(len(features)), axis=0)
    framed.index = type(framed.columns)(ids, dtype=None if ids.dtype.kind in "iu" else object, name=name or "id")
    return framed


def _grouped(table: Table, name: str, groups: ColumnGroups | None, options: TableOptions) -> Views:
    features = list(table.features.columns)
    if groups is None:
        _suggest_groups(features)
        groups = {name: slice(None)}
    names = np.array(features, dtype=object)
    positions = {
        view: columns_of_group(view, rule, len(names), names)
        for view, rule in column_groups(groups, features, table.all_columns).items()
    }
    used = sorted(set(np.concatenate(list(positions.values())).tolist()))
    types = None if options.types is None else {k: v for k, v in options.types.items() if k not in np.delete(names, used)}
    framed = table.indexed()
    views = Views.of_features(
        {view: framed.iloc[:, columns] for view, columns in positions.items()},
        kinds=options.kinds_of(positions),
        types=types,
        encoding=options.encoding,
    )
    if unused := np.delete(names, used).tolist():
        warn(
            UnusedColumnsWarning(
                f"Columns in no view are not used: {listed(unused)}.",
                hint="Add them to a view in views= if they are needed.",
                parameter="views",
                value=tuple(unused),
            )
        )
    if table.labels is None:
        return views
    return Views(views, y=checked_labels(table.labels, str(table.labels.name), views.sample_name, asked=True))


def _suggest_groups(features: list[str]) -> None:
    """Say so if the prefixes of the columns suggest several views."""
    prefixes = likely_prefixes(features)
    if len(prefixes) > 1:
        found = ", ".join(f"{prefix}* ({n} columns)" for prefix, n in prefixes.items())
        suggested = [f"{prefix}*" for prefix in prefixes]
        problem = f"All columns are one view, but their names begin with {found}: these may be several views."
        hint = f"Perhaps views={suggested}; views='*' takes all as one view without this warning."
        warning = SingleViewWarning(problem, hint=hint, parameter="views", value=(suggested, "*"))
        warn(warning)


def _separated(table: TableFile, source: IdSource | None, labels: Labels, view: str) -> Table:
    """Separate the id column and the label column of a table from its features."""
    all_columns = list(table.frame.columns)
    ids = None
    if source is not None:
        ids = id_values(table.frame, source, view) if table.spelled is None else table.spelled(source.column)
    features = without_ids(table.frame, source)
    label_values = None
    if (label_column := _label_column(features, labels, view)) is not None:
        label_values = features[label_column]
        if labels is None:
            check_kind(plain_values(label_values), label_column, view)
        features = features.drop(columns=label_column)
    return Table(features, ids, None if source is None else source.name, label_values, all_columns)


def view_of_table(table: TableFile, source: IdSource | None, labels: Labels, view: str) -> Table:
    """The parts of a table that is a view; it must have a column besides ids and labels."""
    separated = _separated(table, source, labels, view)
    if not len(separated.features.columns):
        raise ViewsError(
            f"View {view!r}: the table has no column besides the {'ids' if separated.labels is None else 'ids and labels'}.",
            hint="Add columns that describe the samples, or leave the table out.",
            view=view,
        )
    return separated


def _label_column(frame: Any, labels: Labels, view: str) -> str | None:
    if labels is False:
        return None
    named = label_columns(frame, view) if labels is None else [name for name in frame.columns if name == labels]
    if len(named) > 1:
        raise several_labels(named, view)
    return named[0] if named else None


def _label_table(table: TableFile, name: str, options: TableOptions, id_name: str | None) -> tuple[np.ndarray | None, Any]:
    wanted = id_name if options.ids is None and id_name in table.frame.columns else options.ids
    found = _separated(table, find_ids({name: table.frame}, wanted)[name], options.labels, name)
    if found.labels is not None:
        return found.ids, found.labels
    if found.features.shape[1] != 1:
        raise ViewsError(
            f"Table {name!r}: a table of labels must have one column besides the ids, not "
            f"{listed(found.features.columns) or 'none'}.",
            hint="Choose the column with labels='NAME', or read no labels with labels=False.",
            view=name,
            parameter="labels",
            value=(*found.features.columns, False),
        )
    column = found.features.iloc[:, 0]
    if options.labels is None:
        check_kind(plain_values(column), str(column.name), name)
    return found.ids, column


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
