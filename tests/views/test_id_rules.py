"""Each rule that decides which column holds the ids, and what ids become."""

import datetime

import numpy as np
import pandas as pd
import pytest

from viewfuse import ViewsError
from viewfuse.views import ids as module
from viewfuse.views.ids import IdSource, find_ids, id_values, loose, without_ids

N = 20
RNG = np.random.default_rng(0)


def table(**columns):
    return pd.DataFrame({**columns, "x": RNG.normal(size=len(next(iter(columns.values()), range(N)))), "y": 1.5})


def names(prefix="c", n=N):
    return [f"{prefix}{i}" for i in range(n)]


def values_of(column, name="id"):
    return id_values(pd.DataFrame({name: column}), IdSource(name, name), "t")


def test_whole_numbers_in_floating_point_are_whole_numbers():
    found = values_of([1.0, 2.0, -3.0])
    assert found.dtype == np.int64
    assert found.tolist() == [1, 2, -3]
    assert values_of([1.0, 2.5]).tolist() == [1.0, 2.5]
    assert values_of([2.0**53 - 1]).dtype == np.int64
    for large in (2.0**53, -(2.0**53), 1e300):
        assert values_of([large, 1.0]).tolist() == [large, 1.0]
    with_gap = values_of([1.0, np.nan])
    assert with_gap[0] == 1
    assert np.isnan(with_gap[1])


def test_ids_of_mixed_types_are_an_error_that_names_a_row_of_each():
    with pytest.raises(
        ViewsError, match=r"'t' has ids of mixed types in 'id': 7 in row 2 is a number, 'a' in row 1 is text"
    ):
        values_of([None, "a", 7, "b"])
    assert values_of([None, "a", float("nan"), "b"])[1] == "a"
    assert id_values(pd.DataFrame({"x": [1, 2]}, index=["p", "q"]), IdSource(None, None), "t").tolist() == ["p", "q"]


def test_a_table_without_its_ids_has_numbered_rows():
    frame = table(id=names()).iloc[::-1]
    found = without_ids(frame, IdSource("id", "id"))
    assert found.columns.tolist() == ["x", "y"]
    assert found.index.tolist() == list(range(N))
    assert without_ids(frame, None).columns.tolist() == ["id", "x", "y"]
    assert without_ids(frame, IdSource(None, "n")).columns.tolist() == ["id", "x", "y"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(" C 07", "c07"), ("c007", "c007"), (7.0, "7"), (7.5, "7.5"), ("007", "7"), ("000", "0"), ("ÄB", "äb"), (12, "12")],
)
def test_loose_ids(value, text):
    assert loose(value) == text


def test_the_name_that_was_asked_for():
    frame = table(key=names()).rename_axis("row")
    assert find_ids({"t": frame}, "key") == {"t": IdSource("key", "key")}
    assert find_ids({"t": frame}, "row") == {"t": IdSource(None, "row")}
    with pytest.raises(
        ViewsError, match=r"'t': there is no column 'other' for the ids; the columns are 'key', 'x', 'y'"
    ) as e:
        find_ids({"t": frame}, "other")
    assert (e.value.view, e.value.parameter, e.value.value) == ("t", "ids", ("key", "x", "y"))


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (pd.Index(names()), IdSource(None, None)),
        (pd.Index(range(N), name="number"), IdSource(None, "number")),
        (pd.MultiIndex.from_product([["a"], range(N)]), IdSource(None, None)),
        (pd.RangeIndex(N), None),
        (pd.Index(np.arange(N)), None),
        (pd.Index(np.arange(N) ** 2 + 1), IdSource(None, None)),  # pandas 3 makes a range of equal distances
        (pd.RangeIndex(5, 5 + N), None),
    ],
)
def test_an_index_with_a_name_or_of_text_or_that_does_not_count_rows(index, expected):
    assert find_ids({"t": table(z=RNG.normal(size=N)).set_index(index)})["t"] == expected


