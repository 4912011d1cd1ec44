"""GF: graph fusion first, spectral clustering afterwards."""

from __future__ import annotations

from typing import Any

from ..fusion import FusionResult, gf
from ._exact import ExactFusion

__all__ = ["GF"]


class GF(ExactFusion):
    """Graph fusion, then spectral clustering of the consensus as a separate step.

    ``min Σ_v ‖X_vᵀ − X_vᵀZ_v‖² + α‖Z_v‖² + β w_v‖Z_v − S‖²`` with ``Z_v ≥ 0``: :class:`GFSC` without its cut term, the
    comparison that shows what optimising both together is worth.

    Parameters
    ----------
    n_clusters, alpha, beta, variant, affinity, views, max_iter, max_time, tol, n_init, random_state, verbose, device
        As in :class:`GFSC`.

    Attributes
    ----------
    labels_, n_clusters_, cluster_counts_, view_weights_, view_names_, embedding_, affinity_matrix_, history_, objective_,
    n_iter_, converged_
        As in :class:`GFSC`.

    References
    ----------
    Z. Kang, G. Shi, S. Huang, W. Chen, X. Pu, J. T. Zhou and Z. Xu. Multi-graph fusion for multi-view spectral clustering.
    Knowledge-Based Systems 189 (2020).

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
        max_iter: int = 200,
        max_time: float | None = None,
        tol: float = 1e-3,
        n_init: int = 10,
        random_state: Any = None,
        verbose: int = 0,
        device: str | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.beta = beta
        self.variant = variant
        self.affinity = affinity
        self.views = views
        self.max_iter = max_iter
        self.max_time = max_time
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state
        self.verbose = verbose
        self.device = device

    def _fuse(self, arrays: list[Any], **options: Any) -> FusionResult:
        return gf(arrays, self.n_clusters_, alpha=self.alpha, beta=self.beta, **options)
