"""The polar factor of regular and of singular matrices."""

import numpy as np
import pytest

from viewfuse.linalg import polar, polar_factor

RNG = np.random.default_rng(0)
ALIKE = np.repeat(RNG.normal(size=(7, 4)), [1, 3, 1, 2], axis=1)  # equal columns: rank 4
MATRICES = [RNG.normal(size=(6, 6)), ALIKE, np.outer([1.0, 0, -2], [0.0, 3, 1]), np.diag([2.0, 0, 1e-200, 0]), [[-3.0]]]


@pytest.mark.parametrize("matrix", MATRICES)
def test_it_is_the_closest_orthogonal_matrix(matrix):
    factor = polar_factor(np.array(matrix))
    np.testing.assert_allclose(factor.T @ factor, np.eye(len(factor)), atol=1e-14)
    np.testing.assert_allclose(np.sum(factor * matrix), np.linalg.norm(matrix, "nuc"))


def test_of_zeros_it_is_the_identity():
    assert np.array_equal(polar_factor(np.zeros((3, 3))), np.eye(3))


@pytest.mark.parametrize("matrix", [RNG.normal(size=(6, 6)), ALIKE])
def test_bidiagonal_matrices_keep_the_singular_values(matrix):
    bidiagonal, column_wise, row_wise = polar._bidiagonalised(matrix)
    assert not np.tril(bidiagonal, -1).any()
    assert not np.triu(bidiagonal, 2).any()
    assert (len(column_wise), len(row_wise)) == (len(matrix), len(matrix) - 1)
    values = [np.linalg.svd(each, compute_uv=False) for each in (bidiagonal, matrix)]
    np.testing.assert_allclose(*values, atol=1e-14)


def test_rounding_in_the_last_step_makes_no_difference():
    """The small entries of the bidiagonal matrix decide, and they may change by a relative rounding error."""
    bidiagonal = polar._bidiagonalised(ALIKE)[0]
    changed = bidiagonal * (1 + 2e-16 * RNG.choice([-1, 1], size=bidiagonal.shape))
    assert 0 < np.abs(np.diagonal(bidiagonal)).min() < 1e-14
    factors = [left @ right for left, _, right in (np.linalg.svd(each) for each in (bidiagonal, changed))]
    np.testing.assert_allclose(*factors, atol=1e-13)
