"""Read one table from a file of any kind: text, Parquet, Arrow and Feather, Excel and OpenDocument."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._utils.extras import require
from .._utils.text import count, listed
from .._utils.warn import note, warn
from ..exceptions import UnusedVariablesWarning, ViewsFormatError
from ._safety import check_claim, reading
from .compressed import COMPRESSED_SUFFIXES
from .delimited import EMPTY, read_delimited, rows_above_header, warn_of_title

__all__ = ["TABLE_SUFFIXES", "TableFile", "is_spreadsheet", "is_text_table", "read_table", "table_name"]

_TEXT = (".csv", ".tsv", ".tab", ".txt")
TABLE_SUFFIXES = (*_TEXT, ".parquet", ".pq", ".feather", ".arrow", ".xlsx", ".ods")
_ROWS_PER_BYTE = 10  # a constant column compresses to less than Deflate's bound, by up to this factor
_TOP = 20  # rows of a sheet in which its header is looked for
_ENGINES = {"xlsx": "openpyxl", "ods": "odf"}


@dataclass(frozen=True)
class TableFile:
    """A table and, where its format does not keep the spelling of ids, a function that reads a column as it is written.

    The column None stands for the names of the rows.
    """

    frame: Any
    spelled: Callable[[str | None], np.ndarray] | None = None


def table_name(path: Path) -> str:
    """The name of the view in a file: ``usage`` of ``usage.csv.gz``."""
    while path.suffix.lower() in (*TABLE_SUFFIXES, *COMPRESSED_SUFFIXES, ".npz"):
        path = path.with_suffix("")
    return path.name


def read_table(path: Path) -> TableFile:
    """Read a table as a DataFrame; its format is found from its first bytes."""
    with reading(path, "a table"):
        with path.open("rb") as file:
            head = file.read(6)
        if head.startswith(b"PAR1"):
            return TableFile(_named(_read_parquet(path)))
        if head in (b"ARROW1", b"FEA1\x00\x00"):
            return TableFile(_named(_read_arrow(path)))
        if head.startswith(b"PK\x03\x04") and (kind := is_spreadsheet(path)) is not None:
            return TableFile(_without_empty_end(_named(_read_spreadsheet(path, kind)), path))
        frame = _without_empty_end(read_delimited(path), path)
        return TableFile(frame, lambda column: _spelled(path, column)[: len(frame)])


def _without_empty_end(frame: Any, path: Path) -> Any:
    """A table without the empty rows below it, which spreadsheets write."""
    filled = np.flatnonzero(~frame.isna().all(axis=1).to_numpy())
    end = int(filled[-1]) + 1 if filled.size else len(frame)
    if end == len(frame) or not isinstance(frame.index, require("pandas").RangeIndex):
        return frame
    note(f"{path}: {count(len(frame) - end, 'empty row')} below the table not read.")
    return frame.iloc[:end]


def is_text_table(path: Path) -> bool:
    """Whether a table is written as text, compressed or not."""
    with path.open("rb") as file:
        head = file.read(6)
    is_binary = head.startswith(b"PAR1") or head in (b"ARROW1", b"FEA1\x00\x00")
    return not is_binary and not (head.startswith(b"PK\x03\x04") and is_spreadsheet(path) is not None)


def is_spreadsheet(path: Path) -> str | None:
    """Return "xlsx" or "ods" if a zip archive is a workbook."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if "xl/workbook.xml" in names:
                return "xlsx"
            is_open_document = "mimetype" in names and b"spreadsheet" in archive.read("mimetype")[:100]
            return "ods" if is_open_document else None
    except zipfile.BadZipFile:
        return None


def _spelled(path: Path, column: str | None) -> np.ndarray:
    """The values of a column as they are written: 007 is not 7."""
    if column is None:  # row names, as R writes them
        return np.asarray(read_delimited(path, dtype=str, keep_default_na=False).index.to_numpy(dtype=object))
    header = read_delimited(path, dtype=str, keep_default_na=False, nrows=1)
    position = header.columns.get_loc(column)
    found = read_delimited(path, dtype=str, keep_default_na=False, usecols=[position])
    return np.asarray(found.iloc[:, 0].to_numpy(dtype=object))


def _named(frame: Any) -> Any:
    return frame.set_axis([str(name) for name in frame.columns], axis=1)


def _read_parquet(path: Path) -> Any:
    pandas, parquet = require("pandas"), require("pyarrow.parquet")
    n_rows = parquet.read_metadata(path).num_rows
    check_claim(n_rows // _ROWS_PER_BYTE, path.stat().st_size, f"a table of {n_rows:,} rows")
    return pandas.read_parquet(path)


def _read_arrow(path: Path) -> Any:
    # The conversion to pandas trusts the offsets of texts; damaged ones end the process with a segmentation fault.
    require("pyarrow.feather").read_table(path, memory_map=False).validate(full=True)
    return require("pandas").read_feather(path)


def _read_spreadsheet(path: Path, kind: str) -> Any:
    """The first sheet of a workbook; a warning names the others."""
    with zipfile.ZipFile(path) as archive:
        claimed = sum(member.file_size for member in archive.infolist())
    check_claim(claimed, path.stat().st_size, "the workbook")
    engine = _ENGINES[kind]
    require(engine, extra="tables")
    pandas = require("pandas")
    with pandas.ExcelFile(path, engine=engine) as book:
        sheets = list(book.sheet_names)
        top = pandas.read_excel(book, sheet_name=sheets[0], header=None, nrows=_TOP, dtype=str, keep_default_na=False)
        rows = [[str(cell).strip() for cell in row] for row in top.to_numpy(dtype=object).tolist()]
        above = rows_above_header(rows)
        frame = pandas.read_excel(book, sheet_name=sheets[0], header=above, keep_default_na=False, na_values=EMPTY)
    warn_of_title(path, [" ".join(filter(None, row)) for row in rows[:above]])
    if len(sheets) > 1:
        problem = f"{path}: the sheet {sheets[0]!r} is read; {listed(sheets[1:])} are not used."
        warn(UnusedVariablesWarning(problem, hint="Save each sheet as a file of its own."))
    if frame.empty:
        raise ViewsFormatError("the table has no rows.")
    return frame
