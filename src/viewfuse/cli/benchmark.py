"""``viewfuse benchmark``: compare methods on data sets with known labels."""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..exceptions import ParameterError
from ._interrupt import INTERRUPTED
from ._options import comma_separated
from ._progress import notice

if TYPE_CHECKING:
    from ..experiments.benchmark.cells import BenchmarkCell

__all__ = ["as_bytes", "as_seconds", "benchmark"]

_SECONDS = {"": 1.0, "s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0}
_BYTES = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


def benchmark(
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="Folder for the results. A stopped run continues from this folder."),
    ] = Path("viewfuse-benchmark"),
    datasets: Annotated[
        str | None,
        typer.Option(
            "-d",
            "--datasets",
            help="Names in the catalogue, separated by commas, and 'digits'. Default: all that are in the data folder.",
        ),
    ] = None,
    data: Annotated[
        list[str] | None, typer.Option("--data", metavar="FILE", help="A file of yours with views and labels; repeatable.")
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option("-m", "--methods", help="Keys of the methods, separated by commas. Default: all."),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option("--method", metavar="MODULE:CLASS", help="A method of yours, beside the others; repeatable."),
    ] = None,
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="Number of seeds.")] = 5,
    limit: Annotated[
        str | None, typer.Option("--limit", metavar="TIME", help="Largest time of one fit: 120s, 5min, 1h.")
    ] = "10min",
    memory: Annotated[
        str | None, typer.Option("--memory", metavar="SIZE", help="Largest memory of one fit: 500MB, 4GB.")
    ] = None,
    workers: Annotated[
        int, typer.Option("-w", "--workers", min=1, help="Number of processes, one core each.")
    ] = os.cpu_count() or 1,
    oracle: Annotated[
        bool, typer.Option("--oracle", help="Also report the best point of a grid, chosen with labels and marked as such.")
    ] = False,
    shipped: Annotated[
        bool,
        typer.Option("--shipped", help="Also run methods that depend on the order of rows with rows as in the file."),
    ] = False,
    page_only: Annotated[
        bool, typer.Option("--page-only", help="Compute nothing; write the page from the finished results.")
    ] = False,
) -> None:
    """Compare methods on data sets with known labels: tables, ranks, figures and one page.

    Methods run at their defaults, without labels, on rows in random order.
    A fit over its limit of time or memory counts as failed, with the reason.
    You can stop it with Ctrl-C at any time: the same command continues where it stopped.

    [bold]Examples[/]

      viewfuse benchmark -d digits,MSRC-v5 -m auto,gfsc,km,gmc --seeds 3

      viewfuse benchmark --data my.mat --method my_module:MyClass --limit 120s --memory 4GB
    """
    from ..experiments import benchmark as run

    chosen = None if methods is None else comma_separated(methods)
    if method:
        from ..cluster import known_methods

        chosen = [*(known_methods() if chosen is None else chosen), *method]
    names = None if datasets is None and not data else [*comma_separated(datasets or ""), *(data or [])]
    try:
        page = run(
            output,
            data=names,
            methods=chosen,
            n_seeds=seeds,
            limit=None if limit is None else as_seconds(limit),
            memory=None if memory is None else as_bytes(memory),
            workers=workers,
            oracle=oracle,
            shipped=shipped,
            page_only=page_only,
            command=shlex.join(["viewfuse", *sys.argv[1:]]),
            on_cell=_show,
        )
    except KeyboardInterrupt:
        notice(f"stopped by Ctrl-C; run the same command again to continue from {output}")
        raise typer.Exit(INTERRUPTED) from None
    print(f"page written to {page}")


def _show(cell: BenchmarkCell, result: dict[str, Any], done: int, total: int) -> None:
    scores = result["scores"]
    outcome = f"Acc {scores['acc']:.1f}" if scores else f"failed: {result['failed']}"
    notice(f"{done}/{total}  {cell.dataset}  {cell.method}  seed {cell.seed}:  {outcome}  {result['seconds']:.1f} s")


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
