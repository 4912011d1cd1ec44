"""The number of clusters: a profile over all numbers, from the graphs of the fit."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from viewfuse.cluster.auto.measure import measured_samples
from viewfuse.cluster.counting import count_clusters, count_clusters_of_graphs, default_counts, profile
from viewfuse.cluster.structure import Evidence
from viewfuse.graphs import Samples
from viewfuse.selection import choose_n_clusters


def counted(views, counts=None):
    samples = Samples(tuple(np.asarray(view, dtype=float) for view in views))
    return count_clusters(samples, counts)


def blobs(rng, sizes, columns=(4, 6), apart=8.0):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return [apart * rng.normal(size=(len(sizes), d))[labels] + rng.normal(size=(len(labels), d)) for d in columns]


@pytest.mark.parametrize("k", [2, 3, 6, 10, 15])
def test_clear_blobs(k):
    rng = np.random.default_rng(k)
    assert counted(blobs(rng, [40] * k)).suggested == k


@pytest.mark.parametrize("seed", range(3))
def test_sizes_of_one_to_twenty(seed):
    assert counted(blobs(np.random.default_rng(seed), [300, 120, 40, 15])).suggested == 4


@pytest.mark.parametrize("seed", range(3))
def test_clusters_of_fewer_samples_than_neighbours(seed):
    assert counted(blobs(np.random.default_rng(seed), [200, 90, 9, 6, 5], apart=10.0)).suggested == 5


def test_two_clusters_of_one_to_twenty():
    assert counted(blobs(np.random.default_rng(0), [400, 20])).suggested == 2


def test_the_number_is_the_same_for_every_seed():
    rng = np.random.default_rng(0)
    views = blobs(rng, [40, 30, 30], apart=1.2)
    assert {choose_n_clusters(views, random_state=seed).suggested for seed in range(3)} == {
        choose_n_clusters(views).suggested
    }


def test_many_small_clusters():
    assert counted(blobs(np.random.default_rng(0), [12] * 40)).suggested == 40


def test_clusters_of_clusters_hold_too():
    rng = np.random.default_rng(0)
    large = np.repeat(np.eye(3) * 15, 3, axis=0)
    small = large + np.tile(4 * np.eye(3), (3, 1))
    labels = np.repeat(np.arange(9), 40)
    found = counted([small[labels] + rng.normal(size=(360, 3))])
    assert {found.suggested, *found.also} >= {3, 9}
    assert "also hold" in found.sentence()
    assert "also holds" in str(found)


def test_outliers_are_not_clusters():
    rng = np.random.default_rng(0)
    views = blobs(rng, [80, 80, 80])
    for view in views:
        view[:4] *= 15
    assert counted(views).suggested == 3


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("draw", ["normal", "uniform"])
def test_noise_has_none(draw, seed):
    rng = np.random.default_rng(seed)
    found = counted([getattr(rng, draw)(size=(200, d)) for d in (2, 5)])
    assert not found.structured
    assert found.suggested == 1
    assert found.also == ()
    assert found.sentence() == "no clusters"
    assert "There are no clusters" in str(found)


def test_score_is_the_sum_of_its_parts_and_the_table_begins_with_the_suggested():
    found = counted(blobs(np.random.default_rng(0), [40] * 3), range(2, 8))
    np.testing.assert_allclose(found.score, found.gain + found.agreement)
    assert found.counts.tolist() == [2, 3, 4, 5, 6, 7]
    assert found.ranked[0] == found.to_frame().index[0] == found.suggested == 3
    assert str(found).splitlines()[1].endswith("← suggested")


def suggested(scores, supported, unbalanced=()):
    """The number that is suggested for these scores, if there is evidence for the numbers in ``supported``."""
    rows = {k: profile._Row(0.0, score, 0.0, 0.0, k not in unbalanced) for k, score in scores.items()}
    return profile._best_supported(rows, lambda k: Evidence(0.1 if k in supported else 0.9, False, 0.0))


def test_a_number_without_gain_is_not_the_best_unless_there_is_no_other():
    """Both graphs may set the same few odd samples apart."""
    odd, usual = profile._Row(0.0, -0.1, 0.9, 0.1, True), profile._Row(0.0, 0.3, 0.3, 0.1, True)
    assert profile._best({2: odd, 7: usual}) == 7
    assert profile._best({2: odd}) == 2


def test_a_jump_over_half_of_a_cloud_counts_more_than_nearly_the_best_score():
    near, clear = profile._Row(0.2, 0.1, 0.9, 0.64, True), profile._Row(0.6, 0.2, 0.8, 0.7, True)
    assert profile._best({2: near, 3: clear}) == 3
    assert profile._best({2: near, 3: replace(clear, jump=0.4)}) == 2
    assert profile._best({2: near, 3: replace(clear, balanced=False)}) == 2


def test_a_number_without_evidence_gives_way_to_the_next_best():
    scores = {2: 0.3, 3: 0.9, 4: 0.86, 8: 1.0}
    assert suggested(scores, {2, 3, 4, 8}) == 8
    assert suggested(scores, {2, 3, 4}) == 3
    assert suggested(scores, {2, 4}) == 4


def test_evidence_for_a_number_that_fits_badly_does_not_count():
    assert suggested({2: 0.3, 8: 1.0}, {2}) is None
    assert suggested({2: -0.3, 8: -0.1}, {2}) is None
    assert suggested({7: 0.9, 8: 1.0}, {7}, unbalanced=(7,)) is None
    assert suggested({}, set()) is None


def four_apart_and_two_near(rng):
    """Six clusters: four lie apart from each other and from two that touch."""
    centres = 12 * np.eye(5)[[0, 1, 2, 3, 4, 4]]
    centres[5, 0] = 2.6
    labels = np.repeat(np.arange(6), [50, 50, 50, 50, 110, 110])
    return [centres[labels] + rng.normal(size=(len(labels), 5)) for _ in range(2)]


@pytest.mark.parametrize("seed", [0, 2])
def test_clusters_of_a_piece_that_lies_apart_are_counted(seed):
    # The graph falls apart into five pieces, with a relative gap near 1. Five was taken for the number.
    found = counted(four_apart_and_two_near(np.random.default_rng(seed)), range(2, 13))
    assert found.gap[found.counts == 5] > 0.9
    assert found.suggested == 6
    assert 5 in found.also


@pytest.mark.parametrize("seed", range(3))
def test_curves_that_lie_apart_are_not_divided(seed):
    rng = np.random.default_rng(seed)
    angle = np.pi * rng.random((2, 250))
    upper = np.column_stack([np.cos(angle[0]), np.sin(angle[0])])
    lower = np.column_stack([1 - np.cos(angle[1]), 0.5 - np.sin(angle[1])])
    points = np.vstack([upper, lower])
    assert counted([points + 0.05 * rng.normal(size=points.shape) for _ in range(2)]).suggested == 2


def rows_of(certain, scores):
    """Rows of these scores; those in ``certain`` lie apart, but the next eigenvalue is far below that of a cloud."""
    return {
        k: profile._Row(0.1, score, 0.0, 1.0, True, 0.1) if k in certain else profile._Row(0.0, score, 0.0, 0.0, True)
        for k, score in scores.items()
    }


def left(rows, dividing, supported):
    kept = profile._without_coarse(
        rows, lambda k: Evidence(0.1 if k in supported else 0.9, False, 0.0), lambda k: k in dividing
    )
    return sorted(kept)


def test_numbers_whose_clusters_divide_are_left_out_unless_no_other_holds():
    rows = rows_of({2, 3}, {2: 0.2, 3: 0.3, 4: 0.8, 5: 0.9})
    every = {2, 3, 4, 5}
    assert left(rows, set(), every) == [2, 3, 4, 5]
    assert left(rows, {2}, every) == [3, 4, 5]
    assert left(rows, {3}, every) == [2, 3, 4, 5]  # 2 is taken before, and holds
    assert left(rows, {2, 3}, every) == [4, 5]
    assert left(rows, {2, 3, 4, 5}, every) == [4, 5]  # only pieces that lie apart are asked
    assert left(rows, {2, 3}, {2, 3}) == [2, 3, 4, 5]


def test_a_piece_is_asked_only_if_it_divides_more_easily_than_a_cloud():
    assert profile._Row(0.4, 0.0, 0.0, 0.9, True, 0.45).may_divide
    assert not profile._Row(0.6, 0.0, 0.0, 0.9, True, 0.65).may_divide
    assert not profile._Row(0.4, 0.0, 0.0, 0.5, True, 0.45).may_divide


def one_large_and_two_small(rng):
    """Three clusters that touch; each view tells a small one from the others."""
    labels = np.repeat(np.arange(3), [300, 40, 40])
    return [
        np.column_stack([5.0 * (labels == small), np.zeros(len(labels))]) + rng.normal(size=(len(labels), 2))
        for small in (1, 2)
    ]


def test_a_number_with_a_small_score_holds_if_its_clusters_come_back():
    # Modularity is small for unequal sizes, agreement if views see different clusters. There were "no clusters".
    samples = Samples(tuple(one_large_and_two_small(np.random.default_rng(1))))
    found = profile._Profile.of(samples)
    assert profile._best_supported(found.rows, found.evidence_of) is None
    counts = count_clusters(samples)
    assert counts.suggested == 3
    assert counts.evidence.comes_back


def test_a_number_with_a_small_score_does_not_hold_if_its_clusters_do_not_come_back(monkeypatch):
    samples = Samples(tuple(one_large_and_two_small(np.random.default_rng(1))))
    monkeypatch.setattr(profile, "with_halves", lambda evidence, *_: replace(evidence, returned=0.6, null_returned=0.5))
    assert count_clusters(samples).suggested == 1


def wide(amplitude):
    """Clusters of 60 to 100 samples in 200 columns, of which 40 differ between them."""
    rng, labels = np.random.default_rng(0), np.repeat(np.arange(5), [60, 70, 80, 90, 100])
    means = np.zeros((5, 200))
    means[:, :40] = amplitude * rng.normal(size=(5, 40))
    return measured_samples([means[labels] + rng.normal(size=(400, 200))], None, [False])


def test_clusters_in_many_columns_are_counted_by_halves():
    # Each is divided more easily than it is cut out. There were "no clusters".
    samples = wide(0.8)
    found = profile._Profile.of(samples)
    assert profile._best_supported(found.rows, found.evidence_of) is found.that_comes_back() is None
    counts = count_clusters(samples)
    assert counts.suggested == 5
    assert counts.evidence.division > 0.75
    assert counts.evidence.comes_back


def test_few_numbers_are_asked_by_halves(monkeypatch):
    asked, found = [], profile._Profile.of(wide(0.0), range(2, 10))
    monkeypatch.setattr(profile, "_from_best", lambda rows: iter(sorted(rows)))
    monkeypatch.setattr(found, "_evidence_by_halves", lambda k: asked.append(k) or Evidence(1.0, False, 0.0))
    assert found.supported_by_halves(found.rows) is None
    assert asked == [2, 3, 4]


def test_pieces_of_equal_samples_are_not_divided():
    rng = np.random.default_rng(0)
    views = blobs(rng, [60, 200])
    for view in views:
        view[60:] = view[60]
    assert counted(views).suggested == 2


@pytest.mark.parametrize("seed", range(3))
def test_numbers_that_also_hold_have_evidence(seed, monkeypatch):
    views = blobs(np.random.default_rng(seed), [50] * 6, apart=3.0)
    before = counted(views)
    only = Evidence.of

    def of_few(graph, found, nulls, labels, returned=None):
        return (
            only(graph, found, nulls, labels, returned)
            if labels.max() + 1 == before.suggested
            else Evidence(0.9, False, 0.0)
        )

    monkeypatch.setattr(Evidence, "of", of_few)
    assert counted(views).also == ()
    assert counted(views).suggested == before.suggested


def test_same_number_in_single_precision():
    rng = np.random.default_rng(1)
    views = blobs(rng, [60] * 4, apart=2.0)
    assert counted(views).suggested == counted([view.astype(np.float32) for view in views]).suggested


def test_large_data_are_sampled():
    found = counted(blobs(np.random.default_rng(0), [900] * 3))
    assert found.suggested == 3


def test_numbers_that_are_tried():
    assert default_counts(20) == [2, 3, 4]
    assert default_counts(3) == [2]
    counts = default_counts(10_000)
    assert counts[:19] == list(range(2, 21))
    assert counts[-1] == 160
    assert all(b > a for a, b in pairwise(counts))


def test_every_number_around_the_best_is_tried():
    rng = np.random.default_rng(0)
    found = counted(blobs(rng, [20] * 25, columns=(6, 8), apart=12.0))
    assert found.suggested == 25  # which is not among the default numbers
    assert 25 not in default_counts(500)


@pytest.mark.parametrize("n", [3, 6])
def test_few_samples(n):
    assert counted([np.random.default_rng(0).normal(size=(n, 3))]).suggested == 1


def test_duplicates_only():
    found = counted([np.repeat([[0.0, 0.0], [5.0, 5.0]], 30, axis=0)])
    assert found.suggested in (1, 2)


def test_given_graphs():
    labels = np.repeat(np.arange(3), 30)
    graph = np.random.default_rng(0).random((90, 90)) * np.where(labels[:, None] == labels, 1, 0.1)
    graph += graph.T
    dense = count_clusters_of_graphs([graph, graph])
    sparse = count_clusters_of_graphs([sp.csr_array(graph)] * 2)
    assert dense.suggested == sparse.suggested == 3
    random = np.random.default_rng(0).random((90, 90))
    assert count_clusters_of_graphs([random + random.T]).suggested == 1
