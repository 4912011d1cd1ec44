"""The neighbour graphs of a fit's data before any cut: of each view, and of the views that the fit used together.

They are made from the views alone, as AutoFusion makes the graphs that it cuts: each view is measured in the way that suits
its values, and each sample is connected to its nearest samples. No label and no cut enters, so a picture that is drawn from
them shows clusters only if the data has them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import TruncatedSVD
from sklearn.metrics import silhouette_samples
from sklearn.neighbors import NearestNeighbors

from .._utils.device import to_host
from ..cluster.auto.canonical import unit
from ..cluster.auto.measure import Measure, measured_samples
from ..graphs import Samples
from ..graphs.nearest import neighbor_graph
from ..graphs.relations import RelationPoints
from ..linalg import GroupedSearch, unit_rows
from ..linalg.sparse_cut import normalized_graph
from ..views import RELATIONS, Views
from .layouts import drawn_samples

__all__ = [
    "Neighborhoods",
    "has_relations",
    "nearest_rows",
    "nearest_samples",
    "neighborhoods_of_embedding",
    "neighborhoods_of_views",
    "samples_of",
]

_MOST_WHOLE = 5_000  # samples whose neighbours are searched for in all columns; of more, in the main directions
_MOST_DIRECTIONS = 50
_MOST_IN_SILHOUETTE = 2_000
_PLACED_AMONG = 3  # mapped samples
_MOST_SEARCHED = 20_000  # samples, all of which are compared with others; of more, those in the nearest groups
_GROUPS_LOOKED_IN = 6
_ROWS_AT_A_TIME = 65_536
_STRONGEST = 15  # edges that are kept of each sample of a given graph


@dataclass(frozen=True, eq=False)
class Neighborhoods:
    """Neighbour graphs of some samples.

    Attributes
    ----------
    fused : (n, n) sparse array, the graph of the views that were used, together
    views : dict of (n, n) sparse arrays, the graph of each view alone
    plane : (n, 2) array or None, the principal plane of the views that were used
    points : (n, p) array or None, the views that were used side by side, in which the neighbours were found
    before_cut : bool
        False if there was nothing but the embedding to make the graph from: the cut has shaped it.
    """

    fused: sp.csr_array
    views: dict[str, sp.csr_array]
    plane: np.ndarray | None = None
    points: np.ndarray | None = None
    before_cut: bool = True

    def share_inside(self, graph: sp.csr_array, labels: np.ndarray) -> np.ndarray:
        """(n,) share of each sample's edges, by weight, that lead to its own cluster; 0 for a sample without edges."""
        edges = graph.tocoo()
        same = np.bincount(edges.row, edges.data * (labels[edges.row] == labels[edges.col]), minlength=len(labels))
        degree = np.asarray(graph.sum(axis=1)).ravel()
        return np.asarray(same / np.where(degree > 0, degree, 1))

    def distances(self) -> sp.csr_array:
        """The distances between the neighbours in ``fused``; without points, ``√(−log(a / max a))`` of edge weights a."""
        edges = self.fused.tocoo()
        if self.points is None:
            found = np.sqrt(-np.log(np.maximum(edges.data / edges.data.max(initial=1e-300), 1e-300)))
        else:
            found = np.linalg.norm(self.points[edges.row] - self.points[edges.col], axis=1)
        # An edge of length 0 would vanish from a sparse matrix.
        return sp.csr_array((np.maximum(found, 1e-12), (edges.row, edges.col)), shape=self.fused.shape)

    def silhouettes(self, labels: np.ndarray) -> dict[int, float]:
        """Mean silhouette of each cluster in the data, from at most 2,000 samples; empty without the points."""
        rows = drawn_samples(labels, _MOST_IN_SILHOUETTE)
        found = np.unique(labels[rows])
        if self.points is None or not 1 < found.size < len(rows):
            return {}
        values = silhouette_samples(self.points[rows], labels[rows])
        return {int(cluster): float(values[labels[rows] == cluster].mean()) for cluster in found}

    def centrality(self, labels: np.ndarray) -> np.ndarray:
        """(n,) how much each sample shares its neighbours with samples of its own cluster: large in its middle."""
        edges = normalized_graph(self.fused).tocoo()
        same = labels[edges.row] == labels[edges.col]
        within = sp.csr_array((edges.data[same], (edges.row[same], edges.col[same])), shape=self.fused.shape)
        return np.asarray(within @ (within @ (within @ np.ones(len(labels)))))

    def shared(self, graph: sp.csr_array, rows: np.ndarray) -> np.ndarray:
        """Edges and shared neighbours among some samples, (rows, rows): a few rows of a sparse graph have few edges."""
        some = normalized_graph(graph)[rows]
        return np.asarray((some[:, rows] + some @ some.T).toarray(), dtype=float)


