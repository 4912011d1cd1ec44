"""MSPL: k-means that learns from easy samples and views first.

    min Σ_v Σ_i q_i^v ℓ_i^v + f(q_i^v),   ℓ_i^v = ‖x_i^v − c^v_{y_i}‖²
    f(q) = (A − q) ln(A − q) + q ln q − q/λ,   A = 1 + e^{−1/λ}   ⇒   q = A / (1 + e^{ℓ − 1/λ})

over labels shared by the views, centres and weights. The age 1/λ starts at the median loss and grows until
every sample has a
weight over ½; at each age the objective falls. A sweep is 2n·d·k operations; memory that of the views.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import expit, xlogy

from ...exceptions import ParameterError
from ...graphs import unit_spread
from ...linalg import refilled
from ...views import Views
from .._checks import check_number
from .base import ComparisonMethod
from .lloyd import best_of, distances_to, seeded_labels, weighted_means
from .solution import Solution

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
    """One start: at each age weights, centres and labels in turn until nothing moves; then the next age."""
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

    ``min Σ_v Σ_i q_i^v ‖x_i^v − c^v_{y_i}‖² + f(q_i^v)``, ``f`` the smooth self-paced regulariser whose minimiser is
    ``q = (1 + e^{−1/λ}) / (1 + e^{ℓ − 1/λ})``: easy samples and views first, all of them in the end.
    ``objective_`` falls as long
    as the age ``1/λ`` (``history_["age"]``) stays the same.

    Parameters
    ----------
    n_clusters : int, default=8
    sharpness : float, default=10
        The mean squared distance of a view's samples from their mean, after scaling: the unit of the losses. The larger,
        the closer the weights are to 0 and 1.
    growth : float above 1, default=1.2
        What the age is multiplied by; the paper's 1.1 to 1.3.
    scaling : {"unit-samples", "min-max", "unit-spread"}
        How a view is scaled first: samples to unit length, the view as a whole to [−1, 1] as in the paper, or centred and
        to mean squared distance 1 (distances do not tell the last two from the features as they are).
    max_iter : int
        Largest number of iterations.
    tol : float
        The relative fall of the objective below which an age is done.
    views : dict or list, default=None
        For one 2-D array or DataFrame: the columns of each view, as in :class:`viewfuse.GFSC`.
    n_init : int, default=10
        Starts; the best counts.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : (n_samples,) array of int
    objective_ : array, per iteration
    history_ : dict of traces
    n_iter_ : int
    converged_ : bool
    view_names_ : (n_views,) array of str
    n_features_in_ : int, of all views together

    References
    ----------
    C. Xu, D. Tao and C. Xu. Multi-view self-paced learning for clustering. IJCAI 2015.

    Examples
    --------
    >>> from viewfuse import METHODS, metrics
    >>> from viewfuse.datasets import load_digits_views
    >>> views = load_digits_views()[:150]
    >>> model = METHODS["mspl"](n_clusters=10, random_state=0).fit(views)
    >>> metrics.accuracy(views.y, model.labels_) > 0.4
    True
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

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("sharpness", self.sharpness, positive=True)
        check_number("growth", self.growth, positive=True)
        if self.growth <= 1:
            raise ParameterError(f"growth must be above 1; got {self.growth!r}.")

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        features = [unit_spread(x).values * self.sharpness**0.5 for x in self._features(arrays)]
        options: dict[str, Any] = {"growth": self.growth, "max_iter": self.max_iter, "tol": self.tol, "random_state": rng}
        # Starts end at different ages, so their objectives do not compare; the sums of their losses do.
        return best_of(self.n_init, lambda: self_paced_kmeans(features, self.n_clusters, **options), "loss")
