"""Clusters of samples whose columns mostly take two values: yes or no, or one category or another.

Where columns take two values, neighbours are many at the same distance, and graphs are made of values that were spread over
their steps by pseudo-random numbers (:mod:`viewfuse.graphs.rounding`). That is enough to see the clusters, but moves many
samples to the wrong one. So the clusters that were found are the start of a latent class analysis (Goodman, 1974): in each
cluster c the columns are independent, a column of two values is 1 with the probability ``θ_cj``, and any other column is
normally distributed. With the shares ``π_c`` of the clusters

    max Σ_i log Σ_c π_c Π_j θ_cj^x_ij (1 − θ_cj)^(1 − x_ij) Π_l N(x_il; μ_cl, σ²_cl)

is improved by expectation and maximisation until it gains no more than 1e-6 per sample, or 200 times. One imaginary sample
with the frequencies and variances of all samples belongs to each cluster, so that no probability is 0. Samples that were
clustered and have the same values get the same cluster. Time is ``n p k`` for each iteration.

Columns of many rare ones are measured by directions (:mod:`viewfuse.graphs.representation`) and do not count as such.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import logsumexp

from ...graphs.rounding import are_mostly_two_valued, same_for_copies, two_valued
from .joint import is_balanced

__all__ = ["labels_by_values", "with_latent_classes"]

_MOST_ITERATIONS, _LEAST_GAIN = 200, 1e-6
_SMALLEST = 1e-9


def labels_by_values(labels: np.ndarray, views: Sequence[np.ndarray], k: int) -> np.ndarray:
    """The labels, (n,), after they were made to follow from the values, (n, p_v), not from where these were spread to.

    By latent classes if most columns take two values; else copies are in the cluster that most of them are in.
    """
    found = with_latent_classes(labels, views, k)
    return same_for_copies(labels, views) if found is labels else found


def with_latent_classes(labels: np.ndarray, views: Sequence[np.ndarray], k: int) -> np.ndarray:
    """The most probable class of each sample, (n,), if most columns take two values; else the labels themselves.

    Class c is what became of cluster c. The labels also stay if a class would consist of a few outliers.
    """
    if k < 2 or not are_mostly_two_valued(views):
        return labels
    values = _from_0_to_1(np.hstack(views))
    is_binary = two_valued(values)
    found = _latent_classes(labels, values[:, is_binary], values[:, ~is_binary], k)
    return found if is_balanced(found, k) else labels


def _from_0_to_1(values: np.ndarray) -> np.ndarray:
    """The columns that are not constant, each from 0 to 1."""
    least, most = values.min(axis=0), values.max(axis=0)
    varies = most > least
    return np.asarray((values[:, varies] - least[varies]) / (most - least)[varies])


def _latent_classes(labels: np.ndarray, ones: np.ndarray, others: np.ndarray, k: int) -> np.ndarray:
    """The most probable cluster of each sample, (n,), after the algorithm that starts from these labels.

    ``ones`` are the columns of two values, 0 and 1.
    """
    floor = np.array([_rounding_variance(column) for column in others.T])
    shares, before = np.eye(k)[labels], -np.inf
    for _ in range(_MOST_ITERATIONS):
        sizes = shares.sum(axis=0) + _SMALLEST
        logs = np.log(sizes / sizes.sum()) + _log_binary(ones, shares, sizes) + _log_normal(others, shares, sizes, floor)
        total = logsumexp(logs, axis=1, keepdims=True)
        shares = np.exp(logs - total)
        if total.mean() - before < _LEAST_GAIN:
            break
        before = total.mean()
    return np.asarray(shares.argmax(axis=1))


def _log_binary(ones: np.ndarray, shares: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The logarithm of the probability of the columns of two values in each cluster, (n, k)."""
    probability = (shares.T @ ones + ones.mean(axis=0)) / (sizes[:, None] + 1)
    return np.asarray(ones @ (np.log(probability) - np.log1p(-probability)).T + np.log1p(-probability).sum(axis=1))


def _log_normal(others: np.ndarray, shares: np.ndarray, sizes: np.ndarray, floor: np.ndarray) -> np.ndarray:
    """The logarithm of the density of the other columns in each cluster, (n, k), up to a constant."""
    mean = shares.T @ others / sizes[:, None]
    square = shares.T @ others**2 - sizes[:, None] * mean**2
    variance = (np.maximum(square, 0) + others.var(axis=0)) / (sizes[:, None] + 1) + floor
    distance = others**2 @ (1 / variance).T - 2 * others @ (mean / variance).T + (mean**2 / variance).sum(axis=1)
    return np.asarray(-0.5 * (distance + np.log(variance).sum(axis=1)))


def _rounding_variance(column: np.ndarray) -> float:
    """The variance within the smallest step of a column."""
    return float(np.diff(np.unique(column)).min() ** 2 / 12)
