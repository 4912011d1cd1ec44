import numpy as np
import pytest

from viewfuse.linalg import smallest_of_rows


def sorted_rows(values, count):
    order = np.argsort(values, axis=1, kind="stable")[:, :count]
    return order, np.take_along_axis(values, order, axis=1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("columns", [3, 47, 48, 49, 300])  # of 48 on, by bounds
@pytest.mark.parametrize("count", [1, 3])
def test_equals_a_sort(columns, count, dtype):
    values = np.random.default_rng(0).normal(size=(50, columns)).astype(dtype)
    for found, expected in zip(smallest_of_rows(values, count), sorted_rows(values, count), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_the_first_of_equal_entries_are_taken():
    values = np.random.default_rng(0).integers(0, 4, size=(30, 400)).astype(float)
    values[0] = 0
    for found, expected in zip(smallest_of_rows(values, 5), sorted_rows(values, 5), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_infinite_entries_come_last():
    values = np.full((3, 200), np.inf)
    values[0, [7, 150]] = [2.0, 1.0]
    values[1, 199] = -1.0
    index, found = smallest_of_rows(values, 3)
    np.testing.assert_array_equal(found, [[1, 2, np.inf], [-1, np.inf, np.inf], [np.inf] * 3])
    assert index[0, :2].tolist() == [150, 7]
    assert index[1, 0] == 199
    assert all(len(set(row)) == 3 for row in index.tolist())
