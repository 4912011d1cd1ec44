"""What the report says, as numbers and names: computed here, worded and drawn elsewhere."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.cluster import contingency_matrix

from .._utils.disk import read_rows
from ..exceptions import ViewfuseWarning
from ..linalg import Laplacian, assign_clusters, smallest_eigenpairs, unit_rows
from ..metrics import ari, evaluate
from ..views import Views
from .layouts import drawn_samples, runner_up

__all__ = [
    "Agreement",
    "BorderSample",
    "Cluster",
    "Confusion",
    "Feature",
    "agreement",
    "border_samples",
    "clusters",
    "confusion",
]

_MOST_FOR_FEATURES = 20_000
_MOST_BORDER_SAMPLES = 15
_LEAST_EFFECT = 0.5  # standard deviations; below it a feature does not set a cluster apart


@dataclass(frozen=True)
class Feature:
    """A feature that a cluster is high or low in: ``(mean inside − mean outside) / standard deviation``."""

    view: str
    name: str
    effect: float


@dataclass(frozen=True)
class Cluster:
    """One cluster: how large, how sure, and its features by view, the most telling first."""

    label: int
    size: int
    share: float
    confidence: float | None
    features: dict[str, tuple[Feature, ...]]

    def most_telling(self, count: int) -> list[Feature]:
        every = [feature for features in self.features.values() for feature in features]
        return sorted(every, key=lambda feature: -abs(feature.effect))[:count]


@dataclass(frozen=True)
class Agreement:
    """ARI between what every two views say alone, and what came out of all of them; on the samples drawn."""

    names: tuple[str, ...]
    values: np.ndarray

    def alone(self) -> dict[str, float]:
        """How well each view, alone, agrees with the result."""
        return dict(zip(self.names[:-1], self.values[-1, :-1].tolist(), strict=True))

    def worst_pair(self) -> tuple[str, str, float] | None:
        """The two views that contradict each other most, if any do."""
        views = self.values[:-1, :-1]
        if views.min() > 0.99:
            return None
        first, second = np.unravel_index(np.where(np.eye(len(views), dtype=bool), np.inf, views).argmin(), views.shape)
        return self.names[first], self.names[second], float(views[first, second])


@dataclass(frozen=True)
class BorderSample:
    """A sample that another cluster has almost as strong a claim to."""

    row: int
    name: str
    cluster: int
    runner_up: int | None
    confidence: float


@dataclass(frozen=True)
class Confusion:
    """Scores against known labels, and how many samples of each class lie in each cluster.

    Classes are in the order of the clusters that hold most of them, so that the counts gather around the diagonal.
    """

    scores: dict[str, float]
    classes: tuple[str, ...]
    clusters: tuple[int, ...]
    counts: np.ndarray


def clusters(labels: np.ndarray, confidence: np.ndarray | None, views: Views | None) -> list[Cluster]:
    """The clusters, in the order of their numbers."""
    found, sizes = np.unique(labels, return_counts=True)
    by_view = {} if views is None else distinguishing_features(labels, views, found)
    return [
        Cluster(
            label=int(label),
            size=int(size),
            share=float(size / len(labels)),
            confidence=None if confidence is None else float(np.median(confidence[labels == label])),
            features={view: features[place] for view, features in by_view.items()},
        )
        for place, (label, size) in enumerate(zip(found, sizes, strict=True))
    ]


def distinguishing_features(
    labels: np.ndarray, views: Views, found: np.ndarray, *, count: int = 4
) -> dict[str, list[tuple[Feature, ...]]]:
    """For each view, each cluster's features with the largest standardised difference between inside and outside."""
    rows = drawn_samples(labels, _MOST_FOR_FEATURES)
    telling: dict[str, list[tuple[Feature, ...]]] = {}
    for v, name in enumerate(views.names):
        effects = _effects(read_rows(views.arrays[v], rows), np.asarray(labels)[rows], found)
        telling[name] = [_largest(row, name, views.feature_names[v], count) for row in effects]
    return telling


