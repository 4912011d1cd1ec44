"""LMVSC: a graph between samples and anchors per view, and one embedding of all of them; linear in the number of samples.

    min_Z ‖X_v − Z_v A_v‖² + α‖Z_v‖²,   rows of Z_v on the simplex

for each view, A_v (m × d) the centres of k-means. The embedding holds the leading left singular vectors of the concatenated
Z_v. All samples of a view share the quadratic term, so that their programs are solved together, exactly. This takes n·m³
operations per view and round, of which a few are needed; memory is V arrays of n × m.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ...linalg import random_kmeans, simplex_programs
from ...views import Views
from .._base import EmbeddingMixin
from .._constraints import Count, Nothing, Number
from .._solution import Solution
from .base import ProgramMethod
from .coordinates import in_few_coordinates

__all__ = ["LMVSC", "anchor_codes", "anchor_embedding"]

_KMEANS_ITERATIONS = 100
_NEGLIGIBLE = 1e-10  # eigenvalues of the Gram matrix, relative to the largest, that are dropped


def anchor_codes(points: np.ndarray, anchors: np.ndarray, alpha: float) -> tuple[np.ndarray, float]:
    """Z (n, m) and the objective of one view."""
    hessian = anchors @ anchors.T + alpha * np.eye(len(anchors))
    codes = simplex_programs(hessian, points @ anchors.T)
    misfit = points - codes @ anchors
    return codes, float(np.vdot(misfit, misfit) + alpha * np.vdot(codes, codes))


def anchor_embedding(codes: Sequence[np.ndarray], n_clusters: int, variant: str) -> tuple[np.ndarray, np.ndarray]:
    """The leading left singular vectors (n, c) of ``[Z_1 … Z_V]/√V``, and all singular values, descending."""
    if variant == "paper":
        degrees = [z.sum(axis=0) for z in codes]
        codes = [z / np.sqrt(np.where(degree > 0, degree, 1)) for z, degree in zip(codes, degrees, strict=True)]
    stack = np.hstack(list(codes)) / np.sqrt(len(codes))
    values, vectors = np.linalg.eigh(stack.T @ stack)
    values, vectors = np.maximum(values[::-1], 0), vectors[:, ::-1]
    kept = int((values[:n_clusters] > _NEGLIGIBLE * values[0]).sum())
    return stack @ (vectors[:, :kept] / np.sqrt(values[:kept])), np.sqrt(values)


class LMVSC(EmbeddingMixin, ProgramMethod):
    """Large-scale multi-view subspace clustering with anchors.

    ``min_Z ‖X_v − Z_v A_v‖² + α‖Z_v‖²`` for each view, where the rows of ``Z_v`` (samples × anchors) lie on the simplex and
    ``A_v`` are centres of k-means. k-means runs on the leading left singular vectors of all ``Z_v`` side by side. Time and
    memory are linear in the number of samples. The views have no weights and, as in the program, are not scaled: α is
    negligible for a view of large values and decides for one of small values.

    ``objective_`` holds the sum over the views.

    Parameters
    ----------
    {n_clusters}
    variant : {"program", "paper"}, default="program"
        "paper" divides the columns of each ``Z_v`` by the root of their sums, the degrees of the anchors.
    n_anchors : int or None, default=None
        Number of anchors of each view; None takes ``n_clusters``. The program tries n_clusters, 50 and 100.
    alpha : float, default=1
        α. The program tries 0.01, 1 and 100.
    {program_scaling, views}
    n_init : int, default=10
        Number of k-means runs, for the anchors and on the embedding, each from random samples as in the program; the best
        one is kept.
    {random_state}

    Attributes
    ----------
    {labels_, embedding_}
    singular_values_ : array, of all ``Z_v`` side by side, divided by the root of the number of views
    {objective_, traces, names}

    References
    ----------
    Z. Kang, W. Zhou, Z. Zhao, J. Shao, M. Han and Z. Xu. Large-scale multi-view subspace clustering in linear time. AAAI
    2020.

    Examples
    --------
    {example: lmvsc}
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        variant: str = "program",
        n_anchors: int | None = None,
        alpha: float = 1.0,
        scaling: str = "none",
        views: Any = None,
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.n_anchors = n_anchors
        self.alpha = alpha
        self.scaling = scaling
        self.views = views
        self.n_init = n_init
        self.random_state = random_state

    _parameter_constraints: ClassVar = {
        **ProgramMethod._parameter_constraints,
        "n_anchors": [Count(1), Nothing()],
        "alpha": [Number(above=0)],
    }

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        count = min(self.n_anchors or self.n_clusters, len(views))
        codes, objective = [], 0.0
        for x in self._scaled(views, arrays, used):
            points = in_few_coordinates(x)
            anchors = self._kmeans(points, count, rng)[1]
            found, value = anchor_codes(points, anchors, self.alpha)
            codes.append(found)
            objective += value
        embedding, self.singular_values_ = anchor_embedding(codes, self.n_clusters, self.variant)
        labels = self._kmeans(embedding, self.n_clusters, rng)[0]
        return Solution(True, 1, np.asarray([objective]), labels=labels, embedding=embedding)

    def _kmeans(self, points: np.ndarray, count: int, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
        return random_kmeans(points, count, n_init=self.n_init, max_iter=_KMEANS_ITERATIONS, random_state=rng)
