"""Choices without labels: the number of clusters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sklearn.utils import check_random_state

from .cluster._checks import check_count, informative_views
from .exceptions import ParameterError
from .fusion import count_clusters_of_views
from .spectral import ClusterCounts, default_counts
from .views import Views

__all__ = ["ClusterCounts", "choose_n_clusters"]


def choose_n_clusters(
    views: Any, counts: Iterable[int] | None = None, *, n_resamples: int = 10, random_state: Any = None
) -> ClusterCounts:
    """How many clusters there are, and how well every number suits.

    The views are fused into one graph, which needs no number of clusters, and each sample keeps its √n strongest ties. For
    every k, the k leading eigenvectors divide the samples; the division is worth what it saves in describing the graph, and
    must hold when a tenth of the samples is left out (:mod:`viewfuse.spectral.counting`). Whether there are clusters at all
    is judged beside normally distributed samples with the same covariances.

    Parameters
    ----------
    views : Views, or a list or dict of (n_samples, n_features) views
    counts : range or iterable of int, optional
        The numbers to try, each between 2 and n_samples − 1. By default 2 to √n, at most 30.
    n_resamples : int
        How often to leave a tenth of the samples out.
    random_state : int, RandomState or None

    Returns
    -------
    ClusterCounts
        Printed, it is a table with the best number first; ``suggested`` is that number, 1 where ``structured`` is False;
        ``to_frame()`` and :func:`viewfuse.plotting.plot_counts` show it in other forms.

    Examples
    --------
    >>> from viewfuse.datasets import make_views
    >>> from viewfuse.selection import choose_n_clusters
    >>> found = choose_n_clusters(make_views(n_samples=120, n_clusters=4, random_state=0), range(2, 7), random_state=0)
    >>> found.suggested, found.structured
    (4, True)
    """
    views = views if isinstance(views, Views) else Views(views)
    arrays = views.float_arrays()
    check_count("n_resamples", n_resamples, least=1)
    tried = _checked_counts(default_counts(len(views)) if counts is None else counts, len(views))
    used = [arrays[v] for v in informative_views(views, arrays)]
    return count_clusters_of_views(used, tried, n_resamples=n_resamples, random_state=check_random_state(random_state))


def _checked_counts(counts: Iterable[int], n_samples: int) -> list[int]:
    found = list(counts)
    for count in found:
        check_count("Each number of clusters to try", count, least=2)
        if count >= n_samples:
            raise ParameterError(f"{count} clusters cannot be tried on {n_samples} samples; there must be more samples.")
    if not found:
        raise ParameterError("There is no number of clusters to try; give a range such as range(2, 11).")
    return sorted({int(count) for count in found})
