"""The joint neighbour graph of several views and its cut, and the views that blur it.

If clusters are plain, the joint graph almost falls apart into k pieces, and the relative eigengap ``1 − λ_k/λ_{k+1}`` is
near 1. A view of noise, or one with clusters of its own, connects the pieces or divides them further. It is found by its
effect: without it the gap is clear. This costs one more spectrum per view, and only if the gap is not certain already.

A view is only left out if its neighbours know nothing of the clusters that the other views have together, and if the joint
graph has a clearer gap, or more structure, without it. Either alone would not do: views that complement each other know
nothing of each other's clusters either, and leaving out any view may look better by chance. And it must be outvoted: two of
the other views know of these clusters, or it has no more structure of its own than a cloud. Else either could be the one to
leave out. If the others fall apart into fewer pieces, one of these must have clusters of its own: a cloud that is divided
along its axis has a gap too, and the view that is left out may have the other borders. A gap that a single view knows of,
while another one has other structure, is not clear: a column of two values has such a gap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import scipy.sparse as sp

from ...graphs import Samples
from ...linalg.sparse_cut import Spectrum, cut_rows, quick_cut, spectrum
from ...linalg.threads import together
from ..structure import CERTAIN_GAP, LEAST_DIVIDED, have_their_neighbors, null_spectra, ratio_to_null

__all__ = ["NO_STRUCTURE", "JointCut", "clearest_cut", "is_balanced", "neighbors_inside", "null_ratio", "null_values"]

CLEAR_GAP = 0.4  # λ_k below 60 % of λ_{k+1}
NO_STRUCTURE = 0.7  # null ratio: blobs reach 0.6 at most, clouds without clusters 0.8 at least
_LEAST_VALUES = 7  # eigenvalues, to tell a line or a ring
_CERTAIN_GAP = 0.9
_CLEARER = 0.1  # what leaving out a view must add to the gap
_SMALLEST = 0.1  # of the mean size: smaller pieces are outliers, not clusters
_N_INIT = 3


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
        The relative eigengap at ``n_clusters``; 0 if the pieces are outliers, if a view that is not outvoted does not know
        them, or if they are no more separate than parts of one cloud. The latter happens in one dimension, where ``λ_2`` is
        a quarter of ``λ_3`` without any clusters.
    labels : (n,) array of int
    filled : float
        The share of the cells that were empty. Filled from similar samples, they draw samples together, and a cluster may
        fall apart. With such cells a clear gap is doubted unless it is nearly 1.
    """

    views: tuple[int, ...]
    graph: sp.csr_array
    spectrum: Spectrum
    n_clusters: int
    gap: float
    labels: np.ndarray
    filled: float = 0.0

    @property
    def is_clear(self) -> bool:
        return self.gap >= CLEAR_GAP

    @property
    def is_certain(self) -> bool:
        return self.gap >= _CERTAIN_GAP

    @property
    def pieces(self) -> np.ndarray | None:
        """The fewer pieces that the graph certainly falls apart into, (n,) array of int: its clusters are parts of these."""
        fewer = [k for k in range(2, self.n_clusters) if self.spectrum.relative_gap(k) >= CERTAIN_GAP]
        return quick_cut(self.spectrum.vectors[:, : fewer[-1]]) if fewer else None

    @property
    def has_borders(self) -> bool:
        """Whether the clusters are clear, but there may be samples between them."""
        return self.is_clear and not self.is_certain

    @property
    def is_doubtful(self) -> bool:
        return not (self.is_certain or (self.is_clear and self.filled == 0))


