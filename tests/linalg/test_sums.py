"""Sums that are added up as a plain loop does."""

import numpy as np
import pytest

from viewfuse.linalg import products_in_order, squares_in_order, sums, sums_in_order


@pytest.mark.parametrize("block", [1, 64, 2**17])
def test_sums_are_those_of_a_loop_to_the_last_bit(block, monkeypatch):
    monkeypatch.setattr(sums, "_BLOCK", block)
    rows = np.random.default_rng(0).normal(size=(7, 300))
    for row, found, squares in zip(rows, sums_in_order(rows), squares_in_order(rows), strict=True):
        total = square = 0.0
        for number in row:
            total += number
            square += number * number
        assert (found, squares) == (total, square)
    i, j = np.array([0, 0, 5, 6]), np.array([0, 3, 2, 6])
    assert products_in_order(rows, i, j).tolist() == [sum(rows[a] * rows[b], 0.0) for a, b in zip(i, j, strict=True)]


def test_rows_without_numbers_have_the_sum_0():
    assert sums_in_order(np.empty((3, 0))).tolist() == [0, 0, 0]
    assert products_in_order(np.empty((3, 0)), np.array([0, 1]), np.array([2, 1])).tolist() == [0, 0]
