"""The bounds between types of columns: what is just one type, and what is just the other."""

import datetime
import decimal

import numpy as np
import pandas as pd
import pytest

from viewfuse import ViewsError
from viewfuse.views.encoding.column_types import asked_type, check_types, column_type, is_row_numbers
from viewfuse.views.encoding.distinct import Distinct

RNG = np.random.default_rng(0)


def typed(values, name="column", asked=None):
    return column_type(pd.Series(values), name, view="table", asked=asked)


class TestEmptyCells:
    @pytest.mark.parametrize(("n_empty", "expected"), [(60, "number"), (61, "empty")])
    def test_sixty_percent(self, n_empty, expected):
        found = typed([np.nan] * n_empty + list(RNG.normal(size=100 - n_empty)))
        assert found.type == expected
        assert (found.left_out == "61% of its cells are empty") == (expected == "empty")

    @pytest.mark.parametrize(("n_empty", "expected"), [(60, "category"), (61, "empty")])
    def test_words_for_empty_cells_count_too(self, n_empty, expected):
        found = typed(["n/a"] * n_empty + [("x", "y", "z")[i % 3] for i in range(100 - n_empty)])
        assert found.type == expected
        if expected == "empty":
            assert found.left_out == "61% of its cells are empty"

    def test_all(self):
        assert typed([None] * 5).left_out == "every cell is empty"

    def test_one_value_beside_words_for_empty_cells_is_constant(self):
        assert typed(["x"] * 5 + ["n/a"] * 3).type == "constant"


class TestRowNumbers:
    @pytest.mark.parametrize(
        "name", ["Unnamed: 0", "index", "level_0", "Row", "row_number", "nr", "No.", "#", "", " index "]
    )
    def test_names(self, name):
        assert is_row_numbers(pd.Series(np.arange(9)), name)
        assert is_row_numbers(pd.Series(np.arange(9) + 1), name)

    @pytest.mark.parametrize(
        ("values", "name"),
        [
            (np.arange(9) + 2, "index"),
            (np.arange(9) * 2, "index"),
            (np.arange(9), "age"),
            (np.arange(9.0), "index"),
            ([0], "index"),
        ],
    )
    def test_no_row_numbers(self, values, name):
        assert not is_row_numbers(pd.Series(values), name)

    @pytest.mark.parametrize(("n", "expected"), [(50, "row numbers"), (49, "number")])
    def test_fewer_than_fifty_may_be_consecutive_by_chance(self, n, expected):
        assert typed(np.arange(n) + 7, "order").type == expected
        assert typed(np.arange(n)[::-1], "order").type == expected

    def test_ranks_in_any_order_are_measurements(self):
        assert typed(RNG.permutation(60) + 1, "rank").type == "number"

    @pytest.mark.parametrize(
        ("last", "expected"), [(59, "row numbers"), (71, "row numbers"), (72, "number"), (500, "number")]
    )
    def test_nearly_consecutive(self, last, expected):
        """Sixty numbers over a range of less than seventy-two."""
        assert typed(np.append(np.arange(59), last), "order").type == expected

    def test_repeated_numbers_and_fractions_are_measurements(self):
        assert typed(np.append(np.arange(59), 58), "order").type == "number"
        assert typed(np.arange(60.0), "order").type == "number"


class TestIds:
    @pytest.mark.parametrize(("n_distinct", "expected"), [(46, "id"), (45, "category")])
    def test_numbers_with_the_name_of_ids(self, n_distinct, expected):
        values = np.minimum(np.arange(50), n_distinct - 1) * 7
        found = typed(values, "customer_id")
        assert found.type == expected
        if expected == "id":
            assert found.left_out == "it has the name of ids and a different value in nearly every row"
        else:
            assert found.note.startswith("numbers with the name of ids: codes")

    def test_measurements_with_the_name_of_ids(self):
        assert typed(RNG.normal(size=40), "customer_id").type == "number"

    @pytest.mark.parametrize(("n_distinct", "expected"), [(91, "id"), (90, "number")])
    def test_numbers_as_text(self, n_distinct, expected):
        values = [str(1000 + 7 * min(i, n_distinct - 1)) for i in range(100)]
        assert typed(values, "customer_id").type == expected
        assert typed(values, "amount").type == "number"

    @pytest.mark.parametrize(("n_distinct", "expected"), [(91, "id"), (90, "number")])
    def test_numbers_with_an_ending(self, n_distinct, expected):
        values = [f"{1000 + 7 * min(i, n_distinct - 1)} kg" for i in range(100)]
        assert typed(values, "customer_id").type == expected
        assert typed(values, "load").type == "number"


