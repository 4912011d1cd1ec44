"""Leading eigenvectors of a sparse graph ``N = D^-½ A D^-½``, which normalized spectral clustering cuts.

``N`` has the eigenvalue 1 once for each connected component, with the known eigenvector ``D^½ 1_C``. A Krylov method finds
only one eigenvector of an eigenvalue that occurs several times, so the components are found first and projected out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.cluster import KMeans

from .._utils.warn import ignoring
from .assign import assign_clusters, unit_rows
from .components import component_vectors
from .eigensolvers import largest_eigenpairs

__all__ = ["Spectrum", "cut_rows", "grouped_rows", "normalized_graph", "quick_cut", "spectrum"]

_DENSE_UP_TO = 500  # samples
_DENSE_SHARE = 8  # or from a share of 1/8 of the eigenvectors on
_TOL = 1e-4
_MANY = 32  # eigenvectors, of which single precision halves the time


@dataclass(frozen=True)
class Spectrum:
    """The smallest eigenvalues ``λ`` of ``I − N``, ascending, and their eigenvectors, (n, k)."""

    values: np.ndarray
    vectors: np.ndarray

    def relative_gap(self, k: int) -> float:
        """``1 − λ_k / λ_{k+1}``: near 1 if the graph almost falls apart into k pieces and these into no more.

        0 if it falls apart into more than k pieces, or if the next eigenvalue is not there.
        """
        if k >= len(self.values):
            return 0.0
        below, above = max(float(self.values[k - 1]), 0.0), float(self.values[k])
        return 1 - below / above if above > 1e-7 else 0.0


def normalized_graph(graph: sp.csr_array) -> sp.csr_array:
    """``D^-½ A D^-½``; a sample without edges keeps a zero row."""
    degree = np.asarray(graph.sum(axis=1)).ravel()
    root = np.where(degree > 0, 1 / np.sqrt(np.where(degree > 0, degree, 1)), 0)  # 1 / degree may overflow
    normalized = sp.csr_array(graph, dtype=root.dtype, copy=True)
    normalized.data *= np.repeat(root, np.diff(normalized.indptr))
    normalized.data *= root[normalized.indices]
    return normalized


def spectrum(
    graph: sp.csr_array,
    count: int,
    *,
    random_state: np.random.RandomState,
    points: Sequence[np.ndarray] = (),
    dense_up_to: int = _DENSE_UP_TO,
    dense_type: Any = np.float64,
) -> Spectrum:
    """The ``count`` leading eigenvectors of a symmetric, non-negative sparse graph.

    ``points`` says where the samples lie, a sequence of (n, p_v) arrays. If the graph falls apart, it decides which of its
    components are divided first. Dense decompositions, of up to so many samples, are of numbers of ``dense_type``: single
    precision takes 0.6 of the time, and is enough for eigenvalues well above 1e-6.
    """
    n = graph.shape[0]
    count = min(count, n)
    normalized = normalized_graph(graph)
    components = component_vectors(normalized, np.asarray(graph.sum(axis=1)).ravel(), count, points)
    found = components.shape[1]
    if found == count:
        return Spectrum(np.zeros(count), components)

    if n <= dense_up_to or count > n // _DENSE_SHARE:
        dense = normalized.astype(dense_type).toarray()
        values, vectors = largest_eigenpairs(dense, count)
        return Spectrum(1 - values, np.hstack([components, vectors[:, found:]]))
    values, vectors = _leading(normalized, components, count - found, random_state.standard_normal(n))
    return Spectrum(np.concatenate([np.zeros(found), 1 - values]), np.hstack([components, vectors]))


def _leading(matrix: sp.csr_array, known: np.ndarray, count: int, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The leading eigenvectors beside the known ones, by Lanczos' method."""
    n = len(start)
    dtype = np.float32 if count >= _MANY else np.float64
    rough, known_rough = matrix.astype(dtype), known.astype(dtype)

    def project(vector: np.ndarray) -> np.ndarray:
        return np.asarray(rough @ vector - known_rough @ (known_rough.T @ vector))

    operator = LinearOperator((n, n), matvec=project, dtype=dtype)
    most = max(20, 2 * (count + known.shape[1]))
    values, vectors = eigsh(operator, k=count, which="LA", tol=_TOL, v0=start.astype(dtype), ncv=min(n, most))
    if dtype == np.float32:  # the values of these vectors in double precision
        vectors = vectors.astype(np.float64)
        values = np.einsum("ij,ij->j", vectors, matrix @ vectors) / np.einsum("ij,ij->j", vectors, vectors)
    order = np.argsort(-values)
    return values[order], vectors[:, order]


def cut_rows(
    vectors: np.ndarray, *, n_init: int, random_state: np.random.RandomState, degree: np.ndarray | None = None
) -> np.ndarray:
    """Labels from k leading eigenvectors, (n, k): k-means on their rows at unit length, the best of several starts.

    With the ``degree`` of every sample, (n,), rows are divided by its square root instead (Shi & Malik, 2000). If the graph
    falls apart, they are those of one point for each piece, at a distance of ``1/√volume`` from 0: small pieces are far from
    each other and from large ones. So small clusters are found sooner, and large ones are divided later.

    One start is the :func:`quick_cut`. For a hundred clusters it leads to less inertia than fifty random starts do; for few
    clusters that are hardly separate, to more.
    """
    if degree is None:
        rows = np.asarray(unit_rows(vectors), dtype=np.float64)
    else:
        rows = vectors / np.sqrt(np.where(degree > 0, degree, 1))[:, None]
    return grouped_rows(rows, vectors.shape[1], [quick_cut(vectors)], n_init=n_init, random_state=random_state)


def grouped_rows(
    rows: np.ndarray, k: int, starts: Sequence[np.ndarray], *, n_init: int, random_state: np.random.RandomState
) -> np.ndarray:
    """k-means on rows, (n, p): the best by inertia of ``n_init`` random starts and of these clusterings, (n,) each."""
    best = np.asarray(assign_clusters(rows, k, n_init=n_init, random_state=random_state))
    for start in starts:
        if np.bincount(start, minlength=k).min() == 0:
            continue
        with ignoring("Number of distinct clusters"):
            found = KMeans(k, init=_means(rows, start, k), n_init=1).fit(rows).labels_.astype(np.int64)
        is_whole = np.bincount(found, minlength=k).min() > 0
        if is_whole and _inertia(rows, found, k) < _inertia(rows, best, k):
            best = found
    return best


def _means(rows: np.ndarray, labels: np.ndarray, k: int) -> np.ndarray:
    members = np.eye(k)[labels]
    return np.asarray(members.T @ rows / members.sum(axis=0)[:, None])


def _inertia(rows: np.ndarray, labels: np.ndarray, k: int) -> float:
    return float(np.sum((rows - _means(rows, labels, k)[labels]) ** 2))


def quick_cut(vectors: np.ndarray) -> np.ndarray:
    """Labels from k leading eigenvectors, (n, k), without random starts, in time n k².

    Samples far from each other in the embedding are found by a QR decomposition with pivoting, one for each cluster; the
    orthogonal matrix nearest to their rows turns the embedding so that each cluster lies along an axis (Damle, Minden &
    Ying, Simple, direct and efficient multi-way spectral clustering, 2019).
    """
    k = vectors.shape[1]
    _, _, pivots = scipy.linalg.qr(vectors.T, mode="economic", pivoting=True, check_finite=False)
    left, _, right = np.linalg.svd(vectors[pivots[:k]].T)
    return np.asarray(np.abs(vectors @ (left @ right)).argmax(axis=1))
