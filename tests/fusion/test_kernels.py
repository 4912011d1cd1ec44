"""The tiled passes equal the plain ones, whatever the tile, the threads and the array library."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from viewfuse.fusion.kernels import plain as _plain
from viewfuse.fusion.kernels import tiled as _tiled
from viewfuse.fusion.kernels.sizes import OwnGraph

N, RANK = 37, 5


@pytest.fixture(params=[8, 37, 64])
def tile(request, monkeypatch):
    for kernels in (_tiled, _plain):
        monkeypatch.setattr(kernels, "_TILE", request.param)


@pytest.fixture
def problem():
    rng = np.random.default_rng(1)
    consensus = rng.random((N, N))
    return {
        "basis": rng.normal(size=(N, RANK)),
        "eigenvalues": rng.random(RANK) + 0.1,
        "mixture": rng.normal(size=(RANK, N)),
        "symmetric": (consensus + consensus.T) / 2,
        "points": rng.normal(size=(N, 3)),
        "sum": rng.random((N, N)),
    }


@pytest.mark.parametrize("ratio", [0.0, 0.4])
def test_coefficients(tile, problem, ratio):
    arguments = (problem["basis"], problem["eigenvalues"], 0.3, ratio, problem["symmetric"])
    np.testing.assert_allclose(_tiled.coefficients(*arguments), _plain.coefficients(*arguments), rtol=1e-12)


def test_the_identity_needs_no_product(problem):
    for kernels in (_tiled, _plain):
        with_it, without = (
            kernels.coefficients(problem["basis"], problem["eigenvalues"], 0.3, 0.4, given) for given in (np.eye(N), None)
        )
        np.testing.assert_allclose(without, with_it)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("ratio", [0.0, 0.4])
def test_write_view_graph(tile, problem, symmetric, ratio):
    consensus = problem["symmetric"] if symmetric else problem["sum"]
    graphs = [np.empty((N, N)), np.empty((N, N))]
    sizes = [
        kernels.write_view_graph(problem["basis"], problem["mixture"], ratio, consensus, graph, symmetric=symmetric)
        for kernels, graph in zip((_tiled, _plain), graphs, strict=True)
    ]
    np.testing.assert_allclose(*graphs, rtol=1e-12, atol=1e-14)
    assert sizes[0].norm2 == pytest.approx(sizes[1].norm2)
    assert sizes[0].distance2 == pytest.approx(sizes[1].distance2)
    assert sizes[1].distance2 == pytest.approx(np.linalg.norm(graphs[1] - consensus) ** 2)


@pytest.mark.parametrize("symmetric", [True, False])
def test_update_consensus(tile, problem, symmetric):
    total = (problem["sum"] + problem["sum"].T) if symmetric else problem["sum"]
    consensus = problem["symmetric"] if symmetric else problem["sum"] * 0.5
    results = [total.copy(), total.copy()]
    sizes = [
        kernels.update_consensus(result, 2.0, consensus, problem["points"], 0.05, result, symmetric=symmetric)
        for kernels, result in zip((_tiled, _plain), results, strict=True)
    ]
    np.testing.assert_allclose(*results, rtol=1e-12, atol=1e-14)
    for name in ("change2", "moved2", "norm2", "towards", "cut"):
        assert getattr(sizes[0], name) == pytest.approx(getattr(sizes[1], name)), name
    assert (results[0] >= 0).all() == symmetric
    apart = np.full((N, N), np.nan)
    _tiled.update_consensus(total, 2.0, consensus, problem["points"], 0.05, apart, symmetric=symmetric)
    np.testing.assert_array_equal(apart, results[0])


def test_misfit_measure_and_add(tile, problem):
    graph, consensus = problem["sum"], problem["symmetric"]
    for given, symmetric in ((graph, False), (consensus, True)):
        misfits = [kernels.misfit(problem["basis"], given, symmetric=symmetric) for kernels in (_tiled, _plain)]
        assert misfits[0] == pytest.approx(misfits[1], rel=1e-5)
    tiled, plain = (kernels.measure_graph(graph, consensus) for kernels in (_tiled, _plain))
    assert (tiled.norm2, tiled.distance2) == pytest.approx((plain.norm2, plain.distance2))
    total = np.ones((N, N))
    for kernels in (_tiled, _plain):
        kernels.add_scaled(total, 0.5, graph, start=True)
        kernels.add_scaled(total, 0.25, consensus, start=False)
        np.testing.assert_allclose(total, 0.5 * graph + 0.25 * consensus)


@pytest.mark.parametrize("clipped", [True, False])
def test_the_change_before_clipping_or_after(tile, problem, clipped):
    total, consensus = problem["sum"] + problem["sum"].T, problem["symmetric"]
    arguments = (total, 2.0, consensus, problem["points"], 0.2)
    for kernels in (_tiled, _plain):
        out = np.empty((N, N))
        sizes = kernels.update_consensus(*arguments, out, symmetric=True, most=0.8, unclipped_change=not clipped)
        apart = ((problem["points"][:, None] - problem["points"][None]) ** 2).sum(axis=2)
        new = total / 2 - 0.2 * apart
        np.testing.assert_allclose(out, np.clip(new, 0, 0.8), atol=1e-12)
        assert sizes.change2 == pytest.approx((((out if clipped else new) - consensus) ** 2).sum())


def test_the_graphs_of_views_on_their_own(tile, problem, xp):
    basis, eigenvalues, given = problem["basis"], problem["eigenvalues"], problem["symmetric"]
    scale = 1 / (eigenvalues + 0.3)
    whole = [np.maximum(basis * scale @ basis.T, 0), given]
    ties = [graph - np.diag(np.diag(graph)) for graph in whole]
    for kernels, lib in ((_tiled, np), (_plain, np), (_plain, xp)):
        graphs = [OwnGraph(lib.asarray(basis), lib.asarray(scale)), OwnGraph(lib.asarray(given))]
        norms2, with_sum = kernels.ties_in_common(graphs)
        np.testing.assert_allclose(norms2, [(graph**2).sum() for graph in ties])
        np.testing.assert_allclose(with_sum, [(graph * sum(ties)).sum() for graph in ties])
        total = lib.zeros((N, N), dtype=lib.float64)
        kernels.add_up(graphs, np.array([0.5, 2.0]), total)
        np.testing.assert_allclose(np.asarray(total), 0.5 * whole[0] + 2 * whole[1])
        rows = np.array([3, 4, 17])
        for graph, expected in zip(graphs, whole, strict=True):
            part = lib.zeros((3, 3), dtype=lib.float64)
            kernels.add_up([graph.among(rows)], np.ones(1), part)
            np.testing.assert_allclose(np.asarray(part), expected[np.ix_(rows, rows)])


def test_misfit_keeps_its_digits_when_the_graph_is_almost_the_identity(problem):
    graph = np.eye(N) + 1e-7 * problem["symmetric"]
    tiled, plain = (kernels.misfit(problem["basis"], graph, symmetric=True) for kernels in (_tiled, _plain))
    assert tiled == pytest.approx(plain, rel=1e-5)


def test_results_do_not_depend_on_threads(problem, monkeypatch):
    monkeypatch.setattr(_tiled, "_TILE", 8)
    graphs, sizes = [], []
    for threads in (1, 2):
        graphs.append(np.empty((N, N)))
        with threadpool_limits(threads, user_api="blas"):
            sizes.append(
                _tiled.write_view_graph(
                    problem["basis"], problem["mixture"], 0.4, problem["symmetric"], graphs[-1], symmetric=True
                )
            )
    np.testing.assert_array_equal(*graphs)
    assert sizes[0] == sizes[1]


def test_an_error_in_a_thread_is_raised(problem):
    with pytest.raises(ValueError):
        _tiled.add_scaled(np.ones((N, N)), 1.0, np.ones((N, N + 1)), start=False)


@pytest.mark.parametrize("symmetric", [True, False])
def test_plain_passes_on_every_array_library(problem, xp, symmetric, tile):
    given = {name: xp.asarray(value) for name, value in problem.items()}
    consensus = "symmetric" if symmetric else "sum"
    graph, expected = xp.zeros((N, N), dtype=xp.float64), np.zeros((N, N))
    arguments = ("basis", "mixture", 0.4, consensus)
    sizes = [
        kernels.write_view_graph(*(data.get(name, name) for name in arguments), out, symmetric=symmetric)
        for kernels, data, out in ((_plain, given, graph), (_tiled, problem, expected))
    ]
    np.testing.assert_allclose(np.asarray(graph), expected, atol=1e-14)
    assert sizes[0].distance2 == pytest.approx(sizes[1].distance2)
    updates = [
        kernels.update_consensus(out, 2.0, data[consensus], data["points"], 0.05, out, symmetric=symmetric)
        for kernels, data, out in ((_plain, given, graph), (_tiled, problem, expected))
    ]
    np.testing.assert_allclose(np.asarray(graph), expected, atol=1e-14)
    assert updates[0].towards == pytest.approx(updates[1].towards)
