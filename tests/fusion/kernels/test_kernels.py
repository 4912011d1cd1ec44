"""The NumPy passes equal the array-API passes for every tile size, number of threads and array library."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from viewfuse.fusion.kernels import ConsensusUpdate, SingleViewGraph, kernels_for
from viewfuse.fusion.kernels.array_api import ArrayApiKernels
from viewfuse.fusion.kernels.numpy_tiled import NumpyKernels

N, RANK = 37, 5


@pytest.fixture(params=[8, 37, 64])
def tile(request):
    return request.param


@pytest.fixture
def both(tile):
    """The NumPy and the array-API implementation with the same tile size."""
    return NumpyKernels(tile=tile), ArrayApiKernels(tile=tile)


def test_each_kind_of_array_gets_its_implementation(xp):
    expected = NumpyKernels if xp is np else ArrayApiKernels
    assert isinstance(kernels_for(xp.zeros((2, 2))), expected)


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
@pytest.mark.parametrize("symmetric", [True, False])
def test_coefficients(both, problem, ratio, symmetric):
    consensus = problem["symmetric"] if symmetric else problem["sum"]
    arguments = (problem["basis"], problem["eigenvalues"], 0.3, ratio, consensus)
    np.testing.assert_allclose(*(kernels.coefficients(*arguments, symmetric=symmetric) for kernels in both), rtol=1e-12)


def test_coefficients_for_the_identity_need_no_product(both, problem):
    for kernels in both:
        with_it, without = (
            kernels.coefficients(problem["basis"], problem["eigenvalues"], 0.3, 0.4, given, symmetric=True)
            for given in (np.eye(N), None)
        )
        np.testing.assert_allclose(without, with_it)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("ratio", [0.0, 0.4])
def test_write_view_graph(both, problem, symmetric, ratio):
    consensus = problem["symmetric"] if symmetric else problem["sum"]
    graphs = [np.empty((N, N)), np.empty((N, N))]
    sizes = [
        kernels.write_view_graph(problem["basis"], problem["mixture"], ratio, consensus, graph, symmetric=symmetric)
        for kernels, graph in zip(both, graphs, strict=True)
    ]
    np.testing.assert_allclose(*graphs, rtol=1e-12, atol=1e-14)
    assert sizes[0].norm2 == pytest.approx(sizes[1].norm2)
    assert sizes[0].distance2 == pytest.approx(sizes[1].distance2)
    assert sizes[1].distance2 == pytest.approx(np.linalg.norm(graphs[1] - consensus) ** 2)


def test_graphs_of_wide_views(tile, problem):
    points = np.random.default_rng(2).normal(size=(N, 2 * N))
    gram, consensus, graph = points @ points.T, problem["symmetric"], np.empty((N, N))
    shift, pull = 30.0, 20.0
    inverse = np.linalg.inv(gram + shift * np.eye(N))
    norms = NumpyKernels(tile).write_wide_graph(inverse, shift, pull, consensus, graph)
    direct = np.maximum(np.linalg.solve(gram + shift * np.eye(N), pull * consensus + gram), 0)
    np.testing.assert_allclose(graph, (direct + direct.T) / 2, atol=1e-12)
    assert norms.norm2 == pytest.approx((graph**2).sum())
    assert norms.distance2 == pytest.approx(((graph - consensus) ** 2).sum())
    error = NumpyKernels(tile).wide_reconstruction_error(gram, graph)
    assert error == pytest.approx(np.linalg.norm(points.T - points.T @ graph) ** 2)


@pytest.mark.parametrize("symmetric", [True, False])
def test_update_consensus(both, problem, symmetric):
    total = (problem["sum"] + problem["sum"].T) if symmetric else problem["sum"]
    consensus = problem["symmetric"] if symmetric else problem["sum"] * 0.5
    results = [total.copy(), total.copy()]
    update = ConsensusUpdate(2.0, 0.05, symmetric=symmetric)
    sizes = [
        kernels.update_consensus(update, result, consensus, problem["points"], result)
        for kernels, result in zip(both, results, strict=True)
    ]
    np.testing.assert_allclose(*results, rtol=1e-12, atol=1e-14)
    for name in ("change2", "moved2", "norm2", "towards", "cut"):
        assert getattr(sizes[0], name) == pytest.approx(getattr(sizes[1], name)), name
    assert (results[0] >= 0).all() == symmetric
    separate = np.full((N, N), np.nan)
    both[0].update_consensus(update, total, consensus, problem["points"], separate)
    np.testing.assert_array_equal(separate, results[0])


@pytest.mark.parametrize("symmetric", [True, False])
def test_an_update_that_is_not_measured_is_the_same(both, problem, symmetric):
    total = (problem["sum"] + problem["sum"].T) if symmetric else problem["sum"]
    update = ConsensusUpdate(2.0, 0.05, symmetric=symmetric, upper_bound=0.8)
    for kernels in both:
        written = [np.full((N, N), np.nan) for _ in range(2)]
        for measured, out in zip((True, False), written, strict=True):
            given = replace(update, measured=measured)
            kernels.update_consensus(given, total, problem["symmetric"], problem["points"], out)
        np.testing.assert_allclose(*written, atol=1e-12)


def test_reconstruction_error_norms_and_sums(both, problem):
    graph, consensus = problem["sum"], problem["symmetric"]
    for given, symmetric in ((graph, False), (consensus, True)):
        errors = [kernels.reconstruction_error(problem["basis"], given, symmetric=symmetric) for kernels in both]
        assert errors[0] == pytest.approx(errors[1], rel=1e-5)
        direct = np.linalg.norm(problem["basis"].T - problem["basis"].T @ given) ** 2
        assert errors[1] == pytest.approx(direct)
    tiled, plain = (kernels.graph_norms(graph, consensus) for kernels in both)
    assert (tiled.norm2, tiled.distance2) == pytest.approx((plain.norm2, plain.distance2))
    total = np.ones((N, N))
    for kernels in both:
        kernels.add_scaled(total, 0.5, graph, start=True)
        kernels.add_scaled(total, 0.25, consensus, start=False)
        np.testing.assert_allclose(total, 0.5 * graph + 0.25 * consensus)


@pytest.mark.parametrize("clipped", [True, False])
def test_change_is_measured_before_or_after_clipping(both, problem, clipped):
    total, consensus = problem["sum"] + problem["sum"].T, problem["symmetric"]
    update = ConsensusUpdate(2.0, 0.2, symmetric=True, upper_bound=0.8, unclipped_change=not clipped)
    for kernels in both:
        out = np.empty((N, N))
        sizes = kernels.update_consensus(update, total, consensus, problem["points"], out)
        distances = ((problem["points"][:, None] - problem["points"][None]) ** 2).sum(axis=2)
        new = total / 2 - 0.2 * distances
        np.testing.assert_allclose(out, np.clip(new, 0, 0.8), atol=1e-12)
        assert sizes.change2 == pytest.approx((((out if clipped else new) - consensus) ** 2).sum())


def test_sums_and_inner_products_of_single_view_graphs(tile, problem, xp):
    basis, eigenvalues, given = problem["basis"], problem["eigenvalues"], problem["symmetric"]
    scale = 1 / (eigenvalues + 0.3)
    whole = [np.maximum(basis * scale @ basis.T, 0), given]
    edges = [graph - np.diag(np.diag(graph)) for graph in whole]
    for kernels, lib in ((NumpyKernels(tile), np), (ArrayApiKernels(tile), np), (ArrayApiKernels(tile), xp)):
        graphs = [SingleViewGraph(lib.asarray(basis), lib.asarray(scale)), SingleViewGraph(lib.asarray(given))]
        norms2, with_sum = kernels.edge_inner_products(graphs)
        np.testing.assert_allclose(norms2, [(graph**2).sum() for graph in edges])
        np.testing.assert_allclose(with_sum, [(graph * sum(edges)).sum() for graph in edges])
        total = lib.zeros((N, N), dtype=lib.float64)
        kernels.add_weighted(graphs, np.array([0.5, 2.0]), total)
        np.testing.assert_allclose(np.asarray(total), 0.5 * whole[0] + 2 * whole[1])
        rows = np.array([3, 4, 17])
        for graph, expected in zip(graphs, whole, strict=True):
            part = lib.zeros((3, 3), dtype=lib.float64)
            kernels.add_weighted([graph.subgraph(rows)], np.ones(1), part)
            np.testing.assert_allclose(np.asarray(part), expected[np.ix_(rows, rows)])


def test_reconstruction_error_is_accurate_when_the_graph_is_almost_the_identity(problem):
    graph = np.eye(N) + 1e-7 * problem["symmetric"]
    tiled, plain = (
        kernels.reconstruction_error(problem["basis"], graph, symmetric=True)
        for kernels in (NumpyKernels(), ArrayApiKernels())
    )
    assert tiled == pytest.approx(plain, rel=1e-5)


def test_results_do_not_depend_on_threads(problem):
    kernels, graphs, norms = NumpyKernels(tile=8), [], []
    for threads in (1, 2):
        graphs.append(np.empty((N, N)))
        with threadpool_limits(threads, user_api="blas"):
            norms.append(
                kernels.write_view_graph(
                    problem["basis"], problem["mixture"], 0.4, problem["symmetric"], graphs[-1], symmetric=True
                )
            )
    np.testing.assert_array_equal(*graphs)
    assert norms[0] == norms[1]


def test_an_error_in_a_thread_is_raised():
    with pytest.raises(ValueError):
        NumpyKernels().add_scaled(np.ones((N, N)), 1.0, np.ones((N, N + 1)), start=False)


@pytest.mark.parametrize("symmetric", [True, False])
def test_array_api_passes_on_every_array_library(problem, xp, symmetric, both):
    numpy_kernels, array_api_kernels = both
    given = {name: xp.asarray(value) for name, value in problem.items()}
    consensus = "symmetric" if symmetric else "sum"
    graph, expected = xp.zeros((N, N), dtype=xp.float64), np.zeros((N, N))
    arguments = ("basis", "mixture", 0.4, consensus)
    norms = [
        kernels.write_view_graph(*(data.get(name, name) for name in arguments), out, symmetric=symmetric)
        for kernels, data, out in ((array_api_kernels, given, graph), (numpy_kernels, problem, expected))
    ]
    np.testing.assert_allclose(np.asarray(graph), expected, atol=1e-14)
    assert norms[0].distance2 == pytest.approx(norms[1].distance2)
    update = ConsensusUpdate(2.0, 0.05, symmetric=symmetric)
    changes = [
        kernels.update_consensus(update, out, data[consensus], data["points"], out)
        for kernels, data, out in ((array_api_kernels, given, graph), (numpy_kernels, problem, expected))
    ]
    np.testing.assert_allclose(np.asarray(graph), expected, atol=1e-14)
    assert changes[0].towards == pytest.approx(changes[1].towards)
    given_update = replace(update, measured=False)
    for kernels, data, out in ((array_api_kernels, given, graph), (numpy_kernels, problem, expected)):
        kernels.update_consensus(given_update, data[consensus], data[consensus], data["points"], out)
        kernels.add_scaled(out, 0.3, data["sum"], start=False)
    np.testing.assert_allclose(np.asarray(graph), expected, atol=1e-14)
    for kernels, data, out in ((array_api_kernels, given, graph), (numpy_kernels, problem, expected)):
        kernels.add_scaled(out, 0.7, data["sum"], start=True)
    np.testing.assert_allclose(np.asarray(graph), expected, atol=1e-14)


TILES = """
import torch
from viewfuse.fusion.kernels import array_api_tiles, triton_tiles
from viewfuse.fusion.kernels.records import ConsensusUpdate

generator = torch.Generator().manual_seed(0)
graph, points = torch.rand((300, 300), generator=generator), torch.randn((300, 70), generator=generator)
rows, columns = slice(10, 140), slice(150, 220)
for symmetric, terms, mirrored in ((True, 22, True), (True, 3, False), (False, 70, False)):
    update = ConsensusUpdate(3.0, 1.0, symmetric=symmetric, upper_bound=0.3, measured=False)
    left, right = points[rows, :terms], points[columns, :terms]
    written = []
    for tiles in (array_api_tiles, triton_tiles):
        out = torch.zeros((300, 300))
        image = out[columns, rows] if mirrored else None
        tiles.cut_tile(update, graph[rows, columns], left, right, out[rows, columns], image)
        written.append(out)
    torch.testing.assert_close(*written, atol=1e-5, rtol=1e-5)
    assert written[0].abs().max() > 0.1
"""


def test_fused_kernels_write_the_same_tiles():
    """By Triton's interpreter, on the processor."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    pytest.importorskip("triton", reason="Triton is not installed")
    subprocess.run([sys.executable, "-c", TILES], check=True, env={**os.environ, "TRITON_INTERPRET": "1"})
