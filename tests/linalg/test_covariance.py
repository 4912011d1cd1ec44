"""The shrunk covariance is scikit-learn's."""

import numpy as np
import pytest
from sklearn.covariance import ledoit_wolf

from viewfuse.linalg import shrunk_covariance


@pytest.mark.parametrize("shape", [(30, 4), (10, 40), (500, 20), (5, 1), (2, 3)])
def test_equals_that_of_scikit_learn(shape):
    rng = np.random.default_rng(0)
    points = rng.normal(size=shape) * rng.uniform(0.1, 5, shape[1])
    np.testing.assert_allclose(
        shrunk_covariance(points), ledoit_wolf(points, assume_centered=True)[0], rtol=1e-9, atol=1e-12
    )


def test_points_without_spread():
    np.testing.assert_array_equal(shrunk_covariance(np.zeros((4, 3))), np.zeros((3, 3)))
