"""Choose the number of clusters without labels."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any

import numpy as np

from ..cluster._checks import nonconstant_views
from ..cluster.auto.measure import measured_samples
from ..cluster.counting import ClusterCounts, count_clusters
from ..exceptions import ParameterError
from ..views import Views

__all__ = ["ClusterCounts", "choose_n_clusters"]


def choose_n_clusters(views: Any, counts: Iterable[int] | None = None, *, random_state: Any = None) -> ClusterCounts:
    """Score each number of clusters, and suggest the best one.

    The views are measured as :class:`~viewfuse.AutoFusion` measures them, and the graphs are those it cuts. For every
    number, three things are compared with a cloud without clusters (:mod:`viewfuse.cluster.counting`). Whether there are
    clusters at all is decided too.

    Parameters
    ----------
    views : Views, or a list or dict of (n_samples, n_features) views
    counts : range or iterable of int, optional
        The numbers of clusters to try, each between 2 and n_samples − 1. The default is 2 to a fifth of the samples, at most
        160.
    random_state : ignored
        The number does not depend on chance.

    Returns
    -------
    ClusterCounts
        Its text is a table with the best number first. ``suggested`` is that number, or 1 if ``structured`` is False.
        ``to_frame()`` returns the table as a DataFrame, and :func:`viewfuse.plotting.plot_counts` draws it.

    Examples
    --------
    >>> from viewfuse.datasets import make_views
    >>> from viewfuse.selection import choose_n_clusters
    >>> found = choose_n_clusters(make_views(n_samples=120, n_clusters=4, random_state=0), range(2, 7), random_state=0)
    >>> found.suggested, found.structured
    (4, True)
    """
    views = views if isinstance(views, Views) else Views(views)
    arrays, present = views.incomplete_arrays()
    tried = None if counts is None else _checked_counts(counts, len(views))
    used = nonconstant_views(views, arrays, present)
    there = None if present is None or present[:, used].all() else present[:, used]
    samples = measured_samples([arrays[v] for v in used], there, [views.is_encoded(v) for v in used])
    return count_clusters(samples.compact(), tried)


def _checked_counts(counts: Iterable[int], n_samples: int) -> list[int]:
    """Sort the numbers to try and remove duplicates."""
    found = list(counts)
    for count in found:
        if isinstance(count, (bool, np.bool_)) or not isinstance(count, Integral) or count < 2:
            raise ParameterError(
                f"Each number in counts must be a whole number of at least 2; got {count!r}.",
                parameter="counts",
                value=count,
            )
        if count >= n_samples:
            raise ParameterError(
                f"counts contains {count} clusters, but there are only {n_samples} samples.",
                hint="Each number must be smaller than the number of samples.",
                parameter="counts",
                value=count,
            )
    if not found:
        raise ParameterError(
            "counts is empty: there is no number of clusters to try.",
            hint="Pass a range such as counts=range(2, 11).",
            parameter="counts",
            value=found,
        )
    return sorted({int(count) for count in found})
