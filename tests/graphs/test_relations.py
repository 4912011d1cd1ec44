"""Relations as operators and points, compared with direct computations."""

import numpy as np
import pytest
import scipy.sparse as sp

from viewfuse.graphs.relations import RelationPoints, low_pass, spectral_points, undirected

RNG = np.random.RandomState(0)


def random_graph(n=60, density=0.1):
    return undirected(sp.random_array((n, n), density=density, random_state=1))


def test_undirected():
    graph = undirected(np.array([[5.0, 1, 0], [0, 0, 2], [0, 3, 0]]))
    np.testing.assert_array_equal(graph.toarray(), [[0, 1, 0], [1, 0, 3], [0, 3, 0]])


@pytest.mark.parametrize("density", [0.02, 0.5])
def test_low_pass(density):
    graph = random_graph(density=density)
    dense = graph.toarray() + graph.data.mean() * np.eye(60)
    root = np.diag(dense.sum(axis=1) ** -0.5)
    found = low_pass(graph)
    assert sp.issparse(found) == (density < 0.1)
    np.testing.assert_allclose(found.toarray() if sp.issparse(found) else found, root @ dense @ root, atol=1e-6)


def test_low_pass_does_not_depend_on_the_unit_of_the_weights():
    graph = random_graph()
    np.testing.assert_allclose(low_pass(graph * 7.0), low_pass(graph), atol=1e-6)


@pytest.mark.parametrize("n", [60, 1_600])
def test_spectral_points_are_eigenvectors(n):
    graph = random_graph(n, density=8 / n)
    values, vectors = spectral_points(graph, 4, np.random.RandomState(0))
    degree = graph.sum(axis=1)
    tau = degree.mean()
    root = np.diag(1 / np.sqrt(degree + tau))
    whole = root @ (graph.toarray() + tau / n) @ root
    np.testing.assert_allclose(whole @ vectors, vectors * values, atol=2e-3)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(whole)[::-1][:4], atol=1e-3)


def test_points_of_distances_have_these_distances():
    points = RNG.normal(size=(50, 5)) * [5, 1, 1, 1, 0.1]
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    learned = RelationPoints.learn(distance, "distance", RNG)
    found = learned(distance)
    np.testing.assert_allclose(np.linalg.norm(found[:, None] - found[None], axis=2), distance, atol=1e-8)
    np.testing.assert_allclose(found.var(axis=0), found.var(axis=0).mean(), rtol=1e-6)
    assert learned.least > -1e-10


def test_points_of_a_kernel_have_these_products():
    points = RNG.normal(size=(40, 6))
    centred = points - points.mean(axis=0)
    learned = RelationPoints.learn(points @ points.T, "kernel", RNG)
    found = learned(points @ points.T)
    np.testing.assert_allclose(found @ found.T, centred @ centred.T, atol=1e-8)


@pytest.mark.parametrize("kind", ["kernel", "distance"])
def test_new_samples_are_mapped_as_if_they_had_been_there(kind):
    points = RNG.normal(size=(50, 4))
    new = RNG.normal(size=(7, 4))
    relation = {
        "kernel": lambda a, b: a @ b.T,
        "distance": lambda a, b: np.linalg.norm(a[:, None] - b[None], axis=2),
    }[kind]
    learned = RelationPoints.learn(relation(points, points), kind, RNG)
    old, found = learned(relation(points, points)), learned(relation(new, points))
    apart = np.linalg.norm(found[:, None] - old[None], axis=2)
    np.testing.assert_allclose(apart, np.linalg.norm(new[:, None] - points[None], axis=2), atol=1e-8)


def test_an_indefinite_kernel_is_noticed():
    matrix = np.array([[0.0, 1], [1, 0]])
    assert RelationPoints.learn(np.kron(matrix, np.ones((5, 5))), "kernel", RNG).least < -0.1
