"""Complete views with missing samples from similar samples in the other views.

With ``Z_v`` the self-expressive graph of the samples present in view v, the mean edge over the views that have both samples
is

    S_ij = Σ_{v has i and j} Z_v,ij / number of such v.

In ``‖X_vᵀ − X_vᵀZ_v‖²`` the sample i is expressed by its row of ``Z_v``. If i is missing from the view, both that row and
``x_i`` are unknown. With the row of ``S`` in place of that of ``Z_v``, the error is 0 for

    x_i = Σ_j S_ij x_j / Σ_j S_ij    over its strongest edges to samples j present in the view,

scaled to unit length like every other sample. Two simpler methods are worse. Averaging each entry of the graphs over the
views that have both samples wastes views: if 30 % of each view is missing, two samples share half of the views, so an entry
of the consensus is the mean of half as many graphs and keeps more noise. Filling in feature means makes all samples without
a view similar to each other.
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
from .self_expressive import GramFactor, GramMatrix, factorise

__all__ = ["completed_factors"]

_NEIGHBOURS = 40  # that a missing sample is computed from: fewer add noise, many more blur small clusters
_BLOCK = 1024


def completed_factors(views: Sequence[GramFactor | GramMatrix], present: np.ndarray, alpha: float) -> list[GramFactor]:
    """The factors of the views with a row for every sample; factors of complete views are returned unchanged.

    Parameters
    ----------
    views : factors of unit-length deviations, with rows of zeros for missing samples
    present : (n, n_views) array of bool, which samples each view has
    alpha : regularization of the graphs

    A sample without an edge to any sample of the view stays a row of zeros.
    """
    factors = [view.factor() if isinstance(view, GramMatrix) else view for view in views]
    completed = [None if present[:, v].all() else _copied(factor.basis) for v, factor in enumerate(factors)]
    for part in spans(len(present), _BLOCK):
        edges = _mean_edges(factors, present, alpha, part)
        for v, basis in enumerate(completed):
            missing = np.flatnonzero(~present[part, v])
            if basis is not None and missing.size:
                rows = beside(basis, missing)
                basis[rows + part.start, :] = _expressed(edges[rows, :], beside(basis, present[:, v]), factors[v].basis)
    return [
        factor if basis is None else factorise(of_trace(unit_samples(basis))).single_precision()
        for factor, basis in zip(factors, completed, strict=True)
    ]


def _mean_edges(factors: Sequence[GramFactor], present: np.ndarray, alpha: float, part: slice) -> Any:
    """Rows of ``S``, (b, n)."""
    total: Any = 0.0
    for factor in factors:
        graph = (factor.basis[part, :] / (factor.eigenvalues + alpha)) @ factor.basis.T
        total = total + graph * (graph > 0)
    has = present.astype(np.float32)
    shared = has[part] @ has.T
    return total / beside(total, np.maximum(shared, 1))


def _expressed(edges: Any, has: Any, basis: Any) -> Any:
    """Weighted means of each row's strongest neighbours among the samples present in the view."""
    xp = array_namespace(basis)
    edges = xp.where(has[None, :], edges, xp.zeros_like(edges))
    weakest = xp.sort(edges, axis=1)[:, -min(_NEIGHBOURS, edges.shape[1])]
    edges = xp.where(edges >= weakest[:, None], edges, xp.zeros_like(edges))
    totals = xp.sum(edges, axis=1)
    return (edges @ basis) / xp.where(totals > 0, totals, xp.ones_like(totals))[:, None]


def _copied(basis: Any) -> Any:
    return array_namespace(basis).asarray(basis, copy=True)
