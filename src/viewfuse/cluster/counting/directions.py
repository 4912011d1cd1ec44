"""The number of clusters for the methods that compare directions of samples: GFSC, GF and AnchorGFSC."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..._utils.device import to_host
from ...fusion.exact import learned_factors
from ...graphs import GramFactor, GramMatrix, Samples
from ...graphs.nearest import influence, influence_of_products
from ...graphs.self_expressive import ROUNDING
from ...linalg import gram_factor
from .profile import ClusterCounts, count_clusters

__all__ = ["count_clusters_of_views", "direction_samples"]


def direction_samples(views: Sequence[Any], rows: Any = slice(None)) -> Samples:
    """The samples as these methods see them: unit vectors from the mean, each view divided by its influence.

    Parameters
    ----------
    views : sequence of (n, d_v) arrays, sparse matrices, or what ``learned_factors`` returns
    rows : the samples to take; by default all
    """
    factored = all(isinstance(view, (GramFactor, GramMatrix)) for view in views)
    members = [_member(view, rows) for view in (views if factored else learned_factors(views))]
    told = [member for member in members if member[0].shape[1]]  # one column has no directions
    if not told:
        return Samples((np.zeros((len(members[0][0]), 1)),))
    samples = Samples(tuple(points for points, _ in told))
    return samples.compact(lambda v: told[v][1]) if any(p is not None for _, p in told) else samples


def _member(view: GramFactor | GramMatrix, rows: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """Points of a view and, if they are known, their inner products."""
    if isinstance(view, GramFactor):
        # The basis U is the view up to a rotation, X = U Vᵀ with orthonormal V, which does not change distances.
        basis = np.asarray(to_host(view.basis)[rows], dtype=float)
        return (basis / influence(basis) if basis.shape[1] else basis), None
    products = np.asarray(view.gram[rows][:, rows], dtype=float)
    products /= influence_of_products(products) ** 2
    return gram_factor(products, ROUNDING), products


def count_clusters_of_views(views: Sequence[Any], counts: Iterable[int] | None = None) -> ClusterCounts:
    """Score each number of clusters by the directions of the samples."""
    return count_clusters(direction_samples(views).compact(), counts)
