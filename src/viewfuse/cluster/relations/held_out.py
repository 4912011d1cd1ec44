"""How well a clustering predicts what it was not made from, in every view, without labels.

Part of each view is held out: 30 % of the columns of a feature view, 30 % of the edges of a graph. Clusters are made from
the rest. Their score in a view is the mutual information (in nats) between the cluster of a sample and the cluster that the
held-out part predicts for it: by ridge regression on the held-out columns, out of fold, or by a vote of the neighbours along
held-out edges. Noise cannot be predicted, so a clustering of noise has score 0, however well it fits the noise.

The score of a clustering is ``Σ_v log(1 + I_v/0.02)``. The logarithm rewards agreement with several views: one view that is
clearer than the truth, such as a graph of cliques with clusters of its own, does not outweigh the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from .features import Coordinates

__all__ = ["SAYS_SOMETHING", "HeldOut", "mutual_information", "noise_level", "total_score"]

SAYS_SOMETHING = 0.02  # nats of a view that clusters predict
_SHARE = 0.3
_FEWEST_COLUMNS = 50  # a view of fewer columns is not split
_FOLDS = 5
_RIDGE = 0.01  # of the mean eigenvalue


@dataclass(frozen=True)
class HeldOut:
    """Views without the part that is held out, and that part.

    Attributes
    ----------
    features : tuple of (n, r_v) arrays, coordinates
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
    ) -> HeldOut:
        """Hold out a random part of each view; ``encoded`` marks feature views that are encoded tables."""
        kept, directions, predictors = [], [], []
        encoded = [False] * len(features) if encoded is None else encoded
        for view, done in zip(features, encoded, strict=True):
            mine, theirs = _split_columns(view, random_state)
            coordinates = Coordinates.learn(mine, random_state, encoded=done)
            kept.append(coordinates(mine))
            directions.append(coordinates.are_directions)
            held = Coordinates.learn(theirs, random_state, encoded=done)
            predictors.append(_Ridge.of(held(theirs), random_state))
        halves = [_split_edges(graph, random_state) for graph in graphs]
        return cls(
            tuple(kept), tuple(directions), tuple(a for a, _ in halves), tuple(predictors), tuple(b for _, b in halves)
        )

    def parts(self, labels: np.ndarray, n_clusters: int) -> np.ndarray:
        """The score in each feature view, then in each graph."""
        own = np.eye(n_clusters)[labels]
        found = [mutual_information(labels, one.predict(own), n_clusters) for one in self._predictors]
        found += [mutual_information(labels, votes(graph, own), n_clusters) for graph in self._held_graphs]
        return np.array(found)

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
    return 4 * np.sqrt(2) * (n_clusters - 1) / (2 * n_samples)


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


def _split_columns(view: Any, random_state: np.random.RandomState) -> tuple[Any, Any]:
    if view.shape[1] < _FEWEST_COLUMNS:
        return view, view
    held = random_state.random_sample(view.shape[1]) < _SHARE
    by_column = view.tocsc() if sp.issparse(view) else view
    mine, theirs = by_column[:, ~held], by_column[:, held]
    return (mine.tocsr(), theirs.tocsr()) if sp.issparse(view) else (mine, theirs)


def _split_edges(graph: sp.csr_array, random_state: np.random.RandomState) -> tuple[sp.csr_array, sp.csr_array]:
    upper = sp.triu(graph).tocoo()
    held = random_state.random_sample(upper.nnz) < _SHARE

    def some(mask: np.ndarray) -> sp.csr_array:
        half = sp.csr_array((upper.data[mask], (upper.row[mask], upper.col[mask])), shape=graph.shape)
        return sp.csr_array(half + half.T)

    return some(~held), some(held)
