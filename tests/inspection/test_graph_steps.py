"""The consensus graph, and the values of a heat map, directly."""

import numpy as np
import pytest
import scipy.sparse as sp

from viewfuse.inspection.graphs import FusedGraph, SavedGraph, heat_map_values

RNG = np.random.default_rng(0)
ANCHORS = RNG.random((12, 5)) * (RNG.random((12, 5)) < 0.7)


def dense(weights):
    sums = weights.sum(axis=0)
    return (weights / np.where(sums > 0, sums, 1)) @ weights.T


def test_edges_over_anchors():
    weights = ANCHORS.copy()
    weights[:, 3] = 0  # an anchor without samples
    rows = np.array([4, 0, 7])
    np.testing.assert_allclose(FusedGraph(weights, to_anchors=True).among(rows), dense(weights)[np.ix_(rows, rows)])


def test_eigenvalues_over_anchors_are_those_of_the_normalized_laplacian():
    weights = ANCHORS / ANCHORS.sum(axis=1, keepdims=True)  # rows sum to 1, so that degrees are 1
    graph = dense(weights)
    values = np.linalg.eigvalsh(np.eye(12) - graph)
    found = FusedGraph(weights, to_anchors=True).spectrum(3)
    np.testing.assert_allclose(found, np.maximum(values[:3], 0), atol=1e-9)
    assert len(FusedGraph(weights, to_anchors=True).spectrum(99)) == 5
    scaled = FusedGraph(weights * RNG.uniform(1, 9, size=(12, 1)), to_anchors=True).spectrum(5)
    assert scaled.min() >= 0
    assert scaled.max() <= 1


@pytest.mark.parametrize("count", [1, 4, 40])
def test_eigenvalues_of_a_graph(count):
    weights = RNG.random((15, 15))
    weights = weights + weights.T
    root = 1 / np.sqrt(weights.sum(axis=1))
    values = np.linalg.eigvalsh(np.eye(15) - root[:, None] * weights * root)
    for form in (np.asarray, sp.csr_array):
        found = FusedGraph(form(weights), to_anchors=False).spectrum(count)
        np.testing.assert_allclose(found, np.maximum(values[:count], 0), atol=1e-3)


def test_what_was_saved_is_returned():
    saved = SavedGraph(np.eye(2), np.array([0.0, 0.5]))
    assert saved.among(np.arange(2)) is saved.block
    assert saved.spectrum(2) is saved.eigenvalues


def test_the_background_and_the_brightest_colour():
    graph = RNG.random((30, 30))
    values, brightest = heat_map_values(graph)
    off = ~np.eye(30, dtype=bool)
    direct = np.sqrt(np.maximum(graph - np.quantile(graph[off], 0.02), 0)) * off
    np.testing.assert_allclose(values, direct)
    assert brightest == pytest.approx(np.quantile(direct[direct > 0], 0.98))


def test_heat_maps_of_nothing():
    values, brightest = heat_map_values(np.ones((1, 1)))
    assert (values.tolist(), brightest) == ([[0]], 1)
    values, brightest = heat_map_values(np.zeros((3, 3)))
    assert (values.sum(), brightest) == (0, 1)
    negative = -np.ones((4, 4))
    negative[0, 1] = 4.0
    assert heat_map_values(negative)[0][0, 1] == 2  # the background is at least 0
