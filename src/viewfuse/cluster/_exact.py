"""Base class of GFSC and GF: runs a fusion and turns its result into fitted attributes."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from array_api_compat import array_namespace, is_numpy_array
from sklearn.utils import ClassifierTags, check_random_state

from .._utils.device import beside, free_memory, is_tensor, moves_to, on_device, to_host, true_positions
from .._utils.warn import quietly, suppressing, warn
from ..exceptions import (
    DegenerateClustersWarning,
    DegenerateGraphWarning,
    NotEnoughMemoryError,
    ParameterError,
    ViewsError,
)
from ..fusion import FusionResult, fuse_graphs, learned_factors
from ..graphs import GramFactor, GramMatrix, Samples
from ..graphs.deviations import deviations_of_products
from ..linalg import assign_clusters, edge_confidence, isolated_samples, unit_rows
from ..linalg.threads import threads_for
from ..views import Views, holds_networks
from ._base import MultiViewClusterer, RelabelMixin
from ._checks import (
    check_directions,
    check_enough_samples,
    check_zero_samples,
    solving,
    unbalanced_sizes,
    warn_of_verdict,
)
from ._constraints import Number, OneOf
from ._memory import MemoryDemand, gibibytes
from ._new_samples import NewSamplesMixin, SamplesOfFit
from ._stopping import ITERATION_CONSTRAINTS, Callback, Iterations, StoppableMixin
from ._view_report import ViewReport, ViewReportMixin, noise_views, separation, separation_by_products, view_report
from ._weights import WEIGHT_CONSTRAINTS, OwnWeights
from .counting import count_clusters_of_graphs, count_clusters_of_views, direction_samples
from .relations.as_views import RelationViews
from .relations.checks import has_relations
from .relations.maps import Origin, RelationIdsMixin
from .structure import drawn_rows
from .verdict import Verdict, judge_by_graph, judge_by_neighbors

__all__ = ["ExactFusion"]

_FEW = 20_000  # samples; smoothing fewer has only short steps, and threads would mostly wait for each other
_FEW_JUDGED, _JUDGED_PER_CLUSTER = 500, 50  # samples, in the variants of the authors' program
_ARRAYS = ("labels_", "confidence_", "embedding_", "affinity_matrix_", "_points")


class ExactFusion(StoppableMixin, ViewReportMixin, NewSamplesMixin, RelationIdsMixin, RelabelMixin, MultiViewClusterer):
    """Base class of the methods that fuse n × n graphs; a subclass implements ``_fuse``."""

    alpha: float
    beta: float
    variant: str
    max_iter: int
    max_time: float | None
    tol: float
    n_init: int
    random_state: Any
    verbose: int
    device: str | None
    callback: Callback | None

    _counts_clusters = True
    # Inner products of the samples, one array or None per view, where the fit around this one knows them.
    _known_products: list[np.ndarray | None] | None = None
    _most_counted: ClassVar[int] = 2_000  # samples on which the number of clusters is estimated
    _memory_demand = MemoryDemand(6.2, wide_per_view=1.0, judged=4.0, judged_per_view=3.0)
    _memory_demand_in_single_precision: ClassVar[MemoryDemand] = MemoryDemand(
        3.1, wide_per_view=1.0, judged=4.0, judged_per_view=2.0, per_judged=1000.0
    )
    _parameter_constraints: ClassVar = {
        **MultiViewClusterer._parameter_constraints,
        **ITERATION_CONSTRAINTS,
        **WEIGHT_CONSTRAINTS,
        "variant": [OneOf("robust", "published", "paper")],
        "affinity": [OneOf("self-expressive", "precomputed")],
        "alpha": [Number(above=0)],
        "beta": [Number(above=0)],
    }

    def _fit_checked(self, X: Any) -> None:
        views = X if isinstance(X, Views) else Views(X) if holds_networks(X) else None
        self._relations, self._origin = None, None
        if views is None or not has_relations(views) or self.affinity == "precomputed":
            super()._fit_checked(X)
            return
        self._validate_params()
        check_enough_samples(views, 2 if self.n_clusters == "auto" else self.n_clusters)
        left_out = np.flatnonzero(OwnWeights.of(self, views.names).factors == 0).tolist()
        with solving(self), threads_for(len(views), _FEW):
            rng = check_random_state(self.random_state)
            self._relations, plain = RelationViews.learn(views, self.n_clusters, rng, left_out)
        known = [f"View {views.names[v]!r} is constant" for v in (*self._relations.silent, *left_out)]
        # They have been warned of, or are left out by the user.
        with suppressing(lambda warning: str(warning).startswith(tuple(known))):
            super()._fit_checked(plain)
        self._describe(views, views)
        self._origin = Origin(views)
        silent = [views.names[v] for v in self._relations.silent]
        self.noise_views_ = tuple(name for name in views.names if name in (*self.noise_views_, *silent))

    def _demand(self) -> MemoryDemand:
        return self._memory_demand_in_single_precision if self.variant == "robust" else self._memory_demand

    def _arrays(self, views: Views) -> tuple[list[Any], np.ndarray | None]:
        """In the robust variant, samples may be missing from views if graphs are learned from features."""
        self._present: np.ndarray | None = None
        if self.affinity == "precomputed" or self.variant != "robust":
            return super()._arrays(views)
        arrays, self._present = views.incomplete_arrays()
        if self._present is not None and self.n_clusters == "auto":
            raise ParameterError(
                "n_clusters='auto' needs all samples in all views, but some samples are missing from a view.",
                hint="Set n_clusters to a number.",
                parameter="n_clusters",
                value="auto",
            )
        return arrays, self._present

    def _fuse(self, arrays: list[Any], **options: Any) -> FusionResult:
        """Learn and fuse the graphs of these views."""
        raise NotImplementedError(f"{type(self).__name__} has no _fuse")

    def _cut_weight(self) -> float | None:
        """γ; None if the cut is a separate step."""
        return None

    def _scales_rows(self) -> bool:
        """Whether the rows of the embedding are scaled to unit length; the authors' program does not scale them."""
        return self.variant == "robust" or self._cut_weight() is None

    def _fit(self, views: Views, arrays: list[Any], used: list[int]) -> None:
        if self.device is None or not moves_to(self.device, arrays):
            self._fit_on_device(views, arrays, used)
            return
        self._fit_on_device(views, on_device(arrays, self.device), used)
        if all(sp.issparse(array) or is_numpy_array(array) for array in arrays):
            for name in _ARRAYS:
                if getattr(self, name) is not None:
                    setattr(self, name, to_host(getattr(self, name)))

    def _fit_on_device(self, views: Views, arrays: list[Any], used: list[int]) -> None:
        """Fit on the device of the arrays. The results stay there."""
        rng = check_random_state(self.random_state)
        self._forget_views()
        own = OwnWeights.of(self, views.names)
        used = own.used(used)
        if self.affinity != "precomputed":
            self._check_device_memory(arrays[used[0]])
        chosen, present = self._prepared(views, arrays, used)
        all_weights = partial(self._weights_of_all_views, used=used, n_views=views.n_views)
        iterations = Iterations(self, all_weights)
        self._set_n_clusters(chosen, rng)
        if self.affinity != "precomputed" and self.variant == "robust":
            check_directions(views, arrays, used, self.n_clusters_, type(self).__name__)
        fixed = own.fixed_weights(used, lambda: self._clustered(chosen, present, rng)[0].weights)
        result, self._points, self.labels_ = self._clustered(chosen, present, rng, iterations, fixed)
        self._views_fitted = used, chosen, present
        self.noise_views_ = tuple(views.names[used[v]] for v in noise_views(self._separations()))
        self._record_end(result.sweeps, result.converged, iterations.stopped)
        self._judge(chosen, rng)
        self._warn(result, views)
        self.confidence_ = self._certainty() * _confidence(result, self.labels_)
        self.embedding_ = _in_precision_of(arrays[0], result.embedding)
        self.affinity_matrix_ = result.consensus
        self._record_history(result.sweeps, all_weights)
        self._new_samples = self._samples_of_fit(views, arrays, used)

    def _samples_of_fit(self, views: Views, arrays: list[Any], used: list[int]) -> SamplesOfFit | None:
        if self.affinity == "precomputed" or not self._gives_verdict:  # inside other fits no new samples are placed
            return None
        labels, embedding = to_host(self.labels_), to_host(self.embedding_)
        encoded = tuple(views.is_encoded(v) for v in range(views.n_views))
        return SamplesOfFit.keep(arrays, self._present, tuple(used), self.view_weights_, labels, embedding, encoded)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # scikit-learn expects them of whatever has predict_proba; its columns are clusters, not the classes of y.
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags

    def _new_views(self, X: Any) -> Views:
        new = self._as_views(X, reset=False)
        return new if self._relations is None else self._relations.of_new(new, vars(self).get("_origin"))

    def _renumber(self, order: np.ndarray) -> None:
        super()._renumber(order)
        if self._new_samples is not None:
            self._new_samples = self._new_samples.renumbered(order, to_host(self.labels_))

    def __getstate__(self) -> dict[str, Any]:
        state: Any = super().__getstate__()
        if isinstance(state.get("_new_samples"), SamplesOfFit):  # what was learned from the data, instead of the data
            state = {**state, "_new_samples": self._known_samples()}
        return {name: value for name, value in state.items() if name != "_origin"}

    def _prepared(self, views: Views, arrays: list[Any], used: list[int]) -> tuple[list[Any], np.ndarray | None]:
        """What is fused (graphs, arrays or factors), and which samples are present in which view."""
        chosen = [arrays[v] for v in used]
        if self.affinity == "precomputed":
            return [array.toarray() if sp.issparse(array) else array for array in chosen], None
        if self.variant != "robust":
            return chosen, None
        check_zero_samples(views, arrays, used, self._present)
        present = self._present_in(used, views)
        return self._factors(chosen, used), present

    def _factors(self, chosen: list[Any], used: list[int]) -> list[Any]:
        """The factors of these views; from inner products where these are known."""
        if self._known_products is None:
            return learned_factors(chosen)
        known = [self._known_products[v] for v in used]
        found = [None if products is None else deviations_of_products(products) for products in known]
        learned = iter(learned_factors([view for view, factor in zip(chosen, found, strict=True) if factor is None]))
        return [next(learned) if factor is None else factor for factor in found]

    def _clustered(
        self,
        chosen: list[Any],
        present: np.ndarray | None,
        rng: np.random.RandomState,
        on_sweep: Any = None,
        fixed_weights: np.ndarray | None = None,
    ) -> tuple[FusionResult, Any, Any]:
        """Fuse these views. Returns the fusion, the rows that k-means clusters, and the labels."""
        options: dict[str, Any] = {
            "variant": self.variant,
            "max_iter": self.max_iter,
            "tol": self.tol,
            "random_state": rng,
            "on_sweep": on_sweep,
            "fixed_weights": fixed_weights,
            "with_objective": self._gives_verdict,  # nobody reads that of a fit inside another fit
        }
        if self.affinity == "precomputed":
            gamma = self._cut_weight()
            result = fuse_graphs(
                chosen, self.n_clusters_, beta=self.beta, gamma=gamma or 0.0, joint=gamma is not None, **options
            )
        else:
            result = self._fuse(chosen, **options, **({} if present is None else {"present": present}))
        rows = unit_rows(result.embedding) if self._scales_rows() else result.embedding
        return result, rows, assign_clusters(rows, self.n_clusters_, n_init=self.n_init, random_state=rng)

    def _make_view_report(self) -> ViewReport:
        used, views, present = self._views_fitted
        own = OwnWeights.of(self, [str(name) for name in self.view_names_])

        def cluster(some: list[int]) -> np.ndarray | None:
            theirs = None if present is None else present[:, some]
            if theirs is not None and not theirs.any(axis=1).all():
                return None
            with quietly():  # a single view may well give poor clusters
                chosen, rng = [views[v] for v in some], check_random_state(0)
                some_used = [used[v] for v in some]
                fixed = own.fixed_weights(some_used, lambda: self._clustered(chosen, theirs, rng)[0].weights)
                return to_host(self._clustered(chosen, theirs, rng, fixed_weights=fixed)[2])

        names = [str(self.view_names_[v]) for v in used]
        return view_report(names, self.view_weights_[used], self._separations(), to_host(self.labels_), cluster)

    def _separations(self) -> np.ndarray:
        """How far apart the clusters lie in each view, by the samples that are present in it; NaN for graphs."""
        _, views, present = self._views_fitted
        if self.n_clusters_ < 2 or not all(isinstance(view, (GramFactor, GramMatrix)) for view in views):
            return np.full(len(views), np.nan)
        if present is None:
            return np.array([_separation(view, self.labels_) for view in views])
        labels = to_host(self.labels_)
        return np.array([_separation(view, labels, own) for view, own in zip(views, present.T, strict=True)])

    def _present_in(self, used: list[int], views: Views) -> np.ndarray | None:
        """Which samples are present in which of the used views."""
        if self._present is None:
            return None
        present = self._present[:, used]
        nowhere = np.flatnonzero(~present.any(axis=1))
        if nowhere.size:
            names = ", ".join(repr(views.names[v]) for v in used)
            sample = views.sample_name(int(nowhere[0]))
            raise ViewsError(
                f"The sample in {sample} is missing from every view that is not constant ({names}), so it cannot be "
                "assigned to a cluster.",
                hint="Remove this sample.",
            )
        return present

    def _check_device_memory(self, view: Any) -> None:
        """Raise NotEnoughMemoryError if the graphs do not fit into the memory of the GPU that the views are on."""
        free = free_memory(view)
        n = int(view.shape[0])
        needed = graph_bytes(n, self.variant, view)
        if free is not None and needed > free:
            raise NotEnoughMemoryError(
                f"{type(self).__name__} of {n:,} samples needs {needed:,} bytes ({gibibytes(needed)}) on {view.device}, but "
                f"only {free:,} ({gibibytes(free)}) are free.",
                hint="Use AnchorGFSC, whose memory grows linearly with the number of samples, fewer samples or another "
                "device=.",
                parameter="device",
                value=self.device,
            )

    def _set_n_clusters(self, views: list[Any], rng: np.random.RandomState) -> None:
        """Set ``n_clusters_``: the parameter, or an estimate with ``n_clusters="auto"``."""
        self.__dict__.pop("cluster_counts_", None)  # from an earlier fit
        if self.n_clusters != "auto":
            self.n_clusters_ = int(self.n_clusters)
            return
        if self.affinity == "precomputed":
            self.cluster_counts_ = count_clusters_of_graphs(views)
        else:
            some = _drawn(views, self._most_counted, rng)
            self.cluster_counts_ = count_clusters_of_views(some)
        self.n_clusters_ = self.cluster_counts_.suggested

    def _judge(self, chosen: list[Any], rng: np.random.RandomState) -> None:
        """Set ``verdict_``, and warn if it is negative."""
        if not self._gives_verdict:
            return
        labels = to_host(self.labels_)
        if self.n_clusters_ < 2:
            self.verdict_ = Verdict(1, self.cluster_counts_.evidence, np.full(1, np.nan))
        elif self.affinity == "precomputed":
            self.verdict_ = judge_by_graph([to_host(graph) for graph in chosen], labels, self.n_clusters_, rng)
        else:
            some, samples = self._judged(chosen, len(labels), rng)
            self.verdict_ = judge_by_neighbors(samples.compact(), labels[some], self.n_clusters_, rng)
        warn_of_verdict(self.verdict_, self.n_clusters)

    def _judged(self, chosen: list[Any], n: int, rng: np.random.RandomState) -> tuple[np.ndarray, Samples]:
        """The samples by which the clusters are judged.

        The authors' program has no verdict, so that of its variants takes little time: of fewer samples.
        """
        if self.variant == "robust":
            some = drawn_rows(n, rng)
            return some, direction_samples(chosen, some)
        some = drawn_rows(n, rng, max(_FEW_JUDGED, _JUDGED_PER_CLUSTER * self.n_clusters_))
        return some, direction_samples([view[beside(view, some)] if is_tensor(view) else view[some] for view in chosen])

    def _warn(self, result: FusionResult, views: Views) -> None:
        isolated = true_positions(isolated_samples(result.consensus))
        if isolated.size and self.n_clusters_ > 1:
            warn(self._isolation(isolated, result, views))
            return
        found = unbalanced_sizes(to_host(self.labels_), self.n_clusters_, views)
        if found is not None:
            warn(self._unbalanced(found))

    def _unbalanced(self, found: str) -> DegenerateClustersWarning:
        if self.affinity != "precomputed" and self.variant != "robust":
            return DegenerateClustersWarning(
                f"{found} In this variant the parameters are in the units of the data.",
                hint="Decrease beta, or use variant='robust'.",
                parameter="beta",
                value=self.beta,
            )
        return DegenerateClustersWarning(
            f"{found} A likely cause is samples that are unlike all others.",
            hint="Inspect the samples in the small clusters, and fix or remove them; or reduce n_clusters "
            "(n_clusters='auto' estimates the number).",
            parameter="n_clusters",
            value=self.n_clusters,
        )

    def _isolation(self, isolated: np.ndarray, result: FusionResult, views: Views) -> DegenerateGraphWarning:
        xp = array_namespace(result.consensus)
        if not float(xp.max(result.consensus)) > 0:
            found = "The consensus graph is all zeros"
        elif isolated.size == len(views):
            found = "The consensus graph has no edges"
        else:
            noun = "sample has" if isolated.size == 1 else "samples have"
            found = f"{isolated.size} {noun} no edges in the consensus graph (the first: {views.sample_name(isolated[0])})"
        has_cut = bool(self._cut_weight())
        if self.affinity == "precomputed":
            hint, parameter = f"Provide graphs with more edges{', or decrease gamma' if has_cut else ''}.", "affinity"
        elif self.variant == "robust":
            hint, parameter = ("Decrease gamma or increase alpha.", "gamma") if has_cut else ("Increase alpha.", "alpha")
        else:
            hint, parameter = f"Decrease beta{' and gamma' if has_cut else ''}, or use variant='robust'.", "beta"
        return DegenerateGraphWarning(
            f"{found}, so the clusters of these samples are arbitrary.",
            hint=hint,
            parameter=parameter,
            value=getattr(self, parameter),
        )


