"""What AutoFusion considered, what it chose and why: a record that prints as a short table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ..._utils.agreement import adjusted_rand

__all__ = ["AutoChoice", "ViewChoice", "agreement_of", "mean_of_others"]

_MERITS = {
    "agreement": "agrees {:.2f} with the others",
    "returned": "comes back {:.2f} in halves",
    "inside": "has {:.2f} of the neighbours inside",
}


@dataclass(frozen=True)
class ViewChoice:
    """How the samples of one view are measured, the reason, and whether the view is in the joint graph.

    ``kind`` is that of :class:`~viewfuse.graphs.Representation`.
    """

    name: str
    kind: str
    reason: str
    kept: bool = True


@dataclass(frozen=True)
class AutoChoice:
    """What was considered and what was chosen.

    Attributes
    ----------
    views : tuple of ViewChoice
    gap : float
        Relative eigengap of the joint neighbour graph at the number of clusters, between 0 and 1: near 1 if the graph almost
        falls apart into that many pieces.
    candidates : tuple of str, the clusterings that were made
    agreement : (c, c) array, the adjusted Rand index of each two candidates
    chosen : str, one of ``candidates``
    reason : str
    returned, inside : tuples of float, or None if nothing had to be weighed
        Of each candidate, how much comes back in halves of the samples, and how far the views support it
        (:mod:`viewfuse.cluster.auto.merit`).
    """

    views: tuple[ViewChoice, ...]
    gap: float
    candidates: tuple[str, ...]
    agreement: np.ndarray
    chosen: str
    reason: str
    returned: tuple[float, ...] | None = None
    inside: tuple[float, ...] | None = None

    def mean_agreement(self) -> dict[str, float]:
        """The mean agreement of each candidate with the others; 1 for an only one."""
        return dict(zip(self.candidates, mean_of_others(self.agreement), strict=True))

    def as_dict(self) -> dict[str, Any]:
        """The same in plain values, for JSON: of the agreement, the mean of each candidate."""
        return {
            "views": [asdict(view) for view in self.views],
            "chosen": self.chosen,
            "reason": self.reason,
            "gap": float(self.gap),
            "candidates": [{"name": name} | merit for name, merit in zip(self.candidates, self._merits(), strict=True)],
        }

    def _merits(self) -> list[dict[str, float]]:
        numbers = {"agreement": self.mean_agreement().values(), "returned": self.returned, "inside": self.inside}
        known = {name: each for name, each in numbers.items() if each is not None}
        return [dict(zip(known, row, strict=True)) for row in zip(*known.values(), strict=True)]

    def __str__(self) -> str:
        width = max(len(view.name) for view in self.views)
        lines = [f"{view.name:{width}}  {view.kind}: {view.reason}" for view in self.views]
        for name, merit in zip(self.candidates, self._merits(), strict=True):
            mark = "  <- chosen" if name == self.chosen else ""
            shown = ", ".join(_MERITS[key].format(value) for key, value in merit.items())
            lines.append(f"{name}: {shown if len(self.candidates) > 1 else 'the only candidate'}{mark}")
        return "\n".join([*lines, f"{self.chosen}: {self.reason}"])

    __repr__ = __str__


def agreement_of(clusterings: Sequence[np.ndarray]) -> np.ndarray:
    """The adjusted Rand index of each two clusterings, (c, c)."""
    agreement = np.eye(len(clusterings))
    for (i, one), (j, other) in combinations(enumerate(clusterings), 2):
        agreement[i, j] = agreement[j, i] = adjusted_rand(one, other)
    return agreement


def mean_of_others(agreement: np.ndarray) -> list[float]:
    """The mean of each row without its diagonal entry; 1 where there is nothing else."""
    c = len(agreement)
    return [float((agreement[i].sum() - agreement[i, i]) / (c - 1)) if c > 1 else 1.0 for i in range(c)]
