"""Which samples are drawn and where: their neighbour graphs before the cut, and the maps made from these."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from .._utils.steps import step
from ..linalg.sparse_cut import spectrum
from .facts import FitFacts
from .layouts import drawn_samples, sorted_by_cluster
from .neighbor_map import neighbor_map
from .neighborhoods import (
    Neighborhoods,
    nearest_rows,
    nearest_samples,
    neighborhoods_of_embedding,
    neighborhoods_of_views,
)

__all__ = ["FitMaps"]

_MAX_IN_GRAPH = 400
_MAX_MAPPED = 50_000
_EXTRA_EIGENVALUES = 10
_SINGLE_VIEW_ITERATIONS = 250  # of the map of a view alone


class FitMaps(FitFacts):
    """The part of :class:`FitSummary` that pictures are drawn from."""

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
        step("neighbour graphs")
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
    def layouts(self) -> dict[str, np.ndarray]:
        """2-D positions of ``layout_rows`` by the name of the layout; empty if there is neither data nor an embedding.

        The first is the map of the joint graph before the cut (:mod:`viewfuse.inspection.neighbor_map`); then come the map
        of each view alone and the principal plane. Of more than 50,000 samples, 50,000 are mapped, the others are put among
        their neighbours, and there are no maps of single views.
        """
        near = self.neighborhoods
        if near is None:
            return {}
        step("map of all views")
        found = {"all views" if near.before_cut else "embedding": neighbor_map(near.fused)}
        all_mapped = len(self.mapped_rows) == len(self.layout_rows)
        if all_mapped and len(near.views) > 1:
            for name, graph in near.views.items():
                step(f"map of {name} alone")
                found[f"{name} alone"] = neighbor_map(graph, n_iter=_SINGLE_VIEW_ITERATIONS)
        if near.plane is not None:
            found["principal plane"] = near.plane
        if all_mapped:
            return found
        step(f"placing the other {len(self.layout_rows) - len(self.mapped_rows):,} samples")
        return {name: self._placed(points) for name, points in found.items()}

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
