"""AnchorGFSC: GFSC on graphs between samples and a few anchors, for any number of samples."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import partial
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state
from sklearn.utils.random import sample_without_replacement
from sklearn.utils.validation import check_is_fitted

from .._utils.device import beside, is_on_accelerator, is_tensor, moves_to, to_host
from .._utils.warn import recording, texts_of
from ..exceptions import ParameterError, ViewsError, ViewsTypeError
from ..fusion.anchor import AnchorFusion, learn_anchors
from ..graphs import Samples, ScaledView, as_dense
from ..graphs.anchors import UnitRows
from ..linalg import all_clusters_taken, renumbered
from ..linalg.threads import one_thread, threads_for, worker_threads
from ..views import Views, holds_dask, warn_of_suspicious_values
from ._base import EmbeddingMixin, MultiViewClusterer
from ._checks import (
    check_enough_samples,
    check_finite_results,
    check_not_split_by_view,
    nonconstant_views,
    restored_on_failure,
    solving,
    warn_of_verdict,
    warn_of_zero_samples,
)
from ._constraints import Count, Number, OneOf
from ._stopping import ITERATION_CONSTRAINTS, Callback, Iterations, StoppableMixin
from ._view_report import ViewReport, ViewReportMixin, noise_views, separation, view_report
from ._weights import WEIGHT_CONSTRAINTS, OwnWeights
from .contradiction import warn_of_contradictions
from .counting import count_clusters_of_views
from .novelty import FEWEST_NEW, Novelty, some_rows, warn_of_unlike_samples
from .rows.dask_rows import DaskRows, occurrences_in_chunks
from .rows.local import LocalRows
from .rows.measured import RowMeasure
from .rows.placement import Placement
from .rows.source import RowSource, Scaler
from .rows.tensors import TensorRows
from .verdict import Verdict, judge_by_neighbors

__all__ = ["AnchorGFSC"]


class AnchorGFSC(StoppableMixin, ViewReportMixin, EmbeddingMixin, MultiViewClusterer):
    """GFSC on n × m graphs between samples and anchors: linear in the number of samples, and predicts new samples.

    ``min Σ_v Σ_i (−⟨c_i^v, z_i^v⟩ + ½ r_i^v‖z_i^v‖²) + ½ β Σ_v w_v‖Z_v − S‖² + γ Σ_ij P_ij S_ij``: the graph ``Z_v`` of a
    view connects every sample with the ``n_neighbors`` anchors that express it best (``c_i^v``, a ridge regression of
    strength α), the consensus graph ``S`` is close to the graphs of the views, and ``P`` holds the squared distances between
    samples and anchors in the embedding that cuts ``S``. Anchors are means of groups of samples. The groups are the same in
    every view, so graphs are fused entry by entry.

    Given the weights and the embedding of the anchors, the problem of each row is independent of the others. The iterations
    therefore run on a sample of the rows (200 per anchor, or all of them if there are fewer), and one pass over all rows
    assigns them, block by block. New rows are assigned by the same steps. Memory is about ``3n`` numbers in addition to the
    data.

    Edges to a few anchors are coarse where clusters overlap. If clusters are clouds, which is tested on rows that are left
    out, rows are assigned by the means and covariances of the clusters instead (:mod:`viewfuse.cluster.rows.clouds`), in
    ``2·k·d`` operations per row. Otherwise they are assigned by their edges, in about ``6·m·d``.

    A sample may be missing from views: a row of NaN, or False in ``present`` of :class:`Views`. The other views then decide
    its cluster.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        "auto": the number is estimated on at most 1,500 random samples; see :func:`viewfuse.selection.choose_n_clusters`.
    n_anchors : int or "auto", default="auto"
        "auto": 80 plus two per cluster, but at most the number of samples.
    n_neighbors : int, default=10
        Number of anchors that a sample is connected with in each view.
    alpha : float, default=3
        Regularisation of the codes ``c_i^v``, in units of the mean squared length of the anchors.
    beta : float, default=0.3
        Weight of the distance between the graphs of the views and the consensus graph, in units of a typical code.
    gamma : float, default=0.3
        Weight of the cut: an edge between a sample and an anchor at average distance in the embedding is reduced by gamma
        times an average edge.
    {views, own_weights}
    max_iter : int, default=50
        Largest number of iterations on the sample.
    {max_time}
    tol : float, default=1e-3
        Stop when the relative change of ``D^-½ SᵀS D^-½`` is below tol.
    {n_init, random_state, verbose}
    device : str, default=None
        A PyTorch device such as "cuda": the views are copied there once, all rows are assigned there, and the results are
        returned as NumPy arrays. Without it, tensors stay on their device, and so do the results. Anchors and clusters are
        learned there too, but from small samples on the CPU.
    {callback}

    Attributes
    ----------
    {labels_, n_clusters_}
    confidence_ : (n_samples,) array in [0, 1]
        How clearly the edges of a sample and its position in the embedding, or the clouds, support its cluster: 0 if another
        cluster has equal support.
    {view_weights_}
    view_names_ : (n_views,) array of str
    noise_views_ : tuple of str
        The noise views, determined on at most 1,000 samples that are present in every view: the clusters lie no further
        apart in them than random groups would, but do so in other views.
    view_report_ : ViewReport
        As in :class:`viewfuse.GFSC`, on the same samples. It is computed on first access, by two fits per view.
    embedding_ : (n_samples, n_components) array of float32
        Diffusion coordinates, 1.2 per cluster (rounded up), the most important first. Each cluster lies in one direction. Of
        more than 50,000 samples they are computed on first access, by one more pass over the data.
    anchors_ : list of (n_anchors, n_features) arrays, one per view
        The anchors, among samples of unit length; None for a view that is not used.
    anchor_graph_ : (n_samples, n_anchors) array of float32
        The consensus graph ``S``; None for more than 50,000 samples.
    affinity_matrix_ : (n_samples, n_samples) array
        ``S D⁻¹ Sᵀ``, the edges between samples by way of the anchors, computed on access; for at most 10,000 samples.
    history_ : dict
        "objective" (per sample) and "change" per iteration, and "weights" (iterations × views).
    objective_ : array, ``history_["objective"]``
    {stopping, feature_names}

    References
    ----------
    {paper}

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
        view_weights: Any = None,
        fixed_view_weights: Any = None,
        max_iter: int = 50,
        max_time: float | None = None,
        tol: float = 1e-3,
        n_init: int = 10,
        random_state: Any = None,
        verbose: int = 0,
        device: str | None = None,
        callback: Callback | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_anchors = n_anchors
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
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

    _embedding: Any
    _rows: RowSource | None
    _counts_clusters = True
    _rows_per_anchor: ClassVar[int] = 200  # in the sample on which anchors, weights and clusters are learned
    _most_stored: ClassVar[int] = 50_000  # rows whose edges and embedding are computed with the labels, and kept
    _refines = True  # whether rows are assigned by clouds, where these tell the clusters better
    _most_counted: ClassVar[int] = 1_500  # samples on which the number of clusters is estimated
    _least_counted: ClassVar[int] = 10
    _most_pairs: ClassVar[int] = 10_000  # samples for which the n × n graph can be computed
    _most_reported: ClassVar[int] = 1_000  # samples on which views are compared
    _block_rows: ClassVar[int | None] = None  # rows that are processed together; None: as many as the row source prefers
    _parameter_constraints: ClassVar = {
        **MultiViewClusterer._parameter_constraints,
        **ITERATION_CONSTRAINTS,
        **WEIGHT_CONSTRAINTS,
        "n_anchors": [Count(2), OneOf("auto")],
        "n_neighbors": [Count(1)],
        "alpha": [Number(above=0)],
        "beta": [Number(least=0)],
        "gamma": [Number(least=0)],
    }

    def _check_combinations(self) -> None:
        if "auto" not in (self.n_anchors, self.n_clusters) and int(self.n_anchors) < int(self.n_clusters):
            raise ParameterError(
                f"n_anchors={self.n_anchors} is too small for {self.n_clusters} clusters; at least one anchor per cluster "
                "is needed.",
                hint="Increase n_anchors, or use n_anchors='auto'.",
                parameter="n_anchors",
                value=self.n_anchors,
            )

    def fit(self, X: Any, y: Any = None) -> AnchorGFSC:
        """Cluster the samples.

        Parameters
        ----------
        X : list, tuple or dict of (n_samples, n_features) views, Views, or one 2-D array or DataFrame
            As for :class:`viewfuse.GFSC`. Memory maps, HDF5 data sets, Zarr arrays and ``io.ParquetRows`` are read in
            blocks of rows. The chunks of Dask arrays and DataFrames are processed by the workers that hold them.
        y : ignored

        Returns
        -------
        self
        """
        check_not_split_by_view(X)
        with restored_on_failure(self), recording() as given:
            self._validate_params()
            source = self._source(X, reset=True)
            least = 2 if self.n_clusters == "auto" else self.n_clusters
            check_enough_samples(source.described, least, n_samples=len(source))
            self._describe(X, source.described)
            with _threads_for(source), worker_threads(), solving(self):
                if isinstance(source, LocalRows) and self._gives_verdict:
                    warn_of_suspicious_values(source.described)
                self._fit_rows(source)
                self._number_clusters()
                if isinstance(source, LocalRows) and self._gives_verdict:
                    views, counted = source.described, self.n_clusters == "auto"
                    warn_of_contradictions(views, views.arrays, views.present, self.labels_, counted=counted)
            self.notes_ = texts_of(given, *getattr(X, "notes", ()))
        return self

    def predict(self, X: Any) -> Any:
        """Clusters of samples, new or not, (n_samples,). Samples may be missing from views. Dask views give a Dask array."""
        return self._assigned(X, "labels")

    def transform(self, X: Any) -> Any:
        """Positions of samples in the learned embedding, (n_samples, n_components)."""
        return self._assigned(X, "embedding")

    @property
    def embedding_(self) -> Any:  # type: ignore[override]
        check_is_fitted(self)
        if self._embedding is None:
            if self._rows is None:
                raise AttributeError("The embedding of so many samples is not saved with a model; use transform.")
            self._embedding = self._rows.assign(self._placement, self._used, ["embedding"])[0]
            self._rows = None
        return self._embedding

    @property
    def _n_features_out(self) -> int:
        return int(self._placement.centres.shape[1])

    def __getstate__(self) -> dict[str, Any]:
        state: Any = super().__getstate__()
        return state | {"_rows": None} if "_rows" in state else state  # the data is not saved with the model

    @property
    def affinity_matrix_(self) -> np.ndarray:
        graph = getattr(self, "anchor_graph_", None)
        if graph is None or len(graph) > self._most_pairs:
            raise AttributeError(f"affinity_matrix_ is available after a fit of at most {self._most_pairs:,} samples.")
        degree = graph.sum(axis=0)
        return (graph / np.where(degree > 0, degree, 1)) @ graph.T

    def _source(self, X: Any, *, reset: bool) -> RowSource:
        if holds_dask(X):
            return DaskRows(X, views=self.views, block_rows=self._block_rows)
        views = self._as_views(X, reset=reset)
        if moves_to(self.device, views.arrays) or any(map(is_tensor, views.arrays)):
            return TensorRows(views, self.device, block_rows=self._block_rows)
        return LocalRows(views, block_rows=self._block_rows)

    def _fit_rows(self, source: RowSource) -> None:
        rng = check_random_state(self.random_state)
        n = len(source)
        self._forget_views()
        self._set_n_clusters(source, rng)
        n_anchors = min(80 + 2 * self.n_clusters_ if self.n_anchors == "auto" else int(self.n_anchors), n)
        rows = _sample(n, self._rows_per_anchor * n_anchors, rng)
        own = OwnWeights.of(self, source.described.names)
        used, sample = _nonconstant(source, rows, own)
        all_weights = partial(self._weights_of_all_views, used=used, n_views=source.described.n_views)
        iterations = Iterations(self, all_weights)
        sample = source.held(sample)
        fixed = own.fixed_weights(used, lambda: self._learn(sample, n_anchors, rng).model.weights)
        fusion = self._learn(sample, n_anchors, rng, iterations, fixed)
        self._record_end(fusion.sweeps, fusion.converged, iterations.stopped)
        placement = self._placement_of(fusion, sample, rng)
        self._record_history(fusion.sweeps, all_weights)
        self._learned(fusion, placement, used, source.described)
        self._compare_views(sample)
        self._judge(rng)
        self._place(source)

    def _learn(
        self,
        sample: list[UnitRows],
        n_anchors: int,
        rng: np.random.RandomState,
        on_sweep: Iterations | None = None,
        fixed_weights: np.ndarray | None = None,
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
            fixed_weights=fixed_weights,
        )

    def _placement_of(self, fusion: AnchorFusion, sample: list[UnitRows], rng: np.random.RandomState) -> Placement:
        return Placement.learned(
            fusion, sample, self.n_clusters_, n_init=self.n_init, random_state=rng, refine=self._refines
        )

    def _n_clustered(self, n_samples: int) -> int:
        return min(n_samples, self._rows_per_anchor * self._placement.model.n_anchors)

    def _compare_views(self, sample: list[UnitRows]) -> None:
        """Set ``noise_views_``, and keep some samples for ``view_report_``."""
        complete = np.flatnonzero(~np.any([to_host(view.absent) for view in sample], axis=0))
        some = complete[np.linspace(0, complete.size, min(self._most_reported, complete.size), endpoint=False).astype(int)]
        views = [view[beside(view.scale, some)].on_host() for view in sample]
        self._views_fitted = views, self._labels_of(views) if some.size else np.array([], dtype=int)
        self.noise_views_ = tuple(self._used_names()[v] for v in noise_views(self._separations()))

    def _labels_of(self, views: list[UnitRows]) -> np.ndarray:
        return np.asarray(self._placement.assign(views, ["labels"])["labels"])

    def _judge(self, rng: np.random.RandomState) -> None:
        """Set ``verdict_`` by the samples on which views are compared, and warn if it is negative.

        Keep what is needed to compare new samples with them.
        """
        for name in ("verdict_", "_row_measure", "_novelty"):
            self.__dict__.pop(name, None)  # from an earlier fit
        if not self._gives_verdict:
            return
        views, labels = self._views_fitted
        if self.n_clusters_ < 2:
            self.verdict_ = Verdict(1, self.cluster_counts_.evidence, np.full(1, np.nan))
        elif len(labels) < 2:
            return  # no sample is present in every view
        else:
            self._row_measure = RowMeasure.learn(views)
            points = self._row_measure(views)
            self._novelty = Novelty.learn(np.hstack(points))
            self.verdict_ = judge_by_neighbors(Samples(tuple(points)), labels, self.n_clusters_, rng)
        warn_of_verdict(self.verdict_, self.n_clusters)

    def _used_names(self) -> list[str]:
        return [str(self.view_names_[v]) for v in self._used]

    def _separations(self) -> np.ndarray:
        """How far apart the clusters lie in each view; NaN if too few samples are present in every view."""
        views, labels = self._views_fitted
        if len(labels) <= self.n_clusters_ or self.n_clusters_ < 2:
            return np.full(len(views), np.nan)
        points = [as_dense(ScaledView(view.scaled())).astype(float) for view in views]
        return np.array([separation(x, labels) for x in points])

    def _make_view_report(self) -> ViewReport:
        views, labels = self._views_fitted
        own = OwnWeights.of(self, [str(name) for name in self.view_names_])
        n_anchors = min(self._placement.model.n_anchors, len(labels))

        def cluster(some: list[int]) -> np.ndarray | None:
            if len(labels) <= self.n_clusters_:
                return None
            rng, chosen = check_random_state(0), [views[v] for v in some]
            used = [self._used[v] for v in some]
            fixed = own.fixed_weights(used, lambda: self._learn(chosen, n_anchors, rng).model.weights)
            found = self._placement_of(self._learn(chosen, n_anchors, rng, fixed_weights=fixed), chosen, rng)
            return np.asarray(found.assign(chosen, ["labels"])["labels"])

        return view_report(self._used_names(), self.view_weights_[self._used], self._separations(), labels, cluster)

    def _set_n_clusters(self, source: RowSource, rng: np.random.RandomState) -> None:
        """Set ``n_clusters_``: the parameter, or an estimate on samples that are present in every view."""
        self.__dict__.pop("cluster_counts_", None)  # from an earlier fit
        if self.n_clusters != "auto":
            self.n_clusters_ = int(self.n_clusters)
            return
        rows = _sample(len(source), self._most_counted, rng)
        views, raw = source.described, source.take(rows)
        scaler = Scaler(views, range(views.n_views))
        complete = ~np.any([scaler.absent(v, block, rows) for v, block in enumerate(raw)], axis=0)
        if np.count_nonzero(complete) < self._least_counted:
            raise ViewsError(
                f"Only {np.count_nonzero(complete)} of {complete.size} samples are present in every view; the number of "
                f"clusters can be estimated from at least {self._least_counted}.",
                hint="Set n_clusters to a number.",
                parameter="n_clusters",
                value="auto",
            )
        blocks = [(block if sp.issparse(block) else to_host(block))[complete] for block in raw]
        blocks = [block.astype(float) for block in blocks]
        used = nonconstant_views(views, blocks)
        self.cluster_counts_ = count_clusters_of_views([blocks[v] for v in used])
        self.n_clusters_ = self.cluster_counts_.suggested

    def _learned(self, fusion: AnchorFusion, placement: Placement, used: list[int], views: Views) -> None:
        self._placement, self._used = placement, used
        self.anchors_: list[np.ndarray | None] = [None] * views.n_views
        for v, positions in zip(used, fusion.positions, strict=True):
            self.anchors_[v] = positions

    def _place(self, source: RowSource) -> None:
        """The last pass: assign every row to its cluster."""
        wanted = ["labels", "confidence"]
        if not source.lazy:
            wanted += ["zero", "embedding", "consensus"] if len(source) <= self._most_stored else ["zero"]
        found = dict(zip(wanted, source.assign(self._placement, self._used, wanted), strict=True))
        self.labels_, self.confidence_ = found["labels"], found["confidence"]
        self._embedding, self.anchor_graph_ = found.get("embedding"), found.get("consensus")
        self._rows = source if self._embedding is None else None
        if not source.lazy:
            stored = [] if self._embedding is None else [self._embedding]
            check_finite_results(self, *stored, self.confidence_, self.view_weights_, self.objective_)
            self.labels_ = all_clusters_taken(self.labels_, -self.confidence_, self.n_clusters_)
            zero = to_host(found["zero"])
            if zero.any():
                warn_of_zero_samples(source.described, zero, self._used)
        self.confidence_ = self._certainty() * self.confidence_

    def _occurrences(self, n_clusters: int) -> tuple[np.ndarray, np.ndarray]:
        """Of Dask arrays, the workers count the clusters in one more pass over the data."""
        if holds_dask(self.labels_):
            return occurrences_in_chunks(self.labels_, n_clusters)
        return super()._occurrences(n_clusters)

    def _renumber(self, order: np.ndarray) -> None:
        self._placement = self._placement.renumbered(order)
        views, labels = self._views_fitted
        self._views_fitted = views, renumbered(labels, order)
        if holds_dask(self.labels_):
            self.labels_ = self.labels_.map_blocks(renumbered, order, dtype=self.labels_.dtype)
        else:
            super()._renumber(order)

    def _assigned(self, X: Any, what: str) -> Any:
        check_is_fitted(self)
        source = self._source(X, reset=False)
        if isinstance(source, DaskRows):
            self._check_not_encoded()
            source = source.reordered(self._columns.order(source.described.names))
            self._columns.matched(source.described)
            positions = [self._columns.column_positions(source.described, v) for v in range(source.described.n_views)]
            source = source.with_columns(positions)
        assigned = source.assign(self._placement, self._used, [what])[0]
        if not source.lazy:
            self._warn_of_unlike_rows(source)
        return assigned

    def _warn_of_unlike_rows(self, source: RowSource) -> None:
        """Compare some rows that are present in every view with those of the fit."""
        novelty = getattr(self, "_novelty", None)  # models of older files have none
        if novelty is None or len(source) < FEWEST_NEW:
            return
        rows = some_rows(len(source))
        blocks = source.take(rows)
        views = Scaler(source.described, self._used).scaled([blocks[v] for v in self._used], rows)
        complete = ~np.any([view.absent for view in views], axis=0)
        warn_of_unlike_samples(novelty.unlike(np.hstack(self._row_measure([view[complete] for view in views]))))

    def _check_not_encoded(self) -> None:
        """Raise ViewsTypeError if the columns of the fit were encoded, as those of Dask collections are not."""
        encoding = getattr(self, "encoding_", None)
        tables = [] if encoding is None else encoding.tables
        names = [name for name, table in zip(self._columns.names, tables, strict=False) if table is not None and table.ready]
        if names:
            raise ViewsTypeError(
                f"View {names[0]!r} was fitted as a table whose columns were encoded, but the new samples are Dask "
                "collections, which are not.",
                hint="Pass tables in memory: frame.compute().",
                view=names[0],
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags


def _threads_for(source: RowSource) -> AbstractContextManager[None]:
    """One thread beside a device: what is left for the processor are short steps."""
    if isinstance(source, TensorRows) and is_on_accelerator(source.described.arrays[0]):
        return one_thread()
    return threads_for(len(source))


def _nonconstant(source: RowSource, rows: slice | np.ndarray, own: OwnWeights) -> tuple[list[int], list[UnitRows]]:
    """The views that are not constant in these rows and do not have weight 0, and their rows."""
    views, raw = source.described, source.take(rows)
    scaler = Scaler(views, range(views.n_views))
    used = own.used(nonconstant_views(views, [block[~scaler.absent(v, block, rows)] for v, block in enumerate(raw)]))
    return used, Scaler(views, used).scaled([raw[v] for v in used], rows)


def _sample(n: int, size: int, random_state: np.random.RandomState) -> slice | np.ndarray:
    """All rows, or ``size`` random ones, in ascending order."""
    if n <= size:
        return slice(0, n)
    return np.sort(sample_without_replacement(n, size, random_state=random_state))  # choice would create n numbers
