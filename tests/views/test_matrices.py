"""One view as a matrix, several views by name, and tables that are relations."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from viewfuse import Views, ViewsError
from viewfuse.exceptions import ViewsTypeError
from viewfuse.views.matrices import as_float, as_matrix, column_names, take_block, take_rows, with_zero_rows
from viewfuse.views.members import align_graph_frames, checked_names, named_members
from viewfuse.views.relation_tables import relation_of_table

RNG = np.random.default_rng(0)


class TestMatrices:
    def test_frames_arrays_and_lists(self):
        frame = pd.DataFrame({"a": [1, 2], "b": [True, False]})
        np.testing.assert_array_equal(as_matrix(frame, "v").astype(float), [[1, 1], [2, 0]])
        assert as_matrix([[1, 2], [3, 4]], "v").dtype.kind == "i"
        assert as_matrix(sp.coo_array(np.eye(2)), "v").format == "csr"
        nullable = as_matrix(pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": [0.5, 1.5]}), "v")
        np.testing.assert_array_equal(nullable, [[1, 0.5], [np.nan, 1.5]])

    @pytest.mark.parametrize(
        ("member", "message"),
        [
            (np.ones(3), r"'v' must be 2-D \(samples × features\), but has shape \(3,\)"),
            (np.ones((2, 0)), "'v' is empty: 2 samples × 0 features"),
            (np.ones((0, 2)), "'v' is empty: 0 samples × 2 features"),
            ([[1], [1, 2]], "'v' is not a matrix"),
            (np.ones((2, 1)) * 1j, "'v' is complex"),
            (np.array([["a"]]), "'v' is not numeric"),
            (pd.DataFrame({"d": pd.date_range("2020", periods=2)}), "column 'd' is not numeric"),
            (np.array([[1, 2], [3, "x"]], dtype=object), "'v' holds 'x' .*in row 1, column 1"),
            (np.array([[1, 1j]], dtype=object), "'v' holds 1j .*in row 0, column 1"),
            (pd.DataFrame({"a": pd.Series([1, "x"], dtype=object)}), "in row 1, column 'a'"),
        ],
    )
    def test_what_is_no_matrix(self, member, message):
        with pytest.raises((ViewsError, ViewsTypeError), match=message) as caught:
            as_matrix(member, "v")
        assert caught.value.view == "v"

    def test_numbers_as_objects(self):
        found = as_matrix(np.array([[1, None], [np.float32(2), True]], dtype=object), "v")
        np.testing.assert_array_equal(found, [[1, np.nan], [2, 1]])

    def test_names_of_columns(self):
        assert column_names(pd.DataFrame({1: [1], "b": [2]})).tolist() == ["1", "b"]
        assert column_names(np.ones((2, 2))) is None

    def test_precision(self):
        assert as_float(np.ones((2, 1), dtype=int), single=True).dtype == np.float32
        assert as_float(sp.csr_array(np.eye(2)), single=False).dtype == np.float64
        held = np.ones((2, 1))
        assert as_float(held, single=False) is held

    @pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
    def test_rows_blocks_and_zeros(self, form):
        dense = np.arange(16.0).reshape(4, 4)
        array, rows = form(dense), np.array([3, 1])
        plain = (lambda x: x.toarray()) if form is sp.csr_array else np.asarray
        np.testing.assert_array_equal(plain(take_rows(array, rows)), dense[rows])
        np.testing.assert_array_equal(plain(take_block(array, rows)), dense[np.ix_(rows, rows)])
        np.testing.assert_array_equal(plain(take_block(array, rows, np.array([0]))), dense[np.ix_(rows, [0])])
        mask = np.array([False, True, False, False])
        np.testing.assert_array_equal(plain(with_zero_rows(array, mask)), dense * ~mask[:, None])
        assert with_zero_rows(array, np.zeros(4, dtype=bool)) is array

    def test_rows_of_a_file_in_any_order(self, tmp_path):
        held = np.memmap(tmp_path / "x", dtype=float, shape=(5, 2), mode="w+")
        held[:] = np.arange(10.0).reshape(5, 2)
        np.testing.assert_array_equal(take_rows(held, np.array([4, 0, 4])), [[8, 9], [0, 1], [8, 9]])


class TestNames:
    def test_defaults_and_given_names(self):
        assert named_members([1, 2], None)[0] == ["view0", "view1"]
        assert named_members({"a": 1, 2: 2}, None)[0] == ["a", "2"]
        assert named_members({"a": 1, "b": 2}, ["x", "y"]) == (["x", "y"], [1, 2])
        assert named_members((1,), ["x"])[0] == ["x"]

    def test_errors(self):
        with pytest.raises(ViewsTypeError, match=r"got ndarray of shape \(2, 2\)"):
            named_members(np.ones((2, 2)), None)
        with pytest.raises(ViewsTypeError, match=r"or Views; got int\."):
            named_members(7, None)
        with pytest.raises(ViewsError, match="There are no views"):
            named_members({}, None)
        with pytest.raises(ViewsError, match="There are 3 names for 1 view"):
            checked_names(["a", "b", "c"], 1)
        with pytest.raises(ViewsError, match="Several views have the name 'a', 'b'") as caught:
            checked_names(["b", "a", "b", "a", "c"], 5)
        assert caught.value.view == "a"


IDS = ["p", "q", "r"]
GRAPH = pd.DataFrame([[0, 1, 2], [3, 0, 4], [5, 6, 0]], index=IDS, columns=IDS)


class TestGraphsInFrames:
    def test_columns_are_put_in_the_order_of_the_first_ones_rows(self):
        turned = GRAPH[["r", "p", "q"]]
        found = align_graph_frames({"a": GRAPH, "b": turned, "c": np.eye(3)})
        assert found["b"].columns.tolist() == IDS
        assert found["a"] is GRAPH
        assert list(found) == ["a", "b", "c"]
        assert list(align_graph_frames([GRAPH])) == ["view0"]
        assert align_graph_frames(7) == 7

    def test_numbered_columns_are_left_as_they_are(self):
        numbered = pd.DataFrame(np.eye(3), index=IDS)
        assert align_graph_frames([numbered])["view0"] is numbered

    def test_columns_that_are_not_the_rows(self):
        wrong = GRAPH.rename(columns={"r": "z"})
        with pytest.raises(ViewsError, match=r"'b': a graph's columns must hold the ids of its rows, but 'r', 'z' are only"):
            align_graph_frames({"a": GRAPH, "b": wrong})
        with pytest.raises(ViewsError, match="'b': a graph's columns"):
            align_graph_frames({"a": GRAPH, "b": GRAPH[["p", "q"]]})


class TestTablesThatAreRelations:
    PLAIN = GRAPH.reset_index(drop=True)
    ROWS = np.array(IDS, dtype=object)

    def test_columns_follow_the_rows(self):
        matrix, kind = relation_of_table(self.PLAIN[["r", "p", "q"]], self.ROWS, "g", "graph")
        np.testing.assert_array_equal(matrix, GRAPH.to_numpy())
        assert kind == "graph"
        with pytest.raises(
            ViewsError, match="'g': a graph's columns must hold the ids of its rows, but 'r', 'z' are only rows"
        ):
            relation_of_table(self.PLAIN.rename(columns={"r": "z"}), self.ROWS, "g", "graph")
        numbered = self.PLAIN.set_axis(["0", "1", "2"], axis=1)
        np.testing.assert_array_equal(relation_of_table(numbered, self.ROWS, "g", "graph")[0], GRAPH.to_numpy())
        np.testing.assert_array_equal(relation_of_table(self.PLAIN, None, "g", "kernel")[0], GRAPH.to_numpy())

    def test_kinds_that_are_guessed(self):
        assert relation_of_table(self.PLAIN, self.ROWS, "g", "features")[1] == "features"
        assert relation_of_table(self.PLAIN.iloc[:2], self.ROWS[:2], "g", "auto")[1] == "features"
        symmetric = pd.DataFrame(np.ones((3, 3)) - np.eye(3), columns=IDS)
        matrix, kind = relation_of_table(symmetric, self.ROWS, "g", "auto")
        assert kind == "graph"
        assert isinstance(matrix, np.ndarray)
        table, kind = relation_of_table(self.PLAIN * [1, -1, 1], self.ROWS, "g", "auto")
        assert kind == "features"
        assert isinstance(table, pd.DataFrame)
        words = symmetric.assign(p=list("abc"))
        assert relation_of_table(words, self.ROWS, "g", "auto")[1] == "features"


class TestNetworks:
    nx = pytest.importorskip("networkx")

    def test_samples_without_a_node_have_no_edges(self):
        network = self.nx.Graph([("p", "r", {"weight": 3.0})])
        views = Views({"x": pd.DataFrame(np.eye(3), index=IDS), "g": network})
        expected = np.zeros((3, 3))
        expected[0, 2] = expected[2, 0] = 3
        np.testing.assert_array_equal(views.view("g").toarray(), expected)

    def test_nodes_are_given_ids_or_positions(self):
        network = self.nx.path_graph(3)
        assert Views([np.eye(3), network]).ids is None
        assert Views([network]).ids is None
        named = self.nx.relabel_nodes(network, dict(enumerate(IDS)))
        assert Views([np.eye(3), named], ids=IDS).ids.tolist() == IDS
        assert Views([named]).ids.tolist() == IDS
        with pytest.raises(ViewsError, match="'view1' has 3 nodes that are no sample: 'p', 'q', 'r'") as caught:
            Views([np.eye(3), named])
        assert caught.value.parameter == "ids"
