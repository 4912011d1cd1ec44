"""Relations as feature views, for methods that learn a graph per view: GFSC and GF.

A kernel or distance becomes its points. A graph becomes the other views smoothed over it (low-pass, ``GᵗX``), where the
number of steps is chosen without labels (:mod:`viewfuse.cluster.relations.smoothing`); if there are no features, its
spectrum. So every view gives one learned graph and has one weight.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...views import Views
from .checks import warn_of_noise
from .fused import FusedPoints
from .held_out import SAYS_SOMETHING
from .maps import Origin, RelationMap, check_fit, prepare
from .smoothing import Plan, best_plan

__all__ = ["RelationViews"]

_PROVISIONAL = 8  # clusters, while their number is not known


@dataclass(frozen=True)
class RelationViews:
    """A map from views with relations to feature views.

    Attributes
    ----------
    map : RelationMap
    fused : dict of FusedPoints, by the position of the graph
    silent : dict of str, why views say nothing, by position
    """

    map: RelationMap
    fused: dict[int, FusedPoints]
    silent: dict[int, str]

    @property
    def ids(self) -> np.ndarray | None:
        """The ids of the samples of the fit."""
        return self.map.ids

    @classmethod
    def learn(
        cls, views: Views, n_clusters: int | str, random_state: np.random.RandomState, left_out: Collection[int] = ()
    ) -> tuple[RelationViews, Views]:
        """The map, and the feature views of the samples of the fit; a view that says nothing is a column of zeros.

        So are the views at the positions in ``left_out``, over which nothing is smoothed and which are not smoothed.
        """
        arrays, present = views.incomplete_arrays()
        check_fit(views, arrays, present)
        prepared = prepare(views, arrays, present, random_state, left_out=left_out)
        k = _PROVISIONAL if n_clusters == "auto" else int(n_clusters)
        silent, fused = dict(prepared.silent), {}
        made = dict(zip(prepared.map.features, prepared.features, strict=True))
        if prepared.graphs:
            tried = best_plan(prepared.features, prepared.graphs, k, random_state, encoded=prepared.encoded)
            if not tried.says_something():
                warn_of_noise(k)
            by_graph, noise = (found[len(prepared.features) :] for found in (tried.parts, tried.noise))
            ones = [1.0] * len(prepared.features), [1.0]
            for g, v in enumerate(prepared.map.graphs):
                smoothed = [plan for plan in tried.plans if plan.graphs == (g,) and not plan.beside]
                if not smoothed or (prepared.features and by_graph[g] < max(SAYS_SOMETHING, noise[g])):
                    silent[v] = "does not agree with the other views"
                    continue
                fused[v], made[v], _ = FusedPoints.learn(
                    [Plan((0,), smoothed[0].steps)],
                    prepared.features,
                    prepared.present,
                    [prepared.graphs[g]],
                    k,
                    ones,
                    random_state,
                    prepared.encoded,
                )
        found = cls(prepared.map, fused, silent)
        where = None if present is None else present.copy()
        if where is not None:  # a sample without edges is where its features are
            where[:, [v for v, kind in enumerate(views.kinds) if kind == "graph"]] = True
        return found, found._as_views(views, made, where)

    def of_new(self, views: Views, origin: Origin | None) -> Views:
        """The feature views of new samples."""
        features, present, edges = self.map.of_new(views, origin)
        made = dict(zip(self.map.features, features, strict=True))
        there = np.ones((len(views), len(self.map.kinds)), dtype=bool)
        if present is not None:
            there[:, list(self.map.features)] = present
        elsewhere = there[:, list(self.map.features)].any(axis=1)
        for g, v in enumerate(self.map.graphs):
            if v in self.fused:
                made[v] = self.fused[v](features, present, [edges[g]])
                there[elsewhere & self.fused[v].nothing_known(features, present, [edges[g]]), v] = False
        return self._as_views(views, made, there)

    def _as_views(self, views: Views, made: dict[int, Any], present: np.ndarray | None) -> Views:
        arrays = [made.get(v, np.zeros((len(views), 1))) for v in range(views.n_views)]
        plain = Views(arrays, names=views.names, ids=views.ids, present=present)
        plain.feature_names = tuple(
            names if array is views.arrays[v] else None
            for v, (names, array) in enumerate(zip(views.feature_names, arrays, strict=True))
        )
        plain.encoding = views.encoding  # of its features only
        return plain
