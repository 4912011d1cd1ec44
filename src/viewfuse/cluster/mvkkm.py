"""MVKKM: kernel k-means on a weighted sum of kernels.

    min Σ_v w_v^p D_v,   D_v = Tr(K_v) − Tr(YᵀK_vY),   w ≥ 0, Σ_v w_v = 1

Y is the normalised indicator of the clusters. An iteration is t·n² for the sum, 2n²k for the distances;
memory t + 1 kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..exceptions import ParameterError, ViewsError
from ..graphs import SCALINGS, cosine_similarity, gaussian_graph
from ..views import Views
from ._checks import check_choice, check_number
from ._family import ComparisonMethod
from ._lloyd import best_of, refilled, seeded_labels
from ._solution import Solution

__all__ = ["MVKKM", "multi_view_kernel_kmeans", "view_weights"]


def view_weights(scatters: np.ndarray, p: float) -> np.ndarray:
    """``argmin_w Σ_v w_v^p D_v`` over the simplex: ``w_v ∝ D_v^{1/(1−p)}``; for p = 1 the smallest D_v takes all."""
    if p == 1:
        return np.eye(len(scatters))[int(np.argmin(scatters))]
    logs = np.log(np.maximum(scatters, np.finfo(float).tiny)) / (1 - p)
    powers = np.exp(logs - logs.max())
    return powers / powers.sum()


def multi_view_kernel_kmeans(
    kernels: Sequence[np.ndarray],
    n_clusters: int,
    *,
    p: float,
    max_iter: int,
    tol: float,
    random_state: np.random.RandomState,
) -> Solution:
    """One start: alternate labels and weights until the objective falls by less than ``tol``."""
    n_views = len(kernels)
    weights = np.full(n_views, 1 / n_views)
    objective: list[float] = []
    converged = False
    labels = seeded_labels(partial(_distances_from, _weighted_sum(kernels, weights**p)), n_clusters, random_state)
    products = _products(kernels, labels, n_clusters)
    while not converged and len(objective) < max_iter:
        diagonal, product = _weighted_sum([K.diagonal() for K in kernels], weights**p), _weighted_sum(products, weights**p)
        old, labels = labels, _moved(diagonal, product, labels, n_clusters)
        products = _products(kernels, labels, n_clusters)
        indicator = _indicator(labels, n_clusters)
        scatters = np.asarray([np.trace(K) - float((indicator * KY).sum()) for K, KY in zip(kernels, products, strict=True)])
        scatters = np.maximum(scatters, np.finfo(float).eps * kernels[0].shape[0])
        new_weights = view_weights(scatters, p)
        value = float((new_weights**p * scatters).sum())
        if objective and value > objective[-1]:
            labels, converged = old, True  # an indefinite kernel, or rounding: the last step was the best
            break
        weights = new_weights
        objective.append(value)
        converged = len(objective) > 1 and objective[-2] - value <= tol * value
    return Solution(converged, len(objective), np.asarray(objective), labels=labels, weights=weights)


def _distances_from(kernel: np.ndarray, i: int) -> np.ndarray:
    return kernel.diagonal() + kernel[i, i] - 2 * kernel[i]


def _weighted_sum(kernels: Sequence[np.ndarray], weights: np.ndarray) -> np.ndarray:
    return sum((w * kernel for w, kernel in zip(weights, kernels, strict=True)), np.zeros_like(kernels[0]))


def _indicator(labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """``Y``, (n, k): one-hot, columns of unit length."""
    one_hot = np.eye(n_clusters)[labels]
    return one_hot / np.sqrt(np.maximum(one_hot.sum(axis=0), 1))


def _products(kernels: Sequence[np.ndarray], labels: np.ndarray, n_clusters: int) -> list[np.ndarray]:
    """``K_v Y``, (n, k) each: all that an iteration needs of the kernels."""
    indicator = _indicator(labels, n_clusters)
    return [kernel @ indicator for kernel in kernels]


def _moved(diagonal: np.ndarray, products: np.ndarray, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Every sample to the nearest centre: ``‖φ_i − c_j‖² = K_ii − 2 K_i·y_j/√n_j + y_jᵀKy_j/n_j``."""
    indicator = _indicator(labels, n_clusters)
    sizes = np.maximum(np.bincount(labels, minlength=n_clusters), 1)
    centre_squares = (indicator * products).sum(axis=0) / sizes
    distances = diagonal[:, None] - 2 * products / np.sqrt(sizes) + centre_squares
    empty = np.bincount(labels, minlength=n_clusters) == 0
    distances[:, empty] = np.inf
    return refilled(distances.argmin(axis=1), distances.min(axis=1), n_clusters)


