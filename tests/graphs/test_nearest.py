"""Neighbour graphs with local scales, and the points they are made of."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from viewfuse.graphs import Neighbors, joint_points, neighbor_graph, whitened_points
from viewfuse.graphs.nearest import influence


def direct_graph(points, n_neighbors):
    """The same graph by its definition, with all pairs."""
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    np.fill_diagonal(distance, np.inf)
    order = np.argsort(distance, axis=1)[:, :n_neighbors]
    scale = np.sort(distance, axis=1)[:, 6]
    graph = np.zeros_like(distance)
    for i, nearest in enumerate(order):
        for j in nearest:
            graph[i, j] = graph[j, i] = np.exp(-(distance[i, j] ** 2) / (scale[i] * scale[j]))
    return graph


def test_graph_is_that_of_the_definition():
    points = np.random.default_rng(0).normal(size=(60, 4))
    assert np.allclose(neighbor_graph(points, 10).toarray(), direct_graph(points, 10))


def test_graph_does_not_depend_on_the_scale_of_the_points():
    points = np.random.default_rng(0).normal(size=(60, 4))
    assert np.allclose(neighbor_graph(points).toarray(), neighbor_graph(1e5 * points).toarray())


def test_duplicates_do_not_divide_by_zero():
    points = np.repeat(np.random.default_rng(0).normal(size=(5, 2)), 20, axis=0)
    graph = neighbor_graph(points)
    assert np.isfinite(graph.data).all()
    assert graph.data.max() <= 1


def test_a_sample_is_not_its_own_neighbour():
    points = np.random.default_rng(0).normal(size=(40, 3))
    neighbors = Neighbors.of(points)
    assert not (neighbors.index == np.arange(40)[:, None]).any()


def test_the_unit_of_a_view_does_not_change_the_joint_points():
    rng = np.random.default_rng(0)
    views = [rng.normal(size=(50, 3)), rng.normal(size=(50, 7))]
    assert np.allclose(joint_points(views), joint_points([views[0], 1e3 * views[1]]))


def test_influence_is_between_equal_means_and_equal_deviations():
    rng = np.random.default_rng(0)
    for columns in (1, 10, 300):
        points = rng.normal(size=(500, columns))
        distance = pdist(points, "sqeuclidean")
        assert influence(points) ** 2 == pytest.approx(np.sqrt(distance.mean() * distance.std()), rel=0.1)


def test_products_of_whitened_points_are_the_self_expressive_graph():
    rng = np.random.default_rng(0)
    for shape in ((60, 8), (30, 90)):
        points = rng.normal(size=shape)
        centred = points - points.mean(axis=0)
        gram = centred @ centred.T
        alpha = 0.01 * np.trace(gram)
        graph = gram @ np.linalg.inv(gram + alpha * np.eye(len(gram)))
        length = np.sqrt(np.diag(graph))
        white = whitened_points(points)
        assert np.allclose(white @ white.T, graph / np.outer(length, length), atol=1e-6)
