"""How likely each sample belongs to each cluster.

Votes of neighbours are too sure: where two clusters overlap, all neighbours of a sample may be on its side of the border
though it came from beyond. If clusters are clouds, their overlap can be estimated. With ``m_c`` the mean of cluster c,
``π_c`` its share and ``W`` the covariance within clusters (shrunk as Ledoit and Wolf do),

    p(c | x) ∝ π_c exp(−½ (x − m_c)ᵀ W⁻¹ (x − m_c)).

A sample of the fit is judged by means and covariances learned without it (five folds). Clusters that are curved or rings
have no such overlap; their samples are told by their neighbours. Which of the two is used is decided by which finds more of
the labels of left-out samples.

The largest membership is always that of the sample's cluster. Samples unlike all others belong equally to all clusters.
Memberships take for granted that there are clusters; whether there are is the verdict's to say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...linalg import shrunk_covariance
from .votes import Votes, VotingSpace

__all__ = ["ABOVE", "Discriminant", "Membership", "out_of_fold"]

_FOLDS = 5
ABOVE = 1e-6  # by which the sample's own cluster exceeds the others at least


@dataclass(frozen=True)
class Discriminant:
    """Clusters as clouds with one covariance.

    Attributes
    ----------
    means : (k, q) array, in coordinates in which the covariance is 1
    turned : (r, q) array, to these coordinates
    log_shares : (k,) array
    """

    means: np.ndarray
    turned: np.ndarray
    log_shares: np.ndarray

    @classmethod
    def learn(cls, points: np.ndarray, labels: np.ndarray, k: int) -> Discriminant:
        sizes = np.bincount(labels, minlength=k)
        means = np.stack([np.bincount(labels, column, k) for column in points.T], axis=1) / np.maximum(sizes, 1)[:, None]
        deviations = means[labels]
        values, vectors = np.linalg.eigh(shrunk_covariance(np.subtract(points, deviations, out=deviations)))
        kept = values > 1e-9 * max(values[-1], np.finfo(float).tiny)
        turned = vectors[:, kept] / np.sqrt(values[kept])
        with np.errstate(divide="ignore"):
            return cls(means @ turned, turned, np.log(sizes / sizes.sum()))

    def memberships(self, points: np.ndarray) -> np.ndarray:
        """``p(c | x)``, (n, k)."""
        return self.memberships_and_distances(points)[0]

    def memberships_and_distances(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """``p(c | x)``, (n, k), and the squared distance from the nearest mean, (n,), in the precision of the points."""
        turned, means, log_shares = (part.astype(points.dtype) for part in (self.turned, self.means, self.log_shares))
        placed = points @ turned
        squares = np.einsum("ij,ij->i", placed, placed)[:, None] - 2 * placed @ means.T + np.sum(means**2, axis=1)[None, :]
        logs = log_shares[None, :] - 0.5 * squares
        logs -= logs.max(axis=1, keepdims=True)
        shares = np.exp(logs, out=logs)
        shares /= shares.sum(axis=1, keepdims=True)
        return shares, squares.min(axis=1)

    def in_few_directions(self, axes: np.ndarray | None = None) -> Discriminant:
        """The same memberships from the directions in which the means differ, at most k − 1.

        With ``axes`` (p, r), of points whose coordinates ``points @ axes`` this discriminant is for.
        """
        centred = self.means - self.means.mean(axis=0)
        _, lengths, directions = np.linalg.svd(centred, full_matrices=False)
        kept = directions[lengths > 1e-9 * max(float(lengths[0]), np.finfo(float).tiny)].T
        turned = self.turned if axes is None else axes @ self.turned
        return Discriminant(self.means @ kept, turned @ kept, self.log_shares)

    def renumbered(self, order: np.ndarray) -> Discriminant:
        """The same with clusters in another order: the new c is the old ``order[c]``."""
        return Discriminant(self.means[order], self.turned, self.log_shares[order])


@dataclass(frozen=True)
class Membership:
    """A map from samples to memberships, learned from those that were clustered.

    Attributes
    ----------
    n_clusters : int
    discriminant : Discriminant, or None if neighbours tell the clusters better
    reach : tuple of two floats, or None
        The largest squared distances of clustered samples from their nearest mean and from the origin. Of other samples
        within these, neighbours need not be looked for: they are not outliers. The discriminant is then one of joint points.
        None if neighbours are always looked for, in the coordinates of the voting space.
    """

    n_clusters: int
    discriminant: Discriminant | None
    reach: tuple[float, float] | None = None

    @classmethod
    def learn(cls, space: VotingSpace, labels: np.ndarray, k: int) -> tuple[Membership, np.ndarray]:
        """The map, and the memberships of the clustered samples, each by what was learned without it."""
        votes, points = space.votes(), space.clustered.astype(float)
        by_votes = votes.shares(labels, k)
        by_clouds = out_of_fold(points, labels, k) if k > 1 and len(labels) >= 2 * _FOLDS else None
        if by_clouds is not None and _found(by_clouds, labels) >= _found(by_votes, labels):
            learned = cls(k, Discriminant.learn(points, labels, k))
            return learned, learned.final(by_clouds, labels, votes.outlier_scores)
        learned = cls(k, None)
        return learned, learned.final(by_votes, labels, votes.outlier_scores)

    def of(self, points: np.ndarray, votes: Votes, shares: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """The memberships of other samples with these labels, (n, k)."""
        found = shares if self.discriminant is None else self.discriminant.memberships(points.astype(float))
        return self.final(found, labels, votes.outlier_scores)

    def renumbered(self, order: np.ndarray) -> Membership:
        """The same with clusters in another order: the new c is the old ``order[c]``."""
        clouds = None if self.discriminant is None else self.discriminant.renumbered(order)
        return Membership(self.n_clusters, clouds, self.reach)

    def final(self, found: np.ndarray, labels: np.ndarray, outlier_scores: np.ndarray) -> np.ndarray:
        """Memberships that are equal for outliers, and largest in the sample's own cluster."""
        k = self.n_clusters
        certain = np.minimum(1.0, 2.0 ** (1 - outlier_scores))
        mixed = certain[:, None] * found + (1 - certain[:, None]) / k
        rows = np.arange(len(labels))
        mixed[rows, labels] = np.maximum(mixed[rows, labels], mixed.max(axis=1) + ABOVE)
        return np.asarray(mixed / mixed.sum(axis=1, keepdims=True))


def out_of_fold(points: np.ndarray | Callable[[np.ndarray], np.ndarray], labels: np.ndarray, k: int) -> np.ndarray:
    """Memberships of each fold by the clouds of the others.

    ``points`` are those of all samples, or a function that makes them from the others (a mask).
    """
    found = np.empty((len(labels), k))
    fold = np.arange(len(labels)) % _FOLDS
    for f in range(_FOLDS):
        placed = points(fold != f) if callable(points) else points
        found[fold == f] = Discriminant.learn(placed[fold != f], labels[fold != f], k).memberships(placed[fold == f])
    return found


def _found(memberships: np.ndarray, labels: np.ndarray) -> float:
    """The share of labels that the memberships give back."""
    return float(np.mean(memberships.argmax(axis=1) == labels))
