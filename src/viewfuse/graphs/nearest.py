"""Sparse graphs of nearest neighbours, with a length scale of its own for every sample.

``A_ij = exp(−d_ij² / (σ_i σ_j))`` for the ``n_neighbors`` nearest samples ``j`` of ``i``, or ``i`` of ``j``, where ``σ_i``
is the distance of ``i`` to its seventh neighbour (Zelnik-Manor & Perona, Self-tuning spectral clustering, NIPS 2004). Memory
is ``n · n_neighbors`` numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.neighbors import NearestNeighbors

from ..linalg import GroupedSearch, gram_factor, shifted_inverse, smallest_of_rows
from .gaps import ExpectedDistances

__all__ = [
    "Neighbors",
    "centred_products",
    "default_neighbors",
    "influence",
    "influence_of_products",
    "joint_neighbors",
    "neighbor_graph",
    "whitened_points",
    "whitened_products",
]

_SCALE_NEIGHBOR = 7
_NEAREST, _FAR = 3, 5
_ROWS_COMPARED = 500
_BLOCK = 1_024  # rows whose distances to all others are held at a time
_IN_CACHE = 128  # the same, where these are only a product
_EXACT_UP_TO = 20_000
_BY_PRODUCTS_UP_TO = 3_000  # samples: larger matrices of inner products are fresh memory every time, which is slow
_FEWEST_COLUMNS = 5  # up to which a search by a tree is faster
_FEW_COLUMNS, _MANY_COLUMNS = 15, 100
_GROUPS_LOOKED_IN = 20
_ALPHA = 0.01  # of the trace: GFSC's default, one percent


def default_neighbors(n_samples: int) -> int:
    """Ten, or log₂ n if that is more: fewer do not connect a cluster, more connect clusters.

    Of fewer than 50 samples a fifth, but at least five: else the members of a cluster would have neighbours in all others.
    """
    few = max(n_samples // 5, 5)
    return min(max(min(10, few), int(np.ceil(np.log2(max(n_samples, 2))))), n_samples - 1)


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
        n, columns = points.shape
        count = default_neighbors(n) if n_neighbors is None else min(n_neighbors, n - 1)
        if n <= _EXACT_UP_TO and count > 0 and _FEWEST_COLUMNS < columns <= _MANY_COLUMNS:
            return cls._of_columns(points, count)
        if n <= _BY_PRODUCTS_UP_TO and count > 0 and columns > _MANY_COLUMNS:
            return cls.of_products(points @ points.T, count)  # half of the operations of another product
        if n <= _EXACT_UP_TO:
            distance, index = NearestNeighbors(n_neighbors=count).fit(points).kneighbors()
        else:
            distance, index = _most_of_nearest(points, count)
        return cls(index, distance, length_scale(distance))

    @classmethod
    def _of_columns(cls, points: np.ndarray, count: int) -> Neighbors:
        """By the distances of all pairs, as one product of (−2x_i, 1, ‖x_i‖²) and (x_j, ‖x_j‖², 1)."""
        n, columns = points.shape
        centred = points - points.mean(axis=0, dtype=np.float64)  # for small rounding errors
        squares, ones = np.einsum("ij,ij->i", centred, centred)[:, None], np.ones((n, 1))
        left, right = np.hstack([-2 * centred, ones, squares]), np.vstack([centred.T, squares.T, ones.T])
        part = np.empty((min(_IN_CACHE, n), n))

        def distances(rows: np.ndarray) -> np.ndarray:
            return np.matmul(left[rows[0] : rows[-1] + 1], right, out=part[: rows.size])

        found = cls.of_distances(distances, n, count, _IN_CACHE)
        return found._remeasured(centred) if columns <= _FEW_COLUMNS else found

    def _remeasured(self, points: np.ndarray) -> Neighbors:
        """The same with distances without rounding errors: 0 for equal points."""
        difference = points[self.index]
        difference -= points[:, None, :]
        distance = np.sqrt(np.einsum("ijk,ijk->ij", difference, difference))
        order = np.argsort(distance, axis=1, kind="stable")
        index, distance = (np.take_along_axis(each, order, axis=1) for each in (self.index, distance))
        return Neighbors(index, distance, length_scale(distance))

    @classmethod
    def of_products(cls, products: np.ndarray, n_neighbors: int | None = None) -> Neighbors:
        """From the inner products of points, (n, n): ``‖x_i − x_j‖² = x_i·x_i + x_j·x_j − 2 x_i·x_j``."""
        n, squares = len(products), np.diag(products)
        part = np.empty((min(_IN_CACHE, n), n))

        def distances(rows: np.ndarray) -> np.ndarray:
            found = np.multiply(products[rows[0] : rows[-1] + 1], -2, out=part[: rows.size])
            found += squares
            found += squares[rows][:, None]
            return found

        return cls.of_distances(distances, n, n_neighbors, _IN_CACHE)

    @classmethod
    def of_distances(
        cls,
        squared_distances: Callable[[np.ndarray], np.ndarray],
        n: int,
        n_neighbors: int | None = None,
        rows_at_a_time: int = _BLOCK,
    ) -> Neighbors:
        """From a function of some rows, one after the other, to their squared distances to all n samples.

        What it returns is overwritten.
        """
        count = default_neighbors(n) if n_neighbors is None else n_neighbors
        index, distance = np.empty((n, count), dtype=np.intp), np.empty((n, count))
        for start in range(0, n, rows_at_a_time):
            rows = np.arange(start, min(start + rows_at_a_time, n))
            total = squared_distances(rows)
            total[np.arange(rows.size), rows] = np.inf
            index[rows], found = smallest_of_rows(total, count)
            distance[rows] = np.sqrt(np.maximum(found, 0))
        return cls(index, distance, length_scale(distance))

    def outlier_scores(self, n_neighbors: int | None = None) -> np.ndarray:
        """How unlike its neighbours' surroundings each sample's are: 0 if as dense, 1 if half as dense as theirs.

        With ``r_i`` the mean distance of i to its neighbours, but to each of them at least that of its own farthest
        neighbour, this is ``log₂`` of ``r_i`` over the harmonic mean of its neighbours' (the local outlier factor of
        Breunig, Kriegel, Ng & Sander, SIGMOD 2000). By all neighbours, or by the nearest so many.
        """
        index, distance = self.index[:, :n_neighbors], self.distance[:, :n_neighbors]
        reach = np.maximum(distance, distance[index, -1]).mean(axis=1)
        density = 1 / np.maximum(reach, np.finfo(float).tiny) if (reach > 0).all() else 1 / (reach + reach.mean() + 1e-300)
        return np.asarray(np.log2(density[index].mean(axis=1) / density))

    def outliers(self) -> np.ndarray:
        """Which samples lie alone, (n,): in surroundings less than half as dense as their neighbours'.

        The members of a cluster of fewer samples than neighbours have most neighbours in other clusters, far away. They do
        not lie alone: by the nearest three their surroundings are as dense as these', and those are twice as near as the
        last neighbour, and at most five times as far as they are from the median sample.
        """
        near = self._near()
        alone = (near > self.distance[:, -1] / 2) | self._is_far() | (self.outlier_scores(_NEAREST) >= 1)
        return np.asarray((self.outlier_scores() >= 1) & alone)

    def far_outliers(self) -> np.ndarray:
        """The outliers whose nearest three are more than five times as far away as those of the median sample, (n,)."""
        return np.asarray((self.outlier_scores() >= 1) & self._is_far())

    def _near(self) -> np.ndarray:
        return self.distance[:, : min(_NEAREST, self.distance.shape[1])][:, -1]

    def _is_far(self) -> np.ndarray:
        near = self._near()
        return np.asarray(near > _FAR * np.median(near))

    def graph(self) -> sp.csr_array:
        """The symmetric (n, n) graph."""
        n, count = self.index.shape
        edges = np.exp(-(self.distance**2) / (self.scale[:, None] * self.scale[self.index]))
        rows = np.repeat(np.arange(n), count)
        graph = sp.csr_array((edges.ravel(), (rows, self.index.ravel())), shape=(n, n))
        return sp.csr_array(graph.maximum(graph.T))


def _most_of_nearest(points: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Distances and positions of nearly all nearest samples of each row, without itself, the nearest first."""
    search = GroupedSearch(points, _GROUPS_LOOKED_IN, np.random.RandomState(0))
    distance, index = search.nearest(points, count + 1)
    own = index == np.arange(len(points))[:, None]
    own[~own.any(axis=1), -1] = True  # of many equal points, not itself was found
    return distance[~own].reshape(-1, count), index[~own].reshape(-1, count)


