"""Fusion on anchor graphs: the iterations of GFSC with n × m graphs, each row on its own.

    min  Σ_v Σ_i (−⟨c_i^v, z_i^v⟩ + ½ r_i^v‖z_i^v‖²)  +  ½ β Σ_v w_v‖Z_v − S‖²  +  γ Σ_ij P_ij S_ij,

where ``c_i^v`` expresses sample i by the anchors in view v (:mod:`viewfuse.graphs.anchors`), ``Z_v`` and ``S`` (n × m) have
rows on the simplex, and ``P_ij = ‖f_i − h_j‖²`` between the unit rows of the embedding of samples and anchors.

The weight of a view depends on how much its edges cross the cut, ``w_v = 1/√(mean P over the edges of Z_v)``, scaled to mean
1: these weights minimize ``Σ_v √⟨Z_v, P⟩`` (as in AMGL). Weights by the distance from ``S`` would not work here: ``S`` is
mostly the view with the largest weight, so that this view would get all the weight, even if it were noise.

Given the shared variables, the weights ``w`` and the anchors' embedding ``h``, each row's ``z_i^v``, ``s_i`` and ``f_i``
depend on no other row. Given the rows, ``w`` and ``h`` follow from a few sums over them: ``SᵀS`` (m × m), the anchors'
degrees and two numbers per view. So an iteration is one pass over blocks of rows of any size, on any machine, that keeps
nothing of size n, and new rows are placed by the same steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from array_api_compat import array_namespace, is_numpy_array

from .._utils.device import beside, is_tensor, to_host
from ..graphs.anchors import (
    CodedRows,
    UnitRows,
    anchor_positions,
    clipped,
    code_map,
    group_samples,
    inner,
    squared_lengths,
    strongest_anchors,
)
from ..linalg import BipartiteEmbedding, bipartite_embedding, unit_rows
from ..linalg.threads import for_each, spans
from .result import Sweep

__all__ = ["AnchorFusion", "AnchorModel", "Placed", "Sums", "block_sums", "learn_anchors", "place", "refined"]

_MIN_CROSSING = 0.01  # of the mean P: lower bound on the mean P of a view's edges; it bounds the ratio of two weights
_COMPONENTS_PER_CLUSTER = 1.2  # a cluster's direction may come after a split of another cluster: see bipartite_embedding
_ROUNDS = 1  # how often a row's view graphs are updated again, given its consensus
_ITERATED = 100  # rows per anchor of which the sums are taken, at most; anchors and scales are learned from all rows
_BLOCK = 2048  # rows whose edges to the anchors fit in the cache


@dataclass(frozen=True)
class AnchorModel:
    """The variables that all rows share.

    Attributes
    ----------
    maps : (d_v + 1, m) arrays, one per view, from ``(x_i, 1)`` to its code; the mean ``r_i`` is 1
    weights : (n_views,) array of mean 1
    n_neighbors : int, anchors that a sample has edges to in each view
    n_components : int, dimensions of the embedding
    beta, gamma : float, weights of the distances to the consensus and of the cut
    embedding : BipartiteEmbedding, or None before the first iteration
    mean_apart : float, the mean ``P_ij``
    """

    maps: tuple[np.ndarray, ...]
    weights: np.ndarray
    n_neighbors: int
    n_components: int
    beta: float
    gamma: float
    embedding: BipartiteEmbedding | None = None
    mean_apart: float = 1.0

    @property
    def n_anchors(self) -> int:
        return int(self.maps[0].shape[1])

    def like(self, array: Any) -> AnchorModel:
        """The same model with its matrices on the array's device."""
        if is_numpy_array(array):
            return self
        embedding = self.embedding
        if embedding is not None:
            transform, anchors = beside(array, embedding.transform), beside(array, embedding.anchors)
            embedding = replace(embedding, transform=transform, anchors=anchors)
        return replace(self, maps=tuple(beside(array, mapping) for mapping in self.maps), embedding=embedding)

    def embed(self, consensus: Any) -> Any:
        """The embedding of rows with these edges, (b, n_components)."""
        assert self.embedding is not None, "there is an embedding after the first iteration"
        return consensus @ self.embedding.transform


@dataclass(frozen=True)
class Sums:
    """The sums over rows that an iteration needs. The sums of two blocks can be added.

    Attributes
    ----------
    count : number of rows
    gram, degree : ``SᵀS`` (m, m) and the column sums of ``S`` (m,)
    crossing : (n_views, 2) array: ``⟨Z_v, P⟩``, and the number of rows present in view v
    apart : ``Σ_ij P_ij``
    objective : the objective
    """

    count: int
    gram: np.ndarray
    degree: np.ndarray
    crossing: np.ndarray
    apart: float
    objective: float

    def __add__(self, other: Sums) -> Sums:
        return Sums(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))

    def __radd__(self, zero: int) -> Sums:
        return self  # sum() starts with 0


