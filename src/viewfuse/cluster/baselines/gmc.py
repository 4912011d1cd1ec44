"""GMC: a graph per view and a unified graph with one connected component per cluster, with automatic weights.

    min Σ_v Σ_ij ‖x_i − x_j‖² s^v_ij + β Σ_i ‖s^v_i‖² + w_v ‖U − S^v‖² + 2λ Tr(FᵀL_U F)

over S^v and U with rows on the simplex and FᵀF = I; β is set so that a sample has k neighbours, w_v = 1/(2‖U − S^v‖), and λ
so that U has c components, which are the clusters. All graphs live on the union of the views' k nearest neighbours. An
iteration takes V·n·k·(V + c) operations and c + 1 eigenvectors of a sparse graph; the neighbours take n²·Σd once. Memory:
V arrays of n × V·k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...graphs import adaptive_weights, distances_at, nearest_samples
from ...linalg import project_rows
from ...views import Views
from .._base import EmbeddingMixin
from .._constraints import Count
from .._solution import Solution
from .base import ProgramMethod
from .rank_constrained import RankRule, Support

__all__ = ["GMC", "unified_graph"]


@dataclass(frozen=True)
class _Neighbors:
    """Of one view: squared distances (n, k + 1) to the nearest samples, ascending, and their places in the support."""

    distance: np.ndarray
    places: np.ndarray

    def graph(self, support: Support, fused: np.ndarray, weight: float) -> np.ndarray:
        """The program's S^v: the k neighbours stay those by distance, and negative entries are set to 0 only."""
        if self.distance.shape[1] == 1:
            return support.spread(self.places, np.ones_like(self.distance))
        pulled = self.distance - 2 * weight * support.pick(fused, self.places)
        margins = pulled[:, -1:] - pulled
        totals = margins.sum(axis=1, keepdims=True) + np.finfo(float).eps
        return support.spread(self.places, np.maximum(margins / totals, 0))


@dataclass(frozen=True)
class _RankedNeighbors:
    """Of one view: squared distances (n, m) at all entries of the support, and the number of neighbours."""

    distance: np.ndarray
    n_neighbors: int

    def graph(self, support: Support, fused: np.ndarray, weight: float) -> np.ndarray:
        """The paper's S^v: the exact minimiser, with the k neighbours of least ``e − 2w u``."""
        pulled = np.where(support.taken, self.distance - 2 * weight * fused, np.inf)
        count = min(self.n_neighbors + 1, pulled.shape[1])
        nearest = np.argsort(pulled, axis=1, kind="stable")[:, :count]
        return support.spread(nearest, adaptive_weights(np.take_along_axis(pulled, nearest, axis=1)))


def unified_graph(
    features: Sequence[np.ndarray],
    n_clusters: int,
    *,
    n_neighbors: int,
    variant: str,
    max_iter: int,
    random_state: np.random.RandomState,
) -> Solution:
    """Update the graphs, the weights, U, F and λ in turn until U has ``n_clusters`` components."""
    ranked = [nearest_samples(x, n_neighbors + 1, exclude_self=variant == "paper") for x in features]
    support = Support.of([index for index, _ in ranked])
    steps: list[_Neighbors | _RankedNeighbors] = [_Neighbors(e, support.places(index)) for index, e in ranked]
    graphs = [support.spread(support.places(index), adaptive_weights(e)) for index, e in ranked]
    if variant == "paper":
        count = ranked[0][0].shape[1] - 1
        steps = [_RankedNeighbors(distances_at(x, support.columns), max(count, 1)) for x in features]
    fused = np.mean(graphs, axis=0)
    fused = fused / fused.sum(axis=1, keepdims=True)
    rule = RankRule(support.symmetric(fused), n_clusters, random_state)
    weights = np.full(len(graphs), 1 / len(graphs))
    objective: list[float] = []
    while not rule.done and len(objective) < max_iter:
        graphs = [step.graph(support, fused, weight) for step, weight in zip(steps, weights, strict=True)]
        weights = _weights([fused - graph for graph in graphs], variant)
        mean = np.mean(graphs, axis=0)
        penalty = rule.lam / (2 * len(graphs) ** 2) * (1 / weights).sum()
        fused = project_rows(mean - penalty * support.row_distances(rule.embedding), support.taken & (mean > 0))
        rule.update(support.symmetric(fused))
        objective.append(float(sum(np.linalg.norm(fused - graph) for graph in graphs)))
    history = {"lam": np.asarray(rule.lams), "raw_weights": weights}
    return rule.solution("GMC", objective, weights, converged=rule.done, **history)


def _weights(gaps: Sequence[np.ndarray], variant: str) -> np.ndarray:
    lengths = np.asarray([float(np.linalg.norm(gap)) for gap in gaps])
    weights = 0.5 / np.maximum(lengths, np.finfo(float).eps ** 0.5)
    return weights / weights.sum() if variant == "paper" else weights


class GMC(EmbeddingMixin, ProgramMethod):
    """Graph-based multi-view clustering.

    ``min Σ_v Σ_ij ‖x_i − x_j‖² s^v_ij + β Σ_i ‖s^v_i‖² + w_v ‖U − S^v‖² + 2λ Tr(FᵀL_U F)``, where the rows of the graphs
    ``S^v`` and ``U`` lie on the simplex and ``FᵀF = I``. The clusters are the connected components of ``U``; there is no
    k-means and nothing random.

    ``objective_`` is ``Σ_v ‖U − S^v‖`` after every iteration. ``history_["lam"]`` is λ and ``history_["raw_weights"]`` the
    final ``w_v`` before they are scaled to sum to 1.

    Parameters
    ----------
    {n_clusters}
    variant : {"program", "paper"}, default="program"
        "program": the authors' program. It ranks the neighbours by distance only, drops the first of the ranking as the
        sample itself (which may be a twin), does not scale clipped rows of ``S^v`` to sum to 1, nor the weights. "paper":
        each ``S^v`` is the exact minimiser, with the sample itself excluded, and the weights sum to 1.
    n_neighbors : int, default=15
        k, the number of neighbours of a sample in each view.
    {program_scaling, max_iter, views, n_init_if_not_separated, random_state}

    Attributes
    ----------
    {labels_, embedding_, sparse_graph_, objective_, view_weights_, traces, names}

    References
    ----------
    H. Wang, Y. Yang and B. Liu. GMC: graph-based multi-view clustering. IEEE Transactions on Knowledge and Data
    Engineering 32 (2020).

    Examples
    --------
    {example: gmc}
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        variant: str = "program",
        n_neighbors: int = 15,
        scaling: str = "standard-samples",
        max_iter: int = 20,
        views: Any = None,
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.n_neighbors = n_neighbors
        self.scaling = scaling
        self.max_iter = max_iter
        self.views = views
        self.n_init = n_init
        self.random_state = random_state

    _warns_at_max_iter = False  # component_result warns
    _parameter_constraints: ClassVar = {**ProgramMethod._parameter_constraints, "n_neighbors": [Count(1)]}

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        options: dict[str, Any] = {"variant": self.variant, "max_iter": self.max_iter, "random_state": rng}
        features = self._scaled(views, arrays, used)
        return unified_graph(features, self.n_clusters, n_neighbors=self.n_neighbors, **options)
