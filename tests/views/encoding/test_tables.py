"""Which tables are encoded column by column, and what their matrices are."""

import warnings

import numpy as np
import pandas as pd
import pytest

from viewfuse import ViewsError
from viewfuse.exceptions import EncodingWarning, ViewsTypeError
from viewfuse.views.encoding import relevance
from viewfuse.views.encoding import table as module
from viewfuse.views.encoding.columns import ColumnEncoding
from viewfuse.views.encoding.relevance import column_weights
from viewfuse.views.encoding.table import (
    TableEncoding,
    encode_array,
    encode_table,
    learn_array,
    learn_encodings,
    plain_encoding,
    readable_matrix,
    weigh_categories,
)

RNG = np.random.default_rng(0)


def normal(n=40, d=3, **more):
    return pd.DataFrame(np.random.default_rng(1).normal(size=(n, d)), columns=[f"n{c}" for c in range(d)]).assign(**more)


def is_encoded(frame):
    return learn_encodings({"t": frame})["t"].ready


class TestWhichTablesAreEncoded:
    def test_numbers_in_one_unit_are_not(self):
        assert not is_encoded(normal())
        assert not is_encoded(normal(flag=[True, False] * 20))

    def test_words_dates_and_texts_of_numbers_are(self):
        assert is_encoded(normal(word=["a", "b", "c", "a"] * 10))
        assert is_encoded(normal(day=pd.date_range("2020", periods=40)))
        assert is_encoded(normal(text=[f"{i},5" for i in range(40)]))

    @pytest.mark.parametrize(("factor", "encoded"), [(9.9, False), (10.1, True)])
    def test_spreads_that_differ_by_more_than_ten(self, factor, encoded):
        column = np.random.default_rng(2).normal(size=40)
        assert is_encoded(pd.DataFrame({"a": column, "b": factor * column, "c": 3 * column})) == encoded

    @pytest.mark.parametrize(("n", "encoded"), [(20, True), (19, False)])
    def test_fewer_than_twenty_rows_do_not_tell(self, n, encoded):
        column = np.random.default_rng(2).normal(size=n)
        assert is_encoded(pd.DataFrame({"a": column, "b": 1000 * column})) == encoded

    def test_one_column_has_one_unit(self):
        assert not is_encoded(pd.DataFrame({"a": np.exp(3 * np.random.default_rng(2).normal(size=40))}))

    def test_heavy_tails_in_some_columns_but_not_in_all(self):
        rng = np.random.default_rng(2)
        heavy = np.exp(rng.normal(size=(200, 2))) / 2
        assert is_encoded(pd.DataFrame({"a": heavy[:, 0], "b": rng.normal(size=200)}))
        assert not is_encoded(pd.DataFrame(heavy, columns=["a", "b"]))

    @pytest.mark.parametrize(("d", "encoded"), [(4, True), (10, True), (11, False), (20, False)])
    def test_more_than_ten_columns_of_counts(self, d, encoded):
        counts = np.random.default_rng(2).poisson(np.append(1000, np.full(d - 1, 3.0)), size=(60, d))
        frame = pd.DataFrame(counts).add_prefix("w")
        assert is_encoded(frame) == encoded
        assert is_encoded(frame + 0.5)
        assert is_encoded(frame.assign(w0=frame["w0"] - 5000))  # a negative number is no count

    @pytest.mark.parametrize(("d", "encoded"), [(50, True), (51, False)])
    def test_more_than_fifty_columns_are_of_one_kind(self, d, encoded):
        wide = normal(60, d)
        wide["n0"] *= 1000
        assert is_encoded(wide) == encoded

    def test_a_table_beside_mixed_ones_is_encoded_unless_it_is_wide(self):
        mixed, plain, wide = normal(word=["a", "b", "c", "a"] * 10), normal(), normal(40, 51)
        found = learn_encodings({"mixed": mixed, "plain": plain, "wide": wide})
        assert {name: table.ready for name, table in found.items()} == {"mixed": True, "plain": True, "wide": False}

    def test_constant_columns_stay_in_tables_that_are_left_as_they_are(self):
        found = learn_encodings({"t": normal(same=7.0)})["t"]
        assert found.feature_names.tolist() == ["n0", "n1", "n2", "same"]
        words = learn_encodings({"t": normal(same="seven")})["t"]
        assert words.feature_names.tolist() == ["n0", "n1", "n2"]

    @pytest.mark.parametrize("empty", [None, np.nan, "?"])
    def test_true_and_false_with_empty_cells_are_encoded(self, empty):
        flags = pd.Series([True, False, True, empty] * 10, dtype=object)
        flags = flags.astype(str) if empty == "?" else flags
        table = normal(flag=flags.to_numpy())
        encoding = learn_encodings({"t": table})["t"]
        assert encoding.ready
        assert (encoding.columns[3].type, encoding.columns[3].n_empty) == ("boolean", 10)
        assert np.isnan(encode_table(table, encoding)[3, 3])

    def test_new_booleans_may_have_empty_cells(self):
        encoding = learn_encodings({"t": normal(flag=[True, False] * 20)})["t"]
        new = normal(flag=np.array([True, False, None, np.nan] * 10, dtype=object))
        np.testing.assert_array_equal(encode_table(new, encoding)[:4, 3], [1, 0, np.nan, np.nan])