def length_scale(distance: np.ndarray) -> np.ndarray:
    """``σ`` from ascending distances to neighbours; positive even where samples coincide."""
    scale = distance[:, min(_SCALE_NEIGHBOR, distance.shape[1]) - 1]
    positive = distance[distance > 0]
    return np.maximum(scale, 1e-6 * np.median(positive) if positive.size else 1.0)


def neighbor_graph(points: np.ndarray, n_neighbors: int | None = None) -> sp.csr_array:
    """The graph of the nearest neighbours of points, (n, n)."""
    return Neighbors.of(points, n_neighbors).graph()


def joint_neighbors(points: Sequence[np.ndarray], present: np.ndarray | None = None) -> Neighbors:
    """Neighbours by the sum over the views of the squared distances; unknown ones are estimated.

    Parameters
    ----------
    points : sequence of (n, p_v) arrays; rows of absent samples are ignored
    present : (n, n_views) array of bool, or None if all are
    """
    if present is None:
        return Neighbors.of(np.hstack(list(points)))
    return Neighbors.of_distances(ExpectedDistances.learn(points, present), len(present))


def influence(points: np.ndarray) -> float:
    """``√(m s)^½`` with ``m`` and ``s`` the mean and the standard deviation of the squared distances of pairs.

    With equal ``m`` a view of few columns decides who is near whom, as its distances vary more than those of many columns;
    with equal ``s`` a view of many noise columns counts as much as one with clusters. This is the mean of the two.
    """
    rows = _compared_rows(len(points))
    return _influence(euclidean_distances(points[rows], squared=True))


