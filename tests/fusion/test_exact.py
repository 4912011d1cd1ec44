"""Exact fusion against direct, slow versions, and its general properties."""

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils import check_random_state

from reference import blobs, printed_gfsc, published_gfsc
from viewfuse.fusion import exact, fuse_graphs, gf, gfsc, steps
from viewfuse.linalg import smallest_eigenpairs

VIEWS, LABELS = blobs(n=60, features=(5, 80, 8))
PARAMETERS = {"alpha": 0.1, "beta": 2.0, "gamma": 0.05}


@pytest.mark.parametrize("dense_below", [256, 0])  # with 0 the eigensolver iterates
def test_published_equals_the_direct_version(dense_below, monkeypatch):
    monkeypatch.setattr(steps, "smallest_eigenpairs", partial(smallest_eigenpairs, dense_below=dense_below))
    consensus, embedding, weights, objectives = published_gfsc(VIEWS, 3, **PARAMETERS)
    result = gfsc(VIEWS, 3, variant="published", random_state=0, **PARAMETERS)
    assert len(result.sweeps) == len(objectives)
    np.testing.assert_allclose(result.weights, weights, atol=1e-8)
    assert np.linalg.norm(result.consensus - consensus) <= 1e-6 * np.linalg.norm(consensus)
    np.testing.assert_allclose([s.objective for s in result.sweeps], objectives, rtol=1e-5)
    overlap = np.linalg.svd(result.embedding.T @ embedding)[1]
    np.testing.assert_allclose(overlap, 1, atol=1e-6)


def test_paper_equals_the_direct_version():
    rng = check_random_state(7)
    start, random = rng.random_sample((60, 60)), rng.standard_normal((60, 3))
    consensus, embedding, weights, objective = printed_gfsc(
        VIEWS, 3, start=start, embedding=np.linalg.qr(random)[0], n_iterations=4, **PARAMETERS
    )
    result = gfsc(VIEWS, 3, variant="paper", max_iter=4, tol=0, random_state=7, **PARAMETERS)
    np.testing.assert_allclose(result.consensus, consensus, atol=1e-9)
    np.testing.assert_allclose(result.weights, weights, atol=1e-9)
    assert result.sweeps[-1].objective == pytest.approx(objective, rel=1e-5)
    np.testing.assert_allclose(np.linalg.svd(result.embedding.T @ embedding)[1], 1, atol=1e-6)


@pytest.mark.parametrize("variant", ["robust", "published", "paper"])
@pytest.mark.parametrize("fuse", [gfsc, gf])
def test_constraints_hold(variant, fuse):
    result = fuse(VIEWS, 3, variant=variant, random_state=0, max_iter=30)
    assert (result.consensus >= 0).all()
    np.testing.assert_allclose(result.consensus, result.consensus.T, atol=1e-7)
    np.testing.assert_allclose(result.embedding.T @ result.embedding, np.eye(3), atol=1e-5)
    assert result.weights.sum() == pytest.approx(1)
    assert (result.weights > 0).all()
    assert np.isfinite([s.objective for s in result.sweeps]).all()


def test_one_view_graph_by_hand():
    # The deviations of two samples from their mean are opposite: G = 50 [[1, −1], [−1, 1]], with one eigenvalue, 100. So
    # Z = G / (100 + α) for tiny β, and after clipping it is diagonal.
    result = gf([np.eye(2)], 2, alpha=1.0, beta=1e-9, variant="robust", random_state=0)
    np.testing.assert_allclose(result.consensus, 50 / 101 * np.eye(2), rtol=1e-5)  # single precision, condition 101


@pytest.mark.parametrize("scale", [1e-6, 1e9])
def test_robust_does_not_depend_on_units(scale):
    scaled = [VIEWS[0] * scale, VIEWS[1], VIEWS[2]]
    reference, other = (gfsc(views, 3, random_state=0) for views in (VIEWS, scaled))
    np.testing.assert_allclose(other.consensus, reference.consensus, atol=1e-5)
    np.testing.assert_allclose(other.weights, reference.weights, atol=1e-5)


def test_robust_converges_to_a_fixed_point():
    result = gfsc(VIEWS, 3, tol=1e-5, max_iter=500, random_state=0)
    assert result.converged
    further = gfsc(VIEWS, 3, tol=0, max_iter=len(result.sweeps) + 20, random_state=0)
    np.testing.assert_allclose(further.consensus, result.consensus, atol=1e-4 * result.consensus.max())


