import numpy as np
import pytest
from sklearn.cluster import KMeans, kmeans_plusplus

from viewfuse.linalg.seeding import plus_plus_seeds


@pytest.mark.parametrize("k", [1, 2, 7, 40])
@pytest.mark.parametrize("seed", range(3))
def test_seeds_are_those_of_scikit_learn(k, seed):
    points = np.random.default_rng(seed).normal(size=(120, 6)) + 5
    expected, _ = kmeans_plusplus(points, k, random_state=np.random.RandomState(seed))
    np.testing.assert_array_equal(plus_plus_seeds(points, k, np.random.RandomState(seed)), expected)


def test_kmeans_from_these_seeds_equals_scikit_learns():
    points = np.random.default_rng(0).normal(size=(300, 4))
    expected, found = (KMeans(8, init=init, n_init=5, random_state=3).fit(points) for init in ("k-means++", plus_plus_seeds))
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    assert found.inertia_ == pytest.approx(expected.inertia_, rel=1e-12)


def test_equal_points_have_as_many_seeds():
    np.testing.assert_array_equal(plus_plus_seeds(np.ones((5, 2)), 3, np.random.RandomState(0)), np.ones((3, 2)))
