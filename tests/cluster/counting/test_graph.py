"""The number of clusters: the gain against its definition, planted graphs, and graphs without clusters."""

import numpy as np
import pytest
import scipy.sparse as sp

from viewfuse.cluster.counting import count_clusters, default_counts, partition_gain
from viewfuse.cluster.counting import graph as counting


def planted(sizes, within, between, seed=0):
    rng = np.random.RandomState(seed)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    rate = np.where(labels[:, None] == labels[None, :], within, between)
    graph = np.triu(rng.random_sample(rate.shape) * rate, 1)
    return graph + graph.T, labels


def test_the_gain_is_the_difference_of_two_description_lengths():
    rng = np.random.RandomState(1)
    edges = np.triu(rng.random_sample((40, 40)) < 0.3, 1).astype(float)
    edges += edges.T
    labels = np.repeat([0, 1, 2], [10, 10, 20])
    # For each edge, whether both ends are in the same cluster costs log q with the clusters and log p without.
    ends = edges.sum(axis=1) / edges.sum()
    p = sum(ends[i] * ends[j] for i in range(40) for j in range(40) if labels[i] == labels[j])
    pairs = [(i, j) for i in range(40) for j in range(i) if edges[i, j]]
    like = [labels[i] == labels[j] for i, j in pairs]
    q = np.mean(like)
    saved = sum(np.log(q / p) if same else np.log((1 - q) / (1 - p)) for same in like) if q > p else 0.0
    naming = -sum(np.log(np.mean(labels == label)) for label in labels)
    assert partition_gain(sp.csr_array(edges), labels) == pytest.approx((saved - naming) / 40, rel=1e-12)


def test_clusters_that_explain_nothing_have_minus_their_entropy_as_gain():
    ring = np.roll(np.eye(12), 1, axis=1)
    alternating = np.arange(12) % 2
    assert partition_gain(sp.csr_array(ring + ring.T), alternating) == pytest.approx(-np.log(2))


@pytest.mark.parametrize("sizes", [(60, 60), (50, 40, 30), (90, 20, 20, 20), (30,) * 7])
def test_planted_clusters_are_found(sizes):
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


def test_clusters_no_better_than_the_reference_do_not_count():
    graph, _ = planted((40, 40, 40), within=1.0, between=0.3)
    counts, options = range(2, 6), {"n_resamples": 2, "random_state": np.random.RandomState(0)}
    weaker = planted((120,), within=1.0, between=1.0)[0]
    assert count_clusters(graph, counts, references=[weaker], **options).structured
    alike = planted((40, 40, 40), within=1.0, between=0.3, seed=1)[0]
    assert not count_clusters(graph, counts, references=[weaker, alike], **options).structured


def test_the_table_is_ranked_and_converts_to_a_frame():
    pytest.importorskip("pandas")
    graph, _ = planted((30, 30, 30), within=1.0, between=0.2)
    found = count_clusters(graph, [2, 3, 4], n_resamples=2, random_state=np.random.RandomState(0))
    frame = found.to_frame()
    assert list(frame.index) == list(found.ranked)
    assert frame.index[0] == 3
    assert frame.gain[3] == found.gain.max()
    assert str(found).splitlines()[1].endswith("← suggested")


@pytest.mark.parametrize(("n", "last"), [(3, 2), (9, 3), (400, 20), (10_000, 30)])
def test_default_numbers_of_clusters(n, last):
    assert default_counts(n) == range(2, last + 1)


@pytest.mark.parametrize("n", [12, 40, 90])
def test_edges_are_among_the_strongest_of_either_sample(n):
    graph, _ = planted((n,), 1.0, 1.0)
    graph += 9 * np.eye(n)  # self-loops do not count
    q = max(round(n**0.5), 5)
    for samples in (np.arange(n), np.arange(0, n, 2)):
        own = (graph - 9 * np.eye(n))[np.ix_(samples, samples)]
        threshold = np.sort(own, axis=1)[:, -max(round(len(samples) ** 0.5), 5)]
        either = (own >= threshold[:, None]) | (own >= threshold[None, :])
        edges = counting._RankedNeighbors.of(graph).subgraph(samples).toarray()
        np.testing.assert_allclose(edges, np.where(either, own, 0))
    ranked = counting._RankedNeighbors.of(graph)
    assert ranked.neighbors.shape == (n, min(2 * q + 5, n - 1))
    assert (np.diff(ranked.strengths, axis=1) <= 0).all()
    assert (ranked.neighbors != np.arange(n)[:, None]).all()


def test_edges_of_weight_0_are_dropped():
    graph = np.zeros((8, 8))
    graph[0, 1] = graph[1, 0] = 2.0
    assert counting._RankedNeighbors.of(graph).subgraph(np.arange(8)).nnz == 2


def test_the_sparse_laplacian_equals_its_dense_matrix():
    graph = planted((20,), 1.0, 1.0)[0]
    graph[4, :] = graph[:, 4] = 0
    laplacian = counting._SparseLaplacian.of(sp.csr_array(graph))
    degree = graph.sum(axis=1)
    root = np.where(degree > 0, 1 / np.sqrt(np.where(degree > 0, degree, 1)), 0)
    expected = np.eye(20) - root[:, None] * graph * root
    block = np.random.default_rng(0).normal(size=(20, 3))
    np.testing.assert_allclose(laplacian.dense(), expected)
    np.testing.assert_allclose(laplacian @ block, expected @ block)
    np.testing.assert_allclose(laplacian.diagonal(), np.diag(expected))
    assert laplacian.n_samples == 20


