"""The numbers of views as they are compared: which rows and columns, and what counts as known or varied."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from viewfuse.views.numbers import Numbers, is_in_memory, is_known_to, is_varied, same_distribution

RNG = np.random.default_rng(0)


def test_of_a_frame_only_numbers_are_compared():
    frame = pd.DataFrame({"a": [1.5, None], "word": ["x", "y"], 7: [1, 2], "flag": [True, False]})
    numbers = Numbers(frame)
    assert numbers.names == ["'a'", "'7'"]
    np.testing.assert_array_equal(numbers.values, [[1.5, 1], [np.nan, 2]])
    assert len(numbers) == 2
    assert numbers.is_complete
    nullable = Numbers(pd.DataFrame({"n": pd.array([1, None], dtype="Int64")}))
    np.testing.assert_array_equal(nullable.values, [[1], [np.nan]])


@pytest.mark.parametrize("member", [None, sp.csr_array(np.eye(3)), pd.DataFrame({"w": ["a"]}), np.array([["a"]])])
def test_other_members_have_no_numbers(member):
    numbers = Numbers(member)
    assert (len(numbers), numbers.names, numbers.values.shape) == (0, [], (0, 0))


def test_columns_of_an_array_are_named_by_their_position():
    numbers = Numbers(np.arange(6).reshape(2, 3))
    assert numbers.names == ["0", "1", "2"]
    assert numbers.values.dtype == float


@pytest.mark.parametrize(("n_columns", "is_wide"), [(50, False), (51, True)])
def test_more_than_fifty_columns_are_wide(n_columns, is_wide):
    assert Numbers(np.ones((3, n_columns))).is_wide == is_wide


def test_of_large_views_rows_and_columns_at_equal_distances_are_looked_at():
    everything = np.arange(5000)[:, None] * 1000 + np.arange(200)[None, :]
    assert Numbers(everything).is_complete
    more = np.arange(10_001)[:, None] * 1000 + np.arange(399)[None, :]
    numbers = Numbers(more)
    assert not numbers.is_complete
    assert len(numbers) == 10_001
    assert numbers.values.shape == (5000, 200)
    assert numbers.names[0] == "0"
    assert numbers.names[-1] == "398"
    assert numbers.values[0, 0] == 0
    assert numbers.values[-1, -1] == 10_000 * 1000 + 398
    steps = np.diff(numbers.values[:, 0] / 1000)
    assert set(steps.tolist()) <= {2.0, 3.0}
    assert not Numbers(more[:, :3]).is_complete
    assert not Numbers(more[:3]).is_complete


def test_extremes_leave_empty_cells_out():
    numbers = Numbers(np.array([[1.0, np.nan, np.nan], [-2.0, 5.0, np.nan]]))
    assert numbers.lowest.tolist() == [-2, 5, np.inf]
    assert numbers.highest.tolist() == [1, 5, -np.inf]


def test_at_most_five_hundred_rows_are_ranked():
    numbers = Numbers(RNG.normal(size=(1200, 2)))
    assert numbers.ranks.shape == (500, 2)
    np.testing.assert_allclose((numbers.ranks**2).sum(axis=0), 1)
    assert Numbers(RNG.normal(size=(500, 2))).ranks.shape == (500, 2)
    assert (Numbers(np.ones((30, 1))).ranks == 0).all()
    with_gap = np.arange(5.0)[:, None]
    with_gap[1] = np.nan
    centred = np.array([-1.5, 0, -0.5, 0.5, 1.5])
    np.testing.assert_allclose(Numbers(with_gap).ranks[:, 0], centred / np.linalg.norm(centred))


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        ([1], "column 1"),
        ([0, 2], "columns 0, 2"),
        ([0, 1, 2, 3], "columns 0, 1, 2, 3"),
        ([0, 1, 2, 3, 4], "columns 0, 1, 2, 3 and 1 more"),
        ([5, 4, 3, 2, 1, 0], "columns 5, 4, 3, 2 and 2 more"),
    ],
)
def test_four_columns_are_named(columns, text):
    assert Numbers(np.ones((2, 6))).named(columns) == text


def test_the_other_columns():
    numbers = Numbers(np.arange(6.0).reshape(2, 3))
    assert [column.tolist() for column in numbers.except_for([1])] == [[0, 3], [2, 5]]


@pytest.mark.parametrize(
    ("member", "is_it"),
    [
        (np.ones(3), True),
        (np.ones(3, dtype=np.uint8), True),
        (np.ones(3, dtype=bool), False),
        (np.array(["a"]), False),
        ([1.0], False),
        (sp.csr_array(np.eye(2)), False),
    ],
)
def test_what_is_an_array_of_numbers(member, is_it, tmp_path):
    assert is_in_memory(member) == is_it
    if is_it:
        assert not is_in_memory(np.memmap(tmp_path / "x", dtype=float, shape=3, mode="w+"))


def test_more_than_ten_different_values_are_varied():
    assert not is_varied(np.arange(100.0) % 10)
    assert is_varied(np.arange(100.0) % 11)
    late = np.append(np.zeros(64), np.arange(11.0))  # the first values are equal
    assert is_varied(late)
    assert not is_varied(np.append(np.arange(10.0), [np.nan] * 5))


def test_rows_are_known_to_a_column_that_is_distributed_otherwise_there():
    rows = np.arange(200) < 60
    same, other = RNG.normal(size=200), RNG.normal(size=200) + 2 * rows
    assert not is_known_to([same], rows)
    assert is_known_to([other], rows)
    assert is_known_to([same, other], rows)
    assert is_known_to([], rows)
    nowhere = np.where(rows, np.nan, same)
    assert is_known_to([nowhere], rows)  # nothing to compare
    assert not is_known_to([nowhere, same], rows)
    gaps = other.copy()
    gaps[::3] = np.nan
    assert is_known_to([gaps], rows)


def test_the_bound_of_what_is_known_is_divided_by_the_number_of_columns():
    rows = np.arange(100) < 50
    for shift in np.linspace(0.3, 1.2, 40):
        column = np.concatenate([np.linspace(0, 1, 50), np.linspace(0, 1, 50) + shift])
        p = same_distribution(column[:50], column[50:])
        flat = np.tile(np.linspace(0, 1, 50), 2)
        for others in range(0, 8, 2):
            assert is_known_to([column, *[flat] * others], rows) == (p <= 0.001 / (1 + others))


def test_the_p_value_by_hand():
    """The distance is 1/2, and m = 4 · 4 / 8 = 2."""
    from scipy.special import kolmogorov

    one, other = np.array([4.0, 1.0, 3.0, 2.0]), np.array([3.0, 4.0, 5.0, 6.0])
    root = np.sqrt(2)
    assert same_distribution(one, other) == pytest.approx(kolmogorov(0.5 * (root + 0.12 + 0.11 / root)))
    assert same_distribution(one, one) == 1
