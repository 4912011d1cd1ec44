"""Graph Laplacians as operators: the graph is not copied and no diagonal matrix is built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from array_api_compat import array_namespace, is_numpy_array

from .._utils.device import has_fast_tf32
from . import threads

__all__ = ["Laplacian", "isolated_samples", "row_sums"]


@dataclass(frozen=True)
class Laplacian:
    """``L = D − A`` or, normalized, ``L = I − D^-½ A D^-½`` of a graph, applied as a product.

    ``A = sym(S)`` and ``D`` holds its row sums, self-loops included. They cancel in ``D − A``. In the normalized
    form they make the random walk lazy, so that a sample with weak edges does not become a cluster of its own.
    A sample without edges gets a zero row in ``D^-½ A D^-½``: eigenvalue 1, not one of the smallest.

    Attributes
    ----------
    graph : (n, n) array, ``S``
    degree : (n,) array, the diagonal of ``D``
    inverse_root : (n,) array or None
        The diagonal of ``D^-½``; None for the unnormalized Laplacian.
    symmetric : bool
        Whether ``S`` equals its transpose; if not, ``sym(S)`` is applied as two products.
    """

    graph: Any
    degree: Any
    inverse_root: Any
    symmetric: bool

    @classmethod
    def of(cls, graph: Any, *, normalized: bool, symmetric: bool = True) -> Laplacian:
        xp = array_namespace(graph)
        degree = row_sums(graph)
        if not symmetric:
            degree = (degree + xp.sum(graph, axis=0)) / 2
        return cls(graph, degree, _inverse_root(graph, degree, xp) if normalized else None, symmetric)

    @property
    def n_samples(self) -> int:
        return int(self.graph.shape[0])

    def diagonal(self) -> Any:
        """The diagonal of ``L``, (n,)."""
        xp = array_namespace(self.graph)
        loops = xp.linalg.diagonal(self.graph)
        if self.inverse_root is None:
            return self.degree - loops
        return 1 - self.inverse_root * loops * self.inverse_root

    def __matmul__(self, block: Any) -> Any:
        """``L @ block`` for an (n, b) block: 2n²b operations, n·b memory."""
        if self.inverse_root is None:
            return self.degree[:, None] * block - self._graph_times(block)
        return block - self.inverse_root[:, None] * self._graph_times(self.inverse_root[:, None] * block)

    def dense(self) -> Any:
        """``L`` as a matrix, for small graphs and for the eigensolver's fallback."""
        xp = array_namespace(self.graph)
        graph = self.graph if self.symmetric else (self.graph + self.graph.T) / 2
        identity = xp.eye(self.n_samples, dtype=graph.dtype, device=graph.device)
        if self.inverse_root is None:
            return self.degree[:, None] * identity - graph
        return identity - self.inverse_root[:, None] * graph * self.inverse_root[None, :]

    def _graph_times(self, block: Any) -> Any:
        product = _times(self.graph, block)
        return product if self.symmetric else (product + _times(self.graph.T, block)) / 2


def _times(matrix: Any, block: Any) -> Any:
    if is_numpy_array(matrix):
        return threads.matmul(matrix, block)
    if has_fast_tf32(matrix):
        try:
            from .triton_products import MOST_COLUMNS, narrow_product
        except ImportError:  # some builds of PyTorch come without Triton
            return matrix @ block
        if block.shape[1] <= MOST_COLUMNS and matrix.stride(1) == 1:
            return narrow_product(matrix, block)
    return matrix @ block


def row_sums(graph: Any) -> Any:
    """The sum of each row, (n,)."""
    return threads.row_sums(graph) if is_numpy_array(graph) else array_namespace(graph).sum(graph, axis=1)


def isolated_samples(graph: Any) -> Any:
    """Mask of the samples whose edges to others are zero up to rounding, (n,) bool."""
    xp = array_namespace(graph)
    return _is_isolated(graph, row_sums(graph), xp)


def _is_isolated(graph: Any, degree: Any, xp: Any) -> Any:
    """Whether the edges to others sum to less than √eps of the degree, or eps of the largest degree."""
    edges = degree - xp.linalg.diagonal(graph)
    negligible = xp.finfo(graph.dtype).eps ** 0.5
    return edges <= negligible * xp.maximum(degree, negligible * xp.max(degree))


def _inverse_root(graph: Any, degree: Any, xp: Any) -> Any:
    isolated = _is_isolated(graph, degree, xp)
    safe = xp.where(isolated, xp.ones_like(degree), degree)
    return xp.where(isolated, xp.zeros_like(degree), safe**-0.5)
