"""The figures of an encoded column: moments, fences, transforms, levels and what is read back, each directly."""

import datetime

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kurtosis, skew

from viewfuse import ViewsError
from viewfuse.views.encoding import columns
from viewfuse.views.encoding.column_types import ColumnType, column_type
from viewfuse.views.encoding.columns import ColumnEncoding, learn_column, mean_and_spread, numbers_of

RNG = np.random.default_rng(0)


def learned(values, name="x", asked=None):
    values = pd.Series(values)
    return learn_column(values, name, column_type(values, name, view="t", asked=asked), "t")


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_moments(scale):
    numbers = RNG.gamma(2, size=50) - 1
    assert columns._moment(scale * numbers, 3) == pytest.approx(skew(numbers))
    assert columns._moment(scale * numbers, 4) == pytest.approx(kurtosis(numbers, fisher=False))
    assert mean_and_spread(scale * numbers) == pytest.approx((scale * numbers.mean(), scale * numbers.std()))


def test_moments_of_equal_numbers():
    for constant in (0.0, 3.0, -3.0):
        assert columns._moment(np.full(5, constant), 3) == 0
        assert mean_and_spread(np.full(5, constant)) == (constant, 0)


def test_values_beyond_three_interquartile_ranges_are_outside():
    numbers = np.concatenate([np.arange(101.0), [250.0, 251.0, -150.0, -151.0]])
    low, high = np.percentile(numbers, [25, 75])
    direct = (numbers >= low - 3 * (high - low)) & (numbers <= high + 3 * (high - low))
    assert 0 < (~direct).sum() < 5
    np.testing.assert_array_equal(columns._within_fences(numbers), direct)


def test_fences_include_their_ends():
    numbers = np.concatenate([np.repeat([0.0, 1.0], 50), [4.0, -3.0, 4.1, -3.1]])  # quartiles 0 and 1
    np.testing.assert_array_equal(columns._within_fences(numbers), np.abs(numbers - 0.5) <= 3.5)


def test_a_tenth_that_is_far_away_is_no_outlier():
    def outside(n_far):
        return int((~columns._within_fences(np.concatenate([np.linspace(0, 1, 100 - n_far), np.full(n_far, 90.0)]))).sum())

    assert outside(9) == 9
    assert outside(10) == 0
    assert columns._within_fences(np.append(np.zeros(60), 1.0)).all()  # all others are equal


def lognormal(sigma, n=2001):
    """The quantiles of a lognormal distribution with the median 1."""
    from scipy.stats import norm

    return np.exp(sigma * norm.ppf(np.linspace(0, 1, n + 2)[1:-1]))


def test_a_logarithm_is_taken_from_a_skewness_of_one_and_a_half():
    assert skew(lognormal(0.42)) < 1.5 < skew(lognormal(0.5))
    assert columns._transform_for(lognormal(0.42)) == ("none", 0.0)
    assert columns._transform_for(7 * lognormal(0.5)) == ("logarithm", pytest.approx(7e-3))
    assert columns._transform_for(-lognormal(0.5))[0] == "none"  # skewed to the left, and negative


def test_a_logarithm_must_halve_the_skewness():
    mostly_one = np.append(np.ones(98), [2.0, 3.0])  # as skewed by logarithms
    assert skew(mostly_one) > 1.5
    assert columns._transform_for(mostly_one) == ("none", 0.0)
    assert columns._transform_for(np.append(np.zeros(60), lognormal(1, 40)))[0] == "none"  # the median is 0
    with_zeros = np.append(np.zeros(5), lognormal(1, 500))
    assert columns._transform_for(with_zeros) == ("logarithm", pytest.approx(1e-3 * np.median(with_zeros)))


def test_signed_logarithms_are_in_units_of_half_the_interquartile_range():
    heavy = np.concatenate([-lognormal(1.2, 300), lognormal(1.2, 300)])
    assert kurtosis(heavy, fisher=False) > 10
    unit = np.subtract(*np.percentile(heavy, [75, 25])) / 2
    assert columns._transform_for(heavy) == ("signed logarithm", pytest.approx(unit))
    light = np.concatenate([-lognormal(0.7, 300), lognormal(0.7, 300)])
    assert kurtosis(light, fisher=False) < 10
    assert columns._transform_for(light) == ("none", 0.0)
    assert columns._transform_for(np.append(np.zeros(99), -5.0)) == ("none", 0.0)  # no width
    assert columns.has_heavy_tail(heavy)
    assert not columns.has_heavy_tail(light)


