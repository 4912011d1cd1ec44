"""Clusters of graphs alone: the likeliest blocks.

In the degree-corrected block model (Karrer & Newman, 2011) the edges of a graph g between samples i and j of the clusters r
and s are Poisson with the mean ``θ_i θ_j ω_rs``, and a sample is in the cluster r with the probability ``n_r/n``. With the
best θ, ω and probabilities the log-likelihood of clusters is, up to a constant,

    L = ½ Σ_g Σ_rs m_rs log( m_rs m / (κ_r κ_s) ) + Σ_r n_r log(n_r/n),

with ``m_rs`` the edges between r and s, ``κ_r = Σ_s m_rs`` and ``m = Σ_r κ_r``, each graph with its own. So clusters may be
of unequal sizes and samples of unequal degrees, and each graph may show other clusters. k-means of eigenvectors knows
nothing of this: it divides a large cluster sooner than it finds a small one. The edges of a large cluster can always be
divided a little better than by chance; the last sum is what that costs.

Several spectral cuts are starts. In each, samples are moved to where they are likeliest given their edges ``e_is`` to the
clusters, to ``argmax_r Σ_g Σ_s e_is log(m_rs m / (κ_r κ_s)) + log(n_r/n)``, as long as L grows. The likeliest is taken.
A round costs ``2k`` operations per edge.

The model says that edges are independent given the clusters. Those of people in one team or of nearest neighbours are not:
there most edges connect samples with common neighbours, more than others of the same clusters have. The likeliest blocks of
such a graph are any large groups. And edges are counted: weights that are not multiples of the smallest one, such as
similarities, are no numbers of edges. In both cases no blocks are looked for, and k-means of eigenvectors is taken.
An edge of weight w counts as ``w Σw/Σw²`` edges, which is one if all weights are equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from ...graphs.relations import mean_graph, spectral_points
from .grouping import cluster_points
from .held_out import MOST_REPEATED, repeated

__all__ = ["FULL", "QUICK", "Blocks", "spectral_rows"]

_MOST_HALVINGS = 4
_ROUNDING = 1e-6
_PRIOR = 1.0  # edges that were seen beforehand of each two clusters, as many as expected by chance


@dataclass(frozen=True)
class Effort:
    """How much is tried.

    Attributes
    ----------
    cuts : tuple of pairs: the regularisation as a share of the mean degree, and whether rows are divided by the root of the
        degree or have unit length. By a smaller share small clusters of low degrees are seen sooner.
    n_init : starts of each k-means
    rounds : of moves
    """

    cuts: tuple[tuple[float, bool], ...]
    n_init: int
    rounds: int


QUICK = Effort(((1.0, False), (0.1, True)), 3, 10)
FULL = Effort(((1.0, False), (1.0, True), (0.1, False), (0.1, True)), 20, 50)


@dataclass(frozen=True)
class Blocks:
    """Clusters of samples by graphs, and what each edge says of the cluster of its other end.

    The point of a sample holds its log-likelihood in each cluster, over the root of its number of edges, so that points of
    samples of all degrees are scattered about equally. New samples are mapped by their edges.

    Attributes
    ----------
    labels : (n,) array of int
    units : tuple of float, the weight of one edge in each graph
    odds : tuple of (k, k) arrays, ``log(m_rs m / (κ_r κ_s))`` of each graph, times the weight that the user gives to it
    shares : (k,) array, ``log(n_r/n)``
    likelihood : float, ``L``
    """

    labels: np.ndarray
    units: tuple[float, ...]
    odds: tuple[np.ndarray, ...]
    shares: np.ndarray
    likelihood: float

    @classmethod
    def learn(
        cls,
        graphs: Sequence[sp.csr_array],
        n_clusters: int,
        random_state: np.random.RandomState,
        *,
        weights: Sequence[float],
        starts: Sequence[np.ndarray] = (),
        effort: Effort = QUICK,
    ) -> Blocks | None:
        """The likeliest blocks of undirected graphs, from spectral cuts and from further ``starts``, (n,) labels each.

        None if there are no blocks: weights are no counts, or most edges are repeated within the clusters of the first cut.
        """
        if not all(_are_counts(graph.data) for graph in graphs):
            return None
        rows = spectral_rows(graphs, n_clusters, random_state, effort)
        cuts = (cluster_points(points, n_clusters, random_state, effort.n_init)[0] for points in rows)
        first = next(cuts)
        if any(repeated(graph, graph, first) > MOST_REPEATED for graph in graphs):
            return None
        return cls.likeliest(graphs, [first, *cuts, *starts], n_clusters, weights, effort.rounds)

    @classmethod
    def likeliest(
        cls, graphs: Sequence[sp.csr_array], starts: Sequence[np.ndarray], k: int, weights: Sequence[float], rounds: int
    ) -> Blocks:
        """The likeliest of the blocks that are reached from each start."""
        most = max(np.unique(start).size for start in starts)  # fewer than k if too few samples have different edges
        whole = [start for start in starts if np.unique(start).size == most]
        return max((cls.refined(graphs, start, k, weights, rounds) for start in whole), key=lambda blocks: blocks.likelihood)

    @classmethod
    def refined(
        cls, graphs: Sequence[sp.csr_array], labels: np.ndarray, k: int, weights: Sequence[float], rounds: int
    ) -> Blocks:
        """Move samples as long as that makes the blocks likelier and leaves no cluster empty.

        If moving all makes them less likely, as neighbours change places, only those that gain most are moved.
        """
        taken = np.unique(labels).size
        blocks, profiles = cls.of(graphs, labels, k, weights)
        for _ in range(rounds):
            each = blocks._likelihoods(profiles)
            gain = each.max(axis=1) - each[np.arange(len(each)), blocks.labels]
            movable = np.argsort(-gain, kind="stable")[: np.count_nonzero(gain > 0)]
            for _ in range(_MOST_HALVINGS):
                moved = blocks.labels.copy()
                moved[movable] = each[movable].argmax(axis=1)
                after, profiles_after = cls.of(graphs, moved, k, weights)
                if after.likelihood > blocks.likelihood and np.unique(moved).size == taken:
                    break
                movable = movable[: movable.size // 2]
            else:
                break
            blocks, profiles = after, profiles_after
        return blocks

    @classmethod
    def of(
        cls, graphs: Sequence[sp.csr_array], labels: np.ndarray, k: int, weights: Sequence[float]
    ) -> tuple[Blocks, list[np.ndarray]]:
        """The blocks of these labels, and the edges of each sample to them in each graph, (n, k)."""
        units = tuple(_unit(graph) for graph in graphs)
        profiles = [_to_clusters(graph, labels, k) / unit for graph, unit in zip(graphs, units, strict=True)]
        shares = np.log(np.maximum(np.bincount(labels, minlength=k), 1) / len(labels))
        likelihood, odds = float(shares[labels].sum()), []
        for profile, weight in zip(profiles, weights, strict=True):
            between = np.eye(k)[labels].T @ profile
            ends = between.sum(axis=1)
            expected = np.outer(ends, ends) / (float(ends.sum()) or 1.0)
            there = between > 0
            likelihood += weight * float(np.sum(between[there] * np.log(between[there] / expected[there]))) / 2
            odds.append(weight * np.log((between + _PRIOR) / (expected + _PRIOR)))
        return cls(labels, units, tuple(odds), shares, likelihood), profiles

    def likelihoods(self, edges: Sequence[sp.csr_array]) -> np.ndarray:
        """The log-likelihood of each sample in each cluster, by its edges to the samples of the fit, up to a constant."""
        k = len(self.shares)
        return self._likelihoods(
            [_to_clusters(one, self.labels, k) / unit for one, unit in zip(edges, self.units, strict=True)]
        )

    def _likelihoods(self, profiles: Sequence[np.ndarray]) -> np.ndarray:
        return np.asarray(sum((one @ odds for one, odds in zip(profiles, self.odds, strict=True)), self.shares))

    def __call__(self, edges: Sequence[sp.csr_array]) -> np.ndarray:
        degree = sum(np.asarray(one.sum(axis=1)).ravel() / unit for one, unit in zip(edges, self.units, strict=True))
        return np.asarray(self.likelihoods(edges) / np.sqrt(degree + 1)[:, None])


def spectral_rows(
    graphs: Sequence[sp.csr_array], k: int, random_state: np.random.RandomState, effort: Effort
) -> Iterator[np.ndarray]:
    """The rows of eigenvectors of the mean graph, (n, k), for each cut."""
    mean = mean_graph(graphs)
    degree = np.asarray(mean.sum(axis=1)).ravel()
    vectors: dict[float, np.ndarray] = {}
    for share, by_degree in effort.cuts:
        if share not in vectors:
            vectors[share] = spectral_points(mean, k, random_state, share)[1]
        root = np.sqrt(degree + share * degree.mean())
        yield vectors[share] / np.where(root > 0, root, 1.0)[:, None] if by_degree else normalize(vectors[share])


def _are_counts(weights: np.ndarray) -> bool:
    """Whether weights are multiples of the smallest one, but for rounding."""
    if not weights.size:
        return True
    multiples = weights / weights.min()
    return bool(np.all(np.abs(multiples - np.round(multiples)) < _ROUNDING * multiples))


def _unit(graph: sp.csr_array) -> float:
    total = float(graph.sum())
    return float((graph.data**2).sum()) / total if total > 0 else 1.0


def _to_clusters(edges: sp.csr_array, labels: np.ndarray, k: int) -> np.ndarray:
    """The weight of the edges of each row to each cluster, (rows, k)."""
    return np.asarray(edges @ np.eye(k)[labels])
