"""Which of several clusterings is right: what others find, what comes back in halves, what the views support."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from viewfuse import AutoFusion
from viewfuse.cluster.auto.candidates import JOINT, Candidate
from viewfuse.cluster.auto.choice import agreement_of
from viewfuse.cluster.auto.merit import merits_of, returned_of
from viewfuse.cluster.verdict import Returned
from viewfuse.graphs import Samples


@pytest.fixture
def samples():
    rng = np.random.RandomState(0)
    y = np.repeat([0, 1, 2], 40)
    return Samples(tuple(6.0 * np.eye(3)[y] + rng.standard_normal((120, 3)) for _ in range(2))), y


def candidate(samples, labels):
    return Candidate(JOINT, labels, samples.joint(), samples.joint_graph())


def arbitrary(y):
    """Divides one cluster and joins two."""
    return np.where(y == 2, 1, np.where(np.random.RandomState(1).permutation(len(y)) % 2 == 0, 0, 2))


def test_halves_give_the_true_clusters_again_and_not_arbitrary_ones(samples):
    samples, y = samples
    true, false = (returned_of(candidate(samples, labels), samples, None, seed=0) for labels in (y, arbitrary(y)))
    assert true.agreement > 0.95 > 0.6 > false.agreement
    assert true.shares.min() > 0.95


def test_the_true_clusters_have_most_merit(samples):
    samples, y = samples
    candidates = [candidate(samples, labels) for labels in (arbitrary(y), y, np.roll(y, 2))]
    agreement = agreement_of([each.labels for each in candidates])
    candidates = [replace(each, name=name) for each, name in zip(candidates, ("arbitrary", "true", "moved"), strict=True)]
    returned = [returned_of(replace(each, name=JOINT), samples, None, seed=0) for each in candidates]
    merits = merits_of(candidates, agreement, returned, samples)
    assert max(merits, key=lambda name: merits[name].total) == "true"


def test_support_of_the_views_is_the_share_of_neighbours_inside_beyond_chance(samples):
    samples, y = samples
    merit = merits_of([candidate(samples, y)], np.eye(1), [Returned((), np.full(3, np.nan))], samples)[JOINT]
    direct = []
    for neighbors in samples.view_neighbors:
        inside = np.mean([y[i] == y[j] for i in range(len(y)) for j in neighbors[i]])
        direct.append((inside - 1 / 3) / (1 - 1 / 3))
    assert merit.inside == pytest.approx(np.mean(direct))


@pytest.mark.parametrize("draw", [3, 7])
def test_views_that_each_see_a_factor_of_the_clusters(draw):
    """Eight clusters from three views with two each: only the joint neighbours see them all, so that none agrees."""
    rng = np.random.default_rng([424242, draw, 6])
    factors = rng.integers(0, 2, (3, 540))
    y = np.array([4, 2, 1]) @ factors
    views = [(3 * rng.normal(size=(2, 5)))[factor] + rng.normal(size=(540, 5)) for factor in factors]
    model = AutoFusion(8, random_state=0).fit(views)
    assert model.choice_.chosen == JOINT
    assert adjusted_rand_score(y, model.labels_) > 0.8
