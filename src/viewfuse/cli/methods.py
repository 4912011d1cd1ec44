"""``viewfuse methods``: the list of methods."""

from __future__ import annotations

import json

from rich.console import Console
from rich.table import Table

from ..cluster import METHODS, known_methods
from ._options import AsJson

__all__ = ["methods", "summary"]


def summary(key: str) -> str:
    """The first line of a method's docstring."""
    return (METHODS[key].__doc__ or "").strip().splitlines()[0]


def methods(as_json: AsJson = False) -> None:
    """List the clustering methods and their keys.

    [bold]Examples[/]

      viewfuse methods

      viewfuse cluster news.mat -k 6 -m co-reg
    """
    found = {key: METHODS[key] for key in known_methods()}
    if as_json:
        print(json.dumps([{"key": k, "class": m.__name__, "summary": summary(k)} for k, m in found.items()], indent=2))
        return
    table = Table("key", "class", "what it does")
    for key, method in found.items():
        table.add_row(key, method.__name__, summary(key))
    Console().print(table)
