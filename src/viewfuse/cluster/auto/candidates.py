"""The clusterings that AutoFusion considers, each by a graph that sees something the others do not.

* ``joint neighbours``: the neighbour graph of all views side by side. It sees borders that no single view sees.
* ``view neighbours``: the mean of the normalized neighbour graphs of the whitened views. A view with clusters of its own, or
  without any, is outvoted.
* ``anchors``: AnchorGFSC. Coarse, so it sees large shapes through noise. Three placements of the anchors, or more, are cut
  together.
* ``fused graphs``: GFSC. Self-expressive graphs and their cut in one optimisation; the only one that learns weights.
* ``k-means``: no graph, but the means of all views side by side, with rounded values as they are. All samples have a part in
  a mean, so it sees clusters through noise in each sample. Only where there are four times as many samples as columns: in
  more columns most of a mean is noise.

Neighbour graphs are cut in two ways: by rows of the eigenvectors at unit length, which divides a large cluster sooner than
it finds a small one, and ``uneven``, by rows divided by the roots of degrees, which is the other way round and spends
clusters on outliers sooner. The second is taken if it is better in every merit (:mod:`viewfuse.cluster.auto.merit`).

If samples are missing from views, each of these fills the gaps in its own way, and none is best everywhere. Then k-means on
the embeddings of all is the result (``all together``). Each is weighted by the odds ``b/(1 − b)`` that its clusters come
back in halves of the samples (b, an adjusted Rand index): as in a vote, where one that errs rarely counts for several that
err often. Anchors, whose places are chance, take part twice.

Where there are few columns and enough samples, a density can be estimated. Then a ``gaussian mixture`` of all views side by
side is preferred to graphs: it knows the shapes of clusters that touch. Each cluster has its own covariance, or all share
one (``of one shape``), or the covariances are diagonal (``along the axes``). Which of these describes the clusters cannot be
told from a likelihood, which grows with the number of parameters, but it shows in what comes back in halves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.mixture import GaussianMixture

from ..._utils.device import to_host
from ..._utils.lazy import lazy
from ..._utils.warn import ignoring, quietly
from ...graphs import Samples
from ...graphs.rounding import two_valued
from ...linalg import assign_clusters, unit_rows
from ...linalg.sparse_cut import cut_rows, grouped_rows, normalized_graph, spectrum
from ...views import Views
from ..gfsc import GFSC
from .anchor_ensemble import AnchorEnsemble
from .joint import JointCut, is_balanced

__all__ = [
    "FUSED",
    "JOINT",
    "MEANS",
    "MIXTURES",
    "TOGETHER",
    "VIEWS",
    "Candidate",
    "Task",
    "all_together",
    "clustered_again",
    "clustered_like",
    "fused_graphs",
    "gaussian_mixtures",
    "k_means",
    "means_suit",
    "uneven",
]

JOINT, VIEWS, FUSED, MEANS, TOGETHER = "joint neighbours", "view neighbours", "fused graphs", "k-means", "all together"
MIXTURES = {  # and the type of their covariances
    "gaussian mixture": "full",
    "gaussian mixture of one shape": "tied",
    "gaussian mixture along the axes": "diag",
}
_MEANS_INIT = 5
_FEW_INIT, _FEW_INIT_ALONE, _FEW_SWEEPS = 1, 3, 5  # for halves of the samples
_PLACEMENTS, _MOST_PLACEMENTS = 3, 9  # of anchors
_PLACED_SAMPLES = 1_500  # in all placements together
_MOST_COLUMNS = 12  # of mixtures
_SAMPLES_PER_COLUMN = 4  # of means
_SAMPLES_PER_PARAMETER = 2  # so that a half of the samples determines them
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
    leading : (n, p) array or None
        Of anchors: the leading directions of the views, if these samples are some of others for which they are known.
    """

    samples: Samples
    n_clusters: int
    seed: int
    device: str | None
    leading: np.ndarray | None = None


@dataclass(frozen=True)
class Effort:
    """How much is computed.

    Attributes
    ----------
    n_init : int, random starts of a cut, beside one that is not random
    n_init_alone : int, random starts where there are no others: of anchors and of fused graphs
    placements : int, of anchors; None: by the number of samples
    max_iter : int, iterations of the fusion
    """

    n_init: int = 3
    n_init_alone: int = 10
    placements: int | None = None
    max_iter: int = 200


FULL = Effort()


