"""The types of columns."""

import datetime
import decimal

import numpy as np
import pandas as pd
import pytest

from viewfuse import ViewsError
from viewfuse.views.encoding.column_types import column_type
from viewfuse.views.encoding.columns import ColumnEncoding, numbers_of
from viewfuse.views.encoding.distinct import Distinct
from viewfuse.views.encoding.scales import known_order
from viewfuse.views.encoding.written import as_date, as_number, date_format, number_style

N = 40
RNG = np.random.default_rng(0)


def typed(values, name="column", asked=None):
    return column_type(pd.Series(values), name, view="table", asked=asked)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (RNG.normal(size=N), "number"),
        (RNG.integers(0, 9, N), "number"),
        (pd.array([1, None] * 20, dtype="Int64").astype("Int64").fillna(2) + np.arange(N), "number"),
        ([decimal.Decimal(i) / 3 for i in range(N)], "number"),
        ([f"{i},5" for i in range(N)], "number"),
        ([f"{i}.5" if i % 5 else "?" for i in range(N)], "number"),
        (["1,234.50", "999.00", "12,000.00", "7.25"] * 10, "number"),
        ([f"{160 + i} cm" for i in range(N)], "number"),
        ([f"{i % 7 + 1} year{'s' if i % 7 else ''}" for i in range(N)], "number"),
        ([f"{100 + i % 3}{'abc'[i % 3]}" for i in range(N)], "category"),
        ([f"{i % 24}:{i:02d}" for i in range(N)], "number"),
        ([datetime.time(i % 24, i) for i in range(N)], "number"),
        (["+", "-", "+", "-"] * 10, "category"),
        (["never", "often", "Always", "n/a"] * 10, "ordered"),
        ([f"{1 + i % 28:02d}.03.2021" if i % 5 else "unknown" for i in range(N)], "date"),
        (["?"] * 30 + ["a", "b"] * 5, "empty"),
        (RNG.random(N) < 0.5, "boolean"),
        (pd.array([True, False, None, True] * 10, dtype="boolean"), "boolean"),
        (["yes", "no"] * 20, "boolean"),
        (["north", "south", "east", None] * 10, "category"),
        (pd.Categorical(["a", "b"] * 20), "category"),
        ([f"0{1000 + i % 7}" for i in range(N)], "category"),
        (["1", "2", "3+", "2"] * 10, "category"),
        (["never", "often", "Always", "sometimes"] * 10, "ordered"),
        (["18-24", "25-64", "65+", "25-64"] * 10, "ordered"),
        (pd.Categorical(["small", "big"] * 20, ["small", "big"], ordered=True), "ordered"),
        (pd.date_range("2020-01-01", periods=N), "date"),
        (pd.date_range("2020-01-01", periods=N, tz="Asia/Tokyo"), "date"),
        (pd.period_range("2020-01", periods=N, freq="M"), "date"),
        ([datetime.date(2020, 1, 1 + i % 28) for i in range(N)], "date"),
        ([f"{1 + i % 28:02d}.03.2021" for i in range(N)], "date"),
        ([f"2021-03-{1 + i % 28:02d} 10:00:00" for i in range(N)], "date"),
        (pd.to_timedelta(np.arange(N), "h"), "number"),
        ([f"customer {i} called twice about a late parcel" for i in range(N)], "text"),
        ([f"name{i}" for i in range(N)], "id"),
        ([5] * N, "constant"),
        (["x", None] * 20, "constant"),
        ([None] * N, "empty"),
        ([None] * 30 + [1.0] * 10, "empty"),
    ],
)
def test_type_of_a_column(values, expected):
    found = typed(values)
    assert found.type == expected
    assert (found.left_out is not None) == (expected in ("text", "id", "constant", "empty"))


def test_ids_and_row_numbers_are_left_out_but_codes_are_categories():
    assert typed(np.arange(N), "Unnamed: 0").type == "row numbers"
    assert typed(np.arange(N), "age").type == "number"
    assert typed(np.arange(N) * 7 + 1000, "customer_id").type == "id"
    assert typed(np.arange(N) % 4, "region_id").type == "category"


def test_rare_categories_are_taken_as_one():
    values = ["a"] * 300 + ["b"] * 200 + [f"rare{i % 70}" for i in range(140)]
    found = typed(values)
    assert found.type == "category"
    assert found.levels[:2] == ("a", "b")
    assert found.levels[-1] == "(other)"
    assert "taken as one" in found.note


def test_a_column_of_numbers_with_a_word_is_an_error_with_a_remedy():
    with pytest.raises(ViewsError, match=r"column 'age' has 39 different numbers, but in row 3 'forty'") as caught:
        typed([str(i) if i != 3 else "forty" for i in range(N)], "age")
    assert caught.value.parameter == "types"
    assert "age=number" in caught.value.value
    asked = typed([str(i) if i != 3 else "forty" for i in range(N)], "age", asked="number")
    assert asked.type == "number"
    assert "'forty' read as empty" in asked.note


def test_numbers_in_several_units_are_an_error_that_names_a_cell_of_each():
    heights = [f"{160 + i} cm" if i % 3 else f"1.{60 + i} m" for i in range(N)]
    with pytest.raises(ViewsError, match=r"'height' has numbers in several units: '161 cm' in row 1, '1.60 m' in row 0"):
        typed(heights, "height")
    with pytest.raises(ViewsError, match=r"'\$10' in row 0, '€11' in row 1"):
        typed([f"{'€' if i % 2 else '$'}{10 + i}" for i in range(N)], "price")
    assert typed(["500 g", "1 kg", "2 kg"] * 20, "package").type == "category"


