"""What views hold: guesses, slices of both axes, and what does not fit."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.model_selection import train_test_split

from viewfuse import Views
from viewfuse.exceptions import ViewsError
from viewfuse.views import guess_kind

RNG = np.random.RandomState(0)
POINTS = RNG.normal(size=(40, 3))
WORDS = RNG.normal(size=(40, 5))
GRAPH = sp.random_array((40, 40), density=0.1, random_state=0, format="csr")

DENSE = (np.random.RandomState(1).random_sample((40, 40)) > 0.3).astype(float)


def distances(points):
    return np.linalg.norm(points[:, None] - points[None], axis=2)


@pytest.mark.parametrize(
    ("array", "kind"),
    [
        (WORDS, "features"),
        (np.abs(RNG.normal(size=(40, 40))), "features"),
        (RNG.normal(size=(40, 40)), "features"),
        ((GRAPH + GRAPH.T), "graph"),
        ((GRAPH + GRAPH.T).toarray(), "graph"),
        (np.ones((40, 40)) - np.eye(40), "graph"),
        (np.ones((40, 40)), "graph"),
        (np.maximum(DENSE, DENSE.T), "graph"),
        (sp.csr_array(np.eye(40, k=1)), "graph"),
        (distances(POINTS), "distance"),
        (POINTS @ POINTS.T, "kernel"),
        (np.exp(-(distances(POINTS) ** 2)), "kernel"),
        ((RNG.random_sample((40, 40)) > 0.3) * np.arange(1, 41), "features"),
    ],
)
def test_guess(array, kind):
    assert guess_kind(array) == kind


@pytest.mark.parametrize(("smallest", "is_kernel"), [(0.0, True), (-0.009, True), (-0.02, False), (-0.5, False)])
def test_a_kernel_has_no_negative_eigenvalues_up_to_rounding(smallest, is_kernel):
    axes = np.linalg.qr(RNG.normal(size=(40, 40)))[0]
    kernel = (axes * np.r_[smallest, np.linspace(1, 100, 39)]) @ axes.T
    assert (guess_kind((kernel + kernel.T) / 2) == "kernel") == is_kernel


def test_similarities_that_are_no_kernel_are_a_graph():
    similarity = RNG.random_sample((40, 40))
    similarity = np.triu(similarity, 1) + np.triu(similarity, 1).T + 0.01 * np.eye(40)
    assert guess_kind(similarity) == "graph"


def test_the_default_is_features_and_auto_guesses():
    data = {"words": WORDS, "cites": GRAPH + GRAPH.T, "apart": distances(POINTS)}
    assert Views(data).kinds == ("features",) * 3
    assert Views(data, kinds="auto").kinds == ("features", "graph", "distance")
    assert Views(data, kinds={"cites": "graph", "apart": "auto"}).kinds == ("features", "graph", "distance")
    assert Views(Views(data, kinds="auto"), y=np.zeros(40)).kinds == ("features", "graph", "distance")
    assert "cites: graph (sparse" in repr(Views(data, kinds="auto"))


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ({"words": "graph"}, r"'words' is 40 × 5, but a graph has one row and one column per sample"),
        ({"word": "graph"}, r"kinds names the view 'word', but the views are 'words'"),
        ({"words": "table"}, r"cannot be of the kind 'table'.*graph, kernel, distance"),
    ],
)
def test_kinds_that_do_not_fit(kinds, message):
    with pytest.raises(ViewsError, match=message):
        Views({"words": WORDS}, kinds=kinds)


@pytest.mark.parametrize("rows", [[3, 1, 7], np.arange(40) % 2 == 0, slice(4, 9)])
def test_samples_are_selected_in_rows_and_columns(rows):
    views = Views({"words": WORDS, "cites": GRAPH, "apart": distances(POINTS)}, kinds=["features", "graph", "distance"])
    some = views[rows]
    places = np.arange(40)[rows]
    assert some.kinds == views.kinds
    np.testing.assert_array_equal(some.view("cites").toarray(), GRAPH.toarray()[np.ix_(places, places)])
    np.testing.assert_array_equal(some.view("apart"), distances(POINTS[places]))
    root, positions = some[::2].selected_from()
    assert root is views
    np.testing.assert_array_equal(positions, places[::2])


def test_train_test_split():
    views = Views({"words": WORDS, "cites": GRAPH}, kinds={"cites": "graph"})
    train, test = train_test_split(views, random_state=0)
    assert train.view("cites").shape == (30, 30)
    assert test.view("cites").shape == (10, 10)


def test_missing_samples_have_no_row_and_no_column():
    present = np.ones((40, 2), dtype=bool)
    present[3, 1] = False
    arrays, there = Views([WORDS, np.ones((40, 40))], present=present, kinds=["features", "graph"]).incomplete_arrays()
    assert not arrays[1][3].any()
    assert not arrays[1][:, 3].any()
    assert arrays[1].sum() == 39**2
    assert not there[3, 1]


def test_networkx_graphs_are_matched_with_the_samples():
    frame = pd.DataFrame(WORDS[:4], index=["a", "b", "c", "d"])
    network = nx.Graph([("d", "b", {"weight": 2.0}), ("a", "d")])
    views = Views({"words": frame, "cites": network})
    expected = np.zeros((4, 4))
    expected[3, 1] = expected[1, 3] = 2
    expected[0, 3] = expected[3, 0] = 1
    assert views.kinds == ("features", "graph")
    np.testing.assert_array_equal(views.view("cites").toarray(), expected)
    directed = Views([WORDS[:4], nx.DiGraph([(0, 2)])])
    assert directed.view("view1").toarray()[0, 2] == 1
    assert directed.view("view1").sum() == 1
    alone = Views({"cites": network})
    assert alone.ids.tolist() == ["d", "b", "a"]
    with pytest.raises(ViewsError, match=r"'cites' has 1 node that is no sample: 'x'"):
        Views({"words": frame, "cites": nx.Graph([("a", "x")])})


def test_columns_of_relations_in_frames_are_matched_by_id():
    ids = ["a", "b", "c"]
    graph = pd.DataFrame([[0, 1, 2], [1, 0, 3], [2, 3, 0]], index=ids, columns=ids)
    shuffled = graph.loc[["c", "a", "b"], ["b", "c", "a"]]
    words = pd.DataFrame(np.eye(3), index=ids)
    for kinds in ("auto", {"g": "graph"}):
        views = Views({"words": words, "g": shuffled}, kinds=kinds)
        np.testing.assert_array_equal(views.view("g"), graph.to_numpy())


def test_counts_are_whole_numbers():
    assert Views({"n": np.arange(6).reshape(3, 2)}, kinds={"n": "counts"}).kinds == ("counts",)
    with pytest.raises(ViewsError, match=r"'n' is declared as counts, but holds 1\.5; counts are whole numbers"):
        Views({"n": np.array([[1.5, 2], [0, 1]])}, kinds={"n": "counts"})
    with pytest.raises(ViewsError, match=r"holds -1"):
        Views({"n": np.array([[1, -1], [0, 1]])}, kinds={"n": "counts"})


def test_categories_become_indicators():
    codes = np.array([[1, 7], [2, 7], [3, 8.0]])
    views = Views({"c": codes}, kinds={"c": "categories"})
    np.testing.assert_array_equal(views.view("c").toarray(), [[1, 0, 0, 1, 0], [0, 1, 0, 1, 0], [0, 0, 1, 0, 1]])
    assert views.feature_names[0].tolist() == ["0=1", "0=2", "0=3", "1=7", "1=8"]
    assert Views(views).view("c").shape == (3, 5)
    assert views[[0, 1]].view("c").shape == (2, 5)
