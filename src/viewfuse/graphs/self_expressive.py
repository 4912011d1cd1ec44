"""The self-expressive graph: each sample as a non-negative mixture of the others.

With the Gram matrix ``G = X Xᵀ`` of a view and a consensus ``S`` with weight ``b``,

    min_Z ‖Xᵀ − XᵀZ‖² + α‖Z‖² + b‖Z − S‖²   ⇒   Z = (G + cI)⁻¹ (bS + G),   c = α + b.

Let ``XᵀX = V Λ Vᵀ`` and ``U = X V``, so that ``G = U Uᵀ`` and ``UᵀU = Λ``. By the matrix inversion lemma

    Z = ρS + U (Λ + cI)⁻¹ (Uᵀ − ρ UᵀS),   ρ = b/c.

``U`` and ``Λ`` do not depend on α, b or S: a view is factorised once, and every later ``Z`` is two products of
2n²r operations (r the rank, at most min(n, d)) instead of a solve of n³. U is never larger than the view itself.

With as many features as samples there is nothing to gain from U: it is as large as G, its eigenproblem takes as long as
several inverses, and with ``W = (G + cI)⁻¹``

    Z = I − W (cI − bS)

takes one product instead of two. Such a view is kept as its Gram matrix (:class:`GramMatrix`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from array_api_compat import array_namespace

from ..linalg import gram_factor, symmetric_eigh
from .scaling import ScaledView

__all__ = [
    "ROUNDING",
    "GramFactor",
    "GramMatrix",
    "factorise",
    "factorise_gram",
    "gram_matrix",
    "in_double",
    "self_expressive_graph",
]


ROUNDING = 1e-6  # relative error of a Gram matrix in single precision, more than its rounding


@dataclass(frozen=True)
class GramFactor:
    """``G = U Uᵀ`` with ``UᵀU = diag(λ)``.

    Attributes
    ----------
    basis : (n, r) array, ``U``
    eigenvalues : (r,) array, ``λ``, ascending, all positive
    """

    basis: Any
    eigenvalues: Any

    def single_precision(self) -> GramFactor:
        xp = array_namespace(self.basis)
        return GramFactor(xp.astype(self.basis, xp.float32), xp.astype(self.eigenvalues, xp.float32))


@dataclass(frozen=True)
class GramMatrix:
    """The Gram matrix of a view with at least as many features as samples; NumPy arrays only.

    Attributes
    ----------
    gram : (n, n) array of float32
    """

    gram: np.ndarray

    @cached_property
    def basis(self) -> np.ndarray:
        """Points with these inner products, (n, n), lower triangular."""
        return gram_factor(self.gram.astype(float), ROUNDING).astype(self.gram.dtype)

    def factor(self) -> GramFactor:
        """The same with its eigenvalues."""
        return factorise_gram(self.gram.astype(float)).single_precision()


def factorise(view: ScaledView) -> GramFactor:
    """Factorise a view's Gram matrix through its smaller side; directions that are only rounding errors are dropped."""
    n, d = view.values.shape
    if d < n:
        dense = _dense(view)
        double = in_double(dense)
        eigenvalues, vectors = symmetric_eigh(double.T @ double)
        kept = _above_rounding(eigenvalues, n)
        return _factor_like(dense, double @ vectors[:, kept:], eigenvalues[kept:])
    factor = factorise_gram(gram_matrix(view))
    return _factor_like(view.values, factor.basis, factor.eigenvalues)


def factorise_gram(gram: Any) -> GramFactor:
    """Factorise an (n, n) Gram matrix itself."""
    eigenvalues, vectors = symmetric_eigh(gram)
    kept = _above_rounding(eigenvalues, gram.shape[0])
    return GramFactor(vectors[:, kept:] * eigenvalues[None, kept:] ** 0.5, eigenvalues[kept:])


def in_double(dense: Any) -> Any:
    """The array in double precision: in single precision a Gram matrix keeps only the strongest directions."""
    xp = array_namespace(dense)
    return xp.astype(dense, xp.float64, copy=False)


def _factor_like(view: Any, basis: Any, eigenvalues: Any) -> GramFactor:
    """The factor in the precision of the view."""
    factor = GramFactor(basis, eigenvalues)
    return factor.single_precision() if str(view.dtype).endswith("float32") else factor


def self_expressive_graph(view: ScaledView | GramFactor, alpha: float) -> Any:
    """``sym(((G + αI)⁻¹ G)₊)``: the graph of one view without a consensus, (n, n)."""
    factor = view if isinstance(view, GramFactor) else factorise(view)
    graph = factor.basis @ (factor.basis.T / (factor.eigenvalues + alpha)[:, None])
    graph[graph < 0] = 0
    return (graph + graph.T) / 2


def _dense(view: ScaledView) -> Any:
    if sp.issparse(view.values):
        return view.values.toarray() + view.offset
    return view.values + view.offset if view.offset else view.values


def gram_matrix(view: ScaledView) -> Any:
    """``(X + o)(X + o)ᵀ``, with the offset as rank-one terms, so that a wide sparse view is not made dense."""
    if not sp.issparse(view.values):
        dense = in_double(_dense(view))
        return dense @ dense.T
    values = view.values.astype(float, copy=False)
    gram = (values @ values.T).toarray()
    if view.offset:
        row_sums = values.sum(axis=1) * view.offset
        gram += row_sums[:, None] + row_sums[None, :] + view.offset**2 * values.shape[1]
    return gram


def _above_rounding(eigenvalues: Any, size: int) -> int:
    """Index of the first eigenvalue that is larger than the rounding error of the largest."""
    xp = array_namespace(eigenvalues)
    rounding = size * xp.finfo(eigenvalues.dtype).eps * max(float(eigenvalues[-1]), 0.0)
    return min(int(xp.count_nonzero(eigenvalues <= rounding)), eigenvalues.shape[0] - 1)
