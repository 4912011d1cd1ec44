"""Whether new rows are like those of the fit: some of them are compared with some of these, in all views together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ..._utils.device import to_host
from ...graphs.anchors import UnitRows
from ...graphs.nearest import influence
from ..auto.votes import VotingSpace

__all__ = ["Familiarity"]

_FEWEST = 20  # rows of the fit


@dataclass(frozen=True)
class Familiarity:
    """What is needed to tell whether rows are like some that are known. Its size does not depend on the number of rows.

    Attributes
    ----------
    centres : tuple of (d_v,) arrays, the means of the rows of unit length
    scales : tuple of float, the influence of each view
    space : VotingSpace or None, with the points of the known rows; None if they are too few
    """

    centres: tuple[np.ndarray, ...]
    scales: tuple[float, ...]
    space: VotingSpace | None

    @classmethod
    def learn(cls, views: Sequence[UnitRows]) -> tuple[Familiarity, list[np.ndarray]]:
        """Learn from rows that are present in every view, and return their points too, one (n, d_v) array per view."""
        dense = [_dense(view) for view in views]
        centres = tuple(view.mean(axis=0) for view in dense)
        scales = tuple(influence(view - centre) for view, centre in zip(dense, centres, strict=True))
        known = cls(centres, scales, None)
        points = known.points(views)
        return cls(centres, scales, VotingSpace.of(np.hstack(points)) if len(points[0]) >= _FEWEST else None), points

    def points(self, views: Sequence[UnitRows]) -> list[np.ndarray]:
        """The rows measured from the mean of the known ones, such that the views have the same influence."""
        return [
            (_dense(view) - centre) / scale for view, centre, scale in zip(views, self.centres, self.scales, strict=True)
        ]

    def outlier_scores(self, views: Sequence[UnitRows]) -> np.ndarray:
        """How unlike the known rows each row is, as :attr:`AutoFusion.outlier_score_`; empty if too few are known."""
        if self.space is None or not len(views[0]):
            return np.empty(0)
        joint = np.hstack(self.points(views))
        return self.space.votes(self.space.coordinates(joint)).outlier_scores


def _dense(view: UnitRows) -> np.ndarray:
    scaled = view.scaled()
    return np.asarray(scaled.toarray() if sp.issparse(scaled) else to_host(scaled), dtype=float)
