"""Sparse graphs of nearest neighbours, with a length scale of its own for every sample.

``A_ij = exp(−d_ij² / (σ_i σ_j))`` for the ``n_neighbors`` nearest samples ``j`` of ``i``, or ``i`` of ``j``, where ``σ_i``
is the distance of ``i`` to its seventh neighbour (Zelnik-Manor & Perona, Self-tuning spectral clustering, NIPS 2004). Memory
is ``n · n_neighbors`` numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import NearestNeighbors

__all__ = [
    "Neighbors",
    "default_neighbors",
    "influence",
    "joint_neighbors",
    "neighbor_graph",
    "whitened_points",
]

_SCALE_NEIGHBOR = 7
_PAIRS = 4_000
_BLOCK = 1_024  # rows whose distances to all others are held at a time
_ALPHA = 0.01  # of the trace: GFSC's default, one percent


def default_neighbors(n_samples: int) -> int:
    """Ten, or log₂ n if that is more: fewer do not connect a cluster, more connect clusters."""
    return min(max(10, int(np.ceil(np.log2(max(n_samples, 2))))), n_samples - 1)


@dataclass(frozen=True)
class Neighbors:
    """The nearest samples of each row, the nearest first, without itself.

    Attributes
    ----------
    index : (n, m) array of int
    distance : (n, m) array
    scale : (n,) array, the distance to the seventh neighbour
    """

    index: np.ndarray
    distance: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, points: np.ndarray, n_neighbors: int | None = None) -> Neighbors:
        n = len(points)
        count = default_neighbors(n) if n_neighbors is None else min(n_neighbors, n - 1)
        distance, index = NearestNeighbors(n_neighbors=count).fit(points).kneighbors()
        return cls(index, distance, length_scale(distance))

    def outlier_scores(self) -> np.ndarray:
        """How unlike its neighbours' surroundings each sample's are: 0 if as dense, 1 if half as dense as theirs.

        With ``r_i`` the mean distance of i to its neighbours, but to each of them at least that of its own farthest
        neighbour, this is ``log₂`` of ``r_i`` over the harmonic mean of its neighbours' (the local outlier factor of
        Breunig, Kriegel, Ng & Sander, SIGMOD 2000).
        """
        reach = np.maximum(self.distance, self.distance[self.index, -1]).mean(axis=1)
        density = 1 / np.maximum(reach, np.finfo(float).tiny) if (reach > 0).all() else 1 / (reach + reach.mean() + 1e-300)
        return np.asarray(np.log2(density[self.index].mean(axis=1) / density))

    def graph(self) -> sp.csr_array:
        """The symmetric (n, n) graph."""
        n, count = self.index.shape
        edges = np.exp(-(self.distance**2) / (self.scale[:, None] * self.scale[self.index]))
        rows = np.repeat(np.arange(n), count)
        graph = sp.csr_array((edges.ravel(), (rows, self.index.ravel())), shape=(n, n))
        return sp.csr_array(graph.maximum(graph.T))


def length_scale(distance: np.ndarray) -> np.ndarray:
    """``σ`` from ascending distances to neighbours; positive even where samples coincide."""
    scale = distance[:, min(_SCALE_NEIGHBOR, distance.shape[1]) - 1]
    positive = distance[distance > 0]
    return np.maximum(scale, 1e-6 * np.median(positive) if positive.size else 1.0)


def neighbor_graph(points: np.ndarray, n_neighbors: int | None = None) -> sp.csr_array:
    """The graph of the nearest neighbours of points, (n, n)."""
    return Neighbors.of(points, n_neighbors).graph()


def joint_neighbors(points: Sequence[np.ndarray], present: np.ndarray | None = None) -> Neighbors:
    """Neighbours by the sum over the views of the squared distances.

    Where one of two samples is missing from a view, their distance in it is not known and counts as the mean one of that
    view: a pair that is near in one view and unknown in the others is neither near nor far. Time is ``n²`` per view then.

    Parameters
    ----------
    points : sequence of (n, p_v) arrays; rows of absent samples are ignored
    present : (n, n_views) array of bool, or None if all are
    """
    if present is None:
        return Neighbors.of(np.hstack(list(points)))
    n = len(present)
    count = default_neighbors(n)
    means = [_mean_squared_distance(view[there]) for view, there in zip(points, present.T, strict=True)]
    index, distance = np.empty((n, count), dtype=np.intp), np.empty((n, count))
    for start in range(0, n, _BLOCK):
        rows = np.arange(start, min(start + _BLOCK, n))
        total = np.zeros((rows.size, n))
        for view, there, mean in zip(points, present.T, means, strict=True):
            known = there[rows][:, None] & there[None, :]
            total += np.where(known, pairwise_distances(view[rows], view, metric="sqeuclidean"), mean)
        total[np.arange(rows.size), rows] = np.inf
        nearest = np.argpartition(total, count - 1, axis=1)[:, :count]
        found = np.take_along_axis(total, nearest, axis=1)
        order = np.argsort(found, axis=1)
        index[rows] = np.take_along_axis(nearest, order, axis=1)
        distance[rows] = np.sqrt(np.take_along_axis(found, order, axis=1))
    return Neighbors(index, distance, length_scale(distance))


def _mean_squared_distance(points: np.ndarray) -> float:
    """Of all pairs: twice the total variance."""
    return 2 * float(points.var(axis=0).sum())


def influence(points: np.ndarray) -> float:
    """``√(m s)^½`` with ``m`` and ``s`` the mean and the standard deviation of the squared distances of pairs.

    With equal ``m`` a view of few columns decides who is near whom, as its distances vary more than those of many columns;
    with equal ``s`` a view of many noise columns counts as much as one with clusters. This is the mean of the two.
    """
    n = len(points)
    rng = np.random.RandomState(0)  # of pairs that stand for all
    one, other = rng.randint(n, size=(2, _PAIRS))
    distance = np.sum((points[one] - points[other])[one != other] ** 2, axis=1)
    size = float(np.sqrt(distance.mean() * distance.std())) if distance.size else 0.0
    return size**0.5 if size > 0 else 1.0


def whitened_points(points: np.ndarray, alpha: float = _ALPHA) -> np.ndarray:
    """Directions of samples in coordinates of equal importance: rows of ``U diag(√(w / (w + α Σw)))`` of unit length.

    ``U diag(√w)`` are the principal coordinates of the centred points. The inner products of these rows are the
    self-expressive graph ``K (K + αI)⁻¹`` of the view, whose neighbours are therefore found without an n × n array.
    """
    centred = points - points.mean(axis=0)
    n, d = centred.shape
    if not centred.any():
        return np.zeros((n, 1))
    if d <= n:
        values, vectors = np.linalg.eigh(centred.T @ centred)
        kept = values > 1e-10 * max(values[-1], 0)
        coordinates = centred @ (vectors[:, kept] / np.sqrt(values[kept] + alpha * values.sum()))
    else:
        values, vectors = np.linalg.eigh(centred @ centred.T)
        kept = values > 1e-10 * max(values[-1], 0)
        coordinates = vectors[:, kept] * np.sqrt(values[kept] / (values[kept] + alpha * values[kept].sum()))
    length = np.linalg.norm(coordinates, axis=1, keepdims=True)
    return np.asarray(coordinates / np.where(length > 0, length, 1))
