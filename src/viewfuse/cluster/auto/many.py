"""The rules by which many samples are assigned, learned from the few that were clustered.

Neighbours are looked for among 1,500 of the clustered samples, which is most of the work for each of the others. Where
clusters are clouds it is not needed: a discriminant, learned from all clustered samples, finds as many labels of samples
that are left out. Then neighbours are looked for only where a sample is farther from all means than any clustered sample, so
that it may be an outlier.
"""

from __future__ import annotations

import numpy as np

from .labelling import LEAST_PER_CLUSTER, Labelling, LinearRule
from .membership import Discriminant, Membership, out_of_fold
from .votes import VotingSpace

__all__ = ["labels_and_memberships", "rules_of_many"]


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
    points = space.coordinates(joint).astype(float)
    by_votes = float(np.mean(space.votes().shares(labels[voters], k).argmax(axis=1) == labels[voters]))
    by_clouds = float(np.mean(out_of_fold(points, labels, k).argmax(axis=1) == labels))
    linear, found = LinearRule.learn(joint, labels, k)
    by_linear = float(np.mean(found == labels))
    if by_clouds < by_votes:
        return Labelling(linear=linear) if by_linear > by_votes else Labelling(), Membership(k, None)
    clouds = Discriminant.learn(points, labels, k)
    farthest = float(clouds.memberships_and_distances(points)[1].max())
    labelling = Labelling(linear=linear) if by_linear > by_clouds else Labelling(clouds=clouds)
    return labelling, Membership(k, clouds, farthest)


def labels_and_memberships(
    joint: np.ndarray, space: VotingSpace, labelling: Labelling, membership: Membership, known: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Labels and memberships of samples by a discriminant; the label of some may be ``known`` (−1 if not)."""
    assert membership.discriminant is not None, "there is a discriminant"
    assert membership.farthest is not None, "and a distance beyond which a sample may be an outlier"
    points = space.coordinates(joint)
    found, distances = membership.discriminant.memberships_and_distances(points)
    labels = found.argmax(axis=1) if labelling.linear is None else labelling.linear(joint)
    if known is not None:
        labels = np.where(known >= 0, known, labels)
    scores = np.zeros(len(points))
    far = np.flatnonzero(distances > membership.farthest)
    if far.size:
        scores[far] = space.votes(points[far]).outlier_scores
    return labels, membership.final(found, labels, scores)
