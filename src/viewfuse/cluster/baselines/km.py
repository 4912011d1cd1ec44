"""KM: k-means on the concatenated views.

    min Σ_i ‖x_i − c_{y_i}‖²,   x_i = (x_i^1, …, x_i^t) scaled

scikit-learn's k-means: n·d·k operations an iteration, n·d memory.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from ...linalg import all_clusters_taken
from ...views import Views
from .base import ComparisonMethod
from .solution import Solution

__all__ = ["KM"]


class KM(ComparisonMethod):
    """k-means on the concatenated, scaled views.

    ``min Σ_i ‖x_i − c_{y_i}‖²`` over centres and labels, ``x_i`` the sample's scaled views side by side.

    Parameters
    ----------
    n_clusters : int, default=8
    scaling : {"unit-samples", "min-max", "unit-spread"}
        How a view is scaled first: samples to unit length, the view as a whole to [−1, 1] as in the paper, or centred and
        to mean squared distance 1 (distances do not tell the last two from the features as they are).
    max_iter : int
        Largest number of iterations.
    tol : float
        k-means' relative tolerance.
    views : dict or list, default=None
        For one 2-D array or DataFrame: the columns of each view, as in :class:`viewfuse.GFSC`.
    n_init : int, default=10
        Starts; the best counts.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : (n_samples,) array of int
    objective_ : (1,) array, the final sum of squares
    history_ : dict of traces
    n_iter_ : int
    converged_ : bool
    view_names_ : (n_views,) array of str
    n_features_in_ : int, of all views together

    References
    ----------
    Z. Kang et al. Multi-graph fusion for multi-view spectral clustering. Knowledge-Based Systems 189 (2020).

    Examples
    --------
    >>> from viewfuse import METHODS, metrics
    >>> from viewfuse.datasets import load_digits_views
    >>> views = load_digits_views()[:150]
    >>> model = METHODS["km"](n_clusters=10, random_state=0).fit(views)
    >>> metrics.accuracy(views.y, model.labels_) > 0.4
    True
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
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            distances = kmeans.fit_transform(np.hstack(self._features(arrays)))
        labels = all_clusters_taken(kmeans.labels_, distances.min(axis=1), self.n_clusters)
        converged = kmeans.n_iter_ < self.max_iter
        return Solution(converged, kmeans.n_iter_, np.asarray([kmeans.inertia_]), labels=labels)
