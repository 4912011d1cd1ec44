"""Read text tables whose columns are separated by commas, tabs or semicolons."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from .._utils.extras import require
from .._utils.text import listed
from ..exceptions import ViewsFormatError
from ..views.conventions import is_id_column

__all__ = ["read_delimited"]

_MISSING = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NULL", "null", "None")


def read_delimited(path: Path, **options: Any) -> Any:
    """Read a text table as a DataFrame; its separator and whether it has a header are found from the first two lines.

    ``options`` are passed to ``pandas.read_csv``.
    """
    pandas = require("pandas")
    with path.open(encoding="utf-8-sig") as file:
        first_line, second_line = (file.readline().rstrip("\r\n") for _ in range(2))
    separator = _separator(first_line, second_line)
    fields = [field.strip() for field in next(csv.reader([first_line], delimiter=separator), [])]
    header = 0 if _is_header(fields) else None
    frame = pandas.read_csv(path, sep=separator, header=header, encoding="utf-8-sig", low_memory=False, **options)
    if frame.index.nlevels > 1:
        raise ViewsFormatError(f"the rows have more columns than the header, which has {len(fields)}.")
    if frame.empty:
        raise ViewsFormatError("the table has no rows.")
    if header is None:
        frame.columns = [str(number) for number in range(1, frame.shape[1] + 1)]
    frame.columns = [str(name) for name in frame.columns]
    return frame


def _separator(first_line: str, second_line: str) -> str:
    separator = max(",\t;", key=first_line.count)
    if separator in first_line:
        return separator
    for other, name in (("|", "'|'"), (None, "spaces")):
        widths = {len(line.split(other)) for line in (first_line, second_line) if line.strip()}
        if min(widths, default=0) > 1 and max(widths) - min(widths) < 2:  # R writes one field less in the header
            raise ViewsFormatError(
                f"the separator is not comma, tab or semicolon: the first line, {first_line[:40]!r}, has {name}.",
                hint="Save the table with comma, tab or semicolon as separator.",
            )
    return separator


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
    return field in _MISSING or _is_number(field)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text  # only Python reads 1_000 as a number
