"""Compressed files: found by their first bytes, read like others."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
from pathlib import Path
from typing import IO, Any

from .._utils.extras import require
from ..exceptions import ViewsFormatError

__all__ = ["COMPRESSED_SUFFIXES", "compression_of", "opened"]

COMPRESSED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst", ".zip")
_MARKS = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd", b"PK\x03\x04": "zip"}


def compression_of(path: Path) -> str | None:
    """Return how a file is compressed, in pandas' words, or None. A zip archive must hold one text table."""
    with path.open("rb") as file:
        head = file.read(8)
    found = next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)
    return found if found != "zip" or _table_in_archive(path) is not None else None


def opened(path: Path) -> IO[bytes]:
    """Open a file, compressed or not, for reading."""
    compression = compression_of(path)
    if compression == "zip":
        return zipfile.ZipFile(path).open(str(_table_in_archive(path)))
    if compression == "zstd":
        return require("zstandard", extra="tables").open(path, "rb")
    open_file: Any = {"gzip": gzip.open, "bz2": bz2.open, "xz": lzma.open, None: open}[compression]
    return open_file(path, "rb")


def _table_in_archive(path: Path) -> str | None:
    """The name of the only text table in a zip archive; None if there is none."""
    try:
        names = zipfile.ZipFile(path).namelist()
    except zipfile.BadZipFile:
        return None
    tables = [name for name in names if name.lower().endswith((".csv", ".tsv", ".tab", ".txt"))]
    if len(tables) == len(names) == 1 and not tables[0].lower().endswith(".txt"):
        return tables[0]
    if len(tables) > 1 and len(tables) == len(names):
        raise ViewsFormatError(f"the archive holds {len(tables)} tables.", hint="Unpack it, and give them as several files.")
    return None
