"""Assignment of rows, new or not, to clusters by a learned anchor model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from array_api_compat import array_namespace

from ..._utils.device import beside
from ...fusion.anchor import AnchorModel, place
from ...graphs.anchors import UnitRows
from ...linalg import cluster_centres, distance_confidence, margin_confidence, nearest_centres, unit_rows

__all__ = ["Assigned", "Placement"]


@dataclass(frozen=True)
class Assigned:
    """Results for a block of b rows.

    Attributes
    ----------
    labels : (b,) array of int
    confidence : (b,) array in [0, 1]
    embedding : (b, p) array
    consensus : (b, m) array, the edge weights to the anchors
    zero : (b, n_views) array of bool, True if the sample is present in the view and its row is all zeros
    """

    labels: Any
    confidence: Any
    embedding: Any
    consensus: Any
    zero: Any


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
    """

    model: AnchorModel
    centres: Any
    profiles: Any

    @classmethod
    def learned(
        cls,
        model: AnchorModel,
        sample: Sequence[UnitRows],
        n_clusters: int,
        *,
        n_init: int,
        random_state: np.random.RandomState,
    ) -> Placement:
        """Learn the centres by k-means on the embedding of a sample of rows."""
        consensus = place(model, sample).consensus
        points = unit_rows(model.embed(consensus))
        centres = cluster_centres(points, n_clusters, n_init=n_init, random_state=random_state)
        members = np.equal.outer(np.arange(n_clusters), nearest_centres(points, centres))
        means = members.astype(np.float32) @ consensus / np.maximum(members.sum(axis=1), 1)[:, None]
        degree = consensus.sum(axis=0)
        profiles = (means / np.where(degree > 0, degree, 1)).T
        return cls(model, centres.astype(np.float32), profiles.astype(np.float32))

    def renumbered(self, order: np.ndarray) -> Placement:
        """The same with cluster ``order[i]`` as number i."""
        return Placement(self.model, self.centres[order], self.profiles[:, order])

    def like(self, array: Any) -> Placement:
        """The same with its matrices on the device of the array."""
        return Placement(self.model.like(array), beside(array, self.centres), beside(array, self.profiles))

    def assign(self, views: Sequence[UnitRows]) -> Assigned:
        """The clusters of a block of rows."""
        consensus = place(self.model, views).consensus
        embedding = self.model.embed(consensus)
        points = unit_rows(embedding)
        labels = nearest_centres(points, self.centres)
        zero = array_namespace(labels).stack([(view.scale == 0) & ~view.absent for view in views], axis=1)
        # Both its edges and its position must support the cluster.
        confidence = (
            margin_confidence(consensus @ self.profiles, labels) * distance_confidence(points, self.centres)
        ) ** 0.5
        return Assigned(labels, confidence, embedding, consensus, zero)

    def row_formats(self, n_views: int) -> dict[str, tuple[tuple[int, ...], type]]:
        """The shape per row and the type of every attribute of :class:`Assigned`."""
        return {
            "labels": ((), np.intp),
            "confidence": ((), np.float64),
            "embedding": ((self.centres.shape[1],), np.float32),
            "consensus": ((self.model.n_anchors,), np.float32),
            "zero": ((n_views,), np.bool_),
        }

    def empty(self, n: int, n_views: int, wanted: Sequence[str]) -> list[np.ndarray]:
        """Arrays for the wanted attributes of ``n`` rows."""
        formats = self.row_formats(n_views)
        return [np.empty((n, *formats[name][0]), dtype=formats[name][1]) for name in wanted]
