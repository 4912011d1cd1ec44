"""AutoFusion: the estimator for data about which nothing is known."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import ClassifierTags, check_random_state
from sklearn.utils.validation import check_is_fitted

from ..._utils.device import moves_to, on_device, to_host
from ..._utils.steps import step
from ..._utils.text import count as counted
from ..._utils.warn import note, warn
from ...exceptions import ConvergenceWarning, UnstableClustersWarning, ViewsError
from ...graphs import Samples
from ...linalg import numbered_by_size, renumbered
from ...views import Views, holds_networks
from .._base import EmbeddingMixin, MultiViewClusterer
from .._checks import warn_of_verdict
from .._constraints import Count, Nothing, Number, OneOf, Text
from .._weights import WEIGHT_CONSTRAINTS, OwnWeights
from ..contradiction import warn_of_contradictions
from ..counting import count_clusters
from ..novelty import FEWEST_NEW, Novelty, some_rows, warn_of_unlike_samples
from ..relations.checks import has_relations
from ..relations.maps import RelationIdsMixin
from ..structure import Evidence, ratio_to_null, typical_rows
from ..verdict import Verdict, parts_of_clouds
from .assignment import AssignmentMixin, Placed
from .canonical import canonical_order, distinct_views, in_unit, unit
from .choice import AutoChoice, ViewChoice
from .choosing import Chooser, Chosen
from .given import GivenViews
from .joint import NO_STRUCTURE, JointCut, clearest_cut, neighbors_inside, null_values
from .labelling import labels_with_gaps
from .overlapping import Overlapping, overlapping_clusters, samples_for_overlapping
from .unknown import nothing_known
from .with_relations import fit_relations, placed_with_relations

__all__ = ["AutoFusion"]

_MOST_SCORED = 500  # new samples whose outlier scores are computed to compare them with those of the fit
_LEFT_OUT = "; left out, as the others have clearer clusters without it"
_UNSTABLE = 0.2  # mean agreement below which no candidate confirms another


@dataclass(frozen=True)
class _JointClusters:
    """The clusters of the joint neighbour graph.

    Attributes
    ----------
    cut : JointCut
    nulls : array, the eigenvalues of clouds without clusters
    overlapping : Overlapping or None
        Clusters that no neighbour graph sees, of the samples that were clustered and of more.
    more : (m,) array of int, these samples
    """

    cut: JointCut
    nulls: np.ndarray
    overlapping: Overlapping | None = None
    more: np.ndarray | None = None

    def more_labelled(self, n_clustered: int) -> tuple[np.ndarray, np.ndarray] | None:
        """Samples that are labelled beside those that were clustered, and their labels."""
        if self.overlapping is None or self.more is None:
            return None
        return self.more, self.overlapping.labels[n_clustered:]


class AutoFusion(AssignmentMixin, EmbeddingMixin, RelationIdsMixin, MultiViewClusterer):
    """Cluster data about which nothing is known: measures, graphs and, if asked, the number of clusters are chosen.

    Each view is mapped to points whose distances suit its values (:mod:`viewfuse.graphs.representation`). The joint
    neighbour graph of all views is cut first. If its spectrum has a clear gap after the k-th eigenvalue,
    ``λ_k < 0.6 λ_{k+1}``, it falls apart into k clusters and the result is its cut. Views that blur this are left out
    (:mod:`viewfuse.cluster.auto.joint`). Otherwise up to four more clusterings are made
    (:mod:`viewfuse.cluster.auto.candidates`), and the result is the one with which the others agree most, which comes
    back most when halves of the samples are clustered, and which the views support most, each alone: the largest sum of the
    three (:mod:`viewfuse.cluster.auto.merit`). Samples at borders are then where the clusters' means put
    them (:mod:`viewfuse.cluster.auto.borders`). With few columns and enough samples it is a Gaussian mixture instead, which
    knows the shapes of clusters that touch. Where most columns take two values, the clusters found are the start of a latent
    class analysis (:mod:`viewfuse.cluster.auto.latent_classes`).

    Samples may be missing from views: rows of NaN, or ``present`` of :class:`Views` False. Distances that are not known
    count as those of pairs that are as near in the other views (:mod:`viewfuse.graphs.gaps`), and where the clusterings
    differ, the result is k-means on the embeddings of all.

    If the graph is as connected as that of one cloud and there are more than 5,000 samples, clusters that overlap are looked
    for by the means of 40,000 samples (:mod:`viewfuse.cluster.auto.overlapping`).

    Of more than 5,000 samples, 5,000 drawn at random are clustered, and all are assigned as new samples are: by the means
    and covariances of the clusters, where these find as many labels of left-out samples as the votes of nearest neighbours
    do, else by these votes (:mod:`viewfuse.cluster.auto.many`). So are outliers, whose surroundings are less than half as
    dense as their neighbours'.

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        "auto" takes the number that suits the joint neighbour graph best (:mod:`viewfuse.cluster.counting`): 1, with a
        warning, if there are no clusters.
    {views}
    view_weights : dict of float by view name, or sequence, default=None
        Factors on the weights of the views; 1 for views that are not named. Squared distances in a view are multiplied by
        its factor. A view with 0 is left out of the clusters, but stays in the report.
    fixed_view_weights : dict of float by view name, or sequence, default=None
        Weights of the views, which replace those that are found.
    {random_state}
    device : str, default=None
        A PyTorch device such as "cuda", for the candidates that fuse graphs.
    max_time : float or None, default=None
        Seconds after which no further candidate is computed; the choice is then among those that are there.
    verbose : int, default=0
        1 prints a line for each candidate.

    Attributes
    ----------
    {labels_}
    n_clusters_ : int
    cluster_counts_ : ClusterCounts, with ``n_clusters="auto"``
        Every number that was tried with its score; prints as a table.
    verdict_ : Verdict
        Whether these clusters are real; prints as one sentence.
    choice_ : AutoChoice
        What was considered, what was chosen for each view and why; prints as a short table.
    membership_ : (n_samples, n_clusters) array, rows sum to 1
        How likely each sample belongs to each cluster (:mod:`viewfuse.cluster.auto.membership`); the largest is its label's.
    confidence_ : (n_samples,) array in [0, 1]
        By how much the membership in the sample's cluster exceeds that in the next one; a tenth of it if ``verdict_`` says
        that there are no clusters.
    outlier_score_ : (n_samples,) array
        How unlike its neighbours each sample is: 0 in surroundings as dense as theirs, 1 if they are half as dense, and more
        for outliers. Of more than 50,000 samples that are assigned by means and covariances, it is computed on first access,
        and so is ``embedding_``.
    view_weights_ : (n_views,) array, summing to 1
        In proportion to the share of a view's neighbours that are in the same cluster, beyond what chance would give.
    view_names_ : (n_views,) array of str
    noise_views_ : tuple of str
        The views that were left out, and those whose neighbours are in the same cluster no more often than by chance.
    embedding_ : (n_samples, n_clusters) array
    affinity_matrix_ : (n, n) sparse or dense array, the graph of the chosen clustering; of the samples that were clustered
    history_ : dict
        "agreement": the agreement of the candidates.
    n_iter_ : int
    converged_ : bool
    stopped_ : None or "max_time"
    n_features_in_ : int, of all views together
    feature_names_in_ : array of str, if the data is one DataFrame

    Examples
    --------
    >>> from viewfuse import AutoFusion, metrics
    >>> from viewfuse.datasets import make_views
    >>> views = make_views(n_samples=120, n_clusters=4, random_state=0)
    >>> model = AutoFusion(random_state=0).fit(views)
    >>> model.n_clusters_, metrics.accuracy(views.y, model.labels_) > 0.9
    (4, True)
    """

    _counts_clusters = True
    _most_on_one_thread: ClassVar[int] = 5_000  # its steps are short, and threads would mostly wait for each other
    _most_clustered: ClassVar[int] = 5_000  # samples; more are assigned like new samples
    _parameter_constraints: ClassVar = {
        **MultiViewClusterer._parameter_constraints,
        **WEIGHT_CONSTRAINTS,
        "n_clusters": [Count(2), OneOf("auto")],
        "device": [Text(), Nothing()],
        "max_time": [Number(above=0), Nothing()],
        "verbose": [Count(0)],
    }

    def __init__(
        self,
        n_clusters: int | str = "auto",
        *,
        views: Any = None,
        view_weights: Any = None,
        fixed_view_weights: Any = None,
        random_state: Any = None,
        device: str | None = None,
        max_time: float | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.view_weights = view_weights
        self.fixed_view_weights = fixed_view_weights
        self.random_state = random_state
        self.device = device
        self.max_time = max_time
        self.verbose = verbose

    def _fit_checked(self, X: Any) -> None:
        views = X if isinstance(X, Views) else Views(X) if holds_networks(X) else None
        if views is not None and has_relations(views):
            fit_relations(self, views, lambda plain, weights: clone(self).set_params(**weights).fit(plain))
            arrays, present = views.incomplete_arrays()
            warn_of_contradictions(views, arrays, present, self.labels_, counted=self.n_clusters == "auto")
        else:
            self._relations = None
            super()._fit_checked(X)

    def predict(self, X: Any) -> np.ndarray:
        """The cluster of each sample, (n_samples,); samples may be missing from views.

        By nearest neighbours, by a discriminant or by a linear rule, whichever finds more labels of samples of the fit that
        are left out (:mod:`viewfuse.cluster.auto.labelling`).
        """
        return self._placed_new(X).labels

    def predict_proba(self, X: Any) -> np.ndarray:
        """The membership of each sample in each cluster, (n_samples, n_clusters), as ``membership_`` of the fit."""
        return self._placed_new(X).membership

    def transform(self, X: Any) -> np.ndarray:
        """Where samples lie in the embedding: the mean of their nearest neighbours' rows, weighted by similarity."""
        return self._placed_new(X).votes().mean(self._sample_embedding)

    def outlier_score(self, X: Any) -> np.ndarray:
        """How unlike all samples of the fit each sample is, (n_samples,), as ``outlier_score_``."""
        return self._placed_new(X).votes().outlier_scores

    def __getstate__(self) -> dict[str, Any]:
        state: Any = super().__getstate__()
        return {name: value for name, value in state.items() if name not in ("_origin", "_joint_of_rows", "_learned_later")}

    @property
    def _n_features_out(self) -> int:
        return int(self._sample_embedding.shape[1])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # scikit-learn expects them of whatever has predict_proba; its columns are clusters, not the classes of y.
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags

    def _arrays(self, views: Views) -> tuple[list[Any], np.ndarray | None]:
        arrays, self._present = views.incomplete_arrays()
        return arrays, self._present

    def _fit(self, views: Views, arrays: list[Any], used: list[int]) -> None:
        begin = time.monotonic()
        if self.device is not None and moves_to(self.device, arrays):
            on_device([], self.device)  # raises if there is no such device, also if no candidate would use it
        rng = check_random_state(self.random_state)
        own = OwnWeights.of(self, views.names)
        step("measuring the views")
        given, repeats = self._given_views(views, arrays, own, used)
        order = canonical_order(given.arrays)
        given = given.compact()
        rows, samples = self._measured_rows(given, order, rng)
        self._set_n_clusters(samples)
        step("joint neighbours")
        joint = self._joint_cut(given, order, rows, samples, rng)
        if self._counted_again(samples, joint.cut):
            joint = self._joint_cut(given, order, rows, samples, rng)
        cut = replace(joint.cut, filled=views.filled_share(self._used))
        self._kept = list(cut.views)
        chooser = Chooser(self.device, rng, begin, self.max_time, self.verbose)
        kept = [self._sample_points[v] for v in self._kept]
        found = chooser.choose(samples, cut, joint.overlapping)
        chosen = found if joint.overlapping is not None else found.by_values(kept, cut.n_clusters)
        self._record(chosen, cut, views)
        self._sample_embedding = chosen.best.embedding
        if joint.overlapping is None:
            self._judge(found, chooser, samples, cut, joint.nulls)
            self._sample_labels = numbered_by_size(chosen.best.labels)
        else:
            self.verdict_, self._sample_labels = joint.overlapping.verdict, chosen.best.labels
        self._describe_views(views, samples, repeats, own)
        step("assigning all samples")
        self._assign_all(
            np.hstack(kept),
            partial(self._joint_of, given),
            len(given),
            rows,
            samples.of_views(self._kept).joint_products,
            joint.more_labelled(len(rows)),
        )
        self._warn()
        del self._present

    def _given_views(
        self, views: Views, arrays: list[Any], own: OwnWeights, used: list[int]
    ) -> tuple[GivenViews, dict[int, int]]:
        """The views that are used, and which view each of the others repeats."""
        self._units = [unit(array) for array in arrays]
        arrays = self._in_units(arrays)
        self._used, repeats = distinct_views(views, arrays, own.used(used))
        chosen, present = self._chosen(arrays, self._present)
        _check_present_somewhere(present, views)
        if len(views) > self._most_clustered:
            note(
                f"Of {len(views):,} samples {self._most_clustered:,}, drawn at random, were clustered; the others were "
                "assigned to their clusters."
            )
        encoded, kinds = [views.is_encoded(v) for v in self._used], [views.kinds[v] for v in self._used]
        factors = own.factors[self._used] / own.factors[self._used].mean()
        return GivenViews(chosen, present, encoded, kinds, factors, own.are_given), repeats

    def _measured_rows(self, given: GivenViews, order: np.ndarray, rng: np.random.RandomState) -> tuple[np.ndarray, Samples]:
        """The samples that are clustered: of many, some drawn at random, and in any case without outliers.

        Outliers hide others: those that are far away make all columns smaller, and two that are close to each other are not
        alone. So far ones are looked for again until there are none.
        """
        drawn = rows = self._clustered_rows(order, rng)
        least = 2 if self.n_clusters == "auto" else self.n_clusters
        while True:
            self._measure, self._sample_points, samples = given.measured(rows)
            typical = typical_rows(samples, least, left_out=len(drawn) - len(rows))
            if len(typical) == len(rows):
                return rows, samples
            rows = rows[typical]

    def _joint_cut(
        self, given: GivenViews, order: np.ndarray, rows: np.ndarray, samples: Samples, rng: np.random.RandomState
    ) -> _JointClusters:
        """The clearest cut of the joint neighbours or, if they see no clusters, those of the means of more samples."""
        cut = clearest_cut(samples, self.n_clusters_, rng)
        nulls = null_values(samples, cut, rng)
        if ratio_to_null(cut.spectrum.values, nulls, self.n_clusters_) <= NO_STRUCTURE:
            return _JointClusters(cut, nulls)
        cut = replace(cut, gap=0.0)
        if len(order) <= self._most_clustered or self.n_clusters_ < 2:
            return _JointClusters(cut, nulls)
        more = self._more_rows(order, rows, sum(points.shape[1] for points in self._sample_points), rng)
        overlapping = self._overlapping(given, np.concatenate([rows, more]), samples.weights, rng)
        if overlapping is not None:
            cut = replace(cut, views=tuple(range(samples.n_views)))
        return _JointClusters(cut, nulls, overlapping, more)

    def _in_units(self, arrays: list[Any]) -> list[Any]:
        """The views in units in which squares neither overflow nor vanish, in the processor's memory."""
        held = [array if sp.issparse(array) else to_host(array) for array in arrays]
        return [in_unit(array, size) for array, size in zip(held, self._units, strict=True)]

    def _chosen(self, arrays: list[Any], present: np.ndarray | None) -> tuple[list[Any], np.ndarray | None]:
        """The used views, and which samples are present in them."""
        chosen = [arrays[v] for v in self._used]
        there = None if present is None else present[:, self._used]
        return chosen, None if there is None or there.all() else there

    def _clustered_rows(self, order: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        """The samples that are clustered, in an order that does not depend on the order of the rows."""
        if order.size <= self._most_clustered:
            return order
        return order[np.sort(rng.choice(order.size, self._most_clustered, replace=False))]

    def _more_rows(self, order: np.ndarray, rows: np.ndarray, n_columns: int, rng: np.random.RandomState) -> np.ndarray:
        """Samples in addition to those that are clustered, if more are needed to see overlapping clusters."""
        others = order[~np.isin(order, rows)]
        count = min(max(samples_for_overlapping(n_columns) - len(rows), 0), len(others))
        return others[np.sort(rng.choice(len(others), count, replace=False))]

    def _overlapping(
        self, given: GivenViews, rows: np.ndarray, weights: tuple[float, ...] | None, rng: np.random.RandomState
    ) -> Overlapping | None:
        """Clusters of these samples that no neighbour graph sees, if they come back in halves of the samples."""
        step("neighbours see no clusters: means of many samples")
        some, there = given.rows(rows)
        points = self._measure(some, there, self._sample_points)
        found = overlapping_clusters(Samples(tuple(points), there, weights), self.n_clusters_, rng, self.device)
        return found if found is not None and found.verdict.supported else None

    def _set_n_clusters(self, samples: Samples) -> None:
        """Set ``n_clusters_``: the parameter, or an estimate with ``n_clusters="auto"``."""
        self.__dict__.pop("cluster_counts_", None)  # from an earlier fit
        if self.n_clusters != "auto":
            self.n_clusters_ = int(self.n_clusters)
            return
        step("counting clusters")
        self.cluster_counts_ = count_clusters(samples)
        self.n_clusters_ = self.cluster_counts_.suggested

    def _counted_again(self, samples: Samples, cut: JointCut) -> bool:
        """Count the clusters of the views that the cut has left; whether there are clusters in these, of another number."""
        if self.n_clusters != "auto" or self.n_clusters_ < 2 or len(cut.views) == samples.n_views:
            return False
        counts = count_clusters(samples.of_views(cut.views))
        if counts.suggested in (1, self.n_clusters_):
            return False
        self.cluster_counts_, self.n_clusters_ = counts, counts.suggested
        return True

    def _judge(self, chosen: Chosen, chooser: Chooser, samples: Samples, cut: JointCut, nulls: np.ndarray) -> None:
        """Set ``verdict_``."""
        back = chosen.returned
        if back is None:
            step("clustering halves of the samples, to see what comes back")
            back = chooser.returned_of(chosen.best, samples.of_views(cut.views))
        if self.n_clusters_ < 2:
            evidence = self.cluster_counts_.evidence
        else:
            clouds = partial(parts_of_clouds, samples.of_views(cut.views), self.n_clusters_, chooser.random_state)
            evidence = Evidence.of(cut.graph, cut.spectrum, nulls, chosen.best.labels, back.agreement, clouds)
        self.verdict_ = Verdict(self.n_clusters_, evidence, back.shares, back.too_small)

    def _record(self, chosen: Chosen, cut: JointCut, views: Views) -> None:
        places = np.argsort(self._used)  # in the order of the data
        measures = self._measure.representations
        described = tuple(
            ViewChoice(views.names[self._used[p]], measures[p].kind, measures[p].reason + ("" if kept else _LEFT_OUT), kept)
            for p, kept in ((p, int(p) in cut.views) for p in places)
        )
        names, merits, best = chosen.names, chosen.merits, chosen.best
        returned = None if merits is None else tuple(merits[name].back for name in names)
        inside = None if merits is None else tuple(merits[name].inside for name in names)
        self.choice_ = AutoChoice(described, cut.gap, names, chosen.agreement, best.name, chosen.reason, returned, inside)
        self.history_ = {"agreement": chosen.agreement}
        self.affinity_matrix_ = best.graph
        self.stopped_ = chosen.stopped
        self.n_iter_, self.converged_ = best.n_iter, bool(best.converged and self.stopped_ is None)

    def _describe_views(self, views: Views, samples: Samples, repeats: dict[int, int], own: OwnWeights) -> None:
        """``view_weights_`` and ``noise_views_``: how often each view's neighbours are in the same cluster.

        Views that repeat another one share its weight.
        """
        found = [neighbors_inside(samples, v, self._sample_labels) for v in range(samples.n_views)]
        inside = np.array([share if v in self._kept else 0.0 for v, (share, _) in enumerate(found)])
        weights = inside / inside.sum() if inside.sum() > 0 else np.full(len(inside), 1 / len(inside))
        self.view_weights_ = self._weights_of_all_views(weights, self._used, views.n_views)
        for first in set(repeats.values()):
            group = [first, *(v for v, same in repeats.items() if same == first)]
            self.view_weights_[group] = self.view_weights_[first] / len(group)
        self.view_weights_ = own.applied(self.view_weights_)
        noise = [v not in self._kept or (by_chance and inside.sum() > 0) for v, (_, by_chance) in enumerate(found)]
        self.noise_views_ = tuple(views.names[v] for v, is_noise in zip(self._used, noise, strict=True) if is_noise)

    def _renumber(self, order: np.ndarray) -> None:
        super()._renumber(order)
        self._sample_labels = renumbered(self._sample_labels, order)
        self.membership_ = self.membership_[:, order]
        self._membership = self._membership.renumbered(order)
        if self._labelling is not None:
            self._labelling = self._labelling.renumbered(order)
        else:
            self._learned_later = {name: rule.renumbered(order) for name, rule in self._learned_later.items()}

    def _joint_of(self, given: GivenViews, rows: Any) -> np.ndarray:
        """The joint points of some samples, in single precision if there are many."""
        some, there = given.rows(rows)
        dtype = np.float32 if len(given) > self._most_clustered else np.float64
        points = self._measure(some, there, self._sample_points, dtype)
        return np.hstack([points[v] for v in self._kept])

    def _placed_new(self, X: Any) -> Placed:
        check_is_fitted(self)
        new = self._as_views(X, reset=False)
        placed = self._placed_views(new) if self._relations is None else placed_with_relations(self, new)
        if self._relations is None and len(new) >= FEWEST_NEW:
            warn_of_unlike_samples(self._unlike(new[some_rows(len(new))]))
        elif self._relations is not None and len(new) <= _MOST_SCORED:
            warn_of_unlike_samples(placed.votes().outlier_scores > 1)
        return placed

    def _placed_views(self, new: Views) -> Placed:
        kept, where, unknown = self._kept_points(new)
        mine = [self._sample_points[v] for v in self._kept]
        known = labels_with_gaps(kept, where, mine, self._sample_labels, self.n_clusters_)
        return self._placed(np.hstack(kept), known).with_unknown(unknown)

    def _unlike(self, new: Views) -> np.ndarray:
        """Which new samples are unlike those that were clustered, (n,) bool."""
        novelty = Novelty.learn(np.hstack([self._sample_points[v] for v in self._kept]))
        if novelty is None:
            return np.zeros(len(new), dtype=bool)
        kept, _, unknown = self._kept_points(new)
        return novelty.unlike(np.hstack(kept)) | unknown

    def _kept_points(self, new: Views) -> tuple[list[np.ndarray], np.ndarray | None, np.ndarray]:
        """The points of new samples in the kept views, where these are present, and of which samples nothing is known."""
        arrays, there = new.incomplete_arrays()
        views, present = self._chosen(self._in_units(arrays), there)
        points = self._measure(views, present, self._sample_points)
        where = None if present is None else present[:, self._kept]
        measures = [self._measure.representations[v] for v in self._kept]
        unknown = nothing_known(measures, [views[v] for v in self._kept], where)
        return [points[v] for v in self._kept], where, unknown

    def _warn(self) -> None:
        """Say what the result cannot be relied on for."""
        choice = self.choice_
        if self.stopped_ is not None:
            problem = (
                f"AutoFusion was stopped by max_time={self.max_time:g} seconds: it chose among "
                f"{counted(len(choice.candidates), 'candidate')}."
            )
            warn(ConvergenceWarning(problem, parameter="max_time", value=self.max_time))
        warn_of_verdict(self.verdict_, self.n_clusters)
        best = max(choice.mean_agreement().values())
        if self.verdict_.supported and len(choice.candidates) > 1 and best < _UNSTABLE:
            problem = (
                f"{len(choice.candidates)} ways to cluster these data disagree: the best agrees with the others by a mean "
                f"adjusted Rand index of {best:.2f}."
            )
            hint = "Do not rely on these clusters; see choice_, and try other numbers of clusters."
            warn(UnstableClustersWarning(problem, hint=hint, parameter="n_clusters", value=self.n_clusters))


def _check_present_somewhere(present: np.ndarray | None, views: Views) -> None:
    nowhere = np.flatnonzero(~present.any(axis=1)) if present is not None else np.array([], dtype=int)
    if nowhere.size:
        raise ViewsError(
            f"The sample in {views.sample_name(int(nowhere[0]))} is missing from every view that is not constant.",
            hint="Remove this sample.",
        )
