"""The results as CSV, with the origin of every number, and as LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from ..tables import as_booktabs, latex_text, parameter_text
from .cells import METRICS
from .results import MethodResult

__all__ = ["as_latex", "record"]


def record(result: MethodResult) -> dict[str, Any]:
    """A line of the CSV file, with version, parameters, seeds and machine."""
    scores = {
        f"{metric}_{name}": "" if result.mean(metric) is None else f"{value(metric):.4f}"
        for metric in METRICS
        for name, value in (("mean", result.mean), ("sd", result.deviation))
    }
    session = result.session
    return {
        "dataset": result.dataset,
        "method": result.method,
        "rows": result.order,
        "parameters_chosen_by": "labels (oracle)" if result.chosen_by == "labels" else "defaults, without labels",
        "parameters": parameter_text(dict(result.parameters)),
        **scores,
        "cpu_seconds_mean": f"{fmean(result.seconds):.3f}" if result.seconds else "",
        "peak_mib": "" if result.peak is None else f"{result.peak / 2**20:.0f}",
        "seeds": " ".join(map(str, result.seeds)),
        "failed": "; ".join(result.failures),
        "missing": result.missing,
        "viewfuse": session.get("versions", {}).get("viewfuse", ""),
        "code": session.get("code", ""),
        "machine": session.get("machine", ""),
        "at": session.get("at", ""),
    }


def as_latex(found: Sequence[MethodResult], metric: str = "acc") -> str:
    """A table (booktabs) of the defaults: one row per method, one column per data set; the best of a column is bold."""
    used = [r for r in found if r.order == "shuffled" and r.chosen_by == "defaults"]
    datasets = list(dict.fromkeys(r.dataset for r in used))
    by_place = {(r.dataset, r.method): r for r in used}
    best = {d: max((r.mean(metric) or 0.0 for r in used if r.dataset == d), default=0.0) for d in datasets}
    rows = []
    for method in dict.fromkeys(r.method for r in used):
        cells = [latex_text(method)]
        for dataset in datasets:
            result = by_place.get((dataset, method))
            mean = None if result is None else result.mean(metric)
            if result is None or mean is None:
                cells.append("failed" if result is not None and result.failures else "--")
                continue
            number = f"{mean:.1f} \\pm {result.deviation(metric):.1f}"
            cells.append(f"$\\mathbf{{{number}}}$" if mean >= best[dataset] - 1e-9 else f"${number}$")
        rows.append(cells)
    comment = f"{metric}, mean ± standard deviation over seeds, in percent, at the defaults; rows in random order"
    return as_booktabs("l" + "r" * len(datasets), [["Method", *map(latex_text, datasets)]], rows, [comment])
