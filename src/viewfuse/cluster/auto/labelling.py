"""The clusters of new samples: by neighbours, by clouds or by a linear rule.

The rule is the one that finds most labels of samples of the fit that are left out. Neighbours find clusters of any shape.
In many columns they are unreliable: the nearest of a few hundred texts shares few words with a new one. There a ridge
regression on the indicators of the clusters is better, which weighs all columns. Where clusters are small clouds, a
discriminant is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from sklearn.utils.extmath import randomized_svd

from ...graphs.nearest import centred_products
from ...linalg import shifted_inverse
from .membership import Discriminant, out_of_fold
from .votes import VotingSpace, leading_axes

__all__ = ["LEAST_PER_CLUSTER", "Labelling", "LinearRule", "labels_with_gaps"]

_RIDGE = 0.1  # of the mean eigenvalue
_MOST_EXACT = 1_500  # rows or columns of the smaller Gram matrix
_MOST_COLUMNS = 500
LEAST_PER_CLUSTER = 20  # samples: means and slopes of fewer are unreliable, unless they find samples that are left out
_LEAST_LEFT_OUT = 4  # samples per cluster
_MOST_VIEWS = 4  # of which every combination gets a rule of its own


@dataclass(frozen=True)
class LinearRule:
    """``argmax (x − m)ᵀB + c`` with ``B`` from ridge regression of the clusters' indicators.

    Attributes
    ----------
    mean : (p,) array
    slopes : (p, k) array
    shares : (k,) array
    """

    mean: np.ndarray
    slopes: np.ndarray
    shares: np.ndarray

    @classmethod
    def learn(
        cls, joint: np.ndarray, labels: np.ndarray, k: int, products: np.ndarray | None = None
    ) -> tuple[LinearRule, np.ndarray]:
        """The rule, and the labels that it gives to each sample if learned without it; from inner products, if known.

        With the centred points ``X`` and ``H = X(XᵀX + λI)⁻¹Xᵀ + 11ᵀ/n``, the prediction for sample i without it is
        ``(ŷ_i − h_ii y_i)/(1 − h_ii)``.
        """
        mean, own = joint.mean(axis=0), np.eye(k)[labels]
        shares = own.mean(axis=0)
        slopes, fitted, leverage = _ridge(joint - mean, own - shares, products)
        return cls(mean, slopes, shares), _labels_left_out(own, fitted, leverage)

    @staticmethod
    def labels_left_out(joint: np.ndarray, labels: np.ndarray, k: int, products: np.ndarray | None = None) -> np.ndarray:
        """Only the labels that :meth:`learn` gives to each sample without it. With inner products they need no columns."""
        n, p = joint.shape
        if products is None or p <= n or n > _MOST_EXACT:
            return LinearRule.learn(joint, labels, k, products)[1]
        own, gram = np.eye(k)[labels], centred_products(products)
        targets, shift = own - own.mean(axis=0), _RIDGE * float(np.trace(gram)) / p
        weights, leverage = _ridge_by_products(gram, targets, shift)
        return _labels_left_out(own, targets - shift * weights, leverage)

    def __call__(self, joint: np.ndarray) -> np.ndarray:
        slopes = self.slopes.astype(joint.dtype)
        offsets = self.shares - self.mean @ self.slopes
        return np.asarray((joint @ slopes + offsets.astype(joint.dtype)).argmax(axis=1))


def _ridge(
    centred: np.ndarray, targets: np.ndarray, products: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Slopes, fitted values and the diagonal of ``X(XᵀX + λI)⁻¹Xᵀ``, by whichever Gram matrix is smaller.

    ``centred`` may be overwritten.

    With ``XᵀX + λI = LLᵀ`` and ``Q = XL⁻ᵀ`` the projection is ``QQᵀ``. With more columns than rows,
    ``A = (XXᵀ + λI)⁻¹`` gives ``I − λA`` for it, and the slopes ``XᵀAy``. If both are many, the leading 500 principal
    columns are used.
    """
    n, p = centred.shape
    shift = _RIDGE * float(np.vdot(centred, centred)) / p
    if min(n, p) > _MOST_EXACT:
        axes = randomized_svd(centred, _MOST_COLUMNS, random_state=0)[2].T
        slopes, fitted, leverage = _narrow_ridge(centred @ axes, targets, shift)
        return axes @ slopes, fitted, leverage
    if p <= n:
        return _narrow_ridge(centred, targets, shift)
    gram = centred @ centred.T if products is None else centred_products(products)
    weights, leverage = _ridge_by_products(gram, targets, shift)
    return centred.T @ weights, targets - shift * weights, leverage


def _ridge_by_products(gram: np.ndarray, targets: np.ndarray, shift: float) -> tuple[np.ndarray, np.ndarray]:
    """``Ay`` with ``A = (XXᵀ + λI)⁻¹``, and the diagonal of ``I − λA``."""
    inverse = shifted_inverse(gram, shift)
    return inverse @ targets, 1 - shift * np.diag(inverse)


