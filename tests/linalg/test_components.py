"""The order of a graph's components: which of them a cut into fewer clusters divides."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from viewfuse.linalg.components import component_vectors
from viewfuse.linalg.sparse_cut import normalized_graph, quick_cut, spectrum


def cliques(sizes):
    """A graph of complete components of these sizes, with different edge weights in each."""
    return sp.csr_array(sp.block_diag([sp.coo_array((1 + i) * (np.ones((n, n)) - np.eye(n))) for i, n in enumerate(sizes)]))


def vectors_of(graph, most, points=()):
    degree = np.asarray(graph.sum(axis=1)).ravel()
    return component_vectors(normalized_graph(graph), degree, most, points)


def clusters(graph, k, points=()):
    return quick_cut(vectors_of(graph, graph.shape[0], points)[:, :k])


def test_they_are_orthonormal_eigenvectors_of_the_components():
    graph = cliques([5, 4, 3, 6])
    found = vectors_of(graph, 10, [np.random.default_rng(0).normal(size=(18, 2))])
    assert found.shape == (18, 4)
    np.testing.assert_allclose(found.T @ found, np.eye(4), atol=1e-12)
    np.testing.assert_allclose(normalized_graph(graph) @ found, found, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_fewer_clusters_than_components_are_those_of_wards_method(seed):
    from sklearn.cluster import AgglomerativeClustering

    rng = np.random.default_rng(seed)
    sizes = [12] * 8
    means = np.repeat(rng.normal(size=(8, 3)), sizes, axis=0)
    for k in range(2, 9):
        expected = AgglomerativeClustering(k).fit_predict(means)
        assert adjusted_rand_score(expected, clusters(cliques(sizes), k, [means[:, :1], means[:, 1:]])) == 1


def test_the_numbers_of_samples_count():
    """Two large components near each other stay apart if a small one between others costs less to merge."""
    sizes = [40, 40, 10, 10]
    means = np.repeat([[0.0], [1.0], [5.0], [6.5]], sizes, axis=0)
    assert len(np.unique(clusters(cliques(sizes), 3, [means])[80:])) == 1


def test_small_components_belong_to_the_nearest_large_one():
    sizes = [100, 100, 3, 2]
    means = np.repeat([[0.0], [1.0], [90.0], [-90.0]], sizes, axis=0)
    found = quick_cut(vectors_of(cliques(sizes), 2, [means]))
    np.testing.assert_array_equal(found[200:203], found[100])
    np.testing.assert_array_equal(found[203:], found[0])
    assert found[0] != found[100]


def test_without_points_the_smallest_are_merged_first():
    found = clusters(cliques([9, 8, 3, 2]), 3)
    assert len({found[0], found[9], found[17]}) == 3
    assert found[17] == found[20]


def test_samples_without_edges_belong_to_the_nearest_component_and_have_no_vector():
    graph = sp.csr_array(sp.block_diag([cliques([6, 6]), sp.coo_array((2, 2))]))
    means = np.array([[0.0]] * 6 + [[1.0]] * 6 + [[0.1], [0.9]])
    found = vectors_of(graph, 14, [means])
    assert found.shape == (14, 2)
    np.testing.assert_array_equal(quick_cut(found)[[12, 13]], quick_cut(found)[[0, 6]])


def test_a_graph_without_edges_has_one_vector():
    np.testing.assert_allclose(vectors_of(sp.csr_array((4, 4)), 3), 0.5)


def test_many_components_without_points():
    """More than are merged by Ward's method."""
    found = vectors_of(cliques([2] * 230), 5)
    assert found.shape == (460, 5)
    np.testing.assert_allclose(found.T @ found, np.eye(5), atol=1e-12)


@pytest.mark.parametrize("dense_up_to", [0, 500])
def test_the_spectrum_begins_with_them(dense_up_to):
    rng = np.random.default_rng(0)
    blocks = [sp.random_array((60, 60), density=0.3, random_state=rng) for _ in range(3)]
    graph = sp.csr_array(sp.block_diag([block + block.T for block in blocks]))
    means = np.repeat([[0.0], [1.0], [9.0]], 60, axis=0)
    found = spectrum(graph, 6, random_state=np.random.RandomState(0), points=[means], dense_up_to=dense_up_to)
    np.testing.assert_allclose(found.values[:3], 0, atol=1e-12)
    assert (np.diff(found.values) > -1e-9).all()
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(6), atol=1e-4)
    expected = np.linalg.eigvalsh(np.eye(180) - normalized_graph(graph).toarray())[:6]
    np.testing.assert_allclose(found.values, expected, atol=1e-6)
    two = quick_cut(found.vectors[:, :2])
    assert adjusted_rand_score(two, np.repeat([0, 0, 1], 60)) == 1
