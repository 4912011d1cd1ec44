"""The joint neighbour graph of several views and its cut, and the views that blur it.

If clusters are plain, the joint graph almost falls apart into k pieces, and the relative eigengap ``1 − λ_k/λ_{k+1}`` is
near 1. A view of noise, or one with clusters of its own, connects the pieces or divides them further. It is found by its
effect: without it the gap is clear. This costs one more spectrum per view, and only if the gap is not certain already.

A view is only left out if its neighbours know nothing of the clusters that the other views have together, and if the joint
graph has a clearer gap, or no less structure, without it. Either alone would not do: views that complement each other know
nothing of each other's clusters either, and leaving out any view may look better by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ...graphs.nearest import Neighbors
from ...linalg import assign_clusters, unit_rows
from ...linalg.sparse_cut import Spectrum, spectrum
from .samples import Samples

__all__ = ["NO_STRUCTURE", "JointCut", "clearest_cut", "cut_at", "is_balanced", "neighbors_inside", "ratio_to_null"]

CLEAR_GAP = 0.4  # λ_k below 60 % of λ_{k+1}
NO_STRUCTURE = 0.7  # of the null's conductance: blobs reach 0.6 at most, clouds without clusters 0.8 at least
_CERTAIN_GAP = 0.9
_CLEARER = 0.1  # what leaving out a view must add to the gap
_NO_LESS = 0.1  # of the null's structure: what leaving out a view may cost
_SMALLEST = 0.1  # of the mean size: smaller pieces are outliers, not clusters
_N_INIT = 10
_TRIES = 3
_NULL_DRAWS = 2


@dataclass(frozen=True)
class JointCut:
    """The cut of the joint neighbour graph of some views.

    Attributes
    ----------
    views : tuple of int, the views that are in the graph
    graph : (n, n) sparse array
    spectrum : Spectrum
    n_clusters : int
    gap : float
        The relative eigengap at ``n_clusters``; 0 if the pieces are outliers, or no more separate than parts of one cloud.
        The latter happens in one dimension, where ``λ_2`` is a quarter of ``λ_3`` without any clusters.
    labels : (n,) array of int
    """

    views: tuple[int, ...]
    graph: sp.csr_array
    spectrum: Spectrum
    n_clusters: int
    gap: float
    labels: np.ndarray

    @property
    def is_clear(self) -> bool:
        return self.gap >= CLEAR_GAP


def clearest_cut(samples: Samples, n_clusters: int | None, most: int, random_state: np.random.RandomState) -> JointCut:
    """Cut the joint graph of all views or, if that makes the gap clear, of fewer.

    Parameters
    ----------
    samples : Samples
    n_clusters : int, or None for the number with the largest gap among 2 … ``most``
    """
    best = _cut(samples, tuple(range(samples.n_views)), n_clusters, most, random_state)
    # With the number of clusters open, a single view of several that complement each other would always look clearer.
    enough = _CERTAIN_GAP if n_clusters is not None else CLEAR_GAP
    while len(best.views) > 1 and best.gap < enough:
        suspects = [
            cut
            for v in best.views
            for cut in [_cut(samples, _all_but(best.views, v), n_clusters, most, random_state)]
            if neighbors_inside(samples, v, cut.labels)[1]
        ]
        better = _better(samples, best, suspects, random_state)
        if better is None:
            break
        best = better
    return best


def _better(
    samples: Samples, cut: JointCut, suspects: Sequence[JointCut], random_state: np.random.RandomState
) -> JointCut | None:
    """The cut without one of the suspected views, or None."""
    if not suspects:
        return None
    clearest = max(suspects, key=lambda other: other.gap)
    if clearest.is_clear and clearest.gap >= cut.gap + _CLEARER:
        return clearest if ratio_to_null(samples, clearest, random_state) <= NO_STRUCTURE else None
    if cut.is_clear:
        return None
    ratios = [ratio_to_null(samples, other, random_state) for other in suspects]
    best = int(np.argmin(ratios))
    no_less = ratios[best] < ratio_to_null(samples, cut, random_state) + _NO_LESS
    return suspects[best] if no_less and len(suspects) < len(cut.views) else None


def ratio_to_null(samples: Samples, cut: JointCut, random_state: np.random.RandomState) -> float:
    """Mean of ``λ_2 … λ_k`` over that of normally distributed points with the same covariances.

    It is well below 1 if there are clusters, as a random walk then leaves its cluster more rarely than it leaves any part of
    one cloud.
    """
    k = cut.n_clusters
    if k < 2 or len(samples) <= k:
        return 1.0
    kept = samples.of_views(cut.views)
    drawn = [
        spectrum(kept.null(random_state).neighbors().graph(), k, random_state=random_state).values[1:k].mean()
        for _ in range(_NULL_DRAWS)
    ]
    expected = float(np.mean(drawn))
    return float(max(cut.spectrum.values[1:k].mean(), 0.0) / expected) if expected > 0 else 1.0


def neighbors_inside(samples: Samples, view: int, labels: np.ndarray) -> tuple[float, bool]:
    """Share of the neighbours in a view in the same cluster beyond chance, from 0 to 1; and whether chance explains it.

    Of the samples that are present in the view.
    """
    rows = samples.rows()[view]
    if len(rows) < 2:
        return 0.0, True
    labels = labels[rows]
    inside = float(np.mean(labels[Neighbors.of(samples.points[view][rows]).index] == labels[:, None]))
    shares = np.bincount(labels) / len(labels)
    chance = float(np.sum(shares**2))
    if chance >= 1:
        return 0.0, False
    # Neighbours of one sample are not independent, so samples are counted and not edges.
    deviation = np.sqrt(chance * (1 - chance) / len(labels))
    return max(inside - chance, 0.0) / (1 - chance), bool(inside - chance < 3 * deviation)


def _all_but(views: tuple[int, ...], left_out: int) -> tuple[int, ...]:
    return tuple(v for v in views if v != left_out)


def cut_at(cut: JointCut, n_clusters: int, random_state: np.random.RandomState) -> JointCut:
    """The same graph cut into another number of clusters."""
    labels, gap = _labels(cut.spectrum, n_clusters, random_state)
    return JointCut(cut.views, cut.graph, cut.spectrum, n_clusters, gap, labels)


def _cut(
    samples: Samples,
    views: tuple[int, ...],
    n_clusters: int | None,
    most: int,
    random_state: np.random.RandomState,
) -> JointCut:
    graph = samples.of_views(views).neighbors().graph()
    found = spectrum(graph, min(most + 1, graph.shape[0]), random_state=random_state)
    if n_clusters is not None:
        labels, gap = _labels(found, n_clusters, random_state)
        return JointCut(views, graph, found, n_clusters, gap, labels)
    gaps = [found.relative_gap(k) for k in range(2, len(found.values))] or [0.0]
    tried = [
        (gap, k, labels)
        for k in (np.argsort(gaps)[::-1][:_TRIES] + 2).tolist()
        for labels, gap in [_labels(found, k, random_state)]
    ]
    gap, k, labels = max(tried, key=lambda one: one[0])
    return JointCut(views, graph, found, k, gap, labels)


def _labels(found: Spectrum, k: int, random_state: np.random.RandomState) -> tuple[np.ndarray, float]:
    """The cut into k clusters, and its gap."""
    labels = np.asarray(assign_clusters(unit_rows(found.vectors[:, :k]), k, n_init=_N_INIT, random_state=random_state))
    gap = found.relative_gap(k) if 1 < k < len(found.values) else 0.0
    return labels, gap if is_balanced(labels, k) else 0.0


def is_balanced(labels: np.ndarray, k: int) -> bool:
    """Whether every cluster is large enough not to be a few outliers."""
    return bool(np.bincount(labels, minlength=k).min() >= max(2, _SMALLEST * len(labels) / k))
