"""Points of rows, by which they are compared in all views together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ..._utils.device import to_host
from ...graphs.anchors import UnitRows
from ...graphs.nearest import influence

__all__ = ["RowMeasure"]


@dataclass(frozen=True)
class RowMeasure:
    """Rows of unit length, measured from their mean, such that the views have the same influence.

    Attributes
    ----------
    centres : tuple of (d_v,) arrays
    sizes : tuple of float
    """

    centres: tuple[np.ndarray, ...]
    sizes: tuple[float, ...]

    @classmethod
    def learn(cls, views: Sequence[UnitRows]) -> RowMeasure:
        """Learn from rows that are present in every view."""
        dense = [_dense(view) for view in views]
        centres = tuple(view.mean(axis=0) for view in dense)
        return cls(centres, tuple(influence(view - centre) for view, centre in zip(dense, centres, strict=True)))

    def __call__(self, views: Sequence[UnitRows]) -> list[np.ndarray]:
        """The points of the rows, an (n, d_v) array for each view."""
        parts = zip(views, self.centres, self.sizes, strict=True)
        return [(_dense(view) - centre) / size for view, centre, size in parts]


def _dense(view: UnitRows) -> np.ndarray:
    scaled = view.scaled()
    return np.asarray(scaled.toarray() if sp.issparse(scaled) else to_host(scaled), dtype=float)