class TestMatrices:
    def test_numbers_keep_their_dtype(self):
        frame = pd.DataFrame({"a": np.arange(5, dtype=np.int16), "b": np.arange(5, dtype=np.int16)})
        assert encode_table(frame, learn_encodings({"t": frame})["t"]).dtype == np.int16
        mixed = frame.assign(b=pd.array([1, None, 3, 4, 5], dtype="Int64"))
        found = encode_table(mixed, learn_encodings({"t": mixed})["t"])
        assert found.dtype == float
        assert np.isnan(found[1, 1])

    def test_encoded_columns_stand_side_by_side(self):
        frame = normal(word=["a", "b", "c", "a"] * 10)
        table = learn_encodings({"t": frame})["t"]
        found = encode_table(frame, table)
        parts = [column.encode(frame[column.name], "t")[0] for column in table.columns]
        np.testing.assert_array_equal(found, np.hstack(parts))
        assert table.feature_names.tolist() == ["n0", "n1", "n2", "word=a", "word=b", "word=c"]

    def test_unknown_categories_of_all_columns_are_said_once(self):
        frame = normal(word=["a", "b", "c", "a"] * 10, other=["x", "y", "z", "x"] * 10)
        table = learn_encodings({"t": frame})["t"]
        new = frame.assign(word=["new", "b", "c", "a"] * 10, other=["x", "y", "odd", "strange"] * 10)
        with pytest.warns(EncodingWarning, match=r"\('word': 'new'; 'other': 'odd', 'strange'\)") as caught:
            encode_table(new, table)
        assert len(caught) == 1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            encode_table(frame, table)

    def test_readable_cells_that_are_empty_hold_the_mean_unless_the_row_is_empty(self):
        frame = normal(word=["a", "b", "c", None] * 10)
        frame.loc[5, "n0"] = np.nan
        frame.loc[[6, 11], ["n0", "n1", "n2"]] = np.nan  # row 11 has no word either
        table = learn_encodings({"t": frame})["t"]
        found = readable_matrix(frame, table)
        assert found[5, 0] == found[6, 0] == pytest.approx(frame["n0"].mean())
        assert found[3, 3:] == pytest.approx([1 / 3] * 3)
        assert np.isnan(found[11]).all()
        np.testing.assert_array_equal(found[:3, :3], frame.to_numpy()[:3, :3].astype(float))

    def test_means_of_large_numbers(self):
        frame = pd.DataFrame({"big": [1.5e308, 1.5e308, np.nan, 1e308] * 10, "word": ["a", "b", "c", "a"] * 10})
        found = readable_matrix(frame, learn_encodings({"t": frame})["t"])
        assert found[2, 0] == pytest.approx(4 / 3 * 1e308)


