"""The nearest samples in exact order."""

import numpy as np
import pytest

import peers
from viewfuse.graphs import adaptive_weights, distances_at, largest_distance, nearest_samples
from viewfuse.linalg import products_in_order


@pytest.mark.parametrize("exclude_self", [True, False])
@pytest.mark.parametrize("repeat", [1, 3])  # every sample three times: equal distances everywhere
def test_it_equals_a_stable_sort(exclude_self, repeat):
    points = np.repeat(np.random.default_rng(0).integers(0, 4, size=(100, 3)), repeat, axis=0).astype(float)
    distances = peers.square_distances(points)
    if exclude_self:
        np.fill_diagonal(distances, -1)
    order = np.argsort(distances, axis=1, kind="stable")[:, 1:8]
    index, found = nearest_samples(points, 7, exclude_self=exclude_self)
    assert np.array_equal(index, order)
    np.testing.assert_allclose(found, np.take_along_axis(distances, order, axis=1))
    np.testing.assert_allclose(distances_at(points, index), found)
    assert largest_distance(points) == pytest.approx(distances.max())


@pytest.mark.parametrize("factor", [1.0, 1e6])
def test_plain_sums_decide_between_distances_that_are_equal_but_for_rounding(factor):
    rng = np.random.default_rng(0)
    words = (rng.random((150, 400)) < 0.02).astype(float)
    points = factor * words[words.any(axis=1)]
    points /= np.sqrt((points**2).sum(axis=1, keepdims=True))
    n = len(points)
    i, j = np.divmod(np.arange(n * n), n)
    products = products_in_order(points, i, j).reshape(n, n)
    distances = -2 * products + (np.diagonal(products)[:, None] + np.diagonal(products)[None, :])
    np.fill_diagonal(distances, -1)
    distances[np.abs(distances) < 1e-14] = 0  # equal samples
    order = np.argsort(distances, axis=1, kind="stable")[:, 1:8]
    index, _ = nearest_samples(points, 7, exclude_self=True)
    assert np.array_equal(np.sort(index, axis=1), np.sort(order, axis=1))


def test_the_sample_itself_is_excluded_among_large_numbers():
    points = 1e9 + np.arange(6.0)[:, None]
    index, _ = nearest_samples(points, 3, exclude_self=True)
    assert not (index == np.arange(6)[:, None]).any()


def test_fewer_samples_than_neighbours():
    index, _ = nearest_samples(np.array([[0.0], [1], [3]]), 10, exclude_self=True)
    assert index.tolist() == [[1, 2], [0, 2], [1, 0]]


def test_adaptive_weights():
    np.testing.assert_allclose(adaptive_weights(np.array([[1.0, 2, 4], [3, 3, 3]])), [[0.6, 0.4, 0], [0.5, 0.5, 0]])
    assert adaptive_weights(np.array([[2.0]])).tolist() == [[1]]
