"""Rows of an embedding to clusters."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from array_api_compat import array_namespace, is_numpy_array
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from .._utils.device import to_host
from ..exceptions import DegenerateGraphWarning, DivergenceError
from .kmeans import kmeans

__all__ = [
    "all_clusters_taken",
    "assign_clusters",
    "claim_confidence",
    "cluster_centres",
    "nearest_centres",
    "place_confidence",
    "refilled",
    "tie_confidence",
    "unit_rows",
]


_FETCHED = 50_000  # numbers: the same k-means then gives the same labels wherever the rows are


def unit_rows(embedding: Any) -> Any:
    """Rows scaled to unit length, so that only directions count (Ng, Jordan & Weiss); zero rows stay zero."""
    xp = array_namespace(embedding)
    length = xp.linalg.vector_norm(embedding, axis=1, keepdims=True)
    return embedding / xp.where(length > 0, length, xp.ones_like(length))


def assign_clusters(embedding: Any, n_clusters: int, *, n_init: int, random_state: np.random.RandomState) -> Any:
    """k-means on the rows: the best of ``n_init`` runs by inertia. Labels are 0 … n_clusters − 1, each of them taken."""
    xp = array_namespace(embedding)
    labels, centres = _kmeans(embedding, n_clusters, n_init, random_state)
    costs = xp.sum((embedding - xp.take(centres, labels, axis=0)) ** 2, axis=1)
    return all_clusters_taken(labels, costs, n_clusters)


def cluster_centres(embedding: Any, n_clusters: int, *, n_init: int, random_state: np.random.RandomState) -> Any:
    """The centres of the same k-means, (k, p): clusters for rows that were not there, by :func:`nearest_centres`."""
    return _kmeans(embedding, n_clusters, n_init, random_state)[1]


def nearest_centres(rows: Any, centres: Any) -> Any:
    """For each row the position of the centre nearest to it, (n,)."""
    xp = array_namespace(rows, centres)
    return xp.argmax(rows @ centres.T - 0.5 * xp.sum(centres * centres, axis=1), axis=1)


def place_confidence(rows: Any, centres: Any) -> Any:
    """``1 − d²₁/d²₂`` of the distances to the nearest and the second nearest centre, (n,): 0 halfway, 1 at a centre."""
    xp = array_namespace(rows, centres)
    if centres.shape[0] == 1:
        return xp.zeros(rows.shape[0], dtype=rows.dtype, device=rows.device)
    squares = xp.sum(rows * rows, axis=1)[:, None] - 2 * (rows @ centres.T) + xp.sum(centres * centres, axis=1)
    nearest = xp.sort(xp.clip(squares, 0.0), axis=1)
    first, second = nearest[:, 0], nearest[:, 1]
    return xp.where(second > 0, 1 - first / xp.where(second > 0, second, xp.ones_like(second)), xp.zeros_like(first))


def _kmeans(embedding: Any, n_clusters: int, n_init: int, random_state: np.random.RandomState) -> tuple[Any, Any]:
    """Labels and centres: scikit-learn's k-means, or on a device, where there are too many rows to fetch them, our own."""
    xp = array_namespace(embedding)
    if not bool(xp.all(xp.isfinite(embedding))):
        raise DivergenceError(
            "The embedding is not finite: the parameters are too extreme for these views, or the views' numbers for the "
            "parameters. Take parameters nearer to the defaults, or look for extreme values in the views."
        )
    if not is_numpy_array(embedding) and embedding.shape[0] * embedding.shape[1] > _FETCHED:
        result = kmeans(embedding, n_clusters, n_init=n_init, random_state=random_state)
        return result.labels, result.centres
    rows = to_host(embedding)
    estimator = KMeans(n_clusters, n_init=n_init, random_state=random_state)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        estimator.fit(rows.astype(float, copy=False))  # scikit-learn takes longer on single precision
    labels = xp.asarray(estimator.labels_, dtype=xp.int64, device=embedding.device)
    return labels, xp.asarray(estimator.cluster_centers_, dtype=embedding.dtype, device=embedding.device)


def all_clusters_taken(labels: Any, costs: Any, n_clusters: int) -> Any:
    """The labels with no cluster left empty; where one was, say that fewer are distinct and give it a sample.

    ``costs`` (n,) says how badly each sample fits its cluster: the worst go first.
    """
    xp = array_namespace(labels)
    found = xp.unique_values(labels).shape[0]
    if found == n_clusters:
        return labels
    warnings.warn(
        f"Only {found} of {n_clusters} clusters are distinct: too few samples differ. The others got one sample each, "
        "whichever fits its cluster worst. Ask for fewer clusters.",
        DegenerateGraphWarning,
        stacklevel=4,
    )
    return xp.asarray(refilled(to_host(labels), to_host(costs), n_clusters), device=labels.device)


def refilled(labels: np.ndarray, costs: np.ndarray, n_clusters: int) -> np.ndarray:
    """Give every empty cluster the sample that costs most where it is, out of a cluster that can spare it."""
    sizes = np.bincount(labels, minlength=n_clusters)
    if sizes.min() > 0:
        return labels
    labels = labels.copy()
    order = iter(np.argsort(-costs, kind="stable"))
    for empty in np.flatnonzero(sizes == 0):
        for i in order:
            if sizes[labels[i]] > 1:
                sizes[labels[i]] -= 1
                labels[i], sizes[empty] = empty, 1
                break
    return labels


def tie_confidence(graph: Any, labels: Any) -> Any:
    """How clearly a sample's ties speak for its cluster: ``(a − b)/(a + b)``, at least 0.

    ``a`` is its mean tie to the others of its own cluster, ``b`` the largest mean tie to another: 1 where it has ties
    to its own only, 0 where another cluster has as strong a claim, or where it has no tie at all. With one cluster there
    is nothing to be sure about: 0 for all.
    """
    xp = array_namespace(graph)
    own = xp.asarray(labels, device=graph.device)
    numbers, own = xp.unique_inverse(own)
    if numbers.shape[0] == 1:
        return xp.zeros(own.shape[0], dtype=xp.float64, device=graph.device)
    members = xp.astype(own[:, None] == xp.arange(numbers.shape[0], device=own.device)[None, :], graph.dtype)
    ties = graph @ members - members * xp.linalg.diagonal(graph)[:, None]
    others = xp.sum(members, axis=0)[None, :] - members
    return claim_confidence(xp.maximum(ties, xp.zeros_like(ties)) / xp.maximum(others, xp.ones_like(others)), own)


def claim_confidence(means: Any, own: Any) -> Any:
    """``(a − b)/(a + b)``, at least 0, from each sample's mean ties to all clusters, (n, k), and the position of its own."""
    xp = array_namespace(means)
    is_own = own[:, None] == xp.arange(means.shape[1], device=means.device)[None, :]
    nothing = xp.zeros_like(means)
    to_own, to_next = xp.sum(xp.where(is_own, means, nothing), axis=1), xp.max(xp.where(is_own, nothing, means), axis=1)
    total = to_own + to_next
    clear = (to_own - to_next) / xp.where(total > 0, total, xp.ones_like(total))
    return xp.astype(xp.clip(clear, 0.0, 1.0), xp.float64)