def test_a_number_is_centred_and_scaled_by_what_is_inside_the_fences():
    numbers = np.concatenate([np.arange(1.0, 102.0), [1e9, np.nan]])
    column = learned(numbers)
    inner = numbers[:101]
    assert (column.transform, column.centre, column.scale) == ("none", inner.mean(), pytest.approx(inner.std()))
    assert column.n_empty == 1
    found = column.encode(pd.Series(numbers), "t")[0]
    assert found.shape == (103, 1)
    assert found[0, 0] == pytest.approx((inner[0] - inner.mean()) / inner.std())
    assert found[101, 0] == 4
    assert column.encode(pd.Series([-1e9]), "t")[0][0, 0] == -4


SHARES = np.array([0.5, 0.3, 0.2])


def test_unknown_categories_are_like_none_of_the_others():
    column = learned(["a"] * 50 + ["b"] * 30 + ["c"] * 20)
    assert column.shares == pytest.approx(SHARES)
    assert column.encoding == "3 indicators"
    found, unknown = column.encode(pd.Series(["b", "new", None]), "t")
    width = np.sqrt(1 - (SHARES**2).sum())
    np.testing.assert_allclose(found[0], (np.array([0, 1, 0]) - SHARES) / width)
    np.testing.assert_allclose(found[1], -SHARES / width)
    assert np.isnan(found[2]).all()
    assert unknown == ["new"]


def test_unknown_values_belong_to_the_rare_ones():
    values = ["a"] * 300 + ["b"] * 200 + [f"rare{i % 70}" for i in range(140)]
    column = learned(values)
    assert column.shares[-1] == pytest.approx(140 / 640)
    found, unknown = column.encode(pd.Series(["never seen", "rare3", "a"]), "t")
    np.testing.assert_array_equal(found[0], found[1])
    assert found[0].argmax() == len(column.levels) - 1
    assert found[2].argmax() == 0
    assert unknown == []


def test_of_two_levels_one_indicator_has_the_variance_of_both():
    values = pd.Series(["no"] * 70 + ["yes"] * 30)
    column = learned(values)
    assert column.encoding == "1 indicator"
    assert column.feature_names == ["x=yes"]
    found = column.encode(values, "t")[0]
    direct = np.sqrt(2) * ((values == "yes") - 0.3) / np.sqrt(1 - 0.7**2 - 0.3**2)
    np.testing.assert_allclose(found[:, 0], direct)


def test_unknown_levels_of_an_ordered_category_are_in_the_middle():
    values = pd.Series(["low"] * 40 + ["medium"] * 40 + ["high"] * 20)
    column = learned(values)
    position = np.repeat([0.0, 1.0, 2.0], [40, 40, 20])
    assert (column.centre, column.scale) == pytest.approx((position.mean(), position.std()))
    assert column.encoding == "position among 3 levels, and as a category"
    found, unknown = column.encode(pd.Series(["high", "who knows"]), "t")
    assert found[1, 0] == 0
    assert unknown == ["who knows"]
    shares = np.array([0.4, 0.4, 0.2])
    np.testing.assert_allclose(found[0, 1:], np.sqrt(0.5) * (np.array([0, 0, 1]) - shares) / np.sqrt(1 - (shares**2).sum()))


def indicators(values, levels):
    return np.array([[float(value == level) for level in levels] for value in values])


def test_what_is_readable_has_the_units_of_the_column():
    answers = ["low", "high", "medium", "high", "low"] * 10
    ordered = learned(answers)
    assert (
        ordered.readable(pd.Series(answers), "t").tolist()
        == np.column_stack(
            [
                [{"low": 0, "medium": 1, "high": 2}[answer] for answer in answers],
                indicators(answers, ["low", "medium", "high"]),
            ]
        ).tolist()
    )
    words = ["a", "b", "c", "a"] * 10
    assert learned(words).readable(pd.Series(words), "t").tolist() == indicators(words, "abc").tolist()
    for two in (["yes", *["no"] * 9], ["no", *["yes"] * 9]):
        assert learned(two).readable(pd.Series(two), "t")[:, 0].tolist() == [value == "yes" for value in two]
    pair = ["small", *["big"] * 9]
    ordered_pair = learned(pair, asked=["small", "big"])
    assert ordered_pair.readable(pd.Series(pair), "t")[:2].tolist() == [[0, 1, 0], [1, 0, 1]]
    grades = [f"grade {letter}" for letter in "abcdefghi"]
    many = learned(grades * 5, asked=grades)
    assert many.readable(pd.Series(grades), "t")[:, 0].tolist() == list(range(9))
    amounts = RNG.gamma(1, 100, size=50)
    np.testing.assert_array_equal(learned(amounts).readable(pd.Series(amounts), "t")[:, 0], amounts)
    assert np.isnan(learned(words).readable(pd.Series([None, "a"]), "t")[0]).all()


