"""The number of clusters of a graph: spectral partitions of its strongest edges, compared by description length.

A partition is useful if it makes the graph cheaper to describe. Of the E edges of a graph let a share q lie within clusters,
where a random graph with the same degrees would have p = Σ_r e_r² (e_r is the share of edge ends in cluster r). Under the
degree-corrected planted-partition model (two rates, within and between clusters) a description that knows the clusters of
the n samples is shorter by

    gain = [ E · KL(q ‖ p)  −  n · H(sizes) ] / n      nats per sample.

The first term is what the edges cost less, the second the cost of naming each sample's cluster. The gain does not favour any
number of clusters, and it is negative if the clusters explain less than they cost: then there are none. Data without
clusters can have a positive gain too, because neighbours of neighbours are often neighbours. So the gain must also exceed
that of reference graphs, which are like the data except that they have no clusters, if such graphs are given.

The partitions come from the spectrum: for each k, k-means on the rows, scaled to unit length, of the k leading eigenvectors
of the normalized graph. This is repeated on subsets of the samples. The stability is the mean adjusted Rand index between
the partition of a subset and that of all samples. Among the stable numbers of clusters, the smallest one whose gain is close
to the best is suggested. Gains are those of all samples, because a subset loses the smallest clusters first.
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

_SUBSET_SHARE = 0.9  # of the samples in a subset: nearly all, because the smallest clusters are lost first
_MIN_SHARE_OF_BEST_GAIN = 0.97  # more clusters must add more than the remaining 3 %
_MIN_STABILITY = 0.5  # halfway between chance and agreement
# Times the reference's gain: data without clusters stay below 1.5, separated blobs reach 2.7 and more.
_MIN_RATIO_TO_REFERENCE = 1.6
_MAX_CLUSTERS = 30
_RESIDUAL = 1e-3  # of the eigenvectors: smaller residuals do not change the k-means partitions


@dataclass(frozen=True)
class ClusterCounts:
    """How well each number of clusters fits a graph. Printed, it is a table with the best first.

    Attributes
    ----------
    counts : (c,) array of int, the numbers tried, ascending
    gain : (c,) array
        By how much the clusters shorten the description of the neighbour graph, in nats per sample.
    gain_spread : (c,) array, standard deviation over the subsets
    stability : (c,) array
        Mean adjusted Rand index of a subset's clusters with those of all samples.
    eigengap : (c,) array
        The gap after the k-th eigenvalue of the normalized Laplacian.
    reference_gain : float
        The best gain of any number of clusters in reference data without clusters; NaN if there is no reference.
    suggested : int
        The smallest number with at least 97 % of the best gain among those with stable partitions; 1 if there is no
        structure.
    structured : bool
        Whether there are clusters at all: the gain is larger than 0 and than 1.6 times that of the reference, and the
        partitions are stable.
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
        """The numbers of clusters from best to worst: the suggested one, then by gain."""
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
            lines.append("There are no clusters: no number of clusters fits better than in data without clusters.")
        return "\n".join(lines)

    __repr__ = __str__

    def _order(self) -> np.ndarray:
        return np.lexsort((-self.gain, self.counts != self.suggested))


def default_counts(n_samples: int) -> range:
    """2 … √n, at most 30: clusters of about √n samples or more."""
    return range(2, max(min(int(n_samples**0.5), _MAX_CLUSTERS), 2) + 1)


def count_clusters(
    graph: Any,
    counts: Sequence[int],
    *,
    references: Iterable[Any] = (),
    n_resamples: int = 10,
    random_state: np.random.RandomState,
) -> ClusterCounts:
    """Evaluate each number of clusters on an (n, n) symmetric non-negative graph.

    Parameters
    ----------
    graph : (n, n) array
        Only each sample's √n strongest edges are used: in a dense graph the many weak edges hide the clusters, and with
        very few edges every neighbourhood looks like a cluster.
    counts : ascending numbers between 2 and n − 1
    references : iterable of (n, n) arrays
        Graphs of similar data without clusters, computed in the same way.
    n_resamples : int
        Number of subsets of 90 % of the samples.
    random_state : RandomState

    Returns
    -------
    ClusterCounts
    """
    tried = np.asarray(counts)
    n = graph.shape[0]
    ranked = _RankedNeighbors.of(graph)
    whole = _Partitions.of(ranked, np.arange(n), tried, random_state)
    gains, agreements = [], []
    for _ in range(n_resamples):
        subset = np.sort(random_state.choice(n, max(round(_SUBSET_SHARE * n), tried[-1] + 1), replace=False))
        part = _Partitions.of(ranked, subset, tried, random_state)
        gains.append(part.gains)
        pairs = zip(whole.labels, part.labels, strict=True)
        agreements.append([adjusted_rand_score(all_labels[subset], labels) for all_labels, labels in pairs])
    gain, stability = np.asarray(whole.gains), np.mean(agreements, axis=0)
    stable = stability >= _MIN_STABILITY
    enough = _MIN_SHARE_OF_BEST_GAIN * gain[stable].max(initial=0.0)
    chosen = int(np.argmax(stable & (gain >= enough)))
    reference_gains = [
        max(_Partitions.of(_RankedNeighbors.of(each), np.arange(n), tried, random_state).gains) for each in references
    ]
    least = max([0.0, *(_MIN_RATIO_TO_REFERENCE * each for each in reference_gains)])
    structured = bool(stable[chosen] and gain[chosen] > least)
    return ClusterCounts(
        counts=tried,
        gain=gain,
        gain_spread=np.std(gains, axis=0),
        stability=stability,
        eigengap=np.diff(whole.eigenvalues)[tried - 1],
        reference_gain=max(reference_gains, default=float("nan")),
        suggested=int(tried[chosen]) if structured else 1,
        structured=structured,
    )


