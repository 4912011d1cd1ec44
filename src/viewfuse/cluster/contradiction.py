"""Views whose own clusters contradict the result.

If the rows of a view are in another order than those of the others, or some of its rows are damaged, no message of a reader
can say so, and a clustering of all views still looks plausible. But clear clusters of that view are then not those of the
result. A view has *clear* clusters if its own neighbour graph nearly falls apart into them: the relative eigengap after the
k-th eigenvalue is above 0.6, none is small, and a cloud with the same covariances has nothing like it. They *contradict*
the result if neither tells much about the other: with the entropies of the two partitions, ``H(own | result) / H(own)`` and
``H(result | own) / H(result)`` are both above 0.8. Clusters that divide or join those of the result do not contradict it,
nor do views of which each sees only some of the borders, since the result then tells the clusters of all of them.

A view whose clusters are not clear may still have a *structure*: eigenvalues well below those of the cloud. If it tells
nothing about any other view (:mod:`viewfuse.cluster.relatedness`), its rows may be in another order too.

Half of the samples are looked at first, if they are many, with lower bounds. If nothing comes near a contradiction, and each
view is certainly related to another one, that was all.

Only columns of numbers count, unless a view has many columns: every category is a clear partition, and most have nothing to
do with the clusters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, combinations, product
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import paired_distances

from .._utils.device import to_host
from .._utils.warn import note, warn
from ..exceptions import ContradictingViewWarning
from ..graphs import Samples
from ..graphs.relations import undirected
from ..graphs.representation import represent, sparse_if_mostly_zero
from ..linalg.sparse_cut import quick_cut, spectrum
from ..linalg.threads import threads_for, together
from ..views import RELATIONS, Views
from .auto.canonical import in_unit, unit
from .relatedness import NearPairs, are_certainly_related, are_nearer, are_related
from .structure import modularity, null_spectra, ratio_to_null

__all__ = ["OwnClusters", "contradiction", "warn_of_contradictions"]

_CONTRADICTS = 0.8  # of both entropies
_CLEAR_GAP = 0.6
_NULL_RATIO = 0.3
_STRUCTURED = 0.6  # of the eigenvalues without clusters
_RANDOM_GRAPHS = 3
_MOST_CLUSTERS = 10
_SMALLEST = 0.25  # of the mean size
# In a first look; many clusters of few samples are never quite independent.
_MAY_CONTRADICT_RESULT = 0.6
_MAY_CONTRADICT, _GAP_OF_BOTH = 0.7, 0.5
_FEWEST_SAMPLES = 40
_MANY_COLUMNS = 50
_MOST_IN_GRAPH = 5_000
_MOST_EDGES = 1_500  # whose ends are looked at in another view
_GAP_OF_GRAPH, _MODULARITY = 0.3, 0.3
_FEW_VALUES = 10  # a column with fewer different values is like a category


@dataclass(frozen=True)
class _Look:
    """How closely views of features are looked at: at so many samples at most, for cuts with at least this gap."""

    samples: int
    gap: float
    number_type: type[np.floating[Any]]


_FIRST_LOOK = _Look(160, 0.3, np.float32)
_FULL_LOOK = _Look(300, _CLEAR_GAP, np.float64)


def warn_of_contradictions(
    views: Views, arrays: Sequence[Any], present: np.ndarray | None, labels: Any, *, counted: bool
) -> None:
    """Warn of views with clear clusters that contradict these of the fit, or each other; note views that tell nothing.

    If the user has given the number of clusters, the result may combine the clusters of two views on purpose. If the number
    was ``counted``, nothing says so.
    """
    labels = np.asarray(to_host(labels))
    if views.n_views < 2:
        return
    if _is_harmless(views, arrays, present, labels):
        return
    looked_at = _looked_at(views, arrays, present, _FULL_LOOK)
    own = {v: clusters for v, (clusters, _) in looked_at.items() if clusters is not None and clusters.cuts}
    against = [v for v, clusters in own.items() if clusters.contradict(labels)]
    for v in against:
        warn(
            ContradictingViewWarning(
                f"View {views.names[v]!r} has {own[v].n_clear} clear clusters of its own, which have nothing to do "
                "with those of the result. Either it shows something else than the other views, or its rows are in another "
                "order, or some of its values are damaged.",
                hint="Check the order of its rows and its ids; leave it out if it shows something else.",
                view=views.names[v],
            )
        )
    opposed = [
        (u, v) for u, v in combinations([v for v in own if v not in against], 2) if own[u].contradict_each_other(own[v])
    ]
    for u, v in opposed:
        what = (
            f"Views {views.names[u]!r} and {views.names[v]!r} have clear clusters that have nothing to do with each "
            "other, and the result combines them. If both should show the same clusters, the rows of one are in another "
            "order."
        )
        if counted:
            hint = "Check the order of their rows and their ids. If they are meant to be combined, give n_clusters."
            warn(ContradictingViewWarning(what, hint=hint, view=views.names[v]))
        else:
            note(what)
    edges_tell = partial(_edges_tell, views, arrays, present)
    _tell_of_unrelated(views, looked_at, {*against, *chain.from_iterable(opposed)}, edges_tell)


def _is_harmless(views: Views, arrays: Sequence[Any], present: np.ndarray | None, labels: np.ndarray) -> bool:
    """Whether a first look at few of the samples finds nothing that needs a closer one. It takes a third of the time."""
    if len(views) < 2 * _FIRST_LOOK.samples or "graph" in views.kinds:
        return False
    looked_at = _looked_at(views, arrays, present, _FIRST_LOOK)
    if len(looked_at) < max(2, len(_features_in_memory(views, arrays))):
        return False
    near = [pairs for _, pairs in looked_at.values()]
    if not all(any(are_certainly_related(one, other) for other in near if other is not one) for one in near):
        return False
    own = [clusters for clusters, _ in looked_at.values() if clusters is not None and clusters.cuts]
    return not (
        any(clusters.could_contradict(labels, _MAY_CONTRADICT_RESULT) for clusters in own)
        or any(one.could_contradict_each_other(other, _MAY_CONTRADICT, _GAP_OF_BOTH) for one, other in combinations(own, 2))
    )


def _tell_of_unrelated(
    views: Views, looked_at: dict[int, LookedAt], known: set[int], edges_tell: Callable[[int, int], bool]
) -> None:
    """Warn of views with a structure that no other view shares; note those without. Of ``known`` ones something was said.

    Noise tells nothing about any other view either, and it has no structure. ``edges_tell`` says whether the edges of a
    graph, by position, tell anything about a view of features.
    """
    near = {v: pairs for v, (_, pairs) in looked_at.items()}

    def related(one: int, other: int) -> bool | None:
        found = are_related(near[one], near[other])
        graphs = [v for v in (one, other) if views.kinds[v] == "graph"]
        if found or len(graphs) != 1:
            return found
        features = other if graphs == [one] else one
        return True if edges_tell(graphs[0], features) else found

    found = [v for v in near if v not in known and _is_unrelated([related(v, u) for u in near if u != v])]
    if not found:
        return
    structured = [v for v in found if (own := looked_at[v][0]) is not None and own.is_structured]
    if len(structured) == 1 and len(near) == 2:
        structured = []  # the other view is noise
    what = (
        " nothing about any other view: samples that are near each other there are near in others no more often than by "
        "chance. "
    )
    if structured:
        warn(
            ContradictingViewWarning(
                f"{_tell(views, structured)}{what}There is a structure, so the rows may be in another order.",
                hint="Check the order of the rows and the ids of the views.",
                view=views.names[structured[-1]],
            )
        )
    if rest := [v for v in found if v not in structured]:
        note(f"{_tell(views, rest)}{what}Either this is noise, or the rows are in another order.")


def _tell(views: Views, some: Sequence[int]) -> str:
    names = ", ".join(repr(views.names[v]) for v in some)
    return f"View {names} tells" if len(some) == 1 else f"Views {names} tell"


def _is_unrelated(related: Sequence[bool | None]) -> bool:
    """Whether a view is related to no other, and was compared with one."""
    return not any(related) and False in related


def _edges_tell(views: Views, arrays: Sequence[Any], present: np.ndarray | None, graph: int, features: int) -> bool:
    """Whether samples that an edge connects are nearer to each other in a view than to others.

    Of the few samples that are looked at, a sparse graph may connect hardly any. So the samples are those of some edges.
    """
    edges = sp.triu(undirected(arrays[graph])).tocoo()
    known = np.ones(len(views), dtype=bool) if present is None else present[:, features]
    some = np.flatnonzero(known[edges.row] & known[edges.col])
    some = np.random.RandomState(0).permutation(some)[:_MOST_EDGES]
    if len(some) < _FEWEST_SAMPLES:
        return False
    rows, ends = np.unique([edges.row[some], edges.col[some]], return_inverse=True)
    starts, ends = ends.reshape(2, -1)
    points = _chosen_rows(arrays[features], rows)
    if _is_constant(points):
        return False
    points = _points(in_unit(points, unit(points)), views.is_encoded(features))
    others = np.roll(ends, 1)
    return are_nearer(paired_distances(points[starts], points[ends]), paired_distances(points[starts], points[others]))


def _looked_at(views: Views, arrays: Sequence[Any], present: np.ndarray | None, look: _Look) -> dict[int, LookedAt]:
    """The clusters that views have by themselves, and which samples are near each other in them."""
    found: dict[int, LookedAt] = {}
    for v in (v for v, kind in enumerate(views.kinds) if kind == "graph" and len(views) <= _MOST_IN_GRAPH):
        graph = sp.csr_array(arrays[v])
        rows = np.flatnonzero(np.asarray(abs(graph).sum(axis=1)).ravel() + np.asarray(abs(graph).sum(axis=0)).ravel())
        if len(rows) >= _FEWEST_SAMPLES:
            graph = sp.csr_array(graph[rows][:, rows])
            found[v] = OwnClusters.of_graph(graph, rows), NearPairs(rows, graph)
    features = _features_in_memory(views, arrays)

    def seen(v: int) -> LookedAt | None:
        rows = _spread(np.arange(len(views)) if present is None else np.flatnonzero(present[:, v]), look.samples)
        rows = _with_values(arrays[v], rows)
        return _looked_at_features(views, v, arrays[v], rows, look) if len(rows) >= _FEWEST_SAMPLES else None

    with threads_for(look.samples):
        each = together([partial(seen, v) for v in features])
    return found | {v: own for v, own in zip(features, each, strict=True) if own is not None}


def _looked_at_features(views: Views, v: int, array: Any, rows: np.ndarray, look: _Look) -> LookedAt | None:
    """By all columns, it is found which samples are near each other; by those of numbers, which clusters are clear."""
    some = _chosen_rows(array, rows)
    if _is_constant(some):
        return None
    some = in_unit(some, unit(some))
    numbers = _columns_of_numbers(views, v, some)
    is_encoded = views.is_encoded(v)
    graph = _graph_of_points(_points(some, is_encoded))
    near = NearPairs(rows, graph)
    if not numbers.any():
        return None, near

    def points() -> np.ndarray:
        again = _chosen_rows(array, rows)
        again = in_unit(again, unit(again))
        return _points(again if numbers.all() else again[:, numbers], is_encoded)

    return OwnClusters.of_points(points, rows, graph if numbers.all() else None, look), near


def _chosen_rows(array: Any, rows: np.ndarray) -> Any:
    some = array[rows].astype(float, copy=False)
    return sparse_if_mostly_zero(some) if some.shape[1] > _MANY_COLUMNS else some


def _graph_of_points(points: np.ndarray) -> sp.csr_array:
    return Samples((points,)).with_products().joint_graph()


@dataclass(frozen=True)
class _Cut:
    """A division of a graph into k clusters, with the eigenvalues of the graph and the gap after the k-th."""

    k: int
    gap: float
    values: np.ndarray
    labels: np.ndarray


@dataclass(frozen=True)
class OwnClusters:
    """The clusters that a view has by itself.

    Comparing with clouds takes most of the time, so it is done only if the cuts would contradict something.

    Attributes
    ----------
    rows : (n,) array of int, the samples that were looked at
    cuts : list of _Cut
    graph : (n, n) sparse array, the symmetric graph of these samples
    points : function that makes the points (n, p), whose clouds the cuts are compared with; None for a view that is a graph,
        whose cuts are clear. Most views need no such clouds, so their points are not kept.
    """

    rows: np.ndarray
    cuts: list[_Cut]
    graph: sp.csr_array
    points: Callable[[], np.ndarray] | None = None

    @classmethod
    def of_points(
        cls,
        points: Callable[[], np.ndarray],
        rows: np.ndarray,
        graph: sp.csr_array | None = None,
        look: _Look = _FULL_LOOK,
    ) -> OwnClusters:
        """The clusters of these rows, which are points, (n, p); ``graph`` is that of the points, if it is known."""
        graph = _graph_of_points(points()) if graph is None else graph
        return cls(rows, _cuts(graph, look.gap, look.number_type), graph, points)

    @classmethod
    def of_graph(cls, graph: Any, rows: np.ndarray) -> OwnClusters:
        """The clusters of a graph of these rows, which are clear if more edges than in a random graph are inside them."""
        symmetric = sp.csr_array(abs(graph))
        symmetric = sp.csr_array(symmetric + symmetric.T)
        cuts = _cuts(symmetric, _GAP_OF_GRAPH)
        return cls(rows, [cut for cut in cuts if modularity(symmetric, cut.labels) > _MODULARITY], symmetric)

    @cached_property
    def clear(self) -> np.ndarray | None:
        """Labels of the clearest clusters, (n,); None if there are none."""
        return max(self._clear_cuts, key=lambda cut: cut.gap).labels if self._clear_cuts else None

    @cached_property
    def _clear_cuts(self) -> list[_Cut]:
        if self.points is None:
            return self.cuts
        return [cut for cut in self.cuts if ratio_to_null(cut.values, self._nulls, cut.k) <= _NULL_RATIO]

    @cached_property
    def is_structured(self) -> bool:
        """Whether the graph has clusters, clear or not, that a cloud or a random graph with the same degrees has not."""
        values = spectrum(self.graph, len(self._nulls), random_state=np.random.RandomState(0)).values
        return min((ratio_to_null(values, self._nulls, k) for k in range(2, len(values))), default=1.0) <= _STRUCTURED

    @cached_property
    def _nulls(self) -> np.ndarray:
        """The eigenvalues of clouds or random graphs without clusters."""
        rng = np.random.RandomState(0)
        count = min(_MOST_CLUSTERS + 1, len(self.rows) - 1)
        if self.points is None:
            random = [spectrum(_rewired(self.graph, rng), count, random_state=rng) for _ in range(_RANDOM_GRAPHS)]
        else:
            random = [found for _, found in null_spectra(Samples((self.points(),)).compact(), count, rng)]
        return np.asarray(np.mean([found.values for found in random], axis=0))

    @property
    def n_clear(self) -> int:
        return 0 if self.clear is None else int(self.clear.max()) + 1

    def contradict(self, labels: np.ndarray) -> bool:
        """Whether the clear clusters contradict these labels of all samples, whichever numbers of them are compared."""
        if not self.could_contradict(labels, _CONTRADICTS) or self.clear is None:
            return False
        return all(contradiction(cut.labels, labels[self.rows]) > _CONTRADICTS for cut in self._clear_cuts)

    def could_contradict(self, labels: np.ndarray, least: float) -> bool:
        """Whether any of the cuts, clear or not, contradicts these labels by more than this."""
        return any(contradiction(cut.labels, labels[self.rows]) > least for cut in self.cuts)

    def contradict_each_other(self, other: OwnClusters) -> bool:
        """Whether the clear clusters of two views contradict each other, whichever numbers of them are compared.

        Of the same four clusters one view may show two pairs most clearly, and the other view other pairs.
        """
        if not self.could_contradict_each_other(other, _CONTRADICTS) or self.clear is None or other.clear is None:
            return False
        here, there = self._common(other)
        pairs = product(self._clear_cuts, other._clear_cuts)
        return all(contradiction(one.labels[here], two.labels[there]) > _CONTRADICTS for one, two in pairs)

    def could_contradict_each_other(self, other: OwnClusters, least: float, least_gap: float = 0.0) -> bool:
        """Whether any of the cuts of two views with such gaps, clear or not, contradict each other by more than this."""
        here, there = self._common(other)
        pairs = product(*([cut for cut in own.cuts if cut.gap >= least_gap] for own in (self, other)))
        return len(here) >= _FEWEST_SAMPLES and any(
            contradiction(one.labels[here], two.labels[there]) > least for one, two in pairs
        )

    def _common(self, other: OwnClusters) -> tuple[np.ndarray, np.ndarray]:
        """The places of the samples that both views were looked at for."""
        _, here, there = np.intersect1d(self.rows, other.rows, return_indices=True)
        return here, there


LookedAt = tuple[OwnClusters | None, NearPairs]


def _cuts(graph: sp.csr_array, least_gap: float, dense_type: Any = np.float64) -> list[_Cut]:
    """The cuts with a gap of at least this size in which no cluster is small."""
    n = graph.shape[0]
    count = min(_MOST_CLUSTERS + 1, n - 1)
    options: dict[str, Any] = {"dense_up_to": _FULL_LOOK.samples, "dense_type": dense_type}
    found = spectrum(graph, count, random_state=np.random.RandomState(0), **options)
    cuts = []
    for k in range(2, min(count, len(found.values))):  # a graph with values that are not finite has no spectrum
        if (gap := found.relative_gap(k)) >= least_gap:
            labels = quick_cut(found.vectors[:, :k])
            if np.bincount(labels, minlength=k).min() >= _SMALLEST * n / k:
                cuts.append(_Cut(k, gap, found.values, labels))
    return cuts


def _rewired(graph: sp.csr_array, rng: np.random.RandomState) -> sp.csr_array:
    """A random graph in which every sample has about as many edges as in this one."""
    edges = sp.triu(graph, k=1).tocoo()
    ends = rng.permutation(np.concatenate([edges.row, edges.col]))
    first, second = ends[: len(ends) // 2], ends[len(ends) // 2 :]
    random = sp.csr_array((np.ones(len(first)), (first, second)), shape=graph.shape)
    return sp.csr_array(random + random.T)


def contradiction(one: np.ndarray, other: np.ndarray) -> float:
    """How little each of two partitions tells about the other: 0 if one divides the other, 1 if they are independent.

    Labels are whole numbers of at least 0. ``1 − I / H`` is ``H(own | other) / H(own)``, with the mutual information ``I``.
    """
    entropies = _entropy(one), _entropy(other)
    shared = sum(entropies) - _entropy(one * (other.max() + 1) + other)
    return min(1 - shared / entropy if entropy > 0 else 0.0 for entropy in entropies)


def _entropy(labels: np.ndarray) -> float:
    counts = np.bincount(labels)
    shares = counts[counts > 0] / len(labels)
    return -float(shares @ np.log(shares))


def _features_in_memory(views: Views, arrays: Sequence[Any]) -> list[int]:
    """The views of features in the processor's memory."""
    return [
        v
        for v, (array, kind) in enumerate(zip(arrays, views.kinds, strict=True))
        if kind not in RELATIONS and (sp.issparse(array) or isinstance(array, np.ndarray))
    ]


