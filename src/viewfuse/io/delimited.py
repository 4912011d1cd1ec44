"""Read text tables: separators, decimal commas, encodings and headers are found from the first lines."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from .._utils.extras import require
from .._utils.text import count, listed
from .._utils.warn import warn
from ..exceptions import SuspiciousValuesWarning, UnusedVariablesWarning, ViewsFormatError
from ..views.conventions import is_id_column
from ..views.encoding.written import as_number, may_have_thousands_points, number_style
from .compressed import compression_of, opened
from .text import encoding_of

__all__ = ["EMPTY", "looks_like_table", "read_delimited", "rows_above_header", "warn_of_title"]

MOST_COLUMNS = 100_000
# What pandas takes for missing by default, without "None": a level such as None, Mild, Severe is not an empty cell.
EMPTY = ["", "NA", "N/A", "n/a", "#N/A", "#NA", "<NA>", "NULL", "null", "NaN", "nan", "-NaN", "-nan", "1.#IND", "1.#QNAN"]
_MISSING = (*EMPTY, "None")
_HEAD = 1 << 18
_LONGEST_LINE = 1 << 26
_MOST_ABOVE = 10  # lines above the header that may be titles and comments
_SAMPLE = 1_000  # rows in which codes and decimal commas are looked for
_CODE = re.compile(r"[+-]?0\d+")
_POINTS = re.compile(r"[+-]?\d{1,3}(?:\.\d{3})+")
_DECIMAL_POINT = re.compile(r"[+-]?(?:0?\.\d+|\d+\.(?!\d{3}$)\d+)")
_COMMAS = ("decimal comma", "thousands points and decimal comma")


@dataclass(frozen=True)
class Form:
    """How a text table is written."""

    separator: str
    header: int | None
    encoding: str
    compression: str | None
    n_columns: int
    title: tuple[str, ...] = ()  # lines above the header


def read_delimited(path: Path, **options: Any) -> Any:
    """Read a text table as a DataFrame.

    Columns of codes with leading zeros stay text. ``options`` are passed to ``pandas.read_csv``.
    """
    form = _form(path)
    _check_width(form.n_columns)
    if "dtype" in options:
        return _read(path, form, **options)
    sample = _read(path, form, dtype=str, keep_default_na=False, nrows=_SAMPLE)
    kept = _text_columns(path, sample, form.separator)
    warn_of_title(path, form.title)
    frame = _read(path, form, dtype=dict.fromkeys(kept, str), keep_default_na=False, na_values=EMPTY, **options)
    for name in kept:
        if kept[name] is not None:
            numbers = frame[name].map(lambda text, style=kept[name]: as_number(text, style), na_action="ignore")
            if numbers.notna().equals(frame[name].notna()):  # else rows below the sample are written otherwise
                frame[name] = numbers
    return frame


def warn_of_title(path: Path, lines: Sequence[str]) -> None:
    """Say which lines above the header of a table are not read."""
    if lines:
        shown = listed(stripped for line in lines if (stripped := line.strip(" \t\r\n;,|")))
        above = count(len(lines), "line above the header is", "lines above the header are")
        problem = f"{path}: {above} not read: {shown or 'blank'}."
        warn(UnusedVariablesWarning(problem, hint="If one is a sample, begin the file with a line that names every column."))


def rows_above_header(rows: Sequence[Sequence[str]]) -> int:
    """The number of rows above the one that names the columns: titles in the first cell, blank rows and # comments.

    >>> rows_above_header([["Customers", "", ""], ["", "", ""], ["id", "age", "sex"], ["1", "33", "F"]])
    2
    >>> rows_above_header([["id", ""], ["1", "5"], ["2", "6"]])
    0
    """
    for above, fields in enumerate(rows[:_MOST_ABOVE]):
        named = [field for field in fields if field]
        if len(named) > 1 and not fields[0].startswith("# "):
            return above if above == 0 or (len(rows) > above + 1 and not any(map(_is_value, named))) else 0
        if named and not fields[0]:
            return 0
    return 0


def looks_like_table(path: Path) -> bool:
    """Return whether the lines of a text have the same number of fields, and more than one."""
    try:
        form = _form(path)
        with opened(path) as file:
            text = file.read(_HEAD).decode(form.encoding, "replace")
    except (ViewsFormatError, OSError, UnicodeError):
        return False
    text = "".join(text.splitlines(keepends=True)[len(form.title) :])
    widths = {len(record) for record in _records(text, form.separator)[:20]}
    return form.n_columns > 1 and max(widths) - min(widths) < 2


def _read(path: Path, form: Form, **options: Any) -> Any:
    frame = require("pandas").read_csv(
        path,
        sep=form.separator,
        header=form.header,
        encoding=form.encoding,
        compression=form.compression,
        low_memory=False,
        skiprows=len(form.title),
        skipinitialspace=form.separator != "\t",
        **options,
    )
    if frame.index.nlevels > 1:
        raise ViewsFormatError(f"the rows have more columns than the header, which has {form.n_columns}.")
    if frame.empty:
        raise ViewsFormatError("the table has no rows.")
    if form.header is None:
        frame.columns = [str(number) for number in range(1, frame.shape[1] + 1)]
    frame.columns = [str(name) for name in frame.columns]
    if list(frame.index[:2]) != list(range(len(frame))[:2]):  # pandas 3 makes a range of row names at equal distances
        frame.index = require("pandas").Index(frame.index.to_numpy())
    return frame


def _text_columns(path: Path, sample: Any, separator: str) -> dict[str, str | None]:
    """The columns that must be read as text: codes such as 007 and, where decimals have commas, numbers such as 1.234.

    The second kind comes with the style of its numbers. Between semicolons decimals have commas, unless a column has decimal
    points. If 1.333 beside 756 may be a decimal or thousands, a warning says so.
    """
    texts = {name: [text for text in sample[name].unique() if text not in _MISSING] for name in sample.columns}
    codes: dict[str, str | None] = {name: None for name, found in texts.items() if any(map(_CODE.fullmatch, found))}
    telling = [found for found in texts.values() if any("," in text or text.count(".") > 1 for text in found)]
    if any(number_style(found) in _COMMAS for found in telling):
        points = [name for name, found in texts.items() if _are_thousands(found)]
        return {**codes, **dict.fromkeys(points, _COMMAS[1])}
    points = [name for name, found in texts.items() if may_have_thousands_points(found)]
    if not points or any(map(_DECIMAL_POINT.fullmatch, chain(*texts.values()))):
        return codes
    if separator == ";":
        return {**codes, **dict.fromkeys(points, _COMMAS[1])}
    _warn_of_points(path, points[0], texts[points[0]])
    return codes


def _are_thousands(texts: Sequence[str]) -> bool:
    """Whether these are whole numbers in a table whose decimals have commas."""
    has_points = any("." in text for text in texts)
    return has_points and all(_POINTS.fullmatch(text) or (text.isdigit() and len(text) < 4) for text in texts)


def _warn_of_points(path: Path, name: str, texts: Sequence[str]) -> None:
    pointed, whole = (next(text for text in texts if ("." in text) == has_point) for has_point in (True, False))
    warn(
        SuspiciousValuesWarning(
            f"{path}: column {name!r} has {whole!r} and {pointed!r}, whose point may be a decimal point or divide "
            "thousands. It is read as a decimal point.",
            hint=f"If it divides thousands, write {pointed.replace('.', '')}.",
        )
    )


def _form(path: Path) -> Form:
    compression = compression_of(path)
    with opened(path) as file:
        head = file.read(_HEAD)
        if b"\n" not in head:  # a first line of very many columns
            head += file.readline(_LONGEST_LINE)
    encoding = encoding_of(head[:_HEAD])
    if encoding is None:
        raise ViewsFormatError("the file is not text.")
    lines = head.decode(encoding, "replace").splitlines(keepends=True)
    complete = lines[:-1] if len(head) >= _HEAD and len(lines) > 1 else lines
    title = complete[: _lines_above(complete)]
    text = "".join(complete[len(title) :][:50])
    if complete and len(complete[0]) > _HEAD:
        _check_width(1 + max(map(complete[0].count, ",\t;|")))
    separator = _separator(text)
    fields = [field.strip() for field in _records(text, separator)[0]]
    header = 0 if _is_header(fields) else None
    return Form(separator, header, encoding, compression, len(fields), tuple(title))


def _lines_above(lines: Sequence[str]) -> int:
    """The number of lines above the header: as few as leave lines of the same number of fields."""
    if not lines or len(lines[0]) > _HEAD:
        return 0
    for above in range(min(_MOST_ABOVE, len(lines))):
        separator = _even_separator("".join(lines[above : above + 50]))
        if separator is None:
            continue
        rows = [[field.strip() for field in _records(line, separator)[0]] for line in lines[: above + 2]]
        if rows_above_header(rows) == above and (above or sum(map(bool, rows[0])) > 1):
            return above
    return 0


def _check_width(n_columns: int) -> None:
    if n_columns > MOST_COLUMNS:
        raise ViewsFormatError(
            f"the table has {n_columns:,} columns; a table may have {MOST_COLUMNS:,}.",
            hint="If its columns are the samples, transpose it; a matrix this wide is better kept as .npz.",
        )


def _records(text: str, separator: str) -> list[list[str]]:
    """The records of a text; quoted fields may contain line breaks."""
    delimiter = " " if separator == r"\s+" else separator
    lines = text.splitlines(keepends=True)
    try:
        records = [record for record in csv.reader(lines, delimiter=delimiter) if record]
    except csv.Error:  # a field longer than the module allows
        return [[line] for line in lines]
    if separator == r"\s+":
        records = [[field for field in record if field] for record in records]
    return records or [[""]]


def _even_separator(text: str) -> str | None:
    """The separator that divides all records into the same number of fields; of several the one that divides most."""
    best, most = None, 1
    for separator in "\t;|,":
        widths = [len(record) for record in _records(text, separator)]
        # R writes one field less in the header, and the last record may be cut off.
        is_even = len(set(widths[1:])) <= 1 and widths[0] > 1 and 0 <= (widths[1:2] or widths)[0] - widths[0] <= 1
        if is_even and (best is None or (widths[0] > most and separator != ",")):
            best, most = separator, widths[0]
    return best


def _separator(text: str) -> str:
    """The separator of a table; if none divides all records evenly, that of the first line."""
    if (even := _even_separator(text)) is not None:
        return even
    first = text.splitlines()[0] if text else ""
    if (most_frequent := max(",\t;|", key=first.count)) in first:
        return most_frequent
    found = {len(line.split()) for line in text.splitlines() if line.strip()}
    return r"\s+" if min(found, default=0) > 1 and max(found) - min(found) < 2 else ","


def _is_header(fields: list[str]) -> bool:
    """Return whether the first line names the columns. A line that could be a header or a sample is an error."""
    first, *rest = fields or [""]
    valued = [_is_value(field) for field in fields]
    if not any(valued) or (rest and first and is_id_column(first)):
        return True
    # pandas numbers columns without names 0, 1, 2, …, and writes a blank before them for the index.
    counted = [str(number) for number in range(len(fields))]
    if rest and (fields == counted or (first == "" and rest == counted[:-1])):
        return True
    if first == "" and rest and not any(valued[1:]):
        return True
    if all(valued) and first != "":
        return False
    values = [field for field, is_value in zip(fields, valued, strict=True) if is_value]
    raise ViewsFormatError(
        f"the first line could be a header or a sample: it has values ({listed(values)}) and text "
        f"({listed(field for field in fields if field not in values) or 'a blank'}).",
        hint="Begin the file with a line that names every column, such as id,x1,x2. If the first is 'id', the others may be "
        "numbers.",
    )


def _is_value(field: str) -> bool:
    return field in _MISSING or number_style([field]) is not None or _is_number(field)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text  # only Python reads 1_000 as a number
