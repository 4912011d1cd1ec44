"""Mixed tables beside graphs and distances: files, estimators, new samples, saved models and the command line."""

import json
import sys

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import viewfuse as vf
from viewfuse import Views, load_views
from viewfuse.cli import main

N, K = 150, 3


@pytest.fixture
def data():
    """A mixed table, the edges between its samples and distances with rows and columns in other orders."""
    rng = np.random.default_rng(0)
    cluster = np.arange(N) % K
    ids = np.array([f"C{i:03d}" for i in range(N)])
    table = pd.DataFrame(
        {
            "customer": ids,
            "age": np.array([30, 45, 60])[cluster] + rng.normal(0, 4, N),
            "income": np.exp(np.array([9, 10, 11])[cluster] + rng.normal(0, 0.3, N)),
            "region": np.where(rng.random(N) < 0.8, np.array(["north", "south", "west"])[cluster], "abroad"),
        }
    )
    ends = [(i, j) for i in range(N) for j in rng.choice(np.flatnonzero(cluster == cluster[i]), 4) if i != j]
    edges = pd.DataFrame([(ids[i], ids[j]) for i, j in ends], columns=["source", "target"])
    points = np.eye(K)[cluster] * 4 + rng.normal(size=(N, K))
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    order, other = rng.permutation(N), rng.permutation(N)
    distances = pd.DataFrame(apart[np.ix_(order, other)], index=pd.Index(ids[order], name="customer"), columns=ids[other])
    return table, edges, distances, apart, cluster


@pytest.fixture
def folder(data, tmp_path):
    table, edges, distances, _, _ = data
    path = tmp_path / "data"
    path.mkdir()
    table.to_csv(path / "profile.csv", index=False)
    edges.to_csv(path / "knows.csv", index=False)
    distances.to_csv(path / "apart.csv")
    return path


def test_a_folder_of_tables_edges_and_distances(folder, data):
    table, edges, _, apart, _ = data
    views = load_views(folder)
    assert dict(zip(views.names, views.kinds, strict=True)) == {"apart": "distance", "knows": "graph", "profile": "features"}
    assert views.id_name == "customer"
    assert [row["column"] for row in views.encoding.rows()] == ["age", "income", "region"]
    place = [table["customer"].tolist().index(i) for i in views.ids]
    np.testing.assert_allclose(views.view("apart"), apart[np.ix_(place, place)])
    ids = views.ids.tolist()
    expected = sp.coo_array(
        (np.ones(len(edges)), ([ids.index(i) for i in edges["source"]], [ids.index(i) for i in edges["target"]])),
        shape=(N, N),
    )
    np.testing.assert_array_equal(views.view("knows").toarray(), expected.toarray())
    some = views[[3, 5, 8]]
    assert some.view("apart").shape == (3, 3)
    assert [None if t is None else len(t) for t in some.tables] == [None, None, 3]


def test_frames_and_networks_are_matched_by_the_column_of_ids(data):
    table, edges, distances, apart, _ = data
    views = Views({"profile": table, "apart": distances}, kinds="auto")
    assert views.kinds == ("features", "distance")
    np.testing.assert_allclose(views.view("apart"), apart)
    views = Views({"profile": table, "knows": nx.from_pandas_edgelist(edges)})
    assert views.kinds == ("features", "graph")
    assert views.encoding.tables[1] is None
    ids = table["customer"].tolist()
    first = edges.iloc[0]
    assert views.view("knows")[ids.index(first["source"]), ids.index(first["target"])] == 1


def test_a_declared_kind_beside_other_types(data):
    table, _, distances, _, _ = data
    with pytest.warns(vf.exceptions.UnusedColumnsWarning, match="'region'"):
        views = Views({"profile": table, "apart": distances}, kinds={"apart": "distance"}, types={"region": "ignore"})
    assert views.kinds == ("features", "distance")
    assert [row["column"] for row in views.encoding.rows() if row["left_out"] is None] == ["age", "income"]


@pytest.mark.parametrize("estimator", [vf.AutoFusion, vf.GFSC])
def test_new_samples_are_encoded_as_in_the_fit_also_by_a_saved_model(estimator, folder, data, tmp_path):
    cluster = data[-1]
    views = load_views(folder)
    known, new = views[np.arange(N) % 5 > 0], views[np.arange(N) % 5 == 0]
    truth = cluster[[int(i[1:]) for i in new.ids]]
    model = estimator(K, random_state=0).fit(known)
    assert model.encoding_ is views.encoding
    labels = model.predict(new)
    assert vf.metrics.accuracy(truth, labels) > 0.9
    again = vf.load(model.save(tmp_path / "fit.model"))
    ids = known.ids.tolist()
    rows = [views.ids.tolist().index(i) for i in new.ids]
    columns = [views.ids.tolist().index(i) for i in ids]
    shuffled = {
        "knows": views.view("knows")[rows][:, columns],
        "profile": new.tables[views.names.index("profile")][["region", "age", "income"]].reset_index(drop=True),
        "apart": views.view("apart")[np.ix_(rows, columns)],
    }
    with pytest.warns(vf.exceptions.EncodingWarning, match="in another order"):
        np.testing.assert_array_equal(again.predict(shuffled), labels)


def test_the_command_line_shows_kinds_and_columns(folder, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["viewfuse", "info", str(folder), "--json"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    facts = json.loads(capsys.readouterr().out)
    assert {view["name"]: view["kind"] for view in facts["views"]}["knows"] == "graph"
    assert {row["column"]: row["type"] for row in facts["columns"]} == {
        "age": "number",
        "income": "number",
        "region": "category",
    }


def test_an_edge_list_alone_is_a_graph(folder):
    views = load_views(folder / "knows.csv")
    assert views.kinds == ("graph",)
    assert len(views) == N
