"""Which samples are drawn, in which order, and their 2-D positions. Pure functions of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import pdist

from ..linalg import unit_rows

__all__ = ["cluster_map", "drawn_samples", "nearest_other_cluster", "principal_plane", "sorted_by_cluster"]

_MAX_AROUND_CIRCLE = 12


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


def principal_plane(embedding: np.ndarray) -> np.ndarray:
    """The first two principal components of the normalized rows of the embedding, (n, 2)."""
    directions = np.asarray(unit_rows(np.asarray(embedding, dtype=float)))
    centred = directions - directions.mean(axis=0)
    _, _, axes = np.linalg.svd(centred.T @ centred)
    plane = centred @ axes[:2].T
    return plane if plane.shape[1] == 2 else np.column_stack([plane, np.zeros(len(plane))])


def cluster_map(embedding: np.ndarray, labels: np.ndarray, confidence: np.ndarray) -> np.ndarray:
    """Each cluster as a disc with its most confident samples in the centre, (n, 2).

    Samples that are similar to another cluster are moved towards its disc. Up to twelve discs lie on a circle. More discs
    fill the circle, because they would not fit side by side on it.
    """
    rows = np.asarray(unit_rows(np.asarray(embedding, dtype=float)))
    clusters, centres = _centres(rows, labels)
    similarity: Any = np.exp(4 * (rows @ centres.T))
    similarity /= similarity.sum(axis=1, keepdims=True)
    middles = _circle(len(clusters)) if len(clusters) <= _MAX_AROUND_CIRCLE else _sunflower(len(clusters))
    points = similarity @ middles
    # The weighted means lie closer to the origin than the middles do; the discs shrink by the same factor.
    shrinkage = (
        np.linalg.norm(points, axis=1).mean() / np.linalg.norm(middles[np.searchsorted(clusters, labels)], axis=1).mean()
    )
    separation = pdist(middles).min() if len(clusters) > 2 else 3**0.5
    radius = 0.45 * separation * shrinkage
    for cluster in clusters:
        members = np.flatnonzero(labels == cluster)
        members = members[np.argsort(-confidence[members], kind="stable")]
        points[members] += radius * _sunflower(members.size)
    return points


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


def _circle(count: int) -> np.ndarray:
    """``count`` evenly spaced points on the unit circle."""
    angles = 2 * np.pi * np.arange(count) / count
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _sunflower(count: int) -> np.ndarray:
    """``count`` points that fill the unit disc evenly, from the centre outwards."""
    number = np.arange(count)
    radius, angle = np.sqrt((number + 0.5) / max(count, 1)), np.pi * (3 - 5**0.5) * number
    return radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
