"""Memberships by the votes of nearest neighbours: for the samples of a fit and for new ones alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.neighbors import NearestNeighbors

from ...graphs.nearest import default_neighbors, length_scale

__all__ = ["Votes"]

_SAME = 1e-6  # of the length scale: nearer samples are the same, up to rounding


@dataclass(frozen=True)
class Votes:
    """Neighbours of some points among the clustered samples, with weights ``exp(−d²/σ²)`` that sum to 1.

    ``σ`` is the distance to the seventh neighbour.
    """

    index: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, clustered: np.ndarray, points: np.ndarray | None = None) -> Votes:
        """The votes for these points or, without points, for the clustered samples, none of which votes for itself."""
        search = NearestNeighbors(n_neighbors=default_neighbors(len(clustered))).fit(clustered)
        distance, index = search.kneighbors(points)
        scale = length_scale(distance)[:, None]
        weights = np.exp(-((distance / scale) ** 2))
        itself = distance < _SAME * scale
        if points is not None:  # a sample of the fit is what it was there
            weights = np.where(itself.any(axis=1, keepdims=True), itself, weights)
        return cls(index, weights / weights.sum(axis=1, keepdims=True))

    def mean(self, values: np.ndarray) -> np.ndarray:
        """The weighted mean of the neighbours' values, (n, p) for (clustered, p) values."""
        return np.asarray(np.einsum("ij,ijk->ik", self.weights, values[self.index]))
