"""The tables as files: CSV and JSON with one record per number, and LaTeX in the style of the paper."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import Any

from .paper import PRINTED_METRICS, MeanStd
from .protocol import METRICS
from .summary import Comparison, TableRow, compared

__all__ = ["as_csv", "as_json", "as_latex", "parameter_text", "records", "shown"]

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


def as_json(rows: Sequence[TableRow]) -> str:
    return json.dumps(records(rows), indent=1, ensure_ascii=False) + "\n"


def as_csv(rows: Sequence[TableRow]) -> str:
    out = io.StringIO()
    found = records(rows)
    writer = csv.DictWriter(out, list(found[0]) if found else [], lineterminator="\n")
    writer.writeheader()
    for record in found:
        writer.writerow({**record, "parameters": parameter_text(record["parameters"])})
    return out.getvalue()


def as_latex(dataset: str, rows: Sequence[TableRow]) -> str:
    """A wide table (booktabs): our results at the oracle's parameters, the paper's results, and our defaults."""
    lines = [
        "% Acc, inverse purity (printed as Purity) and NMI: ours at parameters chosen with labels, the paper's, difference",
        "% (* within the two standard deviations); then true purity and NMI by the geometric mean; then the defaults.",
        r"\begin{tabular}{l rrr rrr rrr rr rr}",
        r"\toprule",
        r"& \multicolumn{3}{c}{Acc} & \multicolumn{3}{c}{Inverse purity (``Purity'')} & \multicolumn{3}{c}{NMI (max)} "
        r"& Purity & NMI (geo.) & \multicolumn{2}{c}{Defaults} \\",
        "Method" + 3 * " & ours & paper & diff." + r" & ours & ours & Acc & NMI (max) \\",
        r"\midrule",
    ]
    for row in rows:
        cells = [_escaped(row.label)]
        for column, metric in PRINTED_METRICS.items():
            comparison = compared(row, column)
            ours = shown(row.oracle.stat(metric)) if row.oracle else "--"
            paper = shown(comparison.paper) if comparison else "--"
            cells += [ours, paper, _difference(comparison)]
        cells += [shown(row.oracle.stat(metric)) if row.oracle else "--" for metric in ("purity", "nmi_geometric")]
        cells += [shown(row.default.stat(metric)) if row.default else "--" for metric in ("acc", "nmi_max")]
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def shown(stat: MeanStd) -> str:
    """
    >>> shown((41.666, 2.345))
    '41.67(2.35)'
    """
    return f"{stat[0]:.2f}({stat[1]:.2f})"


def parameter_text(parameters: dict[str, Any]) -> str:
    """
    >>> parameter_text({"alpha": 1e-07, "scaling": "min-max", "n_neighbors": None})
    'alpha=1e-07, scaling=min-max, n_neighbors=None'
    """
    return ", ".join(
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}" for name, value in parameters.items()
    )


def _difference(comparison: Comparison | None) -> str:
    if comparison is None:
        return "--"
    return f"${comparison.difference:+.2f}${'*' if comparison.within else ''}"


def _escaped(text: str) -> str:
    return text.replace("&", r"\&").replace("_", r"\_")
