"""How columns become numbers, compared with direct computations."""

import numpy as np
import pandas as pd
import pytest

from viewfuse import Views
from viewfuse.exceptions import EmptyCellsWarning
from viewfuse.views.encoding.column_types import column_type
from viewfuse.views.encoding.columns import learn_column, transformed

N = 400


def encoded(values, name="x", asked=None):
    values = pd.Series(values)
    column = learn_column(values, name, column_type(values, name, view="t", asked=asked), "t")
    return column, column.encode(values, "t")[0]


COLUMNS = {
    "normal": lambda rng: rng.normal(50, 7, N),
    "lognormal": lambda rng: np.exp(rng.normal(10, 1.5, N)),
    "two values": lambda rng: rng.integers(0, 2, N),
    "boolean": lambda rng: rng.random(N) < 0.2,
    "five categories": lambda rng: rng.choice(list("abcde"), N, p=[0.5, 0.2, 0.15, 0.1, 0.05]),
    "ordered": lambda rng: rng.choice(["never", "rarely", "often", "always"], N),
    "dates": lambda rng: pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, N), "D"),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_every_column_has_mean_0_and_total_variance_1(kind):
    _, matrix = encoded(COLUMNS[kind](np.random.default_rng(0)))
    np.testing.assert_allclose(matrix.mean(axis=0), 0, atol=0.02)
    np.testing.assert_allclose(matrix.var(axis=0).sum(), 1, rtol=0.03)


def test_a_category_is_indicators_over_the_root_of_their_total_variance():
    values = np.array(["a"] * 50 + ["b"] * 30 + ["c"] * 20)
    column, matrix = encoded(values)
    shares = np.array([0.5, 0.3, 0.2])
    direct = (np.stack([values == level for level in "abc"], axis=1) - shares) / np.sqrt(1 - (shares**2).sum())
    np.testing.assert_allclose(matrix, direct)
    assert column.feature_names == ["x=a", "x=b", "x=c"]


def test_an_ordered_category_is_half_position_and_half_category():
    values = np.array(["low"] * 40 + ["medium"] * 40 + ["high"] * 20)
    column, matrix = encoded(values)
    position = np.repeat([0.0, 1, 2], [40, 40, 20])
    np.testing.assert_allclose(matrix[:, 0], np.sqrt(0.5) * (position - position.mean()) / position.std())
    np.testing.assert_allclose(matrix[:, 1:].var(axis=0).sum(), 0.5)
    assert column.feature_names == ["x", "x=low", "x=medium", "x=high"]


def test_heavy_tails_are_measured_by_logarithms_of_one_or_both_signs():
    rng = np.random.default_rng(0)
    assert encoded(np.exp(rng.normal(8, 2, N)))[0].encoding == "logarithm, standardised"
    assert encoded(rng.standard_t(1.2, N) * 100)[0].encoding == "signed logarithm, standardised"
    assert encoded(rng.normal(size=N))[0].encoding == "standardised"


def test_single_outliers_change_neither_centre_nor_scale():
    values = np.random.default_rng(0).normal(50, 7, N)
    plain, _ = encoded(values)
    spoiled, matrix = encoded(np.append(values, [1e6]))
    assert abs(spoiled.centre - plain.centre) < 0.01
    assert abs(spoiled.scale - plain.scale) < 0.01
    assert matrix.max() == 4


def test_empty_cells_are_nan_in_every_column_that_a_column_becomes():
    _, matrix = encoded(["a", "b", None, "c", " "] * 20)
    assert np.isnan(matrix[[2, 4]]).all()
    assert not np.isnan(matrix[[0, 1, 3]]).any()


@pytest.mark.parametrize("scale", [1e-300, 1e300, 5e307])
@pytest.mark.parametrize(
    "make", [lambda rng: rng.normal(size=N), lambda rng: rng.uniform(size=N), lambda rng: rng.standard_t(2, N)]
)
def test_extreme_numbers(scale, make):
    numbers = make(np.random.default_rng(0)).clip(-3.5, 3.5)
    plain, expected = encoded(numbers)
    column, matrix = encoded(numbers * scale)
    assert column.encoding == plain.encoding
    np.testing.assert_allclose(matrix, expected, atol=1e-9)
    extremes = column.encode(pd.Series([1.7e308, -1.7e308]), "t")[0][:, 0]
    assert 2 < extremes[0] <= 4
    assert -4 <= extremes[1] < -2


def test_one_column_counts_as_much_as_another_in_distances():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({name: make(rng) for name, make in COLUMNS.items()})
    views = Views(frame)
    table = views.encoding.tables[0]
    ends = np.cumsum([len(column.feature_names) for column in table.used])[:-1]
    parts = np.split(views.arrays[0], ends, axis=1)
    squared = [np.sum((part[:200] - part[200:]) ** 2, axis=1).mean() for part in parts]
    np.testing.assert_allclose(squared, 2, rtol=0.25)


def test_a_table_of_numbers_in_one_unit_is_left_as_it_is():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 4)), columns=list("abcd"))
    np.testing.assert_array_equal(Views({"x": frame}).arrays[0], frame.to_numpy())
    other_units = frame * [1, 1, 1, 1000]
    encoded = Views({"x": other_units}).arrays[0]
    np.testing.assert_allclose(encoded.std(axis=0), 1, rtol=0.05)


def test_wide_counts_beside_mixed_columns_are_left_as_they_are():
    rng = np.random.default_rng(0)
    words = pd.DataFrame(rng.poisson(0.2, (60, 80))).add_prefix("w")
    about = pd.DataFrame({"sex": rng.choice(["f", "m"], 60), "age": rng.integers(20, 70, 60)})
    views = Views({"words": words, "about": about})
    np.testing.assert_array_equal(views.view("words"), words.to_numpy())
    assert not views.is_encoded(0)
    assert views.is_encoded(1)


def test_empty_cells_are_counted_for_each_column():
    frame = pd.DataFrame({"a": [1.0, np.nan, 3, 4, 2] * 8, "b": ["x", "y", None, "x", "y"] * 8})
    with pytest.warns(EmptyCellsWarning):
        views = Views(frame)
    assert [column.n_empty for column in views.encoding.tables[0].columns] == [8, 8]
    assert np.isfinite(views.arrays[0]).all()
    assert "8" in str(views.encoding)


def test_transforms_are_those_of_their_names():
    numbers = np.array([-30.0, -1.0, 0.0, 0.5, 7.0, 2000.0])
    np.testing.assert_allclose(transformed(numbers, "signed logarithm", 4.0), np.arcsinh(numbers / 4.0))
    np.testing.assert_allclose(transformed(numbers, "logarithm", 0.25), np.log([0.25, 0.25, 0.25, 0.5, 7.0, 2000.0]))
    np.testing.assert_array_equal(transformed(numbers, "none", 0.0), numbers)
