"""The whole of it: plan, compute what is missing, and write tables, figures and the page."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import numpy as np

from .._utils.extras import require
from .._utils.store import Store
from .._utils.version import __version__
from ..cluster import known_methods
from ..exceptions import ParameterError, ViewsError
from .contents import page_blocks, page_title
from .figures import plot_comparison, plot_sensitivity, save_figure
from .findings import DataFacts
from .page import as_html, as_markdown
from .paper import PAPER_DATASETS, DataSource, data_source
from .protocol import Cell
from .run import Progress, compute, planned_cells
from .summary import TableRow, table_rows
from .tables import as_csv, as_json, as_latex

__all__ = ["reproduce"]

_SOLVERS = ("cluster", "fusion", "graphs", "spectral")


def reproduce(
    output: str | Path,
    *,
    datasets: Sequence[str] = tuple(PAPER_DATASETS),
    methods: Sequence[str] | None = None,
    quick: bool = False,
    workers: int = 1,
    page_only: bool = False,
    command: str = "viewfuse.experiments.reproduce",
    on_cell: Callable[[Progress], None] | None = None,
) -> Path:
    """Run the paper's experiments and write what came out, beside what the paper prints.

    Parameters
    ----------
    output : folder
        What is finished is kept there; the same call goes on where an earlier one stopped.
    datasets : names as in the paper, or files with views and labels
        Those whose file is not here are named on the page, and not downloaded.
    methods : keys of ``METHODS``; None for all
    quick : bool
        A coarse grid.
    workers : int
        Processes, each on one thread. Results do not depend on their number.
    page_only : bool
        Compute nothing: write tables, figures and page from what is finished, and say what is missing.
    command : str
        What the page says it was made with.
    on_cell : callable, optional
        Called with a :class:`Progress` for every cell that is finished.

    Returns
    -------
    Path
        Of the HTML page. Beside it lie ``README.md``, ``tables.csv``, ``tables.json``, a LaTeX table for each data set,
        figures as SVG and PNG, and ``cells.jsonl``, from which all of it is made.
    """
    keys = known_methods(methods)
    if workers < 1:
        raise ParameterError(f"workers must be at least 1; got {workers}.")
    require("matplotlib", extra="plot").use("Agg")
    sources = [data_source(name) for name in datasets]
    here, absent = [s for s in sources if s.is_here], [s for s in sources if not s.is_here]
    if not here:
        raise ViewsError(f"None of the data sets is here: {', '.join(map(how_to_get, absent))}.")
    folder = Path(output)
    with Store.opened(folder) as store:
        cells = [cell for source in here for cell in planned_cells(source, keys, quick=quick)]
        if not page_only and any(cell.key not in store.results for cell in cells):
            store.begin_session(_session(command, workers, quick))
            compute(here, cells, store, workers=workers, on_cell=on_cell)
        return _write(folder, here, absent, cells, store, command)


def how_to_get(source: DataSource) -> str:
    return f"{source.name} (viewfuse datasets fetch {source.catalogue})"


def _write(
    folder: Path, here: Sequence[DataSource], absent: Sequence[DataSource], cells: Sequence[Cell], store: Store, command: str
) -> Path:
    rows = table_rows(cells, store)
    by_dataset = {source.name: [row for row in rows if row.dataset == source.name] for source in here}
    facts = {source.name: _facts(source) for source in here}
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
    """Names of the figures of each data set."""
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


def file_name(dataset: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in dataset.lower())


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


def _session(command: str, workers: int, quick: bool) -> dict[str, object]:
    packages = ("numpy", "scipy", "scikit-learn")
    return {
        "command": command,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "workers": workers,
        "grid": "quick" if quick else "full",
        "versions": {
            "viewfuse": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in packages},
        },
        "machine": f"{platform.system()} {platform.machine()}",
        "code": solver_fingerprint(),
    }


def solver_fingerprint() -> str:
    """A checksum of the solvers' source: cells of two different ones were computed by different code."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(path for folder in _SOLVERS for path in (root / folder).rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:12]
