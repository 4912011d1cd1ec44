"""Points of samples that are described by features and graphs: the best plans of smoothing, side by side.

New samples are mapped by the same recursion. With ``a`` the edges of a new sample to the training samples, ``d = Σ_j a_j``
and ``l`` the weight of a self-loop, ``x⁽ᵗ⁾ = (l x⁽ᵗ⁻¹⁾/√(d+l) + Σ_j a_j x_j⁽ᵗ⁻¹⁾/√(d_j+l)) / √(d+l)``. So a training sample
is mapped to its own point, and a sample without edges to that of its features.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.extmath import randomized_svd

from ...graphs.relations import low_pass
from .blocks import Blocks
from .features import Coordinates
from .smoothing import Finish, Plan, Spectrum, smooth

__all__ = ["FusedPoints", "GraphWeights"]

_MOST_COLUMNS = 128
Mix = tuple[int, ...]


@dataclass(frozen=True)
class GraphWeights:
    """What edges of new samples weigh in the low-pass filter of a graph.

    Attributes
    ----------
    root : (n,) array, ``1/√(d_j + l)``
    loop : float, ``l``
    """

    root: np.ndarray
    loop: float

    @classmethod
    def of(cls, graph: sp.csr_array) -> GraphWeights:
        loop = float(graph.data.mean()) if graph.nnz else 1.0
        return cls(1 / np.sqrt(np.asarray(graph.sum(axis=1)).ravel() + loop), loop)

    def step(self, edges: sp.csr_array, own: np.ndarray, states: np.ndarray) -> np.ndarray:
        """One step of smoothing of new samples, given their state and that of the training samples before it."""
        root = 1 / np.sqrt(np.asarray(edges.sum(axis=1)).ravel() + self.loop)[:, None]
        weighted = sp.csr_array(edges, copy=True)
        # In the fit an edge is no heavier than the degrees of its ends. A new one may be: it then counts as that degree.
        heaviest = 1 / np.sqrt(np.maximum(np.abs(weighted.data), np.finfo(float).tiny))
        weighted.data = weighted.data * np.minimum(self.root[weighted.indices], heaviest)
        neighbors = weighted @ states
        return np.asarray(root * (self.loop * root * own + neighbors), dtype=np.float32)


@dataclass(frozen=True)
class FusedPoints:
    """A map from features and edges to points.

    Attributes
    ----------
    plans : tuple of Plan, whose points are side by side
    coordinates : tuple of Coordinates, one per feature view
    importance : tuple of float, the weight of each graph in a mean of filters
    weights : tuple of GraphWeights, one per graph
    states : dict of (t, n, r) arrays, by the graphs of a plan: the features of the training samples before each step
    finishes : tuple of Finish, Spectrum or Blocks, one per plan
    axes : (p, r) array or None, if the plans have many columns together
    unsmoothed : Finish or None, of the features that are kept beside smoothed ones
    """

    plans: tuple[Plan, ...]
    coordinates: tuple[Coordinates, ...]
    importance: tuple[float, ...]
    weights: tuple[GraphWeights, ...]
    states: dict[Mix, np.ndarray]
    finishes: tuple[Any, ...]
    axes: np.ndarray | None
    unsmoothed: Finish | None = None

    @classmethod
    def learn(
        cls,
        plans: Sequence[Plan],
        features: Sequence[Any],
        present: np.ndarray | None,
        graphs: Sequence[sp.csr_array],
        n_clusters: int,
        importance: tuple[Sequence[float], Sequence[float]],
        random_state: np.random.RandomState,
        encoded: Sequence[bool] | None = None,
    ) -> tuple[FusedPoints, np.ndarray, list[np.ndarray]]:
        """The map, the points of the samples, (n, r), and the points of each plan.

        Parameters
        ----------
        plans : the plans whose points are taken side by side
        features : the feature views
        present : (n, number of feature views) array of bool or None
        graphs : all graphs, undirected
        importance : the weights that the user gives to the feature views and to the graphs
        encoded : whether each feature view is an encoded table; none is by default
        """
        done = [False] * len(features) if encoded is None else encoded
        coordinates = tuple(
            Coordinates.learn(view if present is None else view[present[:, v]], random_state, encoded=done[v])
            for v, view in enumerate(features)
        )
        factors = tuple(float(np.sqrt(weight)) for weight in importance[0])
        filters = [low_pass(graph) for graph in graphs]
        start = cls((), coordinates, tuple(importance[1]), (), {}, (), None)
        raw = start._coordinates(features, present) if features else np.zeros((graphs[0].shape[0], 0), dtype=np.float32)
        unsmoothed = start._finish(raw, factors) if any(plan.beside for plan in plans) else None
        states: dict[Mix, np.ndarray] = {}
        finishes: list[Any] = []
        parts = []
        for plan in plans:
            if plan.steps is None:
                spectrum = Spectrum.learn([graphs[g] for g in plan.graphs], n_clusters, random_state)
                finishes.append(spectrum)
                parts.append(spectrum.points)
                continue
            steps = smooth(raw, [filters[g] for g in plan.graphs], [importance[1][g] for g in plan.graphs], plan.steps)
            if len(steps) - 1 > len(states.get(plan.graphs, ())):
                states[plan.graphs] = np.array(steps[:-1])
            finishes.append(start._finish(steps[-1], factors))
            parts.append(_finished(plan, finishes[-1], steps[-1], unsmoothed, raw))
        joint = np.hstack(parts)
        axes = None
        if joint.shape[1] > _MOST_COLUMNS:
            axes = randomized_svd(joint, min(_MOST_COLUMNS, *joint.shape), random_state=random_state)[2].T
        weights = tuple(GraphWeights.of(graph) for graph in graphs)
        spectra = tuple(f.without_points() if isinstance(f, Spectrum) else f for f in finishes)
        made = cls(tuple(plans), coordinates, tuple(importance[1]), weights, states, spectra, axes, unsmoothed)
        return made, joint if axes is None else joint @ axes, parts

    def by_blocks(self, plan: Plan, blocks: Blocks) -> FusedPoints:
        """The map of a plan of graphs alone to the points of its blocks."""
        return replace(self, plans=(plan,), states={}, finishes=(blocks,), axes=None, unsmoothed=None)

    def __call__(self, features: Sequence[Any], present: np.ndarray | None, edges: Sequence[sp.csr_array]) -> np.ndarray:
        """The points of new samples, given their features and their edges to the training samples."""
        raw = self._coordinates(features, present) if features else np.zeros((edges[0].shape[0], 0), dtype=np.float32)
        parts = []
        for plan, finish in zip(self.plans, self.finishes, strict=True):
            if plan.steps is None:
                parts.append(finish([edges[g] for g in plan.graphs]))
                continue
            own = raw
            for step in range(plan.steps):
                before = self.states[plan.graphs][step]
                moved = [self.importance[g] * self.weights[g].step(edges[g], own, before) for g in plan.graphs]
                own = sum(moved) / sum(self.importance[g] for g in plan.graphs)  # type: ignore[assignment]
            parts.append(_finished(plan, finish, own, self.unsmoothed, raw))
        joint = np.hstack(parts)
        return np.asarray(joint if self.axes is None else joint @ self.axes)

    def nothing_known(
        self, features: Sequence[Any], present: np.ndarray | None, edges: Sequence[sp.csr_array]
    ) -> np.ndarray:
        """Which new samples have no edges, and no features in which there is anything, (n,)."""
        used = sorted({g for plan in self.plans for g in plan.graphs})
        found = np.all([np.asarray(edges[g].sum(axis=1)).ravel() == 0 for g in used], axis=0)
        if all(plan.steps is None for plan in self.plans):
            return np.asarray(found)
        for v, (one, view) in enumerate(zip(self.coordinates, features, strict=True)):
            nothing = one.nothing_in(view)
            found = found & (nothing if present is None else nothing | ~present[:, v])
        return np.asarray(found)

    def _coordinates(self, features: Sequence[Any], present: np.ndarray | None) -> np.ndarray:
        """The coordinates of all feature views side by side; 0, the mean, where a sample is missing."""
        parts = [one(view) for one, view in zip(self.coordinates, features, strict=True)]
        if present is not None:
            parts = [np.where(present[:, [v]], part, 0) for v, part in enumerate(parts)]
        return np.hstack(parts).astype(np.float32, copy=False)

    def _finish(self, smoothed: np.ndarray, factors: tuple[float, ...]) -> Finish:
        return Finish.learn(smoothed, self._widths(), self._directions(), factors)

    def _widths(self) -> tuple[int, ...]:
        return tuple(len(one.centre) for one in self.coordinates)

    def _directions(self) -> tuple[bool, ...]:
        return tuple(one.are_directions for one in self.coordinates)


def _finished(plan: Plan, finish: Finish, smoothed: np.ndarray, unsmoothed: Finish | None, raw: np.ndarray) -> np.ndarray:
    """The points of a plan: the smoothed features, and beside them the features themselves if it keeps them."""
    return np.hstack([unsmoothed(raw), finish(smoothed)]) if plan.beside and unsmoothed is not None else finish(smoothed)
