"""Rows of an embedding to clusters."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from array_api_compat import array_namespace
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from ..exceptions import DegenerateGraphWarning

__all__ = ["assign_clusters", "unit_rows", "warn_if_fewer"]


def unit_rows(embedding: Any) -> Any:
    """Rows scaled to unit length, so that only directions count (Ng, Jordan & Weiss); zero rows stay zero."""
    xp = array_namespace(embedding)
    length = xp.linalg.vector_norm(embedding, axis=1, keepdims=True)
    return embedding / xp.where(length > 0, length, xp.ones_like(length))


def assign_clusters(
    embedding: np.ndarray, n_clusters: int, *, n_init: int, random_state: np.random.RandomState
) -> np.ndarray:
    """k-means on the rows: the best of ``n_init`` runs by inertia. Labels are 0 … n_clusters − 1."""
    kmeans = KMeans(n_clusters, n_init=n_init, random_state=random_state)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels = kmeans.fit_predict(embedding)
    warn_if_fewer(labels, n_clusters)
    return labels


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
