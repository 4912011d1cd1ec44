"""Finished cells to rows of the tables: the point chosen with labels ("oracle"), the defaults, and the printed figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from .._utils.store import Store
from .paper import PRINTED_METRICS, MeanStd, printed_table
from .protocol import Cell

__all__ = ["Choice", "Comparison", "TableRow", "compared", "mean_std", "table_rows"]


_PRINTED_TO = 0.01  # the paper prints two decimals


@dataclass(frozen=True)
class Comparison:
    """Ours beside the paper's, in percent."""

    ours: MeanStd
    paper: MeanStd

    @property
    def difference(self) -> float:
        return self.ours[0] - self.paper[0]

    @property
    def within(self) -> bool:
        """Whether the means differ by no more than the two standard deviations, ours and the paper's, together."""
        return abs(self.difference) <= self.ours[1] + self.paper[1] + _PRINTED_TO


@dataclass(frozen=True)
class Choice:
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
    failed : how many of the grid ended in an error of the method's own
    missing : how many cells of the row are not computed yet
    oracle : the point of the grid with the best mean Acc against the true labels; None where there is no grid
    default : the library's defaults; None where they failed
    printed : column → mean and standard deviation; empty where the paper has no such row
    """

    dataset: str
    label: str
    method: str
    points: tuple[Choice, ...]
    failed: int
    missing: int
    oracle: Choice | None
    default: Choice | None
    printed: Mapping[str, MeanStd]


def mean_std(values: Sequence[float]) -> MeanStd:
    """Mean and standard deviation (n − 1, as MATLAB's)."""
    return fmean(values), stdev(values)


def compared(row: TableRow, column: str) -> Comparison | None:
    """The oracle's score beside the printed one, in the metric that the printed column really is."""
    if row.oracle is None or column not in row.printed:
        return None
    return Comparison(row.oracle.stat(PRINTED_METRICS[column]), row.printed[column])


def table_rows(cells: Sequence[Cell], store: Store) -> list[TableRow]:
    """The rows of all tables, in the order of the cells, from those that are finished."""
    groups: dict[tuple[str, str, str], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell.dataset, cell.row, cell.method), []).append(cell)
    rows = []
    for group, planned in groups.items():
        found = [Choice(cell, store.results[cell.key]) for cell in planned if cell.key in store.results]
        rows.append(_row(*group, found, len(planned) - len(found)))
    return rows


def _row(dataset: str, label: str, method: str, found: Sequence[Choice], missing: int) -> TableRow:
    scored = [choice for choice in found if choice.result["scores"] is not None]
    points = tuple(choice for choice in scored if not choice.cell.default)
    return TableRow(
        dataset=dataset,
        label=label,
        method=method,
        points=points,
        failed=sum(not choice.cell.default for choice in found) - len(points),
        missing=missing,
        oracle=max(points, key=lambda choice: choice.stat("acc")[0], default=None),
        default=next((choice for choice in scored if choice.cell.default), None),
        printed=printed_table(dataset).get(label, {}),
    )
