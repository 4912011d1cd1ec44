"""Squared distances against a direct computation, far from the origin and for duplicates."""

import numpy as np
import pytest
import scipy.sparse as sp

from viewfuse.graphs import ScaledView, squared_distances


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_squared_distances_equal_a_direct_computation(make, dtype):
    values = np.random.default_rng(0).normal(size=(30, 5)).astype(dtype)
    found = squared_distances(ScaledView(make(values)))
    direct = ((values[:, None].astype(float) - values[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(found, direct, atol=1e-5 if dtype == np.float32 else 1e-12)
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(np.diagonal(found), 0)
    assert found.dtype == dtype


def test_distances_far_from_the_origin_keep_their_digits():
    values = np.random.default_rng(0).normal(size=(30, 5))
    shifted = squared_distances(ScaledView(values + 1e6))
    np.testing.assert_allclose(shifted, squared_distances(ScaledView(values)), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_duplicates_have_distance_0(make):
    values = np.random.default_rng(0).normal(size=(20, 3)) * [1, 1e3, 1e-3]
    found = squared_distances(ScaledView(make(np.vstack([values, values]))))
    np.testing.assert_array_equal(np.diagonal(found[:20, 20:]), 0)
    assert np.count_nonzero(found == 0) == 80
