"""The clusterings that AutoFusion considers, each by a graph that sees something the others do not.

* ``joint neighbours``: the neighbour graph of all views side by side. It sees borders that no single view sees.
* ``view neighbours``: the mean of the normalized neighbour graphs of the whitened views. A view with clusters of its own, or
  without any, is outvoted.
* ``anchors``: AnchorGFSC. Coarse, so it sees large shapes through noise. Three placements of the anchors, or more, are cut
  together.
* ``fused graphs``: GFSC. Self-expressive graphs and their cut in one optimisation; the only one that learns weights.

If samples are missing from views, each of these fills the gaps in its own way, and which one suits cannot be seen in halves,
where gaps are filled anew. Then k-means on the embeddings of all is the result (``all together``).

Where there are few columns and enough samples, a density can be estimated. Then a ``gaussian mixture`` of all views side by
side is preferred to graphs: it knows the shapes of clusters that touch. With too few samples for a covariance of each
cluster, or too many filled cells, the clusters share one covariance (``gaussian mixture of one shape``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.mixture import GaussianMixture

from ..._utils.device import to_host
from ..._utils.warn import ignoring, quietly
from ...graphs import Samples
from ...linalg import assign_clusters, unit_rows
from ...linalg.sparse_cut import cut_rows, normalized_graph, spectrum
from ..gfsc import GFSC
from .anchor_ensemble import AnchorEnsemble
from .joint import JointCut, is_balanced

__all__ = [
    "FUSED",
    "JOINT",
    "MAKING",
    "MIXTURES",
    "QUICK",
    "TOGETHER",
    "Candidate",
    "Task",
    "all_together",
    "clustered_again",
    "fused_graphs",
    "gaussian_mixture",
]

JOINT, FUSED, TOGETHER = "joint neighbours", "fused graphs", "all together"
MIXTURES = {"gaussian mixture": "full", "gaussian mixture of one shape": "tied"}  # and the type of their covariances
_N_INIT, _FEW_INIT = 3, 1
_MOST_SWEEPS, _FEW_SWEEPS = 200, 5
_PLACEMENTS, _MOST_PLACEMENTS = 3, 9  # of anchors
_PLACED_SAMPLES = 1_500  # in all placements together
_MOST_COLUMNS = 12
_SAMPLES_PER_PARAMETER = {"full": 5, "tied": 3}  # by the type of covariances
_FEWEST_PER_COORDINATE = 2  # samples of a cluster whose centre is known well enough


@dataclass(frozen=True)
class Task:
    """What a candidate is made from.

    Attributes
    ----------
    samples : Samples
        Each of these methods has its own way to do without the points of missing samples.
    n_clusters, seed : int
    device : str or None
    """

    samples: Samples
    n_clusters: int
    seed: int
    device: str | None


@dataclass(frozen=True)
class Candidate:
    """A clustering: its labels, the embedding and the graph they come from, and how the iterations ended, if any."""

    name: str
    labels: np.ndarray
    embedding: np.ndarray
    graph: Any
    n_iter: int = 1
    converged: bool = True


def view_neighbors(task: Task, n_init: int = _N_INIT) -> Candidate:
    return _cut("view neighbours", task.samples.mean_graph(), task, n_init)


def _cut(name: str, graph: sp.csr_array, task: Task, n_init: int) -> Candidate:
    rng = np.random.RandomState(task.seed)
    embedding = spectrum(graph, task.n_clusters, random_state=rng, points=task.samples.points).vectors
    with quietly():
        labels = cut_rows(embedding, n_init=n_init, random_state=rng)
    return Candidate(name, labels, embedding, graph)


def anchors(task: Task, placements: int | None = None) -> Candidate:
    if placements is None:  # of few samples each placement says less, and costs little
        placements = min(max(_PLACEMENTS, _PLACED_SAMPLES // len(task.samples)), _MOST_PLACEMENTS)
    with quietly():
        found = AnchorEnsemble.of(task.samples, task.n_clusters, placements, np.random.RandomState(task.seed))
    return Candidate("anchors", found.labels, found.embedding, found.graph(), found.n_iter, found.converged)


def fused_graphs(task: Task, max_iter: int = _MOST_SWEEPS) -> Candidate:
    with quietly():
        method = GFSC(
            task.n_clusters,
            view_weights=task.samples.weights,
            max_iter=max_iter,
            random_state=task.seed,
            device=task.device,
        )
        model = _fitted(method, task.samples)
    return Candidate(
        FUSED,
        to_host(model.labels_),
        np.asarray(to_host(model.embedding_), dtype=np.float64),
        to_host(model.affinity_matrix_),
        model.n_iter_,
        model.converged_,
    )


def gaussian_mixture(joint: np.ndarray, cut: JointCut, random_state: np.random.RandomState) -> Candidate | None:
    """A mixture of normal distributions; None if its parameters are too many, or if it spends a cluster on outliers.

    Filled cells do not count as observations: means of similar samples make the covariance of a cluster too small in some
    directions, to which a mixture with a covariance for each cluster adapts.
    """
    (n, p), k = joint.shape, cut.n_clusters
    shape, others = p * (p + 1) // 2, k * (1 + p)
    n_parameters = {"full": k * shape + others, "tied": shape + others}
    observed = (1 - cut.filled) * n
    affordable = [name for name, kind in MIXTURES.items() if observed >= _SAMPLES_PER_PARAMETER[kind] * n_parameters[kind]]
    if p > _MOST_COLUMNS or not affordable:
        return None
    labels = _mixture_labels(joint, k, MIXTURES[affordable[0]], random_state, start=cut.labels)
    if not is_balanced(labels, k) or np.bincount(labels, minlength=k).min() < _FEWEST_PER_COORDINATE * (p + 1):
        return None
    return Candidate(affordable[0], labels, cut.spectrum.vectors[:, :k], cut.graph)


def _mixture_labels(
    joint: np.ndarray, k: int, covariances: str, random_state: np.random.RandomState, start: np.ndarray | None = None
) -> np.ndarray:
    """The labels of the likeliest mixture of several starts: from k-means and, if given, from the labels ``start``."""
    options = {"covariance_type": covariances, "reg_covar": 1e-3 * float(joint.var()), "random_state": random_state}
    mixtures = [GaussianMixture(k, n_init=5, **options)]
    if start is not None:
        means = np.stack([joint[start == c].mean(axis=0) for c in range(k)])
        mixtures.append(GaussianMixture(k, means_init=means, **options))
    with ignoring("Best performing initialization did not converge"), ignoring("Number of distinct clusters"):
        best = max((mixture.fit(joint) for mixture in mixtures), key=lambda mixture: mixture.lower_bound_)
    return np.asarray(best.predict(joint))


def all_together(candidates: Sequence[Candidate], n_clusters: int, seed: int) -> Candidate:
    """k-means on the embeddings of several candidates side by side, each row of each at unit length.

    Its graph is the mean of theirs, and its embedding has the leading directions of what is side by side.
    """
    rows = np.hstack([unit_rows(candidate.embedding[:, :n_clusters]) for candidate in candidates])
    with quietly():
        labels = assign_clusters(rows, n_clusters, n_init=_N_INIT, random_state=np.random.RandomState(seed))
    left, lengths, _ = np.linalg.svd(rows, full_matrices=False)
    graphs = [normalized_graph(sp.csr_array(candidate.graph)) for candidate in candidates]
    return Candidate(
        TOGETHER,
        np.asarray(labels),
        left[:, :n_clusters] * lengths[:n_clusters],
        sp.csr_array(sum(graphs[1:], graphs[0]) / len(graphs)),
        max(candidate.n_iter for candidate in candidates),
        all(candidate.converged for candidate in candidates),
    )


def every_way(task: Task, n_init: int = _N_INIT, placements: int | None = None, max_iter: int = _MOST_SWEEPS) -> Candidate:
    """All other candidates together."""
    joint = _cut(JOINT, task.samples.joint_graph(), task, n_init)
    others = [view_neighbors(task, n_init), anchors(task, placements), fused_graphs(task, max_iter)]
    return all_together([joint, *others], task.n_clusters, task.seed)


def clustered_again(candidate: Candidate, task: Task) -> np.ndarray:
    """The labels of some of the samples in the candidate's way, with fewer starts, placements and iterations."""
    name, max_iter = candidate.name, min(candidate.n_iter, _FEW_SWEEPS)
    if name == JOINT:
        return _cut(name, task.samples.joint_graph(), task, _FEW_INIT).labels
    if name in MIXTURES:
        rng = np.random.RandomState(task.seed)
        return _mixture_labels(task.samples.joint(), task.n_clusters, MIXTURES[name], rng)
    if name == "anchors":
        return anchors(task, placements=1).labels
    if name == FUSED:
        return fused_graphs(task, max_iter).labels
    if name == TOGETHER:
        return every_way(task, _FEW_INIT, placements=1, max_iter=max_iter).labels
    return view_neighbors(task, _FEW_INIT).labels


def _fitted(model: Any, samples: Samples) -> Any:
    """Fitted in single precision, without a verdict: there is one on what is chosen in the end."""
    model._gives_verdict = False
    model._known_products = _products_of_wide_views(samples) if model.device is None else None
    return model.fit([view.astype(np.float32) for view in samples.with_gaps()])


def _products_of_wide_views(samples: Samples) -> list[np.ndarray | None] | None:
    """The inner products of the samples in views with at least as many columns, if they are known."""
    if samples.products is None:
        return None
    wide = [view.shape[1] >= len(samples) for view in samples.points]
    return [products if is_wide else None for products, is_wide in zip(samples.products, wide, strict=True)]


# The ways to cluster beside the joint neighbours; the quick ones first.
QUICK: tuple[Callable[[Task], Candidate], ...] = (view_neighbors, anchors)
MAKING: dict[str, Callable[[Task], Candidate]] = {
    "view neighbours": view_neighbors,
    "anchors": anchors,
    FUSED: fused_graphs,
    TOGETHER: every_way,
}