def neighborhoods_of_views(
    views: Views, rows: np.ndarray, *, used: Sequence[int], weights: np.ndarray | None, precomputed: bool
) -> Neighborhoods:
    """The graphs of these rows of the data.

    Parameters
    ----------
    used : positions of the views in the joint graph
    weights : (n_views,) array or None, by which squared distances of the joint graph are multiplied
    precomputed : bool, whether the views are graphs themselves
    """
    if precomputed or has_relations(views):
        return _of_mixture(views, rows, used, weights, precomputed)
    samples = samples_of(views, rows)
    points = [_main_directions(view) * _factor(weights, v, used) for v, view in enumerate(samples.points)]
    samples = Samples(tuple(points), samples.present)
    together = samples.of_views(used)
    joint = together.joint()
    graphs = {name: _graph_among(points[v], samples.rows()[v]) for v, name in enumerate(views.names)}
    return Neighborhoods(together.joint_graph(), graphs, _principal_plane(joint), joint)


def samples_of(views: Views, rows: np.ndarray) -> Samples:
    """Points of these rows of the data, each view measured as suits its values."""
    arrays, present = _arrays(views, rows)
    units = [unit(array) for array in arrays]
    return measured_samples([array / size for array, size in zip(arrays, units, strict=True)], present, _encoded(views))


