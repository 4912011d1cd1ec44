"""The clusterings that AutoFusion considers, each by a graph that sees something the others do not.

* ``joint neighbours``: the neighbour graph of all views side by side. It sees borders that no single view sees.
* ``view neighbours``: the mean of the normalized neighbour graphs of the whitened views. A view with clusters of its own, or
  without any, is outvoted.
* ``anchors``: AnchorGFSC. Coarse, so it sees large shapes through noise.
* ``fused graphs``: GFSC. Self-expressive graphs and their cut in one optimisation; the only one that learns weights.

Where there are few columns and enough samples, a density can be estimated. Then a ``gaussian mixture`` of all views side by
side is preferred to graphs: it knows the shapes of clusters that touch.
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
from ...graphs.nearest import neighbor_graph, whitened_points
from ...linalg import assign_clusters, unit_rows
from ...linalg.sparse_cut import normalized_graph, spectrum
from ..anchor_gfsc import AnchorGFSC
from ..gfsc import GFSC
from .joint import JointCut, is_balanced

__all__ = ["CANDIDATES", "Candidate", "Task", "gaussian_mixture"]

_N_INIT = 10
_MOST_COLUMNS = 12
_SAMPLES_PER_PARAMETER = 3


@dataclass(frozen=True)
class Task:
    """What a candidate is made from.

    Attributes
    ----------
    points : sequence of (n, p_v) arrays, complete
    present : (n, n_views) array of bool or None
        Which points are the samples' own. Each of these methods has its own way to do without the others.
    n_clusters, seed : int
    device : str or None
    """

    points: Sequence[np.ndarray]
    present: np.ndarray | None
    n_clusters: int
    seed: int
    device: str | None

    def rows(self) -> list[np.ndarray]:
        """The samples that are present in each view."""
        n = len(self.points[0])
        if self.present is None:
            return [np.arange(n)] * len(self.points)
        return [np.flatnonzero(there) for there in self.present.T]

    def views(self) -> list[np.ndarray]:
        """The points as views, NaN where samples are missing."""
        if self.present is None:
            return list(self.points)
        return [np.where(self.present[:, [v]], view, np.nan) for v, view in enumerate(self.points)]


@dataclass(frozen=True)
class Candidate:
    """A clustering: its labels, the embedding and the graph they come from, and how the iterations ended, if any."""

    name: str
    labels: np.ndarray
    embedding: np.ndarray
    graph: Any
    n_iter: int = 1
    converged: bool = True


def view_neighbors(task: Task) -> Candidate:
    rng = np.random.RandomState(task.seed)
    graphs = [_graph_among(rows, view) for view, rows in zip(task.points, task.rows(), strict=True)]
    graph = sp.csr_array(sum(graphs[1:], graphs[0]) / len(graphs))
    embedding = spectrum(graph, task.n_clusters, random_state=rng).vectors
    labels = assign_clusters(unit_rows(embedding), task.n_clusters, n_init=_N_INIT, random_state=rng)
    return Candidate("view neighbours", np.asarray(labels), embedding, graph)


def _graph_among(rows: np.ndarray, points: np.ndarray) -> sp.csr_array:
    """The normalized neighbour graph of some of the samples; the others have no edges."""
    n, graph = len(points), normalized_graph(neighbor_graph(whitened_points(points[rows]))).tocoo()
    return sp.csr_array((graph.data, (rows[graph.row], rows[graph.col])), shape=(n, n))


def anchors(task: Task) -> Candidate:
    with quietly():
        model = AnchorGFSC(task.n_clusters, random_state=task.seed, device=task.device).fit(task.views())
    embedding = np.asarray(model.embedding_, dtype=np.float64)[:, : task.n_clusters]
    graph = sp.csr_array(model.anchor_graph_)
    degree = np.asarray(graph.sum(axis=0)).ravel()
    scaled = sp.csr_array(graph.multiply(1 / np.where(degree > 0, degree, 1)[None, :]))
    return Candidate(
        "anchors", np.asarray(model.labels_), embedding, sp.csr_array(scaled @ graph.T), model.n_iter_, model.converged_
    )


def fused_graphs(task: Task) -> Candidate:
    with quietly():
        model = GFSC(task.n_clusters, random_state=task.seed, device=task.device).fit(task.views())
    return Candidate(
        "fused graphs",
        to_host(model.labels_),
        np.asarray(to_host(model.embedding_), dtype=np.float64),
        to_host(model.affinity_matrix_),
        model.n_iter_,
        model.converged_,
    )


def gaussian_mixture(joint: np.ndarray, cut: JointCut, random_state: np.random.RandomState) -> Candidate | None:
    """A mixture with full covariances; None if its parameters are too many, or if it spends a cluster on outliers."""
    (n, p), k = joint.shape, cut.n_clusters
    parameters = k * (1 + p + p * (p + 1) // 2)
    if p > _MOST_COLUMNS or n < _SAMPLES_PER_PARAMETER * parameters:
        return None
    with ignoring("Best performing initialization did not converge"):
        mixture = GaussianMixture(k, n_init=5, reg_covar=1e-3 * float(joint.var()), random_state=random_state)
        labels = mixture.fit_predict(joint)
    if not is_balanced(labels, k):
        return None
    return Candidate("gaussian mixture", labels, cut.spectrum.vectors[:, :k], cut.graph)


# Beside the joint neighbours; in the order of their cost.
CANDIDATES: tuple[Callable[[Task], Candidate], ...] = (view_neighbors, anchors, fused_graphs)
