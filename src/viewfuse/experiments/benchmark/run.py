"""Plan the benchmark, compute what is missing in processes with limits, and write the files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ..._utils.store import Store
from ...cluster import known_methods
from ...exceptions import ParameterError, ViewsError
from ..engine import CellProgress, run_in_folder
from ..figures import save_figure
from ..page import as_html, as_markdown
from ..session import file_name
from ..tables import as_csv
from ..workers import Limits
from .cells import planned, run_cell, sources_for
from .figures import plot_bars, plot_critical_differences, plot_quality_against_time
from .page import TITLE, page_blocks
from .results import MethodResult, Ranking, ranking, results
from .tables import as_latex, record

__all__ = ["benchmark"]


def benchmark(
    output: str | Path,
    *,
    data: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
    n_seeds: int = 5,
    limit: float | None = None,
    memory: int | None = None,
    workers: int = 1,
    oracle: bool = False,
    shipped: bool = False,
    page_only: bool = False,
    cells_only: bool = False,
    command: str = "viewfuse.experiments.benchmark",
    on_cell: Callable[[CellProgress], None] | None = None,
) -> Path | None:
    """Compare methods on data sets with known labels, at their defaults, and write tables, ranks, figures and a page.

    This needs the extras ``cli``, ``plot`` and ``report``.

    Parameters
    ----------
    output : folder
        Every finished fit is saved here at once. The same call resumes where an earlier one stopped.
    data : names in the catalogue, "digits", or files with views and labels
        None: the data sets of the catalogue that are in the data folder, and the digits of scikit-learn.
    methods : keys of ``METHODS``, or ``module:Class``; None for all
    n_seeds : int
        Seeds 0 … n_seeds − 1.
    limit : seconds that a fit may take, or None
    memory : bytes that a fit may take, or None
    workers : int
        Number of processes, each with one thread.
    oracle : bool
        Also try a grid for each method and report its best point, which is chosen with labels and marked as such.
    shipped : bool
        Also run the methods that depend on the order of the rows with the rows as they are in the file.
    page_only : bool
        Compute nothing; write the files from what is finished.
    cells_only : bool
        Write no page. This needs neither ``plot`` nor ``report``.
    command : str
        The command that the page says it was made with; with ``page_only`` that of the last run, if there is one.
    on_cell : callable, optional
        Called with a :class:`CellProgress` for every finished fit.

    Returns
    -------
    Path or None
        The HTML page, None with ``cells_only``. The same folder contains ``README.md``, ``results.csv``, ``table.tex``,
        figures and ``cells.jsonl``.
    """
    keys = known_methods(methods)
    if n_seeds < 1:
        raise ParameterError(f"n_seeds must be at least 1; got {n_seeds}.", parameter="n_seeds", value=n_seeds)
    sources = sources_for(None if data is None else list(data))
    absent = [source.name for source in sources if not source.is_available]
    if absent:
        raise ViewsError(
            f"These data sets are not in the data folder: {', '.join(absent)}.",
            hint="Download them with viewfuse.datasets.fetch, or leave them out.",
            parameter="data",
            value=absent,
        )
    folder, by_name = Path(output), {source.name: source for source in sources}
    cells = planned(sources, keys, n_seeds, oracle=oracle, shipped=shipped)
    return run_in_folder(
        folder,
        run_cell,
        [(cell, by_name[cell.dataset]) for cell in cells],
        lambda store, command: _write(folder, results(cells, store), store, command),
        workers=workers,
        limits=Limits(limit, memory),  # always in other processes, where the memory of a fit can be measured
        page_only=page_only,
        cells_only=cells_only,
        command=command,
        on_cell=on_cell,
        limit_seconds=limit,
        limit_bytes=memory,
    )


def _write(folder: Path, found: Sequence[MethodResult], store: Store, command: str) -> Path:
    ranks = ranking(found)
    (folder / "results.csv").write_text(as_csv([record(result) for result in found]), encoding="utf-8")
    (folder / "table.tex").write_text(as_latex(found), encoding="utf-8")
    blocks = page_blocks(found, ranks, _draw(folder, found, ranks), store.sessions, command)
    (folder / "README.md").write_text(as_markdown(blocks), encoding="utf-8")
    page = folder / "index.html"
    page.write_text(as_html(TITLE, blocks, folder), encoding="utf-8")
    return page


def _draw(folder: Path, found: Sequence[MethodResult], ranks: Ranking) -> dict[str, str]:
    defaults = [r for r in found if r.order == "shuffled" and r.chosen_by == "defaults" and (r.scores or r.failures)]
    drawn: dict[str, str] = {}
    if ranks.critical_difference is not None:
        save_figure(plot_critical_differences(ranks), folder, "ranks")
        drawn["ranks"] = "ranks"
    if any(r.scores for r in defaults):
        save_figure(plot_quality_against_time(defaults), folder, "quality-time")
        drawn["time"] = "quality-time"
    for dataset in dict.fromkeys(r.dataset for r in defaults):
        name = f"acc-{file_name(dataset)}"
        save_figure(plot_bars(dataset, [r for r in defaults if r.dataset == dataset]), folder, name)
        drawn[dataset] = name
    return drawn