def _spread(rows: np.ndarray, most: int) -> np.ndarray:
    """At most so many of these rows, at equal distances."""
    return rows[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), most)).astype(int))] if len(rows) else rows


def _with_values(array: Any, rows: np.ndarray) -> np.ndarray:
    """The rows that are neither missing nor all zeros; the latter are alike, but that makes them no cluster."""
    some = array[rows]
    if sp.issparse(some):
        return rows[np.asarray(abs(some).sum(axis=1)).ravel() > 0]
    return rows[np.isfinite(some).all(axis=1) & some.any(axis=1)]


def _is_constant(some: Any) -> bool:
    lowest, highest = some.min(axis=0), some.max(axis=0)
    return bool((lowest != highest).nnz == 0) if sp.issparse(some) else bool((lowest == highest).all())


def _points(some: Any, is_encoded: bool) -> np.ndarray:
    return represent(some, encoded=is_encoded)(some)


def _columns_of_numbers(views: Views, v: int, some: Any) -> np.ndarray:
    """Which columns count for clear clusters, bool; all, if they are many."""
    if views.kinds[v] == "categories":
        return np.zeros(some.shape[1], dtype=bool)
    if sp.issparse(some) or some.shape[1] > _MANY_COLUMNS:
        return np.ones(some.shape[1], dtype=bool)
    return np.asarray(views.number_columns(v) & [np.unique(column).size > _FEW_VALUES for column in some.T])
