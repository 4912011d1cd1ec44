"""Evidence for and against clusters: clouds, lines, rings and blobs."""

import numpy as np
import pytest
import scipy.sparse as sp

from viewfuse.cluster.structure import (
    Evidence,
    division_ratio,
    have_their_neighbors,
    is_line_or_ring,
    modularity,
    null_spectra,
    typical_rows,
)
from viewfuse.cluster.verdict import judge_by_neighbors
from viewfuse.graphs import Samples
from viewfuse.linalg.sparse_cut import Spectrum, quick_cut, spectrum


def evidence(points, k, seed=0):
    rng = np.random.RandomState(seed)
    samples = Samples((np.asarray(points, dtype=float),))
    graph = samples.joint_graph()
    found = spectrum(graph, max(k, 7) + 1, random_state=rng)
    nulls = np.mean([null.values for _, null in null_spectra(samples, max(k, 7) + 1, rng)], axis=0)
    labels = np.unique(quick_cut(found.vectors[:, :k]), return_inverse=True)[1]
    return Evidence.of(graph, found, nulls, labels)


def blobs(rng, k=3, n=240, apart=6.0):
    return rng.normal(size=(n, 4)) + apart * np.eye(4)[np.arange(n) % k]


def ring(rng, n=300, noise=0.05):
    angle = rng.uniform(0, 2 * np.pi, n)
    return np.column_stack([np.cos(angle), np.sin(angle)]) + noise * rng.normal(size=(n, 2))


def line(rng, n=300):
    return np.outer(rng.uniform(0, 10, n), [1.0, 2.0, -1.0]) + 0.2 * rng.normal(size=(n, 3))


@pytest.mark.parametrize("seed", range(5))
def test_blobs_are_clusters(seed):
    found = evidence(blobs(np.random.default_rng(seed)), 3)
    assert found.supported
    assert found.null_ratio < 0.1


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("draw", ["normal", "uniform"])
def test_parts_of_a_cloud_are_not(draw, k, seed):
    rng = np.random.default_rng(seed)
    assert not evidence(getattr(rng, draw)(size=(250, 3)), k).supported


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("shape", "k"), [(ring, 2), (ring, 3), (ring, 5), (line, 2), (line, 4)])
def test_parts_of_a_ring_or_a_line_are_not(shape, k, seed):
    found = evidence(shape(np.random.default_rng(seed)), k)
    assert found.waves
    assert not found.supported


def test_a_clear_gap_after_the_seventh_eigenvalue_is_no_wave():
    """Seven clusters whose eigenvalues happen to grow like those of a ring."""
    values = np.array([0, 1, 1.1, 4, 4.2, 9, 9.3, 120]) * 1e-4
    graph, labels = sp.csr_array(np.kron(np.eye(7), np.ones((2, 2)))), np.repeat(np.arange(7), 2)
    nulls = np.linspace(0, 0.1, 8)
    assert is_line_or_ring(values)
    assert Evidence.of(graph, Spectrum(values, np.eye(14)[:, :8]), nulls, labels).supported
    assert not Evidence.of(graph, Spectrum(values, np.eye(14)[:, :8]), nulls, np.minimum(labels, 4)).supported


@pytest.mark.parametrize(("of_clouds", "supported"), [(0.14, True), (0.3, False)])
def test_what_comes_back_where_clouds_do_not_is_evidence_though_it_is_easily_divided(of_clouds, supported):
    found = Evidence(0.81, False, 1.5, returned=0.86, null_returned=of_clouds, null_division=1.7)
    assert found.supported == supported
    assert found.hangs_on_clouds


@pytest.mark.parametrize("cut_large", [True, False])
@pytest.mark.parametrize("sizes", [(400, 20), (300, 60)])
def test_a_graph_that_falls_apart_elsewhere_is_no_evidence_for_the_labels(sizes, cut_large):
    y = np.repeat([0, 1], sizes)
    points = 10.0 * y[:, None] * [1, 0] + np.random.default_rng(0).normal(size=(len(y), 2))
    rng, samples = np.random.RandomState(0), Samples((points,))
    labels = (points[:, 1] > 0).astype(int) if cut_large else y
    verdict = judge_by_neighbors(samples, labels, 2, rng)
    assert verdict.null_ratio < 0.1
    assert (verdict.evidence.cut >= 1) == cut_large
    assert verdict.supported != cut_large


def test_a_cluster_has_its_neighbours_if_most_of_a_list_of_ten_can_be_members():
    assert have_their_neighbors(np.repeat([0, 1], [93, 7]), 2)
    assert not have_their_neighbors(np.repeat([0, 1], [94, 6]), 2)


def test_eigenvalues_of_a_line_and_of_a_ring_are_recognised():
    assert is_line_or_ring(np.array([0, 1, 4, 9, 16, 25, 36]) * 1e-3)
    assert is_line_or_ring(np.array([0, 1, 1, 4, 4, 9, 9]) * 1e-3)
    assert not is_line_or_ring(np.array([0, 1e-4, 1e-4, 0.2, 0.25, 0.3, 0.3]))  # three clusters
    assert not is_line_or_ring(np.array([0.0, 0.1, 0.4]))  # too few to tell


def graph_of(matrix):
    return sp.csr_array(np.asarray(matrix, dtype=float))


def test_modularity_is_that_of_its_definition():
    rng = np.random.default_rng(0)
    graph = rng.random((30, 30)) * (rng.random((30, 30)) < 0.3)
    graph += graph.T
    labels = np.arange(30) % 3
    degree, total = graph.sum(axis=1), graph.sum()
    same = labels[:, None] == labels
    expected = ((graph - np.outer(degree, degree) / total) * same).sum() / total
    assert modularity(graph_of(graph), labels) == pytest.approx(expected)


