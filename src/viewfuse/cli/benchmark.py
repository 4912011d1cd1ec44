"""``viewfuse benchmark``: compare methods on data sets with known labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ._cells import ALL_CORES, CellLimit, CellMemory, CellsOnly, PageOnly, Workers, resumable, run_options
from ._options import comma_separated
from ._progress import cells_bar, notice

if TYPE_CHECKING:
    from ..experiments.engine import CellProgress

__all__ = ["benchmark"]


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
    limit: CellLimit = "10min",
    memory: CellMemory = None,
    workers: Workers = ALL_CORES,
    oracle: Annotated[
        bool, typer.Option("--oracle", help="Also report the best point of a grid, chosen with labels and marked as such.")
    ] = False,
    shipped: Annotated[
        bool,
        typer.Option("--shipped", help="Also run methods that depend on the order of rows with rows as in the file."),
    ] = False,
    page_only: PageOnly = False,
    cells_only: CellsOnly = False,
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
    options = run_options(workers, limit, memory, page_only=page_only, cells_only=cells_only, oracle=oracle, shipped=shipped)
    with resumable(output), cells_bar(_line, piped=notice) as on_cell:
        page = run(output, data=names, methods=chosen, n_seeds=seeds, on_cell=on_cell, **options)
    print(f"results written to {output}" if page is None else f"page written to {page}")


def _line(progress: CellProgress) -> str:
    cell, scores = progress.cell, progress.result["scores"]
    outcome = f"Acc {scores['acc']:.1f}" if scores else f"failed: {progress.result['failed']}"
    place = f"{progress.done}/{progress.total}  {cell.dataset}  {cell.method}  seed {cell.seed}"
    return f"{place}:  {outcome}  {progress.result['seconds']:.1f} s"
