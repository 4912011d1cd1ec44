"""The consensus graph of a fit, after its cut, among the samples that are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._utils.device import to_host
from ..linalg import Laplacian, smallest_eigenpairs

__all__ = ["FusedGraph", "SavedGraph", "heat_map_values"]


@dataclass(frozen=True, eq=False)
class FusedGraph:
    """The consensus graph of a fitted model: n × n edge weights or, with anchors, n × m weights S of the graph S D⁻¹ Sᵀ.

    D is the diagonal matrix of the column sums of S.
    """

    weights: Any
    to_anchors: bool

    def among(self, rows: np.ndarray) -> np.ndarray:
        """Edge weights among some samples."""
        if not self.to_anchors:
            return _block(self.weights, rows)
        weights = np.asarray(self.weights[rows], dtype=float)
        return (weights / _nonzero(self.weights.sum(axis=0))) @ weights.T

    def spectrum(self, count: int) -> np.ndarray:
        """The ``count`` smallest eigenvalues of the normalized Laplacian.

        With anchors, all eigenvalues below 1 come from an m × m matrix.
        """
        if self.to_anchors:
            scaled = self.weights / np.sqrt(_nonzero(self.weights.sum(axis=1)))[:, None]
            scaled = scaled / np.sqrt(_nonzero(self.weights.sum(axis=0)))
            return np.maximum(1 - np.linalg.eigvalsh(np.asarray(scaled.T @ scaled, dtype=float))[::-1][:count], 0)
        laplacian = Laplacian.of(_dense(self.weights), normalized=True, symmetric=False)
        count = min(count, laplacian.n_samples)
        found = smallest_eigenpairs(laplacian, count, tol=1e-3, random_state=np.random.RandomState(0))
        return np.maximum(np.asarray(found.values, dtype=float), 0)


@dataclass(frozen=True, eq=False)
class SavedGraph:
    """What saved results hold of the consensus graph: edge weights among the drawn samples, and the spectrum."""

    block: np.ndarray | None
    eigenvalues: np.ndarray | None

    def among(self, rows: np.ndarray) -> np.ndarray | None:
        """The saved edge weights; they were saved for these ``rows``."""
        return self.block

    def spectrum(self, count: int) -> np.ndarray | None:
        """The saved eigenvalues; ``count`` of them were saved."""
        return self.eigenvalues


def heat_map_values(graph: np.ndarray) -> tuple[np.ndarray, float]:
    """Square roots of the edge weights without self-loops, and the value for the brightest colour.

    Edge weights within and between clusters differ by orders of magnitude; square roots make both visible. The 2 % quantile
    is subtracted first: in a view whose samples all have a direction in common, every pixel would be bright.
    """
    off_diagonal = ~np.eye(len(graph), dtype=bool)
    background = max(float(np.quantile(graph[off_diagonal], 0.02)), 0.0) if len(graph) > 1 else 0.0
    values = np.sqrt(np.where(off_diagonal, np.maximum(graph - background, 0), 0))
    positive = values[values > 0]
    return values, float(np.quantile(positive, 0.98)) if positive.size else 1.0


def _block(graph: Any, rows: np.ndarray) -> np.ndarray:
    return _dense(graph[rows][:, rows])


def _dense(matrix: Any) -> np.ndarray:
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else to_host(matrix), dtype=float)


def _nonzero(sums: np.ndarray) -> np.ndarray:
    return np.where(sums > 0, sums, 1)
