"""The smallest eigenpairs of the Laplacian ``D − A`` of a sparse graph, to almost machine precision.

A graph of several connected components has the eigenvalue 0 once for each, with the component's indicator as eigenvector. A
Krylov method finds one vector of a multiple eigenvalue, so the components are found first and projected out.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from .eigensolvers import symmetric_eigh

__all__ = ["smallest_laplacian_eigenpairs"]

_DENSE_UP_TO = 500  # samples
_TOL = 1e-11


def smallest_laplacian_eigenpairs(
    graph: sp.csr_array, count: int, *, random_state: np.random.RandomState, dense_up_to: int = _DENSE_UP_TO
) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues (count,), ascending, and orthonormal eigenvectors (n, count) of a symmetric graph with weights ≥ 0.

    An operation of Lanczos' method is a product with the graph. Small graphs, and graphs on which it does not converge, are
    decomposed by LAPACK.
    """
    n = graph.shape[0]
    n_components, labels = connected_components(graph, directed=False)
    known = np.eye(n_components)[labels][:, :count] if n_components <= count else _first_indicators(labels, count)
    known = known / np.sqrt(known.sum(axis=0))
    if n_components >= count:
        return np.zeros(count), known
    missing = count - n_components
    degree = np.asarray(graph.sum(axis=1)).ravel() - graph.diagonal()
    bound = 2 * float(degree.max())
    if n > dense_up_to and missing < n // 4:
        edges = graph - sp.diags_array(graph.diagonal())

        def apply(vector: np.ndarray) -> np.ndarray:
            vector = np.ravel(vector)
            # (bound·I − L) without the known eigenvectors: its largest eigenvalues belong to the wanted ones.
            return np.asarray((bound - degree) * vector + edges @ vector - bound * (known @ (known.T @ vector)))

        operator = LinearOperator((n, n), matvec=apply, dtype=np.float64)
        start = random_state.standard_normal(n)
        start -= known @ (known.T @ start)
        try:
            values, vectors = eigsh(
                operator, k=missing, which="LA", tol=_TOL, v0=start, ncv=min(n, max(3 * missing, 40)), maxiter=300
            )
        except ArpackNoConvergence:
            pass
        else:
            order = np.argsort(-values)
            found = np.maximum(bound - values[order], 0)
            return np.concatenate([np.zeros(n_components), found]), np.hstack([known, vectors[:, order]])
    laplacian = np.diag(degree) - graph.toarray()
    np.fill_diagonal(laplacian, degree)
    values, vectors = _dense_eigenpairs(laplacian, count)
    return np.where(np.arange(count) < n_components, 0, np.maximum(values, 0)), vectors


def _dense_eigenpairs(laplacian: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    if 4 * count < len(laplacian):
        try:
            values, vectors = scipy.linalg.eigh(laplacian, driver="evr", subset_by_index=(0, count - 1))
        except (np.linalg.LinAlgError, ValueError):
            values = np.empty(0)
        if len(values) == count:  # the driver may return fewer, without an error
            return values, vectors
    return symmetric_eigh(laplacian, smallest=count)


def _first_indicators(labels: np.ndarray, count: int) -> np.ndarray:
    return (labels[:, None] == np.arange(count)[None, :]).astype(float)
