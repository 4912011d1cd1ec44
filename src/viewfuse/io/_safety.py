"""What keeps a broken or hostile file from doing harm: one kind of error, and no memory on a header's word alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..exceptions import ViewfuseError, ViewsError, ViewsFormatError

__all__ = ["MAX_INFLATION", "check_claim", "checked_sparse", "is_matrix", "is_numeric", "reading"]

# Deflate cannot shrink anything below 1/1032 of its size (zlib's own bound), so no honest file claims more than
# this many times the bytes it has.
MAX_INFLATION = 1032
_SMALL = 1 << 16  # claims this small are not worth checking
_EMPTY_ROWS = 1_000_000  # rows of a sparse matrix that may be empty before its shape is not believed


@contextmanager
def reading(path: Path, kind: str) -> Iterator[None]:
    """Turn whatever goes wrong inside into a ``ViewsFormatError`` that names the file and the reason.

    The readers below h5py, SciPy, pandas and pyarrow meet damaged files with exceptions of every type, so all
    of them are caught here, and only here. A file that is absent or may not be read keeps its own exception, and
    so does a warning that the user has made an error.
    """
    try:
        yield
    except (FileNotFoundError, PermissionError, IsADirectoryError, Warning):
        raise
    except ViewsError as error:
        raise ViewsFormatError(f"{path}: {error}") from error
    except ViewfuseError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ViewsFormatError(f"{path}: cannot be read as {kind}, it is damaged or cut short ({reason}).") from error


def check_claim(claimed: int, stored: int, what: str) -> None:
    """Refuse to allocate ``claimed`` bytes for something that takes only ``stored`` bytes in the file."""
    if claimed > max(_SMALL, MAX_INFLATION * stored):
        raise ViewsFormatError(f"{what} claims {claimed:,} bytes, but only {stored:,} bytes of the file hold it.")


def checked_sparse(matrix: Any, what: str) -> Any:
    """A sparse matrix whose indices can be trusted: SciPy's conversions write wherever they point."""
    if max(matrix.shape) > _EMPTY_ROWS + 1000 * matrix.nnz:
        rows, columns = matrix.shape
        raise ViewsFormatError(f"{what} claims {rows:,} × {columns:,} values, but holds only {matrix.nnz:,}.")
    if matrix.format == "coo":
        return matrix.tocsc()  # its constructor has checked the indices
    try:
        matrix.check_format(full_check=True)
    except ValueError as error:
        raise ViewsFormatError(f"{what} is not a valid sparse matrix: {error}.") from error
    return matrix


def is_numeric(value: Any) -> bool:
    """Whether this is an array or a sparse matrix of real numbers."""
    return (isinstance(value, np.ndarray) or sp.issparse(value)) and value.dtype.kind in "biuf"


def is_matrix(value: Any) -> bool:
    """Whether this is an array or a sparse matrix of numbers, be they complex: then it is refused, not passed over."""
    return (isinstance(value, np.ndarray) or sp.issparse(value)) and value.dtype.kind in "biufc"
