"""What is said while views are read: unused columns, empty cells, other columns and other values than in the fit."""

import warnings

import numpy as np
import pandas as pd
import pytest

from viewfuse import Views, ViewsError
from viewfuse.exceptions import EmptyCellsWarning, EncodingWarning, UnusedColumnsWarning, ViewfuseWarning
from viewfuse.views.reading import known_ids

N = 40
RNG = np.random.default_rng(0)


def frame(n=N, **more):
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {"a": rng.normal(size=n), "b": 1000 * rng.normal(size=n), "w": ["u", "v", "w", "u"] * (n // 4)}
    ).assign(**more)


def warned(category, work):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        work()
    return [w.message for w in caught if isinstance(w.message, category)]


class TestUnusedColumns:
    def unused(self, count, kind="names"):
        made = [f"name{i}" for i in range(N)] if kind == "names" else ["same"] * N
        columns = {f"x{c}": made for c in range(count)}
        return warned(UnusedColumnsWarning, lambda: Views({"t": frame(**columns)}))

    def test_none(self):
        assert self.unused(0) == []

    def test_six_are_named(self):
        (six,) = self.unused(6)
        assert six.problem.startswith("6 columns are not used: 'x0' of 't' (40 different values")
        assert "'x5' of 't'" in six.problem
        assert "more" not in six.problem
        (eight,) = self.unused(8)
        assert eight.problem.endswith(", and 2 more.")
        assert "'x6'" not in eight.problem

    def test_what_could_be_used_is_said(self):
        (names,) = self.unused(1)
        assert names.problem.startswith("1 column is not used")
        assert (names.parameter, names.value) == ("types", ("x0",))
        (constant,) = self.unused(1, "constant")
        assert (constant.parameter, constant.hint, constant.value) == (None, None, ())

    def test_a_column_that_counts_the_rows_could_be_a_number(self):
        (counted,) = warned(
            UnusedColumnsWarning, lambda: Views({"t": pd.DataFrame({"a": np.sin(np.arange(60))}).assign(n=range(60))})
        )
        assert counted.hint == "Say otherwise with types={'COLUMN': 'number'}."
        assert counted.value == ("n=number",)


class TestEmptyCells:
    def test_samples_are_counted_in_each_view(self):
        first, second = frame(), frame()
        first.loc[[1, 2], "a"] = np.nan
        first.loc[2, "b"] = np.nan
        second.loc[5, "a"] = np.nan
        found = warned(EmptyCellsWarning, lambda: Views({"one": first, "two": second, "three": frame()}))
        assert [message.problem for message in found] == [
            "Empty cells were filled from similar samples in 'one' (2 samples), 'two' (1 sample)."
        ]

    def test_rows_without_any_value_are_missing(self):
        holed = frame()
        holed.loc[3] = [np.nan, np.nan, None]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ViewfuseWarning)
            views = Views({"one": holed, "two": frame()})
        assert np.flatnonzero(~views.present[:, 0]).tolist() == [3]
        assert views.present[:, 1].all()

    def test_rows_that_are_missing_by_id_stay_missing(self):
        one, two = frame().set_axis([f"c{i}" for i in range(N)]), frame().set_axis([f"c{i}" for i in range(N)]).iloc[2:]
        two = two.copy()
        two.loc["c7"] = [np.nan, np.nan, None]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ViewfuseWarning)
            views = Views({"one": one, "two": two}, missing="keep")
        assert np.flatnonzero(~views.present[:, 1]).tolist() == [0, 1, 7]

    def test_tables_of_whole_numbers_have_no_empty_rows(self):
        counts = pd.DataFrame(RNG.poisson(3, size=(N, 3)), columns=list("pqr"))
        assert Views({"t": counts}).present is None


@pytest.fixture(scope="module")
def encoding():
    return Views({"t": frame(), "x": RNG.normal(size=(N, 2))}).encoding


