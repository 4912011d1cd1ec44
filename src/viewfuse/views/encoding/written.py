"""Numbers and dates that are written as text: decimal commas, thousands separators, currencies, the usual forms of dates."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..._utils.extras import require

__all__ = ["DATE_FORMATS", "as_date", "as_number", "date_format", "is_blank", "number_style"]

_BLANK = frozenset({"", "na", "n/a", "#n/a", "nan", "null", "none", "<na>", "?", "-", "--", ".", "missing", "unknown"})
_AROUND = re.compile(r"^(?:[€$£¥]|EUR|USD|CHF|GBP)?\s*(.*?)\s*(?:[€$£¥%]|EUR|USD|CHF|GBP)?$")
_SIGN = r"[+-]?"
# The styles in the order in which they are tried. A code such as 007 is not a number.
_NO_CODE = r"(?!0\d)"
_STYLES: dict[str, tuple[str, Callable[[str], str]]] = {
    "plain": (rf"{_SIGN}(?:{_NO_CODE}\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", lambda text: text),
    "thousands commas": (rf"{_SIGN}{_NO_CODE}(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?", lambda text: text.replace(",", "")),
    "decimal comma": (rf"{_SIGN}{_NO_CODE}\d+(?:,\d+)?(?:[eE][+-]?\d+)?", lambda text: text.replace(",", ".")),
    "thousands points and decimal comma": (
        rf"{_SIGN}{_NO_CODE}(?:\d{{1,3}}(?:\.\d{{3}})+|\d+)(?:,\d+)?",
        lambda text: text.replace(".", "").replace(",", "."),
    ),
    "thousands blanks": (
        rf"{_SIGN}{_NO_CODE}(?:\d{{1,3}}(?:[ '’\u00a0\u202f]\d{{3}})+|\d+)(?:[.,]\d+)?",
        lambda text: re.sub(r"[ '’\u00a0\u202f]", "", text).replace(",", "."),
    ),
}
DATE_FORMATS = {
    "ISO8601": "year-month-day",
    "%Y/%m/%d": "year/month/day",
    "%d.%m.%Y": "day.month.year",
    "%d/%m/%Y": "day/month/year",
    "%m/%d/%Y": "month/day/year",
    "%d-%m-%Y": "day-month-year",
    "%d.%m.%y": "day.month.year",
    "%d/%m/%y": "day/month/year",
    "%m/%d/%y": "month/day/year",
    "%d %b %Y": "day month year",
    "%d %B %Y": "day month year",
    "%b %d, %Y": "month day, year",
    "%B %d, %Y": "month day, year",
}
_TIME = " %H:%M:%S"
_MAYBE_DATE = re.compile(r"\d{1,4}[-/. ]\S{1,9}[-/., ]+\d{1,4}|\w{3,9} \d{1,2}, \d{4}|\d{4}-\d{2}")


def is_blank(text: str) -> bool:
    """Return whether a text among numbers stands for an empty cell, such as ``NA``, ``?`` or ``-``."""
    return text.strip().lower() in _BLANK


def number_style(texts: Sequence[str]) -> str | None:
    """Return how these numbers are written, or None if some text is not a number.

    >>> number_style(["1.5", "2"]), number_style(["1,5", "2"]), number_style(["1,500", "999"]), number_style(["007", "1"])
    ('plain', 'decimal comma', 'thousands commas', None)
    """
    bare = [_bare(text) for text in texts]
    for style, (pattern, _) in _STYLES.items():
        whole = re.compile(pattern)
        if bare and all(whole.fullmatch(text) for text in bare):
            return style
    return None


def as_number(text: str, style: str) -> float:
    """Return the number that a text in this style stands for; NaN if it is none.

    >>> as_number("1.234,5 €", "thousands points and decimal comma"), as_number("oops", "plain")
    (1234.5, nan)
    """
    pattern, plain = _STYLES[style]
    bare = _bare(text)
    return float(plain(bare)) if re.fullmatch(pattern, bare) else float("nan")


def date_format(texts: Sequence[str]) -> str | None:
    """Return the format of these dates, a key of ``DATE_FORMATS`` with or without a time, or None if they are not dates."""
    if not texts or not all(_MAYBE_DATE.search(text) for text in texts):
        return None
    for form in DATE_FORMATS:
        for candidate in (form,) if form == "ISO8601" else (form, form + _TIME):
            if not np.isnan(_days(texts, candidate)).any():
                return candidate
    return None


def as_date(texts: Sequence[str], form: str) -> np.ndarray:
    """Return days since 1970; NaN for what is not a date of this format.

    >>> as_date(["1970-01-03", "?"], "ISO8601").tolist()
    [2.0, nan]
    """
    return _days(texts, form)


def _days(texts: Sequence[str], form: str) -> np.ndarray:
    pandas = require("pandas")
    found: Any = pandas.to_datetime(pandas.Series(list(texts), dtype=object), format=form, errors="coerce", utc=True)
    days = found.astype("int64").to_numpy(dtype=float) / _UNITS_PER_DAY[found.dt.unit]
    return np.where(found.isna(), np.nan, days)


_UNITS_PER_DAY = {"s": 86_400.0, "ms": 86_400e3, "us": 86_400e6, "ns": 86_400e9}


def _bare(text: str) -> str:
    match = _AROUND.match(text.strip())
    return text if match is None else match[1]
