"""Co-train: each view's graph projected onto the others' embeddings.

    A_v = sym((Σ_{u≠v} U_u U_uᵀ) K_v),   U_v = the k largest eigenvectors of the normalised A_v

No function is minimised; a fixed number of rounds is run. A round is 4n²kt operations and t eigenproblems; memory t + 2
arrays of n × n.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...linalg import Laplacian, smallest_eigenpairs, unit_rows
from ...views import Views
from .base import GraphMethod
from .solution import Solution
from .sc import spectral_embedding

__all__ = ["CoTrain", "co_train"]


def co_train(
    graphs: Sequence[np.ndarray], n_clusters: int, *, max_iter: int, tol: float, random_state: np.random.RandomState
) -> Solution:
    """The rounds of co-training, from symmetric non-negative graphs (n, n)."""
    embeddings = [_embedding(graph, n_clusters, None, random_state) for graph in graphs]
    changes: list[float] = []
    while len(changes) < max_iter and not (changes and changes[-1] <= tol):
        old, embeddings = embeddings, []
        for v, graph in enumerate(graphs):
            others = np.hstack([old[u] for u in range(len(graphs)) if u != v] or [old[v]])
            projected = others @ (others.T @ graph)
            projected = (projected + projected.T) / 2
            projected -= min(projected.min(), 0)
            embeddings.append(_embedding(projected, n_clusters, old[v], random_state))
        pairs = zip(old, embeddings, strict=True)
        changes.append(float(np.mean([1 - ((a.T @ b) ** 2).sum() / n_clusters for a, b in pairs])))
    points = np.hstack([unit_rows(embedding) for embedding in embeddings])
    history = {"change": np.asarray(changes)}
    return Solution(changes[-1] <= tol, len(changes), points=points, embedding=np.hstack(embeddings), history=history)


def _embedding(graph: np.ndarray, k: int, start: np.ndarray | None, rng: np.random.RandomState) -> np.ndarray:
    return smallest_eigenpairs(Laplacian.of(graph, normalized=True), k, start=start, random_state=rng).vectors


class CoTrain(GraphMethod):
    """Co-trained multi-view spectral clustering.

    There is no objective: round by round each graph ``K_v`` becomes ``sym((Σ_{u≠v} U_u U_uᵀ) K_v)``, shifted to be
    non-negative, and ``U_v`` the k largest eigenvectors of its normalised form. k-means runs on the rows of all ``U_v``
    side by side, each scaled to unit length. With one view this is spectral clustering.

    ``history_["change"]`` has, for every round, how far the embeddings turned (mean squared sine of the angles).

    Parameters
    ----------
    n_clusters : int, default=8
    affinity : {"gaussian", "adaptive-neighbors", "self-expressive", "cosine", "precomputed"}
        The graph of each view: Gaussian with median bandwidth; adaptive neighbours; ``(G + αI)⁻¹G``; cosine; or the views
        are (n_samples, n_samples) graphs themselves.
    n_neighbors : int or None
        Keep each sample's strongest ties only; None keeps all (adaptive neighbours: 10).
    alpha : float, default=10
        The regularisation of the self-expressive graph.
    scaling : {"unit-samples", "min-max", "unit-spread"}
        How a view is scaled first: samples to unit length, the view as a whole to [−1, 1] as in the paper, or centred and
        to mean squared distance 1 (distances do not tell the last two from the features as they are).
    max_iter : int
        Largest number of iterations.
    tol : float
        Rounds also end when the embeddings turn by less than this.
    views : dict or list, default=None
        For one 2-D array or DataFrame: the columns of each view, as in :class:`viewfuse.GFSC`.
    n_init : int, default=10
        k-means runs on the embedding; the best counts.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : (n_samples,) array of int
    embedding_ : (n_samples, p) array
    history_ : dict of traces
    n_iter_ : int
    converged_ : bool
    view_names_ : (n_views,) array of str
    n_features_in_ : int, of all views together

    References
    ----------
    A. Kumar and H. Daumé III. A co-training approach for multi-view spectral clustering. ICML 2011.

    Examples
    --------
    >>> from viewfuse import METHODS, metrics
    >>> from viewfuse.datasets import load_digits_views
    >>> views = load_digits_views()[:150]
    >>> model = METHODS["co-train"](n_clusters=10, random_state=0).fit(views)
    >>> metrics.accuracy(views.y, model.labels_) > 0.4
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        affinity: str = "gaussian",
        n_neighbors: int | None = 10,
        alpha: float = 10.0,
        scaling: str = "unit-samples",
        max_iter: int = 10,
        tol: float = 1e-4,
        views: Any = None,
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.scaling = scaling
        self.max_iter = max_iter
        self.tol = tol
        self.views = views
        self.n_init = n_init
        self.random_state = random_state

    _warns_at_max_iter = False  # a fixed number of rounds is the method

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        if len(arrays) == 1:
            return spectral_embedding(self._graphs(arrays)[0], self.n_clusters, rng)[0]
        graphs = self._graphs(arrays)
        return co_train(graphs, self.n_clusters, max_iter=self.max_iter, tol=self.tol, random_state=rng)
