"""Neighbour graphs with local scales, and the points they are made of."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.neighbors import LocalOutlierFactor

from viewfuse.graphs import Neighbors, Samples, neighbor_graph, whitened_points
from viewfuse.graphs.nearest import influence, joint_neighbors


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


def test_points_that_coincide_have_no_direction():
    assert whitened_points(np.ones((5, 3))).tolist() == np.zeros((5, 1)).tolist()


def direct_joint_distances(points, present):
    """The squared distances by their definition: an unknown one counts as the mean of its view."""
    n = len(present)
    total = np.zeros((n, n))
    for view, there in zip(points, present.T, strict=True):
        own = view[there]
        mean = np.mean([np.sum((a - b) ** 2) for a in own for b in own])
        for i in range(n):
            for j in range(n):
                total[i, j] += np.sum((view[i] - view[j]) ** 2) if there[i] and there[j] else mean
    return total


def test_unknown_distances_count_as_mean_ones():
    rng = np.random.default_rng(0)
    points = [rng.normal(size=(40, d)) for d in (3, 5)]
    present = rng.random((40, 2)) > 0.3
    present[~present.any(axis=1), 0] = True
    found = joint_neighbors(points, present)
    expected = direct_joint_distances(points, present)
    np.fill_diagonal(expected, np.inf)
    np.testing.assert_allclose(found.distance, np.sqrt(np.sort(expected, axis=1)[:, :10]), rtol=1e-9)


def test_outlier_scores_are_local_outlier_factors():
    rng = np.random.default_rng(0)
    points = np.vstack([rng.normal(size=(60, 3)), [[20.0, 0, 0]]])
    model = LocalOutlierFactor(n_neighbors=10).fit(points)
    found = Neighbors.of(points, 10).outlier_scores()
    np.testing.assert_allclose(found, np.log2(-model.negative_outlier_factor_), rtol=1e-6)
    assert found.argmax() == 60
    assert found[60] > 1


def test_a_cloud_has_the_covariances_of_the_samples():
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(4000, 2))
    samples = Samples((hidden @ rng.normal(size=(2, 3)), hidden @ rng.normal(size=(2, 2)) + 5))
    cloud = samples.null(np.random.RandomState(0))
    assert [view.shape for view in cloud.points] == [(4000, 3), (4000, 2)]
    np.testing.assert_allclose(np.cov(cloud.joint().T), np.cov(samples.joint().T), atol=0.4)
    np.testing.assert_allclose(cloud.joint().mean(axis=0), samples.joint().mean(axis=0), atol=0.2)
    few = samples.of_rows(np.arange(4))
    assert few.null(np.random.RandomState(0)).joint().shape == (4, 5)
