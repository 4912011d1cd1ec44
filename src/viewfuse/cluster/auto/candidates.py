"""The clusterings that AutoFusion considers, each by a graph that sees something the others do not.

* ``joint neighbours``: the neighbour graph of all views side by side. It sees borders that no single view sees.
* ``view neighbours``: the mean of the normalized neighbour graphs of the whitened views. A view with clusters of its own, or
  without any, is outvoted.
* ``anchors``: AnchorGFSC. Coarse, so it sees large shapes through noise.
* ``fused graphs``: GFSC. Self-expressive graphs and their cut in one optimisation; the only one that learns weights.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..._utils.device import to_host
from ...exceptions import ViewfuseWarning
from ...graphs.nearest import neighbor_graph, whitened_points
from ...linalg import assign_clusters, unit_rows
from ...linalg.sparse_cut import normalized_graph, spectrum
from ..anchor_gfsc import AnchorGFSC
from ..gfsc import GFSC

__all__ = ["CANDIDATES", "Candidate"]

_N_INIT = 10


@dataclass(frozen=True)
class Candidate:
    """A clustering: its labels, the embedding and the graph they come from, and how the iterations ended, if any."""

    name: str
    labels: np.ndarray
    embedding: np.ndarray
    graph: Any
    n_iter: int = 1
    converged: bool = True


def view_neighbors(points: Sequence[np.ndarray], n_clusters: int, seed: int, device: str | None) -> Candidate:
    graphs = [normalized_graph(neighbor_graph(whitened_points(view))) for view in points]
    graph = sp.csr_array(sum(graphs[1:], graphs[0]) / len(graphs))
    rng = np.random.RandomState(seed)
    embedding = spectrum(graph, n_clusters, random_state=rng).vectors
    labels = assign_clusters(unit_rows(embedding), n_clusters, n_init=_N_INIT, random_state=rng)
    return Candidate("view neighbours", np.asarray(labels), embedding, graph)


def anchors(points: Sequence[np.ndarray], n_clusters: int, seed: int, device: str | None) -> Candidate:
    with _quietly():
        model = AnchorGFSC(n_clusters, random_state=seed, device=device).fit(list(points))
    embedding = np.asarray(model.embedding_, dtype=np.float64)[:, :n_clusters]
    graph = sp.csr_array(model.anchor_graph_)
    degree = np.asarray(graph.sum(axis=0)).ravel()
    scaled = sp.csr_array(graph.multiply(1 / np.where(degree > 0, degree, 1)[None, :]))
    return Candidate(
        "anchors", np.asarray(model.labels_), embedding, sp.csr_array(scaled @ graph.T), model.n_iter_, model.converged_
    )


def fused_graphs(points: Sequence[np.ndarray], n_clusters: int, seed: int, device: str | None) -> Candidate:
    with _quietly():
        model = GFSC(n_clusters, random_state=seed, device=device).fit(list(points))
    return Candidate(
        "fused graphs",
        to_host(model.labels_),
        np.asarray(to_host(model.embedding_), dtype=np.float64),
        to_host(model.affinity_matrix_),
        model.n_iter_,
        model.converged_,
    )


@contextmanager
def _quietly() -> Iterator[None]:
    """Candidates may be poor; their warnings are not about the result."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ViewfuseWarning)
        yield


# Beside the joint neighbours; in the order of their cost.
CANDIDATES: tuple[Callable[[Sequence[np.ndarray], int, int, str | None], Candidate], ...] = (
    view_neighbors,
    anchors,
    fused_graphs,
)
