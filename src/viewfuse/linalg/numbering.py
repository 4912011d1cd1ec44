"""The numbers of clusters: by size, so that they do not depend on the run that found them."""

from __future__ import annotations

from typing import Any

import numpy as np
from array_api_compat import array_namespace

from .._utils.device import to_host

__all__ = ["numbered_by_size", "occurrences", "order_by_size", "renumbered"]

_FIRST = 10_000  # samples


def occurrences(labels: np.ndarray, n_clusters: int) -> tuple[np.ndarray, np.ndarray]:
    """Size and first sample of each cluster, (k,) each. The first sample of an empty cluster is n."""
    n, sizes = len(labels), np.bincount(labels, minlength=n_clusters)
    first, end = np.full(n_clusters, n), 0
    while end < n and (first[sizes > 0] == n).any():  # most often all clusters occur among the first samples
        begin, end = end, min(max(2 * end, _FIRST), n)
        np.minimum.at(first, labels[begin:end], np.arange(begin, end))
    return sizes, first


def order_by_size(sizes: np.ndarray, first: np.ndarray) -> np.ndarray:
    """The clusters from the largest to the smallest, (k,); of equal sizes the one with the earlier first sample."""
    return np.lexsort((first, -sizes))


def renumbered(labels: Any, order: np.ndarray) -> Any:
    """Labels in which cluster ``order[i]`` has the number i."""
    xp = array_namespace(labels)
    numbers = xp.asarray(np.argsort(order), dtype=labels.dtype, device=labels.device)
    return xp.take(numbers, labels, axis=0)


def numbered_by_size(labels: Any) -> Any:
    """Labels 0, 1, … from the largest cluster to the smallest; of equal sizes the one with the earlier first sample."""
    xp = array_namespace(labels)
    values, labels = xp.unique_inverse(labels)
    return renumbered(labels, order_by_size(*occurrences(to_host(labels), int(values.shape[0]))))
