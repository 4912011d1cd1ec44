"""Whether a graph has clusters at all: three comparisons, none of which needs labels.

* **Null ratio.** The mean of ``λ_2 … λ_k`` over that of one normally distributed cloud with the same covariances. A random
  walk leaves its cluster more rarely than it leaves any part of a cloud, so clusters have a small ratio.
* **Line or ring.** The eigenvalues of a line grow as ``1, 4, 9, …`` and those of a ring as ``1, 1, 4, 4, 9, 9, …``, because
  their eigenvectors are waves. Samples along a gradient or around a ring look like this; clusters do not, since after the
  k-th eigenvalue there is one jump and no second one of the same kind. The eigenvalues of a few clusters may grow like these
  by chance; a clear gap after the fourth or a later one says that they are not.
* **Division ratio.** What it costs to cut the clusters out of the graph, over what it costs to divide each in two (both as
  conductances). It is below 1 for clusters, and about 1 for parts of a cloud of few columns, wherever the cut lies. Parts of
  a cloud of many columns have ratios above 2: each sample has neighbours in all parts. So clusters in many columns may have
  a ratio above 1 and lie apart all the same; it must be well below that of clouds.

If these are not decisive, what comes back in halves of the samples counts, compared with what comes back of such clouds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import scipy.sparse as sp

from ..graphs import Samples
from ..graphs.nearest import default_neighbors
from ..linalg.sparse_cut import Spectrum, spectrum
from ..linalg.threads import together

__all__ = [
    "CERTAIN_GAP",
    "LEAST_DIVIDED",
    "LITTLE_STRUCTURE",
    "Evidence",
    "division_ratio",
    "drawn_rows",
    "have_their_neighbors",
    "is_line_or_ring",
    "modularity",
    "null_spectra",
    "ratio_to_null",
    "typical_rows",
]

# Each lies in the middle between what clusters and what clouds, gradients and rings have in simulations of our own.
_NO_STRUCTURE, _CERTAINLY_NONE = 0.7, 0.85  # null ratios
LITTLE_STRUCTURE = 0.5  # null ratio
_HALF_AS_EASILY, _AS_EASILY_DIVIDED = 0.5, 0.75  # division ratios
CERTAIN_GAP = 0.8  # relative: no line, ring or cloud has such an eigengap
_RETURNED = 0.5  # of what does not come back of a cloud: halfway between a cloud and clusters that always come back
_MOSTLY_RETURNED = 0.8
_CLOUDS_RETURNED = 0.4  # mean adjusted Rand index: what comes back of clouds of few columns
_HARDLY_RETURNED = 0.2  # of clouds of many columns
_LIKE_WAVES = 0.25  # standard deviation of the logarithms of the eigenvalues
_FEW_WAVES, _WAVES = 3, 6
_LARGEST_GAPS_OF_WAVES = 3  # λ_2 of a line and λ_3 of a ring are a quarter of the next; later ones at least four ninths
LEAST_DIVIDED = 30  # samples: a cluster of few more samples than neighbours is one clique
_SMALLEST = 1e-6
_NULL_SAMPLES, _MOST_NULL_DRAWS = 2_000, 8  # in all clouds together
_MOST_SAMPLES = 2_000
_FEWEST_WITH_OUTLIERS, _MOST_OUTLIERS = 50, 0.1  # samples; their share


@dataclass(frozen=True)
class Evidence:
    """What speaks for and against clusters.

    Attributes
    ----------
    null_ratio : float, near 1 if the clusters are those of one cloud, near 0 if they lie apart
    waves : bool, whether the samples lie along a line or around a ring
    division : float, what it costs to cut a cluster out over what it costs to divide it; 0 if it was not measured
    returned : float or None, the mean adjusted Rand index of clusters of subsets with those of all samples
    by_returned : bool
        Whether the null ratio compares not conductances, but what of the clusters does not come back in subsets.
    null_returned : float
        The same as ``returned`` of parts of clouds. Parts of a cloud with many columns hardly come back, so that less of the
        clusters in such data need to.
    null_division : float, the same as ``division`` of parts of clouds
    cut : float
        What it costs to cut the clusters out of the graph over the least that any cut of a cloud into as many parts can cost
        (both as sums of conductances; that least is the sum of ``λ⁰``). The null ratio says that the graph falls apart; if
        this is 1 or more, it falls apart elsewhere, and what comes back in halves decides. 0 if no halves were clustered.
    """

    null_ratio: float
    waves: bool
    division: float
    returned: float | None = None
    by_returned: bool = False
    null_returned: float = _CLOUDS_RETURNED
    null_division: float = 1.0
    cut: float = 0.0

    @property
    def supported(self) -> bool:
        """Whether there are clusters."""
        if self.waves or self.null_ratio > _CERTAINLY_NONE:
            return False
        if self.null_ratio <= LITTLE_STRUCTURE:
            return self.cut < 1 or self.comes_back
        if self.division > _AS_EASILY_DIVIDED * self._usual_division:
            return self.comes_back_unlike_clouds
        if self.null_ratio <= _NO_STRUCTURE:
            return self.returned is None or self.division <= _HALF_AS_EASILY or self.comes_back
        if self.returned is None:
            return False
        return self.returned >= _MOSTLY_RETURNED or (self.division > 0 and self.comes_back)

    @property
    def _usual_division(self) -> float:
        """The division ratio without clusters: 1 or, with so many columns that parts of clouds do not come back, theirs."""
        return max(self.null_division, 1.0) if self.null_returned <= _HARDLY_RETURNED else 1.0

    @property
    def hangs_on_clouds(self) -> bool:
        """Whether ``null_returned`` or ``null_division`` decides."""
        for_clusters = replace(self, null_returned=0.0, null_division=np.inf)
        return for_clusters.supported != replace(self, null_returned=1.0, null_division=1.0).supported

    @property
    def comes_back(self) -> bool:
        """Whether more comes back than of clouds, by at least half of what could; not if no halves were clustered."""
        return self.returned is not None and self.returned - self.null_returned >= _RETURNED * (1 - self.null_returned)

    @property
    def comes_back_unlike_clouds(self) -> bool:
        """Whether nearly all comes back where hardly anything of clouds does, as in many columns."""
        return self.returned is not None and self.returned >= _MOSTLY_RETURNED and self.null_returned <= _HARDLY_RETURNED

    @classmethod
    def of(
        cls,
        graph: sp.csr_array,
        found: Spectrum,
        nulls: np.ndarray,
        labels: np.ndarray,
        returned: float | None = None,
        parts_of_clouds: Callable[[], tuple[float, float]] | None = None,
    ) -> Evidence:
        """The evidence for these clusters of a graph.

        Parameters
        ----------
        graph : (n, n) sparse array
        found : Spectrum, at least one eigenvalue more than there are clusters
        nulls : array, the mean eigenvalues of clouds without clusters
        labels : (n,) array of int
        returned : float or None
        parts_of_clouds : function to ``null_returned`` and ``null_division``, which is called if these decide
        """
        k = int(labels.max()) + 1
        ratio = ratio_to_null(found.values, nulls, k)
        waves = is_line_or_ring(found.values, _WAVES if ratio <= LITTLE_STRUCTURE else _FEW_WAVES)
        waves = waves and not (k > _LARGEST_GAPS_OF_WAVES and found.relative_gap(k) >= CERTAIN_GAP)
        most = _NO_STRUCTURE if returned is None else _CERTAINLY_NONE  # beyond it, a division decides nothing
        division = division_ratio(graph, labels) if LITTLE_STRUCTURE < ratio <= most else 0.0
        cut = 0.0 if returned is None else _cut_over_cloud(graph, labels, nulls)
        evidence = cls(ratio, waves, division, returned, cut=cut)
        if parts_of_clouds is None or not evidence.hangs_on_clouds:
            return evidence
        null_returned, null_division = parts_of_clouds()
        return replace(evidence, null_returned=null_returned, null_division=null_division)


def drawn_rows(n_samples: int, random_state: np.random.RandomState, most: int = _MOST_SAMPLES) -> np.ndarray:
    """All rows, or as many as a number or a verdict is made of: 2,000, or fewer if so many are enough."""
    most = min(most, _MOST_SAMPLES)
    if n_samples <= most:
        return np.arange(n_samples)
    return np.sort(random_state.choice(n_samples, most, replace=False))


def typical_rows(samples: Samples, least: int, left_out: int = 0) -> np.ndarray:
    """The samples that are like others. Outliers would be clusters of their own.

    None is left out if there are few samples, if more than a tenth would be outliers, those that were ``left_out`` before
    included, or if fewer than ``least`` would be left. After some were, only those that lie far away are: what is left of
    a cloud with heavy tails always has an edge.
    """
    every = np.arange(len(samples))
    if len(samples) < _FEWEST_WITH_OUTLIERS:
        return every
    inside = ~(samples.neighbors.far_outliers() if left_out else samples.neighbors.outliers())
    return every[inside] if inside.sum() >= max((1 - _MOST_OUTLIERS) * (len(samples) + left_out), least) else every


def have_their_neighbors(labels: np.ndarray, k: int) -> bool:
    """Whether every cluster is so large that most neighbours of each member can be in it.

    What lies apart and has its own neighbours is a cluster, however small it is beside the others.
    """
    smallest = int(np.bincount(labels, minlength=k).min())
    return 2 * (smallest - 1) > default_neighbors(len(labels))


def null_spectra(samples: Samples, count: int, random_state: np.random.RandomState) -> list[tuple[sp.csr_array, Spectrum]]:
    """Joint neighbour graphs of clouds without clusters, each with its spectrum."""
    draws = min(-(-_NULL_SAMPLES // len(samples)), _MOST_NULL_DRAWS)  # clouds of few samples differ

    def drawn(rng: np.random.RandomState) -> tuple[sp.csr_array, Spectrum]:
        graph = samples.null(rng).joint_graph()
        return graph, spectrum(graph, count, random_state=rng)

    seeds = random_state.randint(2**31 - 1, size=draws)
    return together([partial(drawn, np.random.RandomState(seed)) for seed in seeds])


def ratio_to_null(values: np.ndarray, nulls: np.ndarray, k: int) -> float:
    """Mean of ``λ_2 … λ_k`` over that of clouds without clusters; 1 for a single cluster."""
    if k < 2:
        return 1.0
    expected = float(np.mean(nulls[1:k]))
    return float(max(np.mean(values[1:k]), 0.0) / expected) if expected > 0 else 1.0


def _cut_over_cloud(graph: sp.csr_array, labels: np.ndarray, nulls: np.ndarray) -> float:
    """The sum of the clusters' conductances over ``λ⁰_2 + … + λ⁰_k``."""
    k = int(labels.max()) + 1
    members, degree = np.eye(k)[labels], np.asarray(graph.sum(axis=1)).ravel()
    volume, inside = degree @ members, np.sum(members * (graph @ members), axis=0)
    least = float(np.sum(nulls[1:k]))
    return float(np.sum(1 - inside / np.where(volume > 0, volume, 1)) / least) if least > 0 else 0.0


