"""A Parquet file as a matrix whose rows are read in blocks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._utils.extras import require
from .._utils.text import listed
from ..exceptions import ViewsError, ViewsTypeError

__all__ = ["ParquetRows"]


class ParquetRows:
    """The numeric columns of a Parquet file, as a view that :class:`viewfuse.AnchorGFSC` reads row group by row group.

    Parameters
    ----------
    path : path of a Parquet file
    columns : sequence of str, optional
        The features, in this order. The default is all columns, which must then all be numeric.

    Attributes
    ----------
    shape, ndim, dtype : as for an array. The dtype is float32 if every column is, else float64. A null is NaN.
    columns : list of str

    Examples
    --------
    >>> import numpy as np, pandas, pathlib, tempfile
    >>> from viewfuse.io import ParquetRows
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "sound.parquet"
    ...     pandas.DataFrame({"id": [1, 2], "a": [0.5, 1.0], "b": [2.0, 3.0]}).to_parquet(path)
    ...     sound = ParquetRows(path, columns=["a", "b"])
    ...     sound.shape, sound[1:].tolist()
    ((2, 2), [[1.0, 3.0]])
    """

    reads_rows_from_disk = True
    ndim = 2

    def __init__(self, path: str | os.PathLike[str], columns: Sequence[str] | None = None) -> None:
        self.path = os.fspath(path)
        schema = self._opened().schema_arrow
        self.columns = list(schema.names if columns is None else columns)
        unknown = [name for name in self.columns if name not in schema.names]
        if unknown:
            raise ViewsError(
                f"{self.path} has no column {listed(unknown)}; its columns are {listed(schema.names)}.",
                hint="Choose columns with columns=['NAME', …].",
                parameter="columns",
                value=tuple(schema.names),
            )
        kinds = {name: schema.field(name).type for name in self.columns}
        types = require("pyarrow").types
        for name, kind in kinds.items():
            if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
                raise ViewsTypeError(
                    f"{self.path}, column {name!r} is not numeric ({kind}); features must be real numbers.",
                    hint="Leave it out: name the numeric columns with columns=['NAME', …].",
                    parameter="columns",
                )
        single = all(types.is_float32(kind) for kind in kinds.values())
        self.dtype = np.dtype(np.float32 if single else np.float64)
        groups = self._opened().metadata
        sizes = [groups.row_group(i).num_rows for i in range(groups.num_row_groups)]
        self._starts = np.cumsum([0, *sizes])
        self._last: tuple[int, np.ndarray] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        return int(self._starts[-1]), len(self.columns)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice) -> np.ndarray:
        start, stop, step = rows.indices(len(self))
        block = np.empty((max(stop - start, 0), len(self.columns)), dtype=self.dtype)
        for group in range(np.searchsorted(self._starts, start, side="right") - 1, len(self._starts) - 1):
            first, last = int(self._starts[group]), int(self._starts[group + 1])
            if first >= stop:
                break
            begin, end = max(first, start), min(last, stop)
            block[begin - start : end - start] = self._row_group(group)[begin - first : end - first]
        return block[::step]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_last": None, "_file": None}

    def _opened(self) -> Any:
        if self.__dict__.get("_file") is None:
            self._file = require("pyarrow.parquet").ParquetFile(self.path)
        return self._file

    def _row_group(self, group: int) -> np.ndarray:
        """Return a decoded row group. The last one is kept, because a block of rows may end within a group."""
        if self._last is None or self._last[0] != group:
            table = self._opened().read_row_group(group, columns=self.columns)
            values = np.empty((table.num_rows, len(self.columns)), dtype=self.dtype)
            for position, name in enumerate(self.columns):
                values[:, position] = table.column(name).to_numpy()
            self._last = (group, values)
        return self._last[1]