def clearest_cut(samples: Samples, n_clusters: int, random_state: np.random.RandomState) -> JointCut:
    """Cut the joint graph of all views or, if that makes the gap clear, of fewer."""
    best = _cut(samples, tuple(range(samples.n_views)), n_clusters, random_state)
    while len(best.views) > 1 and not best.is_certain:
        without = _each_left_out(samples, best.views, n_clusters, random_state)
        suspects = {v: cut for v, cut in without.items() if not _knows(samples, v, cut)}
        v = _to_leave_out(samples, best, suspects, random_state)
        if v is None or not _is_outvoted(samples, v, suspects[v], random_state):
            break
        best = suspects[v]
    best = best if len(best.views) == samples.n_views else _cut(samples, best.views, n_clusters, random_state)
    return _without_noise(samples, best, random_state)


def _each_left_out(
    samples: Samples, views: tuple[int, ...], n_clusters: int, random_state: np.random.RandomState
) -> dict[int, JointCut]:
    """Quick cuts without each of the views."""
    seeds = random_state.randint(2**31 - 1, size=len(views))

    def cut(v: int, seed: int) -> JointCut:
        rest = tuple(other for other in views if other != v)
        return _quick_cut(samples, rest, n_clusters, np.random.RandomState(seed))

    return dict(zip(views, together([partial(cut, *each) for each in zip(views, seeds, strict=True)]), strict=True))


def _knows(samples: Samples, v: int, cut: JointCut) -> bool:
    """Whether a view's neighbours are in the same cluster more often than by chance."""
    return not neighbors_inside(samples, v, cut.labels)[1]


def _is_outvoted(samples: Samples, v: int, cut: JointCut, random_state: np.random.RandomState) -> bool:
    """Whether two views know of a cut of which this one does not, or its own graph is like that of a cloud."""
    n_informed = sum(_knows(samples, other, cut) for other in cut.views)
    return n_informed > 1 or _is_like_a_cloud(samples, v, cut.n_clusters, random_state)


def _is_like_a_cloud(samples: Samples, v: int, n_clusters: int, random_state: np.random.RandomState) -> bool:
    """Whether a view's graph of the samples that are present in it has no more structure than that of a cloud."""
    own = samples.of_rows(samples.rows()[v]).of_views((v,))
    if len(own) <= n_clusters:
        return True
    return null_ratio(own, _quick_cut(own, (0,), n_clusters, random_state), random_state) > NO_STRUCTURE


def _without_noise(samples: Samples, cut: JointCut, random_state: np.random.RandomState) -> JointCut:
    """The same without views whose neighbours know nothing of a clear cut, though they had a part in it.

    If they are not outvoted, the cut is not clear.
    """
    informed = tuple(v for v in cut.views if _knows(samples, v, cut))
    if not cut.is_clear or len(informed) in (0, len(cut.views)):
        return cut
    if all(_is_outvoted(samples, v, cut, random_state) for v in cut.views if v not in informed):
        return _cut(samples, informed, cut.n_clusters, random_state)
    return replace(cut, gap=0.0)


def _to_leave_out(
    samples: Samples, cut: JointCut, suspects: dict[int, JointCut], random_state: np.random.RandomState
) -> int | None:
    """Which of the suspected views, each given with the cut without it, to leave out; or None."""
    if not suspects:
        return None
    clearest = max(suspects, key=lambda v: suspects[v].gap)
    if suspects[clearest].is_clear and suspects[clearest].gap >= cut.gap + _CLEARER:
        return clearest if _has_structure(samples, suspects[clearest], random_state) else None
    if cut.is_clear:
        return None
    ratios = {v: null_ratio(samples, other, random_state) for v, other in suspects.items()}
    best, before = min(ratios, key=lambda v: ratios[v]), null_ratio(samples, cut, random_state)
    if len(suspects) < len(cut.views):
        return best if ratios[best] < before else None
    # Noise may hide the clusters of all other views from each other. Then there is more structure without it, and without
    # no other view. Views that complement each other are alike in this.
    others = min((ratio for v, ratio in ratios.items() if v != best), default=0.0)
    is_alone = ratios[best] < before and others > (ratios[best] + before) / 2
    return best if len(suspects) > 2 and is_alone else None


