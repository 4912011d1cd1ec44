"""The steps of the agreement between views, directly."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from viewfuse.inspection import agreement as module
from viewfuse.inspection.agreement import Agreement, agreement, confusion, natural_order


def pieces(*sizes, alone=0):
    """A graph of complete pieces of these sizes, and samples without edges."""
    n = sum(sizes) + alone
    graph, start = np.zeros((n, n)), 0
    for size in sizes:
        graph[start : start + size, start : start + size] = 1
        start += size
    return sp.csr_array(graph - np.diag(np.diag(graph)))


def test_only_samples_that_both_have_are_compared():
    one, other = np.array([0, 0, 1, 1, -1, 0]), np.array([0, 0, 1, 0, 1, -1])
    assert module._ari(one, other) == pytest.approx(adjusted_rand_score(one[:4], other[:4]))
    assert module._ari(np.array([-1, 0]), np.array([0, -1])) == 0


@pytest.mark.parametrize(("size", "kept"), [(5, True), (4, False)])
def test_pieces_of_less_than_a_quarter_of_a_mean_cluster_are_left_out(size, kept):
    """Forty samples in two clusters: a quarter of the mean is five."""
    graph = pieces(40 - size, size)
    assert (len(module._in_large_pieces(graph, 2)) == 40) == kept


def test_samples_without_edges_do_not_count():
    graph = pieces(20, 20, alone=30)
    np.testing.assert_array_equal(module._in_large_pieces(graph, 2), np.arange(40))
    pairs = pieces(*[2] * 10)
    assert len(module._in_large_pieces(pairs, 2)) == 20  # all pieces are small: all samples with edges are taken
    half = pieces(10, *[2] * 5)
    assert len(module._in_large_pieces(half, 2)) == 20  # the large piece has only half of the samples
    more = pieces(12, *[2] * 4)
    np.testing.assert_array_equal(module._in_large_pieces(more, 1), np.arange(12))


def test_clusters_of_a_graph_by_itself():
    found = module._spectral_clusters(pieces(12, 9, alone=2), 2)
    assert found[-2:].tolist() == [-1, -1]
    assert len(set(found[:12])) == len(set(found[12:21])) == 1
    assert found[0] != found[12]
    one = module._spectral_clusters(pieces(6, alone=1), 1)
    assert one.tolist() == [0] * 6 + [-1]
    assert module._spectral_clusters(pieces(3), 3).tolist() == [0, 0, 0]  # as many clusters as samples


def test_the_matrix_is_symmetric_and_its_last_row_is_the_result():
    labels = np.repeat([0, 1], 15)
    other = np.arange(30) % 2
    graphs = {"clear": pieces(15, 15), "other": sp.csr_array(np.equal.outer(other, other) - np.eye(30))}
    found = agreement(labels, graphs)
    between = adjusted_rand_score(labels, other)
    np.testing.assert_allclose(found.values, [[1, between, 1], [between, 1, between], [1, between, 1]])
    assert found.names == ("clear", "other", "all views fused")
    assert found.with_result() == pytest.approx({"clear": 1, "other": between})
    assert found.without == pytest.approx({"clear": between, "other": 1})
    assert found.least_agreeing_pair() == ("clear", "other", pytest.approx(between))


@pytest.mark.parametrize(("value", "is_said"), [(0.99, True), (0.991, False)])
def test_views_that_nearly_agree(value, is_said):
    values = np.ones((4, 4))
    values[0, 2] = values[2, 0] = value
    pair = Agreement(("a", "b", "c", "all"), values, {}).least_agreeing_pair()
    assert pair == (("a", "c", value) if is_said else None)


def test_counts_of_classes_in_clusters():
    known = np.array(["10", "9", "9", "10", "9", "2"])
    labels = np.array([1, 0, 0, 1, 1, 4])
    found = confusion(known, labels)
    assert found.clusters == (0, 1, 4)
    assert found.classes == ("9", "10", "2")
    assert found.counts.tolist() == [[2, 1, 0], [0, 2, 0], [0, 0, 1]]


def test_natural_order():
    assert natural_order(np.array(["1", "10", "9"])).tolist() == [0, 2, 1]
    assert natural_order(np.array(["1", "10", "x"])).tolist() == [0, 1, 2]
