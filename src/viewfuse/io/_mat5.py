"""Check every tag of a MATLAB v5–v7.2 file before SciPy reads it.

SciPy does not check the tags: an unknown type makes it read past the end of a table, and the dimensions of a cell are
allocated before its contents are read. So every tag is read here first, in a stream that never holds more than a few
kilobytes, and must match the bytes of the file exactly. Decompressing to the end also verifies zlib's checksum.
"""

from __future__ import annotations

import math
import struct
import zlib
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ..exceptions import ViewsFormatError

__all__ = ["Variable", "scan"]

_HEADER = 128
_MATRIX, _COMPRESSED = 14, 15
_ITEM_SIZES = {1: 1, 2: 1, 3: 2, 4: 2, 5: 4, 6: 4, 7: 4, 9: 8, 12: 8, 13: 8}
_TEXT_SIZES = {16: 1, 17: 2, 18: 4}  # UTF-8, UTF-16, UTF-32
_CELL, _CHAR, _SPARSE, _OPAQUE = 1, 4, 5, 17
_UNREAD = (2, 3, 16)  # structs, objects, function handles
_NUMERIC = range(6, 16)
_COMPLEX, _LOGICAL = 0x0800, 0x0200
_MAX_DIMENSIONS, _MAX_NAME, _MAX_DEPTH = 32, 4096, 8
_BLOCK = 1 << 16


class Variable(NamedTuple):
    """Name of a variable, and whether its class can hold views, labels or ids."""

    name: str
    readable: bool


def scan(path: Path) -> list[Variable]:
    """Return the variables of the file; raises ``ViewsFormatError`` if a tag is wrong."""
    variables: list[Variable] = []
    size = path.stat().st_size
    with path.open("rb") as file:
        order = "<" if file.read(_HEADER)[126:128] == b"IM" else ">"
        while (start := file.tell()) < size:
            kind, n_bytes = struct.unpack(order + "II", _exactly(file.read(8), 8))
            if start + 8 + n_bytes > size:
                raise ViewsFormatError(
                    f"the element at byte {start} claims {n_bytes:,} bytes, but {size - start - 8:,} are left; "
                    "the file is cut short or damaged."
                )
            if kind == _COMPRESSED:
                stream: _Stream = _Inflated(file, n_bytes)
                kind, inner_bytes = struct.unpack(order + "II", stream.read(8))
                variables.append(_Walker(stream, order).variable(kind, inner_bytes))
                stream.finish()
            else:
                variables.append(_Walker(_Stream(file), order).variable(kind, n_bytes))
            file.seek(start + 8 + n_bytes)
    names = [variable.name for variable in variables if variable.name]
    if len(set(names)) < len(names):
        raise ViewsFormatError("several variables have the same name; the file is damaged.")
    return variables


