"""The operator whose smallest eigenvectors are a graph's largest."""

import numpy as np
import pytest

from viewfuse.linalg import Complement, normalized_adjacency, smallest_eigenpairs


@pytest.mark.parametrize("factor", [None, np.random.default_rng(1).normal(size=(30, 4))])
def test_the_operator_equals_its_dense_matrix(factor):
    rng = np.random.default_rng(0)
    graph = rng.random((30, 30))
    graph += graph.T
    operator = Complement(graph, 2.5, factor)
    expected = 2.5 * np.eye(30) - graph - (0 if factor is None else factor @ factor.T)
    block = rng.normal(size=(30, 3))
    np.testing.assert_allclose(operator.dense(), expected)
    np.testing.assert_allclose(operator @ block, expected @ block)
    np.testing.assert_allclose(operator.diagonal(), np.diag(expected))
    assert operator.n_samples == 30
    found = smallest_eigenpairs(operator, 2, random_state=np.random.RandomState(0))
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(expected)[:2])


def test_the_default_shift_is_1():
    np.testing.assert_array_equal(Complement(np.zeros((2, 2))).dense(), np.eye(2))


def test_normalized_adjacency_by_hand():
    graph = np.array([[1.0, 3, 0, 0], [3, 0, 6, 0], [0, 6, 0, 0], [0, 0, 0, 5]])  # the last sample has only a self-loop
    degree = np.array([4.0, 9, 6])
    expected = np.zeros((4, 4))
    expected[:3, :3] = graph[:3, :3] / np.sqrt(np.outer(degree, degree))
    np.testing.assert_allclose(normalized_adjacency(graph), expected)
