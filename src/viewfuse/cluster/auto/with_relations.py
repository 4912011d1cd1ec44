"""AutoFusion of data with graphs, kernels or distances among the views.

Kernels and distances become points (:mod:`viewfuse.graphs.relations`), which are features like any other. Features and
graphs are combined by smoothing (:mod:`viewfuse.cluster.relations.smoothing`); the clusters are those of k-means on the
smoothed points. Those of graphs alone are the likeliest blocks (:mod:`viewfuse.cluster.relations.blocks`). If no graph helps
to predict what was held out, the features are clustered as without graphs; or, if they are words and halves of the samples
then give the same clusters more often, by k-means on words weighted by their rarity, as is done where a graph helps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_random_state
from sklearn.utils.extmath import randomized_svd

from ..._utils.device import to_host
from ...graphs.nearest import default_neighbors, neighbor_graph
from ...linalg import all_clusters_taken, numbered_by_size
from ...linalg.sparse_cut import normalized_graph
from ...linalg.threads import threads_for
from ...views import RELATIONS, Views
from .._checks import check_enough_samples, solving, warn_of_verdict
from .._weights import OwnWeights
from ..counting import default_counts
from ..relations.blocks import FULL, QUICK, Blocks, spectral_rows
from ..relations.features import Coordinates
from ..relations.fused import FusedPoints
from ..relations.grouping import cluster_points
from ..relations.maps import Origin, Prepared, check_fit, prepare
from ..relations.smoothing import Plan, Tried, best_plan, count_clusters
from ..structure import Evidence, modularity
from ..verdict import Cluster, Verdict, judge
from .choice import AutoChoice, ViewChoice, agreement_of

__all__ = ["fit_relations", "placed_with_relations"]

_MOST_VOTING = 5_000  # samples among which neighbours are looked for
_N_INIT = 20
_SUPPORTED = 0.7  # null ratio of clusters that predict held-out edges
_FEW = 20_000  # samples; the steps for fewer are short, and threads would mostly wait for each other
_SPREADS = 3
_BY_CHANCE = 3.0  # standard deviations
_WORDS = "words weighted by rarity"
_NO_HELP = "does not help to predict held-out columns and edges"


def fit_relations(model: Any, views: Views, fit_features: Callable[[Views, dict[str, Any]], Any]) -> None:
    """Fit an AutoFusion on views with relations.

    Parameters
    ----------
    model : AutoFusion, whose fitted attributes are set
    views : Views
    fit_features : function that fits an AutoFusion with the same parameters, but for some, on features alone
    """
    model._validate_params()
    check_enough_samples(views, 2 if model.n_clusters == "auto" else model.n_clusters)
    rng = check_random_state(model.random_state)
    seed = int(rng.randint(2**31 - 1))
    arrays, present = views.incomplete_arrays()
    arrays = [array if sp.issparse(array) else to_host(array) for array in arrays]
    check_fit(views, arrays, present)
    order = _canonical_order(views, arrays)
    kinds = [kind if kind in RELATIONS else "features" for kind in views.kinds]  # categories are indicators already
    complete = Views(arrays, names=views.names, ids=views.ids, kinds=kinds)
    complete.encoding = views.encoding
    sorted_views = complete[order]
    there = None if present is None else present[order]
    own = OwnWeights.of(model, views.names)
    own.used(range(views.n_views))
    left_out = np.flatnonzero(own.factors == 0).tolist()
    prepared = prepare(sorted_views, list(sorted_views.arrays), there, rng, order, left_out)
    model._origin = Origin(views)
    with solving(model), threads_for(len(views), _FEW):
        tried = _tried(model, prepared, own, np.random.RandomState(seed))
        if tried is not None and tried.best.graphs:
            _fit_smoothed(model, prepared, tried, own, np.random.RandomState(seed), order)
            model._number_clusters()
    if tried is None or not tried.best.graphs:
        _fit_features_alone(model, views, prepared, own, fit_features, np.argsort(order))
        with solving(model), threads_for(len(views), _FEW):
            if _fit_words_alone(model, prepared, own, np.random.RandomState(seed), order):
                model._number_clusters()
    model._describe(views, views)
    model._relations = prepared.map


def _canonical_order(views: Views, arrays: list[Any]) -> np.ndarray:
    """The positions of the samples in an order that does not depend on the order of the rows.

    Each sample gets a number from its features, which is then spread over the relations: samples are told apart by their
    neighbours, and by the neighbours of these.
    """
    direction = np.random.RandomState(0).standard_normal(max(array.shape[1] for array in arrays))
    key = np.zeros(len(views))
    for array, kind in zip(arrays, views.kinds, strict=True):
        values = array.sum(axis=1) if kind in RELATIONS else array @ direction[: array.shape[1]]
        key += _standardised(np.asarray(values).ravel())
    for _ in range(_SPREADS):
        spread = [array @ np.sin(key) for array, kind in zip(arrays, views.kinds, strict=True) if kind in RELATIONS]
        key = key + sum(_standardised(np.asarray(values).ravel()) for values in spread)
    return np.argsort(key, kind="stable")


def _standardised(values: np.ndarray) -> np.ndarray:
    values = values / (float(np.abs(values).max(initial=0)) or 1.0)  # squares of large values overflow
    return np.asarray((values - values.mean()) / (values.std() or 1.0))


def placed_with_relations(model: Any, views: Views) -> Any:
    """Where new samples belong, of a model that was fitted on relations."""
    features, present, edges = model._relations.of_new(views, vars(model).get("_origin"))
    if model._fused is None:
        names = [model._relations.names[v] for v in model._relations.features]
        return model._placed_views(Views(features, names=names, present=present, ids=views.ids))
    unknown = model._fused.nothing_known(features, present, edges)
    return model._placed(model._fused(features, present, edges)).with_unknown(unknown)


def _tried(model: Any, prepared: Prepared, own: OwnWeights, rng: np.random.RandomState) -> Tried | None:
    """The plans of smoothing and their scores; None if there is no graph to smooth over. Sets ``n_clusters_``."""
    if not prepared.graphs:
        return None
    if model.n_clusters == "auto":
        most = int(default_counts(prepared.graphs[0].shape[0])[-1])
        model.n_clusters_ = count_clusters(prepared.features, prepared.graphs, most, rng, prepared.encoded)
    else:
        model.n_clusters_ = int(model.n_clusters)
    weights = own.factors[list(prepared.map.graphs)].tolist()
    return best_plan(prepared.features, prepared.graphs, max(model.n_clusters_, 2), rng, weights, prepared.encoded)


def _fit_features_alone(
    model: Any,
    views: Views,
    prepared: Prepared,
    own: OwnWeights,
    fit_features: Callable[[Views, dict[str, Any]], Any],
    place: np.ndarray,
) -> None:
    found = prepared.map
    names = [views.names[v] for v in found.features]
    there = None if prepared.present is None else prepared.present[place]
    plain = Views([one[place] for one in prepared.features], names=names, ids=views.ids, present=there)
    plain.encoding = None if views.encoding is None else views.encoding.of_views(found.features)
    mine = dict(zip(names, own.factors[list(found.features)].tolist(), strict=True))
    weights = {"view_weights": None if own.fixed else mine, "fixed_view_weights": mine if own.fixed else None}
    inner = fit_features(plain, weights if own.are_given else {})
    params = model.get_params(deep=False)
    vars(model).update({name: value for name, value in vars(inner).items() if name not in params})
    model._fused = None
    model.view_weights_ = np.zeros(views.n_views)
    model.view_weights_[list(found.features)] = inner.view_weights_
    by_chance = [
        v
        for v, graph in zip(found.graphs, prepared.graphs, strict=True)
        if _inside(graph, inner.labels_[np.argsort(place)])[1]
    ]
    named = [*inner.noise_views_, *(views.names[v] for v in (*by_chance, *prepared.silent))]
    model.noise_views_ = tuple(name for name in views.names if name in named)
    chosen = {choice.name: choice for choice in inner.choice_.views}
    described = tuple(chosen.get(name) or _described(prepared, v, ()) for v, name in enumerate(views.names))
    model.choice_ = replace(inner.choice_, views=described)


def _fit_smoothed(
    model: Any, prepared: Prepared, tried: Tried, own: OwnWeights, rng: np.random.RandomState, order: np.ndarray
) -> None:
    k, plans = model.n_clusters_, tried.good()
    fused, points, parts = _points_of(plans, k, prepared, own, rng)
    labels, rows = _clustered(points, k, rng)
    labels, again = _all_taken(points, labels, k), _by_points(points, k)
    graphs, weights = _graphs_of(tried.best, prepared, own)
    blocks = None
    if tried.takes_graphs_alone():
        blocks = Blocks.learn(graphs, k, rng, weights=weights, starts=[labels], effort=FULL)
    names = tuple(_plan_name(plan, prepared) for plan in plans)
    if blocks is not None:
        fused, again, plans = fused.by_blocks(tried.best, blocks), _by_blocks(graphs, weights, k, rng), (tried.best,)
        points, labels = blocks(graphs), blocks.labels
    verdict = _judge(labels[rows], k, lambda part, own_rng: again(rows[part], own_rng), tried, prepared, rows, rng)
    _set_clusters(model, prepared, plans, fused, points, labels, rows, verdict, own, rng, order)
    others = [cluster_points(part, k, rng)[0] for part in parts[1:]]
    agreement = agreement_of([labels, *others])
    described = tuple(_described(prepared, v, plans, blocks is not None) for v in range(len(prepared.map.names)))
    model.choice_ = AutoChoice(described, 0.0, names, agreement, names[0], _reason(tried, blocks is not None))
    model.history_ = {"agreement": agreement}
    warn_of_verdict(model.verdict_, model.n_clusters)


def _graphs_of(plan: Plan, prepared: Prepared, own: OwnWeights) -> tuple[list[sp.csr_array], list[float]]:
    """The graphs of a plan, and the weights that the user gives to them."""
    importance = own.factors[list(prepared.map.graphs)]
    return [prepared.graphs[g] for g in plan.graphs], [float(importance[g]) for g in plan.graphs]


def _by_points(points: np.ndarray, k: int) -> Cluster:
    """To cluster some of the samples again: k-means of their points."""
    return lambda part, rng: cluster_points(points[part], k, rng)[0]


def _by_blocks(graphs: Sequence[sp.csr_array], weights: Sequence[float], k: int, rng: np.random.RandomState) -> Cluster:
    """To cluster some of the samples again: by the edges between them, from k-means of their eigenvectors."""
    rows = list(spectral_rows(graphs, k, rng, QUICK))

    def cluster(part: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        starts = [cluster_points(points[part], k, rng)[0] for points in rows]
        inner = [sp.csr_array(graph[part][:, part]) for graph in graphs]
        return Blocks.likeliest(inner, starts, k, weights, QUICK.rounds).labels

    return cluster


def _fit_words_alone(model: Any, prepared: Prepared, own: OwnWeights, rng: np.random.RandomState, order: np.ndarray) -> bool:
    """Cluster words without a graph, after a fit of the features, if that gives clusters that come back more often."""
    returned, k = model.verdict_.evidence.returned, model.n_clusters_
    if not prepared.graphs or not prepared.features or k < 2 or returned is None:
        return False
    plans = (Plan((), 0),)
    fused, points, _ = _points_of(plans, k, prepared, own, rng)
    if not all(one.are_directions for one in fused.coordinates):
        return False
    labels, rows = _clustered(points, k, rng)
    if labels.max() + 1 < k:
        return False  # too few samples differ in their words
    evidence = model.verdict_.evidence  # of the same features
    verdict = judge(labels[rows], k, lambda share: replace(evidence, returned=share), _by_points(points[rows], k), rng)
    if verdict.evidence.returned is None or verdict.evidence.returned <= returned:
        return False
    before, choice = numbered_by_size(model.labels_[order]), model.choice_
    noise = model.noise_views_
    _set_clusters(model, prepared, plans, fused, points, labels, rows, verdict, own, rng, order)
    model.noise_views_ = noise
    agreement = agreement_of([labels, before])
    reason = f"halves of the samples give its clusters again (adjusted Rand index {verdict.evidence.returned:.2f}, " + (
        f"{choice.chosen} {returned:.2f})"
    )
    model.choice_ = AutoChoice(choice.views, 0.0, (_WORDS, choice.chosen), agreement, _WORDS, reason)
    model.history_ = {"agreement": agreement}
    return True


def _points_of(
    plans: tuple[Plan, ...], k: int, prepared: Prepared, own: OwnWeights, rng: np.random.RandomState
) -> tuple[FusedPoints, np.ndarray, list[np.ndarray]]:
    importance = own.factors[list(prepared.map.features)].tolist(), own.factors[list(prepared.map.graphs)].tolist()
    return FusedPoints.learn(
        plans, prepared.features, prepared.present, prepared.graphs, max(k, 2), importance, rng, prepared.encoded
    )


def _clustered(points: np.ndarray, k: int, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """The clusters of all points, and the positions of those that vote on new samples."""
    n = len(points)
    rows = np.arange(n) if n <= _MOST_VOTING else np.sort(rng.choice(n, _MOST_VOTING, replace=False))
    return np.asarray(numbered_by_size(cluster_points(points, k, rng, _N_INIT)[0])), rows


def _all_taken(points: np.ndarray, labels: np.ndarray, k: int) -> np.ndarray:
    """Labels of k clusters, also if fewer than k points differ; the samples farthest from their cluster's mean are moved."""
    sums = np.zeros((k, points.shape[1]))
    np.add.at(sums, labels, points)
    means = sums / np.maximum(np.bincount(labels, minlength=k), 1)[:, None]
    return np.asarray(all_clusters_taken(labels, np.sum((points - means[labels]) ** 2, axis=1), k))


