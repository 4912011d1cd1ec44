"""``viewfuse reproduce``: run the paper's experiments."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar

from ._interrupt import INTERRUPTED
from ._options import AsJson, comma_separated
from ._progress import notice

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..experiments.run import CellProgress

__all__ = ["reproduce"]


def reproduce(
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="Folder for the results. A run that was stopped continues from this folder."),
    ] = Path("viewfuse-reproduction"),
    datasets: Annotated[
        str, typer.Option("-d", "--datasets", help="Data sets of the paper, or files with labels, separated by commas.")
    ] = "BBC,Reuters,Digits,Caltech20,MSRC-v5",
    methods: Annotated[
        str | None,
        typer.Option(
            "-m", "--methods", help="Keys of the methods, separated by commas (see viewfuse methods). Default: all."
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Use a coarse grid; MSRC-v5 then takes about a minute.")] = False,
    page_only: Annotated[
        bool, typer.Option("--page-only", help="Compute nothing; write the page from the finished results.")
    ] = False,
    workers: Annotated[
        int, typer.Option("-w", "--workers", min=1, help="Number of processes, one core each.")
    ] = os.cpu_count() or 1,
    as_json: AsJson = False,
) -> None:
    """Run the paper's experiments, and write a page that compares the results with the printed tables and figures.

    Data sets are read from the data folder (see viewfuse datasets list).
    Missing data sets are listed, not downloaded.
    You can stop it with Ctrl-C at any time: the same command continues where it stopped.

    [bold]Examples[/]

      viewfuse reproduce -d MSRC-v5 --quick

      viewfuse reproduce -d Reuters,Digits -m gfsc,gf,co-reg -o results

      viewfuse reproduce -d my-labelled-file.mat -m gfsc,km
    """
    from ..experiments import reproduce as run

    try:
        with _shown_on(Console(stderr=True)) as on_cell:
            page = run(
                output,
                datasets=comma_separated(datasets),
                methods=None if methods is None else comma_separated(methods),
                quick=quick,
                workers=workers,
                page_only=page_only,
                command=shlex.join(["viewfuse", *sys.argv[1:]]),
                on_cell=on_cell,
            )
    except KeyboardInterrupt:
        notice(f"stopped by Ctrl-C; run the same command again to continue from {output}")
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        tables = json.loads((page.parent / "tables.json").read_text(encoding="utf-8"))
        print(json.dumps({"rows": tables, "written": {"page": str(page)}}, indent=2))
    else:
        print(f"page written to {page}")


@contextmanager
def _shown_on(console: Console) -> Iterator[Callable[[CellProgress], None] | None]:
    """Show a progress bar with the time left, and a line for each finished cell; show nothing where output is piped."""
    if not console.is_terminal:
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[left]} left"))
    with Bar(*columns, console=console) as bar:
        task = bar.add_task("cells", total=None, left="…")

        def show(progress: CellProgress) -> None:
            bar.update(task, completed=progress.done, total=progress.total, left=_duration(progress.seconds_left))
            bar.console.print(_line(progress), highlight=False, markup=False, soft_wrap=True)

        yield show


def _line(progress: CellProgress) -> str:
    from ..experiments.summary import mean_std
    from ..experiments.tables import parameter_text, shown

    cell, result = progress.cell, progress.result
    scores = result["scores"]
    outcome = f"Acc {shown(mean_std(scores['acc']))}" if scores else str(result["failed"])
    parameters = "defaults" if cell.default else parameter_text(cell.parameters)
    return f"{cell.dataset}  {cell.row}  {parameters}:  {outcome}  {result['seconds']:.1f} s"


def _duration(seconds: float) -> str:
    """
    >>> _duration(50), _duration(200), _duration(9000)
    ('50 s', '3 min', '2.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
