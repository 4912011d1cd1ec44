"""The bounds of each rule for damaged values: what is just enough is said, and what is just not enough is not."""

import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.stats import norm

from viewfuse._utils.warn import recording
from viewfuse.exceptions import SuspiciousValuesWarning
from viewfuse.views import Views, warn_of_suspicious_values
from viewfuse.views import suspicions as module
from viewfuse.views import suspicious_order as order
from viewfuse.views import suspicious_rows as rows
from viewfuse.views.numbers import Numbers, unit_ranks

RNG = np.random.default_rng(0)


def said(data, **options):
    """Warnings and notes, as texts."""
    with warnings.catch_warnings(), recording() as record:
        warnings.simplefilter("ignore")
        views = Views(data, **options)
        warn_of_suspicious_values(views)
    return [str(one) for one in record]


def found(rule, *arguments):
    return [what for what, _ in rule(*arguments)]


def in_order(values, others):
    return order.InOwnOrder(np.arange(len(values)), values, others, unit_ranks(values))


@pytest.mark.parametrize(("n", "warned"), [(19, False), (20, True)])
def test_fewer_than_twenty_rows_tell_nothing(n, warned):
    table = RNG.normal(50, 1, size=(n, 3))
    table[::6, 0] = -999
    assert bool(said({"a": table, "b": RNG.normal(size=(n, 2))})) == warned


def test_a_graph_before_a_table_does_not_hide_it():
    table = RNG.normal(50, 1, size=(40, 3))
    table[::6, 0] = -999
    texts = said({"g": np.eye(40, k=1) + np.eye(40, k=-1), "t": table}, kinds={"g": "graph"})
    assert [text for text in texts if text.startswith("View 't': -999 occurs several times in column 0")]


def test_a_warning_names_its_view_and_a_note_too():
    table = RNG.normal(50, 1, size=(40, 3))
    table[::6, 0] = -999
    with pytest.warns(SuspiciousValuesWarning) as caught:
        warn_of_suspicious_values(Views({"first": RNG.normal(size=(40, 2)), "second": table}))
    assert caught[0].message.view == "second"


class TestCodes:
    @pytest.mark.parametrize(("n", "count", "warned"), [(500, 4, False), (500, 5, True), (100, 2, False), (100, 3, True)])
    def test_a_hundredth_and_at_least_three(self, n, count, warned):
        values = RNG.normal(size=(n, 1))
        values[:count] = 99
        assert bool(found(module._codes, Numbers(values))) == warned

    @pytest.mark.parametrize(("count", "warned"), [(49, True), (50, False)])
    def test_less_than_half(self, count, warned):
        values = RNG.normal(size=(100, 1))
        values[:count] = 99
        assert bool(found(module._codes, Numbers(values))) == warned

    @pytest.mark.parametrize(("code", "warned"), [(21.0, True), (20.0, False), (-11.0, True), (-10.0, False)])
    def test_farther_than_the_others_are_from_each_other(self, code, warned):
        values = np.append(np.linspace(0, 10, 50), [code] * 5)[:, None]
        assert bool(found(module._codes, Numbers(values))) == warned

    def test_zero_is_ordinary_in_wide_views(self):
        values = RNG.normal(50, 1, size=(60, 51))
        values[:6, 7] = 0
        assert found(module._codes, Numbers(values)) == []
        assert len(found(module._codes, Numbers(values[:, :50]))) == 1
        values[:6, 7] = -999
        assert found(module._codes, Numbers(values))[0].startswith("-999 occurs several times in column 7 and")

    def test_columns_with_the_same_code_are_named_together(self):
        values = RNG.normal(size=(60, 4))
        values[:6, 1] = values[6:12, 3] = 99
        assert found(module._codes, Numbers(values))[0].startswith("99 occurs several times in columns 1, 3 and is far")

    def test_empty_cells_are_no_values(self):
        values = RNG.normal(size=(60, 1))
        values[:6] = np.nan
        assert found(module._codes, Numbers(values)) == []
        values[6:12] = 99
        assert len(found(module._codes, Numbers(values))) == 1