def _set_clusters(
    model: Any,
    prepared: Prepared,
    plans: tuple[Plan, ...],
    fused: FusedPoints,
    points: np.ndarray,
    labels: np.ndarray,
    rows: np.ndarray,
    verdict: Verdict,
    own: OwnWeights,
    rng: np.random.RandomState,
    order: np.ndarray,
) -> None:
    """Set the fitted attributes that follow from clusters of points."""
    place, n = np.argsort(order), len(points)
    embedding = randomized_svd(points - points.mean(axis=0), min(model.n_clusters_, points.shape[1]), random_state=rng)[0]
    model.verdict_ = verdict
    model._fused, model._sample_points, model._kept = fused, [points[rows]], [0]
    model._sample_labels, model._sample_embedding = labels[rows], embedding[rows]
    model.affinity_matrix_ = neighbor_graph(points[rows])
    model._assign_all(points[rows], lambda block: points[place[block]], n, order[rows])
    _describe_views(model, prepared, labels, plans)
    model.view_weights_ = own.applied(model.view_weights_)
    model.n_iter_, model.converged_, model.stopped_ = 1, True, None


def _judge(
    labels: np.ndarray,
    k: int,
    cluster: Cluster,
    tried: Tried,
    prepared: Prepared,
    rows: np.ndarray,
    rng: np.random.RandomState,
) -> Verdict:
    """Whether the clusters are real: halves of the samples are clustered, and something must have been predicted.

    A graph has no cloud to compare with, so the null ratio is 1 − modularity, and 1 if nothing could be predicted.
    """
    graphs = [prepared.graphs[g] for g in tried.best.graphs]
    mean = sp.csr_array(sum(normalized_graph(graph) for graph in graphs))[rows][:, rows]
    ratio = min(1 - modularity(mean, labels), _SUPPORTED) if tried.says_something() else 1.0
    return judge(labels, k, lambda returned: Evidence(ratio, False, 0.0, returned), cluster, rng)


