"""Samples as points in several views, and the two sparse graphs of all views together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._utils.lazy import lazy
from ..linalg import gram_factor
from ..linalg.sparse_cut import normalized_graph
from ..linalg.threads import together
from .nearest import Neighbors, centred_products, joint_neighbors, whitened_points, whitened_products
from .rounding import are_mostly_two_valued

__all__ = ["Samples"]

_COLUMNS_PER_SAMPLE = 0.25  # from which distances of all pairs are cheaper by inner products
_MOST_PRODUCTS = 2**27  # numbers: 1 GiB
_STARTS = 2**31 - 1


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
    products : tuple of (n, n) arrays, the inner products of the points in each view, or None (:meth:`compact`)
    values : tuple of (n, p_v) arrays, or None if they are the points
        The points before rounded values were spread over their steps (:mod:`viewfuse.graphs.rounding`).
    """

    points: tuple[np.ndarray, ...]
    present: np.ndarray | None = None
    weights: tuple[float, ...] | None = None
    products: tuple[np.ndarray, ...] | None = None
    values: tuple[np.ndarray, ...] | None = None

    def __len__(self) -> int:
        return len(self.points[0])

    @property
    def n_views(self) -> int:
        return len(self.points)

    def compact(self, known: Callable[[int], np.ndarray | None] | None = None) -> Samples:
        """The same samples in as many columns as there are samples at most, with inner products if columns are many.

        ``known`` is a function from a view to its inner products, or to None if these have to be computed.

        Products take ``n² Σp_v`` once. Then the joint distances in any of the views, of any of the samples, take ``n²`` per
        view, where they would take ``n² Σp_v`` again.
        """
        told = self.with_products(known)
        if self.products is not None or told.products is None:
            return told

        def narrow(view: np.ndarray, product: np.ndarray) -> np.ndarray:
            return gram_factor(product) if view.shape[1] > len(self) else view

        return replace(told, points=_of_each(narrow, self.points, told.products))

    def with_products(self, known: Callable[[int], np.ndarray | None] | None = None) -> Samples:
        """The same samples with the inner products of each view, if columns are many; ``known`` as in :meth:`compact`."""
        n, columns = len(self), sum(view.shape[1] for view in self.points)
        few = columns < _COLUMNS_PER_SAMPLE * n
        if self.products is not None or self.present is not None or few or self.n_views * n**2 > _MOST_PRODUCTS:
            return self

        def product(v: int, view: np.ndarray) -> np.ndarray:
            found = None if known is None else known(v)
            return view @ view.T if found is None else found

        return replace(self, products=_of_each(product, range(self.n_views), self.points))

    def of_views(self, views: Sequence[int]) -> Samples:
        """The same samples in some of the views; if some are in none of these, filled points are taken for their own."""
        if self.present is None and tuple(views) == tuple(range(self.n_views)):
            return self  # and with it, what it has found already
        points = tuple(self.points[v] for v in views)
        weights = None if self.weights is None else tuple(self.weights[v] for v in views)
        products = None if self.products is None else tuple(self.products[v] for v in views)
        values = None if self.values is None else tuple(self.values[v] for v in views)
        if self.present is None:
            return Samples(points, None, weights, products, values)
        there = self.present[:, list(views)]
        return Samples(points, None if there.all() or not there.any(axis=1).all() else there, weights, None, values)

    def of_rows(self, rows: np.ndarray) -> Samples:
        """Some of the samples."""
        present = None if self.present is None else self.present[rows]
        products = None if self.products is None else tuple(each[np.ix_(rows, rows)] for each in self.products)
        values = None if self.values is None else tuple(view[rows] for view in self.values)
        return Samples(tuple(view[rows] for view in self.points), present, self.weights, products, values)

    def part(self, rows: np.ndarray) -> Samples:
        """The same, remembered: several ways of clustering a part share what is found about it."""
        parts: dict[bytes, Samples] = vars(self).setdefault("_parts", {})
        key = rows.tobytes()
        return parts[key] if key in parts else parts.setdefault(key, self.of_rows(rows))

    def joint(self) -> np.ndarray:
        """The points of all views side by side, (n, Σ p_v)."""
        return np.hstack(self.points)

    def joint_values(self) -> np.ndarray:
        """The same, with rounded values as they are and not spread."""
        return self.joint() if self.values is None else np.hstack(self.values)

    @lazy
    def mostly_two_valued(self) -> bool:
        """Whether most of the columns take two values, before rounded values were spread."""
        return are_mostly_two_valued(self.points if self.values is None else self.values)

    @lazy
    def joint_products(self) -> np.ndarray | None:
        """The inner products of the points of all views side by side, (n, n), if those of the views are there."""
        if self.products is None or self.n_views == 1:
            return None if self.products is None else self.products[0]
        total = self.products[0].copy()
        for more in self.products[1:]:
            total += more  # new memory for every sum would take longer than adding
        return total

    @lazy
    def neighbors(self) -> Neighbors:
        """The nearest neighbours in all views together."""
        if self.joint_products is not None:
            return Neighbors.of_products(self.joint_products)
        return joint_neighbors(self.points, self.present)

    def joint_graph(self) -> sp.csr_array:
        """The neighbour graph of all views side by side. It sees borders that no single view sees."""
        return self.neighbors.graph()

    def mean_graph(self) -> sp.csr_array:
        """The mean of the normalized neighbour graphs of the whitened views.

        A view with clusters of its own, or without any, is outvoted. Samples have no edges in views they are missing from.
        """
        graphs = together([partial(self._graph_of, v) for v in range(self.n_views)])
        weights = (1.0,) * len(graphs) if self.weights is None else self.weights
        weighted = [weight * graph for weight, graph in zip(weights, graphs, strict=True)]
        return sp.csr_array(sum(weighted[1:], weighted[0]) / sum(weights))

    def _graph_of(self, v: int) -> sp.csr_array:
        rows, view = self.rows()[v], self.points[v]
        if len(rows) < 2:
            return sp.csr_array((len(self), len(self)))
        if self.products is not None and view.shape[1] >= len(self):
            return normalized_graph(Neighbors.of_products(whitened_products(self.products[v])).graph())
        graph = normalized_graph(Neighbors.of(whitened_points(view[rows])).graph()).tocoo()
        return sp.csr_array((graph.data, (rows[graph.row], rows[graph.col])), shape=(len(self), len(self)))

    @lazy
    def view_neighbors(self) -> list[np.ndarray]:
        """The neighbours in each view alone, among the samples that are present in it, as positions among these."""
        return [found.index for found in together([partial(self._neighbors_in, v) for v in range(self.n_views)])]

    def _neighbors_in(self, v: int) -> Neighbors:
        rows = self.rows()[v]
        if len(rows) < 2:
            return Neighbors(np.empty((len(rows), 0), dtype=np.intp), np.empty((len(rows), 0)), np.ones(len(rows)))
        if self.products is not None and self.points[v].shape[1] >= _COLUMNS_PER_SAMPLE * len(self):
            return Neighbors.of_products(self.products[v])
        return Neighbors.of(self.points[v][rows])

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
        standard normal ``G``. With more columns than samples ``R`` is ``C``. With inner products ``CCᵀ = LLᵀ`` it is
        ``GL/√n``, in n columns and not divided into views: its distances have the same distribution. Single precision is
        enough for random numbers.
        """
        mean, factor = self._cloud
        generator = np.random.default_rng(random_state.randint(_STARTS))  # three times as fast as a RandomState
        cloud = generator.standard_normal((len(self), len(factor)), dtype=np.float32) @ factor
        cloud += mean
        if self._null_by_products():
            return Samples((cloud,))
        ends = np.cumsum([view.shape[1] for view in self.points])[:-1]
        return Samples(tuple(np.split(cloud, ends, axis=1)), self.present, self.weights)

    @lazy
    def _cloud(self) -> tuple[np.ndarray, np.ndarray]:
        """The mean of :meth:`null`, and what its random numbers are multiplied by, in single precision."""
        n, products = len(self), self.joint_products
        if products is not None and self._null_by_products():
            factor = gram_factor(centred_products(products))
            factor /= np.sqrt(n)
            return np.zeros(factor.shape[1], dtype=np.float32), factor.astype(np.float32)
        joint = self.joint()
        mean = joint.mean(axis=0)
        factor = joint - mean
        if factor.shape[1] < n:
            values, vectors = np.linalg.eigh(factor.T @ factor)
            factor = np.sqrt(np.maximum(values, 0))[:, None] * vectors.T
        return mean.astype(np.float32), (factor / np.sqrt(n)).astype(np.float32)

    def _null_by_products(self) -> bool:
        return self.products is not None and sum(view.shape[1] for view in self.points) >= len(self)


def _of_each(task: Callable[..., Any], *parts: Sequence[Any]) -> tuple[Any, ...]:
    """``task(*each)`` for what the views have each, several views at once."""
    return tuple(together([partial(task, *each) for each in zip(*parts, strict=True)]))