class TestNewData:
    def new(self, encoding, table, array=None):
        return Views({"t": table, "x": RNG.normal(size=(len(table), 2)) if array is None else array}, encoding=encoding)

    def test_columns_in_another_order_are_said(self, encoding):
        found = warned(EncodingWarning, lambda: self.new(encoding, frame()[["w", "a", "b"]]))
        assert [message.problem for message in found] == [
            "View 't': its columns are in another order than in the fit, and are matched by name."
        ]
        np.testing.assert_array_equal(
            self.new(encoding, frame()).arrays[0], Views({"t": frame(), "x": np.ones((N, 2))}).arrays[0]
        )

    def test_columns_that_are_missing_or_new(self, encoding):
        with pytest.raises(
            ViewsError, match="has other columns than in the fit: column 'a' is missing and column 'z' was not"
        ):
            self.new(encoding, frame(z=1.0).drop(columns="a"))
        with pytest.raises(ViewsError, match=r"than in the fit: column 'a' is missing\."):
            self.new(encoding, frame().drop(columns="a"))
        with pytest.raises(ViewsError, match=r"than in the fit: column 'z' was not in the fit\."):
            self.new(encoding, frame(z=1.0))

    def test_an_array_instead_of_a_table(self, encoding):
        with pytest.raises(
            ViewsError, match="was a table with the columns 'a', 'b', 'w' when the model was fitted, but is an"
        ):
            self.new(encoding, np.ones((N, 3)))

    def test_a_table_instead_of_an_array(self, encoding):
        array = RNG.normal(size=(N, 2))
        views = self.new(encoding, frame(), pd.DataFrame(array, columns=["p", "q"]))
        np.testing.assert_array_equal(views.arrays[1], array)

    @pytest.mark.parametrize(("n", "shift", "said"), [(12, 9, True), (12, 1, False), (8, 9, False), (12, -9, True)])
    def test_values_that_lie_elsewhere(self, encoding, n, shift, said):
        new = frame(n)
        new["a"] += shift
        found = warned(EncodingWarning, lambda: self.new(encoding, new))
        assert bool(found) == said
        if said:
            assert (
                "View 't': 'a' lies elsewhere than in the fit; the median of the new values is more than 2 standard"
                in str(found[0])
            )

    def test_ten_new_samples_tell(self, encoding):
        new = frame(12)[:10]
        new = new.assign(a=new["a"] + 9)
        assert warned(EncodingWarning, lambda: self.new(encoding, new))
        assert not warned(EncodingWarning, lambda: self.new(encoding, new[:9]))

    def test_empty_columns_lie_nowhere(self, encoding):
        assert not warned(EncodingWarning, lambda: self.new(encoding, frame(12).assign(a=np.nan)))

    def test_views_in_another_order(self, encoding):
        array = RNG.normal(size=(N, 2))
        views = Views({"x": array, "t": frame()}, encoding=encoding)
        np.testing.assert_array_equal(views.arrays[1], self.new(encoding, frame()).arrays[0])


def test_the_ids_of_the_fit_are_looked_for_if_all_tables_have_them():
    made = frame().assign(key=[f"k{i}" for i in range(N)])
    encoding = Views({"t": made}, ids="key").encoding
    assert encoding.id_name == "key"
    assert known_ids([made, np.ones((N, 1))], encoding) == "key"
    assert known_ids([made, frame()], encoding) is None
    assert known_ids([made.set_index("key")], encoding) == "key"
    assert known_ids([np.ones((N, 1))], encoding) is None


def test_samples_are_matched_by_the_ids_of_tables_only():
    with pytest.raises(ViewsError, match="matched by the ids of DataFrames, but 'x' is not a DataFrame") as caught:
        Views({"t": frame().set_axis([f"c{i}" for i in range(N)]), "x": np.ones((N, 2))}, missing="keep")
    assert (caught.value.view, caught.value.value) == ("x", ("error",))
    for missing in ("keep", "drop"):
        with pytest.raises(ViewsError, match=f"so there are no missing samples to {missing}"):
            Views({"a": frame(), "b": frame()}, missing=missing)


def test_a_square_table_of_the_samples_is_left_as_it_is():
    ids = [f"c{i}" for i in range(4)]
    square = pd.DataFrame(np.arange(16.0).reshape(4, 4) * 1000, index=ids, columns=ids)
    views = Views({"g": square})
    np.testing.assert_array_equal(views.arrays[0], square.to_numpy())
    assert not views.is_encoded(0)


def test_types_false_encodes_nothing():
    numbers = frame().drop(columns="w")
    views = Views({"t": numbers}, types=False)
    np.testing.assert_array_equal(views.arrays[0], numbers.to_numpy())
    assert Views({"t": numbers}).is_encoded(0)


def test_notes_are_the_warnings_of_reading():
    holed = frame(x=[f"name{i}" for i in range(N)])
    holed.loc[1, "a"] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        views = Views({"t": holed})
    assert [note.split()[0] for note in views.notes] == ["1", "Empty"]
