"""Edge lists, sparse matrices, relations in MATLAB files and obsp entries."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.io import savemat

from viewfuse import load_views
from viewfuse.exceptions import UnusedVariablesWarning, ViewsError

IDS = ["a1", "a2", "b1", "b2"]
WORDS = "id,x,y\na1,1,2\na2,2,3\nb1,8,9\nb2,9,7\n"
EXPECTED = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]])


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "words.csv").write_text(WORDS)
    return tmp_path


@pytest.mark.parametrize("header", ["source,target\n", "paper,cites\n", ""])
def test_edge_lists_are_graphs_of_the_samples(folder, header):
    if header == "":  # a file of numbers has no header
        (folder / "words.csv").write_text(WORDS.replace("a", "1").replace("b", "2"))
        (folder / "cites.csv").write_text("11,12\n12,11\n21,22\n11,12\n")
        expected = EXPECTED * [[1, 2, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]]
    else:
        (folder / "cites.csv").write_text(header + "a1,a2\na2,a1\nb1,b2\na1,a2\n")
        expected = EXPECTED * [[1, 2, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]]
    views = load_views(folder)
    assert dict(zip(views.names, views.kinds, strict=True)) == {"cites": "graph", "words": "features"}
    np.testing.assert_array_equal(views.view("cites").toarray(), expected)
    assert sp.issparse(views.view("cites"))


def test_weights_order_of_views_and_nodes_without_edges(folder):
    (folder / "z.tsv").write_text("from\tto\tweight\nb2\ta1\t0.5\n")
    views = load_views([folder / "words.csv", folder / "z.tsv"])
    assert views.names == ("words", "z")
    assert views.view("z").toarray()[3, 0] == 0.5
    assert views.view("z").sum() == 0.5


def test_edges_between_unknown_samples(folder):
    (folder / "cites.csv").write_text("source,target\na1,a2\na1,x9\n")
    with pytest.raises(ViewsError, match=r"cites\.csv: 1 end of edges are no samples of the other views: 'x9'"):
        load_views(folder)
    views = load_views(folder, missing="drop")
    assert views.view("cites").sum() == 1


def test_a_table_with_ids_and_one_feature_is_not_an_edge_list(folder):
    (folder / "age.csv").write_text("id,age\na1,1\na2,2\nb1,3\nb2,4\n")
    assert load_views(folder).kinds == ("features", "features")


def test_edge_lists_alone_and_by_request(tmp_path):
    (tmp_path / "cites.csv").write_text("source,target\na,b\nb,c\n")
    views = load_views([tmp_path / "cites.csv"])
    assert views.ids.tolist() == ["a", "b", "c"]
    assert views.kinds == ("graph",)
    (tmp_path / "cites.csv").write_text("one,two\na,b\nb,c\n")
    assert load_views([tmp_path / "cites.csv"], kinds={"cites": "graph"}).kinds == ("graph",)
    (tmp_path / "cites.csv").write_text("source,target,weight\na,b,1\nb,c,much\n")
    with pytest.raises(ViewsError, match="the weight of an edge is 'much' in row 1"):
        load_views([tmp_path / "cites.csv"])


def test_a_table_whose_columns_are_the_ids_is_put_in_order(folder):
    (folder / "graph.csv").write_text("id,b1,a1,b2,a2\na1,0,0,0,1\na2,0,1,0,0\nb1,0,0,1,0\nb2,1,0,0,0\n")
    views = load_views(folder)
    assert views.kinds == ("graph", "features")
    np.testing.assert_array_equal(views.view("graph")[0], [0, 1, 0, 0])


def test_sparse_matrices_beside_tables(tmp_path):
    (tmp_path / "words.csv").write_text("x,y\n1,2\n2,3\n8,9\n9,7\n")
    sp.save_npz(tmp_path / "cites.npz", sp.csr_array(EXPECTED))
    views = load_views(tmp_path)
    assert dict(zip(views.names, views.kinds, strict=True)) == {"cites": "graph", "words": "features"}
    (tmp_path / "words.csv").write_text(WORDS)
    with pytest.raises(ViewsError, match=r"The tables have ids, but 'cites' has none"):
        load_views(tmp_path)


def test_graphs_beside_features_in_a_matlab_file(tmp_path):
    rng = np.random.RandomState(0)
    graph = np.triu(rng.random_sample((30, 30)) < 0.1, 1).astype(float)
    variables = {"feature": rng.normal(size=(30, 4)), "PAP": graph + graph.T, "label": np.eye(3)[np.arange(30) % 3]}
    savemat(tmp_path / "a.mat", {**variables, "PLP": sp.csc_array(graph)})
    views = load_views(tmp_path / "a.mat")
    assert views.names == ("feature", "PAP", "PLP")
    assert views.kinds == ("features", "graph", "graph")
    np.testing.assert_array_equal(views.y, np.arange(30) % 3)
    assert load_views(tmp_path / "a.mat", kinds={"PAP": "features"}).kinds == ("features", "features", "graph")
    savemat(tmp_path / "b.mat", {**variables, "other": rng.normal(size=(30, 30))})
    with pytest.warns(UnusedVariablesWarning, match="other"):
        assert load_views(tmp_path / "b.mat").names == ("feature", "PAP")


def test_entries_of_obsp_are_views_if_asked():
    anndata = pytest.importorskip("anndata")
    data = anndata.AnnData(np.arange(12.0).reshape(4, 3), obs=pd.DataFrame(index=IDS))
    data.obsp["connectivities"] = sp.csr_array(EXPECTED.astype(float))
    assert load_views(data).names == ("X",)
    views = load_views(data, views=["X", "connectivities"])
    assert views.kinds == ("features", "graph")
    assert views.view("connectivities").shape == (4, 4)
    with pytest.raises(ViewsError, match=r"the entries are 'X', 'connectivities'"):
        load_views(data, views=["Y"])


@pytest.mark.parametrize("values", ["visits,amount", "visit,bp", "paper,cites"])
def test_numbers_that_may_be_counts_are_no_edges(tmp_path, values):
    first = values.split(",")[0]
    (tmp_path / "profile.csv").write_text("id,age,height\n" + "".join(f"{i},{30 + i},{170 - i}\n" for i in range(6)))
    header, end = (f"id,{values}\n", ",2.5\n") if first != "paper" else (f"{values}\n", "\n")
    (tmp_path / "usage.csv").write_text(header + "".join(f"{i},{i % 3}{end}" for i in (0, 1, 2, 3, 4, 5, 3)))
    if first == "paper":
        with pytest.raises(ViewsError, match="rows cannot be matched"):
            load_views(tmp_path)
    else:
        with pytest.raises(ViewsError, match=r"same id in several rows: 3 in rows 3, 6|'3' in rows 3, 6") as found:
            load_views(tmp_path)
        assert "kinds={'usage': 'graph'}" in str(found.value)
        assert found.value.parameter == "kinds"
    assert load_views(tmp_path, kinds={"usage": "graph"}).kinds == ("features", "graph")


def test_ids_in_both_columns_or_names_of_ends_make_edges_of_numbers(tmp_path):
    (tmp_path / "profile.csv").write_text("id,age,height\n" + "".join(f"{i},{30 + i},{170 - i}\n" for i in range(6)))
    for header in ("source_id,target_id\n", "From,To\n", ""):
        (tmp_path / "knows.csv").write_text(header + "1,0\n1,2\n3,4\n4,5\n")
        assert load_views([tmp_path / "profile.csv", tmp_path / "knows.csv"]).kinds == ("features", "graph")


def test_a_ragged_table_is_not_called_an_edge_list(tmp_path):
    (tmp_path / "r.csv").write_text("id,a,b\nx,1,2\ny,3\nz,4,5,6\n")
    with pytest.raises(ViewsError, match="cannot be read as a table"):
        load_views(tmp_path / "r.csv")
    with pytest.raises(ViewsError, match="cannot be read as an edge list"):
        load_views(tmp_path / "r.csv", kinds={"r": "graph"})


def test_a_table_that_is_neither_square_nor_an_edge_list_is_no_graph(tmp_path):
    (tmp_path / "two.csv").write_text("id,a,b,c\na1,1,2,3\na2,2,3,4\nb1,8,9,5\nb2,9,7,6\n")
    with pytest.raises(ViewsError, match=r"'two' is 4 × 3, but a graph has one row and one column per sample") as found:
        load_views(tmp_path / "two.csv", kinds={"two": "graph"})
    assert found.value.parameter == "kinds"
