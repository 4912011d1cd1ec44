"""The k smallest eigenvectors of a Laplacian: an iterative solver with warm starts, and LAPACK as a fallback.

``docs/performance.md`` compares it with ``scipy.sparse.linalg.lobpcg`` and ``eigsh``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
import scipy.linalg
from array_api_compat import array_namespace, is_numpy_array

from .._utils.device import beside, to_host
from ..exceptions import DivergenceError, ViewfuseError

__all__ = ["Eigenpairs", "smallest_eigenpairs", "symmetric_eigh"]

_MAX_BASIS_BLOCKS = 6


class SymmetricOperator(Protocol):
    """What the solver needs of a matrix; :class:`Laplacian` and :class:`Complement` implement it."""

    @property
    def graph(self) -> Any:
        """An array with the library, dtype and device to use."""
        ...

    @property
    def n_samples(self) -> int: ...

    def diagonal(self) -> Any: ...

    def dense(self) -> Any: ...

    def __matmul__(self, block: Any) -> Any: ...


@dataclass(frozen=True)
class Eigenpairs:
    """The smallest eigenpairs of a symmetric matrix.

    Attributes
    ----------
    values : (k,) array, ascending
    vectors : (n, k) array, orthonormal columns
    iterations : int, products with a block of vectors; 0 if a dense solver was used
    block : (n, b) array, the vectors and a few less exact ones that follow: a start for a similar matrix
    """

    values: Any
    vectors: Any
    iterations: int
    block: Any


def smallest_eigenpairs(
    laplacian: SymmetricOperator,
    k: int,
    *,
    start: Any = None,
    tol: float = 1e-5,
    random_state: np.random.RandomState,
    dense_below: int = 256,
    max_iterations: int = 150,
) -> Eigenpairs:
    """``min Tr(FᵀLF)`` over (n, k) ``F`` with ``FᵀF = I``.

    Block Davidson with Jacobi preconditioning and thick restarts: one product ``L @ block`` per iteration, at most
    ``6·(k + guard)`` basis vectors. ``start``, the ``block`` of a similar matrix, saves iterations. It stops when every
    residual ``‖L f − θ f‖`` is below ``tol`` times the median diagonal entry of ``L``; the largest entry would not do, as
    one hub can make it arbitrarily large. Up to ``dense_below`` samples LAPACK is faster and is used instead. It is also
    used if the iterations have not converged after ``max_iterations``.
    """
    n = laplacian.n_samples
    block_size = k + max(4, k // 3)
    if n <= max(dense_below, (_MAX_BASIS_BLOCKS + 1) * block_size):  # the basis must fit into n dimensions
        return _dense(laplacian, k)
    found = _block_davidson(laplacian, k, _start_block(laplacian, block_size, start, random_state), tol, max_iterations)
    return _dense(laplacian, k) if found is None else found


def symmetric_eigh(matrix: Any, *, smallest: int | None = None) -> tuple[Any, Any]:
    """Eigenvalues (ascending) and eigenvectors of a dense symmetric matrix, all or the ``smallest`` few.

    LAPACK's drivers fail on different matrices (the fast ones on graphs with many equal eigenvalues). If one fails, the next
    is tried; the last is the slow QR iteration. A matrix that is not finite raises: some drivers return zeros for it.
    """
    xp = array_namespace(matrix)
    if not bool(xp.all(xp.isfinite(matrix))):
        raise DivergenceError(
            f"A {matrix.shape[0]} × {matrix.shape[0]} matrix is not finite and has no eigenvectors: the parameters or the "
            "values in the views are too extreme.",
            hint="Choose parameters closer to their defaults, or look for extreme values in the views.",
        )
    count = matrix.shape[0] if smallest is None else smallest
    for solve in _dense_solvers(matrix, count):
        try:
            values, vectors = solve()
        except (np.linalg.LinAlgError, RuntimeError, ValueError):
            continue
        enough = values.shape[0] >= count  # the partial driver may return nothing without raising
        if enough and bool(xp.all(xp.isfinite(values))) and bool(xp.all(xp.isfinite(vectors))):
            return values[:count], vectors[:, :count]
    raise ViewfuseError(
        f"No LAPACK driver could decompose a {matrix.shape[0]} × {matrix.shape[0]} matrix.",
        hint="Look for extreme values in the views.",
    )


def _dense_solvers(matrix: Any, count: int) -> Iterator[Callable[[], tuple[Any, Any]]]:
    """Solvers in the order to try: a partial one if few eigenvectors are needed, the library's own, then the others."""
    driver = partial(scipy.linalg.eigh, matrix, check_finite=False)
    few = is_numpy_array(matrix) and 10 * count < matrix.shape[0]
    if few:
        yield partial(driver, driver="evr", subset_by_index=(0, count - 1))
    if is_numpy_array(matrix) and matrix.dtype == np.float32:
        yield partial(driver, driver="evd")  # the same algorithm as NumPy's, at half the time with SciPy's BLAS
    yield partial(array_namespace(matrix).linalg.eigh, matrix)
    if is_numpy_array(matrix):
        yield partial(driver, driver="evr")
        yield partial(driver, driver="ev")


