"""Rows of an embedding to clusters."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from array_api_compat import array_namespace
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from ..exceptions import DegenerateGraphWarning

__all__ = [
    "assign_clusters",
    "claim_confidence",
    "cluster_centres",
    "nearest_centres",
    "tie_confidence",
    "unit_rows",
    "warn_if_fewer",
]


def unit_rows(embedding: Any) -> Any:
    """Rows scaled to unit length, so that only directions count (Ng, Jordan & Weiss); zero rows stay zero."""
    xp = array_namespace(embedding)
    length = xp.linalg.vector_norm(embedding, axis=1, keepdims=True)
    return embedding / xp.where(length > 0, length, xp.ones_like(length))


def assign_clusters(
    embedding: np.ndarray, n_clusters: int, *, n_init: int, random_state: np.random.RandomState
) -> np.ndarray:
    """k-means on the rows: the best of ``n_init`` runs by inertia. Labels are 0 … n_clusters − 1."""
    labels = _kmeans(embedding, n_clusters, n_init, random_state).labels_
    warn_if_fewer(labels, n_clusters)
    return labels


def cluster_centres(
    embedding: np.ndarray, n_clusters: int, *, n_init: int, random_state: np.random.RandomState
) -> np.ndarray:
    """The centres of the same k-means, (k, p): clusters for rows that were not there, by :func:`nearest_centres`."""
    kmeans = _kmeans(embedding, n_clusters, n_init, random_state)
    warn_if_fewer(kmeans.labels_, n_clusters)
    return kmeans.cluster_centers_


def nearest_centres(rows: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """For each row the position of the centre nearest to it, (n,)."""
    return np.argmax(rows @ centres.T - 0.5 * np.einsum("ij,ij->i", centres, centres), axis=1)


def _kmeans(embedding: np.ndarray, n_clusters: int, n_init: int, random_state: np.random.RandomState) -> KMeans:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        # In double precision: scikit-learn takes longer on single.
        return KMeans(n_clusters, n_init=n_init, random_state=random_state).fit(embedding.astype(float, copy=False))


def warn_if_fewer(labels: np.ndarray, n_clusters: int) -> None:
    """Say so when fewer clusters came out than were asked for."""
    found = np.unique(labels).size
    if found < n_clusters:
        warnings.warn(
            f"Only {found} of {n_clusters} clusters are distinct: the embedding has too few different rows. "
            "Ask for fewer clusters.",
            DegenerateGraphWarning,
            stacklevel=4,
        )


def tie_confidence(graph: Any, labels: np.ndarray) -> np.ndarray:
    """How clearly a sample's ties speak for its cluster: ``(a − b)/(a + b)``, at least 0.

    ``a`` is its mean tie to the others of its own cluster, ``b`` the largest mean tie to another: 1 where it has ties
    to its own only, 0 where another cluster has as strong a claim, or where it has no tie at all.
    """
    xp = array_namespace(graph)
    clusters, own = np.unique(labels, return_inverse=True)
    members = np.equal.outer(own, np.arange(clusters.size)).astype(float)
    ties = np.asarray(graph @ xp.asarray(members, dtype=graph.dtype, device=graph.device), dtype=float)
    rows = np.arange(len(labels))
    ties[rows, own] -= np.asarray(xp.linalg.diagonal(graph), dtype=float)
    others = members.sum(axis=0) - members
    return claim_confidence(np.maximum(ties, 0) / np.maximum(others, 1), own)


def claim_confidence(means: np.ndarray, own: np.ndarray) -> np.ndarray:
    """``(a − b)/(a + b)``, at least 0, from each sample's mean ties to all clusters, (n, k), and the position of its own."""
    rows = np.arange(len(own))
    to_own = means[rows, own]
    means = means.copy()
    means[rows, own] = 0
    to_next = means.max(axis=1)
    total = to_own + to_next
    return np.clip((to_own - to_next) / np.where(total > 0, total, 1), 0.0, 1.0)
