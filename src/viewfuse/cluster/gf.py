"""GF: graph fusion first, spectral clustering afterwards."""

from __future__ import annotations

from typing import Any

from ..fusion import FusionResult, gf
from ._exact import ExactFusion
from ._stopping import Callback

__all__ = ["GF"]


class GF(ExactFusion):
    """Graph fusion, then spectral clustering of the consensus graph as a separate step.

    ``min Σ_v ‖X_vᵀ − X_vᵀZ_v‖² + α‖Z_v‖² + β w_v‖Z_v − S‖²`` with ``Z_v ≥ 0``: :class:`GFSC` without its cut term. The
    comparison with GFSC shows what the joint optimisation gains.

    Parameters
    ----------
    {n_clusters_or_auto}
    alpha : float, default=1
        Weight of ``‖Z_v‖²``, as in :class:`GFSC`.
    beta : float, default=0.1
        Weight of the distance between the graphs of the views and the consensus graph, as in :class:`GFSC`.
    {variant, affinity_or_graphs, views, own_weights, consensus_tol, max_time, n_init, random_state, verbose, device}
    {callback}

    Attributes
    ----------
    {labels_, n_clusters_}
    confidence_ : (n_samples,) array in [0, 1]
        How clearly the edges of a sample support its cluster: 0 if another cluster has equal support.
    {view_weights_}
    view_names_ : (n_views,) array of str
    {noise_views_, view_report_}
    embedding_ : (n_samples, n_clusters) array, orthonormal columns
    {affinity_matrix_, history_, stopping, feature_names}

    References
    ----------
    {paper}

    Examples
    --------
    >>> from viewfuse.cluster import GF
    >>> from viewfuse.datasets import load_digits_views
    >>> GF(n_clusters=10, random_state=0).fit(load_digits_views()[:200]).embedding_.shape
    (200, 10)
    """

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        alpha: float = 1.0,
        beta: float = 0.1,
        variant: str = "robust",
        affinity: str = "self-expressive",
        views: Any = None,
        view_weights: Any = None,
        fixed_view_weights: Any = None,
        max_iter: int = 200,
        max_time: float | None = None,
        tol: float = 1e-3,
        n_init: int = 10,
        random_state: Any = None,
        verbose: int = 0,
        device: str | None = None,
        callback: Callback | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.beta = beta
        self.variant = variant
        self.affinity = affinity
        self.views = views
        self.view_weights = view_weights
        self.fixed_view_weights = fixed_view_weights
        self.max_iter = max_iter
        self.max_time = max_time
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state
        self.verbose = verbose
        self.device = device
        self.callback = callback

    def _fuse(self, arrays: list[Any], **options: Any) -> FusionResult:
        return gf(arrays, self.n_clusters_, alpha=self.alpha, beta=self.beta, **options)