def _dense(laplacian: SymmetricOperator, k: int) -> Eigenpairs:
    values, vectors = symmetric_eigh(laplacian.dense(), smallest=k)
    return Eigenpairs(values, vectors, 0, vectors)


def _start_block(laplacian: SymmetricOperator, block_size: int, start: Any, random_state: np.random.RandomState) -> Any:
    xp = array_namespace(laplacian.graph)
    dtype, device = laplacian.graph.dtype, laplacian.graph.device
    known = 0 if start is None else int(start.shape[1])
    random = random_state.random_sample((laplacian.n_samples, max(block_size - known, 0))) - 0.5
    fresh = xp.asarray(random, dtype=dtype, device=device)
    return fresh if start is None else xp.concat([start[:, :block_size], fresh], axis=1)


def _block_davidson(
    laplacian: SymmetricOperator, k: int, start: Any, tol: float, max_iterations: int = 150
) -> Eigenpairs | None:
    """Expand a basis by preconditioned residuals and solve within it, with thick restarts; None if it does not converge."""
    xp = array_namespace(start)
    size = int(start.shape[1])
    diagonal = laplacian.diagonal()
    scale = float(xp.sort(xp.abs(diagonal))[diagonal.shape[0] // 2])
    if not scale > 0:
        return None
    basis = _orthonormal(start, xp)
    if basis.shape[1] < size:
        return None
    images = laplacian @ basis
    for iteration in range(1, max_iterations + 1):
        projected = to_host(basis.T @ images)
        if not np.isfinite(projected).all():
            return None
        values, rotation = (beside(start, part) for part in np.linalg.eigh((projected + projected.T) / 2))
        ritz, ritz_images = basis @ rotation[:, :size], images @ rotation[:, :size]
        residuals = ritz_images - ritz * values[None, :size]
        norms = to_host(xp.linalg.vector_norm(residuals, axis=0))
        if not np.isfinite(norms).all():
            return None
        if norms[:k].max() <= tol * scale:
            return Eigenpairs(values[:k], ritz[:, :k], iteration, ritz)
        unfinished = np.flatnonzero(norms > 0.1 * tol * scale)
        chosen = xp.asarray(unfinished, device=start.device)
        expansion = _preconditioned(
            xp.take(residuals, chosen, axis=1), diagonal, xp.take(values[:size], chosen, axis=0), scale, xp
        )
        if basis.shape[1] + len(unfinished) > _MAX_BASIS_BLOCKS * size:
            kept = rotation[:, : 2 * size]
            basis, images = basis @ kept, images @ kept
        expansion = _orthonormal_to(expansion, basis, xp)
        if not expansion.shape[1]:
            return None
        basis = xp.concat([basis, expansion], axis=1)
        images = xp.concat([images, laplacian @ expansion], axis=1)
    return None


def _preconditioned(residuals: Any, diagonal: Any, values: Any, scale: float, xp: Any) -> Any:
    """Jacobi: divide by the diagonal of ``L − θI``, bounded away from zero."""
    distance = diagonal[:, None] - values[None, :]
    least = 0.01 * scale
    return residuals / xp.where(xp.abs(distance) < least, xp.full_like(distance, least), distance)


def _orthonormal_to(block: Any, basis: Any, xp: Any) -> Any:
    """Orthogonalize twice: the second time removes the rounding errors of the first."""
    for _ in range(2):
        block = _orthonormal(block - basis @ (basis.T @ block), xp)
    return block


def _orthonormal(block: Any, xp: Any) -> Any:
    """Orthonormal columns with the span of a thin block, without directions that are only rounding errors.

    They come from the eigenvectors of the block's Gram matrix: a few products, where a QR factorisation goes column by
    column. The small eigenproblem is solved on the host, because for a few dozen rows that is faster than on a device. NumPy
    solves it, because SciPy would start a second BLAS whose idle threads compete with those of the first.
    """
    lengths = xp.linalg.vector_norm(block, axis=0)
    block = block / xp.where(lengths > 0, lengths, xp.ones_like(lengths))
    values, vectors = np.linalg.eigh(to_host(block.T @ block))
    kept = values > 100 * np.finfo(values.dtype).eps * values[-1]
    return block @ beside(block, vectors[:, kept] / np.sqrt(values[kept]))