class TestCategories:
    @pytest.mark.parametrize(("n_distinct", "expected"), [(46, "id"), (45, "category")])
    def test_names_are_different_in_nearly_every_row(self, n_distinct, expected):
        found = typed([f"n{min(i, n_distinct - 1)}" for i in range(50)])
        assert found.type == expected
        if expected == "id":
            assert found.left_out == "46 different values in 50 rows: names, ids or free text"

    def test_two_values_in_two_rows_are_a_category(self):
        assert typed(["a", "b"]).type == "category"

    @pytest.mark.parametrize(
        ("words", "n_distinct", "expected"), [(5, 51, "text"), (5, 50, "category"), (4, 51, "category")]
    )
    def test_prose_has_five_words_and_hardly_repeats(self, words, n_distinct, expected):
        text = " ".join(["word"] * (words - 1))
        found = typed([f"{text} n{min(i, n_distinct - 1)}" for i in range(100)])
        assert found.type == expected
        if expected == "text":
            assert found.left_out == "free text: 51 different texts in 100 rows"

    def test_up_to_fifty_levels_are_told_apart(self):
        fifty = typed([f"n{i % 50}" for i in range(200)])
        assert len(fifty.levels) == 50
        assert "(other)" not in fifty.levels
        more = typed([f"n{i % 51}" for i in range(204)])
        assert len(more.levels) == 50
        assert more.levels[-1] == "(other)"
        assert more.note == "2 rare values (4% of the rows) taken as one"

    def test_rare_values_are_those_of_less_than_a_hundredth(self):
        values = ["big"] * 700 + ["enough"] * 10 + ["few"] * 9 + [f"r{i % 56}" for i in range(281)]
        found = typed(values)
        assert found.levels == ("big", "enough", "(other)")
        small = ["big"] * 100 + ["two"] * 2 + ["one"] + [f"r{i}" for i in range(60)]
        assert typed(small).levels == ("big", "two", "(other)")

    @pytest.mark.parametrize(("n_rare", "expected"), [(80, "category"), (81, "text")])
    def test_nothing_is_frequent(self, n_rare, expected):
        values = ["a"] * (100 - n_rare) + [f"r{i}" for i in range(n_rare)]
        found = typed(values)
        assert found.type == expected
        if expected == "text":
            assert found.left_out == "82 different values, none of them frequent"

    def test_of_equally_frequent_levels_the_first_by_name_comes_first(self):
        assert typed(["b", "a", "c", "c"] * 5).levels == ("c", "a", "b")

    def test_the_order_of_a_categorical_leaves_unused_levels_out(self):
        values = pd.Categorical(["low", "high"] * 9, ["low", "middle", "high"], ordered=True)
        assert typed(values).levels == ("low", "high")
        assert typed(pd.Categorical(["a"] * 5)).type == "constant"


