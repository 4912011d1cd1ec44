"""Which samples and which ways of clustering a choice is made by."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from viewfuse import AutoFusion
from viewfuse._utils.agreement import adjusted_rand
from viewfuse.cluster import structure
from viewfuse.cluster.auto import candidates, choosing
from viewfuse.cluster.auto.candidates import JOINT, MEANS, TOGETHER, Candidate, Task, all_together, k_means, means_suit
from viewfuse.cluster.auto.choosing import Chooser
from viewfuse.cluster.auto.joint import clearest_cut
from viewfuse.cluster.auto.measure import measured_samples
from viewfuse.cluster.auto.merit import Merit, odds
from viewfuse.cluster.verdict import Returned
from viewfuse.datasets import make_views
from viewfuse.graphs import Samples
from viewfuse.metrics import accuracy


def overlapping(**options):
    return make_views(n_samples=160, n_clusters=5, noise=6.0, random_state=1, **options)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_way_that_suits_some_samples_clusters_all(monkeypatch, missing):
    monkeypatch.setattr(structure, "_MOST_SAMPLES", 80)
    model = AutoFusion(5, random_state=0).fit(overlapping(missing=missing))
    assert model.labels_.shape == (160,)
    assert set(model.labels_) == set(range(5))
    assert model.affinity_matrix_.shape == (160, 160)
    assert model.embedding_.shape == (160, 5)
    assert len(model.choice_.candidates) == (5 if missing else 4)


def test_with_gaps_all_ways_that_differ_are_used_together():
    model = AutoFusion(5, random_state=0).fit(overlapping(missing=0.3))
    assert model.choice_.chosen == TOGETHER
    assert "missing from views" in str(model.choice_)
    assert len(model.choice_.returned) == len(model.choice_.candidates) == 5


def candidate_of(name, labels):
    return Candidate(
        name, labels, np.eye(labels.max() + 1)[labels], sp.csr_array(np.equal.outer(labels, labels).astype(float))
    )


@pytest.mark.parametrize("preferred", [0, 1])
def test_all_together_follows_the_ways_that_come_back(preferred, monkeypatch):
    """Two ways that contradict each other, and a second draw of the anchors."""
    one, other = np.repeat([0, 1], 20), np.tile([0, 1], 20)
    ways = [candidate_of(JOINT, one), candidate_of("anchors", other)]
    monkeypatch.setattr(candidates, "anchors", lambda task, effort: ways[1])
    weights = [odds(Returned((back,), np.ones(2))) for back in np.roll([0.9, 0.3], preferred)]
    task = Task(Samples((np.zeros((40, 1)),)), 2, 0, None)
    found = all_together(ways, weights, task)
    assert adjusted_rand(found.labels, [one, other][preferred]) == 1
    assert found.weights == tuple(weights)
    np.testing.assert_allclose(found.graph.sum(axis=1), 1)  # the weights of the normalized graphs sum to 1


@pytest.mark.parametrize(
    ("back", "expected"), [((0.5, 0.5), 1.0), ((0.75,), 3.0), ((-0.2,), 0.01 / 0.99), ((1.0,), 99.0), ((), 1.0)]
)
def test_odds(back, expected):
    assert odds(Returned(back, np.ones(2))) == pytest.approx(expected)


def test_without_time_the_first_candidate_is_taken():
    with pytest.warns(match="max_time"):
        model = AutoFusion(5, random_state=0, max_time=1e-9).fit(overlapping(missing=0.3))
    assert model.choice_.candidates == ("joint neighbours",)
    assert np.isfinite(model.embedding_).all()


def small_clouds(seed, n=160, k=6, columns=8):
    """Few samples of clusters of other sizes that touch, in two views."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(k, 3.0))
    y = np.concatenate([np.arange(k), rng.choice(k, n - k, p=shares)])
    points = 2.2 * rng.normal(size=(k, columns))[y] + rng.normal(size=(n, columns))
    return Samples((points[:, : columns // 2], points[:, columns // 2 :])), y


def chooser():
    return Chooser(None, np.random.RandomState(0), 0.0, None, 0)


def test_means_are_those_of_the_values_and_need_enough_samples():
    samples, _ = small_clouds(0)
    first = candidate_of(JOINT, np.repeat([0, 1], 80))
    found = k_means(first, Task(samples, 6, 0, None))
    centres = np.stack([samples.joint()[found.labels == c].mean(axis=0) for c in range(6)])
    distance = np.linalg.norm(samples.joint()[:, None] - centres[None], axis=2)
    np.testing.assert_array_equal(distance.argmin(axis=1), found.labels)
    assert found.graph is first.graph
    assert means_suit(samples)
    assert not means_suit(samples.of_rows(np.arange(31)))
    assert not means_suit(Samples(samples.points, np.random.default_rng(0).random((160, 2)) < 0.9))


def test_what_came_back_stays_with_its_cluster_when_samples_are_moved():
    merit = Merit(0.5, Returned((0.9,), np.array([0.9, 0.3])), 0.5)  # of clusters 1 and 0, by size
    before, after = np.repeat([0, 1], [40, 60]), np.repeat([0, 1], [55, 45])
    assert choosing._by_new_sizes(merit, before, before).returned.shares.tolist() == [0.9, 0.3]
    assert choosing._by_new_sizes(merit, before, after).returned.shares.tolist() == [0.3, 0.9]


def unequal_logarithms(seed=20):
    """Three views of 200 samples, a tenth of the columns informative, and five clusters of 8 to 122 samples."""
    rng = np.random.default_rng([4242, seed, 5])
    k = int(rng.integers(2, 6))
    shares = np.maximum(rng.dirichlet(np.full(k, 2.0)), 0.04)
    y = rng.choice(k, 200, p=shares / shares.sum())
    views = []
    for d in (300, 80, 150):
        means = np.zeros((k, d))
        means[:, : d // 10] = rng.normal(size=(k, d // 10)) * 1.2
        views.append(means[y] + rng.normal(size=(200, d)) * 0.8 + rng.normal(size=d))
    return views, y


def test_clusters_of_unequal_sizes_are_found_by_the_uneven_cut():
    views, y = unequal_logarithms()
    model = AutoFusion(5, random_state=0).fit(views)
    assert accuracy(y, model.labels_) > 0.97
    assert model.choice_.chosen == JOINT
    assert model.choice_.reason.endswith("cut into clusters of unequal sizes")


@pytest.mark.parametrize(
    ("agreement", "back", "inside", "is_taken"),
    [(0.6, 0.9, 0.9, True), (0.9, 0.9, 0.3, False), (0.9, 0.3, 0.9, False), (0.3, 0.9, 0.9, False)],
)
def test_an_uneven_cut_is_taken_only_if_it_is_better_in_every_merit(agreement, back, inside, is_taken, monkeypatch):
    samples, _ = small_clouds(0)
    usual = candidate_of(JOINT, np.repeat([0, 1], 80))
    other = replace(usual, labels=np.repeat([0, 1], [20, 140]), uneven=True)
    found = {False: (0.6, 0.6), True: (agreement, inside)}
    monkeypatch.setattr(
        choosing, "merit_of", lambda each, back, *_: Merit(found[each.uneven][0], back, found[each.uneven][1])
    )
    fused = candidate_of("fused graphs", usual.labels)
    back_of = [Returned((0.6,), np.ones(2)), Returned((0.5,), np.ones(2))]
    better = Returned((back,), np.ones(2))
    ways, returned = [usual, fused], list(back_of)
    choosing._take_better_cuts(ways, returned, {0: other}, [better], samples)
    assert ways == [other if is_taken else usual, fused]
    assert returned == [better if is_taken else back_of[0], back_of[1]]


def test_few_samples_that_lie_apart_are_no_better_clusters_than_what_all_ways_find():
    """A tenth of the samples, found by the uneven cut alone, is not what the others find."""
    usual = candidate_of(JOINT, np.repeat([0, 1], 80))
    other = replace(usual, labels=(np.arange(160) % 10 == 0).astype(int), uneven=True)
    rest = [candidate_of("anchors", usual.labels), candidate_of("fused graphs", usual.labels)]
    assert choosing._agreement_with(usual, rest) == 1
    assert choosing._agreement_with(other, rest) < 0.05


def test_an_uneven_cut_of_some_samples_is_made_of_all(monkeypatch):
    views, y = unequal_logarithms()
    monkeypatch.setattr(structure, "_MOST_SAMPLES", 190)
    samples = measured_samples(views, None, [False] * 3)
    cut = replace(clearest_cut(samples, 5, np.random.RandomState(0)), gap=0.0)
    found = chooser().choose(samples, cut, None)
    assert len(found.candidates[0].labels) == 190
    assert found.best.uneven
    assert len(found.best.labels) == 200
    assert accuracy(y, found.best.labels) > 0.97


@pytest.mark.parametrize(("smallest", "is_considered"), [(30, True), (3, False), (80, False)])
def test_an_uneven_cut_is_considered_if_it_differs_and_has_no_cluster_of_outliers(smallest, is_considered, monkeypatch):
    samples, _ = small_clouds(0)
    usual = candidate_of(JOINT, np.repeat([0, 1], 80))
    other = replace(usual, labels=np.repeat([0, 1], [smallest, 160 - smallest]), uneven=True)
    monkeypatch.setattr(choosing, "uneven", lambda *_: other)
    assert chooser()._uneven([usual, candidate_of(MEANS, usual.labels)], samples, 2) == ({0: other} if is_considered else {})


def test_a_certain_cut_is_not_compared(monkeypatch):
    samples, _ = small_clouds(0)
    cut = replace(clearest_cut(samples, 6, np.random.RandomState(0)), gap=0.95)
    monkeypatch.setattr(choosing, "k_means", lambda *args: pytest.fail("nothing speaks against such a cut"))
    assert chooser().choose(samples, cut, None).names == (JOINT,)


def test_means_that_suit_some_samples_cluster_all(monkeypatch):
    """In 14 columns no mixture is made, and the clusters touch."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 4, 400)
    points = 0.7 * rng.normal(size=(4, 14))[y] + rng.normal(size=(400, 14))
    monkeypatch.setattr(structure, "_MOST_SAMPLES", 200)
    monkeypatch.setattr(Merit, "total", property(lambda merit: merit.returned is means_back))
    means_back = Returned((0.5,), np.ones(4))
    known = choosing.returned_of
    monkeypatch.setattr(
        choosing, "returned_of", lambda candidate, *args: means_back if candidate.name == MEANS else known(candidate, *args)
    )
    model = AutoFusion(4, random_state=0).fit([points[:, :7], points[:, 7:]])
    assert len(model.choice_.candidates) == 5
    assert model.choice_.chosen == MEANS
    assert set(model.labels_) == set(range(4))
