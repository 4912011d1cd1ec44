"""``viewfuse reproduce``: run the paper's experiments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ._cells import ALL_CORES, CellLimit, CellMemory, CellsOnly, PageOnly, Workers, resumable, run_options
from ._options import AsJson, comma_separated
from ._progress import cells_bar

if TYPE_CHECKING:
    from ..experiments.engine import CellProgress

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
    limit: CellLimit = None,
    memory: CellMemory = None,
    workers: Workers = ALL_CORES,
    page_only: PageOnly = False,
    cells_only: CellsOnly = False,
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

    options = run_options(workers, limit, memory, page_only=page_only, cells_only=cells_only, quick=quick)
    chosen = None if methods is None else comma_separated(methods)
    with resumable(output), cells_bar(_line) as on_cell:
        page = run(output, datasets=comma_separated(datasets), methods=chosen, on_cell=on_cell, **options)
    if page is None:
        print(f"results written to {output}")
    elif as_json:
        tables = json.loads((page.parent / "tables.json").read_text(encoding="utf-8"))
        print(json.dumps({"rows": tables, "written": {"page": str(page)}}, indent=2))
    else:
        print(f"page written to {page}")


def _line(progress: CellProgress) -> str:
    from ..experiments.tables import mean_std, parameter_text, shown

    cell, result = progress.cell, progress.result
    scores = result["scores"]
    outcome = f"Acc {shown(mean_std(scores['acc']))}" if scores else str(result["failed"])
    parameters = "defaults" if cell.default else parameter_text(cell.parameters)
    return f"{cell.dataset}  {cell.row}  {parameters}:  {outcome}  {result['seconds']:.1f} s"
