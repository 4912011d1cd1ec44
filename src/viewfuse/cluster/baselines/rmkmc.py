"""RMKMC: k-means in the ℓ2,1 norm with one shared assignment and a weight per view.

    min Σ_v a_v^γ Σ_i √(‖x_i^v − c^v_{y_i}‖² + ε²),   Σ_v a_v = 1

ε, a millionth of the view's spread, guards the zero residual. Iteratively reweighted: d_i^v = 1/(2√(·)) makes each step a
weighted k-means, a majorant of the objective, which therefore falls. An iteration is 2n·d·k operations; memory that of the
views.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...exceptions import ParameterError
from ...graphs import unit_spread
from ...linalg import refilled
from ...views import Views
from .._checks import check_number
from .base import ComparisonMethod
from .lloyd import best_of, distances_to, seeded_labels, view_weights, weighted_means
from .solution import Solution

__all__ = ["RMKMC", "robust_kmeans"]

_GUARD = 1e-6


def robust_kmeans(
    features: Sequence[np.ndarray],
    n_clusters: int,
    *,
    gamma: float,
    max_iter: int,
    tol: float,
    random_state: np.random.RandomState,
) -> Solution:
    """One start: centres, labels, weights in turn until the objective falls by less than ``tol``."""
    n, n_views = features[0].shape[0], len(features)
    spreads = [float(((x - x.mean(axis=0)) ** 2).sum(axis=1).mean()) for x in features]
    # A view in which all samples are alike once scaled explains nothing: it counts as a residual of 1, not of 0.
    guards = [_GUARD**2 * spread if spread > 0 else 1.0 for spread in spreads]
    labels = seeded_labels(lambda i: sum(((x - x[i]) ** 2).sum(axis=1) for x in features), n_clusters, random_state)
    weights, pulls = np.full(n_views, 1 / n_views), np.ones((n_views, n))
    objective: list[float] = []
    converged = False
    while not converged and len(objective) < max_iter:
        costs = np.zeros((n, n_clusters))
        distances = []
        for v, x in enumerate(features):
            distances.append(distances_to(x, weighted_means(x, labels, pulls[v], n_clusters)))
            costs += weights[v] ** gamma * pulls[v][:, None] * distances[v]
        labels = refilled(costs.argmin(axis=1), costs.min(axis=1), n_clusters)
        lengths = [np.sqrt(d[np.arange(n), labels] + guard) for d, guard in zip(distances, guards, strict=True)]
        pulls = np.stack([0.5 / length for length in lengths])
        misfits = np.asarray([length.sum() for length in lengths])
        weights = view_weights(misfits, gamma)
        objective.append(float((weights**gamma * misfits).sum()))
        converged = len(objective) > 1 and abs(objective[-2] - objective[-1]) <= tol * objective[-1]
    return Solution(converged, len(objective), np.asarray(objective), labels=labels, weights=weights)


class RMKMC(ComparisonMethod):
    """Robust multi-view k-means.

    ``min Σ_v a_v^γ ‖X_v − G C_v‖_{2,1}`` with ``G`` (n × k) one-hot and shared by all views, ``Σ_v a_v = 1``:
    residuals count
    by their length, not its square, so outliers pull less. With one view this is robust k-means.

    Parameters
    ----------
    n_clusters : int, default=8
    gamma : float above 1, default=3
        γ; near 1 the best view takes all the weight, large values make the weights equal.
    scaling : {"unit-samples", "min-max", "unit-spread"}
        How a view is scaled first: samples to unit length, the view as a whole to [−1, 1] as in the paper, or centred and
        to mean squared distance 1 (distances do not tell the last two from the features as they are).
    max_iter : int
        Largest number of iterations.
    tol : float
        The relative fall of the objective below which it has settled.
    views : dict or list, default=None
        For one 2-D array or DataFrame: the columns of each view, as in :class:`viewfuse.GFSC`.
    n_init : int, default=10
        Starts; the best counts.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : (n_samples,) array of int
    objective_ : array, per iteration
    view_weights_ : (n_views,) array, summing to 1; a constant view has weight 0
    history_ : dict of traces
    n_iter_ : int
    converged_ : bool
    view_names_ : (n_views,) array of str
    n_features_in_ : int, of all views together

    References
    ----------
    X. Cai, F. Nie and H. Huang. Multi-view k-means clustering on big data. IJCAI 2013.

    Examples
    --------
    >>> from viewfuse import METHODS, metrics
    >>> from viewfuse.datasets import load_digits_views
    >>> views = load_digits_views()[:150]
    >>> model = METHODS["rmkmc"](n_clusters=10, random_state=0).fit(views)
    >>> metrics.accuracy(views.y, model.labels_) > 0.4
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        gamma: float = 3.0,
        scaling: str = "unit-samples",
        max_iter: int = 200,
        tol: float = 1e-6,
        views: Any = None,
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.gamma = gamma
        self.scaling = scaling
        self.max_iter = max_iter
        self.tol = tol
        self.views = views
        self.n_init = n_init
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("gamma", self.gamma, positive=True)
        if self.gamma <= 1:
            raise ParameterError(f"gamma must be above 1; got {self.gamma!r}.")

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        # Of one spread, else a view in which all samples are alike would win all weight.
        features = [unit_spread(x).values for x in self._features(arrays)]
        options: dict[str, Any] = {"gamma": self.gamma, "max_iter": self.max_iter, "tol": self.tol, "random_state": rng}
        return best_of(self.n_init, lambda: robust_kmeans(features, self.n_clusters, **options))
