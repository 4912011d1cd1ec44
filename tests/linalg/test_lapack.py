"""LAPACK without Python's lock gives what SciPy gives, in place where it says so, and fails as SciPy does."""

import threading

import numpy as np
import pytest
import scipy.linalg

from viewfuse.linalg.lapack import cholesky, divide_and_conquer, inverse_of_cholesky, some_eigenpairs

TYPES = pytest.mark.parametrize(("dtype", "error"), [(np.float64, 1e-12), (np.float32, 1e-4)])
SIZES = pytest.mark.parametrize("n", [1, 2, 31, 200])


def positive(n, dtype=np.float64):
    points = np.random.default_rng(n).normal(size=(n, n))
    return (points @ points.T / n + np.eye(n)).astype(dtype)


@TYPES
@SIZES
def test_cholesky_and_inverse_in_place(n, dtype, error):
    matrix = positive(n, dtype)
    held = matrix.copy(order="F")
    factor = cholesky(held)
    assert factor is held
    np.testing.assert_allclose(np.tril(factor), scipy.linalg.cholesky(matrix, lower=True), atol=error)
    np.testing.assert_array_equal(np.triu(factor, 1), np.triu(matrix, 1))
    assert inverse_of_cholesky(factor) is held
    np.testing.assert_allclose(np.tril(held), np.tril(np.linalg.inv(matrix)), atol=10 * error)


@TYPES
@SIZES
def test_all_eigenpairs(n, dtype, error):
    matrix = positive(n, dtype)
    before = matrix.copy()
    values, vectors = divide_and_conquer(matrix)
    assert values.dtype == vectors.dtype == dtype
    np.testing.assert_allclose(values, np.linalg.eigvalsh(matrix), atol=10 * error)
    np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=10 * error)
    np.testing.assert_array_equal(matrix, before)


@TYPES
@pytest.mark.parametrize(("first", "last"), [(0, 0), (0, 6), (190, 199), (50, 52)])
def test_some_eigenpairs(first, last, dtype, error):
    matrix = positive(200, dtype)
    before = matrix.copy()
    values, vectors = some_eigenpairs(matrix, first, last)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(matrix)[first : last + 1], atol=10 * error)
    np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=10 * error)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(last - first + 1), atol=10 * error)
    np.testing.assert_array_equal(matrix, before)


def test_what_is_not_positive_or_has_no_inverse_is_told():
    with pytest.raises(np.linalg.LinAlgError, match="order 2 is not positive"):
        cholesky(np.diag([1.0, -1.0, 1.0]).copy(order="F"))
    with pytest.raises(np.linalg.LinAlgError, match="zero in row 3"):
        inverse_of_cholesky(np.diag([1.0, 1.0, 0.0]).copy(order="F"))


def test_other_threads_go_on_meanwhile():
    # A thread of Python code gets on while another decomposes a matrix in one call, of about a second.
    matrix, steps, done = positive(1_500), [], threading.Event()

    def count():
        while not done.wait(0.001):
            steps.append(1)

    counting = threading.Thread(target=count)
    counting.start()
    try:
        divide_and_conquer(matrix)
    finally:
        done.set()
        counting.join()
    assert len(steps) > 20
