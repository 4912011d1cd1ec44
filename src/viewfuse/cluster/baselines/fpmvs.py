"""FPMVS-CAG: one orthogonal set of anchors for all views, and one graph between samples and anchors, without parameters.

    min Σ_v α_v² ‖X_v − W_v A Z‖²,   W_vᵀW_v = I, AᵀA = I (c × c), columns of Z (c × n) on the simplex, Σα = 1

in turn over the bases W_v, the anchors A, Z and the weights α. An iteration takes 4n·d·c operations; memory is that of the
views and a few arrays of n × c. The authors' program is obfuscated. The steps are those of SMVSC, an open program of one
of the authors, without its regularisation; they fit the output that the authors published.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...linalg import project_rows, unit_rows
from ...views import Views
from .._base import RelabelMixin
from .base import ProgramMethod
from .solution import Solution

__all__ = ["FPMVS", "consensus_anchors", "polar"]

_FIRST_TEST = 10  # iterations, as in the program
_WELL_CONDITIONED = 1e-8  # smallest eigenvalue of the Gram matrix, relative to the largest


def polar(matrix: np.ndarray) -> np.ndarray:
    """The orthogonal factor of ``M = Q H``: the orthonormal matrix that is closest to M, (r, c).

    ``M (MᵀM)^-½`` or, if M has no full column rank, by a singular value decomposition.
    """
    if matrix.shape[0] >= matrix.shape[1]:
        values, vectors = np.linalg.eigh(matrix.T @ matrix)
        if values[0] > _WELL_CONDITIONED * values[-1]:
            return np.asarray(matrix @ ((vectors / np.sqrt(values)) @ vectors.T))
    left, _, right = np.linalg.svd(matrix, full_matrices=False)
    return np.asarray(left @ right)


def consensus_anchors(
    views: Sequence[np.ndarray], n_clusters: int, *, variant: str, max_iter: int, tol: float
) -> tuple[np.ndarray, np.ndarray, list[float], bool]:
    """Z transposed (n, c), α, the objective after every iteration, and whether it changed by less than ``tol`` of itself."""
    n = len(views[0])
    squares = [float(np.vdot(x, x)) for x in views]
    codes, anchors = np.eye(n, n_clusters), None
    weights = np.full(len(views), 1 / len(views))
    objective: list[float] = []
    converged = False
    while not converged and len(objective) < max_iter:
        sums = [x.T @ codes for x in views]  # (d, c) each
        # Before the first anchors the program decomposes a zero matrix, which gives the leading unit vectors.
        bases = [np.eye(*s.shape) if anchors is None else polar(s @ anchors.T) for s in sums]
        total = sum(w**2 * (b.T @ s) for w, b, s in zip(weights, bases, sums, strict=True))
        anchors = polar(total)
        images = [x @ b for x, b in zip(views, bases, strict=True)]  # (n, c) each
        # The program, and the paper, leave α² out of the numerator.
        codes = project_rows(sum(images) @ anchors / (weights**2).sum())
        fitted = codes @ anchors.T
        gram = fitted.T @ fitted
        misfits = np.asarray(
            [
                square - 2 * float(np.vdot(image, fitted)) + float(np.vdot(gram, basis.T @ basis))
                for square, image, basis in zip(squares, images, bases, strict=True)
            ]
        )
        misfits = np.maximum(misfits, np.finfo(float).eps * np.asarray(squares))
        inverse = 1 / (misfits if variant == "program" else np.sqrt(misfits))
        weights = inverse / inverse.sum()
        objective.append(float((weights**2 * misfits).sum()))
        tested = len(objective) >= _FIRST_TEST
        converged = tested and abs(objective[-2] - objective[-1]) <= tol * objective[-2]
    return codes, weights, objective, converged


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
        features = self._scaled(views, arrays, used)
        codes, weights, objective, converged = consensus_anchors(features, self.n_clusters, **options)
        embedding = np.linalg.svd(codes, full_matrices=False)[0]
        found: dict[str, Any] = {"points": unit_rows(embedding), "embedding": embedding, "weights": weights}
        return Solution(converged, len(objective), np.asarray(objective), **found)
