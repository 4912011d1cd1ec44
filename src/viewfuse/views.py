"""Views: named, row-aligned, validated views of the same samples. The only data the core ever sees."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from array_api_compat import array_namespace, is_array_api_obj, is_numpy_array
from sklearn.utils import Bunch

from ._device import to_host
from ._disk import is_on_disk, read_rows
from ._text import count as _count
from ._text import listed as _listed
from .exceptions import ViewsError, ViewsTypeError

__all__ = ["Views"]


class Views:
    """Several views of the same samples.

    Row ``i`` of every view is the same sample. Views keep the dtype and the sparsity they came with;
    NaN is allowed here (a file may hold it) and refused by the estimators, with its place.

    Parameters
    ----------
    data : list or tuple, mapping of name to view, Views, Bunch, AnnData or MuData
        Each view is (n_samples, n_features): an array, a scipy sparse matrix or a pandas DataFrame, or a matrix in a
        file (a memory map, an HDF5 data set, a Zarr array, ``io.ParquetRows``), of which rows are read when they are needed.
        DataFrames are joined on their index: the first one sets the order of the samples, and ids that
        another does not have, or has twice, are an error. An array has no ids, so it can only stand
        beside DataFrames that are already in one order. Bunches, AnnData and MuData become views as
        :func:`viewfuse.load_views` does it.
    names : sequence of str, optional
        Names of the views; by default the mapping's keys, else ``view0``, ``view1``, …
    ids : sequence, optional
        One distinct id per sample; by default the DataFrames' index, else None.
    y : sequence, optional
        True labels, one per sample. For metrics only: no estimator reads them.
    present : (n_samples, n_views) array of bool, optional
        False where a sample has no such view; None when every sample has every view.
    missing : {"error", "keep", "drop"}
        What becomes of an id that some DataFrame does not have: an error; kept, with ``present`` False there; or dropped.

    Attributes
    ----------
    arrays, names, feature_names : tuples with one entry per view
    ids, y, present : arrays or None
    n_views : int
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
    ) -> None:
        if missing != "error":
            data = _matched_by_id(data, names, missing)
        if holds_views(data):
            from .io import load_views  # here, because io stands above this module

            data = load_views(data)
        if isinstance(data, Views):
            names = data.names if names is None else names
            ids = data.ids if ids is None else ids
            y = data.y if y is None else y
            present = data.present if present is None else present
            feature_names = data.feature_names
            matrices: list[Any] = list(data.arrays)
        else:
            names, members = _named_members(data, names)
            members, index = _joined_on_index(members, names)
            feature_names = tuple(_column_names(member) for member in members)
            matrices = [_as_matrix(member, name) for member, name in zip(members, names, strict=True)]
            ids = index if ids is None else ids
        self.names: tuple[str, ...] = _checked_names(names, len(matrices))
        self.arrays: tuple[Any, ...] = tuple(matrices)
        self.feature_names: tuple[np.ndarray | None, ...] = feature_names
        _check_lengths(self.arrays, self.names)
        self.ids: np.ndarray | None = _checked_ids(ids, len(self))
        self.y: np.ndarray | None = _checked_column(y, len(self), "y")
        self.present: np.ndarray | None = _checked_present(present, len(self), self.n_views)

    @property
    def n_views(self) -> int:
        return len(self.arrays)

    @property
    def shape(self) -> tuple[int, int]:
        return self.arrays[0].shape[0], sum(array.shape[1] for array in self.arrays)

    def __len__(self) -> int:
        return int(self.arrays[0].shape[0])

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the views, as over the list they came from."""
        return iter(self.arrays)

    def __getitem__(self, samples: Any) -> Views:
        """The same views of some samples: an index array, a mask, a slice or one position."""
        if isinstance(samples, tuple):
            # scikit-learn indexes rows as X[rows, ...]
            if len(samples) != 2 or samples[1] is not Ellipsis:
                raise ViewsTypeError(
                    "Views are indexed by samples only, as in views[rows]; take a view by its name with views.view(name)."
                )
            samples = samples[0]
        if isinstance(samples, str):
            raise ViewsTypeError(f"Views are indexed by samples; take one view with views.view({samples!r}).")
        rows = np.atleast_1d(np.arange(len(self))[np.asarray(samples) if isinstance(samples, list) else samples])
        if rows.ndim != 1 or isinstance(samples, (bool, np.bool_)):
            raise ViewsTypeError(f"Samples are selected by positions, a mask or a slice; got {samples!r}.")
        selected = object.__new__(Views)
        selected.names, selected.feature_names = self.names, self.feature_names
        selected.arrays = tuple(_take_rows(array, rows) for array in self.arrays)
        selected.ids, selected.y, selected.present = (
            None if column is None else column[rows] for column in (self.ids, self.y, self.present)
        )
        selected.present = _checked_present(selected.present, len(selected), selected.n_views)
        return selected

    def view(self, name: str) -> Any:
        """The matrix of one view, by name."""
        if name not in self.names:
            raise ViewsError(f"There is no view {name!r}; the views are {_listed(self.names)}.")
        return self.arrays[self.names.index(name)]

    def sample_name(self, row: int) -> str:
        """How messages call a sample: its row, and its id where it has one."""
        return f"row {row}" if self.ids is None else f"row {row} (id {self.ids[row : row + 1].tolist()[0]!r})"

    def feature_name(self, view: int, column: int) -> str:
        """How messages call a feature: its column, and its name where it has one."""
        names = self.feature_names[view]
        return f"column {column}" if names is None else f"column {column} ({names[column]!r})"

    def float_arrays(self) -> list[Any]:
        """The views as finite floating-point arrays: float32 when every view is, else float64.

        Sparse views stay sparse (CSR). Raises ``ViewsError`` with the place of the first value that is
        not finite, or the first sample that a view does not have.
        """
        self._check_present()
        self._check_one_place()
        single = all(str(array.dtype).endswith("float32") for array in self.arrays)
        arrays = [_as_float(array, single=single) for array in self.arrays]
        for v, array in enumerate(arrays):
            self._check_finite(v, array)
        return arrays

    def incomplete_arrays(self) -> tuple[list[Any], np.ndarray | None]:
        """The same where samples may lack views: rows of zeros for those, and who has which view, (n_samples, n_views).

        A row of NaN is of a sample that lacks the view, as one that ``present`` says so of; None where nobody lacks any.
        """
        present = np.ones((len(self), self.n_views), dtype=bool) if self.present is None else self.present.copy()
        arrays = []
        for v, stored in enumerate(self.arrays):
            array = stored[:] if is_on_disk(stored) else stored
            if not (sp.issparse(array) or array_namespace(array).isdtype(array.dtype, ("bool", "integral"))):
                present[:, v] &= ~to_host(array_namespace(array).all(array != array, axis=1))
            arrays.append(_zeroed(array, ~present[:, v]))
        nowhere = np.flatnonzero(~present.any(axis=1))
        if nowhere.size:
            sample = self.sample_name(int(nowhere[0]))
            raise ViewsError(f"The sample in {sample} lacks every view, so nothing says where it belongs. Leave it out.")
        complete = Views(arrays, names=self.names, ids=self.ids)
        complete.feature_names = self.feature_names
        return complete.float_arrays(), None if present.all() else present

    def _check_present(self) -> None:
        if self.present is None:
            return
        for v, name in enumerate(self.names):
            absent = np.flatnonzero(~self.present[:, v])
            if absent.size:
                raise ViewsError(
                    f"View {name!r} lacks {_count(absent.size, 'sample')}, the first "
                    f"{self.sample_name(absent[0])}. This method needs every sample in every view: keep the "
                    "complete ones with views[views.present.all(axis=1)]."
                )

    def _check_one_place(self) -> None:
        """Tensors on one device; NumPy and sparse views may be mixed, as both are in the processor's memory."""
        places = [_place(array) for array in self.arrays]
        for v, place in enumerate(places):
            if place != places[0]:
                raise ViewsTypeError(
                    f"View {self.names[0]!r} is in {places[0]}, but view {self.names[v]!r} in {place}. Move all views to "
                    "one place, or give NumPy arrays and device=."
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
            f"View {self.names[v]!r} has {_count(found, 'value')} that {'is' if found == 1 else 'are'} "
            f"NaN or infinite; the first is {kind} in {self.sample_name(row)}, {self.feature_name(v, column)}. "
            "Remove or impute them first."
        )

    def __repr__(self) -> str:
        described = ", ".join(
            f"{name}: {_count(array.shape[1], 'feature')}" + (f" (sparse {array.dtype})" if sp.issparse(array) else "")
            for name, array in zip(self.names, self.arrays, strict=True)
        )
        return f"Views({_count(len(self), 'sample')}; {described})"


