"""When iterations end: one record of every tolerance, and the rule that uses them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["StoppingRule", "observed_rate", "remaining_change"]


@dataclass(frozen=True)
class StoppingRule:
    """Stop when the consensus ``S`` has converged.

    Let ``c`` be the relative change of ``S`` in the last iteration and ``q`` the rate at which changes shrink. The
    iterations end if

        c < tol    or    c·q/(1 − q) < remaining_factor · (1 − q) · tol.

    ``c·q/(1 − q)`` is the extrapolated remaining change: the sum of all changes still to come if they keep shrinking by
    ``q``. The factor ``1 − q`` makes the bound stricter where convergence is slow: an error that shrinks by ``q`` per
    iteration adds up to ``1/(1 − q)`` times itself. With ``remaining_factor=0`` only ``c < tol`` counts.

    Within an iteration of the robust variant ``S`` and the embedding ``F`` are updated in turn. These rounds end if ``F``
    did not turn at all, if its extrapolated remaining rotation is below ``max_rotation``, or when they have taken twice as
    long as the rest of the iteration, at the latest after ``max_rounds``.

    Attributes
    ----------
    tol : float
        Tolerance on the relative change of ``S``.
    min_iterations : int
        Least number of iterations.
    remaining_factor : float
        Multiple of ``tol`` that the extrapolated remaining change may have.
    max_weight_change : float
        After one iteration ``q`` cannot be observed. It is estimated if no weight (of mean 1) changed by more than this.
    max_rounds : int
        Largest number of updates of ``S`` and ``F`` within an iteration.
    plain_rounds : int
        Rounds of an iteration without momentum.
    momentum : float
        By how much of its last turn ``F`` is turned further in the rounds after these. With a rate q between 0 and 1 the
        rounds then shrink rotations by ``√(0.7q)`` at best, and q always.
    max_rotation : float
        Tolerance on the remaining rotation of ``F``, as the sine of a mean angle.
    max_rotation_at_start : float
        The same before the first iteration, when the graphs of the views do not yet depend on the cut.
    final_residual : float
        Residual of the eigenvectors in the result, relative to the median degree.
    round_residual : float
        Residual of the eigenvectors between rounds; ``S`` changes by more than that.
    rough_residual : float
        Residual where the result depends little on the eigenvectors.
    """

    tol: float = 1e-3
    min_iterations: int = 1
    remaining_factor: float = 0.0
    max_weight_change: float = 0.05
    max_rounds: int = 60
    plain_rounds: int = 2
    momentum: float = 0.7
    max_rotation: float = 2e-3
    max_rotation_at_start: float = 5e-3
    final_residual: float = 1e-5
    round_residual: float = 1e-4
    rough_residual: float = 1e-2

    def has_converged(self, changes: Sequence[float], rate: float = math.inf) -> bool:
        """Apply the rule to the changes of ``S`` so far; ``rate`` is ``q``, infinite if unknown."""
        if len(changes) < self.min_iterations:
            return False
        allowed = self.remaining_factor * (1 - rate) * self.tol if rate < 1 else 0.0
        return changes[-1] < self.tol or remaining_change(changes[-1], rate) < allowed

    def embedding_has_converged(self, rotation: float, rate: float, *, at_start: bool = False) -> bool:
        """Whether ``F``, which turned by ``rotation`` in the last round, has little left to turn."""
        allowed = self.max_rotation_at_start if at_start else self.max_rotation
        return rotation == 0 or remaining_change(rotation, rate) < allowed


def observed_rate(changes: Sequence[float]) -> float:
    """The rate at which changes shrink: the larger of the last two ratios, infinite with fewer than two changes."""
    return max((new / old if old > 0 else math.inf for old, new in pairwise(changes[-3:])), default=math.inf)


def remaining_change(change: float, rate: float) -> float:
    """``c·q/(1 − q)``, the sum of all changes after this one; infinite if they do not shrink."""
    return change * rate / (1 - rate) if rate < 1 else math.inf
