"""What sets clusters apart: the features in which a cluster differs from all other samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._utils.row_blocks import read_rows
from ..views import Views
from .layouts import drawn_samples

__all__ = ["Cluster", "Feature", "describe_clusters", "distinguishing_features"]

_MIN_EFFECT = 0.5  # standard deviations; a feature with a smaller effect does not set a cluster apart


@dataclass(frozen=True)
class Feature:
    """A feature with a high or low mean in a cluster: ``effect = (mean inside − mean outside) / standard deviation``."""

    view: str
    name: str
    effect: float


@dataclass(frozen=True)
class Cluster:
    """One cluster: its size, its median confidence, and its distinguishing features by view, largest effect first."""

    label: int
    size: int
    share: float
    confidence: float | None
    features: dict[str, tuple[Feature, ...]]

    def top_features(self, count: int) -> list[Feature]:
        """The features with the largest effects in any view."""
        every = [feature for features in self.features.values() for feature in features]
        return sorted(every, key=lambda feature: -abs(feature.effect))[:count]


def describe_clusters(labels: np.ndarray, confidence: np.ndarray | None, views: Views | None) -> tuple[Cluster, ...]:
    """The clusters in the order of their labels; without ``views`` they have no features."""
    found, sizes = np.unique(labels, return_counts=True)
    by_view = {} if views is None else distinguishing_features(labels, views, found)
    return tuple(
        Cluster(
            label=int(label),
            size=int(size),
            share=float(size / len(labels)),
            confidence=None if confidence is None else float(np.median(confidence[labels == label])),
            features={view: features[place] for view, features in by_view.items()},
        )
        for place, (label, size) in enumerate(zip(found, sizes, strict=True))
    )


def distinguishing_features(
    labels: np.ndarray, views: Views, found: np.ndarray, *, count: int = 4, most_samples: int = 20_000
) -> dict[str, list[tuple[Feature, ...]]]:
    """For each view and each cluster, the ``count`` features with the largest effects, from at most ``most_samples``."""
    rows = drawn_samples(labels, most_samples)
    by_view: dict[str, list[tuple[Feature, ...]]] = {}
    for v, name in enumerate(views.names):
        effects = _effects(read_rows(views.readable(v), rows), np.asarray(labels)[rows], found)
        by_view[name] = [_largest(row, name, views.feature_names[v], count) for row in effects]
    return by_view


def _effects(view: Any, labels: np.ndarray, found: np.ndarray) -> np.ndarray:
    """(clusters, features): mean inside minus mean outside, divided by the standard deviation of all samples."""
    values: Any = view.astype(float) if sp.issparse(view) else np.asarray(view, dtype=float)
    if not sp.issparse(values):
        complete = np.isfinite(values).all(axis=1)
        values, labels = values[complete], labels[complete]
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
        if abs(effects[f]) >= _MIN_EFFECT
    )