def partition_gain(edges: sp.csr_array, labels: np.ndarray) -> float:
    """By how much the clusters shorten the description of the edges, in nats per sample (see above)."""
    ends = np.asarray(edges.sum(axis=1)).ravel()
    total = ends.sum()
    share_of_ends = np.bincount(labels, ends) / total
    by_chance = float((share_of_ends**2).sum())
    coo = edges.tocoo()
    within = float(coo.data[labels[coo.row] == labels[coo.col]].sum() / total)
    saved = total / 2 * _divergence(within, by_chance) if within > by_chance else 0.0
    return float(saved / labels.size - entr(np.bincount(labels) / labels.size).sum())


@dataclass(frozen=True)
class _Partitions:
    """The spectral partitions of a subset of samples, one for each number of clusters."""

    eigenvalues: np.ndarray
    labels: list[np.ndarray]
    gains: list[float]

    @classmethod
    def of(
        cls, ranked: _RankedNeighbors, samples: np.ndarray, counts: np.ndarray, rng: np.random.RandomState
    ) -> _Partitions:
        edges = ranked.subgraph(samples)
        laplacian = _SparseLaplacian.of(edges)
        most = min(int(counts[-1]) + 1, len(samples))
        found = smallest_eigenpairs(laplacian, most, tol=_RESIDUAL, random_state=rng)
        labels = [_rows_to_clusters(unit_rows(found.vectors[:, :k]), rng) for k in counts]
        return cls(np.asarray(found.values), labels, [partition_gain(edges.sign(), each) for each in labels])


def _rows_to_clusters(rows: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """k-means, started at the k rows that a pivoted QR chooses as most different: one deterministic start is enough."""
    k = rows.shape[1]
    _, pivots = scipy.linalg.qr(rows.T, mode="r", pivoting=True)
    return KMeans(k, init=rows[pivots[:k]], n_init=1, random_state=rng).fit(rows).labels_


@dataclass(frozen=True)
class _RankedNeighbors:
    """Each sample's neighbours, strongest edge first: more than are used, so that enough remain in a subset.

    Attributes
    ----------
    neighbors : (n, r) array of int
    strengths : (n, r) array
    """

    neighbors: np.ndarray
    strengths: np.ndarray

    @classmethod
    def of(cls, graph: Any) -> _RankedNeighbors:
        graph = to_host(graph)
        n = graph.shape[0]
        kept = min(2 * _n_neighbors(n) + 5, n - 1)
        neighbors = np.empty((n, kept), dtype=np.intp)
        for i, row in enumerate(graph):
            row = row.copy()
            row[i] = -1  # no self-loops
            strongest = np.argpartition(-row, kept - 1)[:kept]
            neighbors[i] = strongest[np.argsort(-row[strongest], kind="stable")]
        return cls(neighbors, np.take_along_axis(graph, neighbors, axis=1))

    def subgraph(self, samples: np.ndarray) -> sp.csr_array:
        """The graph of some samples: an edge if it is among the √n strongest of either of its two samples."""
        position = np.full(len(self.neighbors), -1)
        position[samples] = np.arange(len(samples))
        neighbors, strengths = position[self.neighbors[samples]], self.strengths[samples]
        kept = (neighbors >= 0) & (strengths > 0)
        kept &= np.cumsum(kept, axis=1) <= _n_neighbors(len(samples))
        rows = np.broadcast_to(np.arange(len(samples))[:, None], neighbors.shape)[kept]
        edges = sp.csr_array((strengths[kept].astype(float), (rows, neighbors[kept])), shape=(len(samples),) * 2)
        return edges.maximum(edges.T).tocsr()


def _n_neighbors(n_samples: int) -> int:
    return max(round(n_samples**0.5), 5)


@dataclass(frozen=True)
class _SparseLaplacian:
    """``I − D^-½ A D^-½`` of a sparse graph, for the eigensolver."""

    adjacency: sp.csr_array

    @classmethod
    def of(cls, edges: sp.csr_array) -> _SparseLaplacian:
        degree = np.asarray(edges.sum(axis=1)).ravel()
        root = sp.diags_array(1 / np.sqrt(np.where(degree > 0, degree, 1)))
        return cls((root @ edges @ root).tocsr())

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
    """Kullback–Leibler divergence of two Bernoulli distributions."""
    return float(rel_entr(q, p) + rel_entr(1 - q, 1 - p))
