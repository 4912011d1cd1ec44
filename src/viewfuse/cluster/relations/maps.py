"""How the views of a fit, and those of new samples, become features and graphs."""

from __future__ import annotations

import weakref
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..._utils.device import to_host
from ..._utils.text import count, listed
from ..._utils.warn import warn
from ...exceptions import UninformativeViewWarning, ViewsError
from ...graphs.relations import RelationPoints
from ...views import RELATIONS, Views
from ...views.matrices import take_block
from .checks import check_relations, check_semidefinite, graphs_of, silent_graphs, warn_of_silent_graphs

__all__ = ["Origin", "Prepared", "RelationIdsMixin", "RelationMap", "check_fit", "prepare"]


class Origin:
    """The views that the samples of a fit were selected from. They are not kept alive, pickled or saved."""

    def __init__(self, views: Views) -> None:
        root, places = views.selected_from()
        self.places, self._root = places, weakref.ref(root)

    def relation(self, new: Views, v: int) -> Any:
        """Relation ``v`` of new samples to those of the fit, if both were selected from the same views; else None."""
        root, places = new.selected_from()
        return take_block(root.arrays[v], places, self.places) if root is self._root() else None


@dataclass(frozen=True)
class RelationMap:
    """How views become features and graphs.

    Attributes
    ----------
    names, kinds : tuples of str, of all views
    features : tuple of int, the positions of the views that are features or become points
    points : dict of RelationPoints, of kernels and distances, by position
    graphs : tuple of int, the positions of the graphs that say something
    order : (n,) array of int, the positions of the samples of the fit in the order in which they were fitted
    ids : (n,) array of str or None, the ids of the samples of the fit in the order of the user
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    features: tuple[int, ...]
    points: dict[int, RelationPoints]
    graphs: tuple[int, ...]
    order: np.ndarray
    ids: np.ndarray | None = None

    @property
    def n_samples(self) -> int:
        """Number of samples of the fit."""
        return len(self.order)

    def of_new(self, views: Views, origin: Origin | None) -> tuple[list[Any], np.ndarray | None, list[sp.csr_array]]:
        """The features of new samples, where they are present, and their edges to the samples of the fit."""
        arrays, present = _without_relations(views, self.kinds).incomplete_arrays()
        there = np.ones((len(views), len(self.kinds)), dtype=bool) if present is None else present
        features = []
        for v in self.features:
            if v not in self.points:
                features.append(_on_host(arrays[v]))
                continue
            rows = self._relation(views, v, origin)
            if rows is None:
                raise self._not_to_training(v, views)
            features.append(self.points[v](rows[:, self.order]))
        edges = []
        for v in self.graphs:
            rows = self._relation(views, v, origin)
            if rows is None:
                warn(self._only_among_new(v))
                rows = sp.csr_array((len(views), self.n_samples))
            edges.append(sp.csr_array(_edges(rows, len(views) == self.n_samples)[:, self.order]))
        where = there[:, list(self.features)]
        return features, None if where.all() else where, edges

    def _relation(self, views: Views, v: int, origin: Origin | None) -> Any:
        found = None if origin is None else origin.relation(views, v)
        if found is not None:
            return found
        array, named = views.arrays[v], views.feature_names[v]
        if self.ids is not None and named is not None:
            return self._columns_by_id(array, [str(name) for name in named], v)
        return array if array.shape[1] == self.n_samples else None

    def _columns_by_id(self, array: Any, named: list[str], v: int) -> Any:
        """The columns of a table in the order of the fit. Raises ViewsError if one is missing."""
        assert self.ids is not None, "ids are needed to match columns"
        place = {name: position for position, name in enumerate(named)}
        absent = [one for one in self.ids.tolist() if one not in place]
        if absent:
            raise ViewsError(
                f"View {self.names[v]!r} is a {self.kinds[v]}, but has no column for {count(len(absent), 'sample')} of the "
                f"fit: {listed(absent)}.",
                hint="Give its values between new samples (rows) and all samples of the fit (columns named by their ids).",
                view=self.names[v],
            )
        positions = [place[one] for one in self.ids.tolist()]
        return sp.csr_array(array.tocsc()[:, positions]) if sp.issparse(array) else array[:, positions]

    def _not_to_training(self, v: int, views: Views) -> ViewsError:
        return ViewsError(
            f"View {self.names[v]!r} is a {self.kinds[v]}: new samples need one column for each of the {self.n_samples} "
            f"samples of the fit, but it has {views.arrays[v].shape[1]} columns.",
            hint="Give its values between new samples (rows) and the samples of the fit (columns), in the order of the fit.",
            view=self.names[v],
        )

    def _only_among_new(self, v: int) -> UninformativeViewWarning:
        return UninformativeViewWarning(
            f"View {self.names[v]!r} is a graph: only edges to the {self.n_samples} samples of the fit can be used, and it "
            "does not have one column for each of them. The new samples are taken as without edges.",
            hint="Give the edges between new samples (rows) and the samples of the fit (columns), in the order of the fit.",
            view=self.names[v],
        )


class RelationIdsMixin:
    """``relation_ids_`` of an estimator whose ``_relations`` have ids."""

    _relations: Any

    @property
    def relation_ids_(self) -> np.ndarray | None:
        """The ids of the samples of a fit with graphs, kernels or distances, (n_samples,); None without ids or relations."""
        relations = vars(self).get("_relations")
        return None if relations is None else relations.ids


@dataclass(frozen=True)
class Prepared:
    """The views of a fit, separated.

    Attributes
    ----------
    map : RelationMap
    features : list of (n, d) arrays, in the order of ``map.features``
    present : (n, number of features) array of bool or None
    graphs : list of undirected graphs, in the order of ``map.graphs``
    silent : dict of str, why graphs that are not used say nothing, by position
    encoded : tuple of bool, which features are encoded tables
    """

    map: RelationMap
    features: list[Any]
    present: np.ndarray | None
    graphs: list[sp.csr_array]
    silent: dict[int, str]
    encoded: tuple[bool, ...]


def prepare(
    views: Views,
    arrays: Sequence[Any],
    present: np.ndarray | None,
    random_state: np.random.RandomState,
    order: np.ndarray | None = None,
    left_out: Collection[int] = (),
) -> Prepared:
    """Separate the features of a fit from its graphs; graphs that say nothing are warned of.

    ``order`` holds the positions of these samples in the data of the user; by default they are in that order. The views
    at the positions in ``left_out`` are not used.
    """
    graphs = {v: graph for v, graph in graphs_of(views, arrays).items() if v not in left_out}
    silent = silent_graphs(views, graphs)
    warn_of_silent_graphs(views, silent)
    features, points = {}, {}
    for v, kind in enumerate(views.kinds):
        if kind == "graph" or v in left_out:
            continue
        if _is_constant(arrays[v], but_diagonal=kind in RELATIONS):
            warn(_constant(views, v))
            silent[v] = "is constant"
            continue
        if kind in RELATIONS:
            points[v] = RelationPoints.learn(arrays[v], kind, random_state)
            check_semidefinite(views, v, points[v].least)
        features[v] = points[v](arrays[v]) if v in points else _on_host(arrays[v])
    used = {v: graph for v, graph in graphs.items() if v not in silent}
    if not features and not used:
        named = ", ".join(repr(name) for name in views.names)
        raise ViewsError(f"No view says anything about the samples ({named}), so there is nothing to cluster.")
    there = None if present is None else present[:, list(features)]
    order = np.arange(len(views)) if order is None else order
    ids = None if views.ids is None else np.array([str(one) for one in views.ids[np.argsort(order)]], dtype=object)
    found = RelationMap(views.names, views.kinds, tuple(features), points, tuple(used), order, ids)
    where = None if there is None or there.all() else there
    encoded = tuple(views.is_encoded(v) for v in features)
    return Prepared(found, list(features.values()), where, list(used.values()), silent, encoded)


def check_fit(views: Views, arrays: Sequence[Any], present: np.ndarray | None) -> None:
    """Check that the relations of a fit hold what they are declared to hold, for every sample."""
    check_relations(views, arrays)
    for v, kind in enumerate(views.kinds):
        if kind in ("kernel", "distance") and present is not None and not present[:, v].all():
            row = int(np.flatnonzero(~present[:, v])[0])
            raise ViewsError(
                f"View {views.names[v]!r} is a {kind}, from which {views.sample_name(row)} is missing.",
                hint="Keep the complete samples: load with missing='drop', or use views[views.present.all(axis=1)].",
                view=views.names[v],
                parameter="missing",
                value=("drop",),
            )


def _constant(views: Views, v: int) -> UninformativeViewWarning:
    return UninformativeViewWarning(
        f"View {views.names[v]!r} is constant: all samples have the same values. It gets weight 0.",
        hint="Fix the view or leave it out.",
        view=views.names[v],
    )


def _is_constant(array: Any, *, but_diagonal: bool = False) -> bool:
    """Whether all rows are equal; of relations, whether each two samples have the same."""
    if but_diagonal:
        dense = np.asarray(array.toarray() if sp.issparse(array) else to_host(array))
        between = dense[0, 1] if len(dense) > 1 else 0.0
        return bool(((dense == between) | np.eye(len(dense), dtype=bool)).all())
    if sp.issparse(array):
        return bool((array.max(axis=0) != array.min(axis=0)).nnz == 0)
    return bool((to_host(array) == to_host(array)[:1]).all())


def _on_host(array: Any) -> Any:
    return array if sp.issparse(array) else to_host(array)


def _without_relations(views: Views, kinds: Sequence[str]) -> Views:
    """The same views with relations replaced by a column, as they are read separately."""
    arrays = [
        np.zeros((len(views), 1)) if kind in RELATIONS else array for array, kind in zip(views.arrays, kinds, strict=True)
    ]
    plain = Views(arrays, names=views.names, ids=views.ids, present=views.present)
    plain.feature_names = views.feature_names
    return plain


def _edges(rows: Any, may_be_loops: bool) -> sp.csr_array:
    """The edges of new samples to those of the fit; of the same samples, the self-loops are left out as in the fit."""
    edges = sp.csr_array(rows, dtype=np.float64)
    if may_be_loops and edges.shape[0] == edges.shape[1] and abs(edges - edges.T).nnz == 0:
        edges = sp.csr_array(edges - sp.diags_array(edges.diagonal()))
    return edges
