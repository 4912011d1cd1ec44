"""Protection against damaged and hostile files: one kind of error, and no allocation because of a header alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..exceptions import ViewfuseError, ViewsError, ViewsFormatError

__all__ = ["MAX_INFLATION", "Unread", "check_claim", "checked_sparse", "is_matrix", "is_numeric", "reading"]

# Deflate cannot compress anything below 1/1032 of its size (a bound given by zlib), so no valid file claims more than this
# many times the bytes it has.
MAX_INFLATION = 1032
_SMALL = 1 << 16  # smaller claims are not checked
_EMPTY_ROWS = 1_000_000  # a sparse matrix may have this many empty rows; more are taken as a sign of damage


class Unread:
    """Stands for a variable of a kind that is not read: a struct, an object, a function handle, or a cell of these."""


@contextmanager
def reading(path: Path, kind: str) -> Iterator[None]:
    """Turn every error inside the block into a ``ViewsFormatError`` that names the file and the reason.

    h5py, SciPy, pandas and pyarrow raise exceptions of every type for damaged files, so all of them are caught here, and
    only here. A file that does not exist or cannot be opened keeps its own exception, and so does a warning that the user
    has turned into an error. The fields of a ``ViewsError`` are kept.
    """
    try:
        yield
    except (FileNotFoundError, PermissionError, IsADirectoryError, Warning):
        raise
    except ViewsError as error:
        fields = {name: getattr(error, name) for name in ("hint", "view", "parameter", "value")}
        raise ViewsFormatError(f"{path}: {error.problem}", **fields) from error
    except ViewfuseError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ViewsFormatError(f"{path}: cannot be read as {kind}: the file is damaged or cut short ({reason}).") from error


def check_claim(claimed: int, stored: int, what: str) -> None:
    """Refuse to allocate ``claimed`` bytes for something that takes only ``stored`` bytes in the file."""
    if claimed > max(_SMALL, MAX_INFLATION * stored):
        raise ViewsFormatError(f"{what} claims {claimed:,} bytes, but takes only {stored:,} bytes of the file.")


def checked_sparse(matrix: Any, what: str) -> Any:
    """Check the shape and the indices of a sparse matrix: SciPy's conversions would write to any index."""
    if max(matrix.shape) > _EMPTY_ROWS + 1000 * matrix.nnz:
        rows, columns = matrix.shape
        raise ViewsFormatError(f"{what} claims {rows:,} × {columns:,} values, but holds only {matrix.nnz:,}.")
    if matrix.format == "coo":
        return matrix.tocsc()  # the constructor has checked the indices
    try:
        matrix.check_format(full_check=True)
    except ValueError as error:
        raise ViewsFormatError(f"{what} is not a valid sparse matrix: {error}.") from error
    return matrix


def is_numeric(value: Any) -> bool:
    """Return whether this is an array or a sparse matrix of real numbers."""
    return (isinstance(value, np.ndarray) or sp.issparse(value)) and value.dtype.kind in "biuf"


def is_matrix(value: Any) -> bool:
    """Return whether this is an array or a sparse matrix of numbers. Complex ones count: they are refused later, by name."""
    return (isinstance(value, np.ndarray) or sp.issparse(value)) and value.dtype.kind in "biufc"
