"""How many clusters a graph has: spectral partitions of its strongest ties, judged by what they save, under resampling.

A partition into clusters is worth having where it makes the graph cheaper to describe. Of a graph's E ties let a share q lie
within clusters, where p = Σ_r e_r² is expected of ties thrown at random (e_r the share of tie ends in cluster r).
Under the planted-partition model with degrees (two rates, within and between) a description that knows the n samples'
clusters is shorter by

    gain = [ E · KL(q ‖ p)  −  n · H(sizes) ] / n      nats per sample,

the first term what the ties cost less, the second what it costs to say who is where. It has no preferred number of clusters,
and it is negative where the clusters explain less than they cost: then there are none. A cloud without clusters can have a
positive gain too, as neighbours in it are neighbours of neighbours: so the gain must also exceed that of graphs which
have everything but the clusters, if such are given.

The partitions come from the spectrum: for each k, k-means on the rows, of unit length, of the k leading eigenvectors of the
normalised graph. All of it is repeated on subsets of the samples, and how far their partitions agree with that of all
samples (the adjusted Rand index) is the stability. Of the numbers whose partitions agree more than they differ, the smallest
counts that gains nearly as much as any. Gains are those of all samples: a subset loses the smallest clusters first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.special import entr, rel_entr
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from ..._utils.device import to_host
from ..._utils.extras import require
from ...linalg.assign import unit_rows
from ...linalg.eigensolvers import smallest_eigenpairs

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["ClusterCounts", "count_clusters", "default_counts", "partition_gain"]

_SHARE = 0.9  # of the samples in a subset: nearly all, as the smallest clusters are the first to be lost
_WORTH = 0.97  # of the best gain: more clusters must add more than that leaves
_STABLE = 0.5  # halfway between chance and agreement
_BEYOND = 1.6  # times the reference's gain: clouds without clusters stay within 1.5 of it, blobs reach 2.7 and more
_MOST = 30
_RESIDUAL = 1e-3  # of the eigenvectors: k-means on their rows sees no more


@dataclass(frozen=True)
class ClusterCounts:
    """How well each number of clusters suits a graph; printed, it is a table with the best first.

    Attributes
    ----------
    counts : (c,) array of int, the numbers tried, ascending
    gain : (c,) array
        What knowing the clusters saves in describing the neighbour graph, in nats per sample.
    gain_spread : (c,) array, standard deviation over the subsets
    stability : (c,) array
        Mean adjusted Rand index of a subset's clusters with those of all samples.
    eigengap : (c,) array
        The step in the spectrum of the normalised Laplacian after the k-th eigenvalue.
    reference_gain : float
        The best gain of any number of clusters in data without clusters; NaN where there is none to compare with.
    suggested : int
        The smallest number with at least 97 % of the best gain, among those whose partitions are stable. 1 where there is no
        structure.
    structured : bool
        Whether there are clusters at all: a gain beyond 0 and beyond 1.6 times the reference's, by partitions that agree
        more than they differ.
    """

    counts: np.ndarray
    gain: np.ndarray
    gain_spread: np.ndarray
    stability: np.ndarray
    eigengap: np.ndarray
    reference_gain: float
    suggested: int
    structured: bool

    @property
    def ranked(self) -> np.ndarray:
        """The numbers from the best to the worst: the suggested one, then by gain."""
        return self.counts[self._order()]

    def to_frame(self) -> DataFrame:
        """The table as a pandas DataFrame, the best number of clusters first."""
        order = self._order()
        columns = {name: getattr(self, name)[order] for name in ("gain", "gain_spread", "stability", "eigengap")}
        return require("pandas").DataFrame(columns, index=require("pandas").Index(self.counts[order], name="n_clusters"))

    def __str__(self) -> str:
        lines = ["clusters    gain  ±spread  stability  eigengap"]
        for i in self._order():
            mark = "  ← suggested" if self.counts[i] == self.suggested else ""
            lines.append(
                f"{self.counts[i]:8d} {self.gain[i]:7.3f} {self.gain_spread[i]:8.3f} {self.stability[i]:10.2f} "
                f"{self.eigengap[i]:9.3f}{mark}"
            )
        if not self.structured:
            lines.append("There are no clusters here: no number of them holds together better than in one cloud of samples.")
        return "\n".join(lines)

    __repr__ = __str__

    def _order(self) -> np.ndarray:
        return np.lexsort((-self.gain, self.counts != self.suggested))


def default_counts(n_samples: int) -> range:
    """2 … √n, at most 30: clusters of about √n samples or more."""
    return range(2, max(min(int(n_samples**0.5), _MOST), 2) + 1)


def count_clusters(
    graph: Any,
    counts: Sequence[int],
    *,
    references: Iterable[Any] = (),
    n_resamples: int = 10,
    random_state: np.random.RandomState,
) -> ClusterCounts:
    """Judge each number of clusters on an (n, n) symmetric non-negative graph.

    Parameters
    ----------
    graph : (n, n) array
        Only each sample's √n strongest ties are used: in a dense graph the many faint ones drown the clusters, and with
        few ones every neighbourhood is a cluster of its own.
    counts : ascending numbers between 2 and n − 1
    references : iterable of (n, n) arrays
        Graphs of samples like these but without clusters, made in the same way.
    n_resamples : int
        Subsets of 90 % of the samples.
    random_state : RandomState

    Returns
    -------
    ClusterCounts
    """
    tried = np.asarray(counts)
    n = graph.shape[0]
    ranked = _RankedTies.of(graph)
    everyone = _Partitions.of(ranked, np.arange(n), tried, random_state)
    gains, agreements = [], []
    for _ in range(n_resamples):
        some = np.sort(random_state.choice(n, max(round(_SHARE * n), tried[-1] + 1), replace=False))
        part = _Partitions.of(ranked, some, tried, random_state)
        gains.append(part.gains)
        pairs = zip(everyone.labels, part.labels, strict=True)
        agreements.append([adjusted_rand_score(whole[some], labels) for whole, labels in pairs])
    gain, stability = np.asarray(everyone.gains), np.mean(agreements, axis=0)
    steady = stability >= _STABLE
    enough = _WORTH * gain[steady].max(initial=0.0)
    chosen = int(np.argmax(steady & (gain >= enough)))
    without = [max(_Partitions.of(_RankedTies.of(each), np.arange(n), tried, random_state).gains) for each in references]
    least = max([0.0, *(_BEYOND * each for each in without)])
    structured = bool(steady[chosen] and gain[chosen] > least)
    return ClusterCounts(
        counts=tried,
        gain=gain,
        gain_spread=np.std(gains, axis=0),
        stability=stability,
        eigengap=np.diff(everyone.eigenvalues)[tried - 1],
        reference_gain=max(without, default=float("nan")),
        suggested=int(tried[chosen]) if structured else 1,
        structured=structured,
    )


def partition_gain(ties: sp.csr_array, labels: np.ndarray) -> float:
    """What the clusters save in describing the ties, in nats per sample (above); at most 0 where they do not hold."""
    ends = np.asarray(ties.sum(axis=1)).ravel()
    total = ends.sum()
    share_of_ends = np.bincount(labels, ends) / total
    by_chance = float((share_of_ends**2).sum())
    coo = ties.tocoo()
    within = float(coo.data[labels[coo.row] == labels[coo.col]].sum() / total)
    saved = total / 2 * _divergence(within, by_chance) if within > by_chance else 0.0
    return float(saved / labels.size - entr(np.bincount(labels) / labels.size).sum())


@dataclass(frozen=True)
class _Partitions:
    """The spectral partitions of some samples, one for each number of clusters."""

    eigenvalues: np.ndarray
    labels: list[np.ndarray]
    gains: list[float]

    @classmethod
    def of(cls, ranked: _RankedTies, samples: np.ndarray, counts: np.ndarray, rng: np.random.RandomState) -> _Partitions:
        ties = ranked.among(samples)
        laplacian = _SparseLaplacian.of(ties)
        most = min(int(counts[-1]) + 1, len(samples))
        found = smallest_eigenpairs(laplacian, most, tol=_RESIDUAL, random_state=rng)
        labels = [_rows_to_clusters(unit_rows(found.vectors[:, :k]), rng) for k in counts]
        return cls(np.asarray(found.values), labels, [partition_gain(ties.sign(), each) for each in labels])


def _rows_to_clusters(rows: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """k-means started at the k rows most unlike each other, found by a pivoted QR: one run, and no luck needed."""
    k = rows.shape[1]
    _, pivots = scipy.linalg.qr(rows.T, mode="r", pivoting=True)
    return KMeans(k, init=rows[pivots[:k]], n_init=1, random_state=rng).fit(rows).labels_


@dataclass(frozen=True)
class _RankedTies:
    """Each sample's strongest ties to others, strongest first: more than are used, so that a subset has enough of them.

    Attributes
    ----------
    neighbors : (n, r) array of int
    strengths : (n, r) array
    """

    neighbors: np.ndarray
    strengths: np.ndarray

    @classmethod
    def of(cls, graph: Any) -> _RankedTies:
        graph = to_host(graph)
        n = graph.shape[0]
        kept = min(2 * _n_neighbors(n) + 5, n - 1)
        neighbors = np.empty((n, kept), dtype=np.intp)
        for i, row in enumerate(graph):
            row = row.copy()
            row[i] = -1  # not tied to itself
            strongest = np.argpartition(-row, kept - 1)[:kept]
            neighbors[i] = strongest[np.argsort(-row[strongest], kind="stable")]
        return cls(neighbors, np.take_along_axis(graph, neighbors, axis=1))

    def among(self, samples: np.ndarray) -> sp.csr_array:
        """The graph of some of the samples: a tie where either counts the other among its √n strongest."""
        position = np.full(len(self.neighbors), -1)
        position[samples] = np.arange(len(samples))
        neighbors, strengths = position[self.neighbors[samples]], self.strengths[samples]
        there = (neighbors >= 0) & (strengths > 0)
        there &= np.cumsum(there, axis=1) <= _n_neighbors(len(samples))
        rows = np.broadcast_to(np.arange(len(samples))[:, None], neighbors.shape)[there]
        ties = sp.csr_array((strengths[there].astype(float), (rows, neighbors[there])), shape=(len(samples),) * 2)
        return ties.maximum(ties.T).tocsr()


def _n_neighbors(n_samples: int) -> int:
    return max(round(n_samples**0.5), 5)


@dataclass(frozen=True)
class _SparseLaplacian:
    """``I − D^-½ A D^-½`` of a sparse graph, for the eigensolver."""

    adjacency: sp.csr_array

    @classmethod
    def of(cls, ties: sp.csr_array) -> _SparseLaplacian:
        degree = np.asarray(ties.sum(axis=1)).ravel()
        root = sp.diags_array(1 / np.sqrt(np.where(degree > 0, degree, 1)))
        return cls((root @ ties @ root).tocsr())

    @property
    def graph(self) -> np.ndarray:
        return self.adjacency.data

    @property
    def n_samples(self) -> int:
        return int(self.adjacency.shape[0])

    def diagonal(self) -> np.ndarray:
        return 1 - self.adjacency.diagonal()

    def dense(self) -> np.ndarray:
        return np.eye(self.n_samples) - self.adjacency.toarray()

    def __matmul__(self, block: np.ndarray) -> np.ndarray:
        return block - self.adjacency @ block


def _divergence(q: float, p: float) -> float:
    """KL of one coin from another."""
    return float(rel_entr(q, p) + rel_entr(1 - q, 1 - p))
