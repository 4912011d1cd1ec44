"""Gaussian and cosine similarities, and how a dense graph is thinned to its strongest ties."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from .distances import squared_distances
from .scaling import ScaledView, as_dense, unit_samples

__all__ = ["cosine_similarity", "gaussian_graph", "strongest_ties"]


def gaussian_graph(view: ScaledView) -> np.ndarray:
    """``exp(−d_ij² / 2σ²)``, σ the median distance of two different samples, (n, n): whatever the view's unit."""
    distances = squared_distances(view)
    apart = distances[np.triu_indices_from(distances, 1)]
    apart = apart[apart > 0]
    variance = np.median(apart) if apart.size else 1.0
    return np.exp(distances / (-2 * variance))


def cosine_similarity(view: ScaledView) -> np.ndarray:
    """``x_iᵀx_j / ‖x_i‖‖x_j‖``, (n, n), with its negative entries: a kernel of unit diagonal. Zero samples are like none."""
    values = unit_samples(as_dense(view) if view.offset else view.values).values
    gram = values @ values.T
    gram = gram.toarray() if sp.issparse(gram) else np.asarray(gram)
    return gram / gram.diagonal().max()


def strongest_ties(graph: np.ndarray, n_neighbors: int) -> np.ndarray:
    """Keep the ties of each sample to its ``n_neighbors`` strongest, and symmetrise; self-loops are dropped.

    The mean with the transpose, as for adaptive neighbours: a tie that both sides count among their strongest is worth
    twice one that only a single side does, so that hubs, whom many choose and who choose few back, bind less.
    """
    n = graph.shape[0]
    ranked = graph.copy()
    np.fill_diagonal(ranked, -np.inf)
    count = min(n_neighbors, n - 1)
    chosen = np.argpartition(-ranked, count - 1, axis=1)[:, :count]
    kept = np.zeros_like(graph)
    rows = np.arange(n)[:, None]
    kept[rows, chosen] = graph[rows, chosen]
    return (kept + kept.T) / 2
