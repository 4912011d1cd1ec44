"""Samples at the borders of clusters.

The cut of a graph may be right about the clusters but not about each sample between two of them: there it goes by a few
neighbours. If clusters are clouds, their means say more, which all samples of a cluster have a part in. So a sample is
moved to another cluster if three things speak for it:

* a linear rule, learned without this sample, finds the other cluster,
* so do the means and the common covariance of the clusters, learned without it,
* and its neighbours do not contradict: they are not all in its own cluster.

The last protects clusters that are curved or rings. There both rules are wrong alike, but mostly about samples among their
own; if so, none is moved at all.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from .labelling import LinearRule
from .membership import out_of_fold
from .votes import voting_points

__all__ = ["moved_at_borders"]

_LEAST_SHARE = 0.1  # of the edges of a sample, that go to the cluster it is moved to
_LEAST_AT_BORDERS = 0.5  # of the samples that both rules find elsewhere: with fewer the clusters are no clouds
_FEWEST_PER_CLUSTER = 10  # samples: the means of fewer say no more than neighbours
_MOST_EXACT = 1_500  # samples or columns: with more of both the linear rule takes longer than the rest of a fit


def moved_at_borders(
    joint: np.ndarray, graph: sp.csr_array, labels: np.ndarray, k: int, products: np.ndarray | None = None
) -> np.ndarray:
    """The labels after samples at borders were moved; the same ones if clusters are too small, or samples too many.

    Parameters
    ----------
    joint : (n, p) array, the points of all views side by side
    graph : (n, n) sparse array, the neighbours
    labels : (n,) array of int
    k : int, the number of clusters
    products : (n, n) array, the inner products of the points, if they are known
    """
    if k < 2 or np.bincount(labels, minlength=k).min() < _FEWEST_PER_CLUSTER or min(joint.shape) > _MOST_EXACT:
        return labels
    by_linear = LinearRule.labels_left_out(joint, labels, k, products)
    by_clouds = out_of_fold(voting_points(joint, k, products), labels, k).argmax(axis=1)
    elsewhere = (by_linear == by_clouds) & (by_linear != labels)
    edges = graph @ np.eye(k)[labels]
    at_border = elsewhere & (edges[np.arange(len(labels)), by_linear] > _LEAST_SHARE * edges.sum(axis=1))
    if at_border.sum() < _LEAST_AT_BORDERS * elsewhere.sum():
        return labels
    moved = np.where(at_border, by_linear, labels)
    return moved if np.bincount(moved, minlength=k).min() >= _FEWEST_PER_CLUSTER else labels
