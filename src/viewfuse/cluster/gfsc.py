"""GFSC: graph fusion and spectral clustering in one optimisation."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from array_api_compat import array_namespace
from sklearn.utils import check_random_state

from .._utils.device import moves_to, on_device
from ..fusion import FusionResult, gfsc
from ..linalg import Laplacian, assign_clusters, smallest_eigenpairs, unit_rows
from ..views import Views
from ._base import Cut
from ._checks import nonconstant_views
from ._constraints import Number
from ._exact import ExactFusion
from ._stopping import Callback

__all__ = ["GFSC"]

_N_INIT_OF_PARTS = 3  # runs of k-means when parts of the samples are clustered anew


class GFSC(ExactFusion):
    """Multi-graph fusion for multi-view spectral clustering.

    ``min Σ_v ‖X_vᵀ − X_vᵀZ_v‖² + α‖Z_v‖² + β w_v‖Z_v − S‖² + γ Tr(FᵀLF)`` with ``Z_v ≥ 0`` and ``FᵀF = I``: a graph
    ``Z_v`` per view that expresses each sample by the others, a consensus graph ``S`` (with Laplacian ``L``) close to the
    graphs of the views, and an embedding ``F`` that cuts it into ``n_clusters``. The weight ``w_v`` is large for a view
    whose graph agrees with the consensus graph.

    In the robust variant a sample may be missing from views (a row of NaN, or False in ``present`` of :class:`Views`). Its
    neighbours in the other views then replace it (:mod:`viewfuse.graphs.completion`).

    Memory is three n × n arrays for any number of views; time is about 6n²·rank per view and iteration.

    Parameters
    ----------
    {n_clusters_or_auto}
    alpha : float, default=1
        Weight of ``‖Z_v‖²``, which keeps the entries of the graphs small. In the robust variant it is in percent of the
        trace of the Gram matrix of a view, so it has the same meaning for every data set.
    beta : float, default=0.1
        Weight of the distance between the graphs of the views and the consensus graph. In the robust variant it is in
        percent of the same trace, for a view of average weight.
    gamma : float, default=2
        Weight of the cut. In the robust variant an edge between two samples at average distance in the embedding is reduced
        by gamma times an average edge.
    {variant, affinity_or_graphs, views, own_weights, consensus_tol, max_time, n_init, random_state, verbose, device}
    {callback}

    Attributes
    ----------
    {labels_, n_clusters_}
    confidence_ : (n_samples,) array in [0, 1]
        How clearly the edges of a sample, before and after the cut, support its cluster: 0 if another cluster has equal
        support.
    {view_weights_}
    view_names_ : (n_views,) array of str
    {noise_views_, view_report_}
    embedding_ : (n_samples, n_clusters) array, orthonormal columns
    affinity_matrix_ : (n_samples, n_samples) array
        The consensus graph, symmetric and non-negative; in single precision in the robust variant.
    {history_, stopping, feature_names}

    References
    ----------
    {paper}

    Examples
    --------
    >>> from viewfuse import GFSC, metrics
    >>> from viewfuse.datasets import load_digits_views
    >>> views = load_digits_views()[:300]
    >>> model = GFSC(n_clusters=10, random_state=0).fit(views)
    >>> metrics.accuracy(views.y, model.labels_) > 0.7
    True
    """

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        alpha: float = 1.0,
        beta: float = 0.1,
        gamma: float = 2.0,
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
        self.gamma = gamma
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

    _parameter_constraints: ClassVar = {**ExactFusion._parameter_constraints, "gamma": [Number(least=0)]}

    def _cut_weight(self) -> float:
        return self.gamma

    def _fuse(self, arrays: list[Any], **options: Any) -> FusionResult:
        return gfsc(arrays, self.n_clusters_, alpha=self.alpha, beta=self.beta, gamma=self.gamma, **options)

    def _shared_cut(self, views: Views, n_clusters: int, rng: np.random.RandomState) -> Cut | None:
        """Cuts of subgraphs of the fused graph before the cut of the fit, which only the robust variant keeps."""
        if self.variant != "robust" or not self.gamma or self._relations is not None:
            return None
        arrays, present = self._arrays(views)
        used = nonconstant_views(views, arrays, present)
        if self.device is not None and moves_to(self.device, arrays):
            arrays = on_device(arrays, self.device)
        chosen, there = self._prepared(views, arrays, used)
        result = self._clustered(chosen, there, check_random_state(self.random_state))[0]
        if result.fused is result.consensus:
            return None
        graph, xp = result.fused, array_namespace(result.fused)
        # Each eigenproblem starts from the eigenvectors of the whole graph.
        start = smallest_eigenpairs(Laplacian.of(graph, normalized=True), n_clusters, random_state=rng).block

        def cut(some: np.ndarray) -> Any:
            rows = xp.asarray(some, device=graph.device)
            part = Laplacian.of(xp.take(xp.take(graph, rows, axis=0), rows, axis=1), normalized=True)
            found = smallest_eigenpairs(part, n_clusters, start=xp.take(start, rows, axis=0), random_state=rng)
            return assign_clusters(unit_rows(found.vectors), n_clusters, n_init=_N_INIT_OF_PARTS, random_state=rng)

        return cut
