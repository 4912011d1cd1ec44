"""Numbers and dates that are written as text: decimal commas, thousands separators, currencies, units, times, dates."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..._utils.extras import require

__all__ = [
    "DATE_FORMATS",
    "TIMES",
    "are_times",
    "as_date",
    "as_number",
    "date_format",
    "in_unit",
    "is_accounting",
    "is_blank",
    "is_in_parentheses",
    "may_have_thousands_points",
    "never_a_level",
    "number_and_unit",
    "number_style",
    "unit_of",
]

# Words for an empty cell, in columns of any type. Excel writes the last few for formulas that failed.
_NO_LEVEL = frozenset(
    {"", "na", "n/a", "n.a.", "n. a.", "k.a.", "k. a.", "nan", "null", "<na>", "?", "-", "--", "---", ".", "missing"}
    | {"not available", "#n/a", "#na", "#value!", "#div/0!", "#ref!", "#name?", "#num!", "#null!"}
)
_BLANK = _NO_LEVEL | {"none", "unknown"}  # among numbers; among words, these two may be answers
_AROUND = re.compile(r"^([€$£¥]|EUR|USD|CHF|GBP)?\s*(.*?)\s*([€$£¥%]|EUR|USD|CHF|GBP)?$")
# (12.50) and 12.50- are negative; 2- without decimals may be a mark.
_ACCOUNTING = re.compile(r"\(([^()]+)\)|(.*\d[.,]\d+)-")
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
TIMES = "times"  # the style of 9:30 or 17:05:00, in hours
_TIME_OF_DAY = re.compile(r"(\d{1,3}):([0-5]\d)(?::([0-5]\d(?:\.\d+)?))?")
_POINTS = re.compile(r"[+-]?(?!0)\d{1,3}(?:\.\d{3})+")
_WITH_UNIT = re.compile(r"([+−-]?[\d.,'’\u00a0\u202f ]*\d)\s*((?:[^\W\d_]|[°µ‰])[\w/²³°%^·*.-]{0,11})")
_IN = "; in "  # between the style of a number and its unit
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
    "%Y%m%d": "YYYYMMDD",
}
_TIME = " %H:%M:%S"
_MAYBE_DATE = re.compile(r"\d{1,4}[-/. ]\S{1,9}[-/., ]+\d{1,4}|\w{3,9} \d{1,2}, \d{4}|\d{4}-\d{2}")
_DATE_OF_DIGITS = re.compile(r"(?:19|20|21(?=00))\d\d(0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")


def is_blank(text: str) -> bool:
    """Return whether a text among numbers stands for an empty cell, such as ``NA``, ``?`` or ``-``."""
    return text.strip().lower() in _BLANK


def never_a_level(text: str) -> bool:
    """Return whether a text stands for an empty cell among words too: ``unknown`` may be an answer, ``n/a`` is none."""
    return text.strip().lower() in _NO_LEVEL


def number_and_unit(text: str) -> tuple[str, str] | None:
    """Divide a text into a number and its unit, without the s of a plural; the unit may be "". None if there is no number.

    >>> number_and_unit("172.5 cm"), number_and_unit("3 years"), number_and_unit("€ 7"), number_and_unit("x5")
    (('172.5', 'cm'), ('3', 'year'), ('7', '€'), None)
    """
    around = _AROUND.match(text.strip())
    if around is not None and number_style([around[2]]) is not None:
        return around[2], around[1] or around[3] or ""
    match = _WITH_UNIT.fullmatch(text.strip())
    if match is None or number_style([match[1]]) is None:
        return None
    unit = match[2].rstrip(".")
    return match[1], unit[:-1] if len(unit) > 3 and unit.endswith("s") else unit


def in_unit(style: str, unit: str) -> str:
    """The style of numbers that are written in this style with this unit."""
    return f"{style}{_IN}{unit}"


def unit_of(style: str | None) -> str | None:
    """The unit of numbers that are written in this style; None if they have none.

    >>> unit_of("plain; in cm"), unit_of("plain"), unit_of("times")
    ('cm', None, 'h')
    """
    if style == TIMES:
        return "h"
    return None if style is None else style.partition(_IN)[2] or None


def are_times(texts: Sequence[str]) -> bool:
    """Return whether these are times such as 9:30."""
    return all(_TIME_OF_DAY.fullmatch(text.strip()) for text in texts)


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
    >>> as_number("172 cm", "plain; in cm"), as_number("1.72 m", "plain; in cm"), as_number("9:30", "times")
    (172.0, nan, 9.5)
    """
    if style == TIMES:
        return _hours(text)
    style, _, unit = style.partition(_IN)
    found = number_and_unit(text) if unit else None
    if found is not None:
        text = found[0] if found[1] in ("", unit) else ""
    pattern, plain = _STYLES[style]
    bare = _bare(text)
    return float(plain(bare)) if re.fullmatch(pattern, bare) else float("nan")


def may_have_thousands_points(texts: Sequence[str]) -> bool:
    """Return whether these numbers may be whole, with points between thousands: 756 beside 1.333, and no other decimals.

    >>> may_have_thousands_points(["1.333", "756"]), may_have_thousands_points(["1.333", "756", "0.5"])
    (True, False)
    """
    whole = [text.lstrip("+-") for text in texts if "." not in text]
    pointed = [text for text in texts if "." in text]
    return (
        bool(pointed)
        and any(len(text) == 3 for text in whole)
        and all(text.isdigit() and len(text) < 4 for text in whole)
        and all(map(_POINTS.fullmatch, pointed))
    )


def _hours(text: str) -> float:
    match = _TIME_OF_DAY.fullmatch(text.strip())
    return float("nan") if match is None else int(match[1]) + int(match[2]) / 60 + float(match[3] or 0) / 3600


def date_format(texts: Sequence[str]) -> str | None:
    """Return the format of these dates, a key of ``DATE_FORMATS`` with or without a time, or None if they are not dates.

    Numbers such as 20240131 are dates if all are, from 1900 to 2100, and in more than one month.

    >>> date_format(["31.01.2024", "01.02.2024"]), date_format(["20240131", "20240201"]), date_format(["20240131", "7"])
    ('%d.%m.%Y', '%Y%m%d', None)
    """
    digits = [found[1] for text in texts if (found := _DATE_OF_DIGITS.fullmatch(text))]
    if digits:
        is_date = len(digits) == len(texts) and len(set(digits)) > 1 and not np.isnan(_days(texts, "%Y%m%d")).any()
        return "%Y%m%d" if is_date else None
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


def is_in_parentheses(text: str) -> bool:
    """Return whether a number is in parentheses, as accountants write negative ones."""
    return text.strip().endswith(")")


def is_accounting(text: str) -> bool:
    """Return whether a number is negative though no minus stands before it.

    >>> is_accounting("(12.50)"), is_accounting("€ 12.50-"), is_accounting("-12.50")
    (True, True, False)
    """
    match = _AROUND.match(text.strip())
    return match is not None and _ACCOUNTING.fullmatch(match[2]) is not None


def _bare(text: str) -> str:
    """A number without blanks and currency around it, and with a minus before it if it is negative.

    >>> _bare(" € 7 "), _bare("(12.50)"), _bare("($12.50)"), _bare("12.50-"), _bare("−12.50")
    ('7', '-12.50', '-12.50', '-12.50', '-12.50')
    """
    match = _AROUND.match(text.strip().replace("−", "-"))
    if match is None:
        return text
    negative = _ACCOUNTING.fullmatch(match[2])
    return match[2] if negative is None else f"-{_bare(negative[1] or negative[2])}"
