"""Samples as points in several views, and the two sparse graphs of all views together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ..linalg.sparse_cut import normalized_graph
from .nearest import Neighbors, joint_neighbors, neighbor_graph, whitened_points

__all__ = ["Samples"]


@dataclass(frozen=True)
class Samples:
    """Points of n samples in several views.

    Attributes
    ----------
    points : tuple of (n, p_v) arrays, complete
    present : (n, n_views) array of bool, or None if all are
        Which points are the samples' own; the others were filled from similar samples.
    weights : tuple of float, one per view, or None if all are 1
        Of the views in means of graphs. In joint distances the scale of the points is what counts.
    """

    points: tuple[np.ndarray, ...]
    present: np.ndarray | None = None
    weights: tuple[float, ...] | None = None

    def __len__(self) -> int:
        return len(self.points[0])

    @property
    def n_views(self) -> int:
        return len(self.points)

    def of_views(self, views: Sequence[int]) -> Samples:
        """The same samples in some of the views; if some are in none of these, filled points are taken for their own."""
        points = tuple(self.points[v] for v in views)
        weights = None if self.weights is None else tuple(self.weights[v] for v in views)
        if self.present is None:
            return Samples(points, None, weights)
        there = self.present[:, list(views)]
        return Samples(points, None if there.all() or not there.any(axis=1).all() else there, weights)

    def of_rows(self, rows: np.ndarray) -> Samples:
        """Some of the samples."""
        present = None if self.present is None else self.present[rows]
        return Samples(tuple(view[rows] for view in self.points), present, self.weights)

    def joint(self) -> np.ndarray:
        """The points of all views side by side, (n, Σ p_v)."""
        return np.hstack(self.points)

    def neighbors(self) -> Neighbors:
        """The nearest neighbours in all views together."""
        return joint_neighbors(self.points, self.present)

    def joint_graph(self) -> sp.csr_array:
        """The neighbour graph of all views side by side. It sees borders that no single view sees."""
        return self.neighbors().graph()

    def mean_graph(self) -> sp.csr_array:
        """The mean of the normalized neighbour graphs of the whitened views.

        A view with clusters of its own, or without any, is outvoted. Samples have no edges in views they are missing from.
        """
        graphs = [self._graph_among(view, rows) for view, rows in zip(self.points, self.rows(), strict=True)]
        weights = (1.0,) * len(graphs) if self.weights is None else self.weights
        weighted = [weight * graph for weight, graph in zip(weights, graphs, strict=True)]
        return sp.csr_array(sum(weighted[1:], weighted[0]) / sum(weights))

    def _graph_among(self, view: np.ndarray, rows: np.ndarray) -> sp.csr_array:
        if len(rows) < 2:
            return sp.csr_array((len(self), len(self)))
        graph = normalized_graph(neighbor_graph(whitened_points(view[rows]))).tocoo()
        return sp.csr_array((graph.data, (rows[graph.row], rows[graph.col])), shape=(len(self), len(self)))

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

        With ``C = X − 1mᵀ`` the centred joint points and ``CᵀC = RᵀR``, the cloud is ``1mᵀ + GR/√n`` with independent
        standard normal ``G``. With more columns than samples ``R`` is ``C``.
        """
        joint = self.joint()
        mean, n = joint.mean(axis=0), len(joint)
        factor = joint - mean
        if factor.shape[1] < n:
            values, vectors = np.linalg.eigh(factor.T @ factor)
            factor = np.sqrt(np.maximum(values, 0))[:, None] * vectors.T
        cloud = mean + random_state.standard_normal((n, len(factor))) @ (factor / np.sqrt(n))
        ends = np.cumsum([view.shape[1] for view in self.points])[:-1]
        return Samples(tuple(np.split(cloud, ends, axis=1)), self.present, self.weights)
