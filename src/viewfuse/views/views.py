"""The class ``Views``: named, row-aligned and validated views of the same samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from array_api_compat import array_namespace
from sklearn.utils import Bunch

from .._utils.device import to_host
from .._utils.row_blocks import is_on_disk
from .._utils.text import count, listed
from ..exceptions import ViewsError, ViewsTypeError
from .column_groups import columns_of_group
from .containers import holds_views, labels_of_bunch, labels_of_omics, members_of_omics, views_of_bunch
from .join_by_id import Aligned, Member, Missing, align, joined_on_index, matched_by_id
from .kinds import RELATIONS, Kinds, checked_kinds
from .labels import checked_labels
from .matrices import as_float, as_matrix, column_names, is_dataframe, memory_of, take_block, take_rows, with_zero_rows
from .members import align_relations, checked_names, named_members
from .networks import is_network, networks_as_matrices

__all__ = ["Views", "split_columns"]


class Views:
    """Several views of the same samples.

    Row ``i`` of every view is the same sample. Views keep their dtype and their sparsity. They may contain NaN, because
    files may; estimators that cannot use NaN raise an error that names its row and column.

    Parameters
    ----------
    data : list or tuple, mapping of name to view, Views, Bunch, AnnData or MuData
        Each view is (n_samples, n_features): an array, a SciPy sparse matrix or a pandas DataFrame, or a matrix in a file
        (a memory map, an HDF5 data set, a Zarr array, ``io.ParquetRows``), whose rows are read when they are needed.
        DataFrames are joined on their index, in the order of the first one. An id that is missing from another
        DataFrame, or that it contains twice, is an error. An array has no ids, so it can only be combined with
        DataFrames that are already in the same order. Bunches, AnnData and MuData are converted as in
        :func:`viewfuse.load_views`. A networkx graph is a view of the kind "graph"; its nodes are matched with the ids, or
        are 0 … n − 1.
    names : sequence of str, optional
        Names of the views. The default is the keys of the mapping, or ``view0``, ``view1``, …
    ids : sequence, optional
        One distinct id per sample. The default is the index of the DataFrames, or None.
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

    Attributes
    ----------
    arrays, names, kinds, feature_names : tuples with one entry per view
    ids, y, present : arrays or None
    n_views : int
    n_dropped : int, samples that were left out when the data was read, because some view does not have them
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
    ) -> None:
        if missing != "error":
            names, members = named_members(data, names)
            data, names = Views._from_aligned(matched_by_id(members, names, missing)), None
        elif holds_views(data):
            data = Views._from_container(data)
        self.n_dropped: int = data.n_dropped if isinstance(data, Views) else 0
        self._origin: tuple[Views, np.ndarray] | None = None  # of samples that were selected from other views
        if isinstance(data, Views):
            kinds, self._origin = data.kinds if kinds is None else kinds, data._origin
            names = data.names if names is None else names
            ids = data.ids if ids is None else ids
            y = data.y if y is None else y
            present = data.present if present is None else present
            feature_names = data.feature_names
            matrices: list[Any] = list(data.arrays)
        else:
            names, members = named_members(data, names)
            if any(map(is_network, members)):
                kinds = _with_graphs(kinds, names, members)
                members, ids = networks_as_matrices(members, names, ids)
            members, index = joined_on_index(align_relations(members, names, kinds), names)
            feature_names = tuple(column_names(member) for member in members)
            matrices = [as_matrix(member, name) for member, name in zip(members, names, strict=True)]
            ids = index if ids is None else ids
        self.names: tuple[str, ...] = checked_names(names, len(matrices))
        self.arrays: tuple[Any, ...] = tuple(matrices)
        self.feature_names: tuple[np.ndarray | None, ...] = feature_names
        _check_lengths(self.arrays, self.names)
        self.kinds: tuple[str, ...] = checked_kinds(kinds, self.names, self.arrays)
        self.ids: np.ndarray | None = _checked_ids(ids, len(self))
        self.y: np.ndarray | None = _checked_column(y, len(self), "y")
        self.present: np.ndarray | None = _checked_present(present, len(self), self.n_views)

    @classmethod
    def from_members(cls, members: Sequence[Member], missing: Missing = "error") -> Views:
        """Make views whose rows are matched by id; see :func:`viewfuse.views.join_by_id.align`."""
        return cls._from_aligned(align(members, missing))

    @classmethod
    def _from_aligned(cls, aligned: Aligned) -> Views:
        members = aligned.members
        views = cls(
            [m.matrix for m in members],
            names=[m.name for m in members],
            ids=aligned.ids,
            present=aligned.present,
            kinds=[m.kind for m in members],
        )
        views.feature_names = tuple(member.feature_names for member in members)
        views.n_dropped = aligned.n_dropped
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
        selected.n_dropped = self.n_dropped
        selected.arrays = tuple(
            take_block(array, rows) if kind in RELATIONS else take_rows(array, rows)
            for array, kind in zip(self.arrays, self.kinds, strict=True)
        )
        selected._origin = None
        if any(kind in RELATIONS for kind in self.kinds):
            origin, places = self.selected_from()
            selected._origin = origin, places[rows]
        selected.ids, selected.y, selected.present = (
            None if column is None else column[rows] for column in (self.ids, self.y, self.present)
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
        selected.n_dropped = self.n_dropped
        selected.ids, selected.y, selected._origin = self.ids, self.y, None  # its relations have other positions
        selected.present = None if self.present is None else self.present[:, chosen]
        return selected

    def selected_from(self) -> tuple[Views, np.ndarray]:
        """Return the views with relations that these samples were selected from, and their positions there."""
        return (self, np.arange(len(self))) if self._origin is None else self._origin

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
        complete = Views(arrays, names=self.names, ids=self.ids, kinds=self.kinds)
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


def _with_graphs(kinds: Kinds, names: Sequence[str], members: Sequence[Any]) -> dict[str, str]:
    """The kinds of all views, where networkx graphs are graphs."""
    if kinds is None or isinstance(kinds, (str, Mapping)):
        default = kinds if isinstance(kinds, str) else "features"
        named = dict.fromkeys(names, default) | (dict(kinds) if isinstance(kinds, Mapping) else {})
    else:
        named = dict(zip(names, kinds, strict=True))
    return named | {name: "graph" for name, member in zip(names, members, strict=True) if is_network(member)}


def split_columns(matrix: Any, groups: Mapping[str, Any] | Sequence[Any]) -> tuple[Views, int]:
    """Split one (n, d) array, sparse matrix or DataFrame into views by groups of columns.

    A group is what ``ColumnTransformer`` takes: a slice, positions, names or a mask. Returns the views and the number of
    columns that are in no view.
    """
    if isinstance(groups, Mapping):
        named = {str(name): group for name, group in groups.items()}
    elif isinstance(groups, (list, tuple)):
        named = {f"view{v}": group for v, group in enumerate(groups)}
    else:
        raise ViewsTypeError(
            f"Groups of columns must be a mapping of view names to columns, or a list; got {type(groups).__name__}.",
            hint="Use, for example, views={'sound': slice(0, 20), 'image': slice(20, 60)}.",
            parameter="views",
            value=({"sound": slice(0, 20), "image": slice(20, 60)},),
        )
    if not named:
        raise ViewsError("No view is named.", hint="Give at least one group of columns in views=.", parameter="views")
    n_columns, known = matrix.shape[1], column_names(matrix)
    columns = {name: columns_of_group(name, group, n_columns, known) for name, group in named.items()}
    unused = n_columns - np.unique(np.concatenate(list(columns.values()))).size
    if is_dataframe(matrix):
        return Views({name: matrix.iloc[:, chosen] for name, chosen in columns.items()}), unused
    by_column = matrix.tocsc() if sp.issparse(matrix) else matrix
    return Views({name: by_column[:, chosen] for name, chosen in columns.items()}), unused


def _check_lengths(arrays: Sequence[Any], names: Sequence[str]) -> None:
    lengths = [array.shape[0] for array in arrays]
    if len(set(lengths)) > 1:
        found = ", ".join(f"{name!r} {length}" for name, length in zip(names, lengths, strict=True))
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