def nearest_samples(
    views: Views, mapped: np.ndarray, rest: np.ndarray, *, used: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """For each of the rows ``rest`` of the data, the nearest samples in ``mapped``: places and distances, (rest, 3) each."""
    arrays, present = _arrays(views, mapped)
    units = [unit(array) for array in arrays]
    scaled = [array / size for array, size in zip(arrays, units, strict=True)]
    measure, _ = Measure.learn(scaled, present, _encoded(views))
    reference = measure(scaled, present)
    nearest = _search(np.hstack([reference[v] for v in used]))
    places, distances = [], []
    for start in range(0, len(rest), _ROWS_AT_A_TIME):
        arrays, present = _arrays(views, rest[start : start + _ROWS_AT_A_TIME])
        scaled = [array / size for array, size in zip(arrays, units, strict=True)]
        points = measure(scaled, present, reference)
        distance, place = nearest(np.hstack([points[v] for v in used]))
        places.append(place)
        distances.append(distance)
    return np.concatenate(places), np.concatenate(distances)


def nearest_rows(embedding: np.ndarray, mapped: np.ndarray, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same by the rows of an embedding, for want of the data."""
    points = np.asarray(unit_rows(np.asarray(embedding, dtype=float)))
    distance, place = _search(points[mapped])(points[rest])
    return np.asarray(place), np.asarray(distance)


def _search(points: np.ndarray) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """A function from other points to the distances and the places of the nearest of these points."""
    count = min(_PLACED_AMONG, len(points))
    if len(points) <= _MOST_SEARCHED:
        exact = NearestNeighbors(n_neighbors=count).fit(points)
        return lambda others: exact.kneighbors(others)
    grouped = GroupedSearch(points, _GROUPS_LOOKED_IN, np.random.RandomState(0))
    return lambda others: grouped.nearest(others, count)


def _encoded(views: Views) -> list[bool]:
    """Which views are encoded tables."""
    return [views.is_encoded(v) for v in range(views.n_views)]


def _arrays(views: Views, rows: np.ndarray) -> tuple[list[Any], np.ndarray | None]:
    """These rows of the views in main memory, and which of them are present."""
    arrays, present = views[rows].incomplete_arrays()
    return [array if sp.issparse(array) else to_host(array).astype(float) for array in arrays], present


def neighborhoods_of_embedding(embedding: np.ndarray) -> Neighborhoods:
    """The graph of the embedding of a fit, for want of the data."""
    points = np.asarray(unit_rows(np.asarray(embedding, dtype=float)))
    return Neighborhoods(neighbor_graph(points), {}, _principal_plane(points), points, before_cut=False)


def has_relations(views: Views) -> bool:
    """Whether some view holds relations between samples and not their features."""
    return any(kind in RELATIONS for kind in views.kinds)


def _of_mixture(
    views: Views, rows: np.ndarray, used: Sequence[int], weights: np.ndarray | None, precomputed: bool
) -> Neighborhoods:
    """Graphs of graphs, kernels, distances and features: fused, they are the weighted sum of the normalized graphs."""
    graphs = {}
    for v, name in enumerate(views.names):
        kind = "graph" if precomputed else views.kinds[v]
        if kind in RELATIONS:
            graphs[name] = _graph_of_relation(views.arrays[v][rows][:, rows], kind)
        else:
            alone = samples_of(views.select_views([v]), rows)
            graphs[name] = _graph_among(_main_directions(alone.points[0]), alone.rows()[0])
    parts = [normalized_graph(graphs[views.names[v]]) * _factor(weights, v, used) ** 2 for v in used]
    return Neighborhoods(sp.csr_array(sum(parts[1:], parts[0])), graphs)


def _graph_of_relation(relation: Any, kind: str) -> sp.csr_array:
    if kind == "graph":
        return _strongest(relation)
    return neighbor_graph(RelationPoints.learn(relation, kind, np.random.RandomState(0))(relation))


def _factor(weights: np.ndarray | None, view: int, used: Sequence[int]) -> float:
    if weights is None or view not in used:
        return 1.0
    mean = float(np.mean([weights[v] for v in used]))
    return float(np.sqrt(weights[view] / mean)) if mean > 0 else 1.0


def _graph_among(points: np.ndarray, rows: np.ndarray) -> sp.csr_array:
    """The graph of the samples that are present in the view; the others have no edges."""
    n = len(points)
    if rows.size < 2:
        return sp.csr_array((n, n))
    graph = neighbor_graph(points[rows]).tocoo()
    return sp.csr_array((graph.data, (rows[graph.row], rows[graph.col])), shape=(n, n))


def _strongest(graph: Any) -> sp.csr_array:
    """The strongest edges of each sample of a given graph, symmetric, without self-loops."""
    held = sp.csr_array(graph, dtype=float)
    held = sp.csr_array((held + held.T) / 2)
    held.setdiag(0)
    held.eliminate_zeros()
    kept = []
    for row in range(held.shape[0]):
        span = np.arange(held.indptr[row], held.indptr[row + 1])
        kept.append(span[np.argsort(-held.data[span], kind="stable")[:_STRONGEST]])
    edges = np.concatenate(kept)
    rows = np.repeat(np.arange(held.shape[0]), [len(some) for some in kept])
    graph = sp.csr_array((held.data[edges], (rows, held.indices[edges])), shape=held.shape)
    return sp.csr_array(graph.maximum(graph.T))


def _main_directions(points: np.ndarray) -> np.ndarray:
    if len(points) <= _MOST_WHOLE or points.shape[1] <= _MOST_DIRECTIONS:
        return points
    return np.asarray(TruncatedSVD(_MOST_DIRECTIONS, random_state=0).fit_transform(points - points.mean(axis=0)))


def _principal_plane(points: np.ndarray) -> np.ndarray:
    """The first two principal components, (n, 2)."""
    centred = points - points.mean(axis=0)
    if centred.shape[1] < 2:
        return np.column_stack([centred, np.zeros((len(centred), 2 - centred.shape[1]))])
    if min(centred.shape) > 100:
        plane = TruncatedSVD(2, random_state=0).fit_transform(centred)
    else:
        left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
        plane = left[:, :2] * sizes[:2]
    if plane.shape[1] < 2:
        plane = np.column_stack([plane, np.zeros(len(plane))])
    plane = plane * np.where(plane[np.abs(plane).argmax(axis=0), [0, 1]] < 0, -1, 1)
    return np.asarray(plane / max(float(np.sqrt(np.mean(plane**2))), 1e-300))
