"""How well a clustering predicts what it was not made from, in every view, without labels.

Part of each view is held out: 30 % of the columns of a feature view, 30 % of the edges of a graph. The indicators of a
variable's categories are held out together, and a single column is not held out. Clusters are made from the rest. Their
score in a view is the mutual information (in nats) between the cluster of a sample and the cluster that the held-out part
predicts for it: by ridge regression on the held-out columns, out of fold, or by a vote of the neighbours along held-out
edges. Noise cannot be predicted, so a clustering of noise has score 0, however well it fits the noise.

Where samples that share an author or a subject are connected, or those that are near each other, most neighbours of a sample
are neighbours themselves. What is held out of such a graph is in the rest: any clusters that keep these groups together
predict the edges inside them, whichever groups they join. So if most held-out edges connect samples with common neighbours,
beyond chance, all edges of 30 % of the samples are held out instead. Their clusters are made from the other views, and the
score in the graph is that of these samples. If the other views say nothing of them, this cannot be done, and edges are held
out of such a graph too.

The score of a clustering is ``Σ_v log(1 + I_v/0.02)``. The logarithm rewards agreement with several views: one view that is
clearer than the truth, such as a graph of cliques with clusters of its own, does not outweigh the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from .features import Coordinates

__all__ = ["MOST_REPEATED", "SAYS_SOMETHING", "HeldOut", "mutual_information", "noise_level", "repeated", "total_score"]

SAYS_SOMETHING = 0.02  # nats of a view that clusters predict
_SHARE = 0.3
_FOLDS = 5
MOST_REPEATED = 0.5  # of the held-out edges
_MOST_LOOKED_AT = 1_000  # edges
_MOST_INDICATORS = 2_000  # columns that are compared with each other
_RIDGE = 0.01  # of the mean eigenvalue


@dataclass(frozen=True)
class HeldOut:
    """Views without the part that is held out, and that part.

    Attributes
    ----------
    features : tuple of (n, r_v) arrays, coordinates
    directions : tuple of bool, whether only the direction of a sample counts in a feature view
    graphs : tuple of (n, n) sparse arrays
    """

    features: tuple[np.ndarray, ...]
    directions: tuple[bool, ...]
    graphs: tuple[sp.csr_array, ...]
    _predictors: tuple[_Ridge, ...]
    _held_graphs: tuple[sp.csr_array, ...]

    @classmethod
    def split(
        cls,
        features: Sequence[Any],
        graphs: Sequence[sp.csr_array],
        random_state: np.random.RandomState,
        encoded: Sequence[bool] | None = None,
        *,
        whole_samples: bool = True,
    ) -> HeldOut:
        """Hold out a random part of each view.

        ``encoded`` marks feature views that are encoded tables. With ``whole_samples`` all edges of some samples are held
        out of graphs whose edges repeat each other.
        """
        kept, directions, predictors = [], [], []
        encoded = [False] * len(features) if encoded is None else encoded
        for view, done in zip(features, encoded, strict=True):
            mine, theirs = _split_columns(view, random_state, done)
            coordinates = Coordinates.learn(mine, random_state, encoded=done)
            kept.append(coordinates(mine))
            directions.append(coordinates.are_directions)
            held = Coordinates.learn(theirs, random_state, encoded=done)
            predictors.append(_Ridge.of(held(theirs), random_state))
        halves = [_split_graph(graph, random_state, whole_samples) for graph in graphs]
        return cls(
            tuple(kept), tuple(directions), tuple(a for a, _ in halves), tuple(predictors), tuple(b for _, b in halves)
        )

    def parts(self, labels: np.ndarray, n_clusters: int) -> np.ndarray:
        """The score in each feature view, then in each graph."""
        own = np.eye(n_clusters)[labels]
        found = [mutual_information(labels, one.predict(own), n_clusters) for one in self._predictors]
        for graph in self._held_graphs:
            rows = _connected(graph)
            found.append(mutual_information(labels[rows], votes(graph, own)[rows], n_clusters) if rows.size else 0.0)
        return np.array(found)

    def noise(self, n_clusters: int) -> np.ndarray:
        """What the scores do not exceed by chance, in each feature view, then in each graph."""
        numbers = [len(part) for part in self.features] + [_connected(graph).size for graph in self._held_graphs]
        return np.array([noise_level(number, n_clusters) for number in numbers])

    def score(self, labels: np.ndarray, n_clusters: int) -> float:
        return total_score(self.parts(labels, n_clusters))


def total_score(parts: np.ndarray) -> float:
    """The score of a clustering from those in each view."""
    return float(np.log1p(parts / SAYS_SOMETHING).sum())


def mutual_information(labels: np.ndarray, predicted: np.ndarray, n_clusters: int) -> float:
    """Mutual information of two labelings, less what chance gives, ``(k − 1)²/2n``; at least 0."""
    joint = np.zeros((n_clusters, n_clusters))
    np.add.at(joint, (labels, predicted), 1 / len(labels))
    expected = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    filled = joint > 0
    found = float(np.sum(joint[filled] * np.log(joint[filled] / expected[filled])))
    return max(found - (n_clusters - 1) ** 2 / (2 * len(labels)), 0.0)


def noise_level(n_samples: int, n_clusters: int) -> float:
    """What mutual information, less its mean, does not exceed by chance: four standard deviations of ``χ²/2n``."""
    return 4 * np.sqrt(2) * (n_clusters - 1) / (2 * max(n_samples, 1))


def votes(graph: sp.csr_array, own: np.ndarray) -> np.ndarray:
    """The cluster that the neighbours of each sample are in most often, relative to its size; own is (n, k), one-hot."""
    unit = float(graph.data.mean()) if graph.nnz else 1.0
    shares = own.mean(axis=0)
    return np.asarray(((graph @ own) / unit + shares) / np.maximum(shares, 1e-9)).argmax(axis=1)


@dataclass(frozen=True)
class _Ridge:
    """Ridge regression of indicators on points, out of fold: each fold is predicted from the others."""

    points: np.ndarray
    fold: np.ndarray
    inverses: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, points: np.ndarray, random_state: np.random.RandomState) -> _Ridge:
        points = np.asarray(points, dtype=np.float64)
        fold = random_state.randint(_FOLDS, size=len(points))
        inverses = []
        for f in range(_FOLDS):
            others = points[fold != f]
            gram = others.T @ others
            shift = _RIDGE * np.trace(gram) / len(gram) or 1.0
            inverses.append(np.linalg.inv(gram + shift * np.eye(len(gram))))
        return cls(points, fold, tuple(inverses))

    def predict(self, own: np.ndarray) -> np.ndarray:
        shares = own.mean(axis=0)
        centred = own - shares
        predicted = np.empty(len(own), dtype=int)
        for f, inverse in enumerate(self.inverses):
            inside = self.fold == f
            slopes = inverse @ (self.points[~inside].T @ centred[~inside])
            predicted[inside] = (self.points[inside] @ slopes / np.sqrt(np.maximum(shares, 1e-9))).argmax(axis=1)
        return predicted


def _split_columns(view: Any, random_state: np.random.RandomState, encoded: bool) -> tuple[Any, Any]:
    """A view without the columns that are held out, and these; a single column cannot be held out."""
    variables = _variables(view) if encoded else np.arange(view.shape[1])
    if (count := variables.max() + 1) < 2:
        return view, view
    chosen = random_state.random_sample(count) < _SHARE
    if chosen.all() or not chosen.any():  # of few variables
        chosen = np.arange(count) == random_state.randint(count)
    held = chosen[variables]
    by_column = view.tocsc() if sp.issparse(view) else view
    mine, theirs = by_column[:, ~held], by_column[:, held]
    return (mine.tocsr(), theirs.tocsr()) if sp.issparse(view) else (mine, theirs)


def _variables(table: np.ndarray) -> np.ndarray:
    """Which variable each column of an encoded table belongs to: indicators of categories of one exclude each other."""
    least, most = table.min(axis=0), table.max(axis=0)
    indicators = np.flatnonzero(((table == least) | (table == most)).all(axis=0) & (least < most))
    variables = np.arange(table.shape[1])
    if 1 < indicators.size <= _MOST_INDICATORS:
        present = (table > least)[:, indicators].astype(np.float32)
        apart = sp.csr_array(present.T @ present == 0)
        variables[indicators] = table.shape[1] + connected_components(apart, directed=False)[1]
    return np.asarray(np.unique(variables, return_inverse=True)[1])


def _connected(graph: sp.csr_array) -> np.ndarray:
    """The samples that edges start from."""
    return np.flatnonzero(np.diff(graph.indptr))


def _split_graph(
    graph: sp.csr_array, random_state: np.random.RandomState, whole_samples: bool
) -> tuple[sp.csr_array, sp.csr_array]:
    """A graph without what is held out of it, and that: edges, or all edges of some samples."""
    kept, held = _split_edges(graph, random_state)
    if not whole_samples or repeated(kept, held) <= MOST_REPEATED:
        return kept, held
    return _split_samples(graph, random_state)


def repeated(kept: sp.csr_array, held: sp.csr_array, labels: np.ndarray | None = None) -> float:
    """How much of the held-out edges the others repeat, from 0 to 1.

    The mean of ``(1 − c₀/c)₊`` over held-out edges, with ``c`` the number of common neighbours of their ends and ``c₀`` the
    mean of that of ends of different edges; 0 for an edge without common neighbours. With labels, of ends of different edges
    between the same clusters.
    """
    edges = sp.triu(held).tocoo()
    some = np.random.RandomState(0).permutation(edges.nnz)[:_MOST_LOOKED_AT]
    if some.size < 2:
        return 0.0
    present = sp.csr_array((np.ones(kept.nnz), kept.indices, kept.indptr), shape=kept.shape)

    def common(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return np.asarray(present[one].multiply(present[other]).sum(axis=1)).ravel()

    starts, ends = edges.row[some], edges.col[some]
    found, expected = common(starts, ends), np.empty(some.size)
    for of_kind in _by_kind(starts, ends, labels):
        expected[of_kind] = common(starts[of_kind], np.roll(ends[of_kind], 1)).mean()
    return float(np.mean(np.maximum(1 - expected / np.maximum(found, 1), 0) * (found > 0)))


def _by_kind(starts: np.ndarray, ends: np.ndarray, labels: np.ndarray | None) -> list[np.ndarray]:
    """The positions of the edges between the same two clusters."""
    if labels is None:
        return [np.arange(len(starts))]
    kinds = np.unique(np.column_stack([labels[starts], labels[ends]]), axis=0, return_inverse=True)[1].ravel()
    return [np.flatnonzero(kinds == kind) for kind in range(kinds.max() + 1)]


def _split_samples(graph: sp.csr_array, random_state: np.random.RandomState) -> tuple[sp.csr_array, sp.csr_array]:
    """The edges between the samples that are kept, and those from the others to them."""
    held = random_state.random_sample(graph.shape[0]) < _SHARE
    kept, asked = (sp.diags_array(mask.astype(float)) for mask in (~held, held))
    among_kept, from_asked = sp.csr_array(kept @ graph @ kept), sp.csr_array(asked @ graph @ kept)
    for part in (among_kept, from_asked):
        part.eliminate_zeros()
    return among_kept, from_asked


def _split_edges(graph: sp.csr_array, random_state: np.random.RandomState) -> tuple[sp.csr_array, sp.csr_array]:
    upper = sp.triu(graph).tocoo()
    held = random_state.random_sample(upper.nnz) < _SHARE

    def some(mask: np.ndarray) -> sp.csr_array:
        half = sp.csr_array((upper.data[mask], (upper.row[mask], upper.col[mask])), shape=graph.shape)
        return sp.csr_array(half + half.T)

    return some(~held), some(held)