class TestFrequentValues:
    @pytest.mark.parametrize(("n_different", "noted"), [(90, True), (89, False)])
    def test_nine_tenths_of_the_others_are_different(self, n_different, noted):
        others = np.arange(1, 101.0)
        others[n_different:] = others[0]
        column = np.concatenate([np.full(20, 50.5), others])[:, None]
        assert bool(found(module._frequent, Numbers(column))) == noted

    @pytest.mark.parametrize(("count", "noted"), [(60, True), (61, False), (12, True), (11, False)])
    def test_at_least_a_tenth_and_at_most_half(self, count, noted):
        column = np.append(np.full(count, 60.5), np.arange(120.0 - count) + (60 - (120 - count) // 2))[:, None]
        assert bool(found(module._frequent, Numbers(column))) == noted

    def test_columns_of_one_value_are_named_together_and_empty_columns_are_left_out(self):
        column = np.append(np.full(20, 50.5), np.arange(100.0))
        table = np.column_stack([np.full(120, np.nan), column, column[::-1]])
        (text,) = found(module._frequent, Numbers(table))
        assert text == "50.5 is frequent in columns 1, 2, although other values hardly ever repeat."

    @pytest.mark.parametrize(
        ("third", "is_bound"),
        [(2.0, True), (2.5, True), (1.99, False)],  # the nearest is 1 away
    )
    def test_a_bound_is_nearer_to_the_nearest_tenth_than_these_are_to_each_other(self, third, is_bound):
        distances = np.concatenate([[0, 1, 1.5, third], np.linspace(50, 90, 17)])
        assert module._is_bound(distances, 0) == is_bound
        assert module._is_bound(-distances[::-1], 20) == is_bound  # the largest value
        assert not module._is_bound(distances, 1)
        assert not module._is_bound(distances, 19)


class TestWholeNumbers:
    @pytest.mark.parametrize(("last", "noted"), [(100_001, True), (100_000, False)])
    def test_over_a_hundred_thousand_apart(self, last, noted):
        column = np.append(np.arange(39.0), last)[:, None]
        assert bool(found(module._numbered, Numbers(column))) == noted

    def test_every_row_has_another_one_without_fractions(self):
        column = np.append(np.arange(39.0), 10**6)
        assert module._is_different_whole_numbers(column)
        assert not module._is_different_whole_numbers(np.append(column, 3.0))
        assert not module._is_different_whole_numbers(np.append(column, 3.5))
        assert module._is_different_whole_numbers(np.append(column, 2.0**53 - 1))
        assert not module._is_different_whole_numbers(np.append(column, 2.0**53))
        assert not module._is_different_whole_numbers(np.append(column, -(2.0**53)))

    def test_the_columns_are_named(self):
        numbers = RNG.choice(10**7, size=40, replace=False).astype(float)
        table = np.column_stack([RNG.normal(size=40), numbers])
        assert found(module._numbered, Numbers(table)) == ["column 1 has a different whole number in every row."]


class TestRowsThatChange:
    def changed_from(self, start, n_columns=5, n_same=0, n=90):
        values = np.random.default_rng(1).normal(size=(n, n_columns))
        values[start:, n_same:] += 9
        return values

    @pytest.mark.parametrize(("start", "words"), [(15, "50%"), (10, "33%"), (20, "67%")])
    def test_from_a_half_or_a_third_on(self, start, words):
        others = [np.random.default_rng(2).normal(size=30)]
        (text,) = found(order.changed, in_order(self.changed_from(start, n=30), others))
        assert f"from about the {words} of the rows on" in text

    def test_one_column_is_not_enough(self):
        others = [np.random.default_rng(2).normal(size=90)]
        assert found(order.changed, in_order(self.changed_from(45, 1), others)) == []
        assert len(found(order.changed, in_order(self.changed_from(45, 2), others))) == 1

    @pytest.mark.parametrize(("n_same", "changes"), [(0, True), (2, True), (3, False), (12, False)])
    def test_more_than_four_fifths_of_the_columns(self, n_same, changes):
        assert order._nearly_all_change(self.changed_from(45, 12, n_same), 45) == changes

    def test_columns_without_values_on_one_side_do_not_change(self):
        values = self.changed_from(45, 4)
        values[:45, 0] = np.nan
        assert not order._nearly_all_change(values, 45)
        values[45:, 0] = np.nan
        assert not order._nearly_all_change(values, 45)
        values = self.changed_from(45, 5)
        values[::7] = np.nan
        assert order._nearly_all_change(values, 45)

    def test_what_other_views_know_is_no_damage(self):
        values = self.changed_from(45)
        assert found(order.changed, in_order(values, [values[:, 0]])) == []


class TestMovedCells:
    OTHERS = (np.random.default_rng(1).normal(size=200),)

    def cells(self, start, n=200, n_columns=4, by=1):
        values = np.random.default_rng(0).normal(10.0 * np.arange(n_columns), 1, size=(n, n_columns))
        values[start:] = np.roll(values[start:], by, axis=1)
        return values

    def moved(self, values, others=OTHERS):
        return found(order.moved, in_order(values, [other[: len(values)] for other in others]))

    @pytest.mark.parametrize(("n_columns", "warned"), [(2, False), (3, True)])
    def test_two_columns_are_recognised_in_the_next(self, n_columns, warned):
        assert bool(self.moved(self.cells(90, n_columns=n_columns))) == warned

    @pytest.mark.parametrize(("start", "warned"), [(7, False), (10, True), (50, True), (53, False)])
    def test_about_ten_rows_above_and_below(self, start, warned):
        assert bool(self.moved(self.cells(start, n=60))) == warned

    def test_the_rows_are_those_of_the_table(self):
        values = self.cells(90)
        view = order.InOwnOrder(3 * np.arange(200), values, self.OTHERS, unit_ranks(values))
        assert found(order.moved, view)[0].startswith("from about row 270 of its table on")

    def test_all_columns_but_the_last_must_fit(self):
        values = self.cells(90)
        values[90:, 0] = np.random.default_rng(2).normal(-500, 1, size=110)  # what was the last column is lost
        assert len(self.moved(values)) == 1
        values[90:, 3] += 5
        assert self.moved(values) == []

    def test_columns_without_values_do_not_fit(self):
        values = self.cells(90)
        values[:90, 1] = np.nan
        assert self.moved(values) == []

    def test_what_other_views_know_is_no_damage(self):
        values = self.cells(90)
        assert self.moved(values, [np.arange(200) // 90 + self.OTHERS[0] / 9]) == []
        assert self.moved(values, []) == []  # nothing to compare with

    def test_the_row_and_the_p_values_of_a_change(self):
        row, change = order._first_changed(unit_ranks(self.cells(57)))
        assert row == 57
        assert (change < 1e-9).all()
        null = [order._first_changed(unit_ranks(np.random.default_rng(i).normal(size=(200, 5))))[1] for i in range(80)]
        assert 0.02 < np.mean(np.concatenate(null) < 0.05) < 0.08

    def test_the_order_is_that_of_the_rows_of_the_table(self):
        rng = np.random.default_rng(0)
        arrays = [rng.normal(size=(30, 2)), rng.normal(size=(30, 3))]
        tables = [Numbers(array) for array in arrays]
        rows = rng.permutation(40)[:30]
        rows[[4, 9]] = -1
        first = order.InOwnOrder.of(Views(arrays), 0, tables)
        np.testing.assert_array_equal(first.values, arrays[0])
        np.testing.assert_array_equal(first.ranks, tables[0].ranks)
        views = Views(arrays)
        views.table_rows = np.column_stack([np.arange(30), rows])
        second = order.InOwnOrder.of(views, 1, tables)
        samples = [int(np.flatnonzero(rows == row)[0]) for row in sorted(rows) if row >= 0]
        np.testing.assert_array_equal(second.rows, sorted(rows)[2:])
        np.testing.assert_array_equal(second.values, arrays[1][samples])
        np.testing.assert_array_equal(np.column_stack(second.others), arrays[0][samples])
        np.testing.assert_allclose(second.ranks, unit_ranks(arrays[1][samples]))


class TestColumnsOfNoise:
    def tables(self, correlation, n_columns=12, is_wide=False, n_related=0):
        """Two tables whose columns have this correlation, each with one of the other table only."""
        vectors = np.linalg.qr(np.random.default_rng(0).normal(size=(400, 2 * n_columns)))[0]
        first, rest = vectors[:, :n_columns], vectors[:, n_columns:]
        strength = np.where(np.arange(n_columns) < n_related, 0.9, correlation)
        second = strength * first + np.sqrt(1 - strength**2) * rest
        names = [str(c) for c in range(n_columns)]
        return [
            SimpleNamespace(ranks=ranks, names=names, is_wide=is_wide, named=lambda columns: f"{len(columns)} columns")
            for ranks in (first, second)
        ]

    @pytest.mark.parametrize(("factor", "noted"), [(0.999, True), (1.001, False)])
    def test_the_bound_of_the_correlation(self, factor, noted):
        bound = norm.isf(0.01 / (2 * 23)) / np.sqrt(400)  # each is compared with 23 others
        texts = found(module._unrelated, 0, self.tables(factor * bound))
        assert texts == (["12 columns are correlated with no other column of any view."] if noted else [])

    @pytest.mark.parametrize(
        ("n_columns", "n_related", "noted"), [(9, 0, False), (10, 0, True), (11, 1, True), (20, 10, True), (22, 12, False)]
    )
    def test_ten_columns_and_half_of_the_view(self, n_columns, n_related, noted):
        tables = self.tables(0.0, n_columns, n_related=n_related)
        assert bool(found(module._unrelated, 1, tables)) == noted

    def test_wide_views_are_not_looked_at(self):
        assert found(module._unrelated, 0, self.tables(0.0, is_wide=True)) == []

    def test_columns_of_the_same_view_count_too(self):
        (table, _) = self.tables(0.0)
        table.ranks = np.hstack([table.ranks[:, :6], table.ranks[:, :6]])
        assert found(module._unrelated, 0, [table]) == []


class TestCopies:
    def copied(self, n, n_copies, decimals=9):
        data = [np.random.default_rng(v).normal(size=(n - n_copies, 3)).round(decimals) for v in (0, 1)]
        rows = np.append(np.arange(n - n_copies), 7 + np.arange(n_copies))
        return [array[rows] for array in data]

    @pytest.mark.parametrize(
        ("n", "n_copies", "noted"), [(100, 9, False), (100, 10, True), (800, 15, False), (800, 16, True)]
    )
    def test_ten_and_a_fiftieth(self, n, n_copies, noted):
        texts = [text for text in said(self.copied(n, n_copies)) if "the same values as another one" in text]
        assert bool(texts) == noted
        if noted:
            assert texts[0].startswith(f"{n_copies} samples have")
            assert "as the one in row 7." in texts[0]

    def test_every_view_must_be_complete(self):
        data = self.copied(100, 20)
        assert said([*data, sp.csr_array(np.eye(100))]) == []
        assert [text for text in said(data) if text.startswith("20 samples")]

    def test_values_that_repeat_by_themselves_are_no_copies(self):
        """Nine tenths of the different rows must differ in some column."""
        data = self.copied(120, 20, decimals=1)
        assert said([array[:, :2] for array in data]) == []


class TestUnits:
    LOW = np.linspace(0, 1, 40)

    def groups(self, low, high):
        return module._groups_by_power(np.random.default_rng(0).permutation(np.concatenate([low, high])))

    def test_the_power_and_a_value_between(self):
        assert self.groups(self.LOW, self.LOW + 3) == (3, pytest.approx(2.0))
        assert self.groups(self.LOW, self.LOW[:20] * 2 + 2) == (2, pytest.approx(1.5))
        assert self.groups(np.append(self.LOW, [np.nan] * 9), self.LOW + 2) == (2, pytest.approx(1.5))

    @pytest.mark.parametrize(("shift", "is_unit"), [(2.09, True), (2.11, False), (1.91, True), (1.89, False), (1.0, False)])
    def test_near_a_power_of_ten_of_at_least_two(self, shift, is_unit):
        assert (self.groups(self.LOW / 2, self.LOW / 2 + shift) is not None) == is_unit

    @pytest.mark.parametrize(("width", "is_unit"), [(1.69, True), (1.71, False)])
    def test_a_gap_of_a_factor_of_two(self, width, is_unit):
        assert (self.groups(width * self.LOW, width * self.LOW + 2) is not None) == is_unit

    @pytest.mark.parametrize(("n", "count", "is_unit"), [(60, 5, True), (60, 4, False), (300, 15, True), (300, 14, False)])
    def test_a_twentieth_and_at_least_five(self, n, count, is_unit):
        few, many = np.linspace(0, 1, count), np.linspace(0, 1, n - count)
        assert (self.groups(many, few + 3) is not None) == is_unit
        assert (self.groups(few, many + 3) is not None) == is_unit

    def test_other_shapes_and_few_values_are_no_units(self):
        assert self.groups(self.LOW, 3 + 0.5 + 0.01 * self.LOW) is None
        assert self.groups(np.repeat([0.0, 0.5, 1.0], 10), np.repeat([3.0, 3.5, 4.0], 10)) is None
        with np.errstate(invalid="ignore"):
            assert self.groups(np.full(20, -np.inf), self.LOW) is None

    def test_columns_that_change_in_the_same_rows_are_named_together(self):
        values = 10 ** np.random.default_rng(0).uniform(0, 1, size=(90, 4))
        values[::3, [0, 2]] *= 1000
        values[1::3, 3] *= 1000
        others = [np.random.default_rng(1).normal(size=90)]
        texts = found(module._units, Numbers(values), others)
        assert [text.partition(" are of two")[0] for text in texts] == [
            "the values of columns 0, 2",
            "the values of column 3",
        ]
        assert "one about 1,000 times the other" in texts[0]
        assert found(module._units, Numbers(values - 5), others) == []  # negative numbers have no logarithm

    def test_groups_that_another_column_knows_are_clusters(self):
        rng = np.random.default_rng(0)
        values = 10 ** rng.uniform(0, 1, size=(90, 2))
        values[::3, 0] *= 1000
        assert len(found(module._units, Numbers(values), [])) == 1
        values[::3, 1] += 50
        assert found(module._units, Numbers(values), []) == []


class TestSigns:
    def turned(self, n, count, n_columns=4, n_signed=None):
        rng = np.random.default_rng(2)
        values = rng.normal(5, 1, size=(n, n_columns))
        values[:count, : n_columns if n_signed is None else n_signed] *= -1
        return Numbers(values[rng.permutation(n)])

    def of(self, table):
        return found(module._signs, table, [np.random.default_rng(3).normal(size=len(table))])

    @pytest.mark.parametrize(("n", "count", "warned"), [(100, 9, False), (100, 10, True), (400, 19, False), (400, 20, True)])
    def test_ten_rows_and_a_twentieth(self, n, count, warned):
        texts = self.of(self.turned(n, count))
        assert bool(texts) == warned
        assert not warned or texts[0].startswith(f"{count} rows have the other sign in columns 0, 1, 2, 3, and")

    @pytest.mark.parametrize(
        ("n_columns", "n_signed", "warned"), [(2, 2, False), (3, 3, True), (5, 4, True), (5, 3, False), (10, 8, True)]
    )
    def test_three_columns_and_four_fifths(self, n_columns, n_signed, warned):
        assert bool(self.of(self.turned(120, 40, n_columns, n_signed))) == warned

    def test_centred_columns_have_two_signs_by_themselves(self):
        values = np.column_stack([np.linspace(-1, 1, 100) + shift for shift in (0.0, 0.1, 0.13, -0.13)])
        # The standard deviation is 0.58, of which a fifth is 0.117.
        assert module._columns_of_two_signs(Numbers(values)) == [2, 3]

    def test_each_sign_in_a_twentieth_of_the_rows(self):
        values = np.ones((100, 4)) + np.linspace(0, 1, 100)[:, None]
        for column, count in enumerate((4, 5, 95, 96)):
            values[:count, column] *= -1
        assert module._columns_of_two_signs(Numbers(values)) == [1, 2]

    def test_opposite_rows_are_the_smaller_part(self):
        values = self.turned(100, 30).values
        direct = values.sum(axis=1) < 0
        np.testing.assert_array_equal(module._opposite_rows(values), direct)
        np.testing.assert_array_equal(module._opposite_rows(-values), direct)
        np.testing.assert_array_equal(module._opposite_rows(values * [1, 1e-9, 1e9, 1e200]), direct)

    def test_p_values_are_combined_by_fishers_method(self):
        statistic = -2 * np.log([0.04, 0.2, 0.9]).sum()
        from scipy.stats import chi2

        assert module._by_chance([0.04, 0.2, 0.9]) == pytest.approx(chi2.sf(statistic, 6))
        assert module._by_chance([0.0, 0.5]) == pytest.approx(0)


class TestRepeatedColumns:
    def test_three_equal_columns_of_many_values(self):
        a, b = RNG.normal(size=40), RNG.normal(size=40)
        assert found(module._repeated_columns, Numbers(np.column_stack([a, b, a]))) == []
        assert found(module._repeated_columns, Numbers(np.column_stack([a, b, a, a]))) == [
            "columns 0, 2, 3 are equal in every row."
        ]
        assert len(found(module._repeated_columns, Numbers(np.column_stack([a] * 5)))) == 1
        few = np.arange(40.0) % 10
        assert found(module._repeated_columns, Numbers(np.column_stack([few, few, few]))) == []
        some = np.arange(40.0) % 11
        assert len(found(module._repeated_columns, Numbers(np.column_stack([some, some, some])))) == 1

    def test_equal_columns_of_wide_views_are_ordinary(self):
        wide = np.repeat(RNG.normal(size=(40, 17)), 3, axis=1)
        assert not any("are equal in every row" in text for text in said({"a": wide}))
        assert any("are equal in every row" in text for text in said({"a": wide[:, :48]}))


class TestTotals:
    def totals(self, table):
        return found(rows.totals, Views({"a": table}), Numbers(table))

    def test_the_sum_and_the_mean_of_the_others(self):
        table = RNG.normal(5, 1, size=(30, 3))
        table[12] = np.delete(table, 12, axis=0).sum(axis=0)
        assert self.totals(table) == ["row 12 is the sum of all other rows in 3 of 3 columns."]
        table[12] = np.delete(table, 12, axis=0).mean(axis=0)
        assert self.totals(table) == ["row 12 is the mean of all other rows in 3 of 3 columns."]
        table[12, 0] *= 1 + 2e-6
        assert self.totals(table) == []

    def test_empty_cells_are_not_counted_in_a_mean(self):
        table = RNG.normal(5, 1, size=(30, 2))
        table[3, 0] = table[4, 0] = np.nan
        table[12] = np.nanmean(np.delete(table, 12, axis=0), axis=0)
        views = SimpleNamespace(sample_name=lambda row: f"row {row}")
        assert found(rows.totals, views, Numbers(table)) == ["row 12 is the mean of all other rows in 2 of 2 columns."]

    def test_two_columns_that_vary_and_four_fifths_of_them(self):
        table = RNG.normal(5, 1, size=(30, 5))
        table[-1] = table[:-1].sum(axis=0)
        assert self.totals(table[:, :1]) == []
        assert len(self.totals(table[:, :2])) == 1
        table[-1, 4] = 0.5
        assert self.totals(table) == ["row 29 is the sum of all other rows in 4 of 5 columns."]
        table[-1, 3] = 0.5
        assert self.totals(table) == []
        constant = np.column_stack([table[:, :2], np.zeros(30)])
        assert self.totals(constant) == ["row 29 is the sum of all other rows in 2 of 2 columns."]

    def test_regression_values_that_hardly_differ_are_no_means(self):
        """Each of 150 rows was said to be the mean of all others."""
        rng = np.random.default_rng(0)
        for spread in (1e-9, 1e-7):
            assert self.totals(1 + spread * rng.normal(size=(150, 3))) == []
        table = 1 + 1e-9 * rng.normal(size=(150, 3))
        table[4] = np.delete(table, 4, axis=0).mean(axis=0)
        assert self.totals(table) == ["row 4 is the mean of all other rows in 3 of 3 columns."]

    def test_zeros_are_no_totals(self):
        table = np.zeros((30, 3))
        table[:2] = [[1.0, 2.0, 3.0], [-1.0, -2.0, -3.0]]
        assert self.totals(table) == []


class TestRowsFilledDown:
    def filled(self, table, other, present=None):
        views = Views([table, other], present=present)
        return found(rows.filled_down, views, 0, list(views.arrays), Numbers(table))

    def test_the_same_samples_differ_in_another_view(self):
        table, other = RNG.normal(size=(60, 3)), RNG.normal(size=(60, 2))
        table[20:40] = table[20]
        (text,) = self.filled(table, other)
        assert text.startswith("20 samples have exactly the same values, the first in row 20, although nearly all others")
        other[20:31] = other[20]  # 10 different rows of 20
        assert self.filled(table, other) == []
        other[30] += 1  # 11
        assert len(self.filled(table, other)) == 1

    def test_most_of_the_other_rows_differ(self):
        table, other = RNG.normal(size=(70, 3)), RNG.normal(size=(70, 2))
        table[:20] = table[0]
        table[21:26] = table[20]  # 45 different rows of 50
        assert len(self.filled(table, other)) == 1
        table[26] = table[20]
        assert self.filled(table, other) == []

    @pytest.mark.parametrize(("count", "warned"), [(30, True), (31, False)])
    def test_half_of_the_rows_are_others(self, count, warned):
        table, other = RNG.normal(size=(60, 3)), RNG.normal(size=(60, 2))
        table[:count] = table[0]
        assert bool(self.filled(table, other)) == warned

    def test_rows_that_are_missing_from_the_view_are_not_filled_down(self):
        table, other = RNG.normal(size=(60, 3)), RNG.normal(size=(60, 2))
        table[:15] = table[0]
        present = np.ones((60, 2), dtype=bool)
        assert len(self.filled(table, other, present)) == 1
        present[:6, 0] = False
        assert self.filled(table, other, present) == []


@pytest.mark.parametrize("form", [np.asarray, pd.DataFrame, lambda x: pd.DataFrame(x).astype(str).astype(object)])
def test_equal_rows_have_equal_keys_and_others_have_others(form):
    values = RNG.normal(size=(30, 4)).round(3)
    values[[5, 9]] = values[2]
    keys = rows._row_keys(form(values))
    assert len(np.unique(keys)) == 28
    assert keys[2] == keys[5] == keys[9]


def test_keys_of_other_members():
    assert rows._row_keys(sp.csr_array(np.eye(3))) is None
    huge = np.array([[1e308, 1e308], [1e308, 1e308], [1e308, -1e308], [0.0, 0.0]])
    keys = rows._row_keys(huge)
    assert np.isfinite(keys).all()
    assert len(set(keys.tolist())) == 3
    assert len(set(rows._row_keys(np.array([[1, 2], [1, 2], [2, 1]])).tolist())) == 2
