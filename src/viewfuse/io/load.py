"""``load_views``: the one way in for data that is not Views yet."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sklearn.utils import Bunch

from .._utils.text import count
from ..exceptions import UnusedColumnsWarning, ViewsError, ViewsTypeError
from ..views import Views, is_dataframe, split_columns
from ..views.align import Missing
from ..views.containers import is_anndata, is_mudata, labels_of_bunch, views_of_bunch
from ..views.conventions import is_label_name
from ..views.labels import Labels, checked_labels
from . import omics
from ._safety import reading
from .columns import ColumnGroups
from .layout import Samples, views_from_variables
from .mat import read_mat
from .mat73 import read_mat73
from .npz import read_npz
from .sniff import sniff
from .tables import TABLE_SUFFIXES, views_from_columns, views_from_frame, views_from_tables

__all__ = ["load_views"]

_VARIABLE_READERS = {"MATLAB": read_mat, "MATLAB 7.3": read_mat73, "NumPy archive": read_npz}


def load_views(
    source: Any,
    *,
    views: ColumnGroups | None = None,
    ids: str | None = None,
    labels: Labels = None,
    samples: Samples | None = None,
    missing: Missing = "error",
) -> Views:
    """Read multi-view data from whatever holds it.

    The format is found from a file's contents, not from its name.

    Parameters
    ----------
    source : path, list of paths, mapping of view name to path, Bunch, DataFrame, AnnData or MuData
        * A MATLAB file of any version: a cell of matrices (``X``, ``data``, ``fea``, …) or matrices ``X1``, ``X2``, …
          Other matrices with an entry per sample are named in an ``UnusedVariablesWarning``.
        * A NumPy ``.npz`` with one matrix per view, or as ``scipy.sparse.save_npz`` writes it; pickled arrays are refused.
        * A folder, list or mapping of CSV, TSV or Parquet files: one view each, joined on their id column.
          A file called ``labels`` (``y``, ``truth``, …) gives the labels.
        * One CSV, TSV or Parquet file, or a DataFrame, whose columns ``views`` groups.
        * AnnData or MuData (``.h5ad``, ``.h5mu``, or the objects), and scikit-learn Bunches.
    views : str, sequence of str, or mapping, optional
        Which views, where the default is not what you want. For one table the groups of its columns:
        ``["audio:2-21", "image_*"]``, numbers counted from 1, ends included. For other files the names of variables;
        for AnnData of layers and ``obsm`` entries; for MuData of modalities, or ``"rna:X_pca"``.
    ids : str, optional
        The column or variable that holds the samples' ids; by default one called ``id``, ``sample``, ``…_id``, …, or
        a table's first column where it is text.
    labels : str or False, optional
        The column or variable that holds true labels (they become ``views.y``); by default one called ``y``,
        ``labels``, ``gt``, …, if it holds whole numbers or text. False reads none.
    samples : {"rows", "columns"}, optional
        Needed only where a file can be read either way: an error says so.
    missing : {"error", "keep", "drop"}
        What to do with samples that some view lacks, for tables and modalities, which are matched by id.

    Returns
    -------
    Views

    Raises
    ------
    ViewsFormatError
        If a file is not what it claims to be, or its layout is ambiguous; it names the file and the reason.
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
    asked = _Request(views, ids, labels, samples, missing)
    if isinstance(source, Bunch):
        return _from_bunch(source, asked)
    if is_anndata(source) or is_mudata(source):
        return _from_omics(source, asked)
    if is_dataframe(source):
        if samples == "columns":
            raise ViewsError("A DataFrame keeps samples in rows; give its transpose, df.T.")
        asked.without_missing("a DataFrame")
        return views_from_frame(source, views, ids=ids, labels=labels)
    if isinstance(source, (str, Path)):
        path = Path(source).expanduser()
        if not path.is_dir():
            return _from_file(path, asked)
        source = _tables_of_folder(path)
    paths = _selected(_named_paths(source), views)
    return views_from_tables(paths, ids=ids, labels=labels, samples=samples, missing=missing)


