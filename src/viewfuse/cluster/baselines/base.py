"""Base classes of the comparison methods: from views to graphs, and from a solution to fitted attributes."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from ..._utils.warn import warn
from ...exceptions import ConvergenceWarning
from ...graphs import AFFINITIES, SCALINGS, as_dense, view_graph
from ...linalg.threads import worker_threads
from ...views import Views
from .._base import MultiViewClusterer, RelabelMixin
from .._checks import check_finite_results, check_zero_samples
from .._constraints import Count, Nothing, Number, OneOf
from .._memory import MemoryDemand
from .._solution import Solution
from .program_scaling import PROGRAM_SCALINGS, scaled_views

__all__ = ["AffinityMethod", "ComparisonMethod", "GraphMethod", "ProgramMethod"]


class ComparisonMethod(MultiViewClusterer):
    """Base class of the comparison methods. A subclass implements ``_solve``: NumPy or sparse views to a ``Solution``."""

    scaling: str
    max_iter: int
    tol: float
    n_init: int
    random_state: Any
    _points: Any

    _warns_at_max_iter: ClassVar[bool] = True
    _threads_from: ClassVar[int] = 1000  # number of samples from which BLAS may use several threads
    _parameter_constraints: ClassVar = {
        **MultiViewClusterer._parameter_constraints,
        "scaling": [OneOf(*SCALINGS)],
        "n_init": [Count(1)],
        "max_iter": [Count(1)],
        "tol": [Number(least=0)],
    }

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        raise NotImplementedError(f"{type(self).__name__} has no _solve")

    def _fit(self, views: Views, arrays: list[Any], used: list[int]) -> None:
        rng = check_random_state(self.random_state)
        if self.scaling == "unit-samples" and self.affinity != "precomputed":
            check_zero_samples(views, arrays, used)
        chosen = [arrays[v] if sp.issparse(arrays[v]) else np.asarray(arrays[v]) for v in used]
        # Threads do not speed up small products, and slow them down if other programs use the cores.
        with worker_threads() if len(views) < self._threads_from else nullcontext():
            solution = self._solve(views, chosen, used, rng)
        self._record_solution(solution, views, used, rng)
        if not solution.converged and self._warns_at_max_iter:
            warn(
                ConvergenceWarning(
                    f"{type(self).__name__} did not converge in {solution.n_iter} iterations (tol={self.tol:g}).",
                    hint="Increase max_iter or tol.",
                    parameter="max_iter",
                    value=self.max_iter,
                )
            )

    def _features(self, arrays: list[Any]) -> list[np.ndarray]:
        """The scaled views as dense arrays."""
        return [as_dense(SCALINGS[self.scaling](array)) for array in arrays]


class AffinityMethod(ComparisonMethod):
    """Base class of the methods that start from a graph or a kernel per view."""

    n_neighbors: int | None
    alpha: float

    _memory_demand = MemoryDemand(4.0, 1.5, 2.0)  # unless a method declares its own: the graphs and a few n × n arrays
    _parameter_constraints: ClassVar = {
        **ComparisonMethod._parameter_constraints,
        "affinity": [OneOf(*AFFINITIES, "precomputed")],
        "alpha": [Number(above=0)],
        "n_neighbors": [Count(1), Nothing()],
    }

    def _graphs(self, arrays: list[Any]) -> list[np.ndarray]:
        """The symmetric graph of each view."""
        if self.affinity == "precomputed":
            dense = [array.toarray() if sp.issparse(array) else array for array in arrays]
            return [(graph + graph.T) / 2 for graph in dense]
        options: dict[str, Any] = {"scaling": self.scaling, "n_neighbors": self.n_neighbors, "alpha": self.alpha}
        return [view_graph(array, self.affinity, **options) for array in arrays]


class GraphMethod(RelabelMixin, AffinityMethod):
    """Base class of the methods that embed the samples by a graph per view."""


class ProgramMethod(ComparisonMethod):
    """Base class of the later methods, which follow their authors' programs, scaling included."""

    variant: str

    _parameter_constraints: ClassVar = {
        **ComparisonMethod._parameter_constraints,
        "scaling": [OneOf(*PROGRAM_SCALINGS)],
        "variant": [OneOf("program", "paper")],
    }

    def _scaled(self, views: Views, arrays: list[Any], used: list[int]) -> list[np.ndarray]:
        """The scaled views as dense arrays of doubles, whose squared distances are finite."""
        scaled = scaled_views(views, arrays, used, self.scaling)
        check_finite_results(self, np.asarray([4 * np.vdot(x, x) for x in scaled]))
        return scaled