def split_columns(matrix: Any, groups: Mapping[str, Any] | Sequence[Any]) -> tuple[Views, int]:
    """Split one (n, d) array, sparse matrix or DataFrame into views by groups of columns.

    A group is what ``ColumnTransformer`` takes: a slice, positions, names or a mask. Returns the views and how many columns
    are in none of them.
    """
    if isinstance(groups, Mapping):
        named = {str(name): group for name, group in groups.items()}
    elif isinstance(groups, (list, tuple)):
        named = {f"view{v}": group for v, group in enumerate(groups)}
    else:
        raise ViewsTypeError(
            "views= must map each view's name to its columns, as in "
            f"{{'sound': slice(0, 20), 'image': slice(20, 60)}}; got {type(groups).__name__}."
        )
    if not named:
        raise ViewsError("views= names no view; give at least one group of columns.")
    n_columns, column_names = matrix.shape[1], _column_names(matrix)
    columns = {name: _columns_of_group(name, group, n_columns, column_names) for name, group in named.items()}
    unused = n_columns - np.unique(np.concatenate(list(columns.values()))).size
    if is_dataframe(matrix):
        return Views({name: matrix.iloc[:, chosen] for name, chosen in columns.items()}), unused
    by_column = matrix.tocsc() if sp.issparse(matrix) else matrix
    return Views({name: by_column[:, chosen] for name, chosen in columns.items()}), unused


