"""The function ``load_views``, which reads all sources of multi-view data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sklearn.utils import Bunch

from .._utils.text import count, listed
from .._utils.warn import recording, texts_of, warn
from ..exceptions import UnusedColumnsWarning, UnusedVariablesWarning, ViewsError, ViewsTypeError
from ..views import RELATIONS, Encoding, Views, split_columns
from ..views.column_rules import ColumnGroups
from ..views.containers import is_anndata, is_mudata, labels_of_bunch, views_of_bunch
from ..views.conventions import is_label_name
from ..views.encoding import Types
from ..views.frames import as_frame, holds_frames, is_table
from ..views.join_by_id import Missing, check_missing
from ..views.kinds import Kinds
from ..views.labels import Labels, checked_labels
from ..views.members import named_members
from . import omics
from ._safety import reading
from .compressed import COMPRESSED_SUFFIXES
from .delimited import looks_like_table
from .edges import EdgeList, possible_edge_lists, with_edge_lists, with_edges_to_fit
from .mat import read_mat
from .mat73 import read_mat73
from .npz import read_npz
from .sniff import sniff
from .table_files import TABLE_SUFFIXES, TableFile, table_name
from .tables import TableOptions, table_files, views_of_one_table, views_of_tables
from .variables import Samples, views_from_variables

__all__ = ["load_views"]

_DOCUMENTS = (".md", ".rst", ".html", ".htm", ".pdf", ".png", ".jpg", ".jpeg", ".svg", ".py", ".r", ".m", ".ipynb", ".sh")
_VARIABLE_READERS = {"MATLAB": read_mat, "MATLAB 7.3": read_mat73, "NumPy archive": read_npz}


def load_views(
    source: Any,
    *,
    views: ColumnGroups | None = None,
    ids: str | None = None,
    labels: Labels = None,
    samples: Samples | None = None,
    missing: Missing = "error",
    kinds: Kinds = "auto",
    types: Types | None = None,
    loose_ids: bool = False,
    encoding: Encoding | None = None,
    fit_ids: Sequence[str] | None = None,
) -> Views:
    """Read multi-view data from files, DataFrames and other containers.

    The format of a file is found from its contents, not from its name.

    Parameters
    ----------
    source : path, list of paths, mapping of view name to path, Bunch, DataFrame, AnnData or MuData
        * A MATLAB file of any version: a cell of matrices (``X``, ``data``, ``fea``, …) or matrices ``X1``, ``X2``, …
          An ``UnusedVariablesWarning`` names other matrices with one entry per sample.
        * A NumPy ``.npz`` with one matrix per view, or written by ``scipy.sparse.save_npz``. Pickled arrays are refused.
        * A folder, list or mapping of tables (CSV, TSV, Parquet, Arrow, Excel, OpenDocument, compressed or not), or a
          mapping of DataFrames: one view each, joined on their id column. A table named ``labels`` (``y``, ``truth``, …)
          holds the labels. Columns may be of any type: see :class:`viewfuse.Views`. A text file of two or three columns
          that name samples is an edge list (source, target, weight): a graph. If the second column holds numbers, the
          columns must have names such as source and target, or no names, or ``kinds`` must say so. Sparse ``.npz`` files
          can be among tables without ids.
        * One table or DataFrame, with groups of columns given in ``views``; without, all columns are one view.
        * AnnData or MuData (``.h5ad``, ``.h5mu``, or the objects), and scikit-learn Bunches.
    views : str, sequence of str, or mapping, optional
        Which views to read. For one table, the groups of its columns: ``["audio:2-21", "image_*"]``, numbers counted
        from 1, both ends included. For other files, the names of variables; for AnnData, of layers, ``obsm`` and ``obsp``
        entries; for MuData, of modalities, or ``"rna:X_pca"``.
    ids : str, optional
        The column or variable with the ids of the samples. The default is, for several tables, a column that all have,
        with different values in each row, most of them in common; else one named ``id``, ``sample``, ``…_id``, …, or the
        first column of a table if it is text.
    labels : str or False, optional
        The column or variable with the true labels, which become ``views.y``. The default is one named ``y``,
        ``labels``, ``gt``, …, if it contains integers or text; in a table, numbers ``y`` beside a column ``x`` are
        coordinates. False reads no labels.
    samples : {"rows", "columns"}, optional
        Whether samples are rows or columns. Needed only for files that can be read both ways; an error says so.
    missing : {"error", "keep", "drop"}
        What to do with samples that are missing from some view, for tables and modalities, which are matched by id.
    kinds : mapping of view name to kind, or "auto"
        What views hold; see :class:`viewfuse.Views`. The kind of views that are not named is guessed.
    types : mapping of column to type, optional
        Overrules the types of columns of tables, as in :class:`viewfuse.Views`.
    loose_ids : bool
        Whether ids of tables are compared without case, blanks and leading zeros.
    encoding : Encoding, optional
        The ``encoding_`` of a fitted model: tables of new samples are encoded in the same way.
    fit_ids : sequence of str, optional
        The ``relation_ids_`` of a fitted model: edge lists of new samples hold their edges to these samples.

    Returns
    -------
    Views

    Raises
    ------
    ViewsFormatError
        If a file is damaged, is not in the format it claims, or can be read in more than one way. The message names
        the file and the reason.
    ViewsError
        If samples cannot be matched.

    Examples
    --------
    >>> import numpy as np, tempfile, pathlib
    >>> from viewfuse import load_views
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "two.npz"
    ...     np.savez(path, sound=np.ones((5, 3)), image=np.ones((5, 8)), y=[0, 0, 1, 1, 1])
    ...     load_views(path)
    Views(5 samples; sound: 3 features, image: 8 features)
    """
    asked = _Request(views, ids, labels, samples, missing, kinds, types, loose_ids, encoding, fit_ids)
    with recording() as given:
        found = _with_kinds(_read(source, asked), kinds)
    found.notes = texts_of(given, *found.notes)
    return found


def _read(source: Any, asked: _Request) -> Views:
    if isinstance(source, Bunch):
        return _from_bunch(source, asked)
    if is_anndata(source) or is_mudata(source):
        return _from_omics(source, asked)
    if is_table(source):
        return _from_frame(source, asked)
    if isinstance(source, (str, Path)):
        path = Path(source).expanduser()
        if not path.is_dir():
            return _from_file(path, asked)
        source = tables_of_folder(path)
    if holds_frames(source):
        return _from_frames(source, asked)
    return _from_tables(_selected(named_paths(source), asked.views), asked)


def _from_tables(paths: dict[str, Path], asked: _Request) -> Views:
    """Read one table per view; edge lists and sparse matrices become graphs of the samples of the others."""
    sparse = {name: path for name, path in paths.items() if sniff(path) != "table"}
    tables = {name: path for name, path in paths.items() if name not in sparse}
    edges = possible_edge_lists({n: path for n, path in tables.items() if not is_label_name(n)}, asked.named_kinds)
    others = {name: path for name, path in tables.items() if name not in {one.name for one in edges}}
    uncertain = [one for one in edges if not one.is_certain]
    has_views = not all(is_label_name(name) for name in others)
    if not has_views and uncertain:
        others |= {one.name: one.path for one in uncertain}
        edges, has_views = [one for one in edges if one.is_certain], True
    views = _joined(others, asked) if has_views else None
    ids = {str(i) for i in views.ids.tolist()} if views is not None and views.ids is not None else set()
    ids.update(() if asked.fit_ids is None else asked.fit_ids)
    wrong = [one for one in edges if not one.is_certain and not one.is_among(ids)]
    if wrong:  # ordinary tables after all
        views = _joined(
            {name: path for name, path in paths.items() if name in others or name in {w.name for w in wrong}}, asked
        )
    edges = [one for one in edges if one not in wrong]
    if edges:
        views = _with_edges(views, edges, asked)
        views = views.select_views([views.names.index(name) for name in tables if name in views.names])
    return _with_sparse(views, sparse)


def _with_edges(views: Views | None, edges: list[EdgeList], asked: _Request) -> Views:
    drop = asked.missing == "drop"
    if asked.fit_ids is None:
        return with_edge_lists(views, edges, drop=drop)
    return with_edges_to_fit(views, edges, asked.fit_ids, drop=drop)


def _joined(paths: dict[str, Path], asked: _Request) -> Views:
    return views_of_tables(table_files(paths, asked.samples), asked.of_tables, paths)


def _with_sparse(views: Views | None, paths: dict[str, Path]) -> Views:
    """Add the sparse matrices of ``.npz`` files, whose rows are in the order of the samples."""
    matrices = {}
    for name, path in paths.items():
        with reading(path, "NumPy archive data"):
            arrays = read_npz(path)
            if list(arrays) != ["X"]:
                raise ViewsError(
                    "in a list, an .npz file must hold one sparse matrix (scipy.sparse.save_npz).",
                    hint="Read this file on its own.",
                    view=name,
                )
            matrices[name] = arrays["X"]
    if views is None:
        return Views(matrices)
    if not matrices:
        return views
    if views.ids is not None:
        raise ViewsError(
            f"The tables have ids, but {listed(matrices)} has none, so the rows cannot be matched.",
            hint="Give an edge list instead of the sparse matrix, or tables without ids.",
            view=next(iter(matrices)),
        )
    return views.with_matrices(matrices, "auto")


def _with_kinds(views: Views, kinds: Kinds) -> Views:
    """Set the kinds that were asked for, and guess the others; those of tables have been guessed."""
    known = [
        kind if kind in RELATIONS or (views.tables is not None and views.tables[v] is not None) else "auto"
        for v, kind in enumerate(views.kinds)
    ]
    if isinstance(kinds, str):
        kinds = dict.fromkeys(views.names, kinds)
    if isinstance(kinds, Mapping):
        asked = {name: kind for name, kind in kinds.items() if kind != "auto" or name not in views.names}
        kinds = dict(zip(views.names, known, strict=True)) | asked
    return Views(views, kinds=kinds)


@dataclass(frozen=True)
class _Request:
    """The options of ``load_views``."""

    views: ColumnGroups | None
    ids: str | None
    labels: Labels
    samples: Samples | None
    missing: Missing
    kinds: Kinds
    types: Types | None = None
    loose_ids: bool = False
    encoding: Encoding | None = None
    fit_ids: Sequence[str] | None = None

    @property
    def named_kinds(self) -> dict[str, str]:
        """The kinds of views that were named."""
        return {str(name): str(kind) for name, kind in self.kinds.items()} if isinstance(self.kinds, Mapping) else {}

    @property
    def of_tables(self) -> TableOptions:
        return TableOptions(
            self.ids, self.labels, self.samples, self.missing, self.types, self.loose_ids, self.kinds, self.encoding
        )

    def __post_init__(self) -> None:
        if self.samples not in (None, "rows", "columns"):
            raise ViewsError(
                f"samples must be 'rows' or 'columns', not {self.samples!r}.", parameter="samples", value=("rows", "columns")
            )
        check_missing(self.missing)

    @property
    def names(self) -> str | Sequence[str] | None:
        """The names of the chosen views, for sources whose views have names."""
        if isinstance(self.views, Mapping):
            raise ViewsTypeError(
                "The views of this source are chosen by name, not by a mapping.",
                hint="Give a list of names, as in views=['X1', 'X2'].",
                parameter="views",
            )
        return self.views

    def without_missing(self, source: str) -> None:
        """Refuse ``missing`` if it would be ignored."""
        if self.missing != "error":
            raise ViewsError(
                f"In {source} every sample is in every view, so there are no missing samples to {self.missing}.",
                hint=f"Leave missing={self.missing!r} out.",
                parameter="missing",
                value=("error",),
            )

    def without_types(self, source: str) -> None:
        """Refuse ``types`` and ``loose_ids`` if they would be ignored."""
        for name, value in (("types", self.types), ("loose_ids", self.loose_ids)):
            if value:
                raise ViewsError(
                    f"{name}= is about the columns of tables, but {source} is not a table.",
                    hint=f"Leave {name}= out.",
                    parameter=name,
                )


def _from_file(path: Path, asked: _Request) -> Views:
    kind = sniff(path)
    if kind not in ("AnnData", "MuData"):
        asked.without_missing(str(path))
    if kind == "table":
        name = table_name(path)
        if asked.views is None:
            edges = [one for one in possible_edge_lists({name: path}, asked.named_kinds) if one.is_certain]
            if edges:
                return _with_edges(None, edges, asked)
        table = table_files({name: path}, asked.samples)[name]
        with reading(path, "a table"):
            return views_of_one_table(table, name, asked.views, asked.of_tables)
    asked.without_types(str(path))
    with reading(path, f"{kind} data"):
        if kind in ("AnnData", "MuData"):
            return _from_omics(omics.read_omics(path), asked)
        variables = _VARIABLE_READERS[kind](path)
        return views_from_variables(
            variables,
            path=path,
            every=kind == "NumPy archive",
            views=asked.names,
            ids=asked.ids,
            labels=asked.labels,
            samples=asked.samples,
        )


def _from_frame(source: Any, asked: _Request) -> Views:
    _check_rows(asked)
    asked.without_missing("a DataFrame")
    return views_of_one_table(TableFile(as_frame(source)), "all", asked.views, asked.of_tables)


def _from_frames(source: Any, asked: _Request) -> Views:
    """Read frames in memory as files are read."""
    _check_rows(asked)
    names, members = named_members(source, None)
    if not all(map(is_table, members)):
        other = next(name for name, member in zip(names, members, strict=True) if not is_table(member))
        raise ViewsTypeError(
            f"View {other!r} is not a DataFrame, but other views are.",
            hint="For matrices in memory use Views(list or mapping).",
            view=other,
        )
    chosen = _selected(dict(zip(names, members, strict=True)), asked.views)
    return views_of_tables({name: TableFile(as_frame(frame, name)) for name, frame in chosen.items()}, asked.of_tables)


def _check_rows(asked: _Request) -> None:
    if asked.samples == "columns":
        raise ViewsError(
            "The samples of a DataFrame must be its rows.",
            hint="Give its transpose, df.T.",
            parameter="samples",
            value=("rows",),
        )


def _from_omics(data: Any, asked: _Request) -> Views:
    if asked.ids is not None or asked.samples == "columns":
        raise ViewsError(
            "The samples of AnnData and MuData are rows, and their ids are the obs_names.",
            hint="Leave ids and samples out.",
            parameter="samples" if asked.ids is None else "ids",
        )
    return omics.views_from_omics(data, views=asked.names, labels=asked.labels, missing=asked.missing)


def _from_bunch(bunch: Bunch, asked: _Request) -> Views:
    """Read a Bunch of scikit-learn, or a Bunch whose ``data`` or ``views`` holds several matrices."""
    if asked.ids is not None or asked.samples == "columns":
        raise ViewsError(
            "The samples of a Bunch are rows, and they have no ids.",
            hint="Leave ids and samples out.",
            parameter="samples" if asked.ids is None else "ids",
        )
    asked.without_missing("a Bunch")
    views = _views_of_bunch(views_of_bunch(bunch), asked)
    y = labels_of_bunch(bunch, asked.labels)
    if y is None:
        return views
    name = asked.labels or "target"
    return Views(views, y=checked_labels(y, str(name), views.sample_name, asked=asked.labels is not None))


def _views_of_bunch(data: Any, asked: _Request) -> Views:
    views = asked.views
    if isinstance(data, (list, tuple, Mapping)):
        return _chosen_views(Views(data), asked.names)
    if views is None:
        return Views({"data": data})
    if is_table(data):
        return views_of_one_table(TableFile(as_frame(data)), "data", views, TableOptions(labels=False))
    if isinstance(views, (str, Sequence)):
        raise ViewsTypeError(
            "The columns of this Bunch have no names, so views cannot be chosen by name.",
            hint="Give the columns of each view, as in views={'sound': slice(0, 20), …}.",
            parameter="views",
        )
    split, left = split_columns(data, views)
    if left:
        unused = UnusedColumnsWarning(
            f"{count(len(left), 'column is', 'columns are')} in no view and not used.",
            hint="Add them to a view in views= if they are needed.",
            parameter="views",
        )
        warn(unused)
    return split


def _chosen_views(views: Views, wanted: str | Sequence[str] | None) -> Views:
    """Return some of the views, by name, in the given order."""
    if wanted is None:
        return views
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    return views.chosen(names)


def tables_of_folder(folder: Path) -> list[Path]:
    """The tables in a folder. Files that may hold data but are not read are named in a warning."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    files = [path for path in files if not _is_document(path)]
    paths = [path for path in files if _is_table_file(path) or path.suffix.lower() == ".npz"]
    if not paths:
        raise ViewsError(
            f"{folder}: the folder has no tables ({', '.join(TABLE_SUFFIXES)}).",
            hint="To read another format, give one file instead of the folder.",
        )
    passed_over = [path.name for path in files if path not in paths]
    if passed_over:
        warn(
            UnusedVariablesWarning(
                f"{folder}: {count(len(passed_over), 'file is', 'files are')} not read: {listed(passed_over)}.",
                hint="Save them as .csv, .parquet or .xlsx if they are views.",
                value=tuple(passed_over),
            )
        )
    return paths


