"""What GMC, SwMC and MLAN share: a sparse graph that is driven to have exactly as many connected components as clusters.

A graph has c components if and only if the c smallest eigenvalues of its Laplacian are 0. The penalty λ Tr(FᵀL F) on their
sum is doubled as long as it is positive and halved if the (c + 1)-th is 0 too, until the graph has c components.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from ..._utils.warn import warn
from ...exceptions import ConvergenceWarning
from ...linalg import smallest_laplacian_eigenpairs
from ...linalg.threads import spans
from .._solution import Solution

__all__ = ["RankRule", "Support", "component_result"]

_ZERO = 1e-10  # a sum of eigenvalues below it counts as 0, as in the programs
_AT_ONCE = 2**21  # coordinates of neighbours in memory at once


@dataclass(frozen=True)
class Support:
    """The entries of an n × n matrix that may differ from 0; a matrix is held as an (n, m) array of these entries.

    Attributes
    ----------
    columns : (n, m) array of int, ascending in each row; where not taken, 0
    taken : (n, m) array of bool, False where a row has fewer entries than others
    """

    columns: np.ndarray
    taken: np.ndarray

    @classmethod
    def of(cls, indices: Sequence[np.ndarray]) -> Support:
        """The union of several index arrays (n, k)."""
        together = np.sort(np.hstack(list(indices)), axis=1)
        new = np.ones(together.shape, dtype=bool)
        new[:, 1:] = together[:, 1:] != together[:, :-1]
        counts = new.sum(axis=1)
        taken = np.arange(counts.max())[None, :] < counts[:, None]
        columns = np.zeros(taken.shape, dtype=np.int64)
        columns[taken] = together[new]
        return cls(columns, taken)

    def places(self, index: np.ndarray) -> np.ndarray:
        """Where the columns ``index`` (n, k) stand in each row; the number of entries m for those that do not occur."""
        n, m = self.columns.shape
        rows = np.arange(n)[:, None]
        keys = (rows * n + self.columns)[self.taken]
        wanted = rows * n + index
        found = np.searchsorted(keys, wanted)
        first = np.concatenate([[0], np.cumsum(self.taken.sum(axis=1))[:-1]])[:, None]
        occurs = keys[np.minimum(found, len(keys) - 1)] == wanted
        return np.where(occurs, found - first, m)

    def spread(self, places: np.ndarray, values: np.ndarray) -> np.ndarray:
        """An array of the support with ``values`` (n, k) at their places and 0 elsewhere."""
        full = np.zeros((len(values), self.columns.shape[1] + 1))
        np.put_along_axis(full, places, values, axis=1)
        return full[:, :-1]

    def pick(self, array: np.ndarray, places: np.ndarray) -> np.ndarray:
        """The entries at these places, (n, k); 0 for those that do not occur."""
        padded = np.hstack([array, np.zeros((len(array), 1))])
        return np.take_along_axis(padded, places, axis=1)

    def row_distances(self, embedding: np.ndarray) -> np.ndarray:
        """``‖F_i − F_j‖²`` at the entries (i, j), 0 where not taken."""
        found = np.empty(self.columns.shape)
        step = max(1, _AT_ONCE // (self.columns.shape[1] * embedding.shape[1]))
        for rows in spans(len(found), step):
            gaps = embedding[self.columns[rows]]
            gaps -= embedding[rows, None, :]
            found[rows] = np.einsum("ijk,ijk->ij", gaps, gaps)
        return np.where(self.taken, found, 0)

    def matrix(self, array: np.ndarray) -> sp.csr_array:
        """The (n, n) matrix of an array of entries."""
        n = len(array)
        bounds = np.concatenate([[0], np.cumsum(self.taken.sum(axis=1))])
        matrix = sp.csr_array((array[self.taken], self.columns[self.taken], bounds), shape=(n, n))
        matrix.eliminate_zeros()
        return matrix

    def symmetric(self, array: np.ndarray) -> sp.csr_array:
        """The (n, n) matrix, averaged with its transpose."""
        matrix = self.matrix(array)
        return sp.csr_array((matrix + matrix.T) / 2)


class RankRule:
    """F and λ, updated with every graph until it has as many components as clusters.

    Attributes
    ----------
    graph : the last graph, symmetric
    embedding : F, (n, c)
    lam : λ
    lams : λ before each update
    done : whether the graph has as many components as clusters
    """

    def __init__(self, graph: sp.csr_array, n_clusters: int, rng: np.random.RandomState, lam: float = 1.0) -> None:
        self.graph, self.lam, self.done = graph, lam, False
        self.lams: list[float] = []
        self._n_clusters, self._rng = n_clusters, rng
        self.embedding = smallest_laplacian_eigenpairs(graph, n_clusters, random_state=rng)[1]

    def update(self, graph: sp.csr_array) -> None:
        """Apply the rule to the next graph. If it has too many components, F stays that of the graph before."""
        self.graph = graph
        self.lams.append(self.lam)
        c = self._n_clusters
        count = min(c + 1, graph.shape[0])
        values, vectors = smallest_laplacian_eigenpairs(graph, count, random_state=self._rng)
        if count > c and values.sum() < _ZERO:
            self.lam /= 2
            return
        self.embedding = vectors[:, :c]
        if values[:c].sum() > _ZERO:
            self.lam *= 2
        else:
            self.done = True

    def solution(
        self, method: str, objective: Sequence[float], weights: np.ndarray, *, converged: bool, **history: Any
    ) -> Solution:
        """The components of the graph as clusters, with weights scaled to sum to 1."""
        found = component_result(method, self.graph, self.embedding, self._n_clusters, len(objective))
        shares = weights / weights.sum()
        return Solution(converged, len(objective), np.asarray(objective), weights=shares, history=history, **found)


def component_result(
    method: str, graph: sp.csr_array, embedding: np.ndarray, n_clusters: int, max_iter: int
) -> dict[str, Any]:
    """Labels from the components of the graph or, if there are not as many as clusters, F for k-means and a warning."""
    count, labels = connected_components(graph, directed=False)
    if count == n_clusters:
        return {"labels": labels.astype(np.int64), "embedding": embedding, "graph": graph}
    components = "1 connected component" if count == 1 else f"{count} connected components"
    warn(
        ConvergenceWarning(
            f"The graph of {method} has {components} after {max_iter} iterations, not {n_clusters}. The "
            "clusters are those of k-means on the embedding; the program would return the components.",
            hint=f"Increase max_iter, or set n_clusters to {count}." if count > 1 else "Increase max_iter.",
            parameter="max_iter",
            value=max_iter,
        ),
    )
    return {"points": embedding, "embedding": embedding, "graph": graph}