def _has_structure(samples: Samples, cut: JointCut, random_state: np.random.RandomState) -> bool:
    """Whether clusters are more separate than parts of a cloud and, if they are parts of fewer pieces, of these."""
    if null_ratio(samples, cut, random_state) > NO_STRUCTURE:
        return False
    if (pieces := cut.pieces) is None:
        return True
    kept = samples.of_views(cut.views)
    parts = [kept.of_rows(np.flatnonzero(pieces == piece)) for piece in np.unique(pieces)]
    return any(_divides(part, random_state) for part in parts if len(part) >= LEAST_DIVIDED)


def _divides(samples: Samples, random_state: np.random.RandomState) -> bool:
    cut = _quick_cut(samples, tuple(range(samples.n_views)), 2, random_state)
    return null_ratio(samples, cut, random_state) <= NO_STRUCTURE


def null_ratio(samples: Samples, cut: JointCut, random_state: np.random.RandomState) -> float:
    """:func:`~viewfuse.cluster.structure.ratio_to_null` of a cut."""
    if len(samples) <= cut.n_clusters:
        return 1.0
    return ratio_to_null(cut.spectrum.values, null_values(samples, cut, random_state), cut.n_clusters)


def null_values(samples: Samples, cut: JointCut, random_state: np.random.RandomState) -> np.ndarray:
    """The mean eigenvalues of clouds without clusters, as many as the cut has."""
    found = null_spectra(samples.of_views(cut.views), len(cut.spectrum.values), random_state)
    return np.mean([null.values for _, null in found], axis=0)


def neighbors_inside(samples: Samples, view: int, labels: np.ndarray) -> tuple[float, bool]:
    """Share of the neighbours in a view in the same cluster beyond chance, from 0 to 1; and whether chance explains it.

    Of the samples that are present in the view.
    """
    rows = samples.rows()[view]
    if len(rows) < 2:
        return 0.0, True
    labels = labels[rows]
    inside = float(np.mean(labels[samples.view_neighbors[view]] == labels[:, None]))
    shares = np.bincount(labels) / len(labels)
    chance = float(np.sum(shares**2))
    if chance >= 1:
        return 0.0, False
    # Neighbours of one sample are not independent, so samples are counted and not edges.
    deviation = np.sqrt(chance * (1 - chance) / len(labels))
    return max(inside - chance, 0.0) / (1 - chance), bool(inside - chance < 3 * deviation)


def _cut(samples: Samples, views: tuple[int, ...], k: int, random_state: np.random.RandomState) -> JointCut:
    def labels(vectors: np.ndarray) -> np.ndarray:
        return cut_rows(vectors, n_init=_N_INIT, random_state=random_state)

    return _cut_by(labels, samples, views, k, random_state)


def _quick_cut(samples: Samples, views: tuple[int, ...], k: int, random_state: np.random.RandomState) -> JointCut:
    """Good enough to suspect a view by."""
    return _cut_by(quick_cut, samples, views, k, random_state)


def _cut_by(
    labels_of: Callable[[np.ndarray], np.ndarray],
    samples: Samples,
    views: tuple[int, ...],
    k: int,
    random_state: np.random.RandomState,
) -> JointCut:
    part = samples.of_views(views)
    graph = part.joint_graph()
    count = min(max(k, _LEAST_VALUES) + 1, len(part))
    found = spectrum(graph, count, random_state=random_state, points=part.points)
    labels = labels_of(found.vectors[:, :k])
    gap = found.relative_gap(k) if k > 1 else 0.0
    if not is_balanced(labels, k) and not (gap >= CERTAIN_GAP and have_their_neighbors(labels, k)):
        gap = 0.0
    return JointCut(views, graph, found, k, gap, labels)


def is_balanced(labels: np.ndarray, k: int) -> bool:
    """Whether every cluster is large enough not to be a few outliers."""
    return bool(np.bincount(labels, minlength=k).min() >= max(2, _SMALLEST * len(labels) / k))