@dataclass(frozen=True)
class Candidate:
    """A clustering: its labels, the embedding and the graph they come from, and how the iterations ended, if any.

    ``given_graph`` may be a function that makes the graph: those of halves are never looked at. ``weights`` are those of the
    others in ``all together``. An ``uneven`` cut of a neighbour graph has clusters of more unequal sizes than the usual one
    (:func:`~viewfuse.linalg.sparse_cut.cut_rows`). ``leading`` is as in :class:`Task`.
    """

    name: str
    labels: np.ndarray
    embedding: np.ndarray
    given_graph: Any
    n_iter: int = 1
    converged: bool = True
    weights: tuple[float, ...] = ()
    uneven: bool = False
    leading: np.ndarray | None = None

    @lazy
    def graph(self) -> Any:
        """The (n, n) graph."""
        return self.given_graph() if callable(self.given_graph) else self.given_graph


def joint_neighbors(task: Task, effort: Effort = FULL) -> Candidate:
    return _cut(JOINT, task.samples.joint_graph(), task, effort)


def view_neighbors(task: Task, effort: Effort = FULL) -> Candidate:
    return _cut(VIEWS, task.samples.mean_graph(), task, effort)


def _cut(name: str, graph: sp.csr_array, task: Task, effort: Effort) -> Candidate:
    rng = np.random.RandomState(task.seed)
    embedding = spectrum(graph, task.n_clusters, random_state=rng, points=task.samples.points).vectors
    with quietly():
        labels = cut_rows(embedding, n_init=effort.n_init, random_state=rng)
    return Candidate(name, labels, embedding, graph)


def uneven(candidate: Candidate, task: Task, effort: Effort = FULL) -> Candidate:
    """The uneven cut of the graph of a candidate."""
    rng, degree = np.random.RandomState(task.seed), np.asarray(candidate.graph.sum(axis=1)).ravel()
    with quietly():
        labels = cut_rows(candidate.embedding, n_init=effort.n_init, random_state=rng, degree=degree)
    return replace(candidate, labels=labels, uneven=True)


