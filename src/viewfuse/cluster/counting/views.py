"""How many clusters several views have together: counted on the consensus graph that GF learns, which needs no number
of them, with its ties as strong as they are.

Whether there are any is judged beside samples without clusters that are like these in all else: with ``X_v`` the views'
deviations, ``m_v`` their means and ``W`` an n × n matrix of independent N(0, 1/n), the same for every view,

    X*_v = 1 m_vᵀ + W (X_v − 1 m_vᵀ)

are normally distributed with the means, the covariances and the covariances between views of the data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..._utils.device import to_host
from ...fusion.exact import fuse_graphs, learned_factors, unbounded_consensus
from ...graphs import GramFactor
from . import ClusterCounts, count_clusters

__all__ = ["count_clusters_of_graphs", "count_clusters_of_views"]

_REFERENCES = 3
_FUSION: dict[str, Any] = {"max_iter": 20}  # neighbours settle long before the weights do, where these part slowly


def count_clusters_of_views(
    views: Sequence[Any], counts: Sequence[int], *, n_resamples: int = 10, random_state: np.random.RandomState
) -> ClusterCounts:
    """Judge each number of clusters.

    Parameters
    ----------
    views : sequence of (n, d_v) arrays, sparse matrices, or GramFactors from ``learned_factors``
    counts : ascending numbers between 2 and n − 1
    n_resamples : int
    random_state : RandomState
    """
    factored = all(isinstance(view, GramFactor) for view in views)
    factors = views if factored else learned_factors(views)
    graph = unbounded_consensus(factors, random_state=random_state, **_FUSION)
    options: dict[str, Any] = {"n_resamples": n_resamples, "random_state": random_state}
    return count_clusters(graph, counts, references=_graphs_without_clusters(factors, random_state), **options)


def count_clusters_of_graphs(
    graphs: Sequence[Any], counts: Sequence[int], *, n_resamples: int = 10, random_state: np.random.RandomState
) -> ClusterCounts:
    """The same for given (n, n) graphs, to which there is no reference."""
    dense = [graph.toarray() if sp.issparse(graph) else graph for graph in graphs]
    fused = fuse_graphs(dense, 2, joint=False, random_state=random_state, **_FUSION)
    return count_clusters(fused.consensus, counts, n_resamples=n_resamples, random_state=random_state)


def _graphs_without_clusters(factors: Sequence[GramFactor], random_state: np.random.RandomState) -> Iterator[Any]:
    # The basis U of a factor is the view itself, turned: X = U Vᵀ with orthonormal V. Turning changes no graph.
    views = [to_host(factor.basis) for factor in factors]
    means = [view.mean(axis=0) for view in views]
    n = len(views[0])
    for _ in range(_REFERENCES):
        mixing = (random_state.standard_normal((n, n)) / np.sqrt(n)).astype(views[0].dtype)
        drawn = [mean + mixing @ (view - mean) for view, mean in zip(views, means, strict=True)]
        yield unbounded_consensus(drawn, random_state=random_state, **_FUSION)
