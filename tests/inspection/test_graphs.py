"""The consensus graph among the drawn samples, and its spectrum."""

import numpy as np
import pytest
import scipy.sparse as sp

from reference import blobs
from viewfuse import AnchorGFSC, summarise
from viewfuse.inspection.graphs import FusedGraph, heat_map_values


@pytest.fixture(scope="module")
def graph():
    weights = np.random.default_rng(0).random((30, 30))
    return (weights + weights.T) / 2


def laplacian_eigenvalues(graph):
    root = 1 / np.sqrt(graph.sum(axis=1))
    return np.linalg.eigvalsh(np.eye(len(graph)) - root[:, None] * graph * root)


def test_an_anchor_graph_is_shown_as_edges_between_samples():
    model = AnchorGFSC(3, n_anchors=12, random_state=0).fit(blobs(n=60)[0])
    fused = summarise(model).graph
    assert fused.to_anchors
    rows = np.arange(10, 40)
    np.testing.assert_allclose(fused.among(rows), model.affinity_matrix_[10:40, 10:40], rtol=1e-5)
    np.testing.assert_allclose(
        fused.spectrum(12), laplacian_eigenvalues(model.affinity_matrix_.astype(float))[:12], atol=1e-5
    )


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_block_has_the_rows_and_columns_of_the_samples(form, graph):
    rows = np.array([5, 2, 9])
    np.testing.assert_array_equal(FusedGraph(form(graph), to_anchors=False).among(rows), graph[np.ix_(rows, rows)])


def test_the_spectrum_is_that_of_the_normalized_laplacian(graph):
    found = FusedGraph(graph, to_anchors=False).spectrum(50)
    assert len(found) == 30
    np.testing.assert_allclose(found, np.maximum(laplacian_eigenvalues(graph), 0), atol=1e-4)


def test_heat_map_values_have_no_self_loops_and_no_background():
    graph = np.full((40, 40), 2.0) + np.eye(40)
    graph[:2, :2] += 9
    values, brightest = heat_map_values(graph)
    assert values[0, 1] == 3
    assert (values[2:, 2:] == 0).all()
    assert values[0, 0] == 0
    assert brightest == 3
