"""Options that ``benchmark`` and ``reproduce`` share."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from ..exceptions import ParameterError
from ._interrupt import INTERRUPTED
from ._progress import notice

__all__ = ["ALL_CORES", "CellLimit", "CellMemory", "CellsOnly", "PageOnly", "Workers", "resumable", "run_options"]

CellLimit = Annotated[
    str | None, typer.Option("--limit", metavar="TIME", help="Largest time of one result: 120s, 5min, 1h.")
]
CellMemory = Annotated[
    str | None, typer.Option("--memory", metavar="SIZE", help="Largest memory of one result: 500MB, 4GB.")
]
Workers = Annotated[int, typer.Option("-w", "--workers", min=1, help="Number of processes, one core each.")]
PageOnly = Annotated[bool, typer.Option("--page-only", help="Compute nothing; write the page from the finished results.")]
CellsOnly = Annotated[
    bool,
    typer.Option("--cells-only", help="Write no page, on a machine without matplotlib, say; --page-only writes it later."),
]

ALL_CORES = os.cpu_count() or 1
_SECONDS = {"": 1.0, "s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0}
_BYTES = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


def run_options(workers: int, limit: str | None, memory: str | None, **switches: bool) -> dict[str, Any]:
    """The arguments of an experiment from those of the command line."""
    return {
        "workers": workers,
        "limit": None if limit is None else as_seconds(limit),
        "memory": None if memory is None else as_bytes(memory),
        "command": shlex.join(["viewfuse", *sys.argv[1:]]),
        **switches,
    }


@contextmanager
def resumable(output: Path) -> Iterator[None]:
    """Say how to go on if Ctrl-C ends the block."""
    try:
        yield
    except KeyboardInterrupt:
        notice(f"stopped by Ctrl-C; run the same command again to continue from {output}")
        raise typer.Exit(INTERRUPTED) from None


def as_seconds(text: str) -> float:
    """
    >>> as_seconds("120s"), as_seconds("5 min"), as_seconds("1.5h")
    (120.0, 300.0, 5400.0)
    """
    number, unit = _parts(text)
    if unit.lower() not in _SECONDS or number <= 0:
        raise ParameterError(
            f"--limit {text!r} is not a time.", hint="Write 120s, 5min or 1h.", parameter="limit", value=text
        )
    return number * _SECONDS[unit.lower()]


def as_bytes(text: str) -> int:
    """
    >>> as_bytes("4GB"), as_bytes("512 MiB")
    (4000000000, 536870912)
    """
    number, unit = _parts(text)
    if unit.upper() not in _BYTES or number <= 0:
        raise ParameterError(f"--memory {text!r} is not a size.", hint="Write 500MB or 4GB.", parameter="memory", value=text)
    return int(number * _BYTES[unit.upper()])


def _parts(text: str) -> tuple[float, str]:
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", text)
    return (float(found[1]), found[2]) if found else (0.0, "")