class TestOneTable:
    def source(self, **columns):
        return find_ids({"t": table(**columns)})["t"]

    def test_a_column_with_the_name_of_ids(self):
        assert self.source(z=RNG.normal(size=N), customer_id=np.arange(N) * 7) == IdSource("customer_id", "customer_id")
        assert self.source(z=RNG.normal(size=N), region_id=np.arange(N) % 4) is None
        assert self.source(z=RNG.normal(size=N), customer_id=RNG.normal(size=N)) is None  # no whole numbers

    def test_nine_tenths_of_different_values(self):
        def with_distinct(count):
            return np.minimum(np.arange(N), count - 1) * 3

        assert self.source(z=RNG.normal(size=N), customer_id=with_distinct(18)) is not None
        assert self.source(z=RNG.normal(size=N), customer_id=with_distinct(17)) is None

    def test_several_columns_could_be_the_ids(self):
        with pytest.raises(ViewsError, match=r"'t': several columns could be the ids: 'customer_id', 'order_id'") as caught:
            self.source(customer_id=np.arange(N) * 7, order_id=np.arange(N) * 9)
        assert (caught.value.view, caught.value.value) == ("t", ("customer_id", "order_id"))

    def test_a_first_column_of_different_texts(self):
        assert self.source(who=names()) == IdSource("who", "who")
        assert self.source(who=[*names()[1:], "c1"]) is None
        assert self.source(target=names()) is None  # the name of labels
        assert self.source(when=[f"2021-03-{1 + i:02d}" for i in range(N)]) is None
        assert self.source(amount=[f"{i},5" for i in range(N)]) is None
        assert self.source(who=pd.Categorical(names())) is None
        assert self.source(when=[datetime.date(2020, 1, 1 + i) for i in range(N)]) is None
        assert find_ids({"t": pd.DataFrame({"who": names()})})["t"] is None  # nothing would be left
        assert find_ids({"t": pd.DataFrame(index=range(3))})["t"] is None

    def test_only_a_first_column(self):
        frame = table(z=RNG.normal(size=N), who=names())
        assert find_ids({"t": frame})["t"] is None

    def test_a_column_without_a_name_that_counts_the_rows_is_no_id(self):
        unnamed = {"Unnamed: 0": np.arange(N)}
        assert find_ids({"t": table(**unnamed)})["t"] is None
        assert find_ids({"t": table(**{"Unnamed: 0": np.arange(N) + 1})})["t"] is None
        assert find_ids({"t": table(**{"Unnamed: 0": np.arange(N) + 2})})["t"] == IdSource("Unnamed: 0", None)
        assert find_ids({"t": table(**unnamed, who=names())})["t"] == IdSource("who", "who")
        assert find_ids({"t": table(**unnamed, who=["same"] * N)})["t"] is None


class TestTwoTables:
    @pytest.mark.parametrize("first", [0, 1])
    @pytest.mark.parametrize("n", [N, N - 5])
    def test_columns_without_a_name_that_count_the_rows_are_no_ids(self, first, n):
        counted = table(**{"Unnamed: 0": np.arange(N) + first})
        assert set(find_ids({"a": counted, "b": counted.iloc[:n]}).values()) == {None}
        assert set(find_ids({"a": counted, "b": table(z=RNG.normal(size=n))}).values()) == {None}

    def test_some_of_the_row_numbers_of_another_table_are_ids(self):
        counted = table(**{"Unnamed: 0": np.arange(N)})
        for some in (slice(5, None), slice(12, 18)):
            found = find_ids({"a": counted, "b": counted.iloc[some].reset_index(drop=True)})
            assert set(found.values()) & {IdSource("Unnamed: 0", None), IdSource("Unnamed: 0", "Unnamed: 0")}
            assert None not in found.values()

    def sources(self, first, second, name="key"):
        found = find_ids({"a": table(z=RNG.normal(size=len(first)), **{name: first}), "b": table(**{name: second})})
        return found["a"] == found["b"] == IdSource(name, name)

    def test_a_column_of_one_name_with_common_values(self):
        assert self.sources(names(), names()[::-1])
        assert self.sources(np.arange(N) * 5, np.arange(N)[::-1] * 5)
        assert not self.sources(RNG.normal(size=N), RNG.normal(size=N))

    @pytest.mark.parametrize(("n_common", "found"), [(10, True), (9, False)])
    def test_half_of_the_values_are_in_common(self, n_common, found):
        other = [*names()[:n_common], *names("other", N - n_common)]
        first = find_ids({"a": table(z=RNG.normal(size=N), key=names()), "b": table(z=RNG.normal(size=N), key=other)})
        assert (first["a"] == IdSource("key", "key")) == found

    @pytest.mark.parametrize(("n", "found"), [(10, True), (9, False)])
    def test_fewer_than_ten_whole_numbers_may_be_equal_by_chance(self, n, found):
        tables = {
            "a": table(z=RNG.normal(size=n), key=np.arange(n) * 5),
            "b": table(z=RNG.normal(size=n), key=np.arange(n) * 5),
        }
        assert (find_ids(tables)["a"] == IdSource("key", "key")) == found

    def test_texts_may_be_few(self):
        tables = {"a": table(z=RNG.normal(size=3), key=list("abc")), "b": table(z=RNG.normal(size=3), key=list("bca"))}
        assert find_ids(tables)["a"] == IdSource("key", "key")

    def test_spelling_does_not_matter_for_being_common(self):
        assert self.sources(names("C"), names("c "))

    def test_ids_repeated_in_one_table_are_found_if_they_have_the_name_of_ids(self):
        repeated = ["c0"] * 5 + names()[5:]
        assert self.sources(names(), repeated, "customer_id")
        assert not self.sources(names(), repeated)


def test_text_is_told_from_the_first_thousand_values():
    assert module._is_text(pd.Series(["a", "b", None]))
    assert not module._is_text(pd.Series(["a", "7"]))
    assert not module._is_text(pd.Series([None, None], dtype=object))
    late = pd.Series(["a"] * 1000 + ["7"])
    assert module._is_text(late)
    assert not module._is_text(pd.Series(["a"] * 999 + ["7"]))


@pytest.mark.parametrize(
    ("values", "whole"),
    [([1, 2], True), ([1.0, np.nan, 3.0], True), ([1.5, 2.0], False), (["1", "22", None], True), (["1", "a"], False)],
)
def test_whole_numbers(values, whole):
    column = pd.Series(values) if not isinstance(values[0], str) else pd.Series(values, dtype=object)
    assert module._is_whole(column) == whole
