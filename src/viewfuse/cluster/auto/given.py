"""The views that a fit of AutoFusion uses, and how their samples become points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ...graphs import Samples
from ...graphs.representation import sparse_if_mostly_zero
from .measure import Measure

__all__ = ["GivenViews"]


@dataclass(frozen=True)
class GivenViews:
    """The views that are used, in units in which squares neither overflow nor vanish.

    Attributes
    ----------
    arrays : sequence of (n, d_v) arrays, dense or sparse
    present : (n, n_views) array of bool, or None if all samples are in all views
    encoded : sequence of bool, which views are encoded tables
    kinds : sequence of str
    factors : (n_views,) array, what squared distances are multiplied by
    are_weighted : bool, whether the factors were given by the user
    """

    arrays: Sequence[Any]
    present: np.ndarray | None
    encoded: Sequence[bool]
    kinds: Sequence[str]
    factors: np.ndarray
    are_weighted: bool

    def __len__(self) -> int:
        return int(self.arrays[0].shape[0])

    def compact(self) -> GivenViews:
        """The same views; those that are mostly zero are sparse, if all are complete."""
        if self.present is not None:
            return self
        return replace(self, arrays=[sparse_if_mostly_zero(array) for array in self.arrays])

    def rows(self, rows: Any) -> tuple[list[Any], np.ndarray | None]:
        """Some of the samples, and in which views they are present."""
        return [array[rows] for array in self.arrays], None if self.present is None else self.present[rows]

    def measured(self, rows: np.ndarray) -> tuple[Measure, list[np.ndarray], Samples]:
        """A measure that is learned from some of the samples, their points in each view, and the samples that these make."""
        some, there = self.rows(rows)
        measure, points = Measure.learn(some, there, self.encoded, self.factors, self.kinds)
        weights = tuple(self.factors.tolist()) if self.are_weighted else None
        return measure, points, measure.samples(points, there, weights).compact(partial(measure.products, some))
