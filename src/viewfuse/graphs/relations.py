"""Relations between samples (graphs, kernels, distances) as operators and as points.

* A graph ``A`` becomes the low-pass filter ``G = D^-½ (A + I) D^-½``, symmetric, without negative weights. Features smoothed
  over it are ``Gᵗ X`` (Zhang et al., Attributed graph clustering via adaptive graph convolution, IJCAI 2019).
* A kernel ``K`` becomes the points ``U Λ^½`` of its centred version ``HKH = UΛUᵀ`` (kernel PCA), a distance ``d`` those of
  ``−½ H d² H`` (classical scaling). Rows of new samples are mapped by the same formulas: ``k_new U Λ^-½``, with ``k_new``
  centred by the means of the training data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, eigsh

from ..linalg import largest_eigenpairs

__all__ = ["RelationPoints", "low_pass", "mean_degrees", "mean_graph", "spectral_points", "undirected"]

_MOST_POINTS = 64  # coordinates of a kernel or distance; a power of two, for the rotation
_DENSE_UP_TO = 1_500  # samples
_DENSE_SHARE = 0.05  # of edges, from which products with a dense matrix are faster
_MOST_DENSE = 12_000  # samples


def undirected(graph: Any) -> sp.csr_array:
    """``max(A, Aᵀ)`` without self-loops and stored zeros, sparse. An edge in one direction connects both samples."""
    matrix = sp.csr_array(graph, dtype=np.float64)
    matrix = sp.csr_array(matrix.maximum(matrix.T))
    matrix.setdiag(0)
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return matrix


def low_pass(graph: sp.csr_array) -> Any:
    """``D^-½ (A + I) D^-½`` in single precision; a dense array if the graph has many edges.

    The self-loop weighs as much as a mean edge, so that the unit of the weights does not matter.
    """
    n = graph.shape[0]
    loop = float(graph.data.mean()) if graph.nnz else 1.0
    looped = sp.csr_array(graph + loop * sp.eye_array(n))
    root = 1 / np.sqrt(np.asarray(looped.sum(axis=1)).ravel())
    scaled = sp.csr_array(looped.multiply(root[:, None]).multiply(root[None, :]), dtype=np.float32)
    return scaled.toarray() if graph.nnz > _DENSE_SHARE * n**2 and n <= _MOST_DENSE else scaled


def mean_degrees(graphs: Sequence[sp.csr_array]) -> tuple[float, ...]:
    """The mean degree of each graph; 1 without edges."""
    return tuple(float(graph.sum()) / graph.shape[0] or 1.0 for graph in graphs)


def mean_graph(graphs: Sequence[sp.csr_array]) -> sp.csr_array:
    """The mean of graphs, each divided by its mean degree."""
    units = mean_degrees(graphs)
    return sp.csr_array(sum(graph / unit for graph, unit in zip(graphs, units, strict=True)) / len(graphs))


def spectral_points(
    graph: sp.csr_array, count: int, random_state: np.random.RandomState, share: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Leading eigenvalues and eigenvectors of ``D_τ^-½ (A + τ/n 11ᵀ) D_τ^-½``, (count,) and (n, count).

    ``D_τ = D + τ``, where ``τ`` is a ``share`` of the mean degree. Without it the leading eigenvectors of a sparse graph
    point out small pieces that hang on few edges (Amini et al., Pseudo-likelihood methods for community detection, 2013).
    """
    n = graph.shape[0]
    degree = np.asarray(graph.sum(axis=1)).ravel()
    tau = share * float(degree.mean()) or 1.0
    root = 1 / np.sqrt(degree + tau)
    scaled = sp.csr_array(graph.multiply(root[:, None]).multiply(root[None, :]))
    count = min(count, n)
    if n <= _DENSE_UP_TO or count > n // 4:
        whole = scaled.toarray() + tau / n * np.outer(root, root)
        return largest_eigenpairs(whole, count)

    def product(vector: np.ndarray) -> np.ndarray:
        return np.asarray(scaled @ vector + tau / n * root * (root @ vector))

    operator = LinearOperator((n, n), matvec=product, dtype=np.float64)
    values, vectors = eigsh(operator, k=count, which="LA", tol=1e-4, v0=random_state.standard_normal(n))
    return values[::-1], vectors[:, ::-1]


@dataclass(frozen=True)
class RelationPoints:
    """A map from rows of a kernel or distance (to the training samples) to points.

    Attributes
    ----------
    kind : {"kernel", "distance"}
    axes : (n, r) array, ``U Λ^-½`` times a rotation
    row_means : (n,) array, the mean of each row of ``K`` or of ``−½d²``
    mean : float, of all entries
    least : float
        The smallest eigenvalue relative to the largest in magnitude; below 0 if the relation is not one of points.
    """

    kind: str
    axes: np.ndarray
    row_means: np.ndarray
    mean: float
    least: float

    @classmethod
    def learn(cls, relation: Any, kind: str, random_state: np.random.RandomState) -> RelationPoints:
        products = _products(relation, kind)
        means = products.mean(axis=0)
        mean = float(means.mean())
        centred = products - means - means[:, None] + mean
        values, vectors, least = _leading(centred, random_state)
        return cls(kind, vectors / np.sqrt(values) @ _even_rotation(len(values)), means, mean, least)

    def __call__(self, rows: Any) -> np.ndarray:
        """The points of samples, given their (m, n) relations to the training samples.

        The columns have equal variances, so that standardising them does not change the proportions of distances.
        """
        products = _products(rows, self.kind)
        own = products.mean(axis=1, keepdims=True)
        return np.asarray((products - own - self.row_means + self.mean) @ self.axes)


def _products(relation: Any, kind: str) -> np.ndarray:
    dense = np.asarray(relation.toarray() if sp.issparse(relation) else relation, dtype=np.float64)
    return dense if kind == "kernel" else -0.5 * dense**2


def _leading(centred: np.ndarray, random_state: np.random.RandomState) -> tuple[np.ndarray, np.ndarray, float]:
    """The leading positive eigenvalues and their vectors, and the smallest over the largest in magnitude."""
    n = len(centred)
    if n <= _DENSE_UP_TO:
        values, vectors = scipy.linalg.eigh(centred, check_finite=False)
        least = values[0]
    else:
        start = random_state.standard_normal(n)
        values, vectors = eigsh(centred, k=min(_MOST_POINTS, n - 1), which="LA", tol=1e-4, v0=start)
        least = eigsh(centred, k=1, which="SA", tol=1e-2, v0=start, return_eigenvectors=False)[0]
    order = np.argsort(-values)[:_MOST_POINTS]
    values, vectors = values[order], vectors[:, order]
    largest = max(float(values[0]), float(-least))
    kept = values > 1e-10 * largest
    relative = float(least / largest) if largest > 0 else 0.0
    if not kept.any():  # all samples coincide, or the relation is not one of points at all
        return np.ones(1), np.zeros((n, 1)), relative
    return values[kept], vectors[:, kept], relative


def _even_rotation(r: int) -> np.ndarray:
    """(r, s) with orthonormal rows and entries ±1/√s: it spreads uncorrelated columns evenly over s ≥ r columns."""
    s = 1 << max(r - 1, 0).bit_length()
    return np.asarray(scipy.linalg.hadamard(s)[:r] / np.sqrt(s))