@dataclass(frozen=True)
class _Request:
    """What the caller of ``load_views`` asked for."""

    views: ColumnGroups | None
    ids: str | None
    labels: Labels
    samples: Samples | None
    missing: Missing

    def __post_init__(self) -> None:
        if self.samples not in (None, "rows", "columns"):
            raise ViewsError(f"samples must be 'rows' or 'columns', not {self.samples!r}.")
        if self.missing not in ("error", "keep", "drop"):
            raise ViewsError(f"missing must be 'error', 'keep' or 'drop', not {self.missing!r}.")

    @property
    def names(self) -> str | Sequence[str] | None:
        """The views asked for, where they are chosen by name."""
        if isinstance(self.views, Mapping):
            raise ViewsTypeError("For this source views= gives names, as in views=['X1', 'X2']; got a mapping.")
        return self.views

    def without_missing(self, source: str) -> None:
        """Refuse ``missing`` where it would be ignored."""
        if self.missing != "error":
            raise ViewsError(
                f"missing={self.missing!r} says what to do with samples that some view lacks, but in {source} every view "
                "has every sample; leave it out."
            )


def _from_file(path: Path, asked: _Request) -> Views:
    kind = sniff(path)
    if kind not in ("AnnData", "MuData"):
        asked.without_missing(str(path))
    if kind == "table":
        return views_from_columns(path, asked.views, ids=asked.ids, labels=asked.labels, samples=asked.samples)
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


def _from_omics(data: Any, asked: _Request) -> Views:
    if asked.ids is not None or asked.samples == "columns":
        raise ViewsError("AnnData and MuData keep samples in rows, with obs_names as ids; leave ids and samples out.")
    return omics.views_from_omics(data, views=asked.names, labels=asked.labels, missing=asked.missing)


def _from_bunch(bunch: Bunch, asked: _Request) -> Views:
    """What scikit-learn's loaders return, and multi-view Bunches whose ``data`` or ``views`` hold several matrices."""
    if asked.ids is not None or asked.samples == "columns":
        raise ViewsError("A Bunch keeps samples in rows and has no ids; leave ids and samples out.")
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
    if is_dataframe(data):
        return views_from_frame(data, views, labels=False)
    if isinstance(views, (str, Sequence)):
        raise ViewsTypeError("This Bunch's columns have no names: give views={'sound': slice(0, 20), …}.")
    split, n_unused = split_columns(data, views)
    if n_unused:
        warnings.warn(f"{count(n_unused, 'column')} in no view left out.", UnusedColumnsWarning, stacklevel=4)
    return split


def _chosen_views(views: Views, wanted: str | Sequence[str] | None) -> Views:
    """Some of the views, by name, in the order asked for."""
    if wanted is None:
        return views
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    chosen = Views({name: views.view(name) for name in names}, ids=views.ids)
    chosen.feature_names = tuple(views.feature_names[views.names.index(name)] for name in names)
    return chosen


def _tables_of_folder(folder: Path) -> list[Path]:
    paths = sorted(
        path for path in folder.iterdir() if path.suffix.lower() in TABLE_SUFFIXES and not path.name.startswith(".")
    )
    if not paths:
        raise ViewsError(
            f"{folder}: the folder holds no {', '.join(TABLE_SUFFIXES)} files; for another format give one file."
        )
    return paths


def _named_paths(source: Any) -> dict[str, Path]:
    if isinstance(source, Mapping):
        named = [(str(name), path) for name, path in source.items()]
    elif isinstance(source, Sequence):
        named = [(Path(path).stem, path) for path in source if isinstance(path, (str, Path))]
        if len(named) < len(source):
            raise ViewsTypeError("load_views reads files; for matrices in memory use Views(list or mapping).")
    else:
        raise ViewsTypeError(
            f"load_views reads paths, Bunches, DataFrames, AnnData and MuData; got {type(source).__name__}."
        )
    names = [name for name, _ in named]
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise ViewsError(f"Several files are called {repeated[0]!r}; give a mapping of view names to files.")
    paths = {name: Path(path).expanduser() for name, path in named}
    for path in paths.values():
        if sniff(path) != "table":
            raise ViewsError(f"{path}: in a list each file must be a table (CSV, TSV, Parquet); give this one alone.")
    return paths


def _selected(paths: dict[str, Path], views: ColumnGroups | None) -> dict[str, Path]:
    """The tables asked for, and the labels."""
    if views is None:
        return paths
    if isinstance(views, Mapping):
        raise ViewsTypeError(
            "With one table per view, views= gives the tables' names, as in ['audio', 'image']; got a mapping."
        )
    wanted = [views] if isinstance(views, str) else list(views)
    absent = [name for name in wanted if name not in paths]
    if absent:
        raise ViewsError(f"There is no table {absent[0]!r}; there are {', '.join(paths)}.")
    return {name: path for name, path in paths.items() if name in wanted or is_label_name(name)}
