"""RMKMC: k-means in the ℓ2,1 norm with one shared assignment and a weight per view.

    min Σ_v a_v^γ Σ_i √(‖x_i^v − c^v_{y_i}‖² + ε²),   Σ_v a_v = 1

ε, a millionth of the spread of the view, avoids a division by zero. With the weights d_i^v = 1/(2√(·)) each step is a
weighted k-means that majorises the objective, so the objective decreases. An iteration takes 2n·d·k operations; the memory
is that of the views.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ...graphs import unit_spread
from ...linalg import refilled
from ...views import Views
from .._constraints import Number
from .._solution import Solution
from .base import ComparisonMethod
from .lloyd import best_of, distances_to, seeded_labels, view_weights, weighted_means

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
    """One start: update centres, labels and weights in turn until the objective decreases by less than ``tol``."""
    n, n_views = features[0].shape[0], len(features)
    spreads = [float(((x - x.mean(axis=0)) ** 2).sum(axis=1).mean()) for x in features]
    # A view that is constant after scaling explains nothing: its residual counts as 1, not as 0.
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

    ``min Σ_v a_v^γ ‖X_v − G C_v‖_{2,1}`` with ``Σ_v a_v = 1``, where ``G`` (n × k) is one-hot and shared by all views. The
    residuals are not squared, so outliers have less influence. With one view this is robust k-means.

    Parameters
    ----------
    {n_clusters}
    gamma : float above 1, default=3
        γ; near 1 the best view has all the weight, large values make the weights equal.
    {scaling, max_iter, tol, views, n_starts, random_state}

    Attributes
    ----------
    {labels_, objective_, view_weights_, traces, names}

    References
    ----------
    X. Cai, F. Nie and H. Huang. Multi-view k-means clustering on big data. IJCAI 2013.

    Examples
    --------
    {example: rmkmc}
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

    _parameter_constraints: ClassVar = {
        **ComparisonMethod._parameter_constraints,
        "gamma": [Number(above=1)],
    }

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        # Views get equal spread. Otherwise a nearly constant view would get all the weight.
        features = [unit_spread(x).values for x in self._features(arrays)]
        options: dict[str, Any] = {"gamma": self.gamma, "max_iter": self.max_iter, "tol": self.tol, "random_state": rng}
        return best_of(self.n_init, lambda: robust_kmeans(features, self.n_clusters, **options))