def align_graph_frames(data: Any) -> Any:
    """Graphs given as DataFrames, their columns in the order of the first one's rows: only rows remain to be joined."""
    if not isinstance(data, (Mapping, list, tuple)):
        return data
    names, members = _named_members(data, None)
    reference = next((member.index for member in members if is_dataframe(member)), None)
    aligned = [_columns_like(m, reference, name) if is_dataframe(m) else m for m, name in zip(members, names, strict=True)]
    return dict(zip(names, aligned, strict=True))


def _columns_like(graph: Any, reference: Any, name: str) -> Any:
    """One graph's columns in the order of ``reference``, where they are named by the samples."""
    if graph.columns.equals(reference) or not graph.columns.isin(graph.index).any():
        return graph  # in order already, or numbered rather than named
    if len(graph.columns) != len(reference) or not reference.isin(graph.columns).all():
        raise ViewsError(
            f"View {name!r}: a graph's columns must hold the ids of its rows, but "
            f"{_listed(reference.symmetric_difference(graph.columns))} stand on one side only."
        )
    return graph[reference]


def is_dataframe(data: Any) -> bool:
    """Whether this is a pandas DataFrame, without importing pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, pandas.DataFrame)


def _columns_of_group(view: str, group: Any, n_columns: int, column_names: Sequence[str] | np.ndarray | None) -> np.ndarray:
    """Positions of one group's columns."""
    if isinstance(group, slice) and not any(isinstance(end, str) for end in (group.start, group.stop)):
        positions = np.arange(n_columns)[group]
    else:
        if isinstance(group, slice):
            raise ViewsTypeError(f"views[{view!r}]: a slice takes positions; list the columns' names instead.")
        wanted = np.atleast_1d(np.asarray(group))
        if wanted.dtype == bool:
            if wanted.size != n_columns:
                raise ViewsError(f"views[{view!r}]: the mask has {wanted.size} entries for {_count(n_columns, 'column')}.")
            positions = np.flatnonzero(wanted)
        elif wanted.dtype.kind in "iu":
            outside = wanted[(wanted < -n_columns) | (wanted >= n_columns)]
            if outside.size:
                raise ViewsError(
                    f"views[{view!r}] asks for column {outside[0]}, but there are {_count(n_columns, 'column')}."
                )
            positions = wanted % n_columns
        else:
            if column_names is None:
                raise ViewsError(
                    f"views[{view!r}] gives column names, but the data has none; pass a DataFrame, or positions or a slice."
                )
            place = {name: position for position, name in enumerate(column_names)}
            unknown = [name for name in wanted.tolist() if name not in place]
            if unknown:
                raise ViewsError(f"views[{view!r}] asks for {_listed(unknown)}, which the data does not have.")
            positions = np.array([place[name] for name in wanted.tolist()], dtype=int)
    if positions.size == 0:
        raise ViewsError(
            f"views[{view!r}] selects no column of the {n_columns} there are; leave the view out or mend its group."
        )
    return positions


