"""Everything that is wrong with a set of tables, at once: each problem with its remedy, for ``viewfuse info``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..exceptions import ViewfuseError, ViewsError
from ..views.conventions import is_label_name
from ..views.encoding import learn_encodings
from ..views.ids import IdSource, find_ids
from ..views.join_by_id import Member, align
from .edges import possible_edge_lists
from .load import named_paths, tables_of_folder
from .sniff import sniff
from .table_files import TableFile, table_name
from .tables import Table, TableOptions, naming_files, table_files, view_of_table

__all__ = ["problems_of_tables"]


def problems_of_tables(source: Path | list[Path], options: TableOptions) -> list[Exception]:
    """All problems of tables that are one view each, in the order in which a user would meet them.

    A file or a folder of another format gives none: its reader stops at the first problem.
    """
    collect = _Problems()
    paths = _tables_among(collect.of(_paths, source) or {}, options)
    collect.paths = paths
    tables = {name: table for name, path in paths.items() if (table := collect.of(_read, name, path, options)) is not None}
    tables = {name: table for name, table in tables.items() if not is_label_name(name)}
    sources = _ids(tables, options, collect)
    separated = {
        name: found
        for name, table in tables.items()
        if (found := collect.of(view_of_table, table, sources.get(name), options.labels, name)) is not None
    }
    for name, table in separated.items():
        known = None if options.types is None else {c: t for c, t in options.types.items() if c in table.features.columns}
        collect.of(learn_encodings, {name: table.features}, known, collect.add)
    _match(separated, options, collect)
    return collect.found


class _Problems:
    """Calls functions and collects their exceptions."""

    def __init__(self) -> None:
        self.found: list[Exception] = []
        self.paths: Mapping[str, Path] = {}

    def of(self, function: Any, *arguments: Any) -> Any:
        """The result of a call, or None if it raised an exception, which is then among the problems."""
        try:
            with naming_files(self.paths):
                return function(*arguments)
        except (ViewfuseError, OSError) as problem:
            self._keep(problem)
        return None

    def add(self, problem: ViewsError) -> None:
        try:
            with naming_files(self.paths):
                raise problem
        except ViewsError as named:
            self._keep(named)

    def _keep(self, problem: Exception) -> None:
        if str(problem) not in map(str, self.found):
            self.found.append(problem)


def _paths(source: Path | list[Path]) -> dict[str, Path]:
    if isinstance(source, list):
        return named_paths(source, check_formats=False)
    if source.is_dir():
        return named_paths(tables_of_folder(source), check_formats=False)
    return {table_name(source): source} if sniff(source) == "table" else {}


def _tables_among(paths: Mapping[str, Path], options: TableOptions) -> dict[str, Path]:
    """The files without edge lists and sparse matrices, which have other problems."""
    kinds = options.kinds if isinstance(options.kinds, Mapping) else {}
    existing = {name: path for name, path in paths.items() if path.is_file() and not is_label_name(name)}
    try:
        edges = {one.name for one in possible_edge_lists(existing, kinds)}
    except ViewsError:
        edges = set()
    sparse = {name for name, path in existing.items() if path.suffix.lower() == ".npz"}
    return {name: path for name, path in paths.items() if name not in edges | sparse}


def _read(name: str, path: Path, options: TableOptions) -> TableFile:
    if sniff(path) != "table":
        raise ViewsError(
            f"{path}: in a list, each file must be a table (CSV, Parquet, Excel, …).", hint="Read this file on its own."
        )
    return table_files({name: path}, options.samples)[name]


def _ids(tables: Mapping[str, TableFile], options: TableOptions, collect: _Problems) -> dict[str, IdSource | None]:
    """Where the ids of each table are; if that cannot be said for all together, for each alone."""
    frames = {name: table.frame for name, table in tables.items()}
    found = collect.of(find_ids, frames, options.ids) if frames else {}
    if found is None:
        alone = {name: collect.of(find_ids, {name: frame}, options.ids) for name, frame in frames.items()}
        found = {name: None if source is None else source[name] for name, source in alone.items()}
    return dict(found)


def _match(tables: Mapping[str, Table], options: TableOptions, collect: _Problems) -> None:
    """Check the ids of each table alone, then of all together."""
    members = [Member(name, table.features, table.ids) for name, table in tables.items()]
    before = len(collect.found)
    for member in members:
        collect.of(align, [member])
    if len(members) > 1 and len(collect.found) == before:
        collect.of(lambda: align(members, options.missing, loose_ids=options.loose_ids))
