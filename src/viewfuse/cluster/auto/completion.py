"""Points of samples that are missing from a view, from the samples that are most like them in the other views.

For a sample ``i`` without view ``v``, the distance to each sample ``j`` with that view is the mean of ``‖x_i^u − x_j^u‖²``
over the views ``u`` that both have. The point of ``i`` in view ``v`` is the mean of its ten nearest. Time is ``n²`` per
view, for the missing rows only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

__all__ = ["completed"]

_NEIGHBORS = 10


def completed(
    points: Sequence[np.ndarray],
    present: np.ndarray,
    reference: Sequence[np.ndarray] | None = None,
    reference_present: np.ndarray | None = None,
) -> list[np.ndarray]:
    """Fill the rows of absent samples.

    Parameters
    ----------
    points : sequence of (n, p_v) arrays of the same mean squared length; rows of absent samples are ignored
    present : (n, n_views) array of bool
    reference, reference_present : the samples to fill from; by default these
    """
    theirs = points if reference is None else reference
    there = present if reference_present is None else reference_present
    return [_filled(v, points, present, theirs, there) for v in range(len(points))]


def _filled(
    v: int, points: Sequence[np.ndarray], present: np.ndarray, theirs: Sequence[np.ndarray], there: np.ndarray
) -> np.ndarray:
    absent, donors = np.flatnonzero(~present[:, v]), np.flatnonzero(there[:, v])
    if not absent.size:
        return points[v]
    total, shared = np.zeros((absent.size, donors.size)), np.zeros((absent.size, donors.size))
    for u in range(len(points)):
        both = present[absent, u][:, None] & there[donors, u][None, :]
        if u == v or not both.any():
            continue
        distance = euclidean_distances(points[u][absent], theirs[u][donors], squared=True)
        total += np.where(both, distance, 0)
        shared += both
    distance = np.where(shared > 0, total / np.maximum(shared, 1), np.inf)
    count = min(_NEIGHBORS, donors.size)
    nearest = np.argpartition(distance, count - 1, axis=1)[:, :count]
    filled = points[v].copy()
    # Without a view in common every sample is equally far: the mean of all.
    comparable = np.isfinite(np.take_along_axis(distance, nearest, axis=1)).all(axis=1)
    filled[absent] = np.where(
        comparable[:, None], theirs[v][donors][nearest].mean(axis=1), theirs[v][donors].mean(axis=0)[None, :]
    )
    return filled
