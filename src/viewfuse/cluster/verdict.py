"""Are these clusters real? One sentence with its evidence, for every fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._utils.agreement import adjusted_rand
from ..graphs import Samples
from ..graphs.nearest import default_neighbors
from ..linalg import halves, placed, recurrence
from ..linalg.sparse_cut import normalized_graph, quick_cut, spectrum
from ..linalg.threads import threads_for, together
from .structure import LITTLE_STRUCTURE, Evidence, division_ratio, drawn_rows, modularity, null_spectra

__all__ = [
    "Cluster",
    "Returned",
    "Verdict",
    "come_back",
    "joint_cuts_come_back",
    "judge",
    "judge_by_graph",
    "judge_by_neighbors",
    "parts_of_clouds",
    "with_halves",
]

Cluster = Callable[[np.ndarray, np.random.RandomState], np.ndarray]

_HALVES, _CLOUDS = 4, 2
_LEAST_VALUES = 7  # eigenvalues, to tell a line or a ring
_NO_CLUSTERS = 0.1
_UNSTABLE = 0.5  # mean adjusted Rand index: halfway between chance and agreement
_DISSOLVED = 0.5  # mean Jaccard index: a cluster below it is dissolved (Hennig, 2007)


@dataclass(frozen=True)
class Verdict:
    """Whether the clusters of a fit are real. It prints as one sentence.

    Attributes
    ----------
    n_clusters : int
    evidence : Evidence
    returned : (n_clusters,) array
        How much of each cluster came back when halves of the samples were clustered alone: the mean Jaccard index with the
        most similar cluster.
    too_small : (n_clusters,) array of bool, or None
        Whether a half has too few samples of the cluster to find it, fewer than a neighbour list has.
    """

    n_clusters: int
    evidence: Evidence
    returned: np.ndarray
    too_small: np.ndarray | None = None

    @property
    def supported(self) -> bool:
        """Whether there are clusters, not parts of one cloud, line or ring."""
        return self.n_clusters > 1 and self.evidence.supported

    @property
    def stable(self) -> bool:
        """Whether halves of the samples have the same clusters.

        Where halves have too few samples of some, they divide the others instead, so only what came back of these counts.
        """
        if self.evidence.returned is None or self.evidence.returned >= _UNSTABLE:
            return True
        if self.too_small is None or self.too_small.all() or not self.too_small.any():
            return False
        return float(np.nanmean(self.returned[~self.too_small])) >= _UNSTABLE

    @property
    def dissolved(self) -> tuple[int, ...]:
        """The clusters of which less than half came back, though halves have enough samples of them.

        If more clusters are asked for than there are, some are divided, each time elsewhere.
        """
        if self.too_small is None:
            return ()
        return tuple(np.flatnonzero((self.returned < _DISSOLVED) & ~self.too_small).tolist())

    @property
    def certainty(self) -> float:
        """By what memberships are multiplied to give confidences: 1 if there are clusters, else 0.1."""
        return 1.0 if self.supported else _NO_CLUSTERS

    @property
    def null_ratio(self) -> float:
        """Near 0 if the clusters lie apart, near 1 if they are those of one cloud with the same covariances."""
        return self.evidence.null_ratio

    def __str__(self) -> str:
        if self.n_clusters < 2:
            return f"There are no clusters: {self._why_not()}."
        back = self._came_back()
        if not self.supported:
            return f"These {self.n_clusters} clusters are not supported: {self._why_not()}; {back}."
        what = "halves lose" if self.evidence.by_returned else "conductance"
        apart = f"{what} {self.null_ratio:.2f} of that of data without clusters"
        if not self.stable:
            return f"These {self.n_clusters} clusters are uncertain: {back}; {apart}."
        if self.dissolved:
            noun = "cluster" if len(self.dissolved) == 1 else "clusters"
            names = ", ".join(map(str, self.dissolved))
            return f"Some of these {self.n_clusters} clusters are uncertain ({noun} {names}): {back}; {apart}."
        return f"These {self.n_clusters} clusters are supported: {apart}, and {back}."

    __repr__ = __str__

    def _came_back(self) -> str:
        if np.isnan(self.returned).all():
            return "there are too few samples to cluster halves of them"
        mean, least = float(np.nanmean(self.returned)), int(np.nanargmin(self.returned))
        return f"in halves of the samples {_percent(mean)} of a cluster came back{self._note_on(least, mean)}"

    def _note_on(self, least: int, mean: float) -> str:
        """A note on the cluster of which least came back, if that is much less than of the others."""
        if self.returned[least] >= mean - 0.1:
            return ""
        why = ", of which a half has too few samples" if self.too_small is not None and self.too_small[least] else ""
        return f" (least of cluster {least}: {_percent(self.returned[least])}{why})"

    def _why_not(self) -> str:
        if self.evidence.waves:
            return "the samples lie along a line or around a ring, which can be cut anywhere"
        if self.evidence.supported or self.null_ratio > 0.7:
            ratio = _percent(min(self.null_ratio, 1.0))
            return f"the parts are {ratio} as connected as those of one cloud with the same covariances"
        if self.null_ratio <= LITTLE_STRUCTURE:
            return "they cut through what belongs together, though the samples fall apart elsewhere"
        return "it is as easy to divide each part as to cut it out"

    def renumbered(self, order: np.ndarray) -> Verdict:
        """The same with clusters in another order: the new c is the old ``order[c]``."""
        too_small = None if self.too_small is None else self.too_small[order]
        return Verdict(self.n_clusters, self.evidence, self.returned[order], too_small)

    def as_dict(self) -> dict[str, Any]:
        """The same in plain values, for JSON."""
        return {
            "supported": bool(self.supported),
            "stable": bool(self.stable),
            "dissolved": list(self.dissolved),
            "null_ratio": float(self.null_ratio),
            "returned": [None if np.isnan(share) else float(share) for share in self.returned],
            "sentence": str(self),
        }


@dataclass(frozen=True)
class Returned:
    """What came back of clusters when halves of the samples were clustered alone.

    Attributes
    ----------
    agreements : tuple of float
        The adjusted Rand index of each half with the clusters; empty if there are too few samples for halves.
    shares : (k,) array
        Of each cluster, the mean Jaccard index with the most similar cluster of a half; NaN if there is none.
    too_small : (k,) array of bool, or None
        The clusters of which a half has fewer samples than a neighbour list.
    """

    agreements: tuple[float, ...]
    shares: np.ndarray
    too_small: np.ndarray | None = None

    def renumbered(self, order: np.ndarray) -> Returned:
        """The same with clusters in another order: the new c is the old ``order[c]``."""
        too_small = None if self.too_small is None else self.too_small[order]
        return Returned(self.agreements, self.shares[order], too_small)

    @property
    def agreement(self) -> float | None:
        """The mean of ``agreements``; None if there are none."""
        return float(np.mean(self.agreements)) if self.agreements else None

    @property
    def usual(self) -> float | None:
        """Their median, which does not depend on one unlucky half."""
        return float(np.median(self.agreements)) if self.agreements else None


def come_back(
    labels: np.ndarray,
    k: int,
    cluster: Cluster,
    random_state: np.random.RandomState,
    n_halves: int = _HALVES,
) -> Returned:
    """Cluster halves of the samples alone.

    Parameters
    ----------
    labels : (n,) array of int
    k : int, the number of clusters
    cluster : function from the positions of some samples and a RandomState to their clusters
    random_state : RandomState, for the halves
    n_halves : int, each two of them complementary
    """
    n = len(labels)
    if k < 2 or n // 2 <= k:
        return Returned((), np.full(k, np.nan))
    parts = halves(n, n_halves, k + 1, random_state)
    own = [np.random.RandomState(random_state.randint(2**31 - 1)) for _ in parts]  # halves may be clustered in any order
    tasks = [partial(cluster, part, rng) for part, rng in zip(parts, own, strict=True)]
    found = [np.asarray(clusters) for clusters in together(tasks)]
    agreements = tuple(adjusted_rand(labels[part], clusters) for part, clusters in zip(parts, found, strict=True))
    back = recurrence(labels, [placed(clusters, part, n) for part, clusters in zip(parts, found, strict=True)])
    shares = np.full(k, np.nan)
    shares[: len(back.mean_overlap)] = back.mean_overlap
    too_small = np.bincount(labels, minlength=k) // 2 < default_neighbors(n // 2)
    return Returned(agreements, shares, too_small)


def judge(
    labels: np.ndarray,
    k: int,
    evidence: Callable[[float | None], Evidence],
    cluster: Cluster,
    random_state: np.random.RandomState,
) -> Verdict:
    """Weigh what comes back in halves of the samples (:func:`come_back`) with other evidence, a function of it."""
    back = come_back(labels, k, cluster, random_state)
    return Verdict(k, evidence(back.agreement), back.shares, back.too_small)


def judge_by_neighbors(samples: Samples, labels: np.ndarray, k: int, random_state: np.random.RandomState) -> Verdict:
    """The verdict for clusters of any method: halves are clustered by the sparse graph that comes nearest to the labels.

    Of more than 2,000 samples, 2,000 are taken. It costs a few eigenproblems of sparse graphs.
    """
    rows = drawn_rows(len(samples), random_state)
    if len(rows) < len(samples):
        samples, labels = samples.of_rows(rows), labels[rows]
    if k < 2 or len(samples) // 2 <= k:
        return Verdict(k, Evidence(1.0, False, 0.0), np.full(k, np.nan))
    with threads_for(len(samples), len(samples)):  # one thread: the steps are short
        return _judge_by_neighbors(samples, labels, k, random_state)


def _judge_by_neighbors(samples: Samples, labels: np.ndarray, k: int, random_state: np.random.RandomState) -> Verdict:
    graph = samples.joint_graph()
    count = min(max(k, _LEAST_VALUES) + 1, len(samples))
    found = spectrum(graph, count, random_state=random_state, points=samples.points)
    nulls = np.mean([null.values for _, null in null_spectra(samples, count, random_state)], axis=0)
    by_joint = adjusted_rand(labels, quick_cut(found.vectors[:, :k]))
    take_mean = by_joint < 1 and _by_mean_graph(samples, labels, k, random_state) > by_joint

    def cluster(rows: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        part = samples.of_rows(rows)
        return _cut_mean_graph(part, k, rng) if take_mean else _cut_joint_graph(part, k, rng)

    def evidence(returned: float | None) -> Evidence:
        return Evidence.of(graph, found, nulls, labels, returned, partial(parts_of_clouds, samples, k, random_state))

    return judge(labels, k, evidence, cluster, random_state)


def with_halves(
    evidence: Evidence, samples: Samples, labels: np.ndarray, k: int, random_state: np.random.RandomState
) -> Evidence:
    """The evidence for clusters of the joint graph, with what comes back of them in halves, and of parts of clouds."""
    back = joint_cuts_come_back(samples, labels, k, random_state)
    return replace(evidence, returned=back.agreement, null_returned=parts_of_clouds(samples, k, random_state)[0])


def joint_cuts_come_back(
    samples: Samples, labels: np.ndarray, k: int, random_state: np.random.RandomState, n_halves: int = _HALVES
) -> Returned:
    """:func:`come_back` of clusters of the joint graph."""

    def cluster(rows: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        return _cut_joint_graph(samples.of_rows(rows), k, rng)

    return come_back(labels, k, cluster, random_state, n_halves)


def parts_of_clouds(samples: Samples, k: int, random_state: np.random.RandomState) -> tuple[float, float]:
    """What comes back of parts of clouds without clusters, with the covariances of the samples, and their division ratio.

    The first is an adjusted Rand index; for the second, see :func:`~viewfuse.cluster.structure.division_ratio`.
    """

    def measured(cloud: Samples) -> tuple[float, float]:
        labels = _cut_joint_graph(cloud, k, random_state)
        back = joint_cuts_come_back(cloud, labels, k, random_state, _HALVES // _CLOUDS)
        return back.agreement or 0.0, division_ratio(cloud.joint_graph(), labels)

    found = [measured(samples.null(random_state).compact()) for _ in range(_CLOUDS)]
    returned, division = np.mean(found, axis=0)
    return float(returned), float(division)


def _cut_joint_graph(samples: Samples, k: int, random_state: np.random.RandomState) -> np.ndarray:
    return quick_cut(spectrum(samples.joint_graph(), k, random_state=random_state, points=samples.points).vectors)


def _cut_mean_graph(samples: Samples, k: int, random_state: np.random.RandomState) -> np.ndarray:
    return quick_cut(spectrum(samples.mean_graph(), k, random_state=random_state, points=samples.points).vectors)


def _by_mean_graph(samples: Samples, labels: np.ndarray, k: int, random_state: np.random.RandomState) -> float:
    """How near the clusters of the mean graph come to the labels, as an adjusted Rand index."""
    return adjusted_rand(labels, _cut_mean_graph(samples, k, random_state))


def judge_by_graph(graphs: Sequence[Any], labels: np.ndarray, k: int, random_state: np.random.RandomState) -> Verdict:
    """The verdict for given (n, n) graphs, which have no cloud to compare with: for the null ratio, 1 − modularity."""
    sparse = [normalized_graph(sp.csr_array(graph)) for graph in graphs]
    mean = sp.csr_array(sum(sparse[1:], sparse[0]) / len(sparse))

    def cluster(rows: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        part = sp.csr_array(mean[rows][:, rows])
        return quick_cut(spectrum(part, k, random_state=rng).vectors)

    def evidence(returned: float | None) -> Evidence:
        return Evidence(1 - modularity(mean, labels), False, 0.0, returned)

    return judge(labels, k, evidence, cluster, random_state)


def _percent(share: float) -> str:
    return f"{share:.0%}".replace("%", " %")
