"""Where samples lie among those that were clustered: the votes of their nearest neighbours, and how unlike all they are."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from scipy.sparse.linalg import eigsh
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.extmath import randomized_svd

from ..._utils.lazy import lazy
from ...graphs.nearest import centred_products, default_neighbors, length_scale
from ...linalg import largest_eigenpairs

__all__ = ["Votes", "VotingSpace", "leading_axes", "voting_points"]

_FEW_COLUMNS = 50  # of so many clusters; more clusters may differ in as many directions
_MOST_COVARIANCES = 1_000  # columns, up to which their covariances take less time than a randomized decomposition
_SAME = 1e-3  # of the length scale: nearer samples are the same, up to the rounding of single precision


@dataclass(frozen=True)
class VotingSpace:
    """Where neighbours are looked for: the joint points or, if these have many columns, their leading principal coordinates.

    Attributes
    ----------
    axes : (p, r) array or None
    clustered : (n, r) array of float32, the clustered samples
    reach, farthest : (n,) arrays
        Of each clustered sample, the mean distance to its neighbours, each at least that neighbour's ``farthest``; and the
        distance to the last neighbour.
    """

    axes: np.ndarray | None
    clustered: np.ndarray
    reach: np.ndarray
    farthest: np.ndarray

    @classmethod
    def of(
        cls, joint: np.ndarray, k: int, voters: np.ndarray | None = None, products: np.ndarray | None = None
    ) -> VotingSpace:
        """The space of the joint points of samples in k clusters; of these only ``voters`` (positions), if given, will vote.

        With the inner products of the points, if they are known, the axes of wide points take less time.
        """
        axes, points = _axes_and_points(joint, k, products)
        points = points.astype(np.float32)
        points = points if voters is None else points[voters]
        distance, index = found = _search(points).kneighbors()
        farthest = distance[:, -1]
        space = cls(axes, points, np.maximum(distance, farthest[index]).mean(axis=1), farthest)
        vars(space)["_own_neighbors"] = found  # they are searched for only once
        return space

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def coordinates(self, joint: np.ndarray) -> np.ndarray:
        """The place of joint points in this space, (n, r)."""
        return (joint if self.axes is None else joint @ self.axes.astype(joint.dtype)).astype(np.float32, copy=False)

    def votes(self, points: np.ndarray | None = None) -> Votes:
        """The votes for points of this space or, without any, for the clustered samples, none of which votes for itself."""
        distance, index = self._own_neighbors if points is None else _search(self.clustered).kneighbors(points)
        scale = length_scale(distance)[:, None]
        weights = np.exp(-((distance / scale) ** 2))
        itself = distance < _SAME * scale
        if points is not None:  # a sample of the fit is what it was there
            weights = np.where(itself.any(axis=1, keepdims=True), itself, weights)
        reach = np.maximum(distance, self.farthest[index]).mean(axis=1)
        same = np.asarray(itself.any(axis=1) & (points is not None))
        return Votes(index, weights / weights.sum(axis=1, keepdims=True), self._outlier_scores(reach, index), same)

    @lazy
    def _own_neighbors(self) -> tuple[np.ndarray, np.ndarray]:
        """Distances and positions of the nearest neighbours of the clustered samples."""
        found: tuple[np.ndarray, np.ndarray] = _search(self.clustered).kneighbors()
        return found

    def _outlier_scores(self, reach: np.ndarray, index: np.ndarray) -> np.ndarray:
        """``log₂`` of the reach over the harmonic mean of the neighbours' (the local outlier factor): 1 if twice theirs."""
        least = 1e-6 * float(self.reach.mean()) or 1.0
        density = (1 / np.maximum(self.reach[index], least)).mean(axis=1)
        return np.asarray(np.log2(np.maximum(reach, least) * density))


@dataclass(frozen=True)
class Votes:
    """Neighbours of some points among the clustered samples, with weights ``exp(−d²/σ²)`` that sum to 1.

    ``σ`` is the distance to the seventh neighbour.

    Attributes
    ----------
    index, weights : (n, m) arrays
    outlier_scores : (n,) array, 0 in surroundings as dense as the neighbours', 1 if they are half as dense
    same : (n,) array of bool, which points are those of clustered samples
    """

    index: np.ndarray
    weights: np.ndarray
    outlier_scores: np.ndarray
    same: np.ndarray

    def mean(self, values: np.ndarray) -> np.ndarray:
        """The weighted mean of the neighbours' values, (n, p) for (clustered, p) values."""
        return np.asarray(np.einsum("ij,ijk->ik", self.weights, values[self.index]))

    def shares(self, labels: np.ndarray, k: int) -> np.ndarray:
        """The share of the votes for each of k clusters, (n, k)."""
        theirs = labels[self.index]
        return np.stack([np.where(theirs == c, self.weights, 0).sum(axis=1) for c in range(k)], axis=1)


def voting_points(joint: np.ndarray, k: int, products: np.ndarray | None = None) -> np.ndarray:
    """The place of clustered samples in the space that :meth:`VotingSpace.of` makes of them, (n, r)."""
    return _axes_and_points(joint, k, products)[1]


def leading_axes(joint: np.ndarray, k: int) -> np.ndarray:
    """The axes of the same space of points with many columns, (p, r)."""
    axes = _axes_and_points(joint, k, None)[0]
    return np.eye(joint.shape[1]) if axes is None else axes


def _axes_and_points(joint: np.ndarray, k: int, products: np.ndarray | None) -> tuple[np.ndarray | None, np.ndarray]:
    columns = max(_FEW_COLUMNS, k)
    return (None, joint) if joint.shape[1] <= columns else _leading(joint, columns, products)


def _leading(joint: np.ndarray, columns: int, products: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Orthonormal axes of the largest variances, (p, r), and the coordinates of the points along them, (n, r).

    With the centred points ``C`` the axes are eigenvectors of ``CᵀC``, if there are few columns. If there are more columns
    than samples, they are ``CᵀUΣ⁻¹`` with ``K = CCᵀ = UΣ²Uᵀ``: one product with the wide ``C``, if the products of the
    points are known. Either takes a half to a tenth of the time of a randomized decomposition of ``C``.
    """
    (n, p), mean = joint.shape, joint.mean(axis=0)
    count = min(columns, n, p)
    if p <= min(n, _MOST_COVARIANCES):
        centred = joint - mean
        axes = _leading_eigenvectors(centred.T @ centred, count)[1]
        return axes, joint @ axes
    if products is None or p <= n:
        axes = randomized_svd(joint - mean, count, random_state=0)[2].T
        return axes, joint @ axes
    centred = centred_products(products)
    values, vectors = _leading_eigenvectors(centred, count)
    kept = values > 1e-9 * values.max()
    turned = vectors[:, kept] / np.sqrt(values[kept])
    axes = joint.T @ turned - np.outer(mean, turned.sum(axis=0))
    return axes, centred @ turned + mean @ axes


def _leading_eigenvectors(matrix: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The largest eigenvalues of a symmetric matrix, and their eigenvectors; of a large one by Lanczos' method."""
    n = len(matrix)
    if count > n // 4:
        return largest_eigenpairs(matrix, count)
    return eigsh(matrix, count, which="LA", tol=1e-3, v0=np.random.RandomState(0).standard_normal(n))


def _search(points: np.ndarray) -> NearestNeighbors:
    return NearestNeighbors(n_neighbors=default_neighbors(len(points))).fit(points)