def _separation(view: GramFactor | GramMatrix, labels: Any, own: np.ndarray | None = None) -> float:
    """How far apart the clusters lie in a view, by its ``own`` samples or all."""
    if isinstance(view, GramMatrix):
        labels = to_host(labels)
        if own is None:
            return separation_by_products(view.gram, labels)
        return separation_by_products(view.gram[np.ix_(own, own)], labels[own])
    return separation(view.basis, labels) if own is None else separation(to_host(view.basis)[own], labels[own])


def graph_bytes(n: int, variant: str, view: Any) -> int:
    """Bytes that the fusion of n samples needs: three n × n arrays and some tiles."""
    size = 4 if variant == "robust" or str(view.dtype).endswith("float32") else 8
    return size * (3 * n**2 + 2**27)


def _confidence(result: FusionResult, labels: Any) -> Any:
    """Mean of the confidences by the edges before and after the cut."""
    before = edge_confidence(result.fused, labels)
    return before if result.fused is result.consensus else (before + edge_confidence(result.consensus, labels)) / 2


def _drawn(views: list[Any], most: int, rng: np.random.RandomState) -> list[Any]:
    """The views of at most ``most`` samples: the estimate needs several graphs, and a sample shows all large clusters."""
    n = _n_samples(views[0])
    if n <= most:
        return views
    rows = np.sort(rng.choice(n, most, replace=False))
    arrays = [view.basis if isinstance(view, (GramFactor, GramMatrix)) else view for view in views]
    return [(array if sp.issparse(array) else to_host(array))[rows] for array in arrays]


def _n_samples(view: Any) -> int:
    return int((view.basis if isinstance(view, (GramFactor, GramMatrix)) else view).shape[0])


def _in_precision_of(view: Any, embedding: Any) -> Any:
    """The embedding in the precision of the data."""
    xp = array_namespace(embedding)
    return xp.astype(embedding, xp.float32 if str(view.dtype).endswith("float32") else xp.float64, copy=False)
