"""MLAN: one graph of adaptive neighbours for all views, with one connected component per cluster.

    min Σ_v √(Σ_ij d^v_ij s_ij) + α‖S‖² + 2λ Tr(FᵀL_S F)

over S with rows on the simplex and FᵀF = I, d^v the squared distances in view v. The weights w_v = 1/(2√(Σ d^v s)) follow
from the square roots. S lives on the k nearest neighbours by mean distance. An iteration takes n·k·(V + c) operations and
c + 1 eigenvectors of a sparse graph; the neighbours take n²·Σd once. Memory: V arrays of n × k.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ...graphs import adaptive_weights, distances_at, nearest_samples
from ...linalg import project_rows
from ...views import Views
from .._base import EmbeddingMixin
from .._constraints import Count, Number
from .._solution import Solution
from .base import ProgramMethod
from .rank_constrained import RankRule, Support

__all__ = ["MLAN", "common_neighbors"]

_LEAST = 1e-12  # of the mean distance: guards a view without distances, and α with duplicates only


def common_neighbors(
    features: Sequence[np.ndarray],
    n_clusters: int,
    *,
    n_neighbors: int,
    lam: float,
    variant: str,
    max_iter: int,
    random_state: np.random.RandomState,
) -> Solution:
    """Update the weights, S, F and λ in turn until S has ``n_clusters`` components."""
    n_views = len(features)
    # The mean of the squared distances is that of the concatenated views, up to 1/V.
    index, distance = nearest_samples(np.hstack(features), n_neighbors + 1, exclude_self=variant == "paper")
    distance = distance / n_views
    k = max(index.shape[1] - 1, 1)
    index_of_k = index[:, :k]
    support = Support.of([index_of_k])
    places = support.places(index_of_k)
    values = support.spread(places, adaptive_weights(distance)[:, :k])
    alpha = float((0.5 * (k * distance[:, -1] - distance[:, :k].sum(axis=1))).mean())
    alpha = max(alpha, _LEAST * float(distance.mean()), np.finfo(float).tiny)
    at_support = [np.where(support.taken, distances_at(x, support.columns), 0) for x in features]
    rule = RankRule(support.symmetric(values), n_clusters, random_state, lam)
    weights = np.full(n_views, 1 / n_views)
    objective: list[float] = []
    while not rule.done and len(objective) < max_iter:
        if objective:
            weights = _weights(weights, _sums(at_support, values), variant)
        total = sum(w * d for w, d in zip(weights, at_support, strict=True))
        pulls = -(total + rule.lam * support.row_distances(rule.embedding)) / (2 * alpha)
        values = project_rows(pulls, support.taken)
        rule.update(support.symmetric(values))
        squares = float(rule.graph.data @ rule.graph.data)
        objective.append(float(np.sqrt(_sums(at_support, values)).sum()) + alpha * squares)
    return rule.solution("MLAN", objective, weights, converged=rule.done, lam=np.asarray(rule.lams))


def _sums(distances: Sequence[np.ndarray], values: np.ndarray) -> np.ndarray:
    """``Σ_ij d^v_ij s_ij`` of each view. Distances are symmetric, so S need not be symmetrised for it."""
    return np.asarray([float((d * values).sum()) for d in distances])


def _weights(weights: np.ndarray, sums: np.ndarray, variant: str) -> np.ndarray:
    """The program multiplies the distances it has already weighted, so its weights accumulate."""
    before = weights if variant == "program" else np.ones_like(weights)
    floor = max(float(sums.max()), np.finfo(float).tiny) * _LEAST
    new = 0.5 / np.sqrt(np.maximum(sums, floor) * before)
    return before * new


class MLAN(EmbeddingMixin, ProgramMethod):
    """Multi-view learning with adaptive neighbours.

    ``min Σ_v √(Σ_ij d^v_ij s_ij) + α‖S‖² + 2λ Tr(FᵀL_S F)``, where the rows of the graph ``S`` lie on the simplex, ``FᵀF =
    I`` and ``d^v`` are the squared distances in view v. The clusters are the connected components of ``S``. α follows from
    the distances, so that a sample has k neighbours on average; there is no k-means and nothing random.

    ``objective_`` is ``Σ_v √(Σ_ij d^v_ij s_ij) + α‖S‖²`` after every iteration, and ``history_["lam"]`` is λ.

    Parameters
    ----------
    {n_clusters}
    variant : {"program", "paper"}, default="program"
        "program": a program in circulation. It multiplies distances by their new weights again and again, so that the
        weights approach 1/(4 Σ d s), and it drops the first of a sample's ranking as the sample itself (which may be a
        twin). "paper": ``w_v = 1/(2√(Σ d^v s))``, and the sample itself is excluded.
    n_neighbors : int, default=9
        k, the number of neighbours of a sample.
    lam : float, default=1
        λ at the start. The program draws a whole number from 1 to 30.
    {program_scaling, max_iter, views, n_init_if_not_separated, random_state}

    Attributes
    ----------
    {labels_, embedding_, sparse_graph_, objective_, view_weights_, traces, names}

    References
    ----------
    F. Nie, G. Cai and X. Li. Multi-view clustering and semi-supervised classification with adaptive neighbours. AAAI 2017.

    Examples
    --------
    {example: mlan}
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        variant: str = "program",
        n_neighbors: int = 9,
        lam: float = 1.0,
        scaling: str = "standard-samples",
        max_iter: int = 30,
        views: Any = None,
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.n_neighbors = n_neighbors
        self.lam = lam
        self.scaling = scaling
        self.max_iter = max_iter
        self.views = views
        self.n_init = n_init
        self.random_state = random_state

    _warns_at_max_iter = False  # component_result warns
    _parameter_constraints: ClassVar = {
        **ProgramMethod._parameter_constraints,
        "n_neighbors": [Count(1)],
        "lam": [Number(above=0)],
    }

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        options: dict[str, Any] = {"n_neighbors": self.n_neighbors, "lam": self.lam, "variant": self.variant}
        features = self._scaled(views, arrays, used)
        return common_neighbors(features, self.n_clusters, max_iter=self.max_iter, random_state=rng, **options)
