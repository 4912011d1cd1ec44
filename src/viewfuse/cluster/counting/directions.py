"""The number of clusters for the methods that compare directions of samples: GFSC, GF and AnchorGFSC."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..._utils.device import to_host
from ...fusion.exact import learned_factors
from ...graphs import GramFactor, Samples
from ...graphs.nearest import influence
from .profile import ClusterCounts, count_clusters

__all__ = ["count_clusters_of_views", "direction_samples"]


def direction_samples(views: Sequence[Any], rows: Any = slice(None)) -> Samples:
    """The samples as these methods see them: unit vectors from the mean, each view divided by its influence.

    Parameters
    ----------
    views : sequence of (n, d_v) arrays, sparse matrices, or GramFactors from ``learned_factors``
    rows : the samples to take; by default all
    """
    factored = all(isinstance(view, GramFactor) for view in views)
    # The basis U of a factor is the view up to a rotation, X = U Vᵀ with orthonormal V, which does not change distances.
    bases = [
        np.asarray(to_host(factor.basis)[rows], dtype=float) for factor in (views if factored else learned_factors(views))
    ]
    told = [basis for basis in bases if basis.shape[1]] or [np.zeros((len(bases[0]), 1))]  # one column has no directions
    return Samples(tuple(basis / influence(basis) for basis in told))


def count_clusters_of_views(views: Sequence[Any], counts: Iterable[int] | None = None) -> ClusterCounts:
    """Score each number of clusters by the directions of the samples."""
    return count_clusters(direction_samples(views).compact(), counts)
