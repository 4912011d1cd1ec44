"""Neighbour graphs with local scales, and the points they are made of."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.neighbors import LocalOutlierFactor, NearestNeighbors

from viewfuse.graphs import Neighbors, Samples, neighbor_graph, whitened_points
from viewfuse.graphs.nearest import influence, influence_of_products, whitened_products
from viewfuse.linalg import gram_factor


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


@pytest.mark.parametrize(("n", "columns"), [(40, 3), (40, 6), (40, 30), (1_400, 20), (300, 101), (3_001, 101)])
def test_neighbours_are_those_of_scikit_learn(n, columns):
    points = np.random.default_rng(0).normal(size=(n, columns)).astype(np.float32)
    distance, index = NearestNeighbors(n_neighbors=7).fit(points.astype(float)).kneighbors()
    found = Neighbors.of(points, 7)
    np.testing.assert_array_equal(found.index, index)
    np.testing.assert_allclose(found.distance, distance, rtol=1e-6)
    np.testing.assert_allclose(found.scale, distance[:, 6], rtol=1e-6)


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
        assert influence_of_products(points @ points.T) == pytest.approx(influence(points))


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


def test_samples_far_from_all_others_lie_alone():
    rng = np.random.default_rng(0)
    points = np.vstack([rng.normal(size=(100, 3)), 30 * np.eye(3), rng.normal(size=(5, 3)) + 20])
    alone = Neighbors.of(points).outliers()
    assert alone[100:103].all()
    assert alone[:100].sum() <= 2
    assert alone[103:].sum() <= 1  # of a cluster of five


def test_a_wide_group_of_a_few_samples_lies_alone():
    rng = np.random.default_rng(0)
    points = np.vstack([rng.normal(size=(100, 3)), 15 * rng.normal(size=(4, 3)) + 300])
    alone = Neighbors.of(points).outliers()
    assert alone[100:].all()
    assert alone[:100].sum() <= 2


@pytest.mark.parametrize("columns", [(30, 40), (200, 7)])
def test_compact_samples_have_the_same_graphs(columns):
    rng = np.random.default_rng(0)
    samples = Samples(tuple(rng.normal(size=(60, d)) + 3 for d in columns))
    compact = samples.compact()
    assert compact.products is not None
    assert max(view.shape[1] for view in compact.points) <= 60
    for one, other in [
        (samples.joint_graph(), compact.joint_graph()),
        (samples.mean_graph(), compact.mean_graph()),
        (samples.of_views([0]).joint_graph(), compact.of_views([0]).joint_graph()),
        (samples.of_rows(np.arange(0, 60, 2)).mean_graph(), compact.of_rows(np.arange(0, 60, 2)).mean_graph()),
    ]:
        np.testing.assert_allclose(one.toarray(), other.toarray(), atol=1e-6)
    for one, other in zip(samples.view_neighbors, compact.view_neighbors, strict=True):
        assert one.tolist() == other.tolist()


def test_a_cloud_from_products_has_the_distances_of_one_from_points():
    rng = np.random.default_rng(0)
    samples = Samples((rng.normal(size=(80, 50)) @ np.diag(np.linspace(0.1, 2, 50)), rng.normal(size=(80, 60))))
    found = [
        np.mean([pdist(each.null(np.random.RandomState(seed)).joint()) ** 2 for seed in range(20)])
        for each in (samples, samples.compact())
    ]
    assert found[0] == pytest.approx(found[1], rel=0.02)


def test_products_of_points_that_are_all_equal():
    assert gram_factor(np.zeros((4, 4))).tolist() == np.zeros((4, 1)).tolist()
    points = np.ones((4, 9))
    factor = gram_factor(points @ points.T)
    np.testing.assert_allclose(factor @ factor.T, np.full((4, 4), 9.0), rtol=1e-6)
    assert not whitened_products(points @ points.T).any()


@pytest.mark.parametrize("columns", [2, 8])
def test_equal_points_have_the_distance_0(columns):
    points = np.repeat(np.random.default_rng(0).normal(1000, 1, size=(30, columns)), 3, axis=0)
    found = Neighbors.of(points, 4)
    assert (found.distance[:, :2] == 0).all()
    assert (found.distance[:, 2:] > 0).all()
    np.testing.assert_array_equal(found.index[:, :2] // 3, np.arange(90)[:, None] // 3 * np.ones((1, 2)))