def influence_of_products(products: np.ndarray) -> float:
    """The same from the inner products of the points, (n, n)."""
    rows = _compared_rows(len(products))
    some = products[np.ix_(rows, rows)]
    squares = np.diag(some)
    return _influence(np.maximum(squares[:, None] + squares[None, :] - 2 * some, 0))


def _compared_rows(n: int) -> np.ndarray:
    """All rows, or some that stand for them."""
    return np.arange(n) if n <= _ROWS_COMPARED else np.random.RandomState(0).choice(n, _ROWS_COMPARED, replace=False)


def _influence(squared_distances: np.ndarray) -> float:
    distance = squared_distances[np.triu_indices(len(squared_distances), 1)]
    size = float(np.sqrt(distance.mean() * distance.std())) if distance.size else 0.0
    return size**0.5 if size > 0 else 1.0


def whitened_points(points: np.ndarray, alpha: float = _ALPHA) -> np.ndarray:
    """Directions of samples in coordinates of equal importance: their inner products are a self-expressive graph.

    With the centred points ``C``, ``a = α tr(CᵀC)`` and ``CᵀC + aI = LLᵀ``, the coordinates are ``C L⁻ᵀ``. Their inner
    products are ``C (CᵀC + aI)⁻¹ Cᵀ = K (K + aI)⁻¹``. The rows are returned at unit length. Time is ``n p²``.
    """
    centred = points - points.mean(axis=0)
    if not centred.any():
        return np.zeros((len(points), 1))
    if centred.shape[1] > centred.shape[0]:
        centred = gram_factor(centred @ centred.T)
    gram = centred.T @ centred
    gram[np.diag_indices_from(gram)] += alpha * np.trace(gram)
    factor = scipy.linalg.cholesky(gram, lower=True, check_finite=False)
    coordinates = scipy.linalg.solve_triangular(factor, centred.T, lower=True, check_finite=False).T
    length = np.linalg.norm(coordinates, axis=1, keepdims=True)
    return np.asarray(coordinates / np.where(length > 0, length, 1))


def whitened_products(products: np.ndarray, alpha: float = _ALPHA) -> np.ndarray:
    """The inner products of :func:`whitened_points` from those of the points, (n, n), in time n³ whatever the columns.

    ``K (K + aI)⁻¹ = I − a (K + aI)⁻¹`` with the products ``K`` of the centred points. The condition number is at most
    ``1 + 1/α``, so single precision is enough.
    """
    n = len(products)
    shifted = centred_products(products).astype(np.float32)
    shift = alpha * float(np.trace(shifted))
    if not shift > 0:
        return np.zeros((n, n))
    white = shifted_inverse(shifted, shift)
    white *= -shift
    white[np.diag_indices(n)] += 1
    length = np.sqrt(np.maximum(np.diag(white), 0))
    length = np.where(length > 0, length, 1)
    white /= length[:, None]
    white /= length[None, :]
    return white


def centred_products(products: np.ndarray) -> np.ndarray:
    """The inner products of points after their mean is subtracted."""
    means = products.mean(axis=0)
    centred = products - means[:, None]
    centred -= means[None, :]
    centred += means.mean()
    return centred