def is_line_or_ring(values: np.ndarray, waves: int = _WAVES) -> bool:
    """Whether the first so many eigenvalues after the zero grow as those of a line or of a ring."""
    if len(values) <= waves:
        return False
    logs = np.log(np.maximum(values[1 : waves + 1], _SMALLEST))
    number = np.arange(1, waves + 1)
    spread = min(float(np.std(logs - 2 * np.log(expected))) for expected in (number, (number + 1) // 2))
    return spread < _LIKE_WAVES


def modularity(graph: sp.csr_array, labels: np.ndarray) -> float:
    """Share of the edges inside the clusters, less that of a random graph with the same degrees."""
    edges = graph.tocoo()
    degree = np.bincount(labels, np.asarray(graph.sum(axis=1)).ravel())
    total = float(degree.sum())
    inside = float(edges.data[labels[edges.row] == labels[edges.col]].sum())
    return inside / total - float(np.sum((degree / total) ** 2)) if total > 0 else 0.0


def division_ratio(graph: sp.csr_array, labels: np.ndarray) -> float:
    """Conductance of the clusters over the least conductance of a division of each; both are means, weighted by degrees.

    The means are compared, not each cluster: one that falls apart of itself costs nothing to divide, and its own ratio would
    outweigh those of all others. 0 if the clusters are too small to be divided.
    """
    degree = np.asarray(graph.sum(axis=1)).ravel()
    out, within = 0.0, 0.0
    for c in np.unique(labels):
        rows = np.flatnonzero(labels == c)
        inside = sp.csr_array(graph[rows][:, rows])
        total = float(degree[rows].sum())
        inner = _least_division(inside)
        if inner is None or total == 0:
            continue
        out += total - float(inside.sum())
        within += total * max(inner, _SMALLEST)
    return out / within if within > 0 else 0.0


def _least_division(graph: sp.csr_array) -> float | None:
    """The least conductance of a cut along the second eigenvector that leaves a tenth on each side; None if too small."""
    n = graph.shape[0]
    if n < LEAST_DIVIDED:
        return None
    least = n // 10
    degree = np.asarray(graph.sum(axis=1)).ravel()
    second = spectrum(graph, 2, random_state=np.random.RandomState(0)).vectors[:, 1]
    order = np.argsort(second / np.sqrt(np.where(degree > 0, degree, 1)))
    place = np.empty(n, dtype=np.intp)
    place[order] = np.arange(n)
    edges = sp.triu(graph, k=1).tocoo()
    first, last = np.minimum(place[edges.row], place[edges.col]), np.maximum(place[edges.row], place[edges.col])
    # An edge is cut by all thresholds between its two ends.
    crossing = np.cumsum(np.bincount(first, edges.data, n) - np.bincount(last, edges.data, n))[:-1]
    below = np.cumsum(degree[order])[:-1]
    smaller = np.minimum(below, degree.sum() - below)
    conductance = crossing / np.where(smaller > 0, smaller, 1)
    return float(conductance[least - 1 : n - least].min())
