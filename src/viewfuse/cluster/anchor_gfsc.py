"""AnchorGFSC: GFSC on graphs between samples and a few anchors, for any number of samples."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state
from sklearn.utils.random import sample_without_replacement
from sklearn.utils.validation import check_is_fitted

from .._utils.device import is_tensor, to_host
from .._utils.progress import Stop, stoppable
from ..exceptions import ParameterError, ViewsError
from ..fusion.anchor import AnchorFusion, learn_anchors, refined
from ..fusion.result import Sweep
from ..graphs import ScaledView, as_dense
from ..graphs.anchors import UnitRows
from ..linalg import all_clusters_taken
from ..linalg.threads import worker_threads
from ..views import Views, holds_dask
from ._base import EmbeddingMixin, MultiViewClusterer
from ._checks import (
    check_count,
    check_enough_samples,
    check_finite_results,
    check_max_time,
    check_n_clusters,
    check_number,
    informative_views,
    solving,
    warn_of_no_structure,
    warn_of_zero_samples,
    warn_unsettled,
)
from ._view_report import ViewReport, ViewReportMixin, blind_views, separation, view_report
from .counting import count_clusters_of_views, default_counts
from .rows.local import LocalRows, RowSource, Scaler
from .rows.placement import Placement
from .rows.tensors import TensorRows

__all__ = ["AnchorGFSC"]

_ROWS_PER_ANCHOR = 200  # of the sample on which anchors, weights and clusters are learned
_MOST_STORED = 2**25  # entries of the n × m graph that are kept: 128 MB
_MOST_COUNTED, _LEAST_COUNTED = 1_500, 10  # samples on which clusters are counted
_MOST_PAIRS = 10_000  # samples whose n × n graph is made on request
_MOST_REPORTED = 1_000  # samples by which views are compared


class AnchorGFSC(ViewReportMixin, EmbeddingMixin, MultiViewClusterer):
    """GFSC with n × m anchor graphs in place of n × n ones: linear in the number of samples, and able to place new ones.

    ``min Σ_v Σ_i (−⟨c_i^v, z_i^v⟩ + ½ r_i^v‖z_i^v‖²) + ½ β Σ_v w_v‖Z_v − S‖² + γ Σ_ij P_ij S_ij``: the graph ``Z_v`` of a
    view ties every sample to the ``n_neighbors`` anchors that express it best (``c_i^v``, a ridge regression of strength α),
    the consensus ``S`` is close to the graphs that agree with it, and ``P`` holds the squared distances of samples and
    anchors in the embedding that cuts ``S``. Anchors are group means, of the same groups in every view, so graphs fuse
    entry by entry.

    Given the weights and the anchors' embedding, each row's problem is its own. So the sweeps run on a sample of the rows
    (all, up to 200 per anchor); one more sweep takes in all rows, and a last pass places them, block by block. An unseen row
    is placed by the same steps. Time is about ``6·m·d`` operations per row, memory ``n·(1.2 n_clusters + 3)`` numbers beside
    the data.

    A sample may lack views: rows of NaN, or ``present`` of :class:`Views` False. It is then placed by the views it has.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        "auto": as many as 1,500 samples drawn at random have; see :func:`viewfuse.selection.choose_n_clusters`.
    n_anchors : int or "auto", default="auto"
        "auto": 80 and two for every cluster; never more than there are samples.
    n_neighbors : int, default=10
        Anchors that a sample is tied to in each view.
    alpha, beta, gamma : float, default=3, 0.3, 0.3
        How much small codes, agreement with the consensus, and a clean cut are worth; they mean the same on every data set.
        alpha is in units of an anchor's mean squared length, beta in those of a typical code, and a pair at average distance
        in the embedding loses gamma times an average edge.
    views : dict or list, default=None
        For one 2-D array or DataFrame: the columns of each view, as in :class:`viewfuse.GFSC`.
    max_iter : int, default=50
        Largest number of sweeps over the sample.
    max_time : float or None, default=None
        Seconds after which the sweeps end, after the one being done; the result so far counts as not converged. Ctrl-C
        ends them likewise, a second one at once.
    tol : float, default=1e-3
        The relative change of ``D^-½ SᵀS D^-½`` below which the sweeps end.
    n_init : int, default=10
        k-means runs on the embedding; the best counts.
    random_state : int, RandomState or None, default=None
    verbose : int, default=0
        1 prints every sweep.
    device : str, default=None
        A PyTorch device such as "cuda": the views are moved there once and all rows are placed there; results come back as
        NumPy arrays. Tensors are worked on where they are, and so are the results. Anchors are learned on the processor,
        from the sample of the rows.

    Attributes
    ----------
    labels_ : (n_samples,) array of int
    confidence_ : (n_samples,) array in [0, 1]
        How clearly a sample's ties and its place in the embedding speak for its cluster: 0 where another has as strong a
        claim.
    view_weights_ : (n_views,) array, summing to 1
        A constant view has weight 0.
    view_names_ : (n_views,) array of str
    noise_views_ : tuple of str
        The views that do not see the clusters which the others see, by up to 1,000 samples that have every view: in them
        these lie no further apart than random groups.
    view_report_ : ViewReport
        As of :class:`viewfuse.GFSC`, by the same samples. Made when first asked for, by two fits for each view.
    embedding_ : (n_samples, n_components) array of float32
        Diffusion coordinates, 1.2 for every cluster (rounded up), the clearest first; clusters lie in their directions.
    anchors_ : list of (n_anchors, n_features) arrays, one per view
        The anchors, among samples of unit length; None for a view that is not used.
    anchor_graph_ : (n_samples, n_anchors) array of float32
        The consensus ``S``; None where it would have more than 2²⁵ entries: it is then recomputed whenever it is needed.
    affinity_matrix_ : (n_samples, n_samples) array
        ``S D⁻¹ Sᵀ``, the ties of samples by way of the anchors, made when asked for; only up to 10,000 samples.
    history_ : dict
        "objective" (per sample) and "change" per sweep, and "weights" (sweeps × views).
    objective_ : array, ``history_["objective"]``
    n_iter_ : int
    converged_ : bool
    n_features_in_ : int, of all views together
    feature_names_in_ : array of str, where the data is one DataFrame

    References
    ----------
    Z. Kang, G. Shi, S. Huang, W. Chen, X. Pu, J. T. Zhou and Z. Xu. Multi-graph fusion for multi-view spectral clustering.
    Knowledge-Based Systems 189 (2020).

    F. Nie, X. Wang and H. Huang. Clustering and projected clustering with adaptive neighbors. KDD 2014.

    Examples
    --------
    >>> from viewfuse import AnchorGFSC, metrics
    >>> from viewfuse.datasets import load_digits_views
    >>> views = load_digits_views()
    >>> model = AnchorGFSC(n_clusters=10, random_state=0).fit(views[:1500])
    >>> metrics.accuracy(views.y[1500:], model.predict(views[1500:])) > 0.7
    True
    """

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        n_anchors: int | str = "auto",
        n_neighbors: int = 10,
        alpha: float = 3.0,
        beta: float = 0.3,
        gamma: float = 0.3,
        views: Any = None,
        max_iter: int = 50,
        max_time: float | None = None,
        tol: float = 1e-3,
        n_init: int = 10,
        random_state: Any = None,
        verbose: int = 0,
        device: str | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_anchors = n_anchors
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.views = views
        self.max_iter = max_iter
        self.max_time = max_time
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state
        self.verbose = verbose
        self.device = device

    _counts_clusters = True

    def _check_parameters(self) -> None:
        if self.n_anchors != "auto":
            check_count("n_anchors", self.n_anchors, least=2)
            if self.n_clusters != "auto" and int(self.n_anchors) < self.n_clusters:
                raise ParameterError(
                    f"n_anchors={self.n_anchors} cannot tell {self.n_clusters} clusters apart; give more, or leave 'auto'."
                )
        check_count("n_neighbors", self.n_neighbors, least=1)
        check_number("alpha", self.alpha, positive=True)
        check_number("beta", self.beta, positive=False)
        check_number("gamma", self.gamma, positive=False)
        check_number("tol", self.tol, positive=False)
        check_count("max_iter", self.max_iter, least=1)
        check_max_time(self.max_time)
        check_count("n_init", self.n_init, least=1)

    def fit(self, X: Any, y: Any = None) -> AnchorGFSC:
        """Cluster the samples.

        Parameters
        ----------
        X : list, tuple or dict of (n_samples, n_features) views, Views, or one 2-D array or DataFrame
            As for :class:`viewfuse.GFSC`; memory maps, HDF5 data sets, Zarr arrays and ``io.ParquetRows`` are read some rows
            at a time. Of Dask arrays or DataFrames the chunks are worked on where they are.
        y : ignored

        Returns
        -------
        self
        """
        check_n_clusters(self.n_clusters, may_be_auto=self._counts_clusters)
        self._check_parameters()
        source = self._source(X, reset=True)
        check_enough_samples(source.described, 2 if self.n_clusters == "auto" else self.n_clusters, n_samples=len(source))
        self._describe(X, source.described)
        with worker_threads(), solving(self):
            self._fit_rows(source)
        return self

    def predict(self, X: Any) -> Any:
        """The clusters of samples, seen before or not, (n_samples,); they may lack views. Of Dask views a Dask array."""
        return self._assigned(X, "labels")

    def transform(self, X: Any) -> Any:
        """Where samples lie in the learned embedding, (n_samples, n_components)."""
        return self._assigned(X, "embedding")

    @property
    def affinity_matrix_(self) -> np.ndarray:
        graph = getattr(self, "anchor_graph_", None)
        if graph is None or len(graph) > _MOST_PAIRS:
            raise AttributeError(f"affinity_matrix_ is there after fitting no more than {_MOST_PAIRS} samples.")
        degree = graph.sum(axis=0)
        return (graph / np.where(degree > 0, degree, 1)) @ graph.T

    def _source(self, X: Any, *, reset: bool) -> RowSource:
        if holds_dask(X):
            from .rows.dask_rows import DaskRows  # here, because it stands above this package

            return DaskRows(X, views=self.views)
        views = self._as_views(X, reset=reset)
        if self.device is not None or any(map(is_tensor, views.arrays)):
            return TensorRows(views, self.device)
        return LocalRows(views)

    def _fit_rows(self, source: RowSource) -> None:
        rng = check_random_state(self.random_state)
        n = len(source)
        self._forget_views()
        self._set_n_clusters(source, rng)
        n_anchors = min(80 + 2 * self.n_clusters_ if self.n_anchors == "auto" else int(self.n_anchors), n)
        rows = _sample(n, _ROWS_PER_ANCHOR * n_anchors, rng)
        used, sample = _informative(source, rows)
        with stoppable(self.max_time) as stop:
            watch = partial(self._after_sweep, stop=stop)
            fusion = self._learn(sample, n_anchors, rng, watch)
        if not fusion.converged:
            warn_unsettled(self, fusion.sweeps, stop.reason)
        if len(sample[0]) < n:
            fusion = refined(fusion, source.sums(fusion.model, used))
        placement = Placement.learned(fusion.model, sample, self.n_clusters_, n_init=self.n_init, random_state=rng)
        self._learned(fusion, placement, used, source.described)
        self._look_at_views(sample)
        self._place(source)

    def _learn(
        self,
        sample: list[UnitRows],
        n_anchors: int,
        rng: np.random.RandomState,
        on_sweep: Callable[[int, Sweep], bool] | None = None,
    ) -> AnchorFusion:
        return learn_anchors(
            sample,
            self.n_clusters_,
            n_anchors=n_anchors,
            n_neighbors=self.n_neighbors,
            alpha=self.alpha,
            beta=self.beta,
            gamma=self.gamma,
            max_iter=self.max_iter,
            tol=self.tol,
            random_state=rng,
            on_sweep=on_sweep,
        )

    def _look_at_views(self, sample: list[UnitRows]) -> None:
        """Which views do not see the clusters; and keep some samples for ``view_report_``."""
        complete = np.flatnonzero(~np.any([view.absent for view in sample], axis=0))
        some = complete[np.linspace(0, complete.size, min(_MOST_REPORTED, complete.size), endpoint=False).astype(int)]
        views = [view[some] for view in sample]
        self._views_fitted = views, self._placement.assign(views).labels if some.size else np.array([], dtype=int)
        self.noise_views_ = tuple(self._used_names()[v] for v in blind_views(self._separations()))

    def _used_names(self) -> list[str]:
        return [str(self.view_names_[v]) for v in self._used]

    def _separations(self) -> np.ndarray:
        """How far apart the clusters lie in each view; NaN where too few samples have every view."""
        views, labels = self._views_fitted
        if len(labels) <= self.n_clusters_ or self.n_clusters_ < 2:
            return np.full(len(views), np.nan)
        points = [as_dense(ScaledView(view.scaled())).astype(float) for view in views]
        return np.array([separation(x, labels) for x in points])

    def _make_view_report(self) -> ViewReport:
        views, labels = self._views_fitted
        n_anchors = min(self._placement.model.n_anchors, len(labels))

        def cluster(some: list[int]) -> np.ndarray | None:
            if len(labels) <= self.n_clusters_:
                return None
            rng, chosen = check_random_state(0), [views[v] for v in some]
            model = self._learn(chosen, n_anchors, rng).model
            found = Placement.learned(model, chosen, self.n_clusters_, n_init=self.n_init, random_state=rng)
            return np.asarray(found.assign(chosen).labels)

        return view_report(self._used_names(), self.view_weights_[self._used], self._separations(), labels, cluster)

    def _set_n_clusters(self, source: RowSource, rng: np.random.RandomState) -> None:
        """``n_clusters_``: what was asked for or, if that is to be found out, what some samples with every view have."""
        self.__dict__.pop("cluster_counts_", None)  # of an earlier fit
        if self.n_clusters != "auto":
            self.n_clusters_ = int(self.n_clusters)
            return
        rows = _sample(len(source), _MOST_COUNTED, rng)
        views, raw = source.described, source.take(rows)
        scaler = Scaler(views, range(views.n_views))
        complete = ~np.any([scaler.absent(v, block, rows) for v, block in enumerate(raw)], axis=0)
        if np.count_nonzero(complete) < _LEAST_COUNTED:
            raise ViewsError(
                f"Only {np.count_nonzero(complete)} of {complete.size} samples have every view: too few to find out how "
                "many clusters there are. Give n_clusters a number."
            )
        blocks = [(block if sp.issparse(block) else to_host(block))[complete] for block in raw]
        blocks = [block.astype(float) for block in blocks]
        used = informative_views(views, blocks)
        counts = default_counts(int(np.count_nonzero(complete)))
        self.cluster_counts_ = count_clusters_of_views([blocks[v] for v in used], counts, random_state=rng)
        self.n_clusters_ = self.cluster_counts_.suggested
        warn_of_no_structure(self.cluster_counts_)

    def _learned(self, fusion: AnchorFusion, placement: Placement, used: list[int], views: Views) -> None:
        self._placement, self._used = placement, used
        self._widths = [int(array.shape[1]) for array in views.arrays]
        self.anchors_: list[np.ndarray | None] = [None] * views.n_views
        for v, positions in zip(used, fusion.positions, strict=True):
            self.anchors_[v] = positions
        self.n_iter_ = len(fusion.sweeps)
        self.converged_ = fusion.converged
        weights = np.asarray([sweep.weights for sweep in fusion.sweeps])
        self.history_ = {
            "objective": np.asarray([sweep.objective for sweep in fusion.sweeps]),
            "change": np.asarray([sweep.change for sweep in fusion.sweeps]),
            "weights": self._weights_of_all_views(weights, used, views.n_views),
        }
        self.objective_ = self.history_["objective"]
        self.view_weights_ = self.history_["weights"][-1]

    def _place(self, source: RowSource) -> None:
        """The last pass: every row to its cluster."""
        wanted = ["labels", "confidence", "embedding"]
        local = isinstance(source, LocalRows)
        stored = local and len(source) * self._placement.model.n_anchors <= _MOST_STORED
        wanted += ["zero"] * local + ["consensus"] * stored
        found = dict(zip(wanted, source.assign(self._placement, self._used, wanted), strict=True))
        self.labels_, self.confidence_, self.embedding_ = found["labels"], found["confidence"], found["embedding"]
        self.anchor_graph_ = found.get("consensus")
        if local:  # Dask arrays are not computed before they are asked for
            check_finite_results(self, self.embedding_, self.confidence_, self.view_weights_, self.objective_)
            self.labels_ = all_clusters_taken(self.labels_, -self.confidence_, self.n_clusters_)
            zero = to_host(found["zero"])
            if zero.any():
                warn_of_zero_samples(source.described, zero, self._used)

    def _assigned(self, X: Any, what: str) -> Any:
        check_is_fitted(self)
        source = self._source(X, reset=False)
        source = source.reordered(self._order_of_fit(source.described))
        return source.assign(self._placement, self._used, [what])[0]

    def _order_of_fit(self, views: Views) -> list[int]:
        """Where each view of the fit stands among these, checked to be the same ones."""
        names = list(self.view_names_)
        if views.n_views != len(names):
            raise ViewsError(f"The model was fitted on {len(names)} views ({', '.join(names)}), but got {views.n_views}.")
        named_alike = set(views.names) == set(names)
        order = [views.names.index(name) for name in names] if named_alike else list(range(len(names)))
        for name, v, width in zip(names, order, self._widths, strict=True):
            found = views.arrays[v].shape[1]
            if found != width:
                raise ViewsError(f"View {name!r} has {found} features, but had {width} when the model was fitted.")
        return order

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags

    def _after_sweep(self, number: int, sweep: Sweep, stop: Stop) -> bool:
        """Print the sweep, if asked to; whether to stop."""
        if self.verbose:
            weights = " ".join(f"{weight:.3f}" for weight in sweep.weights)
            print(
                f"AnchorGFSC sweep {number}: change {sweep.change:.2e}, objective {sweep.objective:.6g}, weights {weights}"
            )
        return stop(number, sweep.change, self.tol)


def _informative(source: RowSource, rows: slice | np.ndarray) -> tuple[list[int], list[UnitRows]]:
    """Which views differ among these rows, and the rows of those."""
    views, raw = source.described, source.take(rows)
    scaler = Scaler(views, range(views.n_views))
    used = informative_views(views, [block[~scaler.absent(v, block, rows)] for v, block in enumerate(raw)])
    return used, Scaler(views, used).scaled([raw[v] for v in used], rows)


def _sample(n: int, size: int, random_state: np.random.RandomState) -> slice | np.ndarray:
    """All rows, or so many of them, drawn at random, ascending."""
    if n <= size:
        return slice(0, n)
    return np.sort(sample_without_replacement(n, size, random_state=random_state))  # unlike choice, never makes n numbers
