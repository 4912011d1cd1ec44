"""Find the format of a file from its first bytes. The name is used only to detect text under a binary suffix."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from .._utils.extras import require
from ..exceptions import ViewsFormatError
from ._safety import reading
from .compressed import compression_of
from .mat import v4_order
from .table_files import TABLE_SUFFIXES, is_spreadsheet
from .text import encoding_of

__all__ = ["Format", "sniff"]

Format = Literal["MATLAB", "MATLAB 7.3", "AnnData", "MuData", "NumPy archive", "table"]

_HEAD = 4096
_HDF5 = b"\x89HDF\r\n\x1a\n"
_OLD_EXCEL = b"\xd0\xcf\x11\xe0"
_JSON = re.compile(rb'[\[{]\s*(?:[\[{"\]}]|-?\d+(?:\.\d+)?\s*[,\]])')
_MARKUP = re.compile(rb"<(?:\?xml|!doctype|html|table|head|body)\b", re.IGNORECASE)
_USER_BLOCKS = (0, 512, 1024, 2048)
_BINARY_SUFFIXES = (".mat", ".npz", ".npy", ".h5", ".hdf5", ".h5ad", ".h5mu", ".parquet", ".pq", ".xlsx", ".ods", ".feather")
_KNOWN = (
    "MATLAB (.mat), NumPy (.npz), text tables (.csv, .tsv), Parquet, Arrow and Feather, Excel (.xlsx), OpenDocument (.ods), "
    "AnnData (.h5ad) and MuData (.h5mu)"
)


def sniff(path: Path) -> Format:
    """Return the format of a file; raises ``ViewsFormatError`` if it cannot be read."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head:
        raise ViewsFormatError(f"{path}: the file is empty.")
    if any(head[block : block + len(_HDF5)] == _HDF5 for block in _USER_BLOCKS):
        return _hdf5_format(path)
    if head.startswith(b"PK\x03\x04"):
        return "table" if is_spreadsheet(path) or compression_of(path) else "NumPy archive"
    if head.startswith((b"PAR1", b"ARROW1", b"FEA1")) or compression_of(path) is not None:
        return "table"
    if head[124:128] in (b"\x00\x02IM", b"\x02\x00MI"):
        raise ViewsFormatError(f"{path}: the header is of MATLAB 7.3, but the HDF5 data is missing; the file is cut short.")
    if head[124:128] in (
        b"\x00\x01IM",
        b"\x01\x00MI",
    ):  # version 1.0 and the byte order; both, because a text may contain the second
        return "MATLAB"
    if v4_order(head[:20]) is not None:
        return "MATLAB"
    if encoding_of(head) is not None:
        _refuse_other_text(path, head)
        if path.suffix.lower() in _BINARY_SUFFIXES:
            raise ViewsFormatError(
                f"{path}: the suffix is {path.suffix}, but the file holds text.",
                hint="If the text is a table, rename the file to .csv or .tsv.",
            )
        return "table"
    suffix = f"the suffix is {path.suffix}, but " if path.suffix.lower() in (*_BINARY_SUFFIXES, *TABLE_SUFFIXES) else ""
    hint = "It is a workbook of Excel 97: save it as .xlsx." if head.startswith(_OLD_EXCEL) else None
    raise ViewsFormatError(f"{path}: {suffix}the file has none of the formats that viewfuse reads: {_KNOWN}.", hint=hint)


def _refuse_other_text(path: Path, head: bytes) -> None:
    """Raise ViewsFormatError for text that is no table: JSON, HTML (which some programs call .xls) and XML."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:200]
    kind = "JSON" if _JSON.match(start) else "HTML or XML" if _MARKUP.match(start) else None
    if kind is not None:
        raise ViewsFormatError(
            f"{path}: the file is {kind}, not a table.", hint="Save it as a table: .csv, .parquet or .xlsx."
        )


def _hdf5_format(path: Path) -> Format:
    """Tell AnnData and MuData by their attributes; every other HDF5 file is read like a MATLAB file."""
    with reading(path, "HDF5"), require("h5py").File(path, "r") as file:
        encoding = file.attrs.get("encoding-type", "")
        encoding = encoding.decode() if isinstance(encoding, bytes) else str(encoding)
        if encoding.lower() == "mudata" or ("mod" in file and "obs" in file):
            return "MuData"
        if encoding == "anndata" or ("obs" in file and "var" in file):
            return "AnnData"
    return "MATLAB 7.3"