class _Stream:
    """Reads bytes in order, exactly as many as requested."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.position = 0

    def read(self, n_bytes: int) -> bytes:
        self.position += n_bytes
        return _exactly(self._take(n_bytes), n_bytes)

    def skip(self, n_bytes: int) -> None:
        while n_bytes > 0:
            n_bytes -= len(self.read(min(n_bytes, _BLOCK)))

    def finish(self) -> None:
        """Do nothing: plain bytes have no checksum."""

    def _take(self, n_bytes: int) -> bytes:
        return self._file.read(n_bytes)


class _Inflated(_Stream):
    """Reads the bytes of a zlib stream of known length."""

    def __init__(self, file: BinaryIO, n_bytes: int) -> None:
        super().__init__(file)
        self._left = n_bytes
        self._zlib = zlib.decompressobj()
        self._pending = b""

    def _take(self, n_bytes: int) -> bytes:
        taken = bytearray()
        while len(taken) < n_bytes and not self._zlib.eof:
            if not self._pending:
                self._pending = self._file.read(min(self._left, _BLOCK))
                self._left -= len(self._pending)
            inflated = self._zlib.decompress(self._pending, n_bytes - len(taken))
            if not inflated and not self._pending:
                break
            self._pending = self._zlib.unconsumed_tail
            taken += inflated
        return bytes(taken)

    def finish(self) -> None:
        """Decompress the rest, so that zlib verifies the checksum."""
        while self._take(_BLOCK):
            pass
        if not self._zlib.eof:
            raise ViewsFormatError("a compressed variable ends too early; the file is cut short or damaged.")


class _Walker:
    """Checks one variable, recursively for cells."""

    def __init__(self, stream: _Stream, order: str) -> None:
        self._stream = stream
        self._order = order

    def variable(self, kind: int, n_bytes: int) -> Variable:
        if kind != _MATRIX:
            raise ViewsFormatError(f"an element of unknown type {kind} is in the place of a variable.")
        return self._matrix(n_bytes, depth=0)

    def _matrix(self, n_bytes: int, depth: int) -> Variable:
        stream, end = self._stream, self._stream.position + n_bytes
        if n_bytes == 0:  # MATLAB writes an empty cell entry like this
            return Variable("", readable=True)
        flags, _ = self._numbers("II", *self._tag())
        matlab_class = flags & 0xFF
        if matlab_class == _OPAQUE:  # MATLAB's own objects, such as its strings, have no dimensions
            return self._unread("", end)
        if matlab_class not in (_CELL, _CHAR, _SPARSE, *_UNREAD, *_NUMERIC):
            raise ViewsFormatError(f"a variable has the unknown MATLAB class {matlab_class}.")
        shape = self._shape()
        name = self._name()
        if matlab_class in _UNREAD:
            return self._unread(name, end)
        what = f"variable {name!r}" if name else "a cell entry"
        n_values = math.prod(shape)
        readable = True
        if matlab_class == _CELL:
            readable = self._cells(n_values, end, depth, what)
        elif matlab_class == _SPARSE:
            self._sparse(shape, flags, what)
        else:
            sizes = _ITEM_SIZES | _TEXT_SIZES if matlab_class == _CHAR else _ITEM_SIZES
            for _ in range(2 if flags & _COMPLEX else 1):
                found = self._skip_values(sizes, what)
                # UTF-8 text takes any number of bytes per character.
                if found != n_values and matlab_class != _CHAR:
                    raise ViewsFormatError(
                        f"{what} claims {' × '.join(map(str, shape))} = {n_values:,} values, but holds {found:,}."
                    )
        if stream.position > end or (depth and stream.position != end):
            raise ViewsFormatError(f"{what} does not fill the {n_bytes:,} bytes it claims.")
        return Variable(name, readable)

    def _unread(self, name: str, end: int) -> Variable:
        self._stream.skip(end - self._stream.position)
        return Variable(name, readable=False)

    def _cells(self, n_cells: int, end: int, depth: int, what: str) -> bool:
        """Check the entries; return whether all of them can be read."""
        if n_cells * 8 > end - self._stream.position:
            raise ViewsFormatError(
                f"{what} claims {n_cells:,} cells, more than its {end - self._stream.position:,} bytes can hold."
            )
        if depth == _MAX_DEPTH:
            raise ViewsFormatError(f"{what} nests cells more than {_MAX_DEPTH} deep.")
        readable = True
        for _ in range(n_cells):
            kind, n_bytes, inline = self._tag()
            if kind != _MATRIX or inline is not None:
                raise ViewsFormatError(f"{what} holds an element of type {kind} in the place of a cell entry.")
            readable &= self._matrix(n_bytes, depth + 1).readable
        return readable

    def _sparse(self, shape: tuple[int, ...], flags: int, what: str) -> None:
        if len(shape) != 2:
            raise ViewsFormatError(f"{what} is sparse with {len(shape)} dimensions; a sparse matrix has 2.")
        rows = self._skip_values(_ITEM_SIZES, what)
        pointers = self._skip_values(_ITEM_SIZES, what)
        # A logical sparse matrix has one byte per value, but its type says double.
        sizes = dict.fromkeys(_ITEM_SIZES, 1) if flags & _LOGICAL else _ITEM_SIZES
        values = [self._skip_values(sizes, what) for _ in range(2 if flags & _COMPLEX else 1)]
        if pointers != shape[1] + 1 or any(count > rows for count in values):
            raise ViewsFormatError(
                f"{what} claims {shape[1]:,} sparse columns, but holds {pointers:,} column pointers, "
                f"{rows:,} row numbers and {values[0]:,} values."
            )

    def _tag(self) -> tuple[int, int, bytes | None]:
        """Return the type, the size and, if the element is small, the data in the tag."""
        raw = self._stream.read(8)
        first, second = struct.unpack(self._order + "II", raw)
        if first >> 16:
            if first >> 16 > 4:
                raise ViewsFormatError(f"a small element claims {first >> 16} bytes; it holds at most 4.")
            return first & 0xFFFF, first >> 16, raw[4 : 4 + (first >> 16)]
        return first, second, None

    def _data(self, n_bytes: int, inline: bytes | None) -> bytes:
        if inline is not None:
            return inline
        data = self._stream.read(n_bytes)
        self._stream.skip(-n_bytes % 8)
        return data

    def _numbers(self, form: str, kind: int, n_bytes: int, inline: bytes | None) -> tuple[int, ...]:
        if kind not in (5, 6) or n_bytes != struct.calcsize(self._order + form):
            raise ViewsFormatError("a variable's header is damaged.")
        return struct.unpack(self._order + form, self._data(n_bytes, inline))

    def _shape(self) -> tuple[int, ...]:
        kind, n_bytes, inline = self._tag()
        if n_bytes > 4 * _MAX_DIMENSIONS or n_bytes < 8:
            raise ViewsFormatError(f"a variable claims {n_bytes // 4} dimensions.")
        shape = self._numbers(f"{n_bytes // 4}i", kind, n_bytes, inline)
        if any(length < 0 for length in shape):
            raise ViewsFormatError(f"a variable claims the dimensions {shape}.")
        return shape

    def _name(self) -> str:
        kind, n_bytes, inline = self._tag()
        if kind not in (1, 2, 16) or n_bytes > _MAX_NAME:
            raise ViewsFormatError("a variable's name is damaged.")
        return self._data(n_bytes, inline).decode("latin-1")

    def _skip_values(self, sizes: dict[int, int], what: str) -> int:
        """Skip one data element; return the number of its values."""
        kind, n_bytes, inline = self._tag()
        if kind not in sizes or n_bytes % sizes[kind]:
            raise ViewsFormatError(f"{what} holds {n_bytes:,} bytes of the unknown type {kind}.")
        if inline is None:
            self._stream.skip(n_bytes + -n_bytes % 8)
        return n_bytes // sizes[kind]


def _exactly(data: bytes, n_bytes: int) -> bytes:
    if len(data) < n_bytes:
        raise ViewsFormatError("the file ends in the middle of a variable; it is cut short or damaged.")
    return data
