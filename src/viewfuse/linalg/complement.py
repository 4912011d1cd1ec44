"""The largest eigenvectors of a dense plus a low-rank matrix, with the solver for the smallest ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .laplacian import Laplacian
from .threads import matmul

__all__ = ["Complement", "normalized_adjacency"]


@dataclass(frozen=True)
class Complement:
    """``cI − A − W Wᵀ`` as an operator; its smallest eigenvectors are the largest of ``A + W Wᵀ``.

    Attributes
    ----------
    graph : (n, n) array, ``A``, symmetric
    shift : float, ``c``
    factor : (n, m) array or None, ``W``
    """

    graph: np.ndarray
    shift: float = 1.0
    factor: np.ndarray | None = None

    @property
    def n_samples(self) -> int:
        return int(self.graph.shape[0])

    def diagonal(self) -> Any:
        diagonal = self.shift - np.diagonal(self.graph)
        return diagonal if self.factor is None else diagonal - (self.factor**2).sum(axis=1)

    def __matmul__(self, block: Any) -> Any:
        product = self.shift * block - matmul(self.graph, block)
        return product if self.factor is None else product - self.factor @ (self.factor.T @ block)

    def dense(self) -> Any:
        matrix = self.shift * np.eye(self.n_samples, dtype=self.graph.dtype) - self.graph
        return matrix if self.factor is None else matrix - self.factor @ self.factor.T


def normalized_adjacency(graph: np.ndarray) -> np.ndarray:
    """``D^-½ A D^-½`` of a symmetric graph, (n, n); samples without edges get zero rows."""
    root = Laplacian.of(graph, normalized=True).inverse_root
    return root[:, None] * graph * root[None, :]
