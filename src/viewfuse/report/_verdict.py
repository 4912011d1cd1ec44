"""The first lines of the page: whether the clusters are real, and what a reader must know before looking at them."""

from __future__ import annotations

from typing import Any

from .._utils.text import count
from ..inspection import FitSummary

__all__ = ["notices", "verdict"]

_WEAK = 0.6  # of a cluster that came back


def verdict(fit: FitSummary) -> dict[str, Any]:
    """``kind`` ("supported", "uncertain", "unsupported" or "untested"), one sentence, and what follows from it."""
    found = fit.verdict
    if fit.n_clusters < 2:
        why = [found["sentence"]] if found is not None and not found["supported"] else []
        return _verdict("unsupported", "No clusters were found: all samples are in one cluster.", *why)
    if found is None:
        sentence = f"This was not tested: {fit.method} does not test it, and the data was not given."
        return _verdict("untested", sentence, "Every method divides noise into clusters too.")
    if not found["supported"]:
        advice = "Do not rely on these groups. The tables below describe them; that makes them no more real."
        return _verdict("unsupported", found["sentence"], advice)
    if not found["stable"]:
        return _verdict("uncertain", found["sentence"], "Do not rely on these groups; another number of clusters may hold.")
    if found.get("dissolved"):  # results saved by earlier versions have no such entry
        return _verdict("uncertain", found["sentence"], "Do not rely on the borders of these; fewer groups may hold.")
    weak = sum(1 for share in found["returned"] if share is not None and share < _WEAK)
    doubt = [f"{count(weak, 'cluster')} came back by less than 60 %: see the table of clusters."] if weak else []
    return _verdict("supported", found["sentence"], *doubt)


def _verdict(kind: str, sentence: str, *advice: str) -> dict[str, Any]:
    return {"kind": kind, "sentence": sentence, "advice": list(advice)}


def notices(fit: FitSummary) -> list[str]:
    """What happened to the data and to the fit."""
    lines = []
    if fit.n_dropped:
        lines.append(f"{count(fit.n_dropped, 'sample was', 'samples were')} dropped, because some view does not have them.")
    missing = {name: absent for name, absent in fit.n_missing.items() if absent}
    if missing:
        parts = ", ".join(f"{absent:,} from {name}" for name, absent in missing.items())
        lines.append(f"Samples are missing from views and were clustered by the other views: {parts}.")
    filled: dict[str, int] = {}
    for column in fit.table_columns:
        if column["empty"] and column["left_out"] is None:
            filled[column["view"]] = filled.get(column["view"], 0) + int(column["empty"])
    if filled:
        parts = ", ".join(f"{count(cells, 'cell')} of {name}" for name, cells in filled.items())
        lines.append(f"Empty cells were filled from similar samples: {parts}.")
    if fit.converged is False:
        what = "was stopped early" if fit.stopped else "did not converge"
        lines.append(f"The fit {what}: another run may give other clusters.")
    return [*lines, *(one for one in fit.notes if not _is_said(one, fit))]


def _is_said(warning: str, fit: FitSummary) -> bool:
    """Whether the verdict, or the line about convergence, says the same."""
    sentence = None if fit.verdict is None else str(fit.verdict["sentence"])
    return sentence is not None and warning.startswith(sentence)
