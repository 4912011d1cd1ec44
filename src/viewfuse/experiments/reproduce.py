"""Plan the experiments, compute what is missing, and write the tables, figures and page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from .._utils.extras import require
from .._utils.store import Store
from ..cluster import known_methods
from ..exceptions import ParameterError, ViewsError
from .contents import page_blocks, page_title
from .figures import plot_comparison, plot_sensitivity, save_figure
from .findings import DataFacts
from .page import as_html, as_markdown
from .paper import PAPER_DATASETS, DataSource, data_source
from .protocol import Cell
from .run import CellProgress, compute, planned_cells
from .session import file_name, session
from .summary import TableRow, table_rows
from .tables import as_csv, as_json, as_latex

__all__ = ["reproduce"]


def reproduce(
    output: str | Path,
    *,
    datasets: Sequence[str] = tuple(PAPER_DATASETS),
    methods: Sequence[str] | None = None,
    quick: bool = False,
    workers: int = 1,
    page_only: bool = False,
    command: str = "viewfuse.experiments.reproduce",
    on_cell: Callable[[CellProgress], None] | None = None,
) -> Path:
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
    page_only : bool
        Compute nothing. Write the tables, figures and page from the finished cells, and list what is missing.
    command : str
        The command that the page says it was made with.
    on_cell : callable, optional
        Called with a :class:`CellProgress` for every finished cell.

    Returns
    -------
    Path
        Path of the HTML page. The same folder contains ``README.md``, ``tables.csv``, ``tables.json``, a LaTeX table for
        each data set, figures as SVG and PNG, and ``cells.jsonl``, from which all of them are made.
    """
    keys = known_methods(methods)
    if workers < 1:
        raise ParameterError(f"workers must be at least 1; got {workers}.", parameter="workers", value=workers)
    require("jinja2", extra="report")  # for the page: better missed now than after hours of computation
    require("matplotlib", extra="plot").use("Agg")
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
    folder = Path(output)
    with Store.opened(folder) as store:
        cells = [cell for source in available for cell in planned_cells(source, keys, quick=quick)]
        if not page_only and any(cell.key not in store.results for cell in cells):
            store.begin_session(session(command, workers, grid="quick" if quick else "full"))
            compute(available, cells, store, workers=workers, on_cell=on_cell)
        return _write(folder, available, absent, cells, store, command)


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
    (folder / "tables.csv").write_text(as_csv(rows), encoding="utf-8")
    (folder / "tables.json").write_text(as_json(rows), encoding="utf-8")
    for name, found in by_dataset.items():
        (folder / f"table-{file_name(name)}.tex").write_text(as_latex(name, found), encoding="utf-8")
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