def anchors(task: Task, effort: Effort = FULL) -> Candidate:
    if (placements := effort.placements) is None:  # of few samples each placement says less, and costs little
        placements = min(max(_PLACEMENTS, _PLACED_SAMPLES // len(task.samples)), _MOST_PLACEMENTS)
    with quietly():
        rng = np.random.RandomState(task.seed)
        found = AnchorEnsemble.of(
            task.samples, task.n_clusters, placements, rng, n_init=effort.n_init_alone, leading=task.leading
        )
    return Candidate(
        "anchors", found.labels, found.embedding, found.graph, found.n_iter, found.converged, leading=found.leading
    )


def fused_graphs(task: Task, effort: Effort = FULL) -> Candidate:
    with quietly():
        method = GFSC(
            task.n_clusters,
            view_weights=task.samples.weights,
            max_iter=effort.max_iter,
            n_init=effort.n_init_alone,
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


def means_suit(samples: Samples) -> bool:
    """Whether all samples are complete, and enough for the means of their columns."""
    n_columns = sum(view.shape[1] for view in samples.points)
    return samples.present is None and len(samples) >= _SAMPLES_PER_COLUMN * n_columns


def k_means(first: Candidate, task: Task) -> Candidate:
    """The clusters of the means, with the embedding and the graph of the first candidate."""
    labels = _nearest_means(task.samples, task.n_clusters, _MEANS_INIT, np.random.RandomState(task.seed))
    return Candidate(MEANS, labels, first.embedding, first.graph)


def _nearest_means(samples: Samples, k: int, n_init: int, random_state: np.random.RandomState) -> np.ndarray:
    with quietly():
        return np.asarray(assign_clusters(samples.joint_values(), k, n_init=n_init, random_state=random_state))


def gaussian_mixtures(samples: Samples, cut: JointCut, random_state: np.random.RandomState) -> list[Candidate]:
    """Mixtures of normal distributions: one for each type of covariances with few enough parameters, if columns are few.

    A column of two values has no density, and the likeliest mixture is the one that divides it. Mixtures that spend a
    cluster on outliers are left out. Filled cells do not count as observations: means of similar
    samples make the covariance of a cluster too small in some directions, to which a mixture with a covariance for each
    cluster adapts.
    """
    n, p, k = len(samples), sum(view.shape[1] for view in samples.points), cut.n_clusters
    if p > _MOST_COLUMNS:
        return []
    shape, others, joint = p * (p + 1) // 2, k * (1 + p), samples.joint()
    if two_valued(samples.joint_values()).any():
        return []
    n_parameters = {"full": k * shape + others, "tied": shape + others, "diag": k * p + others}
    found = []
    for name, covariances in MIXTURES.items():
        if (1 - cut.filled) * n < _SAMPLES_PER_PARAMETER * n_parameters[covariances]:
            continue
        labels = _mixture_labels(joint, k, covariances, random_state, start=cut.labels)
        if is_balanced(labels, k) and np.bincount(labels, minlength=k).min() >= _FEWEST_PER_COORDINATE * (p + 1):
            found.append(Candidate(name, labels, cut.spectrum.vectors[:, :k], cut.graph))
    return found


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


def all_together(candidates: Sequence[Candidate], weights: Sequence[float], task: Task, effort: Effort = FULL) -> Candidate:
    """k-means on the embeddings of the four candidates and of anchors in other places, with the weights of the four.

    The rows of each embedding have length ``√w``. The graph is the weighted mean of theirs, and the embedding has the
    leading directions of what is side by side.
    """
    parts = [*candidates, anchors(replace(task, seed=task.seed + 1), effort)]
    names = [candidate.name for candidate in parts]
    shares = np.array([weights[names.index(name)] for name in names])
    shares /= shares.sum()
    k = task.n_clusters
    rows = np.hstack([np.sqrt(share) * unit_rows(part.embedding[:, :k]) for share, part in zip(shares, parts, strict=True)])
    starts = [part.labels for part in parts]
    with quietly():
        labels = grouped_rows(rows, k, starts, n_init=effort.n_init, random_state=np.random.RandomState(task.seed))
    left, lengths, _ = np.linalg.svd(rows, full_matrices=False)

    def graph() -> sp.csr_array:
        graphs = [share * normalized_graph(sp.csr_array(part.graph)) for share, part in zip(shares, parts, strict=True)]
        return sp.csr_array(sum(graphs[1:], graphs[0]))

    return Candidate(
        TOGETHER,
        labels,
        left[:, :k] * lengths[:k],
        graph,
        max(part.n_iter for part in parts),
        all(part.converged for part in parts),
        tuple(weights),
    )


def clustered_like(candidate: Candidate, task: Task, effort: Effort = FULL) -> Candidate:
    """Other samples in the candidate's way, which is neither a mixture nor k-means."""
    if candidate.name != TOGETHER:
        found = _WAYS[candidate.name](task, effort)
        return uneven(found, task, effort) if candidate.uneven else found
    parts = [way(task, effort) for way in _WAYS.values()]
    return all_together(parts, candidate.weights, task, effort)


def clustered_again(candidate: Candidate, task: Task, rows: np.ndarray) -> np.ndarray:
    """The labels of some rows of the samples, those of the task, in the candidate's way, with less effort."""
    if candidate.leading is not None:
        task = replace(task, leading=candidate.leading[rows])
    rng = np.random.RandomState(task.seed)
    if candidate.name == MEANS:
        return _nearest_means(task.samples, task.n_clusters, _FEW_INIT, rng)
    if candidate.name in MIXTURES:
        return _mixture_labels(task.samples.joint(), task.n_clusters, MIXTURES[candidate.name], rng)
    return clustered_like(candidate, task, _effort_of_half(candidate.n_iter)).labels


def _effort_of_half(n_iter: int) -> Effort:
    return Effort(_FEW_INIT, _FEW_INIT_ALONE, 1, min(n_iter, _FEW_SWEEPS))


def _fitted(model: Any, samples: Samples) -> Any:
    """Fitted in single precision, without a verdict: there is one on what is chosen in the end."""
    model._gives_verdict = False
    model._known_products = _products_of_wide_views(samples) if model.device is None else None
    # Views, not a list: a list inside cross-validation is taken for folds of whole views.
    return model.fit(Views([view.astype(np.float32) for view in samples.with_gaps()]))


def _products_of_wide_views(samples: Samples) -> list[np.ndarray | None] | None:
    """The inner products of the samples in views with at least as many columns, if they are known."""
    if samples.products is None:
        return None
    wide = [view.shape[1] >= len(samples) for view in samples.points]
    return [products if is_wide else None for products, is_wide in zip(samples.products, wide, strict=True)]


_WAYS: dict[str, Callable[[Task, Effort], Candidate]] = {
    JOINT: joint_neighbors,
    VIEWS: view_neighbors,
    "anchors": anchors,
    FUSED: fused_graphs,
}