@pytest.mark.parametrize("variant", ["robust", "published", "paper"])
def test_sparse_equals_dense(variant):
    rng = np.random.default_rng(0)
    for features in (20, 200):  # fewer and more features than the 50 samples
        dense = [rng.poisson(0.3, size=(50, features)).astype(float) + np.eye(50, features) for _ in range(2)]
        sparse = [sp.csr_array(view) for view in dense]
        options = {"alpha": 1.0, "beta": 1.0, "gamma": 0.01, "variant": variant, "random_state": 0, "max_iter": 8}
        a, b = gfsc(dense, 3, **options), gfsc(sparse, 3, **options)
        np.testing.assert_allclose(b.consensus, a.consensus, atol=1e-5 if variant == "robust" else 1e-9)


def test_given_graphs_are_fused_without_being_learned():
    rng = np.random.default_rng(0)
    block = np.kron(np.eye(3), np.ones((10, 10)))
    graphs = [block + 0.05 * rng.random((30, 30)), block, rng.random((30, 30))]
    result = fuse_graphs(graphs, 3, random_state=0)
    assert result.weights.argmin() == 2
    same = fuse_graphs([block, block], 3, gamma=0.0, random_state=0)
    np.testing.assert_allclose(same.weights, 0.5)
    np.testing.assert_allclose(same.consensus, block * (30**0.5 / np.linalg.norm(block)), atol=1e-6)


def test_a_given_graph_without_edges_stays_zero():
    prepared = exact._prepared_graph(np.zeros((4, 4)), "robust")
    np.testing.assert_array_equal(prepared, 0)
    assert prepared.dtype == np.float32


def test_published_fusion_of_given_graphs_by_hand():
    # One graph, γ = 0: after the first iteration S is the graph itself.
    graph = np.array([[0.0, 2, 0], [2, 0, 1], [0, 1, 0]])
    result = fuse_graphs([graph], 2, gamma=0.0, variant="published", random_state=0)
    np.testing.assert_allclose(result.consensus, graph, atol=1e-12)


@pytest.mark.parametrize("variant", ["robust", "published", "paper"])
def test_every_array_library_gives_the_same_result(variant, xp):
    options = {**PARAMETERS, "variant": variant, "random_state": 0, "max_iter": 5}
    expected = gfsc(VIEWS, 3, **options)
    other = gfsc([xp.asarray(view) for view in VIEWS], 3, **options)
    tolerance = 1e-5 if variant == "robust" else 1e-9  # the robust variant's graphs are in single precision
    assert type(other.consensus) is type(other.embedding) is type(xp.asarray(VIEWS[0]))
    np.testing.assert_allclose(np.asarray(other.consensus), expected.consensus, atol=tolerance)
    assert np.linalg.norm(np.asarray(other.fused) - expected.fused) <= 10 * tolerance * np.linalg.norm(expected.fused)
    np.testing.assert_allclose(other.weights, expected.weights, atol=10 * tolerance)
    objectives = [[sweep.objective for sweep in result.sweeps] for result in (other, expected)]
    np.testing.assert_allclose(*objectives, rtol=1e-5)


def test_every_array_library_fuses_given_graphs(xp):
    graphs = [np.kron(np.eye(3), np.ones((10, 10))) + 0.1 * noise for noise in np.random.default_rng(0).random((2, 30, 30))]
    expected, other = (fuse_graphs(given, 3, random_state=0) for given in (graphs, [xp.asarray(graph) for graph in graphs]))
    np.testing.assert_allclose(np.asarray(other.consensus), expected.consensus, atol=1e-5)


def test_float32_is_kept_and_close():
    double = gfsc(VIEWS, 3, random_state=0)
    single = gfsc([view.astype(np.float32) for view in VIEWS], 3, random_state=0)
    assert single.consensus.dtype == single.embedding.dtype == np.float32
    assert np.linalg.norm(single.consensus - double.consensus) < 1e-3 * np.linalg.norm(double.consensus)


def test_input_is_not_modified():
    views = [view.copy() for view in VIEWS]
    for view in views:
        view.flags.writeable = False
    for variant in ("robust", "published", "paper"):
        gfsc(views, 3, variant=variant, random_state=0, max_iter=2)
    for view, original in zip(views, VIEWS, strict=True):
        np.testing.assert_array_equal(view, original)
