"""The inverse by products equals LAPACK's."""

import numpy as np
import pytest

from viewfuse.linalg import shifted_inverse


@pytest.mark.parametrize("n", [1, 7, 193, 421])
@pytest.mark.parametrize(("dtype", "error"), [(np.float64, 1e-10), (np.float32, 1e-4)])
@pytest.mark.parametrize("shift", [0.3, 20.0])
def test_equals_lapack(n, dtype, error, shift):
    points = np.random.default_rng(n).normal(size=(n, n // 2 + 1)) * 10 / n**0.5  # eigenvalues from 0 to several hundred
    gram = points @ points.T
    found = shifted_inverse(gram.astype(dtype), shift)
    assert found.dtype == dtype
    expected = np.linalg.inv(gram + shift * np.eye(n))
    np.testing.assert_allclose(found, expected, rtol=0, atol=error * np.abs(expected).max())


def test_the_matrix_is_not_changed():
    gram = np.ones((300, 300))
    shifted_inverse(gram, 1.0)
    assert (gram == 1).all()


def test_an_indefinite_matrix_raises():
    with pytest.raises(np.linalg.LinAlgError, match="order 1 is not positive"):
        shifted_inverse(-np.eye(3), 0.5)
