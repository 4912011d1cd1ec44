"""Assignment of rows, new or not, to clusters by a learned anchor model."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from array_api_compat import array_namespace

from ..._utils.device import beside, is_tensor, to_host
from ...fusion.anchor import AnchorFusion, AnchorModel, place
from ...graphs.anchors import UnitRows
from ...linalg import cluster_centres, distance_confidence, margin_confidence, nearest_centres, unit_rows
from ...linalg.threads import for_each, spans
from .clouds import Clouds, learn_clouds

__all__ = ["Placement"]

_BLOCK = 2048  # rows whose edges to the anchors fit into the cache


@dataclass(frozen=True)
class Placement:
    """Everything that is needed to assign a row to a cluster. Its size does not depend on the number of rows.

    Attributes
    ----------
    model : AnchorModel
    centres : (k, p) array, the cluster centres of the unit rows of the embedding
    profiles : (m, k) array
        ``D⁻¹`` times the mean edge weights of the samples of each cluster. The edge weights of a row times this matrix are
        its mean edge weights to the samples of each cluster, by way of the anchors.
    clouds : Clouds or None
        The rule that assigns rows, if clusters are clouds; otherwise a row belongs to the nearest centre.
    """

    model: AnchorModel
    centres: Any
    profiles: Any
    clouds: Clouds | None = None

    @classmethod
    def learned(
        cls,
        fusion: AnchorFusion,
        sample: Sequence[UnitRows],
        n_clusters: int,
        *,
        n_init: int,
        random_state: np.random.RandomState,
        refine: bool = True,
    ) -> Placement:
        """Learn the centres by k-means on the embedding of a sample of rows and, with ``refine``, the clouds around them."""
        model = fusion.model.like(sample[0].scale)
        consensus = _consensus(model, sample)
        xp = array_namespace(consensus)
        points = unit_rows(model.embed(consensus))
        centres = cluster_centres(points, n_clusters, n_init=n_init, random_state=random_state)
        labels = nearest_centres(points, centres)
        numbers = xp.arange(n_clusters, dtype=labels.dtype, device=labels.device)
        members = xp.astype(labels[:, None] == numbers[None, :], consensus.dtype)
        sizes = to_host(xp.sum(members, axis=0))
        means = to_host(members.T @ consensus) / np.maximum(sizes, 1)[:, None]
        degree = to_host(xp.sum(consensus, axis=0))
        profiles = (means / np.where(degree > 0, degree, 1)).T
        clouds = learn_clouds(sample, fusion.positions, labels, n_clusters, random_state) if refine else None
        return cls(fusion.model, to_host(centres).astype(np.float32), profiles.astype(np.float32), clouds)

    def renumbered(self, order: np.ndarray) -> Placement:
        """The same with cluster ``order[i]`` as number i."""
        clouds = None if self.clouds is None else self.clouds.renumbered(order)
        return Placement(self.model, self.centres[order], self.profiles[:, order], clouds)

    def like(self, array: Any) -> Placement:
        """The same with its matrices on the device of the array."""
        clouds = None if self.clouds is None else self.clouds.like(array)
        return Placement(self.model.like(array), beside(array, self.centres), beside(array, self.profiles), clouds)

    def assign(self, views: Sequence[UnitRows], wanted: Collection[str]) -> dict[str, Any]:
        """The wanted results for a block of b rows.

        * ``labels``, (b,) array of int
        * ``confidence``, (b,) array in [0, 1]
        * ``embedding``, (b, p) array
        * ``consensus``, (b, m) array, the edge weights to the anchors
        * ``zero``, (b, n_views) array of bool, True if the sample is present in the view and its row is all zeros

        Edges are computed only if they are needed: with clouds, labels do not need them.
        """
        found: dict[str, Any] = {}
        if self.clouds is None or not {"embedding", "consensus"}.isdisjoint(wanted):
            found["consensus"] = place(self.model, views).consensus
            found["embedding"] = self.model.embed(found["consensus"])
        if self.clouds is None:
            found["labels"], found["confidence"] = self._nearest(found["consensus"], found["embedding"])
        else:
            found["labels"], found["confidence"] = self.clouds.assign(views)
        if "zero" in wanted:
            zeros = [(view.scale == 0) & ~view.absent for view in views]
            found["zero"] = array_namespace(zeros[0]).stack(zeros, axis=1)
        return {name: found[name] for name in wanted}

    def _nearest(self, consensus: Any, embedding: Any) -> tuple[Any, Any]:
        """The cluster of the nearest centre, and a confidence for which both edges and position must support it."""
        points = unit_rows(embedding)
        labels = nearest_centres(points, self.centres)
        by_edges = margin_confidence(consensus @ self.profiles, labels)
        return labels, (by_edges * distance_confidence(points, self.centres)) ** 0.5

    def row_formats(self, n_views: int) -> dict[str, tuple[tuple[int, ...], type]]:
        """The shape per row and the type of every result of :meth:`assign`."""
        return {
            "labels": ((), np.intp),
            "confidence": ((), np.float64),
            "embedding": ((self.centres.shape[1],), np.float32),
            "consensus": ((self.model.n_anchors,), np.float32),
            "zero": ((n_views,), np.bool_),
        }

    def empty(self, n: int, n_views: int, wanted: Sequence[str]) -> list[np.ndarray]:
        """Arrays for the wanted results of ``n`` rows."""
        formats = self.row_formats(n_views)
        return [np.empty((n, *formats[name][0]), dtype=formats[name][1]) for name in wanted]


def _consensus(model: AnchorModel, views: Sequence[UnitRows]) -> Any:
    """The edge weights of all rows, block by block: those of single views are not needed."""
    if is_tensor(views[0].scale):
        return place(model, views).consensus
    found = np.empty((len(views[0]), model.n_anchors), dtype=np.float32)

    def part(rows: slice, _: object) -> tuple[int]:
        found[rows] = place(model, [view[rows] for view in views]).consensus
        return (0,)

    for_each(part, spans(len(found), _BLOCK))
    return found
