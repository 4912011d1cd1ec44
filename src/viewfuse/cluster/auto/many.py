"""The rules by which many samples are assigned, learned from the few that were clustered.

Neighbours are looked for among 1,500 of the clustered samples, which is most of the work for each of the others. Where
clusters are clouds it is not needed: a discriminant, learned from all clustered samples, finds as many labels of samples
that are left out. Then neighbours are looked for only where a sample is farther from all means than any clustered sample, so
that it may be an outlier. The discriminant needs the few directions in which the means differ, so that its cost is one
product with a p × (k − 1) matrix.
"""

from __future__ import annotations

import numpy as np

from .labelling import LEAST_PER_CLUSTER, Labelling, LinearRule
from .membership import Discriminant, Membership, out_of_fold
from .votes import VotingSpace

__all__ = ["labels_and_memberships", "rules_of_many"]

_MOST_TESTED = 10_000  # clustered samples that are left out in turn
_MOST_COLUMNS = 500  # of joint points whose covariances are estimated; of more, in the coordinates of the voting space


def rules_of_many(
    joint: np.ndarray, space: VotingSpace, labels: np.ndarray, voters: np.ndarray, k: int
) -> tuple[Labelling, Membership]:
    """Choose the rules by which labels of left-out samples are found best.

    Parameters
    ----------
    joint : (n, p) array, the joint points of the clustered samples
    space : VotingSpace of the voters
    labels : (n,) array of int
    voters : array of int, the positions of the voters among the clustered samples
    k : int, the number of clusters
    """
    if k < 2 or len(labels) < LEAST_PER_CLUSTER * k:
        return Labelling(), Membership(k, None)
    by_votes = float(np.mean(space.votes().shares(labels[voters], k).argmax(axis=1) == labels[voters]))
    narrow = joint.shape[1] <= _MOST_COLUMNS or space.axes is None
    points = (joint if narrow else space.coordinates(joint)).astype(float, copy=False)
    some = (
        np.unique(np.linspace(0, len(labels) - 1, _MOST_TESTED).astype(int)) if len(labels) > _MOST_TESTED else slice(None)
    )
    by_clouds = float(np.mean(out_of_fold(points[some], labels[some], k).argmax(axis=1) == labels[some]))
    linear, found = LinearRule.learn(joint[some], labels[some], k)
    by_linear = float(np.mean(found == labels[some]))
    if by_clouds < by_votes:
        return Labelling(linear=linear) if by_linear > by_votes else Labelling(), Membership(k, None)
    clouds = Discriminant.learn(points, labels, k).in_few_directions(None if narrow else space.axes)
    from_means = clouds.memberships_and_distances(joint)[1]
    reach = float(from_means.max()), float(_squared_lengths(joint).max())
    labelling = Labelling(linear=linear) if by_linear > by_clouds else Labelling(clouds=clouds)
    return labelling, Membership(k, clouds, reach)


def _squared_lengths(points: np.ndarray) -> np.ndarray:
    return np.asarray(np.einsum("ij,ij->i", points, points))


def labels_and_memberships(
    joint: np.ndarray, space: VotingSpace, labelling: Labelling, membership: Membership, known: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Labels and memberships of samples by a discriminant; the label of some may be ``known`` (−1 if not)."""
    assert membership.discriminant is not None, "there is a discriminant"
    assert membership.reach is not None, "and the reach of the clusters"
    found, from_means = membership.discriminant.memberships_and_distances(joint)
    labels = found.argmax(axis=1) if labelling.linear is None else labelling.linear(joint)
    if known is not None:
        labels = np.where(known >= 0, known, labels)
    scores = np.zeros(len(joint))
    far = np.flatnonzero((from_means > membership.reach[0]) | (_squared_lengths(joint) > membership.reach[1]))
    if far.size:
        scores[far] = space.votes(space.coordinates(joint[far])).outlier_scores
    return labels, membership.final(found, labels, scores)
