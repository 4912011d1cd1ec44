"""The number of clusters of several views, from the consensus graph of GF without a bound on its edges.

GF does not need a number of clusters. Whether there are any is decided by comparison with data without clusters: with
``X_v`` the deviations of the views, ``m_v`` their means and ``W`` an n × n matrix of independent N(0, 1/n), the same for
every view,

    X*_v = 1 m_vᵀ + W (X_v − 1 m_vᵀ)

are normally distributed with the means and covariances of the data, within and between views.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..._utils.device import to_host
from ...fusion.exact import fuse_graphs, learned_factors, unbounded_consensus
from ...graphs import GramFactor
from .graph import ClusterCounts, count_clusters

__all__ = ["count_clusters_of_graphs", "count_clusters_of_views"]

_N_REFERENCES = 3
_MAX_ITER = 20  # of the fusion: the neighbours converge long before the weights do


def count_clusters_of_views(
    views: Sequence[Any], counts: Sequence[int], *, n_resamples: int = 10, random_state: np.random.RandomState
) -> ClusterCounts:
    """Evaluate each number of clusters.

    Parameters
    ----------
    views : sequence of (n, d_v) arrays, sparse matrices, or GramFactors from ``learned_factors``
    counts : ascending numbers between 2 and n − 1
    n_resamples : int
    random_state : RandomState
    """
    factored = all(isinstance(view, GramFactor) for view in views)
    factors = views if factored else learned_factors(views)
    graph = unbounded_consensus(factors, random_state=random_state, max_iter=_MAX_ITER)
    options: dict[str, Any] = {"n_resamples": n_resamples, "random_state": random_state}
    return count_clusters(graph, counts, references=_graphs_without_clusters(factors, random_state), **options)


def count_clusters_of_graphs(
    graphs: Sequence[Any], counts: Sequence[int], *, n_resamples: int = 10, random_state: np.random.RandomState
) -> ClusterCounts:
    """The same for given (n, n) graphs, for which there is no reference."""
    dense = [graph.toarray() if sp.issparse(graph) else graph for graph in graphs]
    fused = fuse_graphs(dense, 2, joint=False, random_state=random_state, max_iter=_MAX_ITER)
    return count_clusters(fused.consensus, counts, n_resamples=n_resamples, random_state=random_state)


def _graphs_without_clusters(
    factors: Sequence[GramFactor], random_state: np.random.RandomState, *, max_iter: int = _MAX_ITER, tol: float = 1e-3
) -> Iterator[Any]:
    """Consensus graphs of reference data without clusters."""
    # The basis U of a factor is the view up to a rotation, X = U Vᵀ with orthonormal V, which does not change its graph.
    views = [to_host(factor.basis) for factor in factors]
    means = [view.mean(axis=0) for view in views]
    n = len(views[0])
    for _ in range(_N_REFERENCES):
        mixing = (random_state.standard_normal((n, n)) / np.sqrt(n)).astype(views[0].dtype)
        drawn = [mean + mixing @ (view - mean) for view, mean in zip(views, means, strict=True)]
        yield unbounded_consensus(drawn, random_state=random_state, max_iter=max_iter, tol=tol)