def _is_document(path: Path) -> bool:
    """Whether a file is about the data: a README, a licence, a picture, a program."""
    is_readme = re.match(r"(readme|licen[cs]e|changelog|citation|notes?)\b", path.name, re.IGNORECASE) is not None
    return is_readme or path.suffix.lower() in _DOCUMENTS


def _is_table_file(path: Path) -> bool:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in COMPRESSED_SUFFIXES:
        suffixes.pop()
    if not suffixes or suffixes[-1] not in TABLE_SUFFIXES:
        return False
    # Text files hold prose more often than tables.
    return suffixes[-1] != ".txt" or looks_like_table(path)


def named_paths(source: Any, *, check_formats: bool = True) -> dict[str, Path]:
    """The files of a list or mapping by the names of their views; ``check_formats`` refuses those that are no tables."""
    if isinstance(source, Mapping):
        named = [(str(name), path) for name, path in source.items()]
    elif isinstance(source, Sequence):
        named = [(table_name(Path(path)), path) for path in source if isinstance(path, (str, Path))]
        if len(named) < len(source):
            raise ViewsTypeError(
                "load_views reads files, not matrices.", hint="For matrices in memory use Views(list or mapping)."
            )
    else:
        raise ViewsTypeError(
            f"load_views reads paths, DataFrames, Bunches, AnnData and MuData; got {type(source).__name__}."
        )
    names = [name for name, _ in named]
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise ViewsError(
            f"Several files have the name {repeated[0]!r}, and a view takes the name of its file.",
            hint="Rename one, or give a mapping of view names to files.",
            view=repeated[0],
        )
    paths = {name: Path(path).expanduser() for name, path in named}
    for name, path in paths.items():
        if check_formats and sniff(path) not in ("table", "NumPy archive"):
            raise ViewsError(
                f"{path}: in a list, each file must be a table (CSV, Parquet, Excel, …) or a sparse matrix (.npz).",
                hint="Read this file on its own.",
                view=name,
            )
    return paths


def _selected(paths: dict[str, Any], views: ColumnGroups | None) -> dict[str, Any]:
    """Return the chosen tables and those with labels."""
    if views is None:
        return paths
    if isinstance(views, Mapping):
        raise ViewsTypeError(
            "With one table per view, views are chosen by the names of the tables, not by a mapping.",
            hint="Give a list of names, as in views=['audio', 'image'].",
            parameter="views",
            value=(list(paths),),
        )
    wanted = [views] if isinstance(views, str) else list(views)
    absent = [name for name in wanted if name not in paths]
    if absent:
        raise ViewsError(
            f"There is no table {absent[0]!r}; the tables are {listed(paths)}.",
            hint="Choose tables with views=['NAME', …].",
            view=absent[0],
            parameter="views",
            value=tuple(paths),
        )
    return {name: path for name, path in paths.items() if name in wanted or is_label_name(name)}
