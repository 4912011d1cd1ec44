"""FPMVS-CAG: one orthogonal set of anchors for all views, and one graph between samples and anchors, without parameters.

    min Σ_v α_v² ‖X_v − W_v A Z‖²,   W_vᵀW_v = I, AᵀA = I (c × c), columns of Z (c × n) on the simplex, Σα = 1

in turn over the bases W_v, the anchors A, Z and the weights α. With S_v = X_vZᵀ the steps are W_v = polar(S_v Aᵀ) and A' =
polar(Σα_v² W_vᵀS_v). Since A is orthogonal, W_v A = polar(S_v) =: P_v and A' = A polar(Σα_v² P_vᵀS_v) = A, because the sum
is positive semi-definite: after the first iteration the anchors stay, and the problem is one in P_v, Z and α. An iteration
takes 2n·d·c operations, or as many as the entries of a sparse view times c, because that stays sparse; memory is that of the
views and a few arrays of n × c. The authors' program is obfuscated. The steps are those of SMVSC, an open program of one of
the authors, without its regularisation; they fit the output that the authors published.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...linalg import polar_factor, project_rows, squares_in_order, sums_in_order, unit_rows
from ...views import Views
from .._base import RelabelMixin
from .._solution import Solution
from .base import ProgramMethod
from .program_scaling import standard_features

__all__ = ["FPMVS", "consensus_anchors", "polar"]

_FIRST_TEST = 10  # iterations, as in the program
_SINGULAR = 1e-6  # eigenvalues of SᵀS below this share of the largest are not exact enough
_CONSTANT = 1e-6


def polar(matrix: np.ndarray) -> np.ndarray:
    """The orthogonal factor of ``M = Q H``: the orthonormal matrix that is closest to M, (r, c)."""
    left, _, right = np.linalg.svd(matrix, full_matrices=False)
    return np.asarray(left @ right)


def inverse_root(gram: np.ndarray) -> np.ndarray | None:
    """``(SᵀS)^-½`` (c, c), without the direction (1, …, 1) if S·1 = 0; None if S is nearly singular in others.

    S·1 = 0 if features have mean 0. The factor polar(S) is then arbitrary in that direction, which changes nothing: it adds
    the same number to all codes of a sample before they are projected.
    """
    values, vectors = np.linalg.eigh(gram)
    first = int((values <= _SINGULAR * values[-1]).sum())
    if first > 1 or (first == 1 and float(np.ptp(vectors[:, 0])) > _CONSTANT):
        return None
    return np.asarray((vectors[:, first:] / np.sqrt(values[first:])) @ vectors[:, first:].T)


class _View:
    """One view ``X = S − 1 mᵀ`` (n, d): S dense and m = 0, or S sparse and m the means of its scaled features.

    A sparse view is standardised without becoming dense.
    """

    def __init__(self, values: Any, means: np.ndarray | None = None, first: np.ndarray | None = None) -> None:
        """``first`` (n, p) are the first features, if they are known more exactly than ``values`` tell."""
        self._values, self._means, self._first = values, means, first
        self._transposed = sp.csr_array(values.T) if sp.issparse(values) else None
        # With fewer samples than features, products with XXᵀ cost less, and it takes no more memory than X.
        self._kernel = values @ values.T if means is None and values.shape[0] <= values.shape[1] else None
        if means is None:
            self.square = float(np.vdot(values, values))
        else:
            self.square = float(values.data @ values.data - values.shape[0] * (means @ means))

    @classmethod
    def standardised(cls, view: sp.csr_array, first: np.ndarray) -> _View:
        """A sparse view with features of mean 0 and standard deviation 1; constant features become 0."""
        n = view.shape[0]
        # As for dense views, each feature is divided by its largest value first.
        peaks = abs(view).max(axis=0).toarray().ravel()
        scaled = sp.csr_array(view, dtype=np.float64, copy=True)
        scaled.data /= np.where(peaks > 0, peaks, 1)[scaled.indices]
        means = np.asarray(scaled.sum(axis=0)).ravel() / n
        squares = np.asarray(scaled.multiply(scaled).sum(axis=0)).ravel()
        deviations = np.sqrt(np.maximum(squares - n * means**2, 0) / max(n - 1, 1))
        varies = deviations > 1e-7  # the difference of squares is exact to about 1e-8 of them
        factors = np.where(varies, 1 / np.where(varies, deviations, 1), 0)
        scaled.data *= factors[scaled.indices]
        return cls(scaled, means * factors, first)

    @property
    def n_features(self) -> int:
        return int(self._values.shape[1])

    def leading(self, count: int) -> np.ndarray:
        """The first features, (n, count), and 0 for those that the view does not have."""
        first = self._values[:, :count] if self._first is None else self._first
        return np.pad(first, ((0, 0), (0, count - first.shape[1])))

    def sums(self, codes: sp.csr_array) -> np.ndarray:
        """``XᵀZᵀ``, (d, c), for codes Z (c, n)."""
        if self._means is None:
            return np.asarray((codes @ self._values).T)
        dense = codes.toarray().T
        return np.asarray(self._transposed @ dense - self._means[:, None] * dense.sum(axis=0))

    def rotated(self, codes: sp.csr_array) -> tuple[np.ndarray, np.ndarray]:
        """``XP`` (n, c) and ``PᵀP`` (c, c) for ``P = polar(XᵀZᵀ)``, the basis that fits best."""
        count = codes.shape[0]
        if self.n_features >= count:
            products, gram = self._products(codes)
            root = inverse_root(gram)
            if root is not None:
                return products @ root, np.eye(count)
        basis = polar(self.sums(codes))
        return self.image(basis), basis.T @ basis

    def _products(self, codes: sp.csr_array) -> tuple[np.ndarray, np.ndarray]:
        """``XS`` (n, c) and ``SᵀS`` for ``S = XᵀZᵀ``."""
        if self._kernel is None:
            sums = self.sums(codes)
            return self.image(sums), sums.T @ sums
        products = (codes @ self._kernel).T
        return products, np.asarray(codes @ products)

    def image(self, basis: np.ndarray) -> np.ndarray:
        """``XW``, (n, c)."""
        product = self._values @ basis
        return np.asarray(product if self._means is None else product - self._means @ basis)


def consensus_anchors(
    views: Sequence[_View], n_samples: int, n_clusters: int, *, variant: str, max_iter: int, tol: float
) -> tuple[np.ndarray, np.ndarray, list[float], bool]:
    """Z transposed (n, c), α, the objective after every iteration, and whether it changed by less than ``tol`` of itself."""
    squares = np.asarray([view.square for view in views])
    codes = np.eye(n_samples, n_clusters)
    weights = np.full(len(views), 1 / len(views))
    objective: list[float] = []
    converged = False
    while not converged and len(objective) < max_iter:
        few = sp.csr_array(codes.T)  # few of the codes differ from 0
        found = [view.rotated(few) for view in views] if objective else _first(views, few)
        # The program, and the paper, leave α² out of the numerator.
        codes = project_rows(np.sum([image for image, _ in found], axis=0) / (weights**2).sum())
        inner = codes.T @ codes
        fits = [2 * float(np.vdot(image, codes)) - float(np.vdot(inner, square)) for image, square in found]
        misfits = np.maximum(squares - fits, np.finfo(float).eps * squares)
        inverse = 1 / (misfits if variant == "program" else np.sqrt(misfits))
        weights = inverse / inverse.sum()
        objective.append(float((weights**2 * misfits).sum()))
        tested = len(objective) >= _FIRST_TEST
        converged = tested and abs(objective[-2] - objective[-1]) <= tol * objective[-2]
    return codes, weights, objective, converged


def _first(views: Sequence[_View], codes: sp.csr_array) -> list[tuple[np.ndarray, np.ndarray]]:
    """``XP`` and ``PᵀP`` of each view at the start, P = W A.

    Before it has anchors, the program decomposes a zero matrix for W, which gives the leading unit vectors. Then it takes A
    from the first samples. If these are alike in the first features, as texts are, that matrix is singular, and A depends on
    the rounding of its numbers. So they are computed as the program does, and decomposed in the same order of operations.
    """
    count = codes.shape[0]
    leading = [view.leading(count) for view in views]
    weight = (1 / len(views)) ** 2
    anchors = polar_factor(np.sum([(weight * features[:count]).T for features in leading], axis=0))
    # A view with fewer features than anchors has only as many rows of A in its basis.
    kept = [anchors[: min(count, view.n_features)] for view in views]
    return [(features @ anchors, rows.T @ rows) for features, rows in zip(leading, kept, strict=True)]


def _standard_as_program(features: Any) -> np.ndarray:
    """Features of mean 0 and standard deviation 1, rounded as in the program where that is possible."""
    dense = np.asarray(features.toarray() if sp.issparse(features) else features, dtype=np.float64)
    exact = standard_features(dense)  # also of constant and of huge features
    with np.errstate(all="ignore"):
        centred = dense - sums_in_order(dense.T) / len(dense)
        rounded = centred / np.sqrt(squares_in_order(centred.T) / (len(dense) - 1))
    return np.where(np.isclose(rounded, exact, rtol=1e-9, atol=1e-9), rounded, exact)


class FPMVS(RelabelMixin, ProgramMethod):
    """Fast parameter-free multi-view subspace clustering with consensus anchor guidance.

    ``min Σ_v α_v² ‖X_v − W_v A Z‖²`` with orthonormal ``W_v`` and ``A``, the columns of ``Z`` on the simplex and ``Σα = 1``:
    one set of c anchors ``A`` for all views. k-means runs on the left singular vectors of ``Zᵀ``, with rows of unit length.
    Time and memory are linear in the number of samples. The start uses the first samples and the first features, so the
    result depends on the order of both. ``objective_`` need not decrease: the step for ``Z``, as published, is not a descent
    step.

    The authors' program is obfuscated; the steps are inferred from an open program of one of its authors.

    Parameters
    ----------
    {n_clusters}
    variant : {"program", "paper"}, default="program"
        The weights of the views: in proportion to 1/‖X_v − W_v A Z‖², or to 1/‖X_v − W_v A Z‖ as printed.
    {program_scaling, max_iter}
    tol : float, default=1e-3
        Stop, from the tenth iteration on, when the objective changes by less than this share of itself.
    {views}
    n_init : int, default=50
        Number of k-means runs on the embedding; the best one by inertia is kept. The program reports the best by labels.
    {random_state}

    Attributes
    ----------
    {labels_, embedding_, objective_, view_weights_, traces, names}

    References
    ----------
    S. Wang, X. Liu, X. Zhu, P. Zhang, Y. Zhang, F. Gao and E. Zhu. Fast parameter-free multi-view subspace clustering with
    consensus anchor guidance. IEEE Trans. Image Processing 31 (2022).

    Examples
    --------
    {example: fpmvs}
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        variant: str = "program",
        scaling: str = "standard-features",
        max_iter: int = 51,
        tol: float = 1e-3,
        views: Any = None,
        n_init: int = 50,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.scaling = scaling
        self.max_iter = max_iter
        self.tol = tol
        self.views = views
        self.n_init = n_init
        self.random_state = random_state

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        options: dict[str, Any] = {"variant": self.variant, "max_iter": self.max_iter, "tol": self.tol}
        found_views = self._operators(views, arrays, used)
        codes, weights, objective, converged = consensus_anchors(found_views, len(views), self.n_clusters, **options)
        embedding = np.linalg.svd(codes, full_matrices=False)[0]
        found: dict[str, Any] = {"points": unit_rows(embedding), "embedding": embedding, "weights": weights}
        return Solution(converged, len(objective), np.asarray(objective), **found)

    def _operators(self, views: Views, arrays: list[Any], used: list[int]) -> list[_View]:
        if self.scaling != "standard-features":
            return [_View(scaled) for scaled in self._scaled(views, arrays, used)]
        first = [_standard_as_program(array[:, : self.n_clusters]) for array in arrays]
        dense = [v for v, array in enumerate(arrays) if not sp.issparse(array)]
        scaled = dict(zip(dense, self._scaled(views, [arrays[v] for v in dense], [used[v] for v in dense]), strict=True))
        return [
            _View(scaled[v], first=first[v]) if v in scaled else _View.standardised(array, first[v])
            for v, array in enumerate(arrays)
        ]
