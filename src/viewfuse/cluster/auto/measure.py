"""From views to points: how each view is measured, and points for samples that are missing from a view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...graphs import Samples
from ...graphs.nearest import default_neighbors, influence
from ...graphs.representation import Representation, represent
from ...graphs.rounding import is_rounded, n_distinct, spread_over_steps
from ...linalg.threads import together
from .completion import completed

__all__ = ["Measure", "measured_samples"]

_MOST_COLUMNS = 20  # a wider table counts as one with this many columns


@dataclass(frozen=True)
class Measure:
    """A map from views to points, learned from the samples of a fit.

    Attributes
    ----------
    representations : tuple of Representation, one per view
    sizes : tuple of float
        The points of a view are divided by its size, so that every view counts equally in a joint distance. Encoded tables
        share one size: their columns count equally, so a table counts by its columns, up to twenty.
    """

    representations: tuple[Representation, ...]
    sizes: tuple[float, ...]

    @classmethod
    def learn(
        cls,
        views: Sequence[Any],
        present: np.ndarray | None,
        encoded: Sequence[bool],
        factors: np.ndarray | None = None,
        kinds: Sequence[str] | None = None,
    ) -> tuple[Measure, list[np.ndarray]]:
        """Decide how each view is measured, by the samples that are present in it; and the points of all samples.

        ``encoded`` marks encoded tables. Squared distances are multiplied by ``factors``, if given, one per view. Views of
        the kind "counts" are measured as such, whatever their values look like.
        """
        known = views if present is None else [view[present[:, v]] for v, view in enumerate(views)]
        counts = [kind == "counts" for kind in kinds] if kinds is not None else [False] * len(views)

        def measured(view: Any, is_encoded: bool, known_counts: bool) -> tuple[Representation, np.ndarray]:
            found = represent(view, encoded=is_encoded, known_counts=known_counts)
            return found, found(view)

        each = together([partial(measured, *given) for given in zip(known, encoded, counts, strict=True)])
        representations, points = zip(*each, strict=True)
        sizes = _sizes(points, encoded)
        if factors is not None:
            sizes = tuple(float(size / np.sqrt(factor)) for size, factor in zip(sizes, factors, strict=True))
        learned = cls(_of_rounded(representations, points), sizes)
        if present is not None:
            return learned, learned(views, present)
        return learned, [
            view / size if done else np.divide(view, size, out=view)  # the points of an encoded table may be the table's own
            for view, size, done in zip(points, sizes, encoded, strict=True)
        ]

    def __call__(
        self,
        views: Sequence[Any],
        present: np.ndarray | None,
        reference: Sequence[np.ndarray] | None = None,
        dtype: Any = np.float64,
    ) -> list[np.ndarray]:
        """The points of the samples in each view, as numbers of this type.

        Samples that are missing from a view get the mean point of those that are most like them in the others, among the
        ``reference`` points if given (the samples of the fit, which are complete), else among the samples themselves.
        """
        parts = zip(self.representations, self.sizes, views, strict=True)
        points = [measure(view, dtype) / size for measure, size, view in parts]
        if present is None or present.all():
            return points
        if reference is None:
            return completed(points, present)
        return completed(points, present, reference, np.ones((len(reference[0]), len(points)), dtype=bool))

    def products(self, views: Sequence[Any], v: int) -> np.ndarray | None:
        """The inner products of the points in view v, if they can be had for less than by the points."""
        found = self.representations[v].products(views[v])
        return None if found is None else np.divide(found, self.sizes[v] ** 2, out=found)

    def samples(
        self, points: Sequence[np.ndarray], present: np.ndarray | None, weights: tuple[float, ...] | None = None
    ) -> Samples:
        """What these points of the samples are clustered as: the values of rounded views are spread over their steps."""
        if not any(measure.rounded for measure in self.representations):
            return Samples(tuple(points), present, weights)
        spread = list(points)
        for v, measure in enumerate(self.representations):
            if measure.rounded:
                rows = np.ones(len(points[v]), dtype=bool) if present is None else present[:, v]
                spread[v] = points[v].copy()
                spread[v][rows] = spread_over_steps(points[v][rows])
        return Samples(tuple(spread), present, weights, values=tuple(points))


def measured_samples(views: Sequence[Any], present: np.ndarray | None, encoded: Sequence[bool]) -> Samples:
    """The samples of some views, each measured as suits it; ``encoded`` marks encoded tables."""
    measure, points = Measure.learn(views, present, encoded)
    return measure.samples(points, present)


def _of_rounded(representations: Sequence[Representation], points: Sequence[np.ndarray]) -> tuple[Representation, ...]:
    """The representations, those of rounded views marked.

    Directions are not rounded. If all samples are copies of a few, these few are the clusters.
    """
    counts = [default_neighbors(len(view)) for view in points]
    rounded = [
        found.kind != "directions" and is_rounded(view, count)
        for found, view, count in zip(representations, points, counts, strict=True)
    ]
    if not any(rounded) or n_distinct(points) <= max(counts):
        return tuple(representations)
    return tuple(found.of_rounded() if is_so else found for found, is_so in zip(representations, rounded, strict=True))


def _sizes(points: Sequence[np.ndarray], encoded: Sequence[bool]) -> tuple[float, ...]:
    """What the points of each view are divided by."""
    own = [v for v, done in enumerate(encoded) if not done]
    sizes = [1.0] * len(points)
    for v, size in zip(own, together([partial(influence, points[v]) for v in own]), strict=True):
        sizes[v] = size
    tables = [v for v, done in enumerate(encoded) if done]
    if not tables:
        return tuple(sizes)
    for v in tables:
        # The columns of an encoded table have the variance 1, so the total variance is their number.
        sizes[v] = max(float(np.sqrt(points[v].var(axis=0).sum() / _MOST_COLUMNS)), 1.0)
    if len(tables) < len(points):
        # Beside other views, of size 1 after division, the tables together count as many views as they are.
        common = np.sqrt(np.mean([influence(points[v] / sizes[v]) ** 2 for v in tables]))
        for v in tables:
            sizes[v] *= float(common)
    return tuple(sizes)