class TestRefusedTables:
    def test_shapes(self):
        with pytest.raises(ViewsError, match="View 't' is empty: 0 samples × 1 features"):
            learn_encodings({"t": pd.DataFrame({"a": []})})
        with pytest.raises(ViewsError, match="several columns with the name 'a'"):
            learn_encodings({"t": pd.DataFrame(np.ones((3, 2)), columns=["a", "a"])})

    @pytest.mark.parametrize(("most", "refused"), [(3, False), (2, True)])
    def test_too_many_columns(self, most, refused, monkeypatch):
        monkeypatch.setattr(module, "_MOST_COLUMNS", most)
        if refused:
            with pytest.raises(ViewsError, match=r"has 3 columns and 40 rows; a table may have 2") as caught:
                learn_encodings({"t": normal()})
            assert caught.value.value == ("columns",)
        else:
            learn_encodings({"t": normal()})

    def test_no_column_that_can_be_used(self):
        names = pd.DataFrame({"who": [f"name{i}" for i in range(40)]})
        with pytest.raises(ViewsError, match=r"no column that can be used \('who': 40 different values") as caught:
            learn_encodings({"t": names})
        assert caught.value.parameter == "types"
        with pytest.raises(ViewsError, match=r"'a': every cell is empty") as caught:
            learn_encodings({"t": pd.DataFrame({"a": [None] * 5})})
        assert caught.value.parameter is None
        six = pd.DataFrame({f"who{c}": [f"name{i}" for i in range(40)] for c in range(6)})
        with pytest.raises(ViewsError) as caught:
            learn_encodings({"t": six})
        assert "'who4'" in str(caught.value)
        assert "'who5'" not in str(caught.value)

    def test_every_problem_can_be_collected(self):
        bad = pd.DataFrame({"a": [str(i) for i in range(39)] + ["x"], "b": [str(i) for i in range(39)] + ["y"], "n": 1.5})
        problems = []
        learn_encodings({"t": bad.assign(n=np.arange(40) + 0.5)}, on_problem=problems.append)
        assert [problem.problem.split("'")[3] for problem in problems] == ["a", "b"]

    def test_columns_that_are_no_numbers(self):
        with pytest.raises(ViewsTypeError, match="column 'day' is not numeric"):
            plain_encoding(normal(day=pd.date_range("2020", periods=40)), "t")
        found = plain_encoding(normal(gap=[np.nan, 1.0] * 20), "t")
        assert [column.n_empty for column in found.columns] == [0, 0, 0, 20]
        assert not found.ready


class TestWideTables:
    def test_types_are_not_looked_for_one_by_one(self):
        wide = normal(100, 51)
        wide.iloc[:60, 0] = np.nan
        wide.iloc[:61, 1] = np.nan
        table = learn_encodings({"t": wide})["t"]
        assert len(table.used) == 50
        assert table.columns[0].n_empty == 60
        assert table.columns[1].left_out == "61% of its cells are empty"
        assert table.columns[1].type == "empty"


class TestArrays:
    def array(self, n_empty=0):
        array = RNG.normal(size=(100, 3))
        array[:n_empty, 1] = np.nan
        return array

    def test_only_arrays_with_empty_cells_have_an_encoding(self):
        assert learn_array("t", self.array()) is None

    @pytest.mark.parametrize(("n_empty", "used"), [(60, 3), (61, 2)])
    def test_columns_that_are_mostly_empty_are_left_out(self, n_empty, used):
        array = self.array(n_empty)
        table = learn_array("t", array)
        assert len(table.used) == used
        assert [column.name for column in table.columns] == ["0", "1", "2"]
        assert table.columns[1].n_empty == n_empty
        assert encode_array(array, table).shape == (100, used)
        if used == 2:
            assert table.columns[1].left_out == "61% of its cells are empty"
            np.testing.assert_array_equal(encode_array(array, table), array[:, [0, 2]])

    def test_samples_that_are_missing_do_not_count(self):
        array = self.array()
        array[:50] = np.nan
        array[50:80, 1] = np.nan  # 60 % of the 50 that are there
        assert learn_array("t", array).columns[1].n_empty == 30
        assert len(learn_array("t", array).used) == 3
        array[80, 1] = np.nan
        assert len(learn_array("t", array).used) == 2

    def test_arrays_of_another_width_and_encoded_tables_are_left_as_they_are(self):
        array = self.array(61)
        table = learn_array("t", array)
        assert encode_array(array[:, :2], table).shape == (100, 2)
        ready = TableEncoding("t", table.columns, ready=True)
        assert encode_array(array, ready) is array


def categories(n=200, n_numbers=2):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    numbers = {f"n{i}": 6.0 * y + rng.normal(size=n) for i in range(n_numbers)}
    return pd.DataFrame({**numbers, "noise": rng.choice(["u", "v", "w"], n), "kept": np.array(["a", "b"])[y]})