@dataclass(frozen=True)
class AnchorFusion:
    """The shared variables and the iterations that led to them.

    Attributes
    ----------
    model : AnchorModel
    positions : (m, d_v) arrays, the positions of the anchors in every view
    sweeps : tuple of Sweep
    converged : bool, whether the change fell below the tolerance
    normalized : (m, m) array, ``D^-½ SᵀS D^-½``, whose relative change is reported; None before the first iteration
    """

    model: AnchorModel
    positions: tuple[np.ndarray, ...]
    sweeps: tuple[Sweep, ...] = ()
    converged: bool = False
    normalized: np.ndarray | None = None


@dataclass(frozen=True)
class Placed:
    """The solution for a block of rows.

    Attributes
    ----------
    view_graphs : (b, m) arrays, ``Z_v``
    fused : (b, m) array, ``M = Σ_v w_v Z_v`` over the views that have the row, rows summing to 1
    consensus : (b, m) array, ``S``
    distances : (b, m) array, ``P``; None before the first embedding
    margin : float, ``Σ −⟨c, z⟩ + ½ r‖z‖²``
    """

    view_graphs: list[Any]
    fused: Any
    consensus: Any
    distances: Any
    margin: float


def learn_anchors(
    views: Sequence[UnitRows],
    n_clusters: int,
    *,
    n_anchors: int,
    n_neighbors: int,
    alpha: float,
    beta: float,
    gamma: float,
    max_iter: int,
    tol: float,
    random_state: np.random.RandomState,
    on_sweep: Callable[[int, Sweep], bool] | None = None,
    fixed_weights: np.ndarray | None = None,
    groups: np.ndarray | None = None,
) -> AnchorFusion:
    """Choose anchors among these rows and iterate until the relative change of ``D^-½ SᵀS D^-½`` is below ``tol``.

    The iterations also end after ``max_iter``, or if ``on_sweep(number, sweep)`` returns True. Anchors are the means of
    groups of samples, which may be given. Of more than 100 rows per anchor, so many are iterated on.
    """
    groups = group_samples(views, n_anchors, random_state) if groups is None else groups
    positions = tuple(anchor_positions(view, groups) for view in views)
    maps = tuple(
        _with_unit_margin(code_map(a, view.mean(), alpha), view, n_neighbors)
        for a, view in zip(positions, views, strict=True)
    )
    n_components = min(math.ceil(_COMPONENTS_PER_CLUSTER * n_clusters), len(positions[0]))
    model = AnchorModel(maps, _given(np.ones(len(views)), fixed_weights), n_neighbors, n_components, beta, gamma)
    fusion = AnchorFusion(model, positions)
    iterated = zip(_some(views, _ITERATED * n_anchors), maps, strict=True)
    coded = [CodedRows.of(view, beside(view.scale, mapping)) for view, mapping in iterated]
    stopped = False
    while not fusion.converged and not stopped and len(fusion.sweeps) < max_iter:
        fusion = refined(fusion, _all_sums(fusion.model, coded), tol, fixed_weights)
        stopped = on_sweep is not None and on_sweep(len(fusion.sweeps), fusion.sweeps[-1])
    return fusion


def refined(fusion: AnchorFusion, sums: Sums, tol: float, fixed_weights: np.ndarray | None = None) -> AnchorFusion:
    """The second half of an iteration: weights and embedding from the sums over the rows."""
    model, last = fusion.model, fusion.normalized
    weights = _given(_weights(sums.crossing, sums.apart / (sums.count * model.n_anchors)), fixed_weights)
    normalized = sums.gram / np.maximum(np.sqrt(np.outer(sums.degree, sums.degree)), np.finfo(float).tiny)
    change = 1.0 if last is None else float(np.linalg.norm(normalized - last) / np.linalg.norm(last))
    return AnchorFusion(
        model=replace(
            model,
            weights=weights,
            embedding=bipartite_embedding(sums.gram, sums.degree, model.n_components),
            mean_apart=sums.apart / (sums.count * model.n_anchors) if sums.apart > 0 else 1.0,
        ),
        positions=fusion.positions,
        sweeps=(*fusion.sweeps, Sweep(sums.objective / sums.count, change, weights / weights.sum())),
        converged=change < tol,
        normalized=normalized,
    )


def _some(views: Sequence[UnitRows], count: int) -> Sequence[UnitRows]:
    """All rows, or at most so many, evenly spaced."""
    n = len(views[0])
    if n <= count:
        return views
    rows = np.linspace(0, n - 1, count).astype(np.intp)
    return [view[beside(view.scale, rows)] for view in views]


def _all_sums(model: AnchorModel, views: Sequence[UnitRows | CodedRows]) -> Sums:
    if is_tensor(views[0].scale):
        return block_sums(model.like(views[0].scale), views)

    def part(rows: slice, _: object) -> tuple[Sums]:
        return (block_sums(model, [view[rows] for view in views]),)

    (sums,) = for_each(part, spans(len(views[0]), _BLOCK))
    return sums


