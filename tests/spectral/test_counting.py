"""How many clusters: the gain against its definition, planted graphs, and graphs without clusters."""

import numpy as np
import pytest
import scipy.sparse as sp

from viewfuse.spectral import count_clusters, default_counts, partition_gain


def planted(sizes, within, between, seed=0):
    rng = np.random.RandomState(seed)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    rate = np.where(labels[:, None] == labels[None, :], within, between)
    graph = np.triu(rng.random_sample(rate.shape) * rate, 1)
    return graph + graph.T, labels


def test_the_gain_is_the_difference_of_two_description_lengths():
    rng = np.random.RandomState(1)
    ties = np.triu(rng.random_sample((40, 40)) < 0.3, 1).astype(float)
    ties += ties.T
    labels = np.repeat([0, 1, 2], [10, 10, 20])
    # Tie by tie: its two ends' clusters are like or unlike, known at rate q, guessed at rate p.
    ends = ties.sum(axis=1) / ties.sum()
    p = sum(ends[i] * ends[j] for i in range(40) for j in range(40) if labels[i] == labels[j])
    pairs = [(i, j) for i in range(40) for j in range(i) if ties[i, j]]
    like = [labels[i] == labels[j] for i, j in pairs]
    q = np.mean(like)
    saved = sum(np.log(q / p) if same else np.log((1 - q) / (1 - p)) for same in like) if q > p else 0.0
    told = -sum(np.log(np.mean(labels == label)) for label in labels)
    assert partition_gain(sp.csr_array(ties), labels) == pytest.approx((saved - told) / 40, rel=1e-12)


def test_clusters_that_explain_nothing_cost_what_it_takes_to_name_them():
    ring = np.roll(np.eye(12), 1, axis=1)
    alternating = np.arange(12) % 2
    assert partition_gain(sp.csr_array(ring + ring.T), alternating) == pytest.approx(-np.log(2))


@pytest.mark.parametrize("sizes", [(60, 60), (50, 40, 30), (90, 20, 20, 20), (30,) * 7])
def test_planted_clusters_are_counted(sizes):
    graph, _ = planted(sizes, within=1.0, between=0.3)
    found = count_clusters(graph, range(2, 10), n_resamples=4, random_state=np.random.RandomState(0))
    assert found.structured
    assert found.suggested == found.ranked[0] == len(sizes)
    assert found.stability[found.counts == len(sizes)] > 0.9


def test_a_graph_without_clusters_has_none():
    graph, _ = planted((150,), within=1.0, between=1.0)
    found = count_clusters(graph, range(2, 8), n_resamples=4, random_state=np.random.RandomState(0))
    assert not found.structured
    assert found.suggested == 1
    assert "no clusters" in str(found)


def test_clusters_no_better_than_the_reference_are_none():
    graph, _ = planted((40, 40, 40), within=1.0, between=0.3)
    counts, options = range(2, 6), {"n_resamples": 2, "random_state": np.random.RandomState(0)}
    weaker = planted((120,), within=1.0, between=1.0)[0]
    assert count_clusters(graph, counts, references=[weaker], **options).structured
    alike = planted((40, 40, 40), within=1.0, between=0.3, seed=1)[0]
    assert not count_clusters(graph, counts, references=[weaker, alike], **options).structured


def test_the_table_is_ranked_and_converts():
    pytest.importorskip("pandas")
    graph, _ = planted((30, 30, 30), within=1.0, between=0.2)
    found = count_clusters(graph, [2, 3, 4], n_resamples=2, random_state=np.random.RandomState(0))
    frame = found.to_frame()
    assert list(frame.index) == list(found.ranked)
    assert frame.index[0] == 3
    assert frame.gain[3] == found.gain.max()
    assert str(found).splitlines()[1].endswith("← suggested")


@pytest.mark.parametrize(("n", "last"), [(3, 2), (9, 3), (400, 20), (10_000, 30)])
def test_the_numbers_tried_by_default(n, last):
    assert default_counts(n) == range(2, last + 1)