def _labels_left_out(own: np.ndarray, fitted: np.ndarray, leverage: np.ndarray) -> np.ndarray:
    """The labels without each sample, from its indicators, the centred ones as fitted, and its leverage."""
    leverage = (leverage + 1 / len(own))[:, None]
    without = (own.mean(axis=0) + fitted - leverage * own) / np.maximum(1 - leverage, 1e-9)
    return np.asarray(without.argmax(axis=1))


def _narrow_ridge(centred: np.ndarray, targets: np.ndarray, shift: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same with fewer columns than rows; ``centred`` is overwritten."""
    gram = centred.T @ centred
    gram[np.diag_indices_from(gram)] += shift
    factor = scipy.linalg.cholesky(gram, lower=True, check_finite=False)
    turned = scipy.linalg.solve_triangular(factor, centred.T, lower=True, overwrite_b=True, check_finite=False).T
    projected = turned.T @ targets
    slopes = scipy.linalg.solve_triangular(factor.T, projected, lower=False, check_finite=False)
    return slopes, turned @ projected, np.einsum("ij,ij->i", turned, turned)


@dataclass(frozen=True)
class Labelling:
    """The rule for the labels of new samples; without ``clouds`` and ``linear``, the votes of neighbours."""

    clouds: Discriminant | None = None
    linear: LinearRule | None = None

    @classmethod
    def learn(
        cls, joint: np.ndarray, space: VotingSpace, labels: np.ndarray, k: int, products: np.ndarray | None = None
    ) -> Labelling:
        if k < 2 or len(labels) < _LEAST_LEFT_OUT * k:
            return cls()
        points = space.clustered.astype(float)
        linear, by_linear = LinearRule.learn(joint, labels, k, products)
        by_clouds = out_of_fold(_points_of_folds(joint, space, k), labels, k).argmax(axis=1)
        found = {
            "votes": float(np.mean(space.votes().shares(labels, k).argmax(axis=1) == labels)),
            "clouds": float(np.mean(by_clouds == labels)),
            "linear": float(np.mean(by_linear == labels)),
        }
        best = max(found, key=lambda rule: found[rule])  # the first of equals
        if best == "clouds":
            return cls(clouds=Discriminant.learn(points, labels, k))
        return cls(linear=linear) if best == "linear" else cls()

    def __call__(self, joint: np.ndarray, points: np.ndarray, shares: np.ndarray, same: np.ndarray) -> np.ndarray:
        """The labels of samples.

        Parameters
        ----------
        joint : (n, p) array, their joint points
        points : (n, r) array, their coordinates in the voting space
        shares : (n, k) array of votes
        same : (n,) array of bool, which are samples of the fit: they keep their labels
        """
        by_votes = shares.argmax(axis=1)
        if self.linear is not None:
            return np.where(same, by_votes, self.linear(joint))
        if self.clouds is not None:
            return np.where(same, by_votes, self.clouds.memberships(points.astype(float)).argmax(axis=1))
        return by_votes

    def renumbered(self, order: np.ndarray) -> Labelling:
        """The same with clusters in another order: the new c is the old ``order[c]``."""
        linear, clouds = self.linear, self.clouds
        if linear is not None:
            linear = LinearRule(linear.mean, linear.slopes[:, order], linear.shares[order])
        return Labelling(None if clouds is None else clouds.renumbered(order), linear)


def _points_of_folds(joint: np.ndarray, space: VotingSpace, k: int) -> Callable[[np.ndarray], np.ndarray]:
    """The coordinates of all samples, by the samples that are not left out.

    With more columns than samples the leading directions fit the samples themselves, so those of the samples that are left
    out must have no part in them.
    """
    points = space.clustered.astype(float)
    if space.axes is None or joint.shape[1] <= len(joint):
        return lambda rest: points
    return lambda rest: joint @ leading_axes(joint[rest], k)


def labels_with_gaps(
    points: Sequence[np.ndarray],
    present: np.ndarray | None,
    reference: Sequence[np.ndarray],
    labels: np.ndarray,
    k: int,
) -> np.ndarray | None:
    """Labels of samples that are missing from some views, by the views that they are present in; −1 for the others.

    For each combination of views a rule is learned on the samples of the fit. With more than four views there are many
    combinations, and points that were filled from the other views serve as well: then, and if none is missing, None.

    Parameters
    ----------
    points : sequence of (n, p_v) arrays
    present : (n, n_views) array of bool or None
    reference : sequence of (m, p_v) arrays, the points of the fit
    labels : (m,) array of int, their clusters
    k : int, the number of clusters
    """
    if present is None or len(points) > _MOST_VIEWS or k < 2:
        return None
    found = np.full(len(present), -1)
    for combination in np.unique(present, axis=0):
        rows = np.flatnonzero((present == combination).all(axis=1))
        views = np.flatnonzero(combination).tolist()
        if len(views) in (0, len(points)):
            continue
        clustered, joint = (np.hstack([side[v] for v in views]) for side in (reference, points))
        space = VotingSpace.of(clustered, k)
        placed = space.coordinates(joint[rows])
        votes = space.votes(placed)
        rule = Labelling.learn(clustered, space, labels, k)
        found[rows] = rule(joint[rows], placed, votes.shares(labels, k), votes.same & False)
    return found