def _describe_views(model: Any, prepared: Prepared, labels: np.ndarray, plans: tuple[Plan, ...]) -> None:
    """``view_weights_`` and ``noise_views_``: how often neighbours in each view are in the same cluster."""
    found = prepared.map
    has_features = any(plan.steps is not None for plan in plans)
    used_graphs = {g for plan in plans for g in plan.graphs}
    weights, noise = np.zeros(len(found.names)), set(prepared.silent)
    for p, v in enumerate(found.features):
        share, by_chance = _inside(_nearest(prepared, p), labels)
        weights[v] = share if has_features else 0.0
        noise |= {v} if by_chance else set()
    for g, v in enumerate(found.graphs):
        share, by_chance = _inside(prepared.graphs[g], labels)
        weights[v] = share if g in used_graphs else 0.0
        noise |= {v} if by_chance else set()
    model.view_weights_ = weights / weights.sum() if weights.sum() > 0 else np.full(len(weights), 1 / len(weights))
    model.noise_views_ = tuple(found.names[v] for v in sorted(noise))


def _nearest(prepared: Prepared, p: int) -> sp.csr_array:
    """The neighbour graph of at most 5,000 samples in one feature view, among those present."""
    view = prepared.features[p]
    n = view.shape[0]
    rows = np.arange(n) if prepared.present is None else np.flatnonzero(prepared.present[:, p])
    rows = rows[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), _MOST_VOTING)).astype(int))]
    points = Coordinates.learn(view[rows], np.random.RandomState(0), encoded=prepared.encoded[p])(view[rows])
    index = NearestNeighbors(n_neighbors=default_neighbors(len(rows))).fit(points).kneighbors(return_distance=False)
    ends = np.repeat(rows, index.shape[1]), rows[index.ravel()]
    return sp.csr_array((np.ones(index.size), ends), shape=(n, n))


