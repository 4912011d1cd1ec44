"""Which samples are drawn, in which order, and which cluster is nearest. Pure functions of arrays."""

from __future__ import annotations

import numpy as np

from ..linalg import unit_rows

__all__ = ["drawn_samples", "nearest_other_cluster", "sorted_by_cluster"]


def drawn_samples(labels: np.ndarray, most: int) -> np.ndarray:
    """Sorted positions of at most ``most`` samples.

    If there are more samples, each cluster contributes in proportion to its size, with evenly spaced members.

    >>> drawn_samples(np.array([0, 0, 0, 0, 1, 1]), 3)
    array([0, 2, 4])
    """
    labels = np.asarray(labels)
    if len(labels) <= most:
        return np.arange(len(labels))
    by_cluster = np.argsort(labels, kind="stable")
    return np.sort(by_cluster[np.linspace(0, len(labels), most, endpoint=False).astype(int)])


def sorted_by_cluster(labels: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The same positions, ordered by cluster."""
    return rows[np.argsort(np.asarray(labels)[rows], kind="stable")]


def nearest_other_cluster(embedding: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """For each sample, the nearest cluster besides its own, by the angle to the cluster's mean direction.

    If there is only one cluster, the sample's own.
    """
    rows = np.asarray(unit_rows(np.asarray(embedding, dtype=float)))
    clusters, centres = _centres(rows, labels)
    if len(clusters) == 1:
        return np.asarray(labels)
    cosines = rows @ np.asarray(unit_rows(centres)).T
    cosines[np.arange(len(rows)), np.searchsorted(clusters, labels)] = -np.inf
    return clusters[cosines.argmax(axis=1)]


def _centres(rows: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    clusters = np.unique(labels)
    return clusters, np.stack([rows[labels == cluster].mean(axis=0) for cluster in clusters])