def direct_division(graph):
    """The least conductance over all thresholds of the second eigenvector, cut by cut."""
    degree = graph.sum(axis=1)
    normalized = graph / np.sqrt(np.outer(degree, degree))
    second = np.linalg.eigh(normalized)[1][:, -2] / np.sqrt(degree)
    order = np.argsort(second)
    n = len(order)
    found = []
    for size in range(n // 10, n - n // 10 + 1):
        one, other = order[:size], order[size:]
        found.append(graph[np.ix_(one, other)].sum() / min(degree[one].sum(), degree[other].sum()))
    return min(found)


def test_division_ratio_is_that_of_a_direct_search():
    rng = np.random.default_rng(1)
    graph = rng.random((80, 80)) * (rng.random((80, 80)) < 0.3)
    graph += graph.T
    labels = np.repeat([0, 1], 40)
    out, within = [], []
    for c in (0, 1):
        inside = graph[np.ix_(labels == c, labels == c)]
        total = graph[labels == c].sum()
        out.append(total - inside.sum())
        within.append(total * direct_division(inside))
    assert division_ratio(graph_of(graph), labels) == pytest.approx(sum(out) / sum(within), rel=1e-6)


def test_a_cluster_that_falls_apart_does_not_outweigh_the_others():
    blocks = [np.ones((40, 40)), np.ones((40, 40)), np.kron(np.eye(2), np.ones((20, 20)))]
    graph = sp.block_diag([sp.coo_array(block) for block in blocks]).toarray() + 0.01
    np.fill_diagonal(graph, 0)
    assert division_ratio(graph_of(graph), np.repeat([0, 1, 2], 40)) < 0.2


def test_clusters_of_few_samples_are_not_divided():
    assert division_ratio(graph_of(np.ones((20, 20)) - np.eye(20)), np.repeat([0, 1], 10)) == 0


@pytest.mark.parametrize(
    ("found", "supported"),
    [
        (Evidence(0.1, False, 0.0), True),
        (Evidence(0.1, True, 0.0), False),
        (Evidence(0.6, False, 0.4, 0.9), True),
        (Evidence(0.6, False, 0.9, 0.9), False),
        (Evidence(0.6, False, 0.6, 0.5), False),
        (Evidence(0.75, False, 0.4, 0.9), True),
        (Evidence(0.75, False, 0.4, 0.6), False),
        (Evidence(0.75, False, 0.4), False),
        (Evidence(0.9, False, 0.1, 1.0), False),
        (Evidence(0.6, False, 0.6, 0.6, null_returned=0.1), True),
        (Evidence(0.6, False, 0.6, 0.6, null_returned=0.5), False),
        (Evidence(0.75, False, 0.4, 0.6, null_returned=0.1), True),
        (Evidence(0.75, False, 0.0, 0.6, null_returned=0.1), False),
        (Evidence(0.75, False, 1.1, 0.6, null_returned=0.1, null_division=2.0), True),
        (Evidence(0.75, False, 1.1, 0.6, null_returned=0.1, null_division=1.2), False),
        (Evidence(0.75, False, 1.1, 0.4, null_returned=0.1, null_division=2.0), False),
        (Evidence(0.75, False, 1.1, 0.9, null_returned=0.3, null_division=2.0), False),
        (Evidence(0.75, False, 0.6, 0.9, null_returned=0.1, null_division=0.5), True),
    ],
)
def test_what_supports_clusters(found, supported):
    assert found.supported is supported


def test_clouds_are_clustered_only_if_they_decide():
    """Clusters of few columns and clusters that lie apart need no comparison with clouds of which nothing comes back."""
    rng, asked = np.random.default_rng(0), []
    apart = np.vstack([rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) + 20])
    samples = Samples((apart,))
    graph = samples.joint_graph()
    found = spectrum(graph, 8, random_state=np.random.RandomState(0))
    nulls = np.linspace(0.1, 0.5, 8)
    evidence = Evidence.of(graph, found, nulls, np.repeat([0, 1], 40), 0.6, lambda: asked.append(1) or (0.0, 1.0))
    assert evidence.supported
    assert not asked
    near = Evidence(0.6, False, 0.6, 0.6)
    assert near.hangs_on_clouds
    assert Evidence(0.6, False, 0.9, 0.6).hangs_on_clouds
    assert not Evidence(0.6, False, 0.9, 0.4).hangs_on_clouds
    assert not Evidence(0.6, False, 0.6, None).hangs_on_clouds


@pytest.mark.parametrize(("outliers", "are_set_aside"), [(5, True), (40, False)])
def test_outliers_are_few(outliers, are_set_aside):
    """If many samples lie alone, that is how the samples are, and none is set aside."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(200, 2))
    points[:outliers] = 1000.0 * rng.normal(size=(outliers, 2))
    typical = typical_rows(Samples((points,)), 2)
    assert len(typical) >= 180
    assert np.isin(np.arange(outliers), typical).any() != are_set_aside


def test_after_some_outliers_only_far_ones_are_set_aside_and_at_most_a_tenth_in_all():
    rng = np.random.default_rng(0)
    samples = Samples((np.vstack([rng.normal(size=(95, 2)), 1000.0 * rng.normal(size=(5, 2))]),))
    assert len(typical_rows(samples, 2)) == 94  # one at the edge of the cloud too
    np.testing.assert_array_equal(typical_rows(samples, 2, left_out=5), np.arange(95))
    assert len(typical_rows(samples, 2, left_out=10)) == 100


def test_of_few_samples_none_is_an_outlier():
    points = np.vstack([np.random.default_rng(0).normal(size=(30, 2)), [[1000.0, 0.0]]])
    assert len(typical_rows(Samples((points,)), 2)) == 31