def holds_views(data: Any) -> bool:
    """Whether this is a Bunch, AnnData or MuData, which ``Views`` takes apart; without importing the latter two."""
    return isinstance(data, Bunch) or type(data).__module__.partition(".")[0] in ("anndata", "mudata")


def holds_dask(data: Any) -> bool:
    """Whether this is a Dask collection, or views of which one is; without importing Dask."""
    members = data.values() if isinstance(data, Mapping) else data if isinstance(data, (list, tuple)) else [data]
    return any(type(member).__module__.startswith("dask") for member in members)


def _named_members(data: Any, names: Sequence[str] | None) -> tuple[list[str], list[Any]]:
    if isinstance(data, Mapping):
        members = list(data.values())
        names = [str(name) for name in data] if names is None else list(names)
    elif isinstance(data, (list, tuple)):
        members = list(data)
        names = [f"view{v}" for v in range(len(members))] if names is None else list(names)
    else:
        shape = f" of shape {data.shape}" if hasattr(data, "shape") else ""
        raise ViewsTypeError(
            f"Views are a list, a mapping of names to matrices, or Views; got {type(data).__name__}{shape}. "
            "For one 2-D array, put it in a list or tell the estimator its column groups with views=."
        )
    if not members:
        raise ViewsError("There are no views; give at least one (samples × features) matrix.")
    return list(_checked_names(names, len(members))), members


def _joined_on_index(members: list[Any], names: Sequence[str]) -> tuple[list[Any], Any]:
    """Put every DataFrame in the order of the first one's index; returns the ids too."""
    framed = [v for v, member in enumerate(members) if is_dataframe(member)]
    if not framed:
        return members, None
    reference = members[framed[0]].index
    for v in framed:
        repeated = members[v].index[members[v].index.duplicated()].unique()
        if len(repeated):
            raise ViewsError(f"View {names[v]!r} has the same id in several rows: {_listed(repeated)}.")
    joined = list(members)
    for v in framed[1:]:
        index = members[v].index
        if index.equals(reference):
            continue
        unknown, absent = index.difference(reference, sort=False), reference.difference(index, sort=False)
        if len(unknown) or len(absent):
            raise ViewsError(_id_mismatch(names[framed[0]], names[v], unknown, absent))
        if len(framed) < len(members):
            unframed = next(name for w, name in enumerate(names) if w not in framed)
            raise ViewsError(
                f"Views {names[framed[0]]!r} and {names[v]!r} hold the same ids in different orders, and view "
                f"{unframed!r} has no ids to follow them; give it an index too."
            )
        joined[v] = members[v].loc[reference]
    # A plain 0…n−1 index is a frame's row numbers, not ids.
    is_row_numbers = np.array_equal(reference.to_numpy(), np.arange(len(reference)))
    return joined, None if is_row_numbers else reference.to_numpy()


def _matched_by_id(data: Any, names: Sequence[str] | None, missing: str) -> Views:
    """DataFrames that do not all have the same ids."""
    from .io.align import Member, align  # here, because io stands above this module

    if missing not in ("keep", "drop"):
        raise ViewsError(f"missing must be 'error', 'keep' or 'drop', not {missing!r}.")
    names, members = _named_members(data, names)
    without = [name for name, member in zip(names, members, strict=True) if not is_dataframe(member)]
    if without:
        raise ViewsError(f"missing={missing!r} matches DataFrames by their index, and {_listed(without)} is none.")
    return align(
        [
            Member(name, _as_matrix(frame, name), frame.index.to_numpy(), _column_names(frame))
            for name, frame in zip(names, members, strict=True)
        ],
        missing,  # type: ignore[arg-type]
    )


