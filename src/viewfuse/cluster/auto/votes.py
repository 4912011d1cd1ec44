"""Memberships by the votes of nearest neighbours: for the samples of a fit and for new ones alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.extmath import randomized_svd

from ...graphs.nearest import default_neighbors, length_scale

__all__ = ["Votes", "VotingSpace"]

_MOST_COLUMNS = 50
_SAME = 1e-3  # of the length scale: nearer samples are the same, up to the rounding of single precision


@dataclass(frozen=True)
class VotingSpace:
    """Where neighbours are looked for: the joint points or, if these have many columns, their leading principal coordinates.

    Attributes
    ----------
    axes : (p, r) array or None
    clustered : (n, r) array of float32, the clustered samples
    """

    axes: np.ndarray | None
    clustered: np.ndarray

    @classmethod
    def of(cls, joint: np.ndarray) -> VotingSpace:
        if joint.shape[1] <= _MOST_COLUMNS:
            return cls(None, joint.astype(np.float32))
        components = min(_MOST_COLUMNS, *joint.shape)
        _, _, rows = randomized_svd(joint - joint.mean(axis=0), components, random_state=0)
        return cls(rows.T, (joint @ rows.T).astype(np.float32))

    def votes(self, joint: np.ndarray | None = None) -> Votes:
        """The votes for these joint points or, without any, for the clustered samples."""
        if joint is None:
            return Votes.of(self.clustered)
        points = joint if self.axes is None else joint @ self.axes
        return Votes.of(self.clustered, points.astype(np.float32))


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
