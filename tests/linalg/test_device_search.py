"""Nearest rows on a device."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from viewfuse.linalg import device_search, nearest_rows


@pytest.mark.parametrize("at_a_time", [2**27, 700])  # distances: all, or those of a few rows
def test_nearest_rows_are_those_of_a_direct_search(xp, at_a_time, monkeypatch):
    monkeypatch.setattr(device_search, "_MOST_DISTANCES", at_a_time)
    rng = np.random.default_rng(0)
    rows, others = rng.normal(size=(40, 5)), rng.normal(size=(300, 5))
    expected = NearestNeighbors(n_neighbors=7).fit(others).kneighbors(rows)
    distance, index = nearest_rows(xp.asarray(rows), xp.asarray(others), 7)
    np.testing.assert_allclose(np.asarray(distance), expected[0], atol=1e-10)
    assert np.array_equal(np.asarray(index), expected[1])
