"""``viewfuse methods``: what there is to choose from."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from ..cluster import METHODS

__all__ = ["methods", "summary"]


def summary(key: str) -> str:
    """The first line of a method's docstring."""
    return (METHODS[key].__doc__ or "").strip().splitlines()[0]


def methods() -> None:
    """List the methods, one line each."""
    table = Table("key", "class", "what it does")
    for key, method in METHODS.items():
        table.add_row(key, method.__name__, summary(key))
    Console().print(table)
