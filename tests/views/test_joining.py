"""Matching samples by id, rule by rule."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from viewfuse import ViewsError
from viewfuse.views.join_by_id import Member, align, check_missing
from viewfuse.views.tables import join_frames


def member(name, ids, matrix=None, kind="features"):
    ids = None if ids is None else np.array(list(ids), dtype=object) if not isinstance(ids, np.ndarray) else ids
    if matrix is None:
        matrix = np.arange(10.0 * len(ids)).reshape(-1, 10)[:, :2]
    return Member(name, matrix, ids, None, kind)


def values(aligned, v=0):
    return aligned.members[v].matrix


def test_the_order_is_that_of_the_first_view_and_then_of_the_others():
    found = align([member("a", "xyz"), member("b", "zwxv")], "keep")
    assert found.ids.tolist() == ["x", "y", "z", "w", "v"]
    assert found.present.tolist() == [[True, True], [True, False], [True, True], [False, True], [False, True]]
    np.testing.assert_array_equal(values(found, 0)[:3], [[0, 1], [10, 11], [20, 21]])
    assert np.isnan(values(found, 0)[3:]).all()
    np.testing.assert_array_equal(values(found, 1)[[0, 2, 3, 4]], [[20, 21], [0, 1], [10, 11], [30, 31]])
    assert np.isnan(values(found, 1)[1]).all()
    assert found.n_dropped == 0
    assert found.table_rows.tolist() == [[0, 2], [1, -1], [2, 0], [-1, 1], [-1, 3]]


def test_dropping_keeps_what_every_view_has():
    found = align([member("a", "xyz"), member("b", "zwx")], "drop")
    assert found.ids.tolist() == ["x", "z"]
    assert found.n_dropped == 2
    assert found.present.all()
    np.testing.assert_array_equal(values(found, 1), [[20, 21], [0, 1]])
    with pytest.raises(ViewsError, match="No sample is in every view") as caught:
        align([member("a", "xy"), member("b", "yz"), member("c", "xz")], "drop")
    assert caught.value.value == ("keep",)


def test_missing_samples_of_each_view_are_counted_and_named():
    expected = (
        r"1 sample missing from view 'a': 'w'; 2 samples missing from view 'b': 'y', 'u'\. Of 5 samples, 2 are in every view"
    )
    with pytest.raises(ViewsError, match=expected) as caught:
        align([member("a", "xyzu"), member("b", "zwx")])
    assert (caught.value.view, caught.value.value) == ("a", ("keep", "drop"))


@pytest.mark.parametrize("missing", ["keep", "drop", "error"])
def test_known_answers(missing):
    check_missing(missing)


def test_unknown_answers_and_views_without_ids():
    with pytest.raises(ViewsError, match="missing must be 'error', 'keep' or 'drop', not 'skip'"):
        check_missing("skip")
    with pytest.raises(ViewsError, match="View 'a' has sample ids, but 'b' has none"):
        align([member("a", "xy"), member("b", None, np.ones((2, 1)))])
    by_position = align([member("a", None, np.ones((2, 1))), member("b", None, np.zeros((2, 1)))])
    assert by_position.ids is None
    assert by_position.present is None


def test_numbers_and_text_are_compared_as_text():
    found = align([member("a", np.array([7, 8])), member("b", ["8", "7"])])
    assert found.ids.tolist() == ["7", "8"]
    np.testing.assert_array_equal(values(found, 1)[0], [10, 11])
    whole = align([member("a", np.array([7, 8])), member("b", np.array([8, 7]))])
    assert whole.ids.dtype.kind == "i"
    assert align([member("a", ["p", "q"])]).ids.dtype == object


def test_loose_ids_are_written_as_the_first_view_does():
    found = align([member("a", ["C 07", "d"]), member("b", ["D ", "c07"])], loose_ids=True)
    assert found.ids.tolist() == ["C 07", "d"]
    np.testing.assert_array_equal(values(found, 1)[0], [10, 11])
    with pytest.raises(ViewsError, match="has no id in row 1"):
        align([member("a", ["x", ""]), member("b", ["x", "y"])], loose_ids=True)


class TestOverlap:
    def error(self, n, n_common):
        first = [f"a{i}" for i in range(n)]
        second = [*first[:n_common], *[f"b{i}" for i in range(n - n_common)]]
        with pytest.raises(ViewsError) as caught:
            align([member("a", first), member("b", second)])
        return caught.value

    def test_a_tenth_of_the_ids(self):
        assert "Not every sample is in every view" in str(self.error(30, 3))
        assert "Of the 30 ids of view 'a', 2 are in another view" in str(self.error(30, 2))
        assert "1 is in another view" in str(self.error(30, 1))
        none = self.error(30, 0)
        assert "none is in another view: it has 'a0', 'a1', 'a2', the others 'b0', 'b1', 'b10'" in str(none)
        assert (none.view, none.parameter, none.value) == ("a", "ids", "different")

    def test_one_id_is_enough_for_few(self):
        assert "Not every sample is in every view" in str(self.error(5, 1))

    def test_the_smaller_view_counts(self):
        many = [f"a{i}" for i in range(100)]
        found = align([member("a", many), member("b", many[:5])], "keep")
        assert found.present[:, 1].sum() == 5

    def test_spelling_is_the_remedy_if_it_makes_ids_equal(self):
        first, second = [f"c{i}" for i in range(20)], [f"C {i}" for i in range(20)]
        with pytest.raises(
            ViewsError, match="20 would be if case, blanks and leading zeros did not count: use loose_ids"
        ) as e:
            align([member("a", first), member("b", second)])
        assert e.value.parameter == "loose_ids"


def test_blank_and_repeated_ids():
    for blank in (None, float("nan"), ""):
        with pytest.raises(ViewsError, match="View 'a' has no id in row 1; every row needs one"):
            align([member("a", ["x", blank])])
    with pytest.raises(ViewsError, match=r"same id in several rows: 'x' in rows 0, 2, 3; 'y' in rows 1, 4\."):
        align([member("a", "xyxxy")])
    five = [f"i{k}" for k in range(5)] * 2
    with pytest.raises(ViewsError, match=r"'i2' in rows 2, 7 and 2 more ids\."):
        align([member("a", five)])
    three = [f"i{k}" for k in range(3)] * 2
    with pytest.raises(ViewsError, match=r"'i2' in rows 2, 5\."):
        align([member("a", three)])


class TestRowsOfEveryForm:
    IDS = ("xyz", "zx")

    def taken(self, matrix, kind="features", missing="keep"):
        first = member("a", "xyz", np.eye(3))
        return values(align([first, Member("b", matrix, np.array(["z", "x"], dtype=object), None, kind)], missing), 1)

    def test_whole_numbers_become_floating_point_where_rows_are_missing(self):
        found = self.taken(np.array([[1, 2], [3, 4]]))
        assert found.dtype == float
        np.testing.assert_array_equal(found, [[3, 4], [np.nan, np.nan], [1, 2]])
        assert self.taken(np.array([[1, 2], [3, 4]]), missing="drop").dtype.kind == "i"
        assert self.taken(np.ones((2, 1), dtype=np.float32)).dtype == np.float32

    def test_sparse_rows_are_empty(self):
        found = self.taken(sp.csr_array(np.array([[1.0, 2.0], [3.0, 4.0]])))
        np.testing.assert_array_equal(found.toarray(), [[3, 4], [0, 0], [1, 2]])

    def test_frames(self):
        frame = pd.DataFrame({"p": [1, 2], "q": ["u", "v"]}, index=["r0", "r1"])
        found = self.taken(frame)
        assert found.index.tolist() == [0, 1, 2]
        assert found["p"].tolist()[0] == 2
        assert found["p"].isna().tolist() == [False, True, False]
        assert self.taken(frame, missing="drop")["q"].tolist() == ["v", "u"]

    def test_relations_are_put_in_order_in_both_directions(self):
        found = self.taken(np.array([[1.0, 2.0], [3.0, 4.0]]), "graph")
        np.testing.assert_array_equal(found, [[4, np.nan, 3], [np.nan, np.nan, np.nan], [2, np.nan, 1]])
        dropped = self.taken(np.array([[1.0, 2.0], [3.0, 4.0]]), "graph", "drop")
        np.testing.assert_array_equal(dropped, [[4, 3], [2, 1]])


class TestFramesAndArrays:
    FRAME = pd.DataFrame({"n": [1.0, 2.0, 3.0]}, index=list("xyz"))

    def test_features_are_the_default_kind(self):
        joined = join_frames(["a", "b"], [self.FRAME, self.FRAME[::-1]])
        assert [one.kind for one in joined.aligned.members] == ["features", "features"]
        assert joined.aligned.ids.tolist() == ["x", "y", "z"]
        assert list(joined.features) == ["a", "b"]
        assert joined.id_name is None
        assert join_frames(["a"], [self.FRAME.rename_axis("key")]).id_name == "key"

    def test_arrays_take_the_order_of_the_frames(self):
        array = np.arange(3.0)[:, None]
        joined = join_frames(["a", "b"], [self.FRAME, array])
        assert joined.aligned.ids.tolist() == ["x", "y", "z"]
        assert joined.aligned.members[1].matrix is array
        with pytest.raises(
            ViewsError, match="Views 'a', 'c' have the same ids in different orders, but view 'b' has no ids"
        ):
            join_frames(["a", "b", "c"], [self.FRAME, array, self.FRAME[::-1]])

    def test_without_ids_lengths_must_be_equal(self):
        plain = self.FRAME.reset_index(drop=True)
        joined = join_frames(["a", "b"], [plain, np.ones((3, 1))])
        assert joined.aligned.ids is None
        with pytest.raises(ViewsError, match=r"same number of samples \('a' 3, 'b' 2\), and no column was found"):
            join_frames(["a", "b"], [plain, plain[:2]])