def test_every_field_of_the_result():
    graph, labels = planted((40, 30, 20), within=1.0, between=0.3)
    reference = planted((90,), within=1.0, between=1.0)[0]
    options = {"n_resamples": 3, "references": [reference, reference * 2]}
    found = count_clusters(graph, [2, 3, 5], random_state=np.random.RandomState(0), **options)
    edges = counting._RankedNeighbors.of(graph).subgraph(np.arange(90))
    values = np.linalg.eigvalsh(counting._SparseLaplacian.of(edges).dense())
    np.testing.assert_allclose(found.eigengap, [values[k] - values[k - 1] for k in (2, 3, 5)], atol=1e-6)
    assert found.counts.tolist() == [2, 3, 5]
    assert found.ranked.tolist()[0] == found.suggested == 3
    assert found.gain[1] == pytest.approx(partition_gain(edges.sign(), labels), rel=0.2)
    assert (found.gain_spread > 0).all()
    assert (found.gain_spread < 0.3 * np.abs(found.gain).max()).all()
    ranked = counting._RankedNeighbors.of(reference)
    best = max(counting._Partitions.of(ranked, np.arange(90), np.array([2, 3, 5]), np.random.RandomState(0)).gains)
    assert found.reference_gain == pytest.approx(best, abs=0.02)
    assert np.isnan(count_clusters(graph, [2, 3], n_resamples=1, random_state=np.random.RandomState(0)).reference_gain)


def record(gain, *, suggested, structured=True):
    counts, zeros = np.arange(2, 2 + len(gain)), np.zeros(len(gain))
    return counting.ClusterCounts(
        counts, np.array(gain), zeros + 0.25, zeros + 0.5, zeros + 0.125, 0.0, suggested, structured
    )


def test_ranking_by_suggestion_then_gain():
    found = record([0.1, 0.48, 0.5, 0.2], suggested=3)
    assert found.ranked.tolist() == [3, 4, 5, 2]
    lines = str(found).splitlines()
    assert lines[1] == "       3   0.480    0.250       0.50     0.125  ← suggested"
    assert lines[2] == "       4   0.500    0.250       0.50     0.125"
    assert len(lines) == 5
    assert "no clusters" in str(record([0.1], suggested=1, structured=False)).splitlines()[-1]
    frame = found.to_frame()
    assert frame.columns.tolist() == ["gain", "gain_spread", "stability", "eigengap"]
    assert frame.loc[4].tolist() == [0.5, 0.25, 0.5, 0.125]


def test_a_subset_has_90_percent_of_the_samples(monkeypatch):
    sizes, whole = [], counting._Partitions.of

    def seen(ranked, samples, counts, rng):
        sizes.append(len(samples))
        assert (np.diff(samples) > 0).all()
        return whole(ranked, samples, counts, rng)

    monkeypatch.setattr(counting._Partitions, "of", seen)
    graph, _ = planted((20, 20), within=1.0, between=0.2)
    count_clusters(graph, [2, 3], n_resamples=2, random_state=np.random.RandomState(0))
    assert sizes == [40, 36, 36]
    sizes.clear()
    small, _ = planted((5, 5), within=1.0, between=0.2)
    count_clusters(small, [2, 9], n_resamples=1, random_state=np.random.RandomState(0))
    assert sizes == [10, 10]


@pytest.fixture
def decided(monkeypatch):
    """The decision for given gains of 2, 3 and 4 clusters, a given reference gain, and partitions that agree or not."""

    def decide(gains, reference=0.1, agree=True):
        rng = np.random.default_rng(0)

        def of(ranked, samples, counts, _):
            labels = samples % 2 if agree else rng.integers(0, 2, len(samples))
            return counting._Partitions(
                np.arange(6.0), [labels] * 3, [reference] * 3 if ranked.strengths.max() > 5 else gains
            )

        monkeypatch.setattr(counting._Partitions, "of", of)
        graph = planted((40,), 1.0, 1.0)[0]
        return count_clusters(
            graph, [2, 3, 4], references=[10 * graph], n_resamples=4, random_state=np.random.RandomState(0)
        )

    return decide


def test_fewer_clusters_are_suggested_if_more_add_little(decided):
    assert [decided(gains).suggested for gains in ([0.98, 1.0, 0.5], [0.96, 1.0, 1.01], [0.2, 0.5, 1.0])] == [2, 3, 4]
    assert decided([0.97, 1.0, 0.2]).suggested == 2  # 97 % is enough


def test_structure_needs_a_gain_above_0_and_the_reference_and_stability(decided):
    assert decided([1.0, 0.5, 0.5], reference=0.62).structured
    assert not decided([1.0, 0.5, 0.5], reference=0.63).structured
    assert not decided([0.0, -0.1, -0.1], reference=-1.0).structured
    assert not decided([1.0, 0.5, 0.5], agree=False).structured
    assert decided([1.0, 0.5, 0.5], agree=False).suggested == 1
    np.testing.assert_array_equal(decided([1.0, 0.5, 0.5]).stability, 1)
    np.testing.assert_array_equal(decided([1.0, 0.5, 0.5]).gain_spread, 0)
    assert decided([1.0, 0.5, 0.5], reference=0.3).reference_gain == 0.3
