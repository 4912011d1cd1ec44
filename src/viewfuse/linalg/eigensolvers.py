"""The k smallest eigenvectors of a Laplacian: an iterative solver with warm starts, and LAPACK as a fallback.

``docs/performance.md`` compares it with ``scipy.sparse.linalg.lobpcg`` and ``eigsh``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
import scipy.linalg
from array_api_compat import array_namespace, is_numpy_array

from .._utils.device import beside, to_host
from ..exceptions import DivergenceError, ViewfuseError
from .lapack import divide_and_conquer, some_eigenpairs

__all__ = ["Eigenpairs", "largest_eigenpairs", "smallest_eigenpairs", "symmetric_eigh"]

_MAX_BASIS_BLOCKS = 6
_MANY = 32  # eigenvectors, from which a filter is faster than a larger basis
_DEGREES, _FILTERS = (2, 5), 3  # of Chebyshev polynomials; so many of them before Davidson's method takes over
_LANCZOS_STEPS = 6


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
    one hub can make it arbitrarily large.

    For many eigenvectors the small dense problems of Davidson's method take longer than its products; with a start, a few
    more products without them are faster (:func:`_filtered_subspace`). Up to ``dense_below`` samples LAPACK is faster and is
    used instead. It is also used if the iterations have not converged after ``max_iterations``.
    """
    n = laplacian.n_samples
    block_size = k + max(4, k // 3)
    if n <= max(dense_below, (_MAX_BASIS_BLOCKS + 1) * block_size):  # the basis must fit into n dimensions
        return _dense(laplacian, k)
    if start is not None and k >= _MANY and start.shape[1] >= block_size:
        found, start = _filtered_subspace(laplacian, k, start[:, :block_size], tol)
        if found is not None:
            return found
    found = _block_davidson(laplacian, k, _start_block(laplacian, block_size, start, random_state), tol, max_iterations)
    return _dense(laplacian, k) if found is None else found


def largest_eigenpairs(matrix: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The largest eigenvalues, descending, and their eigenvectors of a dense symmetric matrix."""
    negative, vectors = symmetric_eigh(-matrix, smallest=count)
    return -negative, vectors


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
    if is_numpy_array(matrix) and 10 * count < matrix.shape[0]:
        yield partial(some_eigenpairs, matrix, 0, count - 1)
    if is_numpy_array(matrix) and matrix.dtype == np.float32:
        yield partial(divide_and_conquer, matrix)  # the same algorithm as NumPy's, at half the time with SciPy's BLAS
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


def _filtered_subspace(laplacian: SymmetricOperator, k: int, block: Any, tol: float) -> tuple[Eigenpairs | None, Any]:
    """Chebyshev-filtered subspace iteration (Zhou, Saad, Tiago & Chelikowsky, 2006), from a block that is nearly invariant.

    A polynomial that is small from the largest Ritz value of the block to the largest eigenvalue of L enlarges the parts of
    the vectors that belong to smaller eigenvalues. Returns the eigenpairs, or None if they have not converged, and the
    block reached.
    """
    xp = array_namespace(block)
    diagonal = laplacian.diagonal()
    scale = float(xp.sort(xp.abs(diagonal))[diagonal.shape[0] // 2])
    size, filtered, upper, products = int(block.shape[1]), block, -np.inf, 1
    for applied in range(_FILTERS + 1):
        ritz = _ritz(laplacian, filtered, xp)
        if ritz is None or ritz[1].shape[1] < size:
            break
        values, block, images = ritz
        residual = float(to_host(xp.linalg.vector_norm(images - block * values[None, :], axis=0))[:k].max())
        if residual <= tol * scale:
            return Eigenpairs(values[:k], block[:, :k], products, block), block
        if not applied:
            upper = _largest_eigenvalue_bound(laplacian, xp)
        interval = _Interval(float(values[-1]), upper)
        if applied == _FILTERS or not interval.upper > interval.lower or not 0 < tol * scale < residual < math.inf:
            break
        degree = interval.degree_for(float(values[k - 1]), residual / (tol * scale))
        filtered = _chebyshev_filtered(laplacian, block, images, float(values[0]), interval, degree)
        products += degree
    return None, block


@dataclass(frozen=True)
class _Interval:
    """The eigenvalues that a filter makes small."""

    lower: float
    upper: float

    @property
    def centre(self) -> float:
        return (self.lower + self.upper) / 2

    @property
    def half(self) -> float:
        return (self.upper - self.lower) / 2

    def degree_for(self, value: float, factor: float) -> int:
        """The least degree m that enlarges the eigenvectors of a smaller eigenvalue by a factor.

        The Chebyshev polynomial is at most 1 within the interval and ``cosh(m arcosh x)`` at a distance of x halves of it
        from its centre.
        """
        growth = math.acosh(max((self.centre - value) / self.half, 1.0))
        least, most = _DEGREES
        return most if growth == 0 else min(max(math.ceil(math.acosh(factor) / growth), least), most)


def _ritz(laplacian: SymmetricOperator, block: Any, xp: Any) -> tuple[Any, Any, Any] | None:
    """Ritz values, ascending, Ritz vectors and their products with L; None if the block is not finite."""
    if not bool(xp.all(xp.isfinite(block))):
        return None
    basis = _orthonormal(block, xp)
    images = laplacian @ basis
    projected = to_host(basis.T @ images)
    values, rotation = (beside(block, part) for part in np.linalg.eigh((projected + projected.T) / 2))
    return values, basis @ rotation, images @ rotation


def _chebyshev_filtered(
    laplacian: SymmetricOperator, block: Any, images: Any, smallest: float, interval: _Interval, degree: int
) -> Any:
    """``p(L) X`` with the Chebyshev polynomial of an interval, scaled to about 1 at the smallest eigenvalue.

    ``images`` is ``L X``.
    """
    centre, half = interval.centre, interval.half
    factor = half / (smallest - centre)
    first = factor
    before, filtered = block, (images - centre * block) * (factor / half)
    for _ in range(degree - 1):
        following = 1 / (2 / first - factor)
        product = (laplacian @ filtered - centre * filtered) * (2 * following / half)
        before, filtered, factor = filtered, product - (factor * following) * before, following
    return filtered


def _largest_eigenvalue_bound(laplacian: SymmetricOperator, xp: Any) -> float:
    """A bound on the largest eigenvalue by a few steps of Lanczos' method (Zhou & Li, 2011)."""
    drawn = np.random.RandomState(0).standard_normal((laplacian.n_samples, 1))
    graph = laplacian.graph
    vector = xp.asarray(drawn / np.linalg.norm(drawn), dtype=graph.dtype, device=graph.device)
    previous, beta = xp.zeros_like(vector), 0.0
    diagonal, beside_it = [], []
    for _ in range(_LANCZOS_STEPS):
        image = laplacian @ vector - beta * previous
        alpha = float(xp.sum(image * vector))
        image = image - alpha * vector
        beta = float(xp.linalg.vector_norm(image))
        diagonal.append(alpha)
        beside_it.append(beta)
        if not beta > 0:
            break
        previous, vector = vector, image / beta
    coupled = np.diag(beside_it[: len(diagonal) - 1], 1)
    return float(np.linalg.eigvalsh(np.diag(diagonal) + coupled + coupled.T)[-1]) + beside_it[-1]


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
