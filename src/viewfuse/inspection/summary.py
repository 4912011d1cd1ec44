"""The record of a fit. ``summarise`` reads the fitted model once; everything else reads the record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, is_dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from .._utils.checksum import checksum
from .._utils.device import to_host
from .._utils.extras import require
from .._utils.text import count
from .._utils.version import versions
from ..cluster.verdict import judge_by_neighbors
from ..exceptions import ViewsError
from ..linalg.sparse_cut import spectrum
from ..views import Views
from .agreement import Agreement, Confusion, agreement, confusion
from .border import BorderSample, border_samples
from .features import Cluster, describe_clusters
from .graphs import FusedGraph, SavedGraph
from .layouts import drawn_samples, sorted_by_cluster
from .missing import absent_samples
from .neighbor_map import neighbor_map
from .neighborhoods import (
    Neighborhoods,
    has_relations,
    nearest_rows,
    nearest_samples,
    neighborhoods_of_embedding,
    neighborhoods_of_views,
    samples_of,
)
from .parameters import recorded
from .values import DrawnFeatures, drawn_features

if TYPE_CHECKING:
    import networkx
    from pandas import Series

__all__ = ["FitSummary", "as_summary", "summarise"]

_MAX_IN_GRAPH = 400
_MAX_DRAWN = 5000
_MAX_MAPPED = 50_000
_MAX_JUDGED = 2000
_EXTRA_EIGENVALUES = 10
_SINGLE_VIEW_ITERATIONS = 250  # of the map of a view alone


@dataclass(frozen=True, eq=False)
class FitSummary:
    """Everything known about a fit. The report, the plots, the files and the command line are made from it.

    :func:`summarise` makes it from a fitted estimator and :func:`viewfuse.io.load_results` from a file. Expensive parts
    are computed on first access and then kept. Parts that need the data are None (or empty) without ``views``.

    Attributes
    ----------
    method : str
        Name of the estimator.
    params : dict
        Its parameters. Values that are not Python literals are given as source text.
    versions : dict
        Versions of viewfuse, Python, NumPy, SciPy and scikit-learn, and the system.
    view_names : tuple of str
    sample_ids : (n_samples,) array or None
    id_name : str or None
        The name of the ids in the data.
    known_labels : (n_samples,) array of str, or None
        Labels that came with the data. The fit does not use them.
    view_weights : (n_views,) array, or None if the method does not weight the views
    noise_views : tuple of str
        Views in which the clusters are not visible.
    n_iter : int, or None if the method does not iterate
    converged : bool, or None if the method does not iterate
    stopped : str or None
        What stopped the fit early, ``"callback"`` or ``"max_time"``.
    notes : tuple of str
        What viewfuse warned of when the data was read and in the fit, and what else a reader should know.
    history : dict of arrays
        One value per iteration: ``"objective"``, ``"change"``, ``"weights"``, as far as the method records them.
    own_verdict : dict or None
        The verdict of the fit itself, in plain values (:meth:`Verdict.as_dict`); None if the method gives none.
    counts : dict or None
        Numbers of clusters that were considered, and their scores; None if the number was given.
    choice : dict or None
        What AutoFusion chose and why, in plain values (:meth:`AutoChoice.as_dict`); None for other methods.
    max_drawn : int
        The most samples that have a place on a map.
    saved : dict
        Parts that a file of results holds, by name, so that they need no data.
    views : Views or None
        The data.
    """

    method: str
    params: dict[str, Any]
    versions: dict[str, str]
    view_names: tuple[str, ...]
    results: dict[str, Any] = field(repr=False)  # labels, confidence, embedding: on any device, perhaps not computed yet
    graph: FusedGraph | SavedGraph | None = field(default=None, repr=False)
    sample_ids: np.ndarray | None = field(default=None, repr=False)
    id_name: str | None = None
    known_labels: np.ndarray | None = field(default=None, repr=False)
    view_weights: np.ndarray | None = None
    noise_views: tuple[str, ...] = ()
    n_iter: int | None = None
    converged: bool | None = None
    stopped: str | None = None
    notes: tuple[str, ...] = ()
    history: dict[str, np.ndarray] = field(default_factory=dict, repr=False)
    own_verdict: dict[str, Any] | None = field(default=None, repr=False)
    counts: dict[str, Any] | None = field(default=None, repr=False)
    choice: dict[str, Any] | None = field(default=None, repr=False)
    max_drawn: int = _MAX_DRAWN
    saved: dict[str, Any] = field(default_factory=dict, repr=False)
    views: Views | None = field(default=None, repr=False)

    def with_views(self, views: Any) -> FitSummary:
        """The same record with the data: its ids, its known labels and its names of the views."""
        views = views if isinstance(views, Views) else Views(views)
        for name, values in self.results.items():
            if values is not None:
                _check_length(f"{name}_", values, len(views))
        if self.view_names and len(self.view_names) != views.n_views:
            raise ViewsError(
                f"The model was fitted on {count(len(self.view_names), 'view')}, but there are {views.n_views} here.",
                hint="Pass the views that the model was fitted on.",
                parameter="views",
            )
        renamed = dict(zip(self.view_names, views.names, strict=False))
        return replace(
            self,
            saved={},
            views=views,
            view_names=views.names,
            noise_views=tuple(renamed.get(name, name) for name in self.noise_views),
            choice=_with_renamed_views(self.choice, renamed),
            notes=tuple(dict.fromkeys([*views.notes, *self.notes])),
            sample_ids=None if views.ids is None else _plain_ids(views.ids),
            id_name=views.id_name,
            known_labels=None if views.y is None else np.asarray([str(label) for label in views.y]),
        )

    @cached_property
    def labels(self) -> np.ndarray:
        """(n_samples,) cluster of each sample."""
        return to_host(self.results["labels"])

    @cached_property
    def confidence(self) -> np.ndarray | None:
        """(n_samples,) confidence of each assignment, from 0 to 1; None if the method has none."""
        return self._host("confidence")

    @cached_property
    def embedding(self) -> np.ndarray | None:
        """(n_samples, n_components) embedding; None if the method has none."""
        return self._host("embedding")

    @cached_property
    def outlier_score(self) -> np.ndarray | None:
        """(n_samples,) how unlike all clusters each sample is; None if the method has none."""
        return self._host("outlier_score")

    def _host(self, name: str) -> np.ndarray | None:
        values = self.results.get(name)
        return None if values is None else to_host(values)

    @cached_property
    def verdict(self) -> dict[str, Any] | None:
        """Whether the clusters are real: ``"supported"``, ``"stable"``, ``"null_ratio"``, ``"returned"``, ``"sentence"``.

        It is the verdict of the fit or, if the method gives none, that on the neighbour graphs of the data. Without the data
        that is None.
        """
        given = self.params.get("affinity") == "precomputed"
        if self.own_verdict is not None or self.views is None or given or has_relations(self.views):
            return self.own_verdict
        rows = drawn_samples(self.labels, _MAX_JUDGED)
        labels = np.unique(self.labels[rows], return_inverse=True)[1]
        samples = samples_of(self.views, rows)
        return judge_by_neighbors(samples, labels, self.n_clusters, np.random.RandomState(0)).as_dict()

    @property
    def n_samples(self) -> int:
        return len(self.labels)

    @cached_property
    def sizes(self) -> dict[int, int]:
        """Number of samples in each cluster, by label."""
        clusters, sizes = np.unique(self.labels, return_counts=True)
        return {int(cluster): int(size) for cluster, size in zip(clusters, sizes, strict=True)}

    @property
    def n_clusters(self) -> int:
        """Number of clusters that have samples."""
        return len(self.sizes)

    @cached_property
    def sample_names(self) -> list[str]:
        """The ids as text; without ids, ``"row 0"``, ``"row 1"``, …"""
        if self.sample_ids is None:
            return [f"row {row}" for row in range(self.n_samples)]
        return [str(i) for i in self.sample_ids]

    @property
    def n_features(self) -> tuple[int, ...] | None:
        """Number of features of each view; None without the data."""
        if self.views is None:
            return self.saved.get("n_features")
        return tuple(int(array.shape[1]) for array in self.views.arrays)

    @property
    def n_dropped(self) -> int:
        """Number of samples that were left out when the data was read, because some view does not have them."""
        return int(self.saved.get("n_dropped", 0) if self.views is None else self.views.n_dropped)

    @cached_property
    def n_missing(self) -> dict[str, int]:
        """For each view, the number of samples that it does not have; empty without the data."""
        if self.views is None:
            return dict(self.saved.get("n_missing", {}))
        return {name: absent_samples(self.views, v) for v, name in enumerate(self.views.names)}

    @property
    def own_weights(self) -> tuple[float, ...] | None:
        """The factor or the weight that the user gave to each view; None if there were none."""
        given = self.params.get("fixed_view_weights") or self.params.get("view_weights")
        if given is None:
            return None
        if isinstance(given, Mapping):
            return tuple(float(given.get(name, 1.0)) for name in self.view_names)
        return tuple(map(float, given))

    @property
    def tol(self) -> float:
        """The tolerance of the stopping rule; 0 if the method has none."""
        return float(self.params.get("tol") or 0)

    @cached_property
    def relative_changes(self) -> np.ndarray | None:
        """Relative change in each iteration: of the consensus graph or, if only this is recorded, of the objective."""
        if "change" in self.history:
            return np.asarray(self.history["change"], dtype=float)
        objective = np.asarray(self.history.get("objective", ()), dtype=float)
        if len(objective) < 2:
            return None
        return np.abs(np.diff(objective)) / np.maximum(np.abs(objective[:-1]), np.finfo(float).tiny)

    @cached_property
    def layout_rows(self) -> np.ndarray:
        """Sorted positions of the samples that have a place on the maps, at most ``max_drawn``."""
        return drawn_samples(self.labels, self.max_drawn)

    @cached_property
    def mapped_rows(self) -> np.ndarray:
        """Sorted positions of the samples whose neighbour graphs are made: ``layout_rows``, or 50,000 of them."""
        return self.layout_rows[drawn_samples(self.labels[self.layout_rows], _MAX_MAPPED)]

    @cached_property
    def graph_rows(self) -> np.ndarray:
        """Positions of the samples whose graphs are drawn, at most 400 of ``mapped_rows``, sorted by cluster."""
        return self.mapped_rows[self._graph_places]

    @cached_property
    def _graph_places(self) -> np.ndarray:
        """The places of ``graph_rows`` in ``mapped_rows``."""
        labels = self.labels[self.mapped_rows]
        return sorted_by_cluster(labels, drawn_samples(labels, _MAX_IN_GRAPH))

    @cached_property
    def consensus_graph(self) -> np.ndarray | None:
        """Edge weights of the consensus graph, after the cut, among ``graph_rows``; None if the method has no such graph."""
        return None if self.graph is None else self.graph.among(self.graph_rows)

    @cached_property
    def neighborhoods(self) -> Neighborhoods | None:
        """The neighbour graphs of ``mapped_rows`` before any cut; for want of the data, of the embedding."""
        if self.views is not None:
            return neighborhoods_of_views(
                self.views,
                self.mapped_rows,
                used=self._used_views,
                weights=self.view_weights if self.choice is None else None,
                precomputed=self.params.get("affinity") == "precomputed",
            )
        if "neighborhoods" in self.saved:
            return self.saved["neighborhoods"]
        return None if self.embedding is None else neighborhoods_of_embedding(self.embedding[self.mapped_rows])

    @property
    def _used_views(self) -> list[int]:
        """Positions of the views that the fit used: those with a weight that are not noise, or all if there are none."""
        weights = np.ones(len(self.view_names)) if self.view_weights is None else self.view_weights
        used = [v for v, name in enumerate(self.view_names) if weights[v] > 0 and name not in self.noise_views]
        return used or list(range(len(self.view_names)))

    @cached_property
    def spectrum(self) -> np.ndarray | None:
        """The ``n_clusters + 10`` smallest eigenvalues of the normalized Laplacian of the graph before the cut.

        A gap after the k-th eigenvalue supports k clusters. Without the data, they are those of the consensus graph, whose
        gap the cut itself has made (``spectrum_is_before_cut`` is False).
        """
        count = self.n_clusters + _EXTRA_EIGENVALUES
        if self.spectrum_is_before_cut and self.neighborhoods is not None:
            found = spectrum(self.neighborhoods.fused, count, random_state=np.random.RandomState(0))
            return np.maximum(found.values, 0)
        return self.consensus_spectrum

    @cached_property
    def consensus_spectrum(self) -> np.ndarray | None:
        """The same eigenvalues of the consensus graph, after the cut; None if the method has no such graph."""
        return None if self.graph is None else self.graph.spectrum(self.n_clusters + _EXTRA_EIGENVALUES)

    @property
    def spectrum_is_before_cut(self) -> bool:
        """Whether ``spectrum`` is that of the graph before the cut."""
        return self.neighborhoods is not None and self.neighborhoods.before_cut

    @cached_property
    def fused_graph(self) -> np.ndarray | None:
        """Edges and shared neighbours of ``graph_rows`` in the joint graph before the cut; None without the data."""
        near = self.neighborhoods
        return near.shared(near.fused, self._graph_places) if near is not None and near.before_cut else None

    @cached_property
    def view_graphs(self) -> dict[str, np.ndarray]:
        """For each view, edges and shared neighbours of ``graph_rows`` in this view only; empty without the data."""
        near = self.neighborhoods
        return {} if near is None else {name: near.shared(graph, self._graph_places) for name, graph in near.views.items()}

    @cached_property
    def agreement(self) -> Agreement | None:
        """Agreement of the single-view clusterings; None without the data, and for one cluster."""
        if self.views is None:
            return self.saved.get("agreement")
        if self.neighborhoods is None or self.n_clusters < 2:
            return None
        return agreement(self.labels[self.mapped_rows], self.neighborhoods.views)

    @cached_property
    def layouts(self) -> dict[str, np.ndarray]:
        """2-D positions of ``layout_rows`` by the name of the layout; empty if there is neither data nor an embedding.

        The first is the map of the joint graph before the cut (:mod:`viewfuse.inspection.neighbor_map`); then come the map
        of each view alone and the principal plane. Of more than 50,000 samples, 50,000 are mapped, the others are put among
        their neighbours, and there are no maps of single views.
        """
        near = self.neighborhoods
        if near is None:
            return {}
        found = {"all views" if near.before_cut else "embedding": neighbor_map(near.fused)}
        all_mapped = len(self.mapped_rows) == len(self.layout_rows)
        if all_mapped and len(near.views) > 1:
            found |= {
                f"{name} alone": neighbor_map(graph, n_iter=_SINGLE_VIEW_ITERATIONS) for name, graph in near.views.items()
            }
        if near.plane is not None:
            found["principal plane"] = near.plane
        return found if all_mapped else {name: self._placed(points) for name, points in found.items()}

    def _placed(self, points: np.ndarray) -> np.ndarray:
        """Places of ``layout_rows``: of those that are not mapped, the mean of their nearest mapped samples."""
        placed = np.empty((len(self.layout_rows), 2))
        placed[np.searchsorted(self.layout_rows, self.mapped_rows)] = points
        rest = np.setdiff1d(self.layout_rows, self.mapped_rows, assume_unique=True)
        placed[np.searchsorted(self.layout_rows, rest)] = points[self._nearest_mapped[0]].mean(axis=1)
        return placed

    def graphs_of_all(self) -> tuple[sp.csr_array, sp.csr_array]:
        """The neighbour graph of all samples before the cut: edge weights and distances, (n, n) each.

        Of more than 50,000 samples it is that of 50,000, and each other sample has edges to its three nearest of these.
        Without the data it is the graph of the embedding, and without that it has no edges.
        """
        n = self.n_samples
        whole = self if len(self.mapped_rows) == n else replace(self, max_drawn=n, saved={})
        near = whole.neighborhoods
        if near is None:
            return sp.csr_array((n, n)), sp.csr_array((n, n))
        if len(whole.mapped_rows) == n:
            return near.fused, near.distances()
        mapped, rest = whole.mapped_rows, np.setdiff1d(np.arange(n), whole.mapped_rows, assume_unique=True)
        place, distance = whole._nearest_mapped
        distance = np.maximum(distance, 1e-12)  # an edge of length 0 would vanish
        ends = np.repeat(rest, place.shape[1]), mapped[place.ravel()]

        def joined(graph: sp.csr_array, values: np.ndarray) -> sp.csr_array:
            edges = graph.tocoo()
            data = np.concatenate([edges.data, values.ravel(), values.ravel()])
            first = np.concatenate([mapped[edges.row], ends[0], ends[1]])
            second = np.concatenate([mapped[edges.col], ends[1], ends[0]])
            return sp.csr_array((data, (first, second)), shape=(n, n))

        weights = np.exp(-((distance / distance[:, -1:]) ** 2))
        return joined(near.fused, weights), joined(near.distances(), distance)

    @cached_property
    def _nearest_mapped(self) -> tuple[np.ndarray, np.ndarray]:
        """Of the samples that are not mapped, the places of the nearest mapped samples, and the distances to them."""
        rest = np.setdiff1d(self.layout_rows, self.mapped_rows, assume_unique=True)
        if self.views is None:
            return nearest_rows(np.asarray(self.embedding), self.mapped_rows, rest)
        return nearest_samples(self.views, self.mapped_rows, rest, used=self._used_views)

    @cached_property
    def clusters(self) -> tuple[Cluster, ...]:
        """Size, confidence, separation, typical samples and distinguishing features of each cluster."""
        if self.views is None and "clusters" in self.saved:
            return self.saved["clusters"]
        returned = None if self.verdict is None else self.verdict["returned"]
        return describe_clusters(
            self.labels,
            self.views,
            confidence=self._confidence_between_clusters,
            returned=None if returned is None else np.array(returned, dtype=float),
            neighborhoods=self.neighborhoods if self.spectrum_is_before_cut else None,
            rows=self.mapped_rows,
            names=self.sample_names,
        )

    @cached_property
    def drawn_features(self) -> DrawnFeatures | None:
        """Values of features of ``layout_rows``, for comparisons on the page; None without the data."""
        if self.views is None:
            return self.saved.get("drawn_features")
        return drawn_features(self.views, self.layout_rows, self.labels[self.layout_rows])

    @cached_property
    def border_samples(self) -> tuple[BorderSample, ...]:
        """The 15 samples with the lowest confidence."""
        confidence = self._confidence_between_clusters
        if confidence is None:
            return ()
        return border_samples(self.labels, confidence, self.embedding, self.sample_names)

    @property
    def _confidence_between_clusters(self) -> np.ndarray | None:
        """The confidence; None for one cluster, because confidence compares clusters."""
        return self.confidence if self.n_clusters > 1 else None

    @cached_property
    def confusion(self) -> Confusion | None:
        """Scores and counts against the known labels; None if there are none."""
        return None if self.known_labels is None else confusion(self.known_labels, self.labels)

    @property
    def scores(self) -> dict[str, float] | None:
        """Every score of :func:`viewfuse.metrics.evaluate` against the known labels; None if there are none."""
        return None if self.confusion is None else self.confusion.scores

    @property
    def table_columns(self) -> list[dict[str, Any]]:
        """What was done to each column of tables (:meth:`Encoding.rows`); empty without tables, and without the data."""
        if self.views is None:
            return list(self.saved.get("table_columns", []))
        encoding = None if self.views.tables is None else self.views.encoding
        return [] if encoding is None else encoding.rows()

    def to_series(self) -> Series:
        """The clusters as a pandas Series called ``cluster``, with the ids of the samples as index."""
        return require("pandas").Series(self.labels, index=self.sample_ids, name="cluster")

    def to_networkx(self) -> networkx.Graph:
        """The neighbour graph of the samples before the cut, as a networkx Graph.

        Nodes are ids, or rows without ids, with the attributes ``cluster`` and, if there is one, ``confidence``; edges
        have a ``weight``. Without the data the graph is that of the embedding. It has at most ``max_drawn`` samples.
        """
        if self.neighborhoods is None:
            raise ViewsError(
                "There is neither data nor an embedding, so there is no graph.",
                hint="Pass the views that the model was fitted on to summarise.",
                parameter="views",
            )
        rows = self.mapped_rows
        names = (rows if self.sample_ids is None else self.sample_ids[rows]).tolist()
        graph = require("networkx").Graph()
        for name, row in zip(names, rows, strict=True):
            facts = {"cluster": int(self.labels[row])}
            graph.add_node(
                name, **facts if self.confidence is None else {**facts, "confidence": float(self.confidence[row])}
            )
        edges = sp.triu(self.neighborhoods.fused, k=1).tocoo()
        graph.add_weighted_edges_from(
            (names[i], names[j], float(weight)) for i, j, weight in zip(edges.row, edges.col, edges.data, strict=True)
        )
        return graph

    @cached_property
    def checksums(self) -> dict[str, str]:
        """SHA-256 of the values of each view; empty without the data."""
        if self.views is None:
            return dict(self.saved.get("checksums", {}))
        return dict(zip(self.views.names, map(checksum, self.views.arrays), strict=True))


def summarise(model: Any, views: Any = None) -> FitSummary:
    """Collect everything known about a fit in one record.

    Parameters
    ----------
    model : fitted estimator
        Only ``labels_`` is required.
    views : Views, or anything that ``Views`` accepts, optional
        The data that the model was fitted on. Without it the record has no ids, no known labels, no distinguishing
        features, no single-view graphs and no checksums.

    Returns
    -------
    FitSummary

    Examples
    --------
    >>> import viewfuse as vf
    >>> views = vf.datasets.make_views(n_samples=60, random_state=0)
    >>> fit = vf.summarise(vf.GFSC(n_clusters=3, random_state=0).fit(views), views)
    >>> fit.method, fit.n_clusters, sum(fit.sizes.values()), fit.converged
    ('GFSC', 3, 60, True)
    """
    if not hasattr(model, "labels_"):
        raise NotFittedError(f"This {type(model).__name__} is not fitted: it has no labels_. Call fit first.")
    weights = getattr(model, "view_weights_", None)
    n_iter = getattr(model, "n_iter_", None)
    converged = getattr(model, "converged_", None)
    history = getattr(model, "history_", None)
    traces = {name: np.asarray(trace) for name, trace in history.items()} if isinstance(history, dict) else {}
    summary = FitSummary(
        method=type(model).__name__,
        params=recorded(model.get_params() if hasattr(model, "get_params") else {}),
        versions=versions(),
        view_names=tuple(str(name) for name in getattr(model, "view_names_", ())),
        results={name: getattr(model, f"{name}_", None) for name in ("labels", "confidence", "embedding", "outlier_score")},
        graph=_fused_graph(model),
        view_weights=None if weights is None else to_host(weights),
        noise_views=tuple(str(name) for name in getattr(model, "noise_views_", ())),
        n_iter=None if n_iter is None else int(n_iter),
        converged=None if converged is None else bool(converged),
        stopped=getattr(model, "stopped_", None),
        notes=tuple(str(one) for one in getattr(model, "notes_", ())),
        history={name: trace for name, trace in traces.items() if trace.dtype != object},
        own_verdict=model.verdict_.as_dict() if hasattr(model, "verdict_") else None,
        counts=_counts(model),
        choice=model.choice_.as_dict() if hasattr(model, "choice_") else None,
    )
    return summary if views is None else summary.with_views(views)


def as_summary(fit: Any, views: Any = None) -> FitSummary:
    """The record itself, or that of a fitted estimator; with the data if ``views`` are given."""
    if not isinstance(fit, FitSummary):
        return summarise(fit, views)
    return fit if views is None or views is fit.views else fit.with_views(views)


def _fused_graph(model: Any) -> FusedGraph | None:
    # The anchor graph comes first: an anchor method computes affinity_matrix_, n × n, on access.
    weights = getattr(model, "anchor_graph_", None)
    if weights is not None:
        return FusedGraph(weights, to_anchors=True)
    weights = getattr(model, "affinity_matrix_", None)
    if weights is None or weights.shape[0] != len(model.labels_):  # AutoFusion's graph is of 5,000 samples at most
        return None
    return FusedGraph(weights, to_anchors=False)


def _counts(model: Any) -> dict[str, Any] | None:
    """The numbers of clusters that were considered and their scores, in plain values."""
    found = getattr(model, "cluster_counts_", None)
    if not is_dataclass(found):
        return None
    plain = (np.ndarray, np.generic, tuple, float, int, bool)
    return {name: _plain(value) for name, value in vars(found).items() if isinstance(value, plain)}


def _plain(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return [int(one) for one in value] if isinstance(value, tuple) else value


def _with_renamed_views(choice: dict[str, Any] | None, renamed: dict[str, str]) -> dict[str, Any] | None:
    if choice is None:
        return None
    return {**choice, "views": [{**view, "name": renamed.get(view["name"], view["name"])} for view in choice["views"]]}


def _plain_ids(ids: np.ndarray) -> np.ndarray:
    """Ids that a file can hold without pickling: objects become text."""
    return np.array([str(i) for i in ids]) if ids.dtype.kind == "O" else ids


def _check_length(name: str, values: Any, n_samples: int) -> None:
    shape = tuple(values.shape) if hasattr(values, "shape") else np.shape(values)
    expected = (n_samples, *shape[1:]) if name == "embedding_" else (n_samples,)
    if shape != expected:
        raise ViewsError(
            f"{name} has shape {shape}, but there are {n_samples} samples in the views.",
            hint="Pass the views that the model was fitted on.",
            parameter="views",
        )
