"""KM: k-means on the concatenated views.

    min Σ_i ‖x_i − c_{y_i}‖²,   x_i = (x_i^1, …, x_i^t) scaled

scikit-learn's k-means: n·d·k operations per iteration, n·d memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from ..._utils.warn import ignoring
from ...linalg import all_clusters_taken
from ...views import Views
from .._solution import Solution
from .base import ComparisonMethod

__all__ = ["KM"]


class KM(ComparisonMethod):
    """k-means on the concatenated views, the rows of each view scaled to unit length, as in the paper.

    ``min Σ_i ‖x_i − c_{y_i}‖²`` over centres and labels, where ``x_i`` concatenates the scaled views of a sample. Rows of
    unit length suit counts of words. They do not show clusters that differ in length only; ``scaling="unit-spread"`` does.

    Parameters
    ----------
    {n_clusters, scaling, max_iter}
    tol : float
        Relative tolerance of k-means.
    {views, n_starts, random_state}

    Attributes
    ----------
    {labels_}
    objective_ : (1,) array, the final sum of squares
    {traces, names}

    References
    ----------
    {paper}

    Examples
    --------
    {example: km}
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        scaling: str = "unit-samples",
        max_iter: int = 300,
        tol: float = 1e-4,
        views: Any = None,
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.scaling = scaling
        self.max_iter = max_iter
        self.tol = tol
        self.views = views
        self.n_init = n_init
        self.random_state = random_state

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        kmeans = KMeans(self.n_clusters, n_init=self.n_init, max_iter=self.max_iter, tol=self.tol, random_state=rng)
        with ignoring("Number of distinct clusters"):
            distances = kmeans.fit_transform(np.hstack(self._features(arrays)))
        labels = all_clusters_taken(kmeans.labels_, distances.min(axis=1), self.n_clusters)
        converged = kmeans.n_iter_ < self.max_iter
        return Solution(converged, kmeans.n_iter_, np.asarray([kmeans.inertia_]), labels=labels)
