"""Parts of views: what is kept, selected and named."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.utils import Bunch

from viewfuse import Views, ViewsError
from viewfuse.exceptions import EmptyCellsWarning, ViewsTypeError
from viewfuse.views import split_columns

N = 40
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "a": RNG.normal(size=N),
        "b": 1000 * RNG.normal(size=N),
        "w": ["u", "v", "w", "u"] * 10,
        "day": pd.date_range("2020-01-01", periods=N),
    },
    index=[f"c{i}" for i in range(N)],
)
PRESENT = np.column_stack([np.ones(N), np.arange(N) != 3, np.ones(N)]).astype(bool)


@pytest.fixture
def mixed():
    views = Views(
        {"table": FRAME.reset_index(drop=True), "array": RNG.normal(size=(N, 3)), "graph": np.eye(N, k=1)},
        kinds={"graph": "graph"},
        present=PRESENT,
        y=np.arange(N) % 3,
        ids=[f"c{i}" for i in range(N)],
    )
    views.n_dropped = 2
    return views


def test_which_columns_are_numbers_and_dates(mixed):
    assert mixed.feature_names[0].tolist() == ["a", "b", "w=u", "w=v", "w=w", "day"]
    assert mixed.number_columns(0).tolist() == [True, True, False, False, False, True]
    assert mixed.number_columns(1).tolist() == [True] * 3
    assert mixed.dates(0).tolist() == [False] * 5 + [True]
    assert mixed.dates(1).tolist() == [False] * 3
    assert [mixed.is_encoded(v) for v in range(3)] == [True, False, False]
    assert mixed.readable(1) is mixed.arrays[1]
    np.testing.assert_array_equal(mixed.readable(0)[:, 1], FRAME["b"])
    no_tables = Views([np.ones((3, 2))])
    assert no_tables.number_columns(0).tolist() == [True, True]
    assert no_tables.dates(0).tolist() == [False, False]
    assert no_tables.raw_members()[0] is no_tables.arrays[0]
    assert mixed.raw_members()[0].columns.tolist() == ["a", "b", "w", "day"]


def test_selected_samples_keep_everything_else(mixed):
    part = mixed[[5, 3, 30]]
    assert part.ids.tolist() == ["c5", "c3", "c30"]
    assert part.y.tolist() == [2, 0, 0]
    assert part.present.tolist() == [[True, True, True], [True, False, True], [True, True, True]]
    assert part.tables[0]["w"].tolist() == ["v", "u", "w"]
    assert part.tables[1:] == (None, None)
    assert (part.names, part.kinds, part.n_dropped, part.encoding) == (mixed.names, mixed.kinds, 2, mixed.encoding)
    assert part.arrays[2].shape == (3, 3)
    assert mixed[[1, 2]].present is None
    assert mixed[[1, 2]][[0]].selected_from()[1].tolist() == [1]
    assert mixed[[1, 2]][[0]].selected_from()[0] is mixed
    without = Views([np.ones((4, 1))])
    assert without[[1]].selected_from()[0] is not without


@pytest.mark.parametrize("samples", [(1, 2), (1, 2, 3), (slice(None), slice(0, 1))])
def test_views_are_indexed_by_samples_only(samples, mixed):
    with pytest.raises(ViewsTypeError, match="indexed by samples only"):
        mixed[samples]


def test_scikit_learns_ellipsis(mixed):
    assert len(mixed[[1, 2], ...]) == 2


def test_some_of_the_views(mixed):
    some = mixed.select_views([2, 0])
    assert some.names == ("graph", "table")
    assert some.kinds == ("graph", "features")
    assert some.feature_names[1].tolist() == mixed.feature_names[0].tolist()
    assert some.tables[0] is None
    assert some.is_encoded(1)
    assert not some.is_encoded(0)
    assert some.ids.tolist() == mixed.ids.tolist()
    np.testing.assert_array_equal(some.present, PRESENT[:, [2, 0]])
    assert some.n_dropped == 2
    assert mixed.chosen(["table", "graph"]).present is None
    with pytest.raises(ViewsError, match="There is no view 'x'; the views are 'table', 'array', 'graph'"):
        mixed.chosen(["x"])
    only = Views([np.ones((2, 1)), np.ones((2, 1))], present=[[1, 0], [0, 1]])
    with pytest.raises(ViewsError, match="1 sample is missing from every view"):
        only.chosen(["view0"])


def test_further_matrices(mixed):
    both = mixed.with_matrices({"more": np.eye(N, k=2), "words": np.ones((N, 2))}, "features")
    assert both.names == ("table", "array", "graph", "more", "words")
    assert both.kinds == ("features", "features", "graph", "features", "features")
    assert both.present.shape == (N, 5)
    assert both.present[:, 3:].all()
    np.testing.assert_array_equal(both.present[:, :3], PRESENT)
    assert both.tables[0] is not None
    assert both.tables[1:] == (None,) * 4
    assert [both.is_encoded(v) for v in range(5)] == [True, False, False, False, False]
    with pytest.raises(ViewsError, match="Several views have the name 'graph'"):
        mixed.with_matrices({"graph": np.eye(N)}, "features")
    with pytest.raises(ViewsError, match="do not have the same number of samples"):
        mixed.with_matrices({"more": np.eye(3)}, "features")
    assert Views([np.ones((3, 1))]).with_matrices({"m": np.eye(3)}, "graph").kinds == ("features", "graph")


def test_shape_and_text(mixed):
    assert mixed.shape == (N, 6 + 3 + N)
    assert repr(mixed) == "Views(40 samples; table: 6 features, array: 3 features, graph: graph)"
    assert repr(Views([sp.csr_array(np.eye(1))])) == "Views(1 sample; view0: 1 feature (sparse float64))"
    assert [array.shape for array in mixed] == [(N, 6), (N, 3), (N, N)]


def test_names_for_messages(mixed):
    assert mixed.sample_name(4) == "row 4 (id 'c4')"
    assert Views([np.ones((2, 1))]).sample_name(1) == "row 1"
    assert mixed.feature_name(0, 1) == "column 1 ('b')"
    assert mixed.feature_name(1, 1) == "column 1"


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_values_that_are_not_finite_are_counted(form):
    array = np.ones((5, 3))
    array[2, 1] = array[4, 0] = np.inf
    with pytest.raises(
        ViewsError, match=r"'view0' has 2 values that are NaN or infinite; the first is inf in row 2, column 1"
    ):
        Views([form(array)]).float_arrays()


def test_infinite_values_beside_empty_cells_are_refused():
    array = np.ones((5, 3))
    array[2, 1], array[4, 0] = np.inf, np.nan
    with pytest.warns(EmptyCellsWarning):
        views = Views([array])
    with pytest.raises(
        ViewsError, match=r"'view0' has 1 value that is NaN or infinite; the first is inf in row 2, column 1"
    ):
        views.float_arrays()


def test_present_must_have_an_entry_for_each_sample_and_view():
    arrays = [np.ones((3, 1)), np.ones((3, 1))]
    for wrong in (np.ones((3, 1)), np.ones((2, 2)), np.ones(3), np.ones((2, 3))):
        with pytest.raises(ViewsError, match=r"present must have shape \(3, 2\), one entry per sample and view"):
            Views(arrays, present=wrong)
    assert Views(arrays, present=np.ones((3, 2))).present is None
    with pytest.raises(ViewsError, match="2 samples are missing from every view, the first in row 1"):
        Views(arrays, present=[[1, 0], [0, 0], [0, 0]])


def test_missing_samples_are_rows_of_zeros(mixed):
    arrays, present = mixed.incomplete_arrays()
    np.testing.assert_array_equal(present, PRESENT)
    assert not arrays[1][3].any()
    assert arrays[1][4].all()
    gone = np.ones((4, 2))
    gone[2] = np.nan
    arrays, present = Views([gone, np.arange(4)[:, None]]).incomplete_arrays()
    assert present.tolist() == [[True, True], [True, True], [False, True], [True, True]]
    assert arrays[0][2].tolist() == [0, 0]
    assert Views([np.ones((2, 1))]).incomplete_arrays()[1] is None
    with pytest.raises(ViewsError, match="The sample in row 2 is missing from every view"):
        Views([gone, gone]).incomplete_arrays()


def test_precision():
    single = np.ones((3, 2), dtype=np.float32)
    assert [array.dtype for array in Views([single, single.astype(np.float64)]).float_arrays()] == [np.float64] * 2
    assert Views([sp.csr_array(single)]).float_arrays()[0].dtype == np.float32


def test_the_share_of_filled_cells(mixed):
    holed = FRAME.copy()
    holed.loc["c1", "a"] = np.nan
    holed.loc[["c2", "c3"], "w"] = None
    with pytest.warns(EmptyCellsWarning):
        views = Views({"t": holed})
    assert views.filled_share([0]) == pytest.approx(3 / (4 * N))
    assert mixed.filled_share([0, 1, 2]) == 0


def test_views_of_views(mixed):
    again = Views(mixed, names=["p", "q", "r"], y=np.zeros(N))
    assert again.names == ("p", "q", "r")
    assert again.y.tolist() == [0] * N
    assert again.ids.tolist() == mixed.ids.tolist()
    assert again.n_dropped == 2
    assert again.is_encoded(0)
    np.testing.assert_array_equal(again.present, PRESENT)


class TestColumnsOfATable:
    TABLE = FRAME.rename_axis("key").reset_index()

    def test_ids_are_not_unused(self):
        views, unused = split_columns(self.TABLE, {"n": ["a", "b"]}, ids="key")
        assert unused == ["w", "day"]
        assert views.ids.tolist() == FRAME.index.tolist()
        assert views.id_name == "key"
        assert views.names == ("n",)

    def test_rules_and_positions(self):
        views, unused = split_columns(self.TABLE, {"n": "a-b", "t": ["w"]})
        assert views.feature_names[0].tolist() == ["a", "b"]
        assert unused == ["day"]
        views, unused = split_columns(FRAME.drop(columns=["w", "day"]).to_numpy(), {"n": [1]})
        assert unused == [0]

    def test_an_id_column_that_is_used_is_no_id(self):
        views, unused = split_columns(self.TABLE[["a", "b", "key"]], [slice(0, 1), slice(1, 2)])
        assert unused == ["key"]
        assert views.ids is None


def test_ids_y_and_tuples():
    with pytest.raises(ViewsError, match=r"ids must hold one value per sample \(2\), but has shape \(3,\)"):
        Views([np.ones((2, 1))], ids=[1, 2, 3])
    with pytest.raises(ViewsError, match=r"y must hold one value per sample \(2\), but has shape \(2, 1\)"):
        Views([np.ones((2, 1))], y=[[1], [2]])
    with pytest.raises(ViewsError, match="ids must be distinct, but some occur several times: 'x'"):
        Views([np.ones((3, 1))], ids=["x", "y", "x"])
    assert Views([np.ones((2, 1))], ids=[("a", 1), ("a", 2)]).ids.tolist() == [("a", 1), ("a", 2)]
    assert Views([np.ones((2, 1))], ids=[7, 8]).ids.dtype.kind == "i"  # numbers stay numbers


def test_categories_are_encoded_once():
    codes = np.array([[1], [2], [3], [1]])
    views = Views({"c": codes, "x": np.ones((4, 1))}, kinds={"c": "categories"})
    assert views.arrays[0].shape == (4, 3)
    assert Views(views).arrays[0].shape == (4, 3)
    assert Views(views, kinds=["categories", "features"]).arrays[0].shape == (4, 3)
    assert Views(Views({"c": codes, "x": np.ones((4, 1))}), kinds={"c": "categories"}).arrays[0].shape == (4, 3)


class TestBunches:
    """Data sets of scikit-learn."""

    def test_data_and_labels(self):
        views = Views(Bunch(data=np.ones((4, 2)), target=np.array([0, 1, 0, 1])))
        assert views.names == ("data",)
        assert views.y.tolist() == [0, 1, 0, 1]
        several = Views(Bunch(views={"a": np.ones((4, 2)), "b": np.ones((4, 1))}))
        assert several.names == ("a", "b")
        assert several.y is None
        assert Views(Bunch(data=[np.ones((4, 2)), np.ones((4, 1))])).n_views == 2

    def test_what_cannot_be_used(self):
        with pytest.raises(ViewsTypeError, match="A Bunch needs an entry 'data' or 'views'; this one has 'x'"):
            Views(Bunch(x=1))
        with pytest.raises(
            ViewsError, match=r"entry 'target' of the Bunch has shape \(4, 2\); labels are one value per sample"
        ):
            Views(Bunch(data=np.ones((4, 2)), target=np.ones((4, 2))))


def test_the_rows_of_the_tables_are_kept():
    frames = {
        "a": pd.DataFrame({"x": [1.0, 2.0, 3.0]}, index=["p", "q", "r"]),
        "b": pd.DataFrame({"y": [4.0, 5.0, 6.0]}, index=["r", "p", "q"]),
    }
    views = Views(frames)
    assert views.table_rows.tolist() == [[0, 1], [1, 2], [2, 0]]
    assert views[[2, 0]].table_rows.tolist() == [[2, 0], [0, 1]]
    assert views.select_views([1]).table_rows.tolist() == [[1], [2], [0]]
    assert Views(views).table_rows is views.table_rows
    assert Views([np.eye(3)]).table_rows is None