class TestNumbersAmongText:
    @pytest.mark.parametrize(("n", "expected"), [(55, "category"), (54, None)])
    def test_few_different_values_are_categories(self, n, expected):
        """Eleven different values are few in fifty-five rows and more."""
        values = [*[str(i) for i in range(10)], "ten"] * 6
        values = values[:n]
        if expected is None:
            with pytest.raises(ViewsError, match="neither a column of numbers nor of categories"):
                typed(values)
        else:
            assert typed(values).note == "numbers and text, taken as categories"

    def test_fewer_numbers_than_words_are_categories(self):
        words = [f"w{i}" for i in range(11)]
        assert typed([*words, *[str(i) for i in range(10)]] * 2).type == "category"
        with pytest.raises(ViewsError, match="has 11 different numbers, but in row 0 'w0'"):
            typed([*words, *[str(i) for i in range(11)]] * 2)

    def test_more_than_fifty_values_are_not_few(self):
        values = [*[str(i) for i in range(50)], "fifty"]
        with pytest.raises(ViewsError, match="has 50 different numbers, but in row 50 'fifty'"):
            typed(values * 20)
        assert typed(values[1:] * 20).type == "category"

    def test_ranges_have_an_order(self):
        assert typed(["1-5", "6", "7-9", "10+"] * 5).levels == ("1-5", "6", "7-9", "10+")

    def test_notes_of_numbers(self):
        assert typed([f"{i},5" for i in range(9)]).note == "written with decimal comma"
        assert typed([f"{i}.5" for i in range(9)] + ["unknown"]).note == "'unknown' read as empty"
        assert typed([f"{i}.5" for i in range(9)]).note is None
        assert (
            typed([f"{i},5" for i in range(9)] + ["unknown"]).note == "written with decimal comma; 'unknown' read as empty"
        )

    def test_notes_of_units(self):
        assert typed([f"{i} cm" for i in range(9)]).note == "in cm"
        assert typed([f"{i},5 cm" for i in range(9)]).note == "written with decimal comma; in cm"
        assert typed([f"{i} cm" for i in range(9)] + ["77"]).note == "in cm; '77' without a unit"
        assert typed([f"{i} cm" for i in range(9)]).style == "plain; in cm"

    @pytest.mark.parametrize(("n", "expected"), [(30, "category"), (29, None)])
    def test_several_units_of_few_values_are_categories(self, n, expected):
        values = (["500 g", "1 kg", "2 kg", "250 g", "3 kg", "100 g"] * 9)[:n]
        if expected is None:
            with pytest.raises(ViewsError, match=r"several units: '500 g' in row 0, '1 kg' in row 1"):
                typed(values)
        else:
            assert typed(values).note == "numbers in several units, taken as categories"


class TestDates:
    def test_the_format_is_said(self):
        assert typed([f"{d:02d}.03.2021" for d in range(1, 29)]).note == "read as day.month.year; days"
        with_time = typed([f"{d:02d}.03.2021 10:00:00" for d in range(1, 29)])
        assert with_time.note == "read as day.month.year; days"
        assert with_time.style == "%d.%m.%Y %H:%M:%S"
        blank = typed([f"{d:02d}.03.2021" for d in range(1, 29)] + ["unknown"])
        assert blank.note == "read as day.month.year; days; 'unknown' read as empty"

    def test_constant_dates_and_truth_values(self):
        assert typed([datetime.date(2020, 1, 1)] * 5).type == "constant"
        assert typed([True] * 5).type == "constant"
        assert typed(pd.Series([True, False] * 3, dtype=object)).levels == ("False", "True")
        assert typed(pd.to_timedelta(["1 days"] * 4)).type == "constant"
        assert typed(pd.date_range("2020", periods=4)).note == "days"


class TestObjects:
    def test_what_is_neither_number_nor_text_is_named(self):
        with pytest.raises(ViewsError, match=r"column 'column' holds list values such as '\[1\]'"):
            typed([[1], [2]] * 5)
        with pytest.raises(ViewsError, match="holds complex numbers"):
            typed([1j, 2j])

    def test_numbers_of_any_kind(self):
        assert typed(pd.Series([decimal.Decimal("1.5"), 2, 3.5, np.float32(1)] * 5, dtype=object)).type == "number"
        assert typed(pd.Series([1, "a", None] * 9, dtype=object)).type == "category"

    def test_yes_and_no(self):
        for pair in (("Yes", "no"), ("Y", "n"), ("TRUE", "false"), ("t", "f"), ("on", "off")):
            assert typed(list(pair) * 9).type == "boolean"
        assert typed(["yes", "off"] * 9).type == "category"
        assert typed(["no", "yes"] * 9).levels == ("no", "yes")


