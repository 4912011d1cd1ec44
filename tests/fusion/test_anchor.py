"""Fusion on anchor graphs: the sums over a block of rows, and the shared variables that follow from them."""

import numpy as np
import pytest

from viewfuse.fusion import anchor
from viewfuse.graphs.anchors import UnitRows, strongest_anchors

SETTINGS = {"n_anchors": 12, "n_neighbors": 4, "alpha": 3.0, "beta": 0.4, "gamma": 0.6, "max_iter": 6, "tol": 1e-3}


def rows(n=70, missing=True, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    views = [4 * rng.normal(size=(3, d))[y] + rng.normal(size=(n, d)) for d in (5, 7)]
    absent = (np.arange(n) % 6 == 0) & missing
    return [UnitRows.of(views[0]), UnitRows.of(np.where(absent[:, None], np.nan, views[1]), absent)]


def learned(views, **options):
    return anchor.learn_anchors(views, 3, random_state=np.random.RandomState(0), **{**SETTINGS, **options})


@pytest.mark.parametrize(("beta", "gamma"), [(0.4, 0.6), (0.0, 0.6), (0.4, 0.0)])
def test_the_sums_of_a_block_equal_a_direct_computation(beta, gamma):
    views = rows()
    model = learned(views, beta=beta, gamma=gamma).model
    placed, sums = anchor.place(model, views), anchor.block_sums(model, views)
    graphs, consensus, fused = (
        [np.asarray(graph, float) for graph in placed.view_graphs],
        placed.consensus.astype(float),
        placed.fused.astype(float),
    )
    has = np.array([view.scale > 0 for view in views], dtype=float)
    margin = 0.0
    consensus_before = np.zeros_like(consensus)
    for step in range(2 if beta else 1):
        margin, at = 0.0, []
        for v, view in enumerate(views):
            code = view.codes(model.maps[v]).astype(float)
            graph, strengths = strongest_anchors(code + beta * model.weights[v] * consensus_before, 4)
            margin += (-(graph * code).sum(axis=1) + 0.5 * strengths * (graph**2).sum(axis=1)).sum()
            at.append(graph)
        shares = has * model.weights[:, None]
        mean = sum((share / shares.sum(axis=0))[:, None] * graph for share, graph in zip(shares, at, strict=True))
        consensus_before = mean
        if gamma and step == 0 and beta:
            point = mean @ model.embedding.transform
            point /= np.linalg.norm(point, axis=1, keepdims=True)
            distances = ((point[:, None, :] - model.embedding.anchors[None]) ** 2).sum(axis=2)
            cut = np.maximum(mean - gamma / 12 / model.mean_apart * distances, 0)
            consensus_before = cut / cut.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(fused, mean, atol=1e-5)
    expected = margin
    for v in range(2):
        expected += 0.5 * beta * model.weights[v] * (((graphs[v] - consensus) ** 2).sum(axis=1) * has[v]).sum()
        np.testing.assert_allclose(sums.crossing[v], [(graphs[v] * placed.distances).sum(), has[v].sum()], rtol=1e-4)
    expected += gamma / 12 / model.mean_apart * (placed.distances * consensus).sum()
    assert sums.apart == pytest.approx(placed.distances.sum(), rel=1e-5)
    assert sums.objective == pytest.approx(expected, rel=1e-4)
    assert sums.count == 70
    np.testing.assert_allclose(sums.gram, consensus.T @ consensus, atol=1e-4)
    np.testing.assert_allclose(sums.degree, consensus.sum(axis=0), rtol=1e-5)
    np.testing.assert_allclose(consensus.sum(axis=1), 1, rtol=1e-5)


def test_the_shared_variables_follow_from_the_sums():
    views = rows()
    first = learned(views, max_iter=1)
    sums = anchor.block_sums(first.model, views)
    second = anchor.refined(first, sums, tol=10.0)
    normalized = sums.gram / np.sqrt(np.outer(sums.degree, sums.degree))
    np.testing.assert_allclose(second.normalized, normalized)
    change = np.linalg.norm(normalized - first.normalized) / np.linalg.norm(first.normalized)
    assert second.sweeps[-1].change == pytest.approx(change)
    assert second.sweeps[-1].objective == pytest.approx(sums.objective / 70)
    assert second.model.mean_apart == pytest.approx(sums.apart / (70 * 12))
    assert second.model.weights.mean() == pytest.approx(1)
    np.testing.assert_allclose(second.sweeps[-1].weights, second.model.weights / 2)
    assert (len(first.sweeps), len(second.sweeps)) == (1, 2)
    assert first.sweeps[0].change == 1.0
    assert first.model.mean_apart == 1.0  # there was no embedding yet
    assert second.converged
    assert not anchor.refined(first, sums, tol=change).converged
    assert second.positions is first.positions


def test_weights_by_hand():
    # The mean P of the views' edges is 1/4, 1 and 0, and 1/2 over all pairs; its lower bound is a hundredth of 1/2.
    weights = anchor._weights(np.array([[2.0, 8], [4, 4], [0, 5]]), 0.5)
    expected = np.array([2**0.5, 2**-0.5, 10])
    np.testing.assert_allclose(weights, expected / expected.mean())
    np.testing.assert_array_equal(anchor._weights(np.array([[0.0, 8], [0, 4]]), 0.0), 1)  # before the first embedding


def test_before_the_first_embedding_distances_are_0():
    views = rows()
    sums = anchor.block_sums(anchor.replace(learned(views).model, embedding=None), views)
    assert sums.apart == 0
    np.testing.assert_array_equal(sums.crossing[:, 0], 0)
    assert sums.crossing[:, 1].tolist() == [70, 58]


def test_codes_are_scaled_to_mean_margin_1():
    views = rows()
    for mapping, view in zip(learned(views).model.maps, views, strict=True):
        strengths = strongest_anchors(view.codes(mapping), 4)[1]
        assert strengths[view.scale > 0].mean() == pytest.approx(1, rel=1e-4)
        assert mapping.dtype == np.float32
    zeros = np.zeros((6, 3), dtype=np.float32)
    np.testing.assert_array_equal(anchor._with_unit_margin(zeros, UnitRows.of(np.ones((4, 5))), 2), zeros)


@pytest.mark.parametrize(("k", "n_anchors", "expected"), [(3, 12, 4), (5, 12, 6), (10, 12, 12), (11, 12, 12)])
def test_the_embedding_has_a_few_more_directions_than_clusters(k, n_anchors, expected):
    options = {**SETTINGS, "n_anchors": n_anchors, "max_iter": 1}
    found = anchor.learn_anchors(rows(), k, random_state=np.random.RandomState(0), **options)
    assert found.model.n_components == found.model.embedding.transform.shape[1] == expected
    assert found.model.n_anchors == n_anchors == len(found.positions[0])


def test_iterations_end_on_convergence_on_request_or_at_max_iter():
    views, seen = rows(), []
    converged = learned(views, max_iter=50, on_sweep=lambda number, sweep: seen.append((number, sweep.change)))
    assert converged.converged
    assert [number for number, _ in seen] == list(range(1, len(converged.sweeps) + 1))
    assert all(change >= 1e-3 for _, change in seen[:-1])
    assert seen[-1][1] < 1e-3
    stopped = learned(views, tol=0, on_sweep=lambda number, _: number == 2)
    assert (len(stopped.sweeps), stopped.converged) == (2, False)
    assert len(learned(views, tol=0, max_iter=3).sweeps) == 3


def test_sums_add_up_in_any_order():
    views = rows()
    model = learned(views).model
    one, other = (anchor.block_sums(model, [view[part] for view in views]) for part in (slice(0, 30), slice(30, 70)))
    total = sum([one, other])
    assert total.count == 70
    assert total.objective == one.objective + other.objective
    np.testing.assert_array_equal(total.crossing, one.crossing + other.crossing)
    np.testing.assert_array_equal((other + one).gram, total.gram)


def test_rows_that_lose_all_edges_to_the_cut_keep_the_fused_ones():
    views = rows()
    model = anchor.replace(learned(views).model, gamma=1e6)
    placed = anchor.place(model, views)
    np.testing.assert_allclose(placed.consensus.sum(axis=1), 1, rtol=1e-5)
    emptied = (placed.fused > 0) == (placed.consensus > 0)
    assert emptied.all(axis=1).any()
    np.testing.assert_array_equal(placed.consensus[emptied.all(axis=1)], placed.fused[emptied.all(axis=1)])


def test_a_row_of_zeros_gets_no_edges():
    x, z = np.random.default_rng(0).normal(size=(2, 40, 5))
    x[3] = z[3] = 0
    placed = anchor.place(learned([UnitRows.of(x), UnitRows.of(z)]).model, [UnitRows.of(x), UnitRows.of(z)])
    assert np.isfinite(placed.consensus).all()
    np.testing.assert_array_equal(placed.fused[3], 0)


def test_tensors_and_arrays_give_the_same_result():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(50, d)) for d in (5, 7)]
    views = [UnitRows.of(x) for x in arrays]
    model = learned(views).model
    tensors = [UnitRows.of(torch.asarray(x, dtype=torch.float32)) for x in arrays]
    moved = model.like(tensors[0].values)
    assert model.like(arrays[0]) is model
    placed, expected = anchor.place(moved, tensors), anchor.place(model, views)
    np.testing.assert_allclose(np.asarray(placed.consensus), expected.consensus, atol=1e-4)
    sums, reference = anchor.block_sums(moved, tensors), anchor.block_sums(model, views)
    assert sums.objective == pytest.approx(reference.objective, rel=1e-3)
    np.testing.assert_allclose(sums.crossing, reference.crossing, rtol=1e-3)
