"""Plan the experiments, compute what is missing, and write the tables, figures and page."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from .._utils.store import Store
from ..cluster import known_methods
from ..exceptions import ViewsError
from .contents import page_blocks, page_title
from .engine import CellProgress, run_in_folder
from .figures import plot_comparison, plot_sensitivity, save_figure
from .findings import DataFacts
from .page import as_html, as_markdown
from .paper import PAPER_DATASETS, DataSource, data_source
from .paper_tables import as_latex, csv_records, records
from .protocol import Cell, planned_cells, run_on
from .session import file_name
from .summary import TableRow, table_rows
from .tables import as_csv
from .workers import Limits

__all__ = ["reproduce"]


def reproduce(
    output: str | Path,
    *,
    datasets: Sequence[str] = tuple(PAPER_DATASETS),
    methods: Sequence[str] | None = None,
    quick: bool = False,
    workers: int = 1,
    limit: float | None = None,
    memory: int | None = None,
    page_only: bool = False,
    cells_only: bool = False,
    command: str = "viewfuse.experiments.reproduce",
    on_cell: Callable[[CellProgress], None] | None = None,
) -> Path | None:
    """Run the paper's experiments and write the results next to those printed in the paper.

    This needs the extras ``cli``, ``plot`` and ``report``.

    Parameters
    ----------
    output : folder
        Results are saved here. The same call resumes where an earlier one stopped.
    datasets : names as in the paper, or files with views and labels
        Data sets whose file is not in the data folder are named on the page. They are not downloaded.
    methods : keys of ``METHODS``; None for all
    quick : bool
        Use a coarse grid.
    workers : int
        Number of processes, each with one thread. Results do not depend on it.
    limit : seconds that a cell may take, or None
    memory : bytes that a cell may take, or None
    page_only : bool
        Compute nothing. Write the tables, figures and page from the finished cells, and list what is missing.
    cells_only : bool
        Write no page. This needs neither ``plot`` nor ``report``.
    command : str
        The command that the page says it was made with; with ``page_only`` that of the last run, if there is one.
    on_cell : callable, optional
        Called with a :class:`CellProgress` for every finished cell.

    Returns
    -------
    Path or None
        Path of the HTML page, None with ``cells_only``. The same folder contains ``README.md``, ``tables.csv``,
        ``tables.json``, a LaTeX table for each data set, figures as SVG and PNG, and ``cells.jsonl``, from which all of them
        are made.
    """
    keys = known_methods(methods)
    sources = [data_source(name) for name in datasets]
    available = [source for source in sources if source.is_available]
    absent = [source for source in sources if not source.is_available]
    if not available:
        calls = ", ".join(f"viewfuse.datasets.fetch({source.catalogue!r})" for source in absent)
        raise ViewsError(
            f"None of the data sets is in the data folder: {', '.join(source.name for source in absent)}.",
            hint=f"Download them with {calls}.",
            parameter="datasets",
            value=[source.name for source in absent],
        )
    folder, by_name = Path(output), {source.name: source for source in available}
    cells = [cell for source in available for cell in planned_cells(source, keys, quick=quick)]
    return run_in_folder(
        folder,
        run_on,
        [(cell, by_name[cell.dataset]) for cell in cells],
        lambda store, command: _write(folder, available, absent, cells, store, command),
        workers=workers,
        limits=None if limit is None and memory is None else Limits(limit, memory),
        page_only=page_only,
        cells_only=cells_only,
        command=command,
        on_cell=on_cell,
        grid="quick" if quick else "full",
    )


def _write(
    folder: Path,
    available: Sequence[DataSource],
    absent: Sequence[DataSource],
    cells: Sequence[Cell],
    store: Store,
    command: str,
) -> Path:
    rows = table_rows(cells, store)
    by_dataset = {source.name: [row for row in rows if row.dataset == source.name] for source in available}
    facts = {source.name: _facts(source) for source in available}
    (folder / "tables.csv").write_text(as_csv(csv_records(rows)), encoding="utf-8")
    (folder / "tables.json").write_text(json.dumps(records(rows), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for name, found in by_dataset.items():
        (folder / f"table-{file_name(name)}.tex").write_text(as_latex(found), encoding="utf-8")
    figures = _draw(folder, by_dataset)
    blocks = page_blocks(by_dataset, facts, absent, cells, store, figures, command)
    (folder / "README.md").write_text(as_markdown(blocks), encoding="utf-8")
    page = folder / "index.html"
    page.write_text(as_html(page_title(), blocks, folder), encoding="utf-8")
    return page


def _draw(folder: Path, by_dataset: Mapping[str, Sequence[TableRow]]) -> dict[str, list[str]]:
    """Draw the figures, and return their names for each data set."""
    drawn: dict[str, list[str]] = {}
    for name, rows in by_dataset.items():
        comparison, sensitivity = f"rows-{file_name(name)}", f"sensitivity-{file_name(name)}"
        save_figure(plot_comparison(rows), folder, comparison)
        drawn[name] = [comparison]
        for row in rows:
            if row.method == "gfsc" and row.points:
                save_figure(plot_sensitivity(row), folder, sensitivity)
                drawn[name].append(sensitivity)
    return drawn


def _facts(source: DataSource) -> DataFacts:
    views = source.load()
    assert views.y is not None
    _, sizes = np.unique(views.y, return_counts=True)
    return DataFacts(
        source=source,
        checksum=source.checksum(),
        n_samples=len(views),
        n_features=tuple(array.shape[1] for array in views.arrays),
        n_clusters=sizes.size,
        largest_class=100 * float(sizes.max() / sizes.sum()),
    )
