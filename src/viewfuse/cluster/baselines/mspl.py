"""MSPL: self-paced k-means, which gives weight to easy samples and views first.

    min Σ_v Σ_i q_i^v ℓ_i^v + f(q_i^v),   ℓ_i^v = ‖x_i^v − c^v_{y_i}‖²
    f(q) = (A − q) ln(A − q) + q ln q − q/λ,   A = 1 + e^{−1/λ}   ⇒   q = A / (1 + e^{ℓ − 1/λ})

over labels shared by the views, centres and weights. The age 1/λ starts at the median loss and grows until every sample has
a weight over ½. While the age is constant, the objective decreases. An iteration takes 2n·d·k operations; the memory is
that of the views.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit, xlogy

from ...graphs import unit_spread
from ...linalg import refilled
from ...views import Views
from .._constraints import Number
from .._solution import Solution
from .base import ComparisonMethod
from .lloyd import best_of, distances_to, seeded_labels, weighted_means

__all__ = ["MSPL", "self_paced_kmeans", "self_paced_weights"]


def self_paced_weights(losses: np.ndarray, age: float) -> np.ndarray:
    """``(1 + e^{−a}) / (1 + e^{ℓ − a})`` without overflow."""
    return (1 + np.exp(-age)) * expit(age - losses)


def _objective(losses: np.ndarray, weights: np.ndarray, age: float) -> float:
    rest = 1 + np.exp(-age) - weights
    return float((weights * losses + xlogy(rest, rest) + xlogy(weights, weights) - weights * age).sum())


def self_paced_kmeans(
    features: Sequence[np.ndarray],
    n_clusters: int,
    *,
    growth: float,
    max_iter: int,
    tol: float,
    random_state: np.random.RandomState,
) -> Solution:
    """One start: update weights, centres and labels in turn until the objective is constant; then increase the age."""
    n, n_views = features[0].shape[0], len(features)
    labels = seeded_labels(lambda i: sum(((x - x[i]) ** 2).sum(axis=1) for x in features), n_clusters, random_state)
    weights = np.ones((n_views, n))
    distances = [distances_to(x, weighted_means(x, labels, weights[0], n_clusters)) for x in features]
    losses = _chosen(distances, labels)
    age = float(np.median(losses))
    objective: list[float] = []
    ages: list[float] = []
    totals: list[float] = []
    converged = False
    while not converged and len(objective) < max_iter:
        weights = self_paced_weights(losses, age)
        distances = [
            distances_to(x, weighted_means(x, labels, q, n_clusters)) for x, q in zip(features, weights, strict=True)
        ]
        costs = sum(q[:, None] * d for q, d in zip(weights, distances, strict=True))
        labels = refilled(costs.argmin(axis=1), costs.min(axis=1), n_clusters)
        losses = _chosen(distances, labels)
        objective.append(_objective(losses, weights, age))
        ages.append(age)
        totals.append(float(losses.sum()))
        same_age = len(ages) > 1 and ages[-2] == age
        if same_age and abs(objective[-2] - objective[-1]) <= tol * max(abs(objective[-1]), 1e-12):
            converged = bool(self_paced_weights(losses, age).min() > 0.5)
            age = age if converged else max(age * growth, 1e-3)
    history = {"age": np.asarray(ages), "loss": np.asarray(totals)}
    return Solution(converged, len(objective), np.asarray(objective), labels=labels, history=history)


def _chosen(distances: Sequence[np.ndarray], labels: np.ndarray) -> np.ndarray:
    """``ℓ_i^v``, (n_views, n)."""
    return np.stack([d[np.arange(len(labels)), labels] for d in distances])


class MSPL(ComparisonMethod):
    """Multi-view self-paced clustering.

    ``min Σ_v Σ_i q_i^v ‖x_i^v − c^v_{y_i}‖² + f(q_i^v)``, where ``f`` is the smooth self-paced regulariser with the
    minimiser ``q = (1 + e^{−1/λ}) / (1 + e^{ℓ − 1/λ})``. Easy samples and views get weight first, all of them in the end.
    ``objective_`` decreases as long as the age ``1/λ`` (``history_["age"]``) is constant.

    Parameters
    ----------
    {n_clusters}
    sharpness : float, default=10
        Mean squared distance of the samples of a view from their mean, after scaling. The larger it is, the closer the
        weights are to 0 and 1.
    growth : float above 1, default=1.2
        Factor by which the age grows; the paper uses 1.1 to 1.3.
    {scaling, max_iter}
    tol : float
        Go on to the next age when the objective decreases by less than this share of itself.
    {views, n_starts, random_state}

    Attributes
    ----------
    {labels_, objective_, traces, names}

    References
    ----------
    C. Xu, D. Tao and C. Xu. Multi-view self-paced learning for clustering. IJCAI 2015.

    Examples
    --------
    {example: mspl}
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        sharpness: float = 10.0,
        growth: float = 1.2,
        scaling: str = "unit-samples",
        max_iter: int = 500,
        tol: float = 1e-5,
        views: Any = None,
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.sharpness = sharpness
        self.growth = growth
        self.scaling = scaling
        self.max_iter = max_iter
        self.tol = tol
        self.views = views
        self.n_init = n_init
        self.random_state = random_state

    _parameter_constraints: ClassVar = {
        **ComparisonMethod._parameter_constraints,
        "sharpness": [Number(above=0)],
        "growth": [Number(above=1)],
    }

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        features = [unit_spread(x).values * self.sharpness**0.5 for x in self._features(arrays)]
        options: dict[str, Any] = {"growth": self.growth, "max_iter": self.max_iter, "tol": self.tol, "random_state": rng}
        # Starts end at different ages, so their objectives cannot be compared; the sums of their losses can.
        return best_of(self.n_init, lambda: self_paced_kmeans(features, self.n_clusters, **options), "loss")