def test_a_weight_multiplies_and_is_said():
    values = pd.Series(["a", "b", "c", "a"] * 10)
    column = learned(values)
    assert column.weighted(1) is column
    less = column.weighted(0.5)
    np.testing.assert_allclose(less.encode(values, "t")[0], 0.5 * column.encode(values, "t")[0])
    assert less.encoding == "3 indicators, times 0.50"
    assert less.note == "has little to do with other columns"
    np.testing.assert_array_equal(less.readable(values, "t"), column.readable(values, "t"))


def days_of(values, **about):
    return numbers_of(values, ColumnEncoding("x", about.pop("type", "date"), "", 0, **about), "t").tolist()


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_dates_are_days_since_1970(unit):
    dates = pd.Series(pd.to_datetime(["1970-01-03 00:00", "1969-12-31 12:00", None])).astype(f"datetime64[{unit}]")
    assert days_of(dates)[:2] == [2, -0.5]
    assert np.isnan(days_of(dates)[2])
    spans = pd.Series(pd.to_timedelta(["2 days", "6 hours"])).astype(f"timedelta64[{unit}]")
    assert days_of(spans) == [2, 0.25]


def test_dates_of_every_kind_are_the_same_days():
    tokyo = pd.Series(pd.to_datetime(["1970-01-02 09:00"])).dt.tz_localize("Asia/Tokyo")
    assert days_of(tokyo) == [1]
    assert days_of(pd.Series(pd.period_range("1970-02", periods=1, freq="M"))) == [31]
    assert days_of(pd.Series([datetime.date(1970, 1, 5), None], dtype=object))[0] == 4
    assert days_of(pd.Series(["05.01.1970"]), style="%d.%m.%Y") == [4]
    with pytest.raises(ViewsError, match=r"View 't', column 'x' holds values that are no dates"):
        days_of(pd.Series(["some day"], dtype=object))


def test_text_that_is_no_number_is_named_with_its_row():
    column = ColumnEncoding("x", "number", "", 0, style="plain")
    assert numbers_of(pd.Series(["1.5", "007", "000", "-3"]), column, "t").tolist() == [1.5, 7, 0, -3]
    found = numbers_of(pd.Series(["1", "?", None]), column, "t")
    assert found[0] == 1
    assert np.isnan(found[1:]).all()
    with pytest.raises(ViewsError, match="'x' holds 'many', first in row 2, but it is a column of numbers") as caught:
        numbers_of(pd.Series(["1", "2", "many"]), column, "t")
    assert caught.value.view == "t"
    with pytest.raises(ViewsError, match="column of numbers in cm"):
        numbers_of(pd.Series(["1", "2 m"]), ColumnEncoding("x", "number", "", 0, style="plain; in cm"), "t")
    lenient = ColumnEncoding("x", "number", "", 0, style="plain", note="'many' read as empty")
    assert np.isnan(numbers_of(pd.Series(["1", "few"]), lenient, "t")[1])
    with pytest.raises(ViewsError, match="'x' is infinite in row 1"):
        numbers_of(pd.Series([1.0, np.inf, -np.inf]), column, "t")


@pytest.mark.parametrize(
    ("name", "style", "expected"),
    [
        ("height", "plain; in cm", "height [cm]"),
        ("height [cm]", "plain; in cm", "height [cm]"),
        ("height (cm)", "plain; in cm", "height (cm)"),
        ("height", "plain", "height"),
        ("start", "times", "start [h]"),
        ("age", None, "age"),
    ],
)
def test_units_are_said_once(name, style, expected):
    assert ColumnEncoding(name, "number", "", 0, style=style).feature_names == [expected]


def test_names_of_what_a_column_becomes():
    def names(type_, levels=None, left_out=None):
        return ColumnEncoding("x", type_, "", 0, levels=levels, left_out=left_out).feature_names

    assert names("category", ("a", "b", "c")) == ["x=a", "x=b", "x=c"]
    assert names("category", ("a", "b")) == ["x=b"]
    assert names("ordered", ("a", "b")) == ["x", "x=a", "x=b"]
    assert names("id", left_out="names") == []


def test_a_column_that_is_left_out_keeps_its_reason_and_its_empty_cells():
    values = pd.Series([f"name{i}" if i % 10 else None for i in range(40)])
    found = learn_column(values, "x", ColumnType("id", left_out="names"), "t")
    assert (found.left_out, found.n_empty, found.encoding) == ("names", 4, "")
    assert learned(["a", "b", None, "c", "?"] * 8).n_empty == 16
    assert learned([1.0, 2.5, np.nan, 7.0] * 8).n_empty == 8


def test_a_constant_has_the_scale_one():
    """New data may be encoded by a column whose values inside the fences were all equal."""
    column = columns._learn_numbers(np.full(9, 5.0), {"name": "x", "type": "number"})
    assert (column.centre, column.scale) == (5, 1)