def _inside(graph: sp.csr_array, labels: np.ndarray) -> tuple[float, bool]:
    """Share of the edge weight inside clusters beyond chance, from 0 to 1; and whether chance explains it.

    It is the mean over samples, as the edges of one sample are not independent.
    """
    coo = graph.tocoo()
    degree = np.bincount(coo.row, coo.data, minlength=len(labels))
    same = np.bincount(coo.row, coo.data * (labels[coo.row] == labels[coo.col]), minlength=len(labels))
    connected = degree > 0
    if not connected.any():
        return 0.0, True
    inside = float(np.mean(same[connected] / degree[connected]))
    ends = np.bincount(labels[coo.col], coo.data, minlength=labels.max() + 1) / coo.data.sum()
    starts = np.bincount(labels[connected], minlength=labels.max() + 1) / connected.sum()
    chance = float(starts @ ends)
    if chance >= 1:
        return 0.0, False
    deviation = np.sqrt(chance * (1 - chance) / connected.sum())
    return max(inside - chance, 0.0) / (1 - chance), bool(inside - chance < _BY_CHANCE * deviation)


def _described(prepared: Prepared, v: int, plans: tuple[Plan, ...], by_blocks: bool = False) -> ViewChoice:
    """What became of a view, given the plans that were taken."""
    found = prepared.map
    name, kind = found.names[v], found.kinds[v]
    if v not in (*found.features, *found.graphs, *prepared.silent):
        return ViewChoice(name, kind, "weight 0", False)
    if v in prepared.silent:
        return ViewChoice(name, kind, prepared.silent[v], False)
    over = [plan.steps for plan in plans if v not in found.graphs or found.graphs.index(v) in plan.graphs]
    if not over or (v in found.features and over == [None] * len(over)):
        return ViewChoice(name, kind, _NO_HELP, False)
    if v in found.graphs:
        alone = "its edges between clusters are counted" if by_blocks else "clustered by its eigenvectors"
        return ViewChoice(name, kind, "features are smoothed over it" if any(over) else alone)
    points = {"kernel": "points with these products", "distance": "points with these distances"}
    return ViewChoice(name, kind, points.get(kind, "smoothed over the graphs"))


def _plan_name(plan: Plan, prepared: Prepared) -> str:
    names = ", ".join(prepared.map.names[prepared.map.graphs[g]] for g in plan.graphs)
    return f"{plan} over {names}" if plan.steps else f"{plan} ({names})" if plan.graphs else str(plan)


def _reason(tried: Tried, by_blocks: bool) -> str:
    alone = [score for plan, score in zip(tried.plans, tried.scores, strict=True) if not plan.graphs]
    beside = f"; features alone {alone[0]:.2f}" if alone else ""
    count = len(tried.good())
    taken = f"; the {count} best are taken side by side" if count > 1 else ""
    if by_blocks:
        taken = "; the clusters are the likeliest blocks of edges"
    return f"its clusters predict held-out columns and edges best (score {tried.scores[0]:.2f}{beside}){taken}"
