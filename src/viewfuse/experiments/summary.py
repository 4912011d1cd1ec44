"""From finished cells to table rows: the point chosen with labels ("oracle"), the defaults, and the printed results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._utils.store import Store
from .paper import PRINTED_METRICS, printed_table
from .protocol import Cell
from .tables import MeanStd, mean_std

__all__ = ["Comparison", "ScoredCell", "TableRow", "compared", "table_rows"]


_PRINTED_PRECISION = 0.01  # the paper prints two decimals


@dataclass(frozen=True)
class Comparison:
    """Our result and the paper's, in percent."""

    ours: MeanStd
    paper: MeanStd

    @property
    def difference(self) -> float:
        return self.ours[0] - self.paper[0]

    @property
    def within(self) -> bool:
        """Whether the means differ by at most the sum of the two standard deviations (ours and the paper's)."""
        return abs(self.difference) <= self.ours[1] + self.paper[1] + _PRINTED_PRECISION


@dataclass(frozen=True)
class ScoredCell:
    """A cell and its scores."""

    cell: Cell
    result: Mapping[str, Any]

    def stat(self, metric: str) -> MeanStd:
        return mean_std(self.result["scores"][metric])

    @property
    def facts(self) -> Mapping[str, Any]:
        return self.result.get("facts") or {}


@dataclass(frozen=True)
class TableRow:
    """A row of a table.

    Attributes
    ----------
    points : the finished points of the grid
    failed : number of points of the grid at which the method raised an error
    missing : number of cells of the row that are not computed yet
    oracle : the point of the grid with the best mean Acc against the true labels; None if there is no grid
    default : the result at the library's defaults; None if it failed
    printed : column → mean and standard deviation; empty if the paper has no such row
    """

    dataset: str
    label: str
    method: str
    points: tuple[ScoredCell, ...]
    failed: int
    missing: int
    oracle: ScoredCell | None
    default: ScoredCell | None
    printed: Mapping[str, MeanStd]


def compared(row: TableRow, column: str) -> Comparison | None:
    """Compare the oracle's score with the printed one, in the metric that the printed column really contains."""
    if row.oracle is None or column not in row.printed:
        return None
    return Comparison(row.oracle.stat(PRINTED_METRICS[column]), row.printed[column])


def table_rows(cells: Sequence[Cell], store: Store) -> list[TableRow]:
    """The rows of all tables, made from the finished cells, in the order of ``cells``."""
    groups: dict[tuple[str, str, str], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell.dataset, cell.row, cell.method), []).append(cell)
    rows = []
    for group, planned in groups.items():
        found = [ScoredCell(cell, store.results[cell.key]) for cell in planned if cell.key in store.results]
        rows.append(_row(*group, found, len(planned) - len(found)))
    return rows


def _row(dataset: str, label: str, method: str, found: Sequence[ScoredCell], missing: int) -> TableRow:
    scored = [scored_cell for scored_cell in found if scored_cell.result["scores"] is not None]
    points = tuple(scored_cell for scored_cell in scored if not scored_cell.cell.default)
    return TableRow(
        dataset=dataset,
        label=label,
        method=method,
        points=points,
        failed=sum(not scored_cell.cell.default for scored_cell in found) - len(points),
        missing=missing,
        oracle=max(points, key=lambda scored_cell: scored_cell.stat("acc")[0], default=None),
        default=next((scored_cell for scored_cell in scored if scored_cell.cell.default), None),
        printed=printed_table(dataset).get(label, {}),
    )
