import numpy as np
import pytest

from viewfuse.exceptions import ViewfuseError
from viewfuse.spectral import Laplacian, eigensolvers, isolated_samples, smallest_eigenpairs, symmetric_eigh

RNG = np.random.RandomState(0)


def random_graph(n=300, k=4, seed=0):
    """k loose groups with uneven degrees."""
    rng = np.random.default_rng(seed)
    groups = np.arange(n) % k
    graph = rng.random((n, n)) * np.where(groups[:, None] == groups, 1.0, 0.1)
    strength = rng.uniform(0.2, 3, n)
    return (graph + graph.T) * strength[:, None] * strength


def projector(vectors):
    return vectors @ vectors.T


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("symmetric", [False, True])
def test_the_operator_is_its_matrix(normalized, symmetric):
    graph = random_graph(40)
    if not symmetric:
        graph = np.triu(graph)
    laplacian = Laplacian.of(graph, normalized=normalized, symmetric=symmetric)
    block = np.random.default_rng(0).normal(size=(40, 3))
    average = (graph + graph.T) / 2
    degree = average.sum(axis=1)
    expected = np.diag(degree) - average
    if normalized:
        expected = np.eye(40) - average / np.sqrt(np.outer(degree, degree))
    np.testing.assert_allclose(laplacian.dense(), expected, atol=1e-12)
    np.testing.assert_allclose(laplacian @ block, expected @ block, atol=1e-10)
    np.testing.assert_allclose(laplacian.diagonal(), np.diag(expected), atol=1e-12)


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("warm", [False, True])
def test_iterations_find_what_lapack_finds(normalized, warm):
    laplacian = Laplacian.of(random_graph(), normalized=normalized)
    values, vectors = symmetric_eigh(laplacian.dense(), smallest=4)
    start = vectors + 0.01 * np.random.default_rng(1).normal(size=vectors.shape) if warm else None
    found = smallest_eigenpairs(laplacian, 4, start=start, tol=1e-8, random_state=np.random.RandomState(0))
    assert found.iterations > 0
    np.testing.assert_allclose(found.values, values, atol=1e-8)
    np.testing.assert_allclose(projector(found.vectors), projector(vectors), atol=1e-4)


@pytest.mark.parametrize("kind", ["hub", "heavy tail"])
def test_uneven_degrees_do_not_loosen_the_tolerance(kind):
    rng = np.random.default_rng(0)
    graph = random_graph(400, k=5)
    strength = np.where(np.arange(400) == 0, 1e3, 1.0) if kind == "hub" else 10 ** rng.normal(scale=1.0, size=400)
    laplacian = Laplacian.of(graph * strength[:, None] * strength, normalized=False)
    values, vectors = symmetric_eigh(laplacian.dense(), smallest=5)
    found = smallest_eigenpairs(laplacian, 5, random_state=np.random.RandomState(0))
    np.testing.assert_allclose(found.values, values, atol=1e-3 * values[-1])
    np.testing.assert_allclose(projector(found.vectors), projector(vectors), atol=0.02)


def test_a_warm_start_saves_iterations():
    laplacian = Laplacian.of(random_graph(), normalized=True)
    cold = smallest_eigenpairs(laplacian, 4, random_state=np.random.RandomState(0))
    warm = smallest_eigenpairs(laplacian, 4, start=cold.vectors, random_state=np.random.RandomState(0))
    assert warm.iterations < cold.iterations


def test_equal_eigenvalues_by_the_hundred():
    # 60 separate cliques: 60 eigenvalues 0, then all the others equal. Some LAPACK drivers give up on such graphs.
    graph = np.kron(np.eye(60), np.ones((6, 6)))
    laplacian = Laplacian.of(graph, normalized=True)
    found = smallest_eigenpairs(laplacian, 60, random_state=np.random.RandomState(0))
    np.testing.assert_allclose(found.values, 0, atol=1e-8)
    np.testing.assert_allclose(projector(found.vectors), graph / 6, atol=1e-4)


def test_the_next_driver_is_tried_when_one_fails(monkeypatch):
    def fails(*args, **kwargs):
        raise np.linalg.LinAlgError("did not converge")

    monkeypatch.setattr(np.linalg, "eigh", fails)
    matrix = random_graph(20)
    values, vectors = symmetric_eigh(matrix)
    np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-8)
    monkeypatch.setattr(eigensolvers.scipy.linalg, "eigh", fails)
    with pytest.raises(ViewfuseError, match="No LAPACK driver"):
        symmetric_eigh(matrix)


def test_iterations_that_do_not_converge_end_in_lapack(monkeypatch):
    monkeypatch.setattr(eigensolvers, "_MAX_ITERATIONS", 1)
    laplacian = Laplacian.of(random_graph(), normalized=False)
    found = smallest_eigenpairs(laplacian, 4, random_state=np.random.RandomState(0))
    assert found.iterations == 0
    np.testing.assert_allclose(found.values, symmetric_eigh(laplacian.dense(), smallest=4)[0], atol=1e-9)


def test_isolated_samples_do_not_take_an_eigenvector_each():
    graph = random_graph(60, k=2)
    graph[7, :] = graph[:, 7] = 0
    graph[9, :] = graph[:, 9] = 0
    graph[9, 9] = 5.0  # tied to itself only
    assert np.flatnonzero(isolated_samples(graph)).tolist() == [7, 9]
    found = smallest_eigenpairs(Laplacian.of(graph, normalized=True), 2, random_state=np.random.RandomState(0))
    np.testing.assert_allclose(found.vectors[[7, 9]], 0, atol=1e-8)


def test_a_graph_of_zeros_is_all_isolated():
    assert isolated_samples(np.zeros((3, 3))).all()


def test_every_array_library(xp):
    graph = random_graph(300)
    laplacian = Laplacian.of(xp.asarray(graph), normalized=True)
    found = smallest_eigenpairs(laplacian, 3, random_state=np.random.RandomState(0))
    expected = symmetric_eigh(Laplacian.of(graph, normalized=True).dense(), smallest=3)[0]
    np.testing.assert_allclose(np.asarray(found.values), expected, atol=1e-6)
