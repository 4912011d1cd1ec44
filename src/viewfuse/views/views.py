"""The class ``Views``: named, row-aligned and validated views of the same samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from array_api_compat import array_namespace
from sklearn.utils import Bunch

from .._utils.device import to_host
from .._utils.row_blocks import is_on_disk
from .._utils.text import count, listed, listed_counts
from ..exceptions import ViewsError, ViewsTypeError
from .column_groups import columns_of_group, named_groups
from .column_rules import column_groups, is_rules
from .containers import holds_views, labels_of_bunch, labels_of_omics, members_of_omics, views_of_bunch
from .encoding import Encoding, Types, readable_matrix
from .encoding.column_types import asked_type
from .frames import as_frame, is_table
from .ids import find_ids, id_values
from .join_by_id import Member, Missing, align, check_missing
from .kinds import RELATIONS, Kinds, asked_kinds, checked_kinds, indicators
from .labels import checked_labels, warn_of_labels
from .matrices import as_float, column_names, is_dataframe, memory_of, take_block, take_rows, with_zero_rows
from .members import checked_names, named_members
from .networks import is_network, networks_as_matrices
from .reading import Read, read_members
from .relation_tables import relation_of_table

__all__ = ["Views", "split_columns"]


class Views:
    """Several views of the same samples.

    Row ``i`` of every view is the same sample. Arrays keep their dtype and their sparsity.

    Parameters
    ----------
    data : list or tuple, mapping of name to view, Views, Bunch, AnnData or MuData
        Each view is (n_samples, n_features): an array, a SciPy sparse matrix or a DataFrame (of pandas or polars, or an
        Arrow table), or a matrix in a file (a memory map, an HDF5 data set, a Zarr array, ``io.ParquetRows``), whose rows
        are read when they are needed. One DataFrame is one view.
        DataFrames are joined on their ids, found as in files: an index with a name or of text, or a column that all
        have. Their columns may be of any type (numbers, booleans, categories, words with an order, dates) and are
        encoded so that one counts about as much as another; a table of numbers in one unit is left as it is. A column that
        a file would have as labels is not used, unless ``types`` names it. Single empty cells (NaN) are filled from
        similar samples. An array has no ids, so it can only be combined with
        DataFrames that are already in the same order. Bunches, AnnData and MuData are converted as in
        :func:`viewfuse.load_views`. A networkx graph is a view of the kind "graph"; its nodes are matched with the ids, or
        are 0 … n − 1.
    names : sequence of str, optional
        Names of the views. The default is the keys of the mapping, or ``view0``, ``view1``, …
    ids : sequence or str, optional
        One distinct id per sample, or the name of the column of the DataFrames that holds them. The default is what is
        found in the DataFrames, or None.
    y : sequence, optional
        True labels, one per sample. For metrics only: no estimator reads them.
    present : (n_samples, n_views) array of bool, optional
        False where a sample is missing from a view; None if every sample is in every view.
    missing : {"error", "keep", "drop"}
        What to do with an id that some DataFrame does not have: raise an error; keep it, with ``present`` False there;
        or drop it.
    kinds : mapping of view name to kind, sequence of kinds, or "auto", optional
        "features" (the default), "counts" or "categories"; or a relation with one row and one column per sample: "graph"
        (edge weights; may be sparse, directed or weighted), "kernel" (positive semidefinite) or "distance". "auto" guesses
        from the values (:func:`viewfuse.views.kinds.guess_kind`).
    types : mapping of column to type, or False, optional
        Overrules the types of columns of DataFrames: "number", "boolean", "category", "ordered", "date", or "text", "id"
        and "ignore" to leave a column out; or a list of its values from the lowest to the highest. A key may be a pattern
        such as ``"q*"``. False encodes nothing: all columns must be numbers.
    loose_ids : bool
        Whether ids of DataFrames are compared without case, blanks and leading zeros.
    encoding : Encoding, optional
        The ``encoding_`` of a fitted model: new data is encoded in the same way, and nothing is learned from it.

    Attributes
    ----------
    arrays, names, kinds, feature_names : tuples with one entry per view
    ids, y, present : arrays or None
    id_name : str or None, the name of the ids
    encoding : Encoding or None, what was done to each column of DataFrames; prints as a table
    tables : tuple of DataFrames (None for views that are none), or None
    n_views : int
    n_dropped : int, samples that were left out when the data was read, because some view does not have them
    notes : tuple of str, the warnings that were given when the data was read
    table_rows : (n_samples, n_views) array of int, or None
        The row of each sample in the table of each view, −1 where it has none; None if rows were matched by position.
    shape : (number of samples, number of features of all views together)

    Examples
    --------
    >>> import numpy as np
    >>> from viewfuse import Views
    >>> views = Views({"sound": np.ones((4, 3)), "image": np.eye(4)})
    >>> views
    Views(4 samples; sound: 3 features, image: 4 features)
    >>> len(views[[0, 2]])
    2

    Samples are selected in the rows and in the columns of a relation:

    >>> views = Views({"words": np.ones((4, 3)), "cites": np.eye(4, k=1)}, kinds={"cites": "graph"})
    >>> views.kinds, views[:2].view("cites").shape
    (('features', 'graph'), (2, 2))
    """

    notes: tuple[str, ...] = ()
    table_rows: np.ndarray | None = None
    _finds_labels = True

    def __init__(
        self,
        data: Views | Mapping[Any, Any] | Sequence[Any],
        *,
        names: Sequence[str] | None = None,
        ids: Any = None,
        y: Any = None,
        present: Any = None,
        missing: str = "error",
        kinds: Kinds = None,
        types: Types | Literal[False] | None = None,
        loose_ids: bool = False,
        encoding: Encoding | None = None,
    ) -> None:
        check_missing(missing)
        self.tables: tuple[Any, ...] | None = None
        self.encoding: Encoding | None = None
        self.id_name: str | None = None
        if holds_views(data) and missing == "error":
            data = Views._from_container(data)
        self.n_dropped: int = data.n_dropped if isinstance(data, Views) else 0
        self._origin: tuple[Views, np.ndarray] | None = None  # of samples that were selected from other views
        if isinstance(data, Views) and missing == "error":
            asked = data.kinds if kinds is None else asked_kinds(kinds, data.names)
            read = _of_views(data, asked) if encoding is None else _encoded_again(data, asked, encoding)
            self._origin = data._origin
            names = data.names if names is None else names
            y = data.y if y is None else y
            ids = data.ids if ids is None else ids
            present = data.present if present is None and read.present is None else present
            self.id_name, self.table_rows = data.id_name, data.table_rows
        else:
            names, members = named_members({"all": data} if is_table(data) else data, names)
            asked = asked_kinds(kinds, names)
            members = [as_frame(member, name) for member, name in zip(members, names, strict=True)]
            if self._finds_labels and types is not False and encoding is None:
                members = [_without_labels(*one, types) for one in zip(members, names, asked, strict=True)]
            if any(map(is_network, members)):
                asked = tuple("graph" if is_network(m) else kind for m, kind in zip(members, asked, strict=True))
                members, ids = networks_as_matrices(members, names, ids)
            column = ids if isinstance(ids, str) else None
            read = read_members(
                names,
                members,
                kinds=asked,
                ids=column,
                missing=missing,
                loose_ids=loose_ids,
                types=types,
                encoding=encoding,
            )
            ids = read.ids if ids is None or column is not None else ids
            self.id_name, self.n_dropped, self.table_rows = read.id_name, read.n_dropped, read.table_rows
        self.notes = tuple(dict.fromkeys([*(data.notes if isinstance(data, Views) else ()), *read.notes]))
        self.arrays: tuple[Any, ...] = tuple(read.arrays)
        self.names: tuple[str, ...] = checked_names(names, len(self.arrays))
        self.feature_names: tuple[np.ndarray | None, ...] = tuple(read.feature_names)
        self.tables, self.encoding = read.tables, read.encoding
        _check_lengths(self.arrays, self.names)
        self.kinds: tuple[str, ...] = checked_kinds(read.kinds, self.names, self.arrays)
        self._encode_categories(data)
        self.ids: np.ndarray | None = _checked_ids(ids, len(self))
        self.y: np.ndarray | None = _checked_column(y, len(self), "y")
        present = read.present if present is None else present
        self.present: np.ndarray | None = _checked_present(present, len(self), self.n_views)

    @classmethod
    def of_features(cls, tables: Mapping[str, Any], **options: Any) -> Views:
        """Views of tables whose labels have been separated: other columns with the name of labels are features."""
        made = object.__new__(cls)
        made._finds_labels = False
        cls.__init__(made, tables, **options)
        return made

    def _encode_categories(self, data: Any) -> None:
        """Replace views of categories by indicators, unless they are encoded already: in Views, or as tables."""
        done = [isinstance(data, Views) and data.kinds[v] == kind for v, kind in enumerate(self.kinds)]
        encoded = [done[v] or self.is_encoded(v) for v in range(self.n_views)]
        for v, kind in enumerate(self.kinds):
            if kind == "categories" and not encoded[v]:
                made, names = indicators(self.arrays[v], self.feature_names[v])
                self.arrays = (*self.arrays[:v], made, *self.arrays[v + 1 :])
                self.feature_names = (*self.feature_names[:v], names, *self.feature_names[v + 1 :])

    @classmethod
    def from_members(cls, members: Sequence[Member], missing: Missing = "error") -> Views:
        """Make views whose rows are matched by id; see :func:`viewfuse.views.join_by_id.align`."""
        aligned = align(members, missing)
        views = cls(
            [member.matrix for member in aligned.members],
            names=[member.name for member in aligned.members],
            ids=aligned.ids,
            present=aligned.present,
            kinds=[member.kind for member in aligned.members],
        )
        views.feature_names = tuple(member.feature_names for member in aligned.members)
        views.n_dropped, views.table_rows = aligned.n_dropped, aligned.table_rows
        return views

    @classmethod
    def _from_container(cls, data: Any) -> Views:
        """Make views from a Bunch, AnnData or MuData, with its labels."""
        if not isinstance(data, Bunch):
            views = cls.from_members(members_of_omics(data))
            return cls(views, y=labels_of_omics(data, None, views.ids, views.sample_name))
        held = views_of_bunch(data)
        views = cls(held if isinstance(held, (list, tuple, Mapping)) else {"data": held})
        labels = labels_of_bunch(data)
        y = None if labels is None else checked_labels(labels, "target", views.sample_name, asked=False)
        return cls(views, y=y)

    @property
    def n_views(self) -> int:
        """Number of views."""
        return len(self.arrays)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of samples, and number of features of all views together."""
        return self.arrays[0].shape[0], sum(array.shape[1] for array in self.arrays)

    def __len__(self) -> int:
        return int(self.arrays[0].shape[0])

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the matrices of the views."""
        return iter(self.arrays)

    def __getitem__(self, samples: Any) -> Views:
        """Select samples, in all views, by an array of positions, a mask, a slice or one position."""
        if isinstance(samples, tuple):
            # scikit-learn indexes rows as X[rows, ...]
            if len(samples) != 2 or samples[1] is not Ellipsis:
                raise ViewsTypeError(
                    "Views are indexed by samples only, not by samples and features.",
                    hint="Use views[rows] for samples, and views.view(name) for the matrix of a view.",
                )
            samples = samples[0]
        if isinstance(samples, str):
            raise ViewsTypeError(
                f"Views are indexed by samples, not by name; got {samples!r}.",
                hint=f"Use views.view({samples!r}) for the matrix of that view.",
                view=samples,
            )
        rows = np.atleast_1d(np.arange(len(self))[np.asarray(samples) if isinstance(samples, list) else samples])
        if rows.ndim != 1 or isinstance(samples, (bool, np.bool_)):
            raise ViewsTypeError(f"Samples are selected by positions, a mask or a slice, not by {samples!r}.")
        selected = object.__new__(Views)
        selected.names, selected.feature_names, selected.kinds = self.names, self.feature_names, self.kinds
        selected.n_dropped, selected.notes = self.n_dropped, self.notes
        selected.encoding, selected.id_name = self.encoding, self.id_name
        selected.tables = None if self.tables is None else tuple(t if t is None else t.iloc[rows] for t in self.tables)
        selected.arrays = tuple(
            take_block(array, rows) if kind in RELATIONS else take_rows(array, rows)
            for array, kind in zip(self.arrays, self.kinds, strict=True)
        )
        selected._origin = None
        if any(kind in RELATIONS for kind in self.kinds):
            origin, places = self.selected_from()
            selected._origin = origin, places[rows]
        selected.ids, selected.y, selected.present, selected.table_rows = (
            None if column is None else column[rows] for column in (self.ids, self.y, self.present, self.table_rows)
        )
        selected.present = _checked_present(selected.present, len(selected), selected.n_views)
        return selected

    def view(self, name: str) -> Any:
        """Return the matrix of one view, by name."""
        if name not in self.names:
            raise ViewsError(
                f"There is no view {name!r}; the views are {listed(self.names)}.",
                view=name,
                parameter="views",
                value=self.names,
            )
        return self.arrays[self.names.index(name)]

    def select_views(self, positions: Sequence[int]) -> Views:
        """Return some of the views, in this order, with the same samples."""
        chosen = [int(v) for v in positions]
        selected = object.__new__(Views)
        selected.names, selected.kinds = tuple(self.names[v] for v in chosen), tuple(self.kinds[v] for v in chosen)
        selected.arrays = tuple(self.arrays[v] for v in chosen)
        selected.feature_names = tuple(self.feature_names[v] for v in chosen)
        selected.n_dropped, selected.notes = self.n_dropped, self.notes
        selected.ids, selected.y, selected._origin = self.ids, self.y, None  # its relations have other positions
        selected.id_name = self.id_name
        selected.tables = None if self.tables is None else tuple(self.tables[v] for v in chosen)
        selected.encoding = None if self.encoding is None else self.encoding.of_views(chosen)
        selected.present, selected.table_rows = (
            None if column is None else column[:, chosen] for column in (self.present, self.table_rows)
        )
        return selected

    def chosen(self, names: Sequence[str]) -> Views:
        """Some of the views, by name, in this order; every sample must be in one of them."""
        for name in names:
            self.view(name)  # raises if there is no such view
        some = self.select_views([self.names.index(name) for name in names])
        some.present = _checked_present(some.present, len(some), some.n_views)
        return some

    def with_matrices(self, matrices: Mapping[str, Any], kind: str) -> Views:
        """These views and further matrices of the same samples in the same order; ``kind`` may be "auto"."""
        further = Views(matrices, kinds=kind)
        n_further = further.n_views
        both = object.__new__(Views)
        both.names = checked_names([*self.names, *further.names], self.n_views + n_further)
        both.arrays, both.kinds = (*self.arrays, *further.arrays), (*self.kinds, *further.kinds)
        _check_lengths(both.arrays, both.names)
        both.feature_names = (*self.feature_names, *further.feature_names)
        both.ids, both.y, both.id_name, both._origin = self.ids, self.y, self.id_name, None
        both.n_dropped, both.notes = self.n_dropped, self.notes
        both.tables = None if self.tables is None else (*self.tables, *(None,) * n_further)
        positions = [*range(self.n_views), *[None] * n_further]
        both.encoding = None if self.encoding is None else self.encoding.of_views(positions, both.names)
        both.present = None
        if self.present is not None:
            both.present = np.hstack([self.present, np.ones((len(self), n_further), dtype=bool)])
        return both

    def selected_from(self) -> tuple[Views, np.ndarray]:
        """Return the views with relations that these samples were selected from, and their positions there."""
        return (self, np.arange(len(self))) if self._origin is None else self._origin

    def is_encoded(self, v: int) -> bool:
        """Whether a view is a table whose columns were encoded one by one."""
        table = None if self.encoding is None else self.encoding.tables[v]
        return table is not None and table.ready

    def number_columns(self, v: int) -> np.ndarray:
        """Which columns of a view are numbers, (d,) of bool: of a table those that were no categories, else all."""
        if not self.is_encoded(v) or self.encoding is None or (table := self.encoding.tables[v]) is None:
            return np.ones(self.arrays[v].shape[1], dtype=bool)
        return np.array([column.levels is None for column in table.used for _ in column.feature_names], dtype=bool)

    def filled_share(self, positions: Sequence[int]) -> float:
        """The share of the cells of these views that were empty and have been filled."""
        tables = (None,) * self.n_views if self.encoding is None else self.encoding.tables
        n_empty = n_columns = 0
        for v in positions:
            table = tables[v]
            columns = () if table is None else table.used
            n_empty += sum(column.n_empty for column in columns)
            n_columns += len(columns) or self.arrays[v].shape[1]
        return min(n_empty / max(n_columns * len(self), 1), 1.0)

    def dates(self, v: int) -> np.ndarray:
        """Which columns of ``readable(v)`` are dates, as days since 1970, (p,) array of bool."""
        table = None if self.encoding is None or not self.is_encoded(v) else self.encoding.tables[v]
        named = set() if table is None else {column.name for column in table.used if column.type == "date"}
        names = self.feature_names[v]
        if names is None or not named:
            return np.zeros(self.arrays[v].shape[1], dtype=bool)
        return np.array([str(name) in named for name in names])

    def readable(self, v: int) -> Any:
        """The matrix of a view for people: of an encoded table in the units of its columns, with 0 and 1 for categories.

        Its columns are those of ``arrays[v]``, with the same ``feature_names``.
        """
        if not self.is_encoded(v) or self.tables is None or self.encoding is None:
            return self.arrays[v]
        encoding = self.encoding.tables[v]
        return self.arrays[v] if encoding is None else readable_matrix(self.tables[v], encoding)

    def raw_members(self) -> list[Any]:
        """The views as they were given: a DataFrame where a view was a table, else its matrix."""
        tables = (None,) * self.n_views if self.tables is None else self.tables
        return [array if table is None else table for array, table in zip(self.arrays, tables, strict=True)]

    def sample_name(self, row: int) -> str:
        """Name a sample for messages: its row, and its id if it has one."""
        return f"row {row}" if self.ids is None else f"row {row} (id {self.ids[row : row + 1].tolist()[0]!r})"

    def feature_name(self, view: int, column: int) -> str:
        """Name a feature for messages: its column, and its name if it has one."""
        names = self.feature_names[view]
        return f"column {column}" if names is None else f"column {column} ({names[column]!r})"

    def float_arrays(self) -> list[Any]:
        """Return the views as finite floating-point arrays: float32 if every view is float32, else float64.

        Sparse views stay sparse (CSR). Raises ``ViewsError`` that names the first value that is not finite, or the first
        sample that is missing from a view.
        """
        self._check_present()
        self._check_one_place()
        single = all(str(array.dtype).endswith("float32") for array in self.arrays)
        arrays = [as_float(array, single=single) for array in self.arrays]
        for v, array in enumerate(arrays):
            self._check_finite(v, array)
        return arrays

    def incomplete_arrays(self) -> tuple[list[Any], np.ndarray | None]:
        """Return floating-point arrays of views from which samples may be missing.

        A sample is missing from a view if ``present`` is False there, or if its row is all NaN.

        Returns
        -------
        arrays : list of arrays
            As :meth:`float_arrays`, with rows of zeros for missing samples.
        present : (n_samples, n_views) array of bool, or None
            False where a sample is missing from a view; None if no sample is missing.
        """
        present = np.ones((len(self), self.n_views), dtype=bool) if self.present is None else self.present.copy()
        arrays = []
        for v, stored in enumerate(self.arrays):
            array = stored[:] if is_on_disk(stored) else stored
            if not (sp.issparse(array) or array_namespace(array).isdtype(array.dtype, ("bool", "integral"))):
                present[:, v] &= ~to_host(array_namespace(array).all(array != array, axis=1))
            array = with_zero_rows(array, ~present[:, v])
            arrays.append(with_zero_rows(array.T, ~present[:, v]).T if self.kinds[v] in RELATIONS else array)
        nowhere = np.flatnonzero(~present.any(axis=1))
        if nowhere.size:
            sample = self.sample_name(int(nowhere[0]))
            raise ViewsError(f"The sample in {sample} is missing from every view.", hint="Remove this sample.")
        plain = [kind if kind in RELATIONS else "features" for kind in self.kinds]  # categories are indicators already
        complete = Views(arrays, names=self.names, ids=self.ids, kinds=plain, types=False)
        complete.feature_names = self.feature_names
        return complete.float_arrays(), None if present.all() else present

    def _check_present(self) -> None:
        if self.present is None:
            return
        for v, name in enumerate(self.names):
            absent = np.flatnonzero(~self.present[:, v])
            if absent.size:
                raise ViewsError(
                    f"{count(absent.size, 'sample is', 'samples are')} missing from view {name!r}, the first in "
                    f"{self.sample_name(absent[0])}. This method needs every sample in every view.",
                    hint="Keep the complete samples: load with missing='drop', or use views[views.present.all(axis=1)].",
                    view=name,
                    parameter="missing",
                    value=("drop",),
                )

    def _check_one_place(self) -> None:
        """Check that all tensors are on one device. NumPy and sparse views can be mixed: both are in main memory."""
        places = [memory_of(array) for array in self.arrays]
        for v, place in enumerate(places):
            if place != places[0]:
                raise ViewsTypeError(
                    f"View {self.names[0]!r} is in {places[0]}, but view {self.names[v]!r} in {place}; all views must be in "
                    "the same memory.",
                    hint="Move all views to one device, or give NumPy arrays and set device=.",
                    view=self.names[v],
                    parameter="device",
                )

    def _check_finite(self, v: int, array: Any) -> None:
        values = array.data if sp.issparse(array) else array
        xp = array_namespace(values)
        finite = xp.isfinite(values)
        if bool(xp.all(finite)):
            return
        if sp.issparse(array):
            coo = array.tocoo()
            wrong = np.flatnonzero(~np.isfinite(coo.data))
            row, column, value = (int(coo.row[wrong[0]]), int(coo.col[wrong[0]]), coo.data[wrong[0]])
            found = wrong.size
        else:
            rows, columns = xp.nonzero(~finite)
            row, column, found = int(rows[0]), int(columns[0]), int(rows.shape[0])
            value = float(array[row, column])
        kind = "NaN" if np.isnan(value) else "inf"
        raise ViewsError(
            f"View {self.names[v]!r} has {count(found, 'value that is', 'values that are')} "
            f"NaN or infinite; the first is {kind} in {self.sample_name(row)}, {self.feature_name(v, column)}.",
            hint="Remove or impute such values.",
            view=self.names[v],
        )

    def __repr__(self) -> str:
        described = ", ".join(
            f"{name}: {kind if kind in RELATIONS else count(array.shape[1], 'feature')}"
            + (f" (sparse {array.dtype})" if sp.issparse(array) else "")
            for name, array, kind in zip(self.names, self.arrays, self.kinds, strict=True)
        )
        return f"Views({count(len(self), 'sample')}; {described})"


def split_columns(matrix: Any, groups: Any, **options: Any) -> tuple[Views, list[Any]]:
    """Split one (n, d) array, sparse matrix or DataFrame into views by groups of columns.

    A group is what ``ColumnTransformer`` takes (a slice, positions, names or a mask) or, for a DataFrame, a rule such as
    ``"tx_*"`` or ``"age-region"``. Returns the views and the columns that are in no view, without that of the ids.
    ``options`` are those of ``Views``.
    """
    known = column_names(matrix)
    if known is not None and isinstance(groups, (str, Mapping, list, tuple)):
        groups = column_groups(groups, known.tolist(), known.tolist()) if is_rules(groups) else groups
    named = named_groups(groups)
    n_columns = matrix.shape[1]
    columns = {name: columns_of_group(name, group, n_columns, known) for name, group in named.items()}
    used = np.unique(np.concatenate(list(columns.values())))
    unused = np.delete(np.arange(n_columns), used)
    if not is_dataframe(matrix):
        by_column = matrix.tocsc() if sp.issparse(matrix) else matrix
        return Views({name: by_column[:, chosen] for name, chosen in columns.items()}, **options), unused.tolist()
    source = find_ids({"all": matrix}, options.pop("ids", None))["all"]
    rest = [str(matrix.columns[position]) for position in unused]
    if source is None or source.column not in rest:
        return Views({name: matrix.iloc[:, chosen] for name, chosen in columns.items()}, **options), rest
    rest.remove(source.column)
    frame = matrix.set_axis(id_values(matrix, source, "all"), axis=0).rename_axis(source.name)
    return Views({name: frame.iloc[:, chosen] for name, chosen in columns.items()}, **options), rest


def _without_labels(member: Any, name: str, kind: str, types: Types | None) -> Any:
    """A table without the columns that a file would have as labels, unless they are samples or have a given type."""
    if not is_dataframe(member) or kind in RELATIONS:
        return member
    may_be_relation = member.size and 0 <= member.shape[1] - len(member) < 2
    samples = {*map(str, member.index), *map(str, member.iloc[:, 0])} if may_be_relation else set()
    labels = warn_of_labels(member, name, lambda column: column in samples or asked_type(types, column) is not None)
    return member.drop(columns=labels) if labels else member


def _of_views(views: Views, kinds: Sequence[str]) -> Read:
    """What other views hold; a table that is a relation by its kind, asked or guessed, becomes a matrix of samples."""
    arrays, names, found = list(views.arrays), list(views.feature_names), list(kinds)
    tables = (None,) * views.n_views if views.tables is None else views.tables
    kept = list(tables)
    for v, table in enumerate(tables):
        if table is None:
            continue
        matrix, found[v] = relation_of_table(table, views.ids, views.names[v], kinds[v])
        if found[v] in RELATIONS:
            arrays[v], names[v], kept[v] = matrix, None, None
    encoding = views.encoding
    if encoding is not None and any(one is not other for one, other in zip(kept, tables, strict=True)):
        encoding = encoding.without([v for v, table in enumerate(tables) if table is not None and kept[v] is None])
    held = tuple(kept) if any(table is not None for table in kept) else None
    return Read(arrays, names, tuple(found), held, encoding, views.ids, None, views.id_name)


def _encoded_again(views: Views, kinds: Sequence[str], encoding: Encoding) -> Read:
    """What other views hold, encoded as a fit was."""
    tables = views.tables or (None,) * views.n_views
    known = [k if table is None else "features" for k, table in zip(kinds, tables, strict=True)]
    return read_members(views.names, views.raw_members(), kinds=known, encoding=encoding, aligned=True)


def _check_lengths(arrays: Sequence[Any], names: Sequence[str]) -> None:
    lengths = [array.shape[0] for array in arrays]
    if len(set(lengths)) > 1:
        found = listed_counts(dict(zip(names, lengths, strict=True)))
        raise ViewsError(
            f"The views do not have the same number of samples: {found}. Every view needs one row per sample, in the same "
            "order.",
            hint="To match samples by id, give files with an id column, or DataFrames with the ids as index.",
        )


def _checked_column(column: Any, n_samples: int, what: str) -> np.ndarray | None:
    if column is None:
        return None
    column = np.asarray(column)
    if column.ndim != 1 or column.size != n_samples:
        raise ViewsError(
            f"{what} must hold one value per sample ({n_samples}), but has shape {column.shape}.", parameter=what
        )
    return column


def _checked_ids(ids: Any, n_samples: int) -> np.ndarray | None:
    if ids is not None and not isinstance(ids, np.ndarray):
        listed_ids = list(ids)
        ids = np.asarray(listed_ids)
        if ids.ndim != 1:  # an index of several levels: each id is a tuple
            ids = np.empty(len(listed_ids), dtype=object)
            ids[:] = listed_ids
    ids = _checked_column(ids, n_samples, "ids")
    if ids is not None:
        seen: set[Any] = set()
        repeated = [i for i in ids.tolist() if i in seen or seen.add(i)]  # type: ignore[func-returns-value]
        if repeated:
            raise ViewsError(f"ids must be distinct, but some occur several times: {listed(repeated)}.", parameter="ids")
    return ids


def _checked_present(present: Any, n_samples: int, n_views: int) -> np.ndarray | None:
    if present is None:
        return None
    present = np.asarray(present, dtype=bool)
    if present.shape != (n_samples, n_views):
        raise ViewsError(
            f"present must have shape ({n_samples}, {n_views}), one entry per sample and view, not {present.shape}.",
            parameter="present",
        )
    nowhere = np.flatnonzero(~present.any(axis=1))
    if nowhere.size:
        raise ViewsError(
            f"{count(nowhere.size, 'sample is', 'samples are')} missing from every view, the first in row {nowhere[0]}.",
            hint="Remove such samples.",
        )
    return None if present.all() else present
