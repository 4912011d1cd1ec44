"""Views: construction, selection of samples, joining of DataFrames, and checks."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.model_selection import train_test_split

from viewfuse import Views, ViewsError
from viewfuse.exceptions import EmptyCellsWarning, ViewsTypeError
from viewfuse.views import split_columns

IDS = list("abcdef")
FRAME = pd.DataFrame(np.arange(12.0).reshape(6, 2), index=IDS, columns=["p", "q"])


def test_a_list_a_dict_and_views_give_the_same_views():
    a, b = np.ones((4, 2)), np.eye(4)
    from_list, from_dict = Views([a, b]), Views({"view0": a, "view1": b})
    assert from_list.names == from_dict.names == Views(from_list).names
    assert from_list.shape == (4, 6)
    assert from_list.n_views == 2
    assert len(from_list) == 4


def test_selecting_samples_selects_views_ids_and_labels():
    views = Views({"x": np.arange(8).reshape(4, 2), "s": sp.eye_array(4).tocsr()}, ids=list("wxyz"), y=[0, 1, 0, 1])
    part = views[[3, 1]]
    assert part.ids.tolist() == ["z", "x"]
    assert part.y.tolist() == [1, 1]
    np.testing.assert_array_equal(part.view("x"), [[6, 7], [2, 3]])
    assert sp.issparse(part.view("s"))
    assert len(views[np.array([True, False, True, False])]) == 2
    assert len(views[1]) == 1
    assert len(views[1:]) == 3


def test_scikit_learn_splits_samples_not_views():
    views = Views([np.arange(20.0).reshape(10, 2), np.arange(10.0).reshape(10, 1)])
    train, test = train_test_split(views, test_size=3, random_state=0)
    assert (len(train), len(test), test.n_views) == (7, 3, 2)
    np.testing.assert_array_equal(test.arrays[0][:, 0] / 2, test.arrays[1][:, 0])


def test_frames_are_joined_on_their_index():
    shuffled = FRAME.iloc[[4, 2, 0, 5, 1, 3]]
    views = Views({"a": FRAME, "b": shuffled})
    np.testing.assert_array_equal(views.view("a"), views.view("b"))
    assert views.ids.tolist() == IDS


def test_unknown_and_absent_ids_are_named():
    other = FRAME.rename(index={"a": "z"})
    expected = r"1 sample missing from view 'a': 'z'; 1 sample missing from view 'b': 'a'. Of 7 samples, 5 are in every view"
    with pytest.raises(ViewsError, match=expected) as caught:
        Views({"a": FRAME, "b": other})
    assert (caught.value.view, caught.value.parameter, caught.value.value) == ("a", "missing", ("keep", "drop"))
    assert "missing='drop'" in caught.value.hint
    assert "missing=" not in caught.value.problem


def test_duplicated_ids_are_named():
    with pytest.raises(ViewsError, match=r"'b' has the same id in several rows: 'c' in rows 2, 6") as caught:
        Views({"a": FRAME, "b": pd.concat([FRAME, FRAME.loc[["c"]]])})
    assert caught.value.view == "b"


def test_an_array_cannot_be_combined_with_frames_in_different_orders():
    with pytest.raises(ViewsError, match="'c' has no ids, so its rows cannot be matched"):
        Views({"a": FRAME, "b": FRAME.iloc[::-1], "c": np.ones((6, 1))})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "no views"),
        ({"a": np.ones((3, 2)), "b": np.ones((4, 2))}, "'a' 3, 'b' 4"),
        ({"a": np.ones((3, 0))}, "'a' is empty: 3 samples × 0 features"),
        ({"a": np.ones(3)}, r"'a' must be 2-D .* shape \(3,\)"),
        ({"a": np.ones((2, 2)) * 1j}, "'a' is complex"),
        ({"a": [["x", "y"]]}, "'a' is not numeric"),
        ({"a": np.array([[1, "x"]], dtype=object)}, "'a' holds 'x' .*row 0, column 1"),
        ({"a": FRAME.assign(z=1j)}, "'a', column 'z' holds complex numbers"),
        ({"a": FRAME.assign(z=[[1]] * 6)}, "'a', column 'z' holds list values"),
        ({"a": [[1, 2], [3]]}, "'a' is not a matrix"),
        (np.ones((3, 3)), "got ndarray of shape"),
    ],
)
def test_bad_views_are_named(data, message):
    with pytest.raises(ViewsError, match=message) as caught:
        Views(data)
    assert caught.value.view == ("a" if message.startswith("'a'") and "3, 'b'" not in message else None)


def test_the_first_value_that_is_not_finite_is_named():
    frame = FRAME.copy()
    frame.loc["c", "q"] = np.inf
    with pytest.raises(ViewsError, match=r"'a', column 'q' is infinite in row 2") as caught:
        Views({"a": frame})
    assert caught.value.view == "a"
    with pytest.raises(ViewsError, match=r"'a' has 1 value .*first is inf in row 2 \(id 'c'\), column 1"):
        Views({"a": frame.to_numpy()}, ids=IDS).float_arrays()
    with pytest.raises(ViewsError, match=r"NaN in row 2, column 1"):
        Views([sp.csr_array(np.where(np.isinf(frame), np.nan, frame))]).float_arrays()


def test_float32_is_kept_only_if_all_views_are_float32():
    single, integer = np.ones((3, 2), np.float32), np.ones((3, 2), np.uint8)
    assert Views([single, single]).float_arrays()[0].dtype == np.float32
    assert all(array.dtype == np.float64 for array in Views([single, integer]).float_arrays())


def test_ids_of_several_levels():
    index = pd.MultiIndex.from_tuples([("x", 1), ("x", 2), ("y", 1)])
    views = Views([pd.DataFrame(np.eye(3), index=index)])
    assert views.ids.tolist() == [("x", 1), ("x", 2), ("y", 1)]
    assert Views([np.eye(3)], ids=index).ids.tolist() == views.ids.tolist()


def test_selecting_complete_samples_makes_the_views_complete():
    views = Views([np.ones((3, 1)), np.ones((3, 1))], present=[[1, 1], [1, 0], [1, 1]])
    assert views[views.present.all(axis=1)].present is None
    for wrong in (True, [[0, 1]]):
        with pytest.raises(ViewsTypeError, match="Samples are selected by"):
            views[wrong]


def test_nullable_frames_and_booleans_become_numbers():
    frame = pd.DataFrame({"i": pd.array([1, None, 3], dtype="Int64"), "b": [True, False, True]})
    with pytest.warns(EmptyCellsWarning, match="in 'view0' \\(1 sample\\)"):
        array = Views([frame]).arrays[0]
    np.testing.assert_array_equal(array, [[1, 1], [2, 0], [3, 1]])
    assert Views([np.array([[True], [False]])]).float_arrays()[0].dtype == np.float64


def test_missing_samples_are_an_error_that_names_the_first():
    views = Views([np.ones((3, 1)), np.ones((3, 1))], present=[[1, 1], [1, 0], [1, 1]])
    with pytest.raises(ViewsError, match="1 sample is missing from view 'view1', the first in row 1") as caught:
        views.float_arrays()
    assert (caught.value.view, caught.value.parameter, caught.value.value) == ("view1", "missing", ("drop",))
    with pytest.raises(ViewsError, match="1 sample is missing from every view, the first in row 1"):
        Views([np.ones((2, 1))], present=[[1], [0]])


def test_names_ids_and_labels_must_fit():
    array = np.ones((2, 1))
    with pytest.raises(ViewsError, match="Several views have the name 'a'"):
        Views([array, array], names=["a", "a"])
    with pytest.raises(ViewsError, match="1 name for 2 views"):
        Views([array, array], names=["a"])
    with pytest.raises(ViewsError, match="distinct"):
        Views([array], ids=["x", "x"])
    with pytest.raises(ViewsError, match="y must hold one value per sample"):
        Views([array], y=[0, 1, 2])
    with pytest.raises(ViewsError, match=r"no view 'z'; the views are 'view0'"):
        Views([array]).view("z")
    with pytest.raises(ViewsTypeError, match=r"views.view\('view0'\)"):
        Views([array])["view0"]


def test_columns_are_split_by_every_kind_of_group():
    matrix = np.arange(24).reshape(4, 6)
    frame = pd.DataFrame(matrix, columns=list("abcdef"))
    groups = {"slice": slice(0, 2), "positions": [2, -1], "mask": [False] * 3 + [True] + [False] * 2, "names": ["e"]}
    views, unused = split_columns(frame, groups)
    assert unused == []
    np.testing.assert_array_equal(views.view("positions"), matrix[:, [2, 5]])
    np.testing.assert_array_equal(views.view("names"), matrix[:, [4]])
    assert views.feature_names[1].tolist() == ["c", "f"]
    sparse_views, unused = split_columns(sp.csr_array(matrix), [slice(0, 2)])
    assert unused == [2, 3, 4, 5]
    np.testing.assert_array_equal(sparse_views.arrays[0].toarray(), matrix[:, :2])


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({"a": [0, 9]}, "View 'a' asks for column 9, but there are only 6 columns"),
        ({"a": []}, "View 'a' selects none of the 6 columns"),
        ({"a": ["z"]}, "View 'a' asks for 'z', which the data does not have"),
        ({"a": [True]}, "mask of view 'a' has 1 entry for 6 columns"),
        ({}, "No view is named"),
        ("abc", "'abc' is neither NAME:FIRST-LAST"),
        (7, "must be a mapping of view names to columns, or a list; got int"),
        ({"a": slice("a", "c")}, "View 'a' has a slice of column names"),
    ],
)
def test_bad_column_groups_are_named(groups, message):
    with pytest.raises(ViewsError, match=message) as caught:
        split_columns(pd.DataFrame(np.ones((2, 6)), columns=list("abcdef")), groups)
    assert caught.value.parameter == "views"
    assert caught.value.view == ("a" if "'a'" in message else None)
    assert "views=" not in caught.value.problem


def test_names_without_column_names_are_refused():
    with pytest.raises(ViewsError, match="View 'a' gives column names, but the columns of the data have no names") as caught:
        split_columns(np.ones((2, 3)), {"a": ["p"]})
    assert (caught.value.view, caught.value.parameter) == ("a", "views")