def _id_mismatch(first: str, other: str, unknown: Any, absent: Any) -> str:
    parts = []
    if len(unknown):
        parts.append(f"View {other!r} has {_count(len(unknown), 'id')} unknown to view {first!r}: {_listed(unknown)}.")
    if len(absent):
        parts.append(f"View {other!r} lacks {_count(len(absent), 'id')} of view {first!r}: {_listed(absent)}.")
    return " ".join(
        [*parts, "Keep those all views share with Views(..., missing='drop'), or all of them with missing='keep'."]
    )


def _column_names(member: Any) -> np.ndarray | None:
    if not (is_dataframe(member) or (is_on_disk(member) and hasattr(member, "columns"))):
        return None
    return np.asarray([str(name) for name in member.columns], dtype=object)


def _as_matrix(member: Any, name: str) -> Any:
    """One view as a 2-D numeric matrix, its dtype kept."""
    if is_dataframe(member):
        matrix: Any = _frame_to_numpy(member, name)
    elif sp.issparse(member):
        matrix = member.tocsr()
    elif is_array_api_obj(member) or is_on_disk(member):
        matrix = member
    else:
        try:
            matrix = np.asarray(member)
        except ValueError as error:
            raise ViewsError(f"View {name!r} is not a matrix: {error}") from error
    if matrix.ndim != 2:
        raise ViewsError(
            f"View {name!r} must be 2-D (samples × features), but has shape {tuple(matrix.shape)}. "
            "Reshape your data: x.reshape(-1, 1) makes one feature a view."
        )
    if 0 in matrix.shape:
        raise ViewsError(f"View {name!r} is empty: {matrix.shape[0]} samples × {matrix.shape[1]} features. Leave it out.")
    return _checked_dtype(matrix, name)


def _frame_to_numpy(frame: Any, name: str) -> np.ndarray:
    for position, (column, dtype) in enumerate(zip(frame.columns, frame.dtypes, strict=True)):
        if dtype.kind == "O":
            _check_numbers(frame.iloc[:, position].to_numpy(dtype=object), name, f"column {column!r}")
        elif not _is_real_dtype(dtype):
            raise ViewsTypeError(
                f"View {name!r}, column {column!r} is not numeric ({dtype}); drop it or encode it as numbers."
            )
    if any(str(dtype)[:1].isupper() for dtype in frame.dtypes):  # pandas' nullable Int64, Float32, …
        return frame.to_numpy(dtype=float, na_value=np.nan)
    return frame.to_numpy()


def _is_real_dtype(dtype: Any) -> bool:
    return dtype.kind in "biuf"


def _checked_dtype(matrix: Any, name: str) -> Any:
    if not (is_numpy_array(matrix) or sp.issparse(matrix) or is_on_disk(matrix)):
        xp = array_namespace(matrix)
        if not xp.isdtype(matrix.dtype, ("bool", "real floating", "integral")):
            raise ViewsTypeError(f"View {name!r} holds {matrix.dtype}; give real numbers.")
        return matrix
    if matrix.dtype.kind == "c":
        raise ViewsTypeError(
            f"View {name!r} is complex ({matrix.dtype}): Complex data not supported. "
            "Give real numbers, for example the modulus and the phase as two views."
        )
    if matrix.dtype.kind == "O":
        return _object_to_float(matrix, name)
    if not _is_real_dtype(matrix.dtype):
        raise ViewsTypeError(f"View {name!r} is not numeric ({matrix.dtype}); encode its columns as numbers first.")
    return matrix


def _object_to_float(matrix: np.ndarray, name: str) -> np.ndarray:
    """Numbers stored as Python objects; text is refused with its place, never parsed."""
    for column in range(matrix.shape[1]):
        _check_numbers(matrix[:, column], name, f"column {column}")
    return matrix.astype(np.float64)


def _check_numbers(values: np.ndarray, view: str, column: str) -> None:
    for row, value in enumerate(values):
        missing = value is None or type(value).__name__ in ("NAType", "NaTType")
        if missing or (isinstance(value, (int, float, np.number, np.bool_)) and not np.iscomplexobj(value)):
            continue
        raise ViewsTypeError(
            f"View {view!r} holds {value!r} ({type(value).__name__}) in row {row}, {column}; give real numbers only."
        )


