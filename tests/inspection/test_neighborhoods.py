"""What neighbour graphs say of samples and clusters, against direct computations on small graphs."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import silhouette_samples
from sklearn.neighbors import NearestNeighbors

from viewfuse import Views
from viewfuse.datasets import make_views
from viewfuse.graphs.nearest import neighbor_graph
from viewfuse.inspection import neighborhoods as module
from viewfuse.inspection.neighborhoods import (
    Neighborhoods,
    nearest_rows,
    nearest_samples,
    neighborhoods_of_embedding,
    neighborhoods_of_views,
)

RNG = np.random.default_rng(0)
LABELS = np.array([0, 0, 0, 1, 1, 1, 1, 0])


@pytest.fixture(scope="module")
def dense():
    weights = np.triu(RNG.random((8, 8)) * (RNG.random((8, 8)) < 0.6), 1)
    weights[:, 7] = 0  # the last sample has no edges
    return weights + weights.T


def normalized(graph):
    root = np.sqrt(np.where(graph.sum(axis=1) > 0, graph.sum(axis=1), np.inf))
    return graph / root[:, None] / root[None, :]


def near(graph, **parts):
    return Neighborhoods(sp.csr_array(graph), {}, **parts)


def test_the_share_of_edges_inside_the_cluster(dense):
    expected = [dense[i][LABELS[i] == LABELS].sum() / max(dense[i].sum(), 1e-9) for i in range(8)]
    np.testing.assert_allclose(near(dense).share_inside(sp.csr_array(dense), LABELS), expected)
    assert expected[7] == 0


def test_centrality_counts_paths_of_three_edges_inside_the_cluster(dense):
    within = normalized(dense) * (LABELS[:, None] == LABELS)
    np.testing.assert_allclose(near(dense).centrality(LABELS), within @ within @ within @ np.ones(8))


def test_shared_neighbours_are_paths_of_two_edges(dense):
    rows = np.array([5, 0, 2])
    n = normalized(dense)
    expected = n[np.ix_(rows, rows)] + n[rows] @ n[rows].T
    np.testing.assert_allclose(near(dense).shared(sp.csr_array(dense), rows), expected)


def test_distances_of_points_and_of_edge_weights(dense):
    points = RNG.normal(size=(8, 3))
    points[1] = points[0]  # an edge of length 0 stays an edge
    graph = dense.copy()
    graph[0, 1] = graph[1, 0] = 0.5
    found = near(graph, points=points).distances().toarray()
    direct = np.linalg.norm(points[:, None] - points[None], axis=2)
    np.testing.assert_allclose(found, np.where(graph > 0, np.maximum(direct, 1e-12), 0))
    assert found[0, 1] == 1e-12
    by_weight = near(graph).distances().toarray()
    there = graph > 0
    np.testing.assert_allclose(by_weight[there], np.maximum(np.sqrt(-np.log(graph[there] / graph.max())), 1e-12))
    assert (by_weight[~there] == 0).all()
    assert near(np.zeros((3, 3))).distances().nnz == 0


def test_silhouettes_are_means_over_clusters():
    points, labels = RNG.normal(size=(30, 2)), np.arange(30) % 3 + 4
    expected = silhouette_samples(points, labels)
    found = near(np.zeros((30, 30)), points=points).silhouettes(labels)
    assert found == {c: pytest.approx(expected[labels == c].mean()) for c in (4, 5, 6)}
    assert near(np.zeros((30, 30))).silhouettes(labels) == {}
    assert near(np.zeros((30, 30)), points=points).silhouettes(np.zeros(30, dtype=int)) == {}
    assert near(np.zeros((30, 30)), points=points).silhouettes(np.arange(30)) == {}
    assert set(near(np.zeros((3, 3)), points=points[:3]).silhouettes(np.array([0, 0, 1]))) == {0, 1}


def test_silhouettes_of_many_samples_are_those_of_some(monkeypatch):
    points, labels = RNG.normal(size=(40, 2)), np.repeat([0, 1], 20)
    monkeypatch.setattr(module, "_MOST_IN_SILHOUETTE", 20)
    expected = silhouette_samples(points[::2], labels[::2])
    assert near(np.zeros((40, 40)), points=points).silhouettes(labels)[1] == pytest.approx(expected[10:].mean())


def test_weights_multiply_squared_distances_relative_to_their_mean():
    weights = np.array([0.2, 0.5, 0.3])
    assert module._factor(weights, 0, [0, 1]) ** 2 == pytest.approx(0.2 / 0.35)
    assert module._factor(weights, 1, [0, 1, 2]) ** 2 == pytest.approx(0.5 * 3)
    assert module._factor(weights, 2, [0, 1]) == 1  # it is not in the joint graph
    assert module._factor(None, 0, [0, 1]) == 1
    assert module._factor(np.zeros(2), 0, [0, 1]) == 1


def test_the_joint_graph_is_that_of_the_used_views_side_by_side():
    data = make_views(n_samples=60, n_features=(3, 4, 5), random_state=0)
    views, rows, weights = Views(list(data.arrays)), np.arange(50), np.array([0.8, 0.2, 0.0])
    found = neighborhoods_of_views(views, rows, used=[0, 1], weights=weights, precomputed=False)
    points = module.samples_of(views, rows).points
    joint = np.hstack([points[0] * np.sqrt(1.6), points[1] * np.sqrt(0.4)])
    np.testing.assert_allclose(found.points, joint)
    np.testing.assert_allclose(found.fused.toarray(), neighbor_graph(joint).toarray())
    np.testing.assert_allclose(found.views["view2"].toarray(), neighbor_graph(points[2]).toarray())
    assert list(found.views) == ["view0", "view1", "view2"]
    assert found.before_cut


def strongest_directly(graph, count):
    a = (graph + graph.T) / 2
    np.fill_diagonal(a, 0)
    kept = np.zeros_like(a)
    for i in range(len(a)):
        for j in np.argsort(-a[i], kind="stable")[:count]:
            kept[i, j] = a[i, j]
    return np.maximum(kept, kept.T)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_of_a_given_graph_the_fifteen_strongest_edges_of_each_sample_are_kept(form):
    graph = RNG.random((40, 40)) + np.eye(40)
    np.testing.assert_allclose(module._strongest(form(graph)).toarray(), strongest_directly(graph.copy(), 15))


def test_graphs_are_fused_as_a_weighted_sum_of_normalized_ones():
    graphs = [RNG.random((20, 20)) for _ in range(3)]
    graphs = [graph + graph.T for graph in graphs]
    weights, rows = np.array([0.6, 0.1, 0.3]), np.arange(3, 19)
    found = neighborhoods_of_views(Views(graphs), rows, used=[0, 2], weights=weights, precomputed=True)
    parts = [normalized(strongest_directly(graphs[v][np.ix_(rows, rows)].copy(), 15)) for v in (0, 2)]
    np.testing.assert_allclose(found.fused.toarray(), (0.6 * parts[0] + 0.3 * parts[1]) / 0.45)
    assert list(found.views) == ["view0", "view1", "view2"]
    assert found.points is None


def test_samples_that_a_view_lacks_have_no_edges_there():
    points, rows = RNG.normal(size=(30, 2)), np.array([2, 3, 5, 8, 13, 21, 24, 29])
    found = module._graph_among(points, rows).toarray()
    np.testing.assert_allclose(found[np.ix_(rows, rows)], neighbor_graph(points[rows]).toarray())
    assert np.count_nonzero(found) == np.count_nonzero(found[np.ix_(rows, rows)])
    assert module._graph_among(points, rows[:1]).nnz == 0
    assert module._graph_among(points, rows[:2]).nnz == 2


def plane_directly(points):
    centred = points - points.mean(axis=0)
    _, vectors = np.linalg.eigh(centred.T @ centred)
    plane = centred @ vectors[:, ::-1][:, :2]
    plane *= np.sign(plane[np.abs(plane).argmax(axis=0), [0, 1]])
    return plane / np.sqrt((plane**2).mean())


@pytest.mark.parametrize("shape", [(50, 2), (50, 6), (300, 120)])
def test_the_principal_plane(shape):
    points = 3 + RNG.normal(size=shape) * np.concatenate([[9, 4], np.ones(shape[1] - 2)])
    np.testing.assert_allclose(
        module._principal_plane(points), plane_directly(points), atol=2e-2 if shape[1] > 100 else 1e-8
    )


def test_a_plane_of_one_column_and_of_one_sample():
    line = module._principal_plane(np.array([[1.0], [2.0], [6.0]]))
    np.testing.assert_allclose(line, [[-2, 0], [-1, 0], [3, 0]])
    assert module._principal_plane(np.ones((1, 3))).tolist() == [[0, 0]]
    assert module._principal_plane(np.ones((4, 0))).shape == (4, 2)


def test_only_many_samples_in_many_columns_are_reduced(monkeypatch):
    points = RNG.normal(size=(60, 55)) * np.linspace(9, 0.1, 55)
    assert module._main_directions(points) is points
    monkeypatch.setattr(module, "_MOST_WHOLE", 60)
    assert module._main_directions(points) is points
    monkeypatch.setattr(module, "_MOST_WHOLE", 59)
    reduced = module._main_directions(points)
    assert reduced.shape == (60, 50)
    assert module._main_directions(points[:, :50]).shape == (60, 50)
    np.testing.assert_array_equal(module._main_directions(points[:, :50]), points[:, :50])
    centred = points - points.mean(axis=0)
    np.testing.assert_allclose((reduced**2).sum(), (centred**2).sum(), rtol=1e-2)


def directly_nearest(points, mapped, rest, count=3):
    distance = np.linalg.norm(points[rest][:, None] - points[mapped][None], axis=2)
    place = np.argsort(distance, axis=1)[:, :count]
    return place, np.take_along_axis(distance, place, axis=1)


def test_samples_are_placed_among_the_three_nearest_of_an_embedding():
    embedding = RNG.normal(size=(30, 3)) * RNG.uniform(1, 5, size=(30, 1))  # only directions count
    mapped, rest = np.arange(0, 30, 2), np.arange(1, 30, 2)
    directions = embedding / np.linalg.norm(embedding, axis=1, keepdims=True)
    for found, expected in zip(
        nearest_rows(embedding, mapped, rest), directly_nearest(directions, mapped, rest), strict=True
    ):
        np.testing.assert_allclose(found, expected)
    assert nearest_rows(embedding, mapped[:2], rest)[0].shape == (15, 2)


@pytest.mark.parametrize("at_a_time", [4, 65_536])
def test_samples_are_placed_among_the_three_nearest_of_the_data(at_a_time, monkeypatch):
    monkeypatch.setattr(module, "_ROWS_AT_A_TIME", at_a_time)
    views = Views([RNG.normal(size=(60, 4)), RNG.normal(size=(60, 3)), RNG.normal(size=(60, 2))])
    mapped, rest = np.arange(0, 60, 2), np.arange(1, 60, 2)
    points = np.hstack(module.samples_of(views, np.arange(60)).points[:2])
    place, distance = nearest_samples(views, mapped, rest, used=[0, 1])
    assert place.shape == distance.shape == (30, 3)
    direct, _ = directly_nearest(points, mapped, rest)
    assert np.mean([len(set(a) & set(b)) for a, b in zip(place.tolist(), direct.tolist(), strict=True)]) > 2.5
    assert (np.diff(distance, axis=1) >= 0).all()


def test_of_many_samples_the_nearest_are_searched_in_groups(monkeypatch):
    points, others = RNG.normal(size=(500, 3)), RNG.normal(size=(20, 3))
    exact = NearestNeighbors(n_neighbors=3).fit(points).kneighbors(others)
    for most, same in ((500, 1.0), (499, 0.8)):
        monkeypatch.setattr(module, "_MOST_SEARCHED", most)
        distance, place = module._search(points)(others)
        assert place.shape == (20, 3)
        assert np.mean(place == exact[1]) >= same
        assert np.mean(np.isclose(distance, exact[0])) >= same


def test_the_graph_of_an_embedding_is_that_of_its_directions():
    embedding = RNG.normal(size=(30, 3)) * RNG.uniform(1, 5, size=(30, 1))
    found = neighborhoods_of_embedding(embedding)
    directions = embedding / np.linalg.norm(embedding, axis=1, keepdims=True)
    np.testing.assert_allclose(found.fused.toarray(), neighbor_graph(directions).toarray())
    np.testing.assert_allclose(found.plane, plane_directly(directions), atol=1e-8)
    assert (found.views, found.before_cut) == ({}, False)
