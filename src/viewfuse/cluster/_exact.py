"""What GFSC and GF share: running a fusion and turning its record into fitted attributes."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from array_api_compat import array_namespace, is_numpy_array
from sklearn.utils import check_random_state

from .._utils.device import free_memory, on_device, to_host, true_positions
from .._utils.progress import Stop, stoppable
from ..exceptions import (
    DegenerateClustersWarning,
    DegenerateGraphWarning,
    MemoryWarning,
    ParameterError,
    ViewfuseWarning,
    ViewsError,
)
from ..fusion import FusionResult, Sweep, fuse_graphs, learned_factors
from ..graphs import GramFactor
from ..linalg import assign_clusters, edge_confidence, isolated_samples, unit_rows
from ..views import Views
from ._base import MultiViewClusterer, RelabelMixin
from ._checks import (
    check_choice,
    check_count,
    check_max_time,
    check_number,
    check_zero_samples,
    lopsided,
    warn_of_no_structure,
    warn_unsettled,
)
from ._view_report import ViewReport, ViewReportMixin, blind_views, separation, view_report
from .counting import count_clusters_of_graphs, count_clusters_of_views, default_counts

__all__ = ["ExactFusion"]

_ARRAYS = ("labels_", "confidence_", "embedding_", "affinity_matrix_", "_points")
_MOST_COUNTED = 2_000  # samples on which clusters are counted
VARIANTS = ("robust", "published", "paper")
AFFINITIES = ("self-expressive", "precomputed")


class ExactFusion(ViewReportMixin, RelabelMixin, MultiViewClusterer):
    """Base of the methods that fuse n × n graphs; a subclass says how in ``_fuse``."""

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

    _counts_clusters = True

    def _check_parameters(self) -> None:
        check_choice("variant", self.variant, VARIANTS)
        check_choice("affinity", self.affinity, AFFINITIES)
        check_number("alpha", self.alpha, positive=True)
        check_number("beta", self.beta, positive=True)
        check_number("tol", self.tol, positive=False)
        check_count("max_iter", self.max_iter, least=1)
        check_max_time(self.max_time)
        check_count("n_init", self.n_init, least=1)

    def _arrays(self, views: Views) -> tuple[list[Any], np.ndarray | None]:
        """Samples may lack views where graphs are learned, robustly; others then stand in for them."""
        self._present: np.ndarray | None = None
        if self.affinity == "precomputed" or self.variant != "robust":
            return super()._arrays(views)
        arrays, self._present = views.incomplete_arrays()
        if self._present is not None and self.n_clusters == "auto":
            raise ParameterError("n_clusters='auto' needs every sample in every view, but some are missing; give a number.")
        return arrays, self._present

    def _fuse(self, arrays: list[Any], **options: Any) -> FusionResult:
        """Learn and fuse the graphs of these views."""
        raise NotImplementedError(f"{type(self).__name__} has no _fuse")

    def _cut_weight(self) -> float | None:
        """γ; None where the cut is a separate step."""
        return None

    def _rows_are_directions(self) -> bool:
        """Whether clusters lie in the directions of the embedding's rows; the program takes the rows as they are."""
        return self.variant == "robust" or self._cut_weight() is None

    def _fit(self, views: Views, arrays: list[Any], used: list[int]) -> None:
        if self.device is None:
            self._fit_where_it_is(views, arrays, used)
            return
        self._fit_where_it_is(views, on_device(arrays, self.device), used)
        if all(sp.issparse(array) or is_numpy_array(array) for array in arrays):
            for name in _ARRAYS:
                if getattr(self, name) is not None:
                    setattr(self, name, to_host(getattr(self, name)))

    def _fit_where_it_is(self, views: Views, arrays: list[Any], used: list[int]) -> None:
        """On the device the arrays are on, and leaving the results there."""
        rng = check_random_state(self.random_state)
        self._forget_views()
        if self.affinity != "precomputed" and not _fits(arrays[used[0]], self.variant):
            self._fit_anchors(views, arrays)
            return
        chosen, present = self._prepared(views, arrays, used)
        with stoppable(self.max_time) as stop:
            self._set_n_clusters(chosen, rng)
            watch = partial(self._after_sweep, stop=stop)
            result, self._points, self.labels_ = self._clustered(chosen, present, rng, watch)
        self._views_fitted = used, chosen, present
        self.noise_views_ = tuple(views.names[used[v]] for v in blind_views(self._separations()))
        self._warn(result, views, stop.reason)
        self.confidence_ = _confidence(result, self.labels_)
        self.embedding_ = _in_precision_of(arrays[0], result.embedding)
        self.affinity_matrix_ = result.consensus
        self.n_iter_ = len(result.sweeps)
        self.converged_ = result.converged
        weights = np.asarray([sweep.weights for sweep in result.sweeps])
        self.history_ = {
            "objective": np.asarray([sweep.objective for sweep in result.sweeps]),
            "change": np.asarray([sweep.change for sweep in result.sweeps]),
            "weights": self._weights_of_all_views(weights, used, views.n_views),
        }
        self.objective_ = self.history_["objective"]
        self.view_weights_ = self.history_["weights"][-1]

    def _prepared(self, views: Views, arrays: list[Any], used: list[int]) -> tuple[list[Any], np.ndarray | None]:
        """What is fused, graphs, arrays or factors, and who has which of them."""
        chosen = [arrays[v] for v in used]
        if self.affinity == "precomputed":
            return [array.toarray() if sp.issparse(array) else array for array in chosen], None
        if self.variant != "robust":
            return chosen, None
        check_zero_samples(views, arrays, used, self._present)
        present = self._present_in(used, views)
        return learned_factors(chosen), present

    def _clustered(
        self, chosen: list[Any], present: np.ndarray | None, rng: np.random.RandomState, on_sweep: Any = None
    ) -> tuple[FusionResult, Any, Any]:
        """The fusion of these, as far as ``on_sweep`` lets it go, the rows that k-means gets, and the labels."""
        options: dict[str, Any] = {
            "variant": self.variant,
            "max_iter": self.max_iter,
            "tol": self.tol,
            "random_state": rng,
            "on_sweep": on_sweep,
        }
        if self.affinity == "precomputed":
            gamma = self._cut_weight()
            result = fuse_graphs(
                chosen, self.n_clusters_, beta=self.beta, gamma=gamma or 0.0, joint=gamma is not None, **options
            )
        else:
            result = self._fuse(chosen, **options, **({} if present is None else {"present": present}))
        rows = unit_rows(result.embedding) if self._rows_are_directions() else result.embedding
        return result, rows, assign_clusters(rows, self.n_clusters_, n_init=self.n_init, random_state=rng)

    def _make_view_report(self) -> ViewReport:
        used, views, present = self._views_fitted

        def cluster(some: list[int]) -> np.ndarray | None:
            theirs = None if present is None else present[:, some]
            if theirs is not None and not theirs.any(axis=1).all():
                return None
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ViewfuseWarning)  # a view that is worth little alone is what this looks for
                return to_host(self._clustered([views[v] for v in some], theirs, check_random_state(0))[2])

        names = [str(self.view_names_[v]) for v in used]
        return view_report(names, self.view_weights_[used], self._separations(), to_host(self.labels_), cluster)

    def _separations(self) -> np.ndarray:
        """How far apart the clusters lie in each view; NaN where samples lack views, and for graphs."""
        _, views, present = self._views_fitted
        if self.n_clusters_ < 2 or present is not None or not all(isinstance(view, GramFactor) for view in views):
            return np.full(len(views), np.nan)
        return np.array([separation(view.basis, self.labels_) for view in views])

    def _present_in(self, used: list[int], views: Views) -> np.ndarray | None:
        """Who has which of the used views."""
        if self._present is None:
            return None
        present = self._present[:, used]
        nowhere = np.flatnonzero(~present.any(axis=1))
        if nowhere.size:
            names = ", ".join(repr(views.names[v]) for v in used)
            sample = views.sample_name(int(nowhere[0]))
            raise ViewsError(
                f"The sample in {sample} lacks every view that tells samples apart ({names}), so nothing says where it "
                "belongs. Leave it out."
            )
        return present

    def _fit_anchors(self, views: Views, arrays: list[Any]) -> None:
        """What a device too small for n × n graphs can do: the same alternation on n × m ones."""
        from .anchor_gfsc import AnchorGFSC

        needed, free = graph_bytes(len(views), self.variant, arrays[0]), free_memory(arrays[0])
        if self.n_clusters == "auto":
            raise ParameterError(
                f"n_clusters='auto' needs the graph of all {len(views):,} samples, {needed:,} bytes, and {arrays[0].device} "
                f"has {free:,} free. Give the number of clusters, or take the number found on some of the samples."
            )
        warnings.warn(
            f"Graphs of {len(views):,} samples need {needed:,} bytes and {arrays[0].device} has {free:,} free: "
            "AnchorGFSC is fitted instead, and affinity_matrix_ ties samples to its anchors.",
            MemoryWarning,
            stacklevel=5,
        )
        self.n_clusters_ = int(self.n_clusters)
        options = {
            "n_init": self.n_init,
            "random_state": self.random_state,
            "verbose": self.verbose,
            "max_time": self.max_time,
        }
        model = AnchorGFSC(self.n_clusters_, **options).fit(
            Views(arrays, names=views.names, ids=views.ids, present=self._present)
        )
        names = ("labels_", "confidence_", "embedding_", "n_iter_", "converged_", "history_", "objective_", "view_weights_")
        for name in names:
            setattr(self, name, getattr(model, name))
        self.affinity_matrix_, self._points = model.anchor_graph_, unit_rows(model.embedding_)

    def _set_n_clusters(self, views: list[Any], rng: np.random.RandomState) -> None:
        """``n_clusters_``: what was asked for or, if that is to be found out, what there is."""
        self.__dict__.pop("cluster_counts_", None)  # of an earlier fit
        if self.n_clusters != "auto":
            self.n_clusters_ = int(self.n_clusters)
            return
        if self.affinity == "precomputed":
            counts = default_counts(_n_samples(views[0]))
            self.cluster_counts_ = count_clusters_of_graphs(views, counts, random_state=rng)
        else:
            some = _samples_to_count(views, rng)
            self.cluster_counts_ = count_clusters_of_views(some, default_counts(_n_samples(some[0])), random_state=rng)
        self.n_clusters_ = self.cluster_counts_.suggested
        warn_of_no_structure(self.cluster_counts_)

    def _after_sweep(self, number: int, sweep: Sweep, stop: Stop) -> bool:
        """Print the sweep, if asked to; whether to stop."""
        if self.verbose:
            weights = " ".join(f"{weight:.3f}" for weight in sweep.weights)
            print(
                f"{type(self).__name__} sweep {number}: change {sweep.change:.2e}, objective {sweep.objective:.6g}, "
                f"weights {weights}"
            )
        return stop(number, sweep.change, self.tol)

    def _warn(self, result: FusionResult, views: Views, stopped: str | None) -> None:
        if not result.converged:
            warn_unsettled(self, result.sweeps, stopped)
        isolated = true_positions(isolated_samples(result.consensus))
        if isolated.size and self.n_clusters_ > 1:
            warnings.warn(self._isolation(isolated, result, views), DegenerateGraphWarning, stacklevel=4)
            return
        found = lopsided(to_host(self.labels_), self.n_clusters_, views)
        if found is not None:
            warnings.warn(f"{found} {self._cause_of_lopsidedness()}", DegenerateClustersWarning, stacklevel=5)

    def _cause_of_lopsidedness(self) -> str:
        if self.affinity != "precomputed" and self.variant != "robust":
            return "In this variant the parameters are in the units of the data: lower beta, or use variant='robust'."
        return (
            "The likely cause is samples that are unlike all others: look at those in the small clusters, and leave them "
            "out or mend them; or ask for fewer clusters (n_clusters='auto' finds out how many there are)."
        )

    def _isolation(self, isolated: np.ndarray, result: FusionResult, views: Views) -> str:
        xp = array_namespace(result.consensus)
        if not float(xp.max(result.consensus)) > 0:
            found = "The consensus graph is all zeros"
        elif isolated.size == len(views):
            found = "No two samples are tied in the consensus graph"
        else:
            noun = "sample has" if isolated.size == 1 else "samples have"
            found = f"{isolated.size} {noun} no tie in the consensus graph (the first: {views.sample_name(isolated[0])})"
        if self.affinity == "precomputed":
            remedy = "Give graphs with more edges" + (", or lower gamma" if self._cut_weight() else "")
        elif self.variant == "robust":
            remedy = "Lower gamma or raise alpha" if self._cut_weight() else "Raise alpha"
        else:
            remedy = "Lower beta" + (" and gamma" if self._cut_weight() else "") + ", or use variant='robust'"
        return f"{found}, so their clusters mean nothing. {remedy}."


