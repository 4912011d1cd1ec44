"""From the rows of an embedding to clusters, and how confident an assignment is."""

from __future__ import annotations

from typing import Any

import numpy as np
from array_api_compat import array_namespace, is_numpy_array
from sklearn.cluster import KMeans

from .._utils.device import to_host
from .._utils.warn import ignoring, warn
from ..exceptions import DegenerateGraphWarning, DivergenceError
from .kmeans import kmeans
from .seeding import plus_plus_seeds

__all__ = [
    "all_clusters_taken",
    "assign_clusters",
    "cluster_centres",
    "distance_confidence",
    "edge_confidence",
    "margin_confidence",
    "nearest_centres",
    "random_kmeans",
    "refilled",
    "unit_rows",
]


# Embeddings of at most this many numbers are transferred to the host, so that labels are the same on every device.
_MAX_TRANSFER = 50_000


def unit_rows(embedding: Any) -> Any:
    """Rows scaled to unit length (Ng, Jordan & Weiss); zero rows stay zero."""
    xp = array_namespace(embedding)
    length = xp.linalg.vector_norm(embedding, axis=1, keepdims=True)
    return embedding / xp.where(length > 0, length, xp.ones_like(length))


def assign_clusters(embedding: Any, n_clusters: int, *, n_init: int, random_state: np.random.RandomState) -> Any:
    """k-means on the rows: the best of ``n_init`` runs by inertia. Labels are 0 … n_clusters − 1; no cluster is empty."""
    xp = array_namespace(embedding)
    labels, centres = _kmeans(embedding, n_clusters, n_init, random_state)
    costs = xp.sum((embedding - xp.take(centres, labels, axis=0)) ** 2, axis=1)
    return all_clusters_taken(labels, costs, n_clusters)


def cluster_centres(embedding: Any, n_clusters: int, *, n_init: int, random_state: np.random.RandomState) -> Any:
    """The centres of the same k-means, (k, p), to which :func:`nearest_centres` assigns new rows."""
    return _kmeans(embedding, n_clusters, n_init, random_state)[1]