def _unit_scatter(kernel: np.ndarray) -> np.ndarray:
    """Scaled to mean scatter 1 about the overall mean: else a kernel in which all samples are alike would win all weight."""
    scatter = float(kernel.diagonal().mean() - kernel.mean())
    return kernel / scatter if scatter > 0 else kernel


def _unit_diagonal(kernel: np.ndarray, name: str) -> np.ndarray:
    diagonal = kernel.diagonal()
    if diagonal.min() <= 0:
        raise ViewsError(
            f"View {name!r} is no kernel: its diagonal has the entry {diagonal.min():.3g}, where a sample's similarity to "
            "itself belongs, which is positive."
        )
    return kernel / np.sqrt(diagonal[:, None] * diagonal[None, :])


class MVKKM(ComparisonMethod):
    """Multi-view kernel k-means.

    ``min Σ_v w_v^p D_v`` with ``w_v ≥ 0``, ``Σ_v w_v = 1`` and ``D_v = Tr(K_v) − Tr(YᵀK_vY)`` the scatter
    within clusters in the
    kernel of view v: alternately a step of kernel k-means on ``Σ_v w_v^p K_v`` and the closed form of the
    weights. Kernels have
    unit diagonal, then (ours) equal total scatter. Monotone as long as the kernels are positive semi-definite;
    precomputed ones that are not end the descent.

    Parameters
    ----------
    n_clusters : int, default=8
    p : float of at least 1, default=3
        1 gives all weight to the view with the least scatter; the larger, the more equal the weights.
    affinity : {"gaussian", "cosine", "precomputed"}, default="cosine"
        The kernel: Gaussian with median bandwidth, cosine, or the views are kernels with no negative entry.
    scaling : {"unit-samples", "min-max", "unit-spread"}
        How a view is scaled first: samples to unit length, the view as a whole to [−1, 1] as in the paper, or centred and
        to mean squared distance 1 (distances do not tell the last two from the features as they are).
    max_iter : int
        Largest number of iterations.
    tol : float
        The relative fall of the objective below which it has settled.
    views : dict or list, default=None
        For one 2-D array or DataFrame: the columns of each view, as in :class:`viewfuse.GFSC`.
    n_init : int, default=10
        Starts; the best counts.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : (n_samples,) array of int
    objective_ : array, per iteration
    view_weights_ : (n_views,) array, summing to 1; a constant view has weight 0
    history_ : dict of traces
    n_iter_ : int
    converged_ : bool
    view_names_ : (n_views,) array of str
    n_features_in_ : int, of all views together

    References
    ----------
    G. Tzortzis and A. Likas. Kernel-based weighted multi-view clustering. ICDM 2012.

    Examples
    --------
    >>> from viewfuse import METHODS, metrics
    >>> from viewfuse.datasets import load_digits_views
    >>> views = load_digits_views()[:150]
    >>> model = METHODS["mvkkm"](n_clusters=10, random_state=0).fit(views)
    >>> metrics.accuracy(views.y, model.labels_) > 0.4
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        p: float = 3.0,
        affinity: str = "cosine",
        scaling: str = "unit-samples",
        max_iter: int = 200,
        tol: float = 1e-6,
        views: Any = None,
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.p = p
        self.affinity = affinity
        self.scaling = scaling
        self.max_iter = max_iter
        self.tol = tol
        self.views = views
        self.n_init = n_init
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("p", self.p, positive=True)
        if self.p < 1:
            raise ParameterError(f"p must be at least 1; got {self.p!r}.")
        check_choice("affinity", self.affinity, ("gaussian", "cosine", "precomputed"))

    def _solve(self, views: Views, arrays: list[Any], used: list[int], rng: np.random.RandomState) -> Solution:
        kernels = [_unit_scatter(self._kernel(array, views.names[v])) for array, v in zip(arrays, used, strict=True)]
        options: dict[str, Any] = {"p": self.p, "max_iter": self.max_iter, "tol": self.tol, "random_state": rng}
        return best_of(self.n_init, lambda: multi_view_kernel_kmeans(kernels, self.n_clusters, **options))

    def _kernel(self, array: Any, name: str) -> np.ndarray:
        if self.affinity == "precomputed":
            dense = array.toarray() if sp.issparse(array) else array
            return _unit_diagonal((dense + dense.T) / 2, name)
        scaled = SCALINGS[self.scaling](array)
        kernel = gaussian_graph(scaled) if self.affinity == "gaussian" else cosine_similarity(scaled)
        np.fill_diagonal(kernel, 1)
        return kernel