class TestTypesThatAreAskedFor:
    def test_rules_are_names_or_patterns(self):
        assert asked_type({"q*": "ordered", "q1": "number"}, "q1") == "number"
        assert asked_type({"q*": "ordered", "q1": "number"}, "q2") == "ordered"
        assert asked_type({"q*": "ordered"}, "age") is None
        assert asked_type(None, "age") is None

    def test_rules_that_fit_nothing(self):
        check_types({"q*": "number", "a": ["low", "high"]}, ["q1", "a"])
        with pytest.raises(ViewsError, match=r"There is no column 'z' to give a type; the columns are 'a'") as caught:
            check_types({"z": "number"}, ["a"])
        assert (caught.value.parameter, caught.value.value) == ("types", "z")
        for wanted in ("numbers", ["one"], [], 7):
            with pytest.raises(ViewsError, match="Column 'a' cannot have the type"):
                check_types({"a": wanted}, ["a"])

    @pytest.mark.parametrize("asked", ["text", "id", "ignore"])
    def test_left_out(self, asked):
        assert typed([1, 2], asked=asked).left_out == f"its type was set to {asked}"

    def test_categories_of_any_number(self):
        values = [f"n{i % 60}" for i in range(240)]
        found = typed(values, asked="category")
        assert len(found.levels) == 50
        assert found.levels[-1] == "(other)"
        assert len(typed([f"n{i % 50}" for i in range(200)], asked="category").levels) == 50
        assert typed([3, 3], asked="category").type == "constant"

    def test_numbers(self):
        assert typed(["007", "012", "5"], asked="number").style == "plain"
        assert typed([1, 2], asked="number") == typed([1.5, 2], asked="number")
        assert typed(["1", "many", "2"], asked="number").note == "'many' read as empty"
        assert typed(["000", "1"], asked="number").type == "number"

    def test_dates_and_booleans(self):
        assert typed(pd.date_range("2020", periods=3), asked="date").note == "days"
        assert typed(["01.02.2020", "02.02.2020"], asked="date").style == "%d.%m.%Y"
        assert typed(["a", "b"] * 3, asked="boolean").type == "boolean"
        assert typed([3, 1, 2] * 3, asked="ordered").levels == ("1", "2", "3")
        assert typed(["10", "9", "8"] * 3, asked="ordered").levels == ("8", "9", "10")
        assert typed(pd.Categorical(["b", "a"] * 3, ["b", "a"], ordered=True), asked="ordered").levels == ("b", "a")


class TestDistinctValues:
    COLUMN = pd.Series(["a", " b", "b ", None, "n/a", "", "a", 7.0, 7], dtype=object)

    def test_codes_texts_and_counts(self):
        found = Distinct.of(self.COLUMN)
        assert found.texts == ["a", "b", "7"]
        assert found.codes.tolist() == [0, 1, 1, -1, -1, -1, 0, 2, 2]
        assert found.words_for_empty == ("n/a",)
        assert found.n_present == 6
        assert found.counts().tolist() == [2, 2, 2]
        assert len(found.values) == 3

    def test_by_frequency(self):
        found = Distinct.of(pd.Series(["b", "a", "c", "c", "d", "d", "d"]))
        assert found.by_frequency() == ("d", "c", "a", "b")
        assert found.by_frequency(least=2) == ("d", "c")
        assert found.sorted_texts() == ("a", "b", "c", "d")
        assert found.share_of(("c", "d")) == pytest.approx(5 / 7)
        assert found.share_of(()) == 0
        assert found.first_row("c") == 2
        assert found.mean_words() == 1
        assert Distinct.of(pd.Series(["one two three", "four"])).mean_words() == 2

    def test_plus_and_minus_are_results(self):
        assert Distinct.of(pd.Series(["+", "-", "--"])).texts == ["+", "-", "--"]
        assert Distinct.of(pd.Series(["a", "-"])).texts == ["a"]
        assert Distinct.of(pd.Series(["+", "n/a"])).texts == ["+"]
