"""The first lines of the page: whether the clusters are real, and what a reader must know before looking at them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._utils.text import count
from ..inspection import FitSummary

__all__ = ["notices", "verdict"]


def verdict(fit: FitSummary) -> dict[str, Any]:
    """``kind`` ("supported", "unsupported" or "untested"), one sentence, and lines of evidence."""
    if fit.n_clusters < 2:
        return _verdict("unsupported", "No clusters were found: all samples are in one cluster.")
    if fit.verdict is None:
        return _verdict(
            "untested",
            f"This was not tested: {fit.method} does not compare its clusters with data that has none.",
            "Every method divides noise into clusters too. AutoFusion and GFSC test their clusters.",
        )
    evidence = _returned(fit.verdict["returned"])
    if not fit.verdict["supported"]:
        evidence.append("Do not rely on these groups. The tables below describe them; that makes them no more real.")
    return _verdict("supported" if fit.verdict["supported"] else "unsupported", fit.verdict["sentence"], *evidence)


def _verdict(kind: str, sentence: str, *evidence: str) -> dict[str, Any]:
    return {"kind": kind, "sentence": sentence, "evidence": list(evidence)}


def _returned(shares: list[float] | None) -> list[str]:
    """How often the clusters came back, if the sentence is about all of them together."""
    known = np.asarray([] if shares is None else shares, dtype=float)
    if known.size < 2 or not np.isfinite(known).all():
        return []
    low, high = 100 * known.min(), 100 * known.max()
    line = f"Single clusters came back in {low:.0f} % to {high:.0f} % of resamples"
    weak = int((known < 0.6).sum())
    return [f"{line}; {count(weak, 'cluster')} in less than 60 %." if 0 < weak < known.size else f"{line}."]


def notices(fit: FitSummary) -> list[str]:
    """What happened to the data and to the fit."""
    lines = []
    if fit.n_dropped:
        lines.append(f"{count(fit.n_dropped, 'sample was', 'samples were')} dropped, because some view does not have them.")
    missing = {name: absent for name, absent in fit.n_missing.items() if absent}
    if missing:
        parts = ", ".join(f"{absent:,} from {name}" for name, absent in missing.items())
        lines.append(f"Samples are missing from views and were clustered by the other views: {parts}.")
    if fit.converged is False:
        what = "was stopped early" if fit.stopped else "did not converge"
        lines.append(f"The fit {what}: another run may give other clusters.")
    return lines
