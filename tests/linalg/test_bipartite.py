"""The embedding of a graph between samples and anchors, compared with a singular value decomposition."""

import numpy as np

from viewfuse.linalg import bipartite_embedding, unit_rows


def graph_to_anchors(n=50, m=8, seed=0):
    graph = np.random.default_rng(seed).random((n, m)) ** 3
    return graph / graph.sum(axis=1, keepdims=True)


def test_it_equals_the_singular_value_decomposition():
    graph = graph_to_anchors()
    degree = graph.sum(axis=0)
    found = bipartite_embedding(graph.T @ graph, degree, 3)
    left, singular, right = np.linalg.svd(graph / np.sqrt(degree), full_matrices=False)
    found_points, direct = graph @ found.transform, left[:, :3] * singular[:3] ** 2
    np.testing.assert_allclose(found.values, singular[:3] ** 2)
    np.testing.assert_allclose(found_points @ found_points.T, direct @ direct.T, atol=1e-5)
    np.testing.assert_allclose(np.abs(found.anchors), np.abs(unit_rows(right[:3].T * singular[:3] ** 2)), atol=1e-5)
    assert found.transform.dtype == found.anchors.dtype == np.float32


def test_an_anchor_without_edges_is_at_the_origin_and_changes_nothing():
    graph = graph_to_anchors()
    wider = np.insert(graph, 3, 0.0, axis=1)
    plain, other = (bipartite_embedding(g.T @ g, g.sum(axis=0), 3) for g in (graph, wider))
    np.testing.assert_array_equal(other.transform[3], 0)
    np.testing.assert_array_equal(other.anchors[3], 0)
    np.testing.assert_allclose(other.values, plain.values)
    np.testing.assert_allclose(np.abs(np.delete(other.transform, 3, axis=0)), np.abs(plain.transform), atol=1e-6)


def test_negligible_edges_are_ignored():
    graph = graph_to_anchors()
    wider = np.hstack([graph, np.full((50, 1), 1e-14)])
    found = bipartite_embedding(wider.T @ wider, wider.sum(axis=0), 2)
    np.testing.assert_array_equal(found.transform[-1], 0)
    weak = np.hstack([graph, np.full((50, 1), 1e-6)])  # small, but not negligible
    assert (bipartite_embedding(weak.T @ weak, weak.sum(axis=0), 2).transform[-1] != 0).any()


def test_no_more_directions_than_anchors_and_no_negative_eigenvalues():
    graph = graph_to_anchors(m=3)
    graph[:, 2] = graph[:, 1]
    found = bipartite_embedding(graph.T @ graph, graph.sum(axis=0), 7)
    assert found.transform.shape == (3, 3)
    assert (found.values >= 0).all()
    assert np.isfinite(found.transform).all()