def random_kmeans(
    points: np.ndarray, n_clusters: int, *, n_init: int, max_iter: int, random_state: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Labels (n,) and centres (k, p) of k-means that starts from random samples, as the programs of several methods do.

    No cluster is empty.
    """
    estimator = KMeans(n_clusters, init="random", n_init=n_init, max_iter=max_iter, random_state=random_state)
    with ignoring("Number of distinct clusters"):
        estimator.fit(points)
    labels, centres = estimator.labels_.astype(np.int64), estimator.cluster_centers_
    costs = np.sum((points - centres[labels]) ** 2, axis=1)
    return all_clusters_taken(labels, costs, n_clusters), centres


def nearest_centres(rows: Any, centres: Any) -> Any:
    """Index of the centre nearest to each row, (n,)."""
    xp = array_namespace(rows, centres)
    return xp.argmax(rows @ centres.T - 0.5 * xp.sum(centres * centres, axis=1), axis=1)


def distance_confidence(rows: Any, centres: Any) -> Any:
    """``1 − d²₁/d²₂`` with the distances to the nearest and second nearest centre, (n,): 0 halfway, 1 at a centre."""
    xp = array_namespace(rows, centres)
    if centres.shape[0] == 1:
        return xp.zeros(rows.shape[0], dtype=rows.dtype, device=rows.device)
    squares = xp.sum(rows * rows, axis=1)[:, None] - 2 * (rows @ centres.T) + xp.sum(centres * centres, axis=1)
    nearest = xp.sort(xp.clip(squares, 0.0), axis=1)
    first, second = nearest[:, 0], nearest[:, 1]
    return xp.where(second > 0, 1 - first / xp.where(second > 0, second, xp.ones_like(second)), xp.zeros_like(first))


def _kmeans(embedding: Any, n_clusters: int, n_init: int, random_state: np.random.RandomState) -> tuple[Any, Any]:
    """Labels and centres, by scikit-learn's k-means or, for large embeddings on a device, by ours."""
    xp = array_namespace(embedding)
    if not bool(xp.all(xp.isfinite(embedding))):
        raise DivergenceError(
            "The embedding is not finite: the parameters or the values in the views are too extreme.",
            hint="Choose parameters closer to their defaults, or look for extreme values in the views.",
        )
    if not is_numpy_array(embedding) and embedding.shape[0] * embedding.shape[1] > _MAX_TRANSFER:
        result = kmeans(embedding, n_clusters, n_init=n_init, random_state=random_state)
        return result.labels, result.centres
    rows = to_host(embedding)
    estimator = KMeans(n_clusters, init=plus_plus_seeds, n_init=n_init, random_state=random_state)
    with ignoring("Number of distinct clusters"):
        estimator.fit(rows.astype(float, copy=False))  # scikit-learn is slower in single precision
    labels = xp.asarray(estimator.labels_, dtype=xp.int64, device=embedding.device)
    return labels, xp.asarray(estimator.cluster_centers_, dtype=embedding.dtype, device=embedding.device)


def all_clusters_taken(labels: Any, costs: Any, n_clusters: int) -> Any:
    """Labels without empty clusters; if there are empty ones, warn and move one sample to each.

    ``costs`` (n,) says how badly each sample fits its cluster; the samples with the largest costs are moved.
    """
    xp = array_namespace(labels)
    if is_numpy_array(labels):
        found = int(np.count_nonzero(np.bincount(labels, minlength=n_clusters)))  # without sorting millions of labels
    else:
        found = xp.unique_values(labels).shape[0]
    if found == n_clusters:
        return labels
    warn(
        DegenerateGraphWarning(
            f"Only {found} of {n_clusters} clusters are distinct, because too few samples differ. Each of the others got "
            "the one sample that fits its own cluster worst.",
            hint=f"Set n_clusters to at most {found}.",
            parameter="n_clusters",
            value=n_clusters,
        )
    )
    return xp.asarray(refilled(to_host(labels), to_host(costs), n_clusters), device=labels.device)


def refilled(labels: np.ndarray, costs: np.ndarray, n_clusters: int) -> np.ndarray:
    """Move to each empty cluster the sample with the largest cost, unless it is the only one of its cluster."""
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


def edge_confidence(graph: Any, labels: Any) -> Any:
    """How clearly a sample's edges indicate its cluster: ``(a − b)/(a + b)``, at least 0.

    ``a`` is the mean weight of its edges to the others of its own cluster, ``b`` the largest such mean for another cluster.
    The result is 1 if it has edges to its own cluster only, and 0 if another cluster has edges of the same weight or if it
    has no edges. With one cluster it is 0 for all samples.
    """
    xp = array_namespace(graph)
    own = xp.asarray(labels, device=graph.device)
    numbers, own = xp.unique_inverse(own)
    if numbers.shape[0] == 1:
        return xp.zeros(own.shape[0], dtype=xp.float64, device=graph.device)
    members = xp.astype(own[:, None] == xp.arange(numbers.shape[0], device=own.device)[None, :], graph.dtype)
    weights = graph @ members - members * xp.linalg.diagonal(graph)[:, None]
    others = xp.sum(members, axis=0)[None, :] - members
    return margin_confidence(xp.maximum(weights, xp.zeros_like(weights)) / xp.maximum(others, xp.ones_like(others)), own)


def margin_confidence(means: Any, own: Any) -> Any:
    """``(a − b)/(a + b)``, at least 0, from the mean edge weights to all clusters, (n, k), and the index of the own one."""
    xp = array_namespace(means)
    is_own = own[:, None] == xp.arange(means.shape[1], device=means.device)[None, :]
    zeros = xp.zeros_like(means)
    to_own, to_next = xp.sum(xp.where(is_own, means, zeros), axis=1), xp.max(xp.where(is_own, zeros, means), axis=1)
    total = to_own + to_next
    margin = (to_own - to_next) / xp.where(total > 0, total, xp.ones_like(total))
    return xp.astype(xp.clip(margin, 0.0, 1.0), xp.float64)
