"""Agreement between views, and with known labels."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from viewfuse.graphs.nearest import neighbor_graph
from viewfuse.inspection.agreement import Agreement, agreement, confusion
from viewfuse.metrics import evaluate


def test_agreement_finds_the_view_with_other_clusters():
    labels = np.repeat([0, 1], 30)
    clear = sp.csr_array(np.equal.outer(labels, labels) + 0.01)
    shuffled = np.random.default_rng(0).permutation(labels)
    other = sp.csr_array(np.equal.outer(shuffled, shuffled) + 0.01)
    found = agreement(labels, {"a": clear, "b": clear, "odd": other})
    assert found.with_result()["a"] == 1
    assert found.with_result()["odd"] < 0.2
    assert found.least_agreeing_pair()[1] == "odd"
    assert found.without["odd"] == 1  # it is not needed


def test_a_view_that_alone_knows_the_clusters_is_missed():
    labels = np.repeat([0, 1], 30)
    clear = sp.csr_array(np.equal.outer(labels, labels) + 0.01)
    shuffled = np.random.default_rng(0).permutation(labels)
    other = sp.csr_array(np.equal.outer(shuffled, shuffled) + 0.01)
    found = agreement(labels, {"clear": clear, "odd": other})
    assert found.without["clear"] < 0.2
    assert found.without["odd"] == 1
    assert agreement(labels, {"clear": clear}).without == {}


def test_samples_without_edges_are_left_out_of_the_comparison():
    labels = np.repeat([0, 1], 30)
    graph = np.equal.outer(labels, labels) + 0.01
    graph[::7] = graph[:, ::7] = 0
    assert agreement(labels, {"a": sp.csr_array(graph), "b": sp.csr_array(graph)}).with_result() == {"a": 1, "b": 1}


@pytest.mark.parametrize("n", [200, 400])
def test_repeated_rows_are_no_cluster_of_their_own(n):
    """Ten samples that repeat are connected to each other only; the two halves are the clusters."""
    labels = np.repeat([0, 1], n // 2)
    rng = np.random.default_rng(0)
    points = np.where(labels[:, None] == 1, 4.0, 0.0) + rng.normal(size=(n, 3))
    points[:12] = points[0]
    graph = neighbor_graph(points)
    assert connected_components(graph)[0] > 1
    found = agreement(labels, {"a": graph, "b": graph}).with_result()
    assert found["a"] > 0.9


def test_views_that_agree_have_no_least_agreeing_pair():
    names, values = ("a", "b", "all views fused"), np.ones((3, 3))
    assert Agreement(names, values, {}).least_agreeing_pair() is None
    values[0, 1] = values[1, 0] = 0.98
    assert Agreement(names, values, {}).least_agreeing_pair() == ("a", "b", 0.98)


def test_classes_are_ordered_by_their_clusters():
    found = confusion(np.repeat(["a", "b", "c"], 4), np.array([2, 2, 2, 2, 0, 0, 0, 1, 1, 1, 1, 0]))
    assert found.classes == ("b", "c", "a")
    assert (found.counts == [[3, 1, 0], [1, 3, 0], [0, 0, 4]]).all()


def test_numbers_as_text_are_ordered_by_value_and_score_the_same():
    known = np.array([2, 10, 9, 2, 10, 9])
    labels = np.zeros(6, dtype=int)
    found = confusion(known.astype(str), labels)
    assert found.classes == ("2", "9", "10")
    assert found.scores == evaluate(known, labels)
