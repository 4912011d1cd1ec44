"""Eigenvectors of a graph that falls apart, in an order that means something.

A graph with c connected components has the eigenvectors ``D^½ 1_C`` for the eigenvalue 0 of ``I − D^-½ A D^-½``, or any
other basis of the space they span: which k < c of them come first is chance, and so would be the cut into k clusters. Here
the components are merged two by two, each time the pair that adds least to the inertia (Ward's method on their means), and
the basis follows the merges backwards: its first k columns span ``D^½ 1_G`` of the k groups G that are left when c − k pairs
have been merged. Components that are too small for clusters belong to the nearest of the others, and so do samples without
edges.

Time is ``c³`` for at most 200 components and ``n k`` for k vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist

__all__ = ["component_vectors"]

_MOST_MERGED = 200  # components
_TOO_SMALL = 0.05  # of the mean size of a cluster
_NO_EDGE = 1e-9  # of a normalized graph

Split = tuple[np.ndarray, np.ndarray]  # a group of components and another one


def component_vectors(
    normalized: sp.csr_array, degree: np.ndarray, most: int, points: Sequence[np.ndarray] = ()
) -> np.ndarray:
    """Orthonormal eigenvectors of the eigenvalue 0, at most so many, (n, c); those that divide the furthest groups first.

    Parameters
    ----------
    normalized : (n, n) sparse array, ``D^-½ A D^-½``
    degree : (n,) array
    most : int
    points : sequence of (n, p_v) arrays, where the samples lie; if there are none, all components are equally far apart
    """
    labels = _components(normalized)
    mass = np.where(degree > 0, degree, 1)
    weights, sizes = np.bincount(labels, mass), np.bincount(labels)
    has_edges = np.bincount(labels, degree) > 0
    means = _means(labels, sizes, points)
    home = _homes(means, sizes, has_edges & (sizes >= _TOO_SMALL * len(labels) / most))
    splits = islice(_splits(home, means, sizes, has_edges), most - 1)
    basis = np.column_stack([np.sqrt(weights), *(_contrast(part, rest, weights) for part, rest in splits)])
    basis /= np.linalg.norm(basis, axis=0)
    return np.asarray(np.sqrt(mass / weights[labels])[:, None] * basis[labels])


def _components(normalized: sp.csr_array) -> np.ndarray:
    edges = normalized.tocoo()
    linked = edges.data > _NO_EDGE
    graph = sp.coo_array((edges.data[linked], (edges.row[linked], edges.col[linked])), shape=edges.shape)
    return np.asarray(connected_components(graph, directed=False)[1])


def _means(labels: np.ndarray, sizes: np.ndarray, points: Sequence[np.ndarray]) -> np.ndarray:
    """The means of the components, (c, Σ p_v); unit vectors if there are no points."""
    if not points:
        return np.eye(min(len(sizes), _MOST_MERGED))[np.minimum(np.arange(len(sizes)), _MOST_MERGED - 1)]
    members = sp.csr_array((1 / sizes[labels], (labels, np.arange(len(labels)))), shape=(len(sizes), len(labels)))
    return np.hstack([members @ view for view in points])


def _homes(means: np.ndarray, sizes: np.ndarray, is_large: np.ndarray) -> np.ndarray:
    """The component that each belongs to, (c,): itself if it is large, else the nearest of the large ones."""
    by_size = np.lexsort((-sizes, ~is_large))
    n_large = min(max(int(is_large.sum()), 1), _MOST_MERGED)
    large, small = by_size[:n_large], by_size[n_large:]
    home = np.arange(len(sizes))
    if len(small):
        home[small] = large[cdist(means[small], means[large]).argmin(axis=1)]
    return home


def _splits(home: np.ndarray, means: np.ndarray, sizes: np.ndarray, has_edges: np.ndarray) -> Iterator[Split]:
    """Divide all components in two, then one of the groups, and so on until each with edges is alone."""
    large = np.unique(home)
    groups = {c: np.flatnonzero(home == c) for c in large}
    in_group = np.bincount(home, sizes)[large]
    yield from reversed(list(_merges(list(groups.values()), means[large], in_group)))
    for c in np.argsort(-sizes, kind="stable"):
        if home[c] != c and has_edges[c]:
            rest = groups[home[c]][groups[home[c]] != c]
            groups[home[c]] = rest
            yield np.array([c]), rest


def _merges(groups: list[np.ndarray], means: np.ndarray, sizes: np.ndarray) -> Iterator[Split]:
    """Merge the two groups of least cost ``s_i s_j/(s_i + s_j) ‖m_i − m_j‖²`` until one is left (Ward's method)."""
    cost = cdist(means, means, "sqeuclidean") / (1 / sizes[:, None] + 1 / sizes)
    np.fill_diagonal(cost, np.inf)
    while len(groups) > 1:
        i, j = sorted(np.unravel_index(int(np.argmin(cost)), cost.shape))
        yield groups[i], groups[j]
        # Lance and Williams' formula for the costs of the new group.
        cost[i] = ((sizes + sizes[i]) * cost[i] + (sizes + sizes[j]) * cost[j] - sizes * cost[i, j]) / (
            sizes + sizes[i] + sizes[j]
        )
        cost[:, i] = cost[i]
        cost[i, i] = np.inf
        cost = np.delete(np.delete(cost, j, axis=0), j, axis=1)
        sizes = np.delete(np.where(np.arange(len(sizes)) == i, sizes[i] + sizes[j], sizes), j)
        groups[i] = np.concatenate([groups[i], groups.pop(j)])


def _contrast(part: np.ndarray, rest: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """``D^½ (1_part/d_part − 1_rest/d_rest)``, as coefficients of the components' vectors of unit length."""
    column = np.zeros(len(weights))
    column[part] = np.sqrt(weights[part]) / weights[part].sum()
    column[rest] = -np.sqrt(weights[rest]) / weights[rest].sum()
    return column