def test_new_values_must_be_in_the_unit_of_the_fit():
    style = typed([f"{160 + i} cm" for i in range(N)]).style
    assert as_number("170 cm", style) == as_number("170", style) == 170
    assert np.isnan(as_number("1.7 m", style))


def test_words_for_empty_cells_are_said():
    found = typed(["north", "south", "east", "?", "n/a"] * 8)
    assert set(found.levels) == {"north", "south", "east"}
    assert found.note == "'?', 'n/a': empty cells"
    assert set(typed(["none", "unknown", "north"] * 12).levels) == {"none", "unknown", "north"}  # these may be answers


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("category", "category"),
        ("number", "number"),
        ("ordered", "ordered"),
        ("ignore", "ignore"),
        (["2", "1", "3"], "ordered"),
    ],
)
def test_types_can_be_given(asked, expected):
    found = typed([1, 2, 3, 1] * 10, "zip", asked)
    assert found.type == expected
    if isinstance(asked, list):
        assert found.levels == ("2", "1", "3")


@pytest.mark.parametrize(
    ("values", "asked", "reason"),
    [
        (["a", "b"] * 20, "number", "not numbers"),
        (["a", "b"] * 20, "date", "not dates"),
        (["a", "b", "c", "d"] * 10, "boolean", "4 different values"),
        (["a", "b"] * 20, "ordered", "order is not known"),
        (["a", "b"] * 20, ["a"], "does not contain"),
    ],
)
def test_a_type_that_does_not_fit_is_an_error(values, asked, reason):
    with pytest.raises(ViewsError, match=reason):
        typed(values, "x", asked)


def test_the_order_of_words():
    assert known_order(["HIGH", "low", "medium"]) == ("low", "medium", "HIGH")
    assert known_order(["xl", "s", "m", "l"]) == ("s", "m", "l", "xl")
    assert known_order(["strongly agree", "disagree", "neutral"]) == ("disagree", "neutral", "strongly agree")
    assert known_order(["<18", "18-24", "25+"]) == ("<18", "18-24", "25+")
    assert known_order(["low", "high"]) is None  # two values need no order
    assert known_order(["low", "high", "blue"]) is None
    assert known_order(["12", "13", "14"]) is None


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.234,5", 1234.5),
        ("1 234,5", 1234.5),
        ("1,234.5", 1234.5),
        ("12,5", 12.5),
        ("€ 3.50", 3.5),
        ("7 %", 7.0),
        ("-2e3", -2e3),
    ],
)
def test_numbers_as_people_write_them(text, number):
    assert as_number(text, number_style([text])) == number


@pytest.mark.parametrize("text", ["007", "1_000", "1.2.3", "", "12:30", "1,2,3"])
def test_what_is_not_a_number(text):
    assert number_style([text]) is None


def test_whether_the_day_or_the_month_comes_first_is_found_from_all_dates():
    assert date_format(["03/04/2020", "25/12/2020"]) == "%d/%m/%Y"
    assert date_format(["03/04/2020", "12/25/2020"]) == "%m/%d/%Y"
    assert as_date(["25/12/2020"], "%d/%m/%Y")[0] - as_date(["24/12/2020"], "%d/%m/%Y")[0] == 1
    assert date_format(["1.5", "2.25"]) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [(7.0, "7"), (-7.0, "-7"), (7, "7"), (7.5, "7.5"), (" a ", "a"), (b"a", "a"), (2.0**53 - 1, "9007199254740991")],
)
def test_whole_numbers_are_written_without_a_point(value, text):
    assert Distinct.text_of(value) == text


def test_floating_point_numbers_beyond_the_whole_ones_are_written_as_such():
    assert Distinct.text_of(2.0**53) == "9007199254740992.0"
    assert Distinct.text_of(1e300) == "1e+300"


@pytest.mark.parametrize(
    ("units", "refused"), [(["kg", "g", "mg", "t", "lb"], True), (["a", "b", "c", "d", "e", "f"], False)]
)
def test_at_most_five_endings_are_units(units, refused):
    values = [f"{i} {units[i % len(units)]}" for i in range(1, N + 1)]
    if refused:
        with pytest.raises(ViewsError, match="numbers in several units"):
            typed(values)
    else:
        assert typed(values).type != "number"


@pytest.mark.parametrize("kind", ["int64", "float64", str])
def test_whole_numbers_that_are_dates_are_dates(kind):
    days = pd.date_range("2023-11-15", periods=N, freq="D")
    values = pd.Series(days.strftime("%Y%m%d").astype(int).astype(kind))
    if kind != "int64":
        values[3] = None
    found = typed(values, "day")
    assert found.type == "date"
    assert found.note == "read as YYYYMMDD; days"
    numbers = numbers_of(values, ColumnEncoding("day", "date", "", 0, style=found.style), "table")
    np.testing.assert_array_equal(np.diff(numbers[4:]), 1)
    assert np.isnan(numbers[3]) == (kind != "int64")
    assert typed(values, "day", asked="date").style == found.style
    assert typed(values + 69 if kind == "int64" else "x" + values.astype(str), "day").type != "date"


def test_numbers_in_parentheses_are_negative_among_others():
    found = typed(["12.50", "(3.25)", "7.00", "(1.00)", "0.75-"] * 4)
    assert (found.type, found.style, found.note) == ("number", "plain", "'(3.25)' read as negative")
    assert typed(["(1)", "(2)"] * 10).type == "category"
    assert typed(["2-", "2", "3-", "3"] * 10).type == "category"


def test_points_in_text_that_may_divide_thousands_are_told():
    assert typed(["1.333", "756", "454", "1.825"]).note == "points read as decimal points"
    assert typed(["1.333", "756", "454", "0.5"]).note is None
