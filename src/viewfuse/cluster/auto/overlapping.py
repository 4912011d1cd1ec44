"""Clusters that overlap so much that their neighbour graphs do not see them.

In many columns the nearest neighbours of a sample are near by chance, and a graph of them is as connected as that of one
cloud. The means of clusters can still be found if there are many samples: anchors and then clouds
(:mod:`viewfuse.cluster.rows.clouds`) average over them. What they find is judged by what comes back when halves of the
samples are clustered: with ``a`` the mean adjusted Rand index of the halves with the whole, and ``a₀`` that of one normally
distributed cloud with the same covariances, the null ratio is ``(1 − a)/(1 − a₀)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._utils.agreement import adjusted_rand
from ..._utils.warn import quietly
from ...graphs import Samples
from ...linalg import halves, numbered_by_size
from ...views import Views
from ..anchor_gfsc import AnchorGFSC
from ..structure import Evidence
from ..verdict import Verdict, judge
from .candidates import Candidate

__all__ = ["OVERLAPPING", "Overlapping", "overlapping_clusters", "samples_for_overlapping"]

OVERLAPPING = "overlapping clouds"
_MOST_SAMPLES = 40_000  # enough to know the means of clusters; where these overlap, more samples do not help
_MOST_NUMBERS = 2e7  # in the points of these samples: 160 MB
_MOST_JUDGED = 10_000
_LEAST_CHANCE = 1e-6


@dataclass(frozen=True)
class Overlapping:
    """Clusters that overlap.

    Attributes
    ----------
    labels : (n,) array of int, numbered by size
    embedding : (n, p) array
    n_iter : int
    converged : bool
    verdict : Verdict
    """

    labels: np.ndarray
    embedding: np.ndarray
    n_iter: int
    converged: bool
    verdict: Verdict

    def candidate(self, graph: Any, count: int) -> Candidate:
        """The first so many samples as a candidate, with this graph of them."""
        return Candidate(OVERLAPPING, self.labels[:count], self.embedding[:count], graph, self.n_iter, self.converged)


def samples_for_overlapping(n_columns: int) -> int:
    """The number of samples to look for overlapping clusters in."""
    return min(_MOST_SAMPLES, int(_MOST_NUMBERS / max(n_columns, 1)))


def overlapping_clusters(
    samples: Samples, n_clusters: int, random_state: np.random.RandomState, device: str | None
) -> Overlapping | None:
    """Cluster by anchors and clouds; None if neighbours tell the clusters better than clouds do."""

    def fitted(some: Samples, rng: np.random.RandomState = random_state) -> AnchorGFSC:
        seed = int(rng.randint(2**31 - 1))
        model = AnchorGFSC(n_clusters, view_weights=some.weights, random_state=seed, device=device)
        model._gives_verdict = False
        with quietly():
            return model.fit(Views(some.with_gaps()))

    model = fitted(samples)
    if model._placement.clouds is None:
        return None
    few = np.sort(random_state.permutation(len(samples))[:_MOST_JUDGED])
    some = samples.of_rows(few)
    null = some.null(random_state)
    labels = np.asarray(fitted(null).labels_)
    parts = halves(len(few), 2, n_clusters + 1, random_state)
    by_chance = np.mean([adjusted_rand(labels[part], fitted(null.of_rows(part)).labels_) for part in parts])

    def evidence(returned: float | None) -> Evidence:
        ratio = 1.0 if returned is None else (1 - returned) / max(1 - float(by_chance), _LEAST_CHANCE)
        return Evidence(ratio, False, 0.0, returned, by_returned=True)

    def cluster(rows: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        return np.asarray(fitted(some.of_rows(rows), rng).labels_)

    labels = np.asarray(numbered_by_size(model.labels_))
    verdict = judge(labels[few], n_clusters, evidence, cluster, random_state)
    embedding = np.asarray(model.embedding_, dtype=np.float64)[:, :n_clusters]
    return Overlapping(labels, embedding, model.n_iter_, model.converged_, verdict)
