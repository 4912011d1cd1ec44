"""Numbers, units, times and dates as people write them, and words with an order."""

import numpy as np
import pytest

from viewfuse.views.encoding.scales import known_order
from viewfuse.views.encoding.written import (
    are_times,
    as_date,
    as_number,
    date_format,
    is_blank,
    never_a_level,
    number_and_unit,
    number_style,
    unit_of,
)


@pytest.mark.parametrize(
    ("text", "style", "number"),
    [
        ("1.5", "plain", 1.5),
        (".5", "plain", 0.5),
        ("5.", "plain", 5),
        ("+3", "plain", 3),
        ("1e-3", "plain", 0.001),
        ("0", "plain", 0),
        ("0.5", "plain", 0.5),
        ("1,234", "thousands commas", 1234),
        ("12,345.6", "thousands commas", 12345.6),
        ("1234,5", "decimal comma", 1234.5),
        ("1,5e2", "decimal comma", 150),
        ("1.234.567,8", "thousands points and decimal comma", 1234567.8),
        ("1 234 567", "thousands blanks", 1234567),
        ("1'234.5", "thousands blanks", 1234.5),
        ("1\u202f234,5", "thousands blanks", 1234.5),
        ("-€ 3", None, np.nan),
        ("$ 3.50", "plain", 3.5),
        ("3.50 EUR", "plain", 3.5),
        ("7%", "plain", 7),
        ("(12.50)", "plain", -12.5),
        ("($12.50)", "plain", -12.5),
        ("€ 1.250,00-", "thousands points and decimal comma", -1250),
        ("\u221212.50", "plain", -12.5),
        ("2-", None, np.nan),
    ],
)
def test_styles(text, style, number):
    assert number_style([text]) == style
    if style is not None:
        assert as_number(text, style) == number


def test_one_style_for_all():
    assert number_style(["1,5", "2"]) == "decimal comma"
    assert number_style(["1,500", "2.5"]) == "thousands commas"
    assert number_style(["1,500", "2,5"]) == "decimal comma"
    mixed = number_style(["1.5", "1,5"])
    assert as_number("1.5", mixed) == as_number("1,5", mixed) == 1.5
    assert number_style(["1.5", "many"]) is None
    assert number_style([]) is None
    assert np.isnan(as_number("1,5", "plain"))


@pytest.mark.parametrize("text", ["00", "01", "1 23", "1,23,456", "1..2", "--1", "e5", "1e", "0x10", "12a34"])
def test_no_numbers(text):
    assert number_style([text]) is None


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("172.5 cm", ("172.5", "cm")),
        ("172cm", ("172", "cm")),
        ("3 years", ("3", "year")),
        ("3 yrs", ("3", "yrs")),  # of three letters, an s may belong to the unit
        ("5 kg.", ("5", "kg")),
        ("20 °C", ("20", "°C")),
        ("5 m/s", ("5", "m/s")),
        ("€7", ("7", "€")),
        ("7 €", ("7", "€")),
        ("7", ("7", "")),
        ("x5", None),
        ("cm", None),
        ("5 abcdefghijkl", ("5", "abcdefghijkl")),
        ("5 abcdefghijklm", None),
        ("007 cm", None),
    ],
)
def test_units(text, parts):
    assert number_and_unit(text) == parts


def test_numbers_in_a_unit():
    style = "decimal comma; in kg"
    assert as_number("1,5 kg", style) == 1.5
    assert as_number("1,5", style) == 1.5
    assert np.isnan(as_number("1,5 g", style))
    assert np.isnan(as_number("heavy", style))
    assert unit_of(style) == "kg"
    assert (unit_of("plain"), unit_of(None), unit_of("times")) == (None, None, "h")


@pytest.mark.parametrize(
    ("text", "hours"), [("9:30", 9.5), ("17:05:30", 17 + 5 / 60 + 30 / 3600), ("0:00:01.5", 1.5 / 3600), ("100:15", 100.25)]
)
def test_times_are_hours(text, hours):
    assert are_times([text])
    assert as_number(text, "times") == pytest.approx(hours)


@pytest.mark.parametrize("text", ["9:60", "9", "9:3", "1000:00", "9:30:60", "at 9:30"])
def test_no_times(text):
    assert not are_times([text])
    assert np.isnan(as_number(text, "times"))


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("1970-01-03", "ISO8601"),
        ("1970-01-03T00:00:00", "ISO8601"),
        ("03.01.1970", "%d.%m.%Y"),
        ("03.01.1970 00:00:00", "%d.%m.%Y %H:%M:%S"),
        ("03.01.70", "%d.%m.%y"),
        ("03-01-1970", "%d-%m-%Y"),
        ("3 Jan 1970", "%d %b %Y"),
        ("3 January 1970", "%d %B %Y"),
        ("Jan 3, 1970", "%b %d, %Y"),
        ("January 3, 1970", "%B %d, %Y"),
    ],
)
def test_dates(text, form):
    assert date_format([text]) == form
    assert as_date([text, "soon"], form)[0] == 2
    assert np.isnan(as_date([text, "soon"], form)[1])


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["1.5"],
        ["2020-13-45"],
        ["2020-01-01", "soon"],
        ["v1.2.3"],
        ["20240131", "20240230"],
        ["20240131", "20240130"],
        ["18991231", "20240131"],
        ["20240131", "7"],
    ],
)
def test_no_dates(texts):
    assert date_format(texts) is None


def test_words_for_empty_cells():
    for text in ("NA", " n/a ", "NaN", "?", "-", "", "#DIV/0!", "missing"):
        assert is_blank(text)
        assert never_a_level(text)
    for text in ("none", "Unknown"):
        assert is_blank(text)
        assert not never_a_level(text)
    assert not is_blank("0")


@pytest.mark.parametrize(
    ("values", "order"),
    [
        (["65+", "<18", "18-24"], ("<18", "18-24", "65+")),
        (["under 5", "5 to 9", "10 and over"], ("under 5", "5 to 9", "10 and over")),
        (["5-9", "up to 5", "10+"], ("up to 5", "5-9", "10+")),
        (["≤ 5", "5", "6+"], ("≤ 5", "5", "6+")),
        (["1,5-2", "0,5-1,5", "2+"], ("0,5-1,5", "1,5-2", "2+")),
        (["1", "2", "3+"], None),  # fewer than half are ranges
        (["1", "2-3", "4+", "9"], ("1", "2-3", "4+", "9")),
        (["often", "Never", "ALWAYS"], ("Never", "often", "ALWAYS")),
        (["very_low", "low", "high"], ("very_low", "low", "high")),
        (["often", "frequently", "never"], None),  # two of them mean the same
        (["a", "b", "c"], None),
        (["low", "high"], None),
    ],
)
def test_orders(values, order):
    assert known_order(values) == order
