"""From views to points: how each view is measured, and points for samples that are missing from a view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...graphs import Samples
from ...graphs.nearest import influence
from ...graphs.representation import Representation, represent
from .completion import completed

__all__ = ["Measure", "measured_samples"]


@dataclass(frozen=True)
class Measure:
    """A map from views to points, learned from the samples of a fit.

    Attributes
    ----------
    representations : tuple of Representation, one per view
    sizes : tuple of float
        The points of a view are divided by its size, so that every view counts equally in a joint distance.
    """

    representations: tuple[Representation, ...]
    sizes: tuple[float, ...]

    @classmethod
    def learn(cls, views: Sequence[Any], present: np.ndarray | None, factors: np.ndarray | None = None) -> Measure:
        """Decide how each view is measured, by the samples that are present in it.

        Squared distances are multiplied by ``factors``, if given, one per view.
        """
        if present is not None:
            views = [view[present[:, v]] for v, view in enumerate(views)]
        representations = tuple(represent(view) for view in views)
        sizes = tuple(influence(measure(view)) for measure, view in zip(representations, views, strict=True))
        if factors is not None:
            sizes = tuple(float(size / np.sqrt(factor)) for size, factor in zip(sizes, factors, strict=True))
        return cls(representations, sizes)

    def __call__(
        self, views: Sequence[Any], present: np.ndarray | None, reference: Sequence[np.ndarray] | None = None
    ) -> list[np.ndarray]:
        """The points of the samples in each view.

        Samples that are missing from a view get the mean point of those that are most like them in the others, among the
        ``reference`` points if given (the samples of the fit, which are complete), else among the samples themselves.
        """
        parts = zip(self.representations, self.sizes, views, strict=True)
        points = [measure(view) / size for measure, size, view in parts]
        if present is None or present.all():
            return points
        if reference is None:
            return completed(points, present)
        return completed(points, present, reference, np.ones((len(reference[0]), len(points)), dtype=bool))


def measured_samples(views: Sequence[Any], present: np.ndarray | None) -> Samples:
    """The samples of some views, each measured as suits it."""
    return Samples(tuple(Measure.learn(views, present)(views, present)), present)
