"""The nearest samples in exact order."""

import numpy as np
import pytest

import peers
from viewfuse.graphs import adaptive_weights, distances_at, largest_distance, nearest_samples


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


def test_fewer_samples_than_neighbours():
    index, _ = nearest_samples(np.array([[0.0], [1], [3]]), 10, exclude_self=True)
    assert index.tolist() == [[1, 2], [0, 2], [1, 0]]


def test_adaptive_weights():
    np.testing.assert_allclose(adaptive_weights(np.array([[1.0, 2, 4], [3, 3, 3]])), [[0.6, 0.4, 0], [0.5, 0.5, 0]])
    assert adaptive_weights(np.array([[2.0]])).tolist() == [[1]]
