"""Clusters as clouds: a linear rule that assigns rows near the borders of clusters better than their edges to anchors do.

Edges to a few anchors place a row coarsely. Where clusters overlap, many rows near a border get the wrong side of it. If the
clusters are clouds, their means and covariances say more. With ``m_c`` the mean of cluster c in view v, ``W`` the covariance
within clusters (shrunk as Ledoit and Wolf do), ``π_c`` the share of the cluster, and views that are independent given the
cluster,

    log p(c | x) = log π_c + Σ_v (xᵀW⁻¹m_c − ½ m_cᵀW⁻¹m_c) + constant,

summed over the views that have the row. This is one product with a (d + 1) × k matrix per view. Labels and clouds are
computed in turn until few labels change (classification EM: Celeux & Govaert, 1992), on a sample of rows.

Curved clusters are not clouds. So the rule is used only if clouds find the labels of left-out rows at least as well as the
nearest neighbours of these rows do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from array_api_compat import array_namespace
from sklearn.neighbors import NearestNeighbors

from ..._utils.device import beside, is_tensor, to_host
from ...graphs.anchors import UnitRows, largest
from ...graphs.nearest import length_scale
from ...linalg import nearest_rows

__all__ = ["Clouds", "learn_clouds"]

_LEAST = 10  # rows per cluster: means of fewer are unreliable
_ROUNDS = 10
_FEW_CHANGES = 1e-3  # share of the labels
_SMALLEST = 0.1  # of the mean size: a cluster that shrinks below it is being absorbed by its neighbours
_NEIGHBORS = 10
_MOST_PAIRS = 2e7  # distances that are computed to find neighbours
_FOLDS = 5
_LEAST_CERTAIN = 1e-4
_BISECTIONS = 30


@dataclass(frozen=True)
class Clouds:
    """The rule.

    Attributes
    ----------
    maps : (d_v + 1, k) arrays of float32, one per view, from ``(x_i, 1)`` to the view's part of ``log p(c | x)``
    log_shares : (k,) array of float32, ``log π``
    """

    maps: tuple[Any, ...]
    log_shares: Any

    def assign(self, views: Sequence[UnitRows]) -> tuple[Any, Any]:
        """The most likely cluster of each row of a block, and by how much its probability exceeds that of the next one."""
        logs = self._logs(views)
        xp = array_namespace(logs)
        labels = xp.argmax(logs, axis=1)
        if not is_tensor(logs):
            return labels, _margins(logs, labels)
        two = largest(logs, 2)
        second, first = two[:, 0], two[:, 1]
        logs -= first[:, None]
        total = xp.sum(xp.exp(logs), axis=1)
        return labels, (1 - xp.exp(second - first)) / total

    def _logs(self, views: Sequence[UnitRows]) -> Any:
        """``log p(c | x)`` of each row up to a constant, (b, k)."""
        if all(isinstance(view.scale, np.ndarray) and view.scale.all() for view in views):
            # No row is empty, so that the offsets of all views are added at once.
            logs, offsets = views[0] @ self.maps[0][:-1], self.log_shares + sum(mapping[-1] for mapping in self.maps)
            for view, mapping in zip(views[1:], self.maps[1:], strict=True):
                logs += view @ mapping[:-1]
            logs += offsets
            return logs
        logs = views[0].codes(self.maps[0])
        for view, mapping in zip(views[1:], self.maps[1:], strict=True):
            logs += view.codes(mapping)
        logs += self.log_shares
        return logs

    def renumbered(self, order: np.ndarray) -> Clouds:
        """The same with cluster ``order[i]`` as number i."""
        return Clouds(tuple(mapping[:, order] for mapping in self.maps), self.log_shares[order])

    def like(self, array: Any) -> Clouds:
        """The same with its matrices on the device of the array."""
        return Clouds(tuple(beside(array, mapping) for mapping in self.maps), beside(array, self.log_shares))


def _margins(logs: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """By how much the largest probability of each row exceeds the next, (b,). ``logs``, (b, k), are overwritten."""
    rows = np.arange(len(logs))
    logs -= logs[rows, labels][:, None]
    others = np.exp(logs, out=logs)  # relative to the largest
    others[rows, labels] = 0
    # Over the long axis, and as a product: NumPy's sums and maxima of short rows take several times as long.
    second = np.ascontiguousarray(others.T).max(axis=0)
    return np.asarray((1 - second) / (1 + others @ np.ones(others.shape[1], dtype=others.dtype)))


def learn_clouds(
    views: Sequence[UnitRows],
    positions: Sequence[np.ndarray],
    labels: Any,
    n_clusters: int,
    random_state: np.random.RandomState,
) -> Clouds | None:
    """Learn the rule from a sample of rows and their clusters; None if neighbours tell the clusters better.

    Parameters
    ----------
    views : sequence of UnitRows
    positions : (m, d_v) arrays, one per view
        The positions of the anchors. Clouds are learned in the space that these span: it holds what groups of samples
        differ by, and has at most m dimensions.
    labels : (n,) array of int
    n_clusters : int
    random_state : RandomState, for the rows that are left out
    """
    n = len(views[0])
    if n_clusters < 2 or n < _LEAST * n_clusters:
        return None
    bases = [_span(anchors, view.mean()) for anchors, view in zip(positions, views, strict=True)]
    sample = [
        _Points(view.codes(beside(view.scale, basis)), view.scale > 0) for view, basis in zip(views, bases, strict=True)
    ]
    certainty = _certainty(sample, labels, n_clusters, random_state)
    if certainty is None:
        return None
    rule = _refined(sample, labels, n_clusters)
    maps = []
    for basis, (slopes, offsets) in zip(bases, rule.parts, strict=True):
        mapping = basis.astype(float) @ slopes
        mapping[-1] += offsets
        maps.append((certainty * mapping).astype(np.float32))
    return Clouds(tuple(maps), (certainty * rule.log_shares).astype(np.float32))


@dataclass(frozen=True)
class _Points:
    """Coordinates of the rows in one view, (n, r), 0 for rows that it does not have; and which rows it has."""

    values: Any
    present: Any


@dataclass(frozen=True)
class _Rule:
    """Slopes (r, k) and offsets (k,) of ``log p(c | x)`` for every view, and ``log π``, on the host."""

    parts: tuple[tuple[np.ndarray, np.ndarray], ...]
    log_shares: np.ndarray

    def __call__(self, sample: Sequence[_Points], rows: Any = slice(None)) -> Any:
        """``log p(c | x)`` of these rows up to a constant, (b, k)."""
        logs: Any = 0.0
        for points, (slopes, offsets) in zip(sample, self.parts, strict=True):
            values = points.values[rows, :]
            xp = array_namespace(values)
            there = xp.astype(points.present[rows], values.dtype)[:, None]
            slopes, offsets = (beside(values, part.astype(np.float32)) for part in (slopes, offsets))
            logs = logs + values @ slopes + there * offsets[None, :]
        return logs + beside(logs, self.log_shares.astype(np.float32))


def _span(anchors: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """The map from ``(x_i, 1)`` to orthonormal coordinates of ``x_i − mean`` in the span of the centred anchors."""
    _, lengths, directions = np.linalg.svd(anchors - mean, full_matrices=False)
    longest: float = lengths[0]
    axes = directions[lengths > 1e-6 * longest].T if longest > 0 else directions[:1].T
    return np.vstack([axes, -mean @ axes]).astype(np.float32)


def _refined(sample: Sequence[_Points], labels: Any, k: int) -> _Rule:
    """Clouds and labels in turn, from these labels."""
    first = sizes = _sizes(labels, k)
    rule = _fitted(sample, labels, k)
    for _ in range(_ROUNDS):
        found = array_namespace(labels).argmax(rule(sample), axis=1)
        sizes = _sizes(found, k)
        if ((sizes < _SMALLEST * sizes.mean()) & (sizes < first / 2)).any():
            break
        xp = array_namespace(found)
        changed = float(xp.mean(xp.astype(found != labels, xp.float32)))
        labels, rule = found, _fitted(sample, found, k)
        if changed < _FEW_CHANGES:
            break
    return rule


def _sizes(labels: Any, k: int) -> np.ndarray:
    return np.bincount(to_host(labels), minlength=k)


def _fitted(sample: Sequence[_Points], labels: Any, k: int, left_out: Any = None) -> _Rule:
    """The rule of the clouds of these labels, without the rows that are True in ``left_out``."""
    xp = array_namespace(labels)
    used = xp.ones_like(labels, dtype=xp.bool) if left_out is None else ~left_out
    own = labels[:, None] == xp.arange(k, dtype=labels.dtype, device=labels.device)[None, :]
    members = xp.astype(own & used[:, None], xp.float32)
    sizes = to_host(xp.sum(members, axis=0)).astype(float)
    with np.errstate(divide="ignore"):
        log_shares = np.maximum(np.log(sizes / sizes.sum()), -1e4)
    return _Rule(tuple(_fitted_view(points, members) for points in sample), log_shares)


def _fitted_view(points: _Points, members: Any) -> tuple[np.ndarray, np.ndarray]:
    """``W⁻¹m_c``, (r, k), and ``−½ m_cᵀW⁻¹m_c``, (k,).

    With residuals ``y_i = x_i − m_c`` of n rows, ``W = Σ y_i y_iᵀ/n``, ``μ = tr(W)/r``, ``δ = ‖W − μI‖²`` and
    ``β = (Σ‖y_i‖⁴/n − ‖W‖²)/n``, the shrunk covariance is ``(1 − ρ)W + ρμI`` with ``ρ = min(β/δ, 1)``.
    """
    xp = array_namespace(points.values)
    present = members * xp.astype(points.present, xp.float32)[:, None]
    sizes = to_host(xp.sum(present, axis=0)).astype(float)
    n = max(float(sizes.sum()), 1.0)
    means = to_host(present.T @ points.values).astype(float) / np.maximum(sizes, 1)[:, None]
    residuals = points.values - present @ beside(points.values, means.astype(np.float32))
    residuals = residuals * xp.sum(present, axis=1)[:, None]
    within = to_host(residuals.T @ residuals).astype(float) / n
    fourth = float(xp.sum(xp.sum(residuals * residuals, axis=1) ** 2, dtype=xp.float64)) / n
    r = len(within)
    mean_variance = float(np.trace(within)) / r
    if mean_variance == 0:
        return np.zeros((r, len(sizes))), np.zeros(len(sizes))
    apart = float(np.sum(within**2)) - r * mean_variance**2
    shrinkage = min(max(fourth - float(np.sum(within**2)), 0.0) / n / apart, 1.0) if apart > 0 else 1.0
    covariance = (1 - shrinkage) * within + max(shrinkage, 1e-6) * mean_variance * np.eye(r)
    slopes = np.linalg.solve(covariance, means.T)
    return slopes, -0.5 * np.sum(means.T * slopes, axis=0)


def _certainty(sample: Sequence[_Points], labels: Any, k: int, random_state: np.random.RandomState) -> float | None:
    """What log-probabilities are multiplied by so that they are right as often as they say, at most 1.

    Views that are not independent make clouds too sure. The factor is the one by which the mean probability of the most
    likely cluster of left-out rows is the share of their labels that clouds find. None if the votes of the nearest rows find
    more. Only rows that are in every view are left out, so that their distances are known.
    """
    truth = to_host(labels)
    complete = np.flatnonzero(np.all([to_host(points.present) for points in sample], axis=0))
    if len(complete) < max(_LEAST * k, _NEIGHBORS + 1):
        return None
    rows = random_state.permutation(complete)[: int(_MOST_PAIRS / len(complete))]
    logs = np.empty((len(rows), k))
    for part in np.array_split(np.arange(len(rows)), min(-(-_FOLDS * len(rows) // len(complete)), _FOLDS)):
        left_out = np.zeros(len(truth), dtype=bool)
        left_out[rows[part]] = True
        rule = _fitted(sample, labels, k, beside(labels, left_out))
        logs[part] = to_host(rule(sample, beside(labels, rows[part])))
    joint = array_namespace(sample[0].values).concat([_of_equal_spread(points.values) for points in sample], axis=1)
    by_neighbors = _votes(joint, complete, rows, truth, k)
    found = float(np.mean(logs.argmax(axis=1) == truth[rows]))
    return _calibrated(logs, found) if found >= np.mean(by_neighbors == truth[rows]) else None


def _calibrated(logs: np.ndarray, share: float) -> float:
    """The factor on log-probabilities, at most 1, by which the mean largest probability is this share."""
    relative = logs - logs.max(axis=1, keepdims=True)
    low, high = _LEAST_CERTAIN, 1.0
    for _ in range(_BISECTIONS):
        middle = (low * high) ** 0.5
        too_sure = float(np.mean(1 / np.exp(middle * relative).sum(axis=1))) > share
        low, high = (low, middle) if too_sure else (middle, high)
    return high


def _of_equal_spread(values: Any) -> Any:
    """Points divided by the root of their total variance."""
    if is_tensor(values):
        xp = array_namespace(values)
        total = float(xp.sum(xp.var(values, axis=0)))
    else:
        total = sum(float(column.var(dtype=float)) for column in values.T)  # of all at once it would copy them
    return values / np.float32(total**0.5 or 1.0).item()


def _votes(points: Any, voters: np.ndarray, rows: np.ndarray, labels: np.ndarray, k: int) -> np.ndarray:
    """Clusters of some rows by their nearest neighbours among the voters, without themselves."""
    count = _NEIGHBORS + 1
    if is_tensor(points):
        given, theirs = (array_namespace(points).take(points, beside(points, some), axis=0) for some in (rows, voters))
        distance, index = (to_host(found) for found in nearest_rows(given, theirs, count))
    else:
        search = NearestNeighbors(n_neighbors=count, algorithm="brute").fit(points[voters])
        distance, index = search.kneighbors(points[rows])
    neighbors = voters[index]
    weights = np.exp(-((distance / length_scale(distance)[:, None]) ** 2))
    weights[neighbors == rows[:, None]] = 0
    theirs = labels[neighbors]
    return np.stack([np.where(theirs == c, weights, 0).sum(axis=1) for c in range(k)], axis=1).argmax(axis=1)
