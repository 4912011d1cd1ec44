"""Convert one view to a 2-D matrix of real numbers: from a DataFrame, an array, a sparse matrix or a file."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import scipy.sparse as sp
from array_api_compat import array_namespace, is_array_api_obj, is_numpy_array

from .._utils.row_blocks import is_on_disk, read_rows
from ..exceptions import ViewsError, ViewsTypeError

__all__ = ["as_float", "as_matrix", "column_names", "is_dataframe", "memory_of", "take_block", "take_rows", "with_zero_rows"]


def is_dataframe(data: Any) -> bool:
    """Return whether this is a pandas DataFrame, without importing pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, pandas.DataFrame)


def column_names(member: Any) -> np.ndarray | None:
    """Return the column names of a DataFrame or ``io.ParquetRows``; None for other matrices."""
    if not (is_dataframe(member) or (is_on_disk(member) and hasattr(member, "columns"))):
        return None
    return np.asarray([str(name) for name in member.columns], dtype=object)


def as_matrix(member: Any, name: str) -> Any:
    """Return one view as a 2-D numeric matrix of the same dtype; ``name`` is the name of the view."""
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
            raise ViewsError(f"View {name!r} is not a matrix: {error}", view=name) from error
    if matrix.ndim != 2:
        raise ViewsError(
            f"View {name!r} must be 2-D (samples × features), but has shape {tuple(matrix.shape)}.",
            hint="Reshape your data; x.reshape(-1, 1) turns a vector into a view with one feature.",
            view=name,
        )
    if 0 in matrix.shape:
        raise ViewsError(
            f"View {name!r} is empty: {matrix.shape[0]} samples × {matrix.shape[1]} features.",
            hint="Leave the view out.",
            view=name,
        )
    return _checked_dtype(matrix, name)


def _frame_to_numpy(frame: Any, name: str) -> np.ndarray:
    for position, (column, dtype) in enumerate(zip(frame.columns, frame.dtypes, strict=True)):
        if dtype.kind == "O":
            _check_numbers(frame.iloc[:, position].to_numpy(dtype=object), name, f"column {column!r}")
        elif not _is_real_dtype(dtype):
            raise ViewsTypeError(
                f"View {name!r}, column {column!r} is not numeric ({dtype}); features must be real numbers.",
                hint="Drop the column, or encode it as numbers.",
                view=name,
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
            raise ViewsTypeError(f"View {name!r} contains {matrix.dtype} values; features must be real numbers.", view=name)
        return matrix
    if matrix.dtype.kind == "c":
        raise ViewsTypeError(
            f"View {name!r} is complex ({matrix.dtype}): Complex data not supported.",  # scikit-learn tests these words
            hint="Give real numbers, for example the modulus and the phase as two views.",
            view=name,
        )
    if matrix.dtype.kind == "O":
        return _object_to_float(matrix, name)
    if not _is_real_dtype(matrix.dtype):
        raise ViewsTypeError(
            f"View {name!r} is not numeric ({matrix.dtype}); features must be real numbers.",
            hint="Encode its columns as numbers.",
            view=name,
        )
    return matrix


def _object_to_float(matrix: np.ndarray, name: str) -> np.ndarray:
    """Convert numbers stored as Python objects. Text is never parsed: it is an error that names its row and column."""
    for column in range(matrix.shape[1]):
        _check_numbers(matrix[:, column], name, f"column {column}")
    return matrix.astype(np.float64)


def _check_numbers(values: np.ndarray, view: str, column: str) -> None:
    for row, value in enumerate(values):
        missing = value is None or type(value).__name__ in ("NAType", "NaTType")
        if missing or (isinstance(value, (int, float, np.number, np.bool_)) and not np.iscomplexobj(value)):
            continue
        raise ViewsTypeError(
            f"View {view!r} holds {value!r} ({type(value).__name__}) in row {row}, {column}; features must be real numbers.",
            hint="Remove or encode such values.",
            view=view,
        )


def memory_of(array: Any) -> str:
    """Name the library and the device that hold an array, for messages."""
    if sp.issparse(array) or is_numpy_array(array) or is_on_disk(array):
        return "NumPy's memory"
    return f"{array_namespace(array).__name__.rpartition('.')[2]}'s memory on {array.device}"


def as_float(array: Any, *, single: bool) -> Any:
    """Return an array as float32 (``single``) or float64; a matrix in a file is read as a whole."""
    if is_on_disk(array):
        array = array[:]
    if sp.issparse(array):
        return array.astype(np.float32 if single else np.float64, copy=False)
    xp = array_namespace(array)
    return xp.astype(array, xp.float32 if single else xp.float64, copy=False)


def with_zero_rows(array: Any, rows: np.ndarray) -> Any:
    """Return a copy in which the rows of the mask are zeros; the array itself if the mask is empty."""
    if not rows.any():
        return array
    if sp.issparse(array):
        return sp.csr_array(sp.diags_array((~rows).astype(array.dtype)) @ array)
    xp = array_namespace(array)
    return xp.where(xp.asarray(rows, device=array.device)[:, None], xp.zeros_like(array), array)


def take_rows(array: Any, rows: np.ndarray) -> Any:
    """Return rows by position, in any order, of an array, a sparse matrix or a matrix in a file."""
    if is_on_disk(array):
        ascending, places = np.unique(rows, return_inverse=True)
        return read_rows(array, ascending)[places]
    if sp.issparse(array) or is_numpy_array(array):
        return array[rows]
    xp = array_namespace(array)
    return xp.take(array, xp.asarray(rows, device=array.device), axis=0)


def take_block(array: Any, rows: np.ndarray, columns: np.ndarray | None = None) -> Any:
    """Return the rows and, by default the same, columns of a relation between samples."""
    columns = rows if columns is None else columns
    taken = take_rows(array, rows)
    if sp.issparse(taken) or is_numpy_array(taken):
        return taken[:, columns]
    xp = array_namespace(taken)
    return xp.take(taken, xp.asarray(columns, device=taken.device), axis=1)
