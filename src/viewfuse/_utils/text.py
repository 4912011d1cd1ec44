"""Lists and counts in messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["count", "listed", "listed_counts", "number"]

_SHOWN = 5  # how many ids, rows or columns a message names
_SHOWN_COUNTS = 10


def listed(items: Iterable[Any]) -> str:
    """List the first few items, and say how many more there are.

    >>> listed("ab"), listed(range(7))
    ("'a', 'b'", '0, 1, 2, 3, 4 and 2 more')
    """
    items = list(items)
    shown = ", ".join(repr(item) for item in items[:_SHOWN])
    return shown if len(items) <= _SHOWN else f"{shown} and {len(items) - _SHOWN} more"


def listed_counts(counts: Mapping[str, int]) -> str:
    """Names with a number each; of many the first few.

    >>> listed_counts({"rna": 100, "protein": 98})
    "'rna' 100, 'protein' 98"
    """
    found = [f"{name!r} {count}" for name, count in counts.items()]
    more = len(found) - _SHOWN_COUNTS
    return ", ".join(found[:_SHOWN_COUNTS]) + (f" and {more} more" if more > 0 else "")


def count(number: int, noun: str, plural: str | None = None) -> str:
    """Write a number with its noun, in the plural where that is right.

    >>> count(1, "view"), count(2, "view"), count(2, "entry", "entries")
    ('1 view', '2 views', '2 entries')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {plural or noun + 's'}"


def number(value: float) -> str:
    """A number with three significant digits, without exponent where people would not write one.

    >>> number(62.714), number(0.01234), number(1234567.0), number(3.0)
    ('62.7', '0.0123', '1,234,567', '3')
    """
    if value != value or abs(value) == float("inf"):
        return str(value)
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"
