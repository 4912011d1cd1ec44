"""The tables of the reproduction: one record per number, and LaTeX in the style of the paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .paper import PRINTED_METRICS
from .protocol import METRICS
from .summary import Comparison, TableRow, compared
from .tables import as_booktabs, latex_text, parameter_text, shown

__all__ = ["as_latex", "csv_records", "records"]

_WAYS = ("oracle", "default")  # how the parameters are chosen
_COLUMN_OF = {metric: column for column, metric in PRINTED_METRICS.items()}


def records(rows: Iterable[TableRow]) -> list[dict[str, Any]]:
    """One record for each row, each way of choosing the parameters, and each metric."""
    found = []
    for row in rows:
        for way in _WAYS:
            scored = getattr(row, way)
            if scored is None:
                continue
            for metric in METRICS:
                mean, std = scored.stat(metric)
                paper = compared(row, _COLUMN_OF[metric]) if way == "oracle" and metric in _COLUMN_OF else None
                found.append(
                    {
                        "dataset": row.dataset,
                        "row": row.label,
                        "method": row.method,
                        "parameters_chosen_by": "labels (oracle)" if way == "oracle" else "defaults, without labels",
                        "parameters": scored.cell.parameters,
                        "grid_points": len(row.points) + row.failed if way == "oracle" else 0,
                        "grid_points_failed": row.failed if way == "oracle" else 0,
                        "metric": metric,
                        "mean": round(mean, 4),
                        "std": round(std, 4),
                        "paper_column": _COLUMN_OF[metric] if paper else None,
                        "paper_mean": paper.paper[0] if paper else None,
                        "paper_std": paper.paper[1] if paper else None,
                        "difference": round(paper.difference, 4) if paper else None,
                        "within_the_two_std": paper.within if paper else None,
                    }
                )
    return found


def csv_records(rows: Iterable[TableRow]) -> list[dict[str, Any]]:
    """The records with their parameters as text."""
    return [{**record, "parameters": parameter_text(record["parameters"])} for record in records(rows)]


def as_latex(rows: Sequence[TableRow]) -> str:
    """A wide table: our results at the oracle's parameters, the paper's results, and our defaults."""
    purity = "Inverse purity (``Purity'')"
    groups = ["", *(rf"\multicolumn{{3}}{{c}}{{{name}}}" for name in ("Acc", purity, "NMI (max)"))]
    return as_booktabs(
        "l rrr rrr rrr rr rr",
        [
            [*groups, "Purity", "NMI (geo.)", r"\multicolumn{2}{c}{Defaults}"],
            ["Method", *3 * ["ours", "paper", "diff."], "ours", "ours", "Acc", "NMI (max)"],
        ],
        map(_latex_row, rows),
        [
            "Acc, inverse purity (printed as Purity) and NMI: ours at parameters chosen with labels, the paper's, and the",
            "difference (* within the two standard deviations); then purity and NMI by the geometric mean; the defaults.",
        ],
    )


def _latex_row(row: TableRow) -> list[str]:
    cells = [latex_text(row.label)]
    for column, metric in PRINTED_METRICS.items():
        comparison = compared(row, column)
        ours = shown(row.oracle.stat(metric)) if row.oracle else "--"
        paper = shown(comparison.paper) if comparison else "--"
        cells += [ours, paper, _difference(comparison)]
    cells += [shown(row.oracle.stat(metric)) if row.oracle else "--" for metric in ("purity", "nmi_geometric")]
    return cells + [shown(row.default.stat(metric)) if row.default else "--" for metric in ("acc", "nmi_max")]


def _difference(comparison: Comparison | None) -> str:
    if comparison is None:
        return "--"
    return f"${comparison.difference:+.2f}${'*' if comparison.within else ''}"
