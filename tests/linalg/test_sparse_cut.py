"""Leading eigenvectors of sparse graphs, connected or not."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from viewfuse.exceptions import DegenerateGraphWarning
from viewfuse.graphs import neighbor_graph
from viewfuse.linalg import assign_clusters, unit_rows
from viewfuse.linalg.sparse_cut import cut_rows, normalized_graph, quick_cut, spectrum


def blobs(n_blobs, n=60, distance=50.0):
    rng = np.random.default_rng(0)
    return np.vstack([rng.normal(size=(n, 3)) + distance * b for b in range(n_blobs)])


@pytest.mark.parametrize("n_blobs", [1, 3])
def test_iterative_and_dense_solver_agree(n_blobs):
    graph = neighbor_graph(blobs(n_blobs))
    dense = spectrum(graph, 6, random_state=np.random.RandomState(0))
    iterative = spectrum(graph, 6, random_state=np.random.RandomState(0), dense_up_to=0)
    assert np.allclose(dense.values, iterative.values, atol=1e-4)
    # The spaces agree where the next eigenvalue is apart; of equal eigenvalues only the space is defined.
    span = iterative.vectors[:, :n_blobs]
    assert np.allclose(span @ (span.T @ dense.vectors[:, :n_blobs]), dense.vectors[:, :n_blobs], atol=1e-4)


def test_many_eigenvectors_are_as_exact_as_few():
    """More than 32 are computed in single precision, and their eigenvalues in double precision."""
    graph = neighbor_graph(blobs(3, n=200, distance=2.0))
    dense = spectrum(graph, 40, random_state=np.random.RandomState(0), dense_up_to=1000)
    iterative = spectrum(graph, 40, random_state=np.random.RandomState(0), dense_up_to=0)
    assert iterative.vectors.dtype == iterative.values.dtype == np.float64
    assert np.allclose(dense.values, iterative.values, atol=1e-7)
    assert np.allclose(iterative.vectors.T @ iterative.vectors, np.eye(40), atol=1e-5)


@pytest.mark.parametrize("dense_up_to", [0, 1000])
def test_every_component_has_an_eigenvalue_of_zero(dense_up_to):
    graph = neighbor_graph(blobs(5))
    found = spectrum(graph, 7, random_state=np.random.RandomState(0), dense_up_to=dense_up_to)
    assert np.allclose(found.values[:5], 0, atol=1e-6)
    assert found.values[5] > 1e-3


def test_relative_gap_is_clear_only_at_the_number_of_components():
    found = spectrum(neighbor_graph(blobs(4)), 7, random_state=np.random.RandomState(0))
    gaps = [found.relative_gap(k) for k in range(2, 7)]
    assert gaps[2] > 0.99
    assert max(gaps[:2]) == 0  # it falls apart into more pieces than that
    assert max(gaps[3:]) < 0.7


def test_sample_without_edges_keeps_a_zero_row():
    graph = sp.csr_array(np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=float))
    assert normalized_graph(graph).toarray()[2].tolist() == [0, 0, 0]


def test_quick_cut_finds_the_blocks_of_a_graph():
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(5), [30, 25, 20, 15, 10])
    graph = rng.random((100, 100)) * np.where(labels[:, None] == labels, 1.0, 0.02)
    found = spectrum(sp.csr_array(graph + graph.T), 5, random_state=np.random.RandomState(0))
    cut = quick_cut(found.vectors)
    assert adjusted_rand_score(labels, cut) == 1
    assert np.array_equal(cut, quick_cut(found.vectors))  # without random starts


def test_rows_are_cut_no_worse_than_by_the_quick_cut_or_by_chance():
    """Many clusters: random starts divide some and join others."""
    graph = neighbor_graph(blobs(25, n=12, distance=4.0))
    vectors = spectrum(graph, 25, random_state=np.random.RandomState(0)).vectors
    rows = np.asarray(unit_rows(vectors))

    def inertia(labels):
        return sum(np.sum((rows[labels == c] - rows[labels == c].mean(axis=0)) ** 2) for c in np.unique(labels))

    found = cut_rows(vectors, n_init=1, random_state=np.random.RandomState(0))
    drawn = assign_clusters(rows, 25, n_init=1, random_state=np.random.RandomState(0))
    assert inertia(found) <= min(inertia(drawn), inertia(quick_cut(vectors))) + 1e-9
    assert adjusted_rand_score(np.repeat(np.arange(25), 12), found) > 0.95


def test_rows_divided_by_degrees_find_a_small_cluster_sooner_than_they_divide_a_large_one():
    """Of 500 columns 50 differ between clusters of 8, 50 and 140 samples."""
    y = np.repeat(np.arange(3), [8, 50, 140])
    usual, uneven = [], []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        points = rng.normal(size=(198, 500))
        points[:, :50] += 1.2 * rng.normal(size=(3, 50))[y]
        graph = neighbor_graph(points)
        vectors = spectrum(graph, 3, random_state=np.random.RandomState(0)).vectors
        for found, degree in ((usual, None), (uneven, np.asarray(graph.sum(axis=1)).ravel())):
            labels = cut_rows(vectors, n_init=5, random_state=np.random.RandomState(0), degree=degree)
            found.append(adjusted_rand_score(y, labels))
    assert np.mean(uneven) > 0.98
    assert np.mean(usual) < 0.95


def test_rows_are_cut_where_the_quick_cut_leaves_a_cluster_empty():
    vectors = np.zeros((12, 3))
    vectors[:6, 0] = vectors[6:, 1] = 1.0
    with pytest.warns(DegenerateGraphWarning):
        labels = cut_rows(vectors, n_init=1, random_state=np.random.RandomState(0))
    assert len(np.unique(labels)) == 3


def test_regression_equal_eigenvalues_are_all_found():
    """Two cliques of 10 and 8: LAPACK's driver for some of the eigenvalues left out all but two of four."""
    graph = sp.csr_array(sp.block_diag([sp.coo_array(np.ones((m, m)) - np.eye(m)) for m in (10, 8)]) / 9)
    for count in (3, 4, 6):
        found = spectrum(graph, count, random_state=np.random.RandomState(0))
        assert found.vectors.shape == (18, count)
        expected = np.linalg.eigvalsh(np.eye(18) - normalized_graph(graph).toarray())[:count]
        np.testing.assert_allclose(found.values, expected, atol=1e-9)