def graph_bytes(n: int, variant: str, view: Any) -> int:
    """What the sweeps need for n samples: three n × n arrays, and some tiles."""
    size = 4 if variant == "robust" or str(view.dtype).endswith("float32") else 8
    return size * (3 * n**2 + 2**27)


def _fits(view: Any, variant: str) -> bool:
    """Whether the sweeps fit on the device; in the processor's memory that is for others to say."""
    free = free_memory(view)
    return free is None or graph_bytes(int(view.shape[0]), variant, view) <= free


def _confidence(result: FusionResult, labels: Any) -> Any:
    """The mean of what a sample's ties say before the cut and after it."""
    before = edge_confidence(result.fused, labels)
    return before if result.fused is result.consensus else (before + edge_confidence(result.consensus, labels)) / 2


def _samples_to_count(views: list[Any], rng: np.random.RandomState) -> list[Any]:
    """The views, of some samples where there are many: to count takes several graphs, and all clusters show in a sample."""
    n = _n_samples(views[0])
    if n <= _MOST_COUNTED:
        return views
    rows = np.sort(rng.choice(n, _MOST_COUNTED, replace=False))
    arrays = [view.basis if isinstance(view, GramFactor) else view for view in views]
    return [(array if sp.issparse(array) else to_host(array))[rows] for array in arrays]


def _n_samples(view: Any) -> int:
    return int((view.basis if isinstance(view, GramFactor) else view).shape[0])


def _in_precision_of(view: Any, embedding: Any) -> Any:
    """The embedding in the precision of the data."""
    xp = array_namespace(embedding)
    return xp.astype(embedding, xp.float32 if str(view.dtype).endswith("float32") else xp.float64, copy=False)
