"""k-means of points of any number of samples."""

from __future__ import annotations

import numpy as np
from sklearn.cluster import KMeans

from ..._utils.warn import ignoring

__all__ = ["cluster_points"]

_MOST_CLUSTERED = 5_000


def cluster_points(
    points: np.ndarray, n_clusters: int, random_state: np.random.RandomState, n_init: int = 3
) -> tuple[np.ndarray, np.ndarray]:
    """k-means of at most 5,000 of the points; the others go to the nearest centre. Returns labels and centres."""
    n = len(points)
    rows = np.arange(n) if n <= _MOST_CLUSTERED else np.sort(random_state.choice(n, _MOST_CLUSTERED, replace=False))
    with ignoring("Number of distinct clusters"):
        model = KMeans(n_clusters, n_init=n_init, random_state=int(random_state.randint(2**31 - 1))).fit(points[rows])
    labels = model.labels_ if rows.size == n else model.predict(points)
    return np.asarray(labels, dtype=np.intp), np.asarray(model.cluster_centers_)
