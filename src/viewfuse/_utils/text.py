"""How messages list and count things."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["count", "listed"]

_SHOWN = 5  # how many offending ids, rows or columns a message names


def listed(items: Iterable[Any]) -> str:
    """
    >>> listed("ab"), listed(range(7))
    ("'a', 'b'", '0, 1, 2, 3, 4 and 2 more')
    """
    items = list(items)
    shown = ", ".join(repr(item) for item in items[:_SHOWN])
    return shown if len(items) <= _SHOWN else f"{shown} and {len(items) - _SHOWN} more"


def count(number: int, noun: str) -> str:
    """
    >>> count(1, "view"), count(2, "view")
    ('1 view', '2 views')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
