"""SC(v): normalized spectral clustering of one view.

    min Tr(FᵀLF),  FᵀF = I,   L = I − D^-½ A D^-½

The k smallest eigenvectors by block Davidson: a few dozen products of n²k operations. Memory: one n × n graph at a time.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from ...exceptions import ParameterError
from ...linalg import Laplacian, smallest_eigenpairs, unit_rows
from ...views import Views
from .._constraints import Count, Nothing, Text
from .._memory import MemoryDemand
from .._solution import Solution
from .base import GraphMethod

__all__ = ["SC", "spectral_embedding"]


def spectral_embedding(graph: np.ndarray, n_clusters: int, random_state: np.random.RandomState) -> tuple[Solution, float]:
    """Solve ``min Tr(FᵀLF)`` for one symmetric graph. Also returns the relative gap after the k-th eigenvalue."""
    count = min(n_clusters + 1, graph.shape[0])
    found = smallest_eigenpairs(Laplacian.of(graph, normalized=True), count, random_state=random_state)
    embedding, values = found.vectors[:, :n_clusters], np.maximum(found.values, 0)
    gap = (values[-1] - values[n_clusters - 1]) / values[-1] if values[-1] > 0 else 0.0
    objective = np.asarray([values[:n_clusters].sum()])
    solution = Solution(True, 1, objective, points=unit_rows(embedding), embedding=embedding, graph=graph)
    return solution, float(gap)


class SC(GraphMethod):
    """Spectral clustering of one view's graph.

    ``min Tr(FᵀLF)`` with ``FᵀF = I``, where ``L`` is the normalized Laplacian of the graph of one view; k-means runs on the
    rows of ``F``, scaled to unit length. This is the baseline that uses one view only.

    Without ``view=`` the view is chosen without labels: the one whose normalized Laplacian has the largest relative gap
    ``(μ_{k+1} − μ_k)/μ_{k+1}`` after its k-th eigenvalue, that is, whose graph divides most clearly into k parts. By the
    Davis–Kahan theorem the gap also bounds how much noise can change the embedding. The paper instead reports the view that
    is best by the labels.

    Parameters
    ----------
    {n_clusters}
    view : str, int or None, default=None
        Name or position of the view; None chooses it as described above.
    {affinity, n_neighbors, alpha, scaling, views, n_init, random_state}

    Attributes
    ----------
    {labels_, embedding_, affinity_matrix_}
    view_ : str, the view used
    {objective_, view_weights_, traces, names}

    References
    ----------
    A. Y. Ng, M. I. Jordan and Y. Weiss. On spectral clustering: analysis and an algorithm. NIPS 2001.

    Examples
    --------
    {example: sc}
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        view: str | int | None = None,
        affinity: str = "self-expressive",
        n_neighbors: int | None = 10,
        alpha: float = 10.0,
        scaling: str = "unit-samples",
        views: Any = None,
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.view = view
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.scaling = scaling
        self.views = views
        self.n_init = n_init
        self.random_state = random_state

    _memory_demand = MemoryDemand(5.0, 0.4, 1.5)
    _parameter_constraints: ClassVar = {
        **GraphMethod._parameter_constraints,
        "view": [Text(), Count(0), Nothing()],
    }

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        candidates = range(len(used)) if self.view is None else [self._position(views, used)]
        best: tuple[Solution, float] | None = None
        chosen = 0
        for position in candidates:
            found = spectral_embedding(self._graphs([arrays[position]])[0], self.n_clusters, rng)
            if best is None or found[1] > best[1]:
                best, chosen = found, position
        assert best is not None
        self.view_ = views.names[used[chosen]]
        return replace(best[0], weights=np.eye(len(used))[chosen])

    def _position(self, views: Views, used: list[int]) -> int:
        """Position of the wanted view among the used views."""
        wanted = views.names.index(self.view) if self.view in views.names else self.view
        if not isinstance(wanted, (int, np.integer)) or wanted >= views.n_views:
            raise ParameterError(
                f"view={self.view!r} is not one of the views: {', '.join(map(repr, views.names))}.",
                parameter="view",
                value=self.view,
            )
        if wanted not in used:
            raise ParameterError(
                f"view={self.view!r} is constant, so it has no clusters.",
                hint="Choose another view.",
                view=views.names[wanted],
                parameter="view",
                value=self.view,
            )
        return used.index(int(wanted))
