"""Views that some samples lack: what they would show, from the samples that are like them in the views they have.

With ``Z_v`` the self-expressive graph of the samples that have view v, the ties that the views agree on are

    S_ij = Σ_{v has i and j} Z_v,ij / number of such v.

In ``‖X_vᵀ − X_vᵀZ_v‖²`` the sample i is expressed by its row of ``Z_v``. Where it lacks the view that row is unknown, and so
is ``x_i``; ``S`` stands in for the one, and the error is then least, 0, for

    x_i = Σ_j S_ij x_j / Σ_j S_ij    over its strongest ties j among those who have the view,

scaled to unit length like every other sample. Averaging the graphs over those who have both samples, and leaving it at that,
wastes views: two samples share half of them where each lacks 30 %, so an entry of the consensus is the mean of half as many
graphs, and the noise that fusion was to average out stays. Feature means, in turn, tie all who lack a view to each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from array_api_compat import array_namespace

from .._utils.device import beside
from ..linalg.threads import spans
from .deviations import of_trace
from .scaling import unit_samples
from .self_expressive import GramFactor, factorise

__all__ = ["completed_factors"]

_NEIGHBOURS = 40  # that stand in for a sample: fewer are noisier, many more blur small clusters
_BLOCK = 1024


def completed_factors(factors: Sequence[GramFactor], present: np.ndarray, alpha: float) -> list[GramFactor]:
    """The factors of the views with a row for everybody; those of views that nobody lacks are returned as they are.

    Parameters
    ----------
    factors : of views of unit-length deviations, rows of zeros for those who lack the view
    present : (n, n_views) array of bool: who has which view
    alpha : what the graphs' size is worth

    A sample of which no other has both the view and another in common stays a row of zeros.
    """
    completed = [None if present[:, v].all() else _copied(factor.basis) for v, factor in enumerate(factors)]
    for part in spans(len(present), _BLOCK):
        ties = _mean_ties(factors, present, alpha, part)
        for v, basis in enumerate(completed):
            lacking = np.flatnonzero(~present[part, v])
            if basis is not None and lacking.size:
                rows = beside(basis, lacking)
                basis[rows + part.start, :] = _expressed(ties[rows, :], beside(basis, present[:, v]), factors[v].basis)
    return [
        factor if basis is None else factorise(of_trace(unit_samples(basis))).single_precision()
        for factor, basis in zip(factors, completed, strict=True)
    ]


def _mean_ties(factors: Sequence[GramFactor], present: np.ndarray, alpha: float, part: slice) -> Any:
    """``S`` of some samples to all, (b, n)."""
    total: Any = 0.0
    for factor in factors:
        graph = (factor.basis[part, :] / (factor.eigenvalues + alpha)) @ factor.basis.T
        total = total + graph * (graph > 0)
    has = present.astype(np.float32)
    shared = has[part] @ has.T
    return total / beside(total, np.maximum(shared, 1))


def _expressed(ties: Any, has: Any, basis: Any) -> Any:
    """The means of each row's strongest neighbours among those who have the view, weighted by the ties."""
    xp = array_namespace(basis)
    ties = xp.where(has[None, :], ties, xp.zeros_like(ties))
    weakest = xp.sort(ties, axis=1)[:, -min(_NEIGHBOURS, ties.shape[1])]
    ties = xp.where(ties >= weakest[:, None], ties, xp.zeros_like(ties))
    totals = xp.sum(ties, axis=1)
    return (ties @ basis) / xp.where(totals > 0, totals, xp.ones_like(totals))[:, None]


def _copied(basis: Any) -> Any:
    return array_namespace(basis).asarray(basis, copy=True)
