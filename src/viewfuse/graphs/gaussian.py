"""Gaussian and cosine similarities, and a dense graph reduced to its strongest edges."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from .distances import squared_distances
from .scaling import ScaledView, as_dense, unit_samples

__all__ = ["cosine_similarity", "gaussian_graph", "strongest_edges"]


def gaussian_graph(view: ScaledView) -> np.ndarray:
    """``exp(−d_ij² / 2σ²)``, with σ the median distance between different samples, (n, n); the view's unit cancels."""
    distances = squared_distances(view)
    apart = distances[np.triu_indices_from(distances, 1)]
    apart = apart[apart > 0]
    variance = np.median(apart) if apart.size else 1.0
    return np.exp(distances / (-2 * variance))


def cosine_similarity(view: ScaledView) -> np.ndarray:
    """``x_iᵀx_j / ‖x_i‖‖x_j‖``, (n, n), with negative entries: a kernel with diagonal 1. Zero samples have similarity 0."""
    values = unit_samples(as_dense(view) if view.offset else view.values).values
    gram = values @ values.T
    gram = gram.toarray() if sp.issparse(gram) else np.asarray(gram)
    return gram / gram.diagonal().max()


def strongest_edges(graph: np.ndarray, n_neighbors: int) -> np.ndarray:
    """Keep the ``n_neighbors`` strongest edges of each sample and symmetrize; self-loops are dropped.

    The result is the mean with the transpose, as for adaptive neighbours: an edge that is among the strongest of both its
    samples counts twice as much as one that is so for one sample only. This reduces the edges of hubs.
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