def _place(array: Any) -> str:
    """In whose memory an array is, as messages call it."""
    if sp.issparse(array) or is_numpy_array(array) or is_on_disk(array):
        return "NumPy's memory"
    return f"{array_namespace(array).__name__.rpartition('.')[2]}'s memory on {array.device}"


def _as_float(array: Any, *, single: bool) -> Any:
    if is_on_disk(array):
        array = array[:]
    if sp.issparse(array):
        return array.astype(np.float32 if single else np.float64, copy=False)
    xp = array_namespace(array)
    return xp.astype(array, xp.float32 if single else xp.float64, copy=False)


def _zeroed(array: Any, rows: np.ndarray) -> Any:
    """A copy whose rows are zeros where the mask says so."""
    if not rows.any():
        return array
    if sp.issparse(array):
        return sp.csr_array(sp.diags_array((~rows).astype(array.dtype)) @ array)
    xp = array_namespace(array)
    return xp.where(xp.asarray(rows, device=array.device)[:, None], xp.zeros_like(array), array)


def _take_rows(array: Any, rows: np.ndarray) -> Any:
    if is_on_disk(array):
        ascending, places = np.unique(rows, return_inverse=True)
        return read_rows(array, ascending)[places]
    if sp.issparse(array) or is_numpy_array(array):
        return array[rows]
    xp = array_namespace(array)
    return xp.take(array, xp.asarray(rows, device=array.device), axis=0)


def _checked_names(names: Sequence[str], n_views: int) -> tuple[str, ...]:
    checked = tuple(str(name) for name in names)
    if len(checked) != n_views:
        raise ViewsError(f"There are {_count(len(checked), 'name')} for {_count(n_views, 'view')}.")
    repeated = sorted({name for name in checked if checked.count(name) > 1})
    if repeated:
        raise ViewsError(f"Several views are called {_listed(repeated)}; give each its own name.")
    return checked


def _check_lengths(arrays: Sequence[Any], names: Sequence[str]) -> None:
    lengths = [array.shape[0] for array in arrays]
    if len(set(lengths)) > 1:
        listed = ", ".join(f"{name!r} {length}" for name, length in zip(names, lengths, strict=True))
        raise ViewsError(
            f"The views do not have the same number of samples: {listed}. Every view needs one row per sample, "
            "in the same order; to match samples by id, give DataFrames with the ids as index."
        )


def _checked_column(column: Any, n_samples: int, what: str) -> np.ndarray | None:
    if column is None:
        return None
    column = np.asarray(column)
    if column.ndim != 1 or column.size != n_samples:
        raise ViewsError(f"{what} must hold one value per sample ({n_samples}), but has shape {column.shape}.")
    return column


def _checked_ids(ids: Any, n_samples: int) -> np.ndarray | None:
    if ids is not None and not isinstance(ids, np.ndarray):
        listed_ids = list(ids)
        ids = np.asarray(listed_ids)
        if ids.ndim != 1:  # several levels: each id is a tuple
            ids = np.empty(len(listed_ids), dtype=object)
            ids[:] = listed_ids
    ids = _checked_column(ids, n_samples, "ids")
    if ids is not None:
        seen: set[Any] = set()
        repeated = [i for i in ids.tolist() if i in seen or seen.add(i)]  # type: ignore[func-returns-value]
        if repeated:
            raise ViewsError(f"ids must be distinct, but these stand several times: {_listed(repeated)}.")
    return ids


def _checked_present(present: Any, n_samples: int, n_views: int) -> np.ndarray | None:
    if present is None:
        return None
    present = np.asarray(present, dtype=bool)
    if present.shape != (n_samples, n_views):
        raise ViewsError(
            f"present must have shape ({n_samples}, {n_views}), one entry per sample and view, not {present.shape}."
        )
    nowhere = np.flatnonzero(~present.any(axis=1))
    if nowhere.size:
        raise ViewsError(f"{_count(nowhere.size, 'sample')} in no view at all, the first in row {nowhere[0]}.")
    return None if present.all() else present
