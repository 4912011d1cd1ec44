"""SwMC: a graph with one connected component per cluster that is close to all graphs, with automatic weights.

    min Σ_v ‖S − A^v‖_F,   rows of S on the simplex, S with c connected components

The weights α_v = 1/(2‖S − A^v‖) follow from the norms. For given weights S is found on the entries of Σ_v α_v A^v, by
increasing a penalty λ Tr(FᵀL_S F) until S has c components. An inner iteration takes n·V·k·c operations and c + 1
eigenvectors of a sparse graph; the neighbours take n²·Σd once. Memory: V arrays of n × 2V·k.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from ...graphs import adaptive_weights, nearest_samples
from ...linalg import project_rows
from ...views import Views
from .._base import EmbeddingMixin
from .._constraints import Count, OneOf
from .._solution import Solution
from .base import ProgramMethod
from .rank_constrained import RankRule, Support

__all__ = ["SwMC", "closest_separated_graph", "neighbor_graph"]

_INNER = 50
_LEAST = 1e-8  # least ‖S − A^v‖: a graph may be the solution itself


def closest_separated_graph(
    graphs: Sequence[sp.csr_array],
    n_clusters: int,
    start: np.ndarray,
    *,
    max_iter: int,
    tol: float,
    random_state: np.random.RandomState,
) -> Solution:
    """Update S and the weights in turn, from the weights ``start``, until the objective changes by less than ``tol``."""
    support = _support(sum(graphs))
    entries = [_entries(graph, support) for graph in graphs]
    diagonal = support.columns == np.arange(len(support.columns))[:, None]
    weights, nearest, converged = start, None, False
    objective: list[float] = []
    while not converged and len(objective) < max_iter:
        total = sum(w * a for w, a in zip(weights, entries, strict=True))
        begin = support.symmetric(np.where(diagonal, 0, total if nearest is None else nearest))
        rule = RankRule(begin, n_clusters, random_state)
        while not rule.done and len(rule.lams) < _INNER:
            pulls = (total - rule.lam / 2 * support.row_distances(rule.embedding)) / weights.sum()
            nearest = project_rows(pulls, support.taken & (total > 0))
            rule.update(support.symmetric(np.where(diagonal, 0, nearest)))
        lengths = np.maximum([float(np.linalg.norm(nearest - a)) for a in entries], _LEAST)
        weights = 0.5 / lengths
        objective.append(float(lengths.sum()))
        converged = len(objective) > 1 and abs(objective[-2] - objective[-1]) <= tol
    return rule.solution("SwMC", objective, weights, converged=converged and rule.done)


def neighbor_graph(points: np.ndarray, n_neighbors: int) -> sp.csr_array:
    """The graph of adaptive neighbours, averaged with its transpose."""
    index, distance = nearest_samples(points, n_neighbors + 1, exclude_self=False)
    support = Support.of([index])
    return support.symmetric(support.spread(support.places(index), adaptive_weights(distance)))


def _support(pattern: sp.csr_array) -> Support:
    """The entries of a sparse matrix."""
    pattern = sp.csr_array(pattern)
    pattern.sum_duplicates()
    pattern.sort_indices()
    counts = np.diff(pattern.indptr)
    taken = np.arange(max(int(counts.max()), 1))[None, :] < counts[:, None]
    columns = np.zeros(taken.shape, dtype=np.int64)
    columns[taken] = pattern.indices
    return Support(columns, taken)


def _entries(graph: sp.csr_array, support: Support) -> np.ndarray:
    """The entries of a sparse matrix at a support that contains its own."""
    own = _support(graph)
    values = np.zeros(own.columns.shape)
    graph.sort_indices()
    values[own.taken] = graph.data
    places = np.where(own.taken, support.places(own.columns), support.columns.shape[1])
    return support.spread(places, values)


class SwMC(EmbeddingMixin, ProgramMethod):
    """Self-weighted multi-view clustering with multiple graphs.

    ``min Σ_v ‖S − A^v‖`` over graphs ``S`` with rows on the simplex and ``n_clusters`` connected components, which are the
    clusters. ``A^v`` is the graph of view v: adaptive neighbours, or a graph of your own. The result depends on the random
    weights with which the program starts; with ``variant="paper"`` nothing is random.

    Parameters
    ----------
    {n_clusters}
    variant : {"program", "paper"}, default="program"
        The weights of the views at the start: random as in the program, or equal.
    affinity : {"adaptive-neighbors", "precomputed"}, default="adaptive-neighbors"
        With "precomputed" the views themselves are (n_samples, n_samples) graphs.
    n_neighbors : int, default=15
        Number of neighbours of a sample in each view.
    {program_scaling}
    max_iter : int, default=100
        Largest number of updates of the weights. The program stops after 50 in any case.
    tol : float, default=1e-8
        Stop when the objective changes by less than this.
    {views, n_init_if_not_separated, random_state}

    Attributes
    ----------
    {labels_, embedding_, sparse_graph_, objective_, view_weights_, traces, names}

    References
    ----------
    F. Nie, J. Li and X. Li. Self-weighted multiview clustering with multiple graphs. IJCAI 2017.

    Examples
    --------
    {example: swmc}
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        variant: str = "program",
        affinity: str = "adaptive-neighbors",
        n_neighbors: int = 15,
        scaling: str = "standard-samples",
        max_iter: int = 100,
        tol: float = 1e-8,
        views: Any = None,
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.scaling = scaling
        self.max_iter = max_iter
        self.tol = tol
        self.views = views
        self.n_init = n_init
        self.random_state = random_state

    _parameter_constraints: ClassVar = {
        **ProgramMethod._parameter_constraints,
        "affinity": [OneOf("adaptive-neighbors", "precomputed")],
        "n_neighbors": [Count(1)],
    }

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        if self.affinity == "precomputed":
            graphs = [_symmetric(array) for array in arrays]
        else:
            graphs = [neighbor_graph(x, self.n_neighbors) for x in self._scaled(views, arrays, used)]
        start = rng.random_sample(len(used)) if self.variant == "program" else np.ones(len(used))
        options: dict[str, Any] = {"max_iter": self.max_iter, "tol": self.tol, "random_state": rng}
        return closest_separated_graph(graphs, self.n_clusters, start / start.sum(), **options)


def _symmetric(graph: Any) -> sp.csr_array:
    sparse = sp.csr_array(graph, dtype=np.float64)
    return sp.csr_array((sparse + sparse.T) / 2)
