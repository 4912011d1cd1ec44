"""GFSC: graph fusion and spectral clustering in one optimisation."""

from __future__ import annotations

from typing import Any

from ..fusion import FusionResult, gfsc
from ._checks import check_number
from ._exact import ExactFusion

__all__ = ["GFSC"]


class GFSC(ExactFusion):
    """Multi-graph fusion for multi-view spectral clustering.

    ``min Σ_v ‖X_vᵀ − X_vᵀZ_v‖² + α‖Z_v‖² + β w_v‖Z_v − S‖² + γ Tr(FᵀLF)`` with ``Z_v ≥ 0`` and ``FᵀF = I``: a graph
    ``Z_v`` per view that expresses each sample by the others, a consensus graph ``S`` (with Laplacian ``L``) close to those
    that agree with it, and an embedding ``F`` that cuts it into ``n_clusters``. The weights ``w_v`` say whom to trust.

    In the robust variant a sample may lack views (rows of NaN, or ``present`` of :class:`Views` False): those that are like
    it in the views it has stand in for it in the others (:mod:`viewfuse.graphs.completion`).

    Memory is three n × n arrays whatever the number of views, time about 6n²·rank per view and sweep.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        "auto": as many as there are, 1 (with a warning) where there are no clusters, counted on at most 2,000 samples; see
        :func:`viewfuse.selection.choose_n_clusters`.
    alpha, beta, gamma : float, default=1, 0.1, 2
        How much small graph entries, agreement with the consensus, and a clean cut are worth. In the robust variant they
        mean the same on every data set: alpha and beta, the pull on an average view, are in percent of the trace of a
        view's Gram matrix, and a pair at average distance in the embedding loses gamma times an average edge.
    variant : {"robust", "published", "paper"}, default="robust"
        "robust" is scale-free: samples of unit length seen from their mean (:mod:`viewfuse.graphs.deviations`), views of
        equal trace, a degree-normalised embedding, and no tie that counts more than six average ones.
        "published" is the authors' program, sweep for sweep. "paper" is Algorithm 1 as printed.
    affinity : {"self-expressive", "precomputed"}, default="self-expressive"
        "precomputed": the views are (n_samples, n_samples) graphs with non-negative edges. DataFrames are joined on rows and
        columns. Such views cannot be cross-validated: a graph of fewer samples is not some of its rows.
    views : dict or list, default=None
        For one 2-D array or DataFrame: the columns of each view, as ``{"sound": slice(0, 20), "image": ["r", "g", "b"]}``.
    max_iter : int, default=200
        Largest number of sweeps.
    max_time : float or None, default=None
        Seconds after which the sweeps end, after the one being done; the result so far counts as not converged. Ctrl-C
        ends them likewise, a second one at once.
    tol : float, default=1e-3
        The sweeps end when the consensus changes by less than this share of itself or, in the robust variant, has no more
        than about five times as much left to go, by the rate at which its changes shrink.
    n_init : int, default=10
        k-means runs on the embedding; the best counts.
    random_state : int, RandomState or None, default=None
    verbose : int, default=0
        1 prints every sweep.
    device : str, default=None
        A PyTorch device such as "cuda": the views are moved there once, and results come back as NumPy arrays. Without it
        the work is done where the views are: PyTorch or CuPy arrays stay on their device, and so do the results.

    Attributes
    ----------
    labels_ : (n_samples,) array of int
    n_clusters_ : int
    cluster_counts_ : ClusterCounts, with ``n_clusters="auto"``: how well each number suits
    confidence_ : (n_samples,) array in [0, 1]
        How clearly a sample's ties, before the cut and after it, speak for its cluster: 0 where another claims it as much.
    view_weights_ : (n_views,) array, summing to 1
        A constant view has weight 0.
    view_names_ : (n_views,) array of str
    noise_views_ : tuple of str
        The views that do not see the clusters which the others see: in them these lie no further apart than random groups.
    view_report_ : ViewReport
        For each view its weight, how far apart the clusters lie in it, how well it finds them alone, and the loss if it is
        left out. Made when first asked for, by two fits for each view.
    embedding_ : (n_samples, n_clusters) array, orthonormal columns
    affinity_matrix_ : (n_samples, n_samples) array
        The consensus graph, symmetric and non-negative; in single precision in the robust variant.
    history_ : dict
        "objective" and "change" per sweep, and "weights" (sweeps × views).
    objective_ : array, ``history_["objective"]``
    n_iter_ : int
    converged_ : bool
    n_features_in_ : int, of all views together
    feature_names_in_ : array of str, where the data is one DataFrame

    References
    ----------
    Z. Kang, G. Shi, S. Huang, W. Chen, X. Pu, J. T. Zhou and Z. Xu. Multi-graph fusion for multi-view spectral clustering.
    Knowledge-Based Systems 189 (2020).

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
        self.gamma = gamma
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

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("gamma", self.gamma, positive=False)

    def _cut_weight(self) -> float:
        return self.gamma

    def _fuse(self, arrays: list[Any], **options: Any) -> FusionResult:
        return gfsc(arrays, self.n_clusters_, alpha=self.alpha, beta=self.beta, gamma=self.gamma, **options)
