"""The samples that are clustered: their points in each view, and which of these are their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...graphs.nearest import Neighbors, joint_neighbors

__all__ = ["Samples"]


@dataclass(frozen=True)
class Samples:
    """Points of n samples in several views.

    Attributes
    ----------
    points : tuple of (n, p_v) arrays, complete
    present : (n, n_views) array of bool, or None if all are
        Which points are the samples' own; the others were filled (:mod:`viewfuse.cluster.auto.completion`).
    """

    points: tuple[np.ndarray, ...]
    present: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.points[0])

    @property
    def n_views(self) -> int:
        return len(self.points)

    def of_views(self, views: Sequence[int]) -> Samples:
        """The same samples in some of the views; if some are in none of these, filled points are taken for their own."""
        points = tuple(self.points[v] for v in views)
        if self.present is None:
            return Samples(points)
        there = self.present[:, list(views)]
        return Samples(points, None if there.all() or not there.any(axis=1).all() else there)

    def of_rows(self, rows: np.ndarray) -> Samples:
        """Some of the samples."""
        return Samples(tuple(view[rows] for view in self.points), None if self.present is None else self.present[rows])

    def joint(self) -> np.ndarray:
        """The points of all views side by side, (n, Σ p_v)."""
        return np.hstack(self.points)

    def neighbors(self) -> Neighbors:
        """The nearest neighbours in all views together."""
        return joint_neighbors(self.points, self.present)

    def rows(self) -> list[np.ndarray]:
        """The samples that are present in each view."""
        if self.present is None:
            return [np.arange(len(self))] * self.n_views
        return [np.flatnonzero(there) for there in self.present.T]

    def with_gaps(self) -> list[np.ndarray]:
        """The points as views, NaN where samples are missing."""
        if self.present is None:
            return list(self.points)
        return [np.where(self.present[:, [v]], view, np.nan) for v, view in enumerate(self.points)]

    def null(self, random_state: np.random.RandomState) -> Samples:
        """As many samples of one normally distributed cloud with the same mean and covariances, missing in the same places.

        With ``X − 1mᵀ = QR`` the centred joint points, the cloud is ``1mᵀ + GR/√n`` with independent standard normal ``G``.
        Without more samples than columns, ``Q`` is left out: ``1mᵀ + G(X − 1mᵀ)/√n``.
        """
        joint = self.joint()
        mean, n = joint.mean(axis=0), len(joint)
        factor = joint - mean
        if factor.shape[1] < n:
            factor = np.linalg.qr(factor, mode="r")
        cloud = mean + random_state.standard_normal((n, len(factor))) @ (factor / np.sqrt(n))
        ends = np.cumsum([view.shape[1] for view in self.points])[:-1]
        return Samples(tuple(np.split(cloud, ends, axis=1)), self.present)
