"""Differences from the consensus in single precision against the graphs themselves in double precision."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from viewfuse.fusion.kernels import ConsensusUpdate, differences
from viewfuse.fusion.kernels.differences import Differences, add_step
from viewfuse.graphs import GramFactor

N, ALPHA, PULL, WEIGHT_TOTAL, PENALTY = 37, 0.02, 30.0, 5.0, 1e-7


@pytest.fixture(autouse=True, params=[5, 12])
def small_tiles(request, monkeypatch):
    monkeypatch.setattr(differences, "_TILE", request.param)


def factorised(view):
    left, singular, _ = np.linalg.svd(view, full_matrices=False)
    return GramFactor(left * singular, singular**2)


@pytest.fixture
def factors():
    rng = np.random.default_rng(0)
    return [factorised(rng.normal(size=(N, d))) for d in (3, 6)]


@pytest.fixture
def consensus():
    """Near to the identity, with some entries of 0."""
    edges = np.maximum(np.random.default_rng(1).normal(size=(N, N)), 0)
    return np.eye(N) + 1e-4 * (edges + edges.T)


def made(consensus, unit=2.0**-12):
    return Differences.of(consensus, float((consensus**2).sum()), unit, np.full((N, N), np.nan))


def direct_graph(factor, consensus):
    gram = factor.basis @ factor.basis.T
    graph = np.maximum(np.linalg.solve(gram + (ALPHA + PULL) * np.eye(N), PULL * consensus + gram), 0)
    return (graph + graph.T) / 2


def fused(given, factors, consensus):
    """The norms and errors of all views, with weights of 2 and 3."""
    norms, errors = [], []
    for v, factor in enumerate(factors):
        products = consensus @ factor.basis
        norms.append(given.write(factor, products, ALPHA, PULL))
        errors.append(given.add(2.0 + v, factor, products, start=v == 0))
    return norms, errors


def test_views_by_their_differences(factors, consensus):
    norms, errors = fused(made(consensus), factors, consensus)
    for factor, norm, error in zip(factors, norms, errors, strict=True):
        graph = direct_graph(factor, consensus)
        assert 0 < np.linalg.norm(graph - consensus) < 2e-3 * np.linalg.norm(consensus)
        assert norm.distance2 == pytest.approx(((graph - consensus) ** 2).sum(), rel=1e-6)
        assert norm.norm2 == pytest.approx((graph**2).sum(), rel=1e-10)
        assert error == pytest.approx(np.linalg.norm(factor.basis.T - factor.basis.T @ graph) ** 2, rel=1e-5)


def test_the_new_consensus_has_ten_digits(factors, consensus):
    points = np.random.default_rng(2).normal(size=(N, 3))
    given, out = made(consensus), np.full((N, N), np.nan)
    fused(given, factors, consensus)
    change = given.update_consensus(ConsensusUpdate(WEIGHT_TOTAL, PENALTY, symmetric=True), points, out)
    mean = sum(w * direct_graph(factor, consensus) for w, factor in zip((2, 3), factors, strict=True)) / WEIGHT_TOTAL
    distances = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    unclipped = mean - PENALTY * distances
    expected = np.maximum(unclipped, 0)
    assert (unclipped < 0).any()
    assert np.linalg.norm(out - expected) < 1e-10 * np.linalg.norm(expected)
    np.testing.assert_allclose(out, out.T, rtol=1e-12)
    assert change.change2 == pytest.approx(((unclipped - consensus) ** 2).sum(), rel=1e-6)
    assert change.moved2 == pytest.approx(((expected - consensus) ** 2).sum(), rel=1e-6)
    assert change.norm2 == pytest.approx((expected**2).sum())
    assert change.towards == pytest.approx(((expected - consensus) * (mean - consensus)).sum(), rel=1e-6)
    assert change.cut == pytest.approx((distances * expected).sum() / 2)


def test_the_identity_needs_half_of_the_products(factors):
    norms = [
        Differences.of(np.eye(N), float(N), 2.0**-12, np.empty((N, N)), is_identity=known).write(f, f.basis, ALPHA, PULL)
        for f in factors
        for known in (True, False)
    ]
    for half, whole in zip(norms[::2], norms[1::2], strict=True):
        assert half.distance2 == pytest.approx(whole.distance2, rel=1e-6)


def test_squares_of_small_differences_do_not_underflow(consensus):
    factor = factorised(1e-15 * np.random.default_rng(0).normal(size=(N, 3)))  # so small that Z − S is nearly −αS/c
    norms = made(consensus, unit=2.0**-75).write(factor, consensus @ factor.basis, 1e-22, 1.0)
    assert norms.distance2 == pytest.approx(1e-44 * (consensus**2).sum(), rel=0.05)


def test_products_follow_the_steps_of_the_consensus(factors, consensus):
    bases = [factor.basis for factor in factors]
    products = np.hstack(bases)
    add_step(products, np.eye(N), consensus, bases, np.empty((N, N)))
    exact = consensus @ np.hstack(bases)
    assert np.linalg.norm(products - exact) < 1e-7 * np.linalg.norm(exact - np.hstack(bases))


def test_results_do_not_depend_on_threads(factors, consensus):
    results = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            results.append(fused(made(consensus), factors, consensus))
    assert results[0] == results[1]


def test_what_suits(consensus):
    assert Differences.suit(consensus, N // 2)
    assert not Differences.suit(consensus, N // 2 + 1)
    assert not Differences.suit(consensus.astype(np.float32), 1)
    assert not Differences.suit(consensus[:14, :14], 1)
