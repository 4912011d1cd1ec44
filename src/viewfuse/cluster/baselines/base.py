"""What the comparison methods share: from a solver's record to fitted attributes, and from views to graphs."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from ...exceptions import ConvergenceWarning
from ...graphs import AFFINITIES, SCALINGS, as_dense, view_graph
from ...linalg import assign_clusters
from ...linalg.threads import worker_threads
from ...views import Views
from .._base import MultiViewClusterer, RelabelMixin
from .._checks import check_choice, check_count, check_finite_results, check_number, check_zero_samples
from .solution import Solution

_THREADED_FROM = 1000

__all__ = ["AffinityMethod", "ComparisonMethod", "GraphMethod"]


class ComparisonMethod(MultiViewClusterer):
    """Base of the comparison methods: a subclass says in ``_solve`` how to get a ``Solution`` from NumPy or sparse views."""

    scaling: str
    max_iter: int
    tol: float
    n_init: int
    random_state: Any
    _points: Any
    _warns_at_max_iter = True

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        raise NotImplementedError(f"{type(self).__name__} has no _solve")

    def _check_parameters(self) -> None:
        check_choice("scaling", self.scaling, tuple(SCALINGS))
        check_count("n_init", self.n_init, least=1)
        if hasattr(self, "max_iter"):
            check_count("max_iter", self.max_iter, least=1)
            check_number("tol", self.tol, positive=False)

    def _fit(self, views: Views, arrays: list[Any], used: list[int]) -> None:
        rng = check_random_state(self.random_state)
        if self.scaling == "unit-samples" and self.affinity != "precomputed":
            check_zero_samples(views, arrays, used)
        chosen = [arrays[v] if sp.issparse(arrays[v]) else np.asarray(arrays[v]) for v in used]
        # Small products gain nothing from a threaded BLAS, and lose much where others use the cores too.
        with worker_threads() if len(views) < _THREADED_FROM else nullcontext():
            solution = self._solve(views, chosen, used, rng)
        check_finite_results(self, solution.objective, solution.embedding, solution.graph, solution.weights)
        self._points = solution.points
        if solution.points is None:
            self.labels_ = solution.labels
        else:
            self.labels_ = assign_clusters(solution.points, self.n_clusters, n_init=self.n_init, random_state=rng)
        self.n_iter_ = solution.n_iter
        self.converged_ = solution.converged
        self.history_ = dict(solution.history)
        if solution.objective is not None:
            self.objective_ = self.history_["objective"] = np.asarray(solution.objective)
        if solution.embedding is not None:
            self.embedding_ = solution.embedding
        if solution.graph is not None:
            self.affinity_matrix_ = solution.graph
        if solution.weights is not None:
            self.view_weights_ = self._weights_of_all_views(np.asarray(solution.weights), used, views.n_views)
        if not solution.converged and self._warns_at_max_iter:
            warnings.warn(
                f"{type(self).__name__} has not settled after {solution.n_iter} iterations (tol={self.tol:g}). "
                "Raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _features(self, arrays: list[Any]) -> list[np.ndarray]:
        """The views scaled, as dense arrays."""
        return [as_dense(SCALINGS[self.scaling](array)) for array in arrays]


class AffinityMethod(ComparisonMethod):
    """Base of the methods that start from a graph, or a kernel, per view."""

    n_neighbors: int | None
    alpha: float
    _affinities: tuple[str, ...] = (*AFFINITIES, "precomputed")

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("affinity", self.affinity, self._affinities)
        check_number("alpha", self.alpha, positive=True)
        if self.n_neighbors is not None:
            check_count("n_neighbors", self.n_neighbors, least=1)

    def _graphs(self, arrays: list[Any]) -> list[np.ndarray]:
        """The symmetric graph of each view."""
        if self.affinity == "precomputed":
            dense = [array.toarray() if sp.issparse(array) else array for array in arrays]
            return [(graph + graph.T) / 2 for graph in dense]
        options: dict[str, Any] = {"scaling": self.scaling, "n_neighbors": self.n_neighbors, "alpha": self.alpha}
        return [view_graph(array, self.affinity, **options) for array in arrays]


class GraphMethod(RelabelMixin, AffinityMethod):
    """Base of the methods that embed the samples by a graph per view."""