class TestWeights:
    def weights(self, frame):
        tables = learn_encodings({"t": frame})
        arrays = [encode_table(frame, tables["t"])]
        (table,), (array,) = weigh_categories([tables["t"]], arrays)
        return {column.name: column.weight for column in table.columns}, array, arrays[0], table

    def test_categories_beside_two_numbers_are_weighed_and_numbers_are_not(self):
        weights, array, before, table = self.weights(categories())
        assert weights == {"n0": 1, "n1": 1, "noise": 0.25, "kept": 1}
        np.testing.assert_allclose(array, before * [1, 1, 0.25, 0.25, 0.25, 1])
        np.testing.assert_allclose(array, encode_table(categories(), table))

    def test_beside_one_number_they_are_not(self):
        assert set(self.weights(categories(n_numbers=1))[0].values()) == {1}

    def test_numbers_of_tables_that_are_left_as_they_are_do_not_count(self):
        frame = categories(n_numbers=1)
        table, other = learn_encodings({"t": frame})["t"], RNG.normal(size=(200, 2))
        plain = TableEncoding("p", (ColumnEncoding("0", "number", "as it is", 0),) * 2, ready=False)
        tables, _ = weigh_categories([plain, table], [other, encode_table(frame, table)])
        assert {column.weight for column in tables[1].columns} == {1}

    def test_views_that_are_no_tables_are_left_as_they_are(self):
        frame = categories()
        table, other = learn_encodings({"t": frame})["t"], RNG.normal(size=(200, 2))
        plain = TableEncoding("p", (ColumnEncoding("0", "number", "as it is", 0),) * 2, ready=False)
        tables, arrays = weigh_categories([None, plain, table], [other, other, encode_table(frame, table)])
        assert tables[:2] == [None, plain]
        assert arrays[0] is arrays[1] is other
        assert [column.weight for column in tables[2].columns] == [1, 1, 0.25, 1]


def related(n, q=3):
    y = np.random.default_rng(0).integers(0, 2, n)
    array = 9.0 * y[:, None] + np.random.default_rng(1).normal(size=(n, q))
    array[:, -1] = np.random.default_rng(2).normal(size=n)
    return array


class TestBoundsOfRelevance:
    @pytest.mark.parametrize(("n", "weighed"), [(40, True), (39, False)])
    def test_forty_rows(self, n, weighed):
        assert (column_weights(related(n), [1, 1, 1])[-1] < 1) == weighed

    def test_three_columns(self):
        array = related(100)
        assert column_weights(array, [1, 1, 1])[-1] < 1
        assert column_weights(array, [2, 1]).tolist() == [1, 1]

    @pytest.mark.parametrize(("most", "weighed"), [(3, True), (2, False)])
    def test_not_too_many_columns(self, most, weighed, monkeypatch):
        monkeypatch.setattr(relevance, "_MOST_COLUMNS", most)
        assert (column_weights(related(100), [1, 1, 1])[-1] < 1) == weighed

    def test_of_many_rows_some_are_used(self, monkeypatch):
        array = related(101)
        monkeypatch.setattr(relevance, "_MOST_ROWS", 51)
        np.testing.assert_array_equal(column_weights(array, [1, 1, 1]), column_weights(array[::2], [1, 1, 1]))

    @pytest.mark.parametrize(("n_known", "is_predicted"), [(21, True), (20, False)])
    def test_twenty_known_values_are_too_few(self, n_known, is_predicted):
        values = np.where(np.arange(60) < n_known, np.arange(60.0), np.nan)[:, None]
        distance = np.abs(np.subtract.outer(np.arange(60.0), np.arange(60.0)))
        np.fill_diagonal(distance, np.inf)
        assert (relevance._predicted(values, distance) != 0) == is_predicted

    def test_a_constant_is_not_predicted(self):
        distance = np.full((60, 60), 1.0)
        assert relevance._predicted(np.ones((60, 1)), distance) == 0

    def test_squared_distances(self):
        points = RNG.normal(size=(9, 3))
        direct = ((points[:, None] - points[None]) ** 2).sum(axis=2)
        np.testing.assert_allclose(relevance._squared_distances(points), direct, atol=1e-12)
        assert relevance._squared_distances(1e8 + points).min() >= 0

    def test_the_factor_is_a_root_between_a_quarter_and_one(self, monkeypatch):
        shares = iter([0.5, 0.05, 0.1, -1.0, 0.001])
        monkeypatch.setattr(relevance, "_predicted", lambda *_: next(shares))
        found = column_weights(RNG.normal(size=(50, 5)), [1] * 5)
        np.testing.assert_allclose(found, [1, np.sqrt(0.5), 1, 0.25, 0.25])
        shares = iter([0.09, 0.01, 0.0])
        assert column_weights(RNG.normal(size=(50, 3)), [1] * 3).tolist() == [1, 1, 1]
        shares = iter([0.1, 0.01, 0.0])
        assert column_weights(RNG.normal(size=(50, 3)), [1] * 3)[1] < 1