def place(model: AnchorModel, views: Sequence[UnitRows | CodedRows]) -> Placed:
    """Solve the rows of one block, given the shared variables."""
    codes = [view.codes(mapping) for view, mapping in zip(views, model.maps, strict=True)]
    xp = array_namespace(codes[0])
    shares = [xp.astype(view.scale > 0, xp.float32) * float(w) for view, w in zip(views, model.weights, strict=True)]
    total = sum(shares)
    total = xp.where(total > 0, total, xp.ones_like(total))
    consensus = xp.zeros_like(codes[0])
    distances: Any = None
    for _ in range(1 + (_ROUNDS if model.beta else 0)):
        view_graphs, margin = [], 0.0
        for v, code in enumerate(codes):
            pulled = code + float(model.beta * model.weights[v]) * consensus
            graph, strengths = strongest_anchors(pulled, model.n_neighbors)
            margin -= inner(graph, code) - 0.5 * inner(strengths, squared_lengths(graph))
            view_graphs.append(graph)
        fused = sum((share / total)[:, None] * graph for share, graph in zip(shares, view_graphs, strict=True))
        consensus = fused
        if model.embedding is not None:
            distances = _distances(model, model.embedding, fused)
            consensus = _cut(model, fused, distances) if model.gamma else fused
    return Placed(view_graphs, fused, consensus, distances, margin)


def _distances(model: AnchorModel, embedding: BipartiteEmbedding, fused: Any) -> Any:
    """``P_ij = ‖f_i − h_j‖²`` between unit vectors, (b, m)."""
    return clipped(2 - 2 * (unit_rows(model.embed(fused)) @ embedding.anchors.T))


def _cut(model: AnchorModel, fused: Any, distances: Any) -> Any:
    """``s_i = (m_i − penalty · P_i)₊``, scaled to sum 1; at the mean distance an edge loses γ times the mean edge, 1/m."""
    xp = array_namespace(fused)
    consensus = clipped(fused - float(model.gamma / (model.n_anchors * model.mean_apart)) * distances)
    totals = xp.sum(consensus, axis=1, keepdims=True)
    return xp.where(totals > 0, consensus / xp.where(totals > 0, totals, xp.ones_like(totals)), fused)


def block_sums(model: AnchorModel, views: Sequence[UnitRows | CodedRows]) -> Sums:
    """The first half of an iteration for one block: solve its rows and return the sums over them."""
    placed = place(model, views)
    consensus, fused = placed.consensus, placed.fused
    xp = array_namespace(fused)
    crossing, objective = [], placed.margin
    for v, (view, graph) in enumerate(zip(views, placed.view_graphs, strict=True)):
        present = xp.astype(view.scale > 0, xp.float32)
        crossed = 0.0 if placed.distances is None else inner(graph, placed.distances)
        crossing.append((crossed, float(xp.sum(present, dtype=xp.float64))))
        if model.beta:
            difference = (graph - consensus) * present[:, None]
            objective += 0.5 * model.beta * float(model.weights[v]) * inner(difference, difference)
    apart = 0.0
    if placed.distances is not None:
        apart = float(xp.sum(placed.distances, dtype=xp.float64))
        objective += model.gamma / (model.n_anchors * model.mean_apart) * inner(placed.distances, consensus)
    return Sums(
        count=int(fused.shape[0]),
        gram=to_host(consensus.T @ consensus).astype(float),
        degree=to_host(xp.sum(consensus, axis=0, dtype=xp.float64)),
        crossing=np.asarray(crossing, dtype=float),
        apart=apart,
        objective=objective,
    )


def _weights(crossing: np.ndarray, mean_apart: float) -> np.ndarray:
    """``1/√(mean P over the edges of Z_v)``, scaled to mean 1; equal before the first embedding."""
    crossed, rows = crossing.T
    share = crossed / np.maximum(rows, 1) / mean_apart if mean_apart > 0 else np.ones(len(rows))
    weights = 1 / np.sqrt(np.maximum(share, _MIN_CROSSING))
    return weights / weights.mean()


def _given(learned: np.ndarray, fixed_weights: np.ndarray | None) -> np.ndarray:
    """The learned weights, unless they are fixed; of mean 1."""
    return learned if fixed_weights is None else fixed_weights / fixed_weights.mean()


def _with_unit_margin(mapping: np.ndarray, view: UnitRows, n_neighbors: int) -> np.ndarray:
    """The map scaled so that the mean ``r_i`` is 1, which gives the codes of all views and the consensus the same unit."""
    mapping = mapping.astype(np.float32)
    if is_tensor(view.scale):
        strengths = strongest_anchors(view.codes(beside(view.scale, mapping)), n_neighbors)[1]
        return _divided(mapping, float(array_namespace(strengths).sum(strengths)), view)

    def part(rows: slice, _: object) -> tuple[float]:
        return (float(strongest_anchors(view[rows].codes(mapping), n_neighbors)[1].sum(dtype=float)),)

    (total,) = for_each(part, spans(len(view), _BLOCK))
    return _divided(mapping, total, view)


def _divided(mapping: np.ndarray, total: float, view: UnitRows) -> np.ndarray:
    """The map divided by the mean ``r_i``, given their sum."""
    present = int(np.count_nonzero(to_host(view.scale)))
    return mapping / np.float32(total / present) if total > 0 else mapping