def _effects(view: Any, labels: np.ndarray, found: np.ndarray) -> np.ndarray:
    """(clusters, features): mean inside less mean outside, over the standard deviation of all."""
    values: Any = view.astype(float) if sp.issparse(view) else np.asarray(view, dtype=float)
    if not sp.issparse(values):
        whole = np.isfinite(values).all(axis=1)
        values, labels = values[whole], labels[whole]
    members = sp.csr_array((labels[None, :] == found[:, None]).astype(float))
    sizes = np.asarray(members.sum(axis=1)).ravel()[:, None]
    sums = members @ values
    sums = sums.toarray() if sp.issparse(sums) else np.asarray(sums)
    n, total = len(labels), sums.sum(axis=0)
    squares = values.multiply(values).sum(axis=0) if sp.issparse(values) else (values * values).sum(axis=0)
    spread = np.sqrt(np.maximum(np.asarray(squares).ravel() / max(n, 1) - (total / max(n, 1)) ** 2, 0))
    inside, outside = sums / np.maximum(sizes, 1), (total - sums) / np.maximum(n - sizes, 1)
    varies = spread > 1e-12 * np.abs(total / max(n, 1)).max(initial=1e-300)
    return np.where(varies, (inside - outside) / np.where(varies, spread, 1), 0.0)


def _largest(effects: np.ndarray, view: str, names: np.ndarray | None, count: int) -> tuple[Feature, ...]:
    best = np.argsort(-np.abs(effects), kind="stable")[:count]
    return tuple(
        Feature(view, f"column {f}" if names is None else str(names[f]), float(effects[f]))
        for f in best
        if abs(effects[f]) >= _LEAST_EFFECT
    )


def agreement(labels: np.ndarray, names: Sequence[str], graphs: Sequence[np.ndarray]) -> Agreement:
    """Each view's graph of the samples drawn is cut alone; ``labels`` are those samples' in the result."""
    k = np.unique(labels).size
    alone = [_cut(graph, k) for graph in graphs]
    everyone = [*alone, np.asarray(labels)]
    values = np.array([[ari(one, other) for other in everyone] for one in everyone])
    return Agreement((*names, "all views fused"), values)


def _cut(graph: np.ndarray, k: int) -> np.ndarray:
    rng = np.random.RandomState(0)
    if not 1 < k < len(graph):
        return np.zeros(len(graph), dtype=int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ViewfuseWarning)  # a view that says nothing alone is what this looks for
        pairs = smallest_eigenpairs(Laplacian.of(graph, normalized=True), k, tol=1e-3, random_state=rng)
        return assign_clusters(np.asarray(unit_rows(pairs.vectors)), k, n_init=3, random_state=rng)


def border_samples(
    labels: np.ndarray, confidence: np.ndarray | None, embedding: Any, names: Sequence[str]
) -> list[BorderSample]:
    """The samples whose clusters are least sure, the least sure first."""
    if confidence is None:
        return []
    rows = np.argsort(confidence, kind="stable")[:_MOST_BORDER_SAMPLES]
    others = None if embedding is None else runner_up(np.asarray(embedding), labels)
    return [
        BorderSample(
            row=int(row),
            name=names[row],
            cluster=int(labels[row]),
            runner_up=None if others is None or others[row] == labels[row] else int(others[row]),
            confidence=float(confidence[row]),
        )
        for row in rows
    ]


def confusion(truth: np.ndarray | None, labels: np.ndarray) -> Confusion | None:
    if truth is None:
        return None
    classes, found = np.unique(truth), np.unique(labels)
    counts = np.asarray(contingency_matrix(truth, labels))
    order = np.argsort(counts.argmax(axis=1), kind="stable")
    return Confusion(
        scores=evaluate(truth, labels),
        classes=tuple(str(c) for c in classes[order]),
        clusters=tuple(int(c) for c in found),
        counts=counts[order],
    )
