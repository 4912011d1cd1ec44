"""The robust sweeps against a direct version, and what each step of a sweep does on its own."""

import dataclasses

import numpy as np
import pytest

from reference import blobs, robust_gfsc
from viewfuse.exceptions import DivergenceError, ParameterError
from viewfuse.fusion import fuse_graphs, gf, gfsc, sweeps
from viewfuse.fusion.kernels.sizes import GraphSizes, OwnGraph
from viewfuse.fusion.result import Sweep
from viewfuse.linalg import Laplacian, eigensolvers

VIEWS, LABELS = blobs(n=36, features=(4, 50, 6), spread=1.5)
PARAMETERS = {"alpha": 2.0, "beta": 1.5, "gamma": 0.7}
PRESENT = np.ones((36, 3), dtype=bool)


def assert_same_subspace(one, other, atol=1e-4):
    np.testing.assert_allclose(np.linalg.svd(np.asarray(one).T @ other)[1], 1, atol=atol)


def assert_equals_the_direct_version(result, direct):
    consensus, mean, embedding, weights, changes, objectives = direct
    np.testing.assert_allclose(result.consensus, consensus, atol=1e-4 * consensus.max())
    np.testing.assert_allclose(result.fused / np.linalg.norm(result.fused), mean / np.linalg.norm(mean), atol=1e-5)
    assert_same_subspace(result.embedding, embedding)
    np.testing.assert_allclose(result.weights, weights, rtol=1e-4)
    np.testing.assert_allclose([s.change for s in result.sweeps], changes, rtol=1e-2, atol=1e-5)
    np.testing.assert_allclose([s.objective for s in result.sweeps], objectives, rtol=1e-5)
    laplacian = Laplacian.of(np.asarray(result.consensus), normalized=True).dense()
    np.testing.assert_allclose(result.eigenvalues, np.linalg.eigvalsh(laplacian)[:3], atol=1e-5)


@pytest.mark.parametrize("n_sweeps", [1, 2, 5])
def test_robust_equals_the_direct_version(n_sweeps):
    result = gfsc(VIEWS, 3, max_iter=n_sweeps, tol=0, random_state=0, **PARAMETERS)
    assert_equals_the_direct_version(result, robust_gfsc(VIEWS, 3, n_sweeps=n_sweeps, **PARAMETERS))


def test_robust_without_a_cut_equals_the_direct_version():
    result = gf(VIEWS, 3, alpha=2.0, beta=1.5, max_iter=4, tol=0, random_state=0)
    assert_equals_the_direct_version(result, robust_gfsc(VIEWS, 3, 2.0, 1.5, 0.0, n_sweeps=4, joint=False))
    assert result.fused is result.consensus


def test_no_tie_counts_more_than_six_average_ones_where_graphs_are_learned():
    twins = [np.vstack([view, view[:2] * 1.001]) for view in VIEWS]  # near duplicates of two samples
    result = gfsc(twins, 3, max_iter=1, tol=0, random_state=0, **PARAMETERS)
    assert_equals_the_direct_version(result, robust_gfsc(twins, 3, n_sweeps=1, **PARAMETERS))
    assert result.fused.max() > 6 * result.fused.mean()
    assert np.count_nonzero(result.consensus == result.consensus.max()) >= 4  # the twins, both ways
    given = fuse_graphs([np.eye(30) + 0.01] * 2, 2, joint=False, random_state=0).consensus
    assert given.max() > 6 * given.mean()


def test_given_graphs_that_agree_cost_nothing_and_the_cut_takes_their_weak_ties():
    graph = np.kron(np.eye(2), np.ones((15, 15))) + 0.1
    together = fuse_graphs([graph, graph], 2, joint=False, random_state=0)
    assert together.sweeps[-1].objective == pytest.approx(0, abs=1e-6)
    assert (together.consensus[:15, 15:] > 0).all()
    assert not fuse_graphs([graph, graph], 2, random_state=0).consensus[:15, 15:].any()


def test_sweeps_end_when_what_is_left_to_go_is_within_the_tolerance():
    robust = state(sweeps._Robust, _at_rest=False)
    assert robust.settled([0.0009], 1e-3)
    assert not robust.settled([0.001], 1e-3)  # F still turns, and how fast changes shrink is not known
    assert robust.settled([0.5, 0.02], 1e-3)  # shrinking by 0.04: 0.02 · 0.04/0.96² = 0.0009 left, of five times tol
    assert robust.settled([0.5, 0.049], 1e-3) is False  # by 0.098: 0.0059
    assert robust.settled([0.5, 0.05, 0.0075], 1e-3)  # by 0.15: 0.0016
    assert not robust.settled([0.5, 0.02, 0.01], 1e-3)  # by a half: 0.01 · 0.5/0.25
    assert not robust.settled([0.5, 0.001, 0.002], 1e-3)  # growing
    assert not robust.settled([0.002, 0.5, 0.01], 1e-3)  # grew before
    assert robust.settled([0.002, 0.5, 0.02, 0.002], 1e-3)  # only the last three tell
    assert not robust.settled([0.5, 0.03, 0.02, 0.003], 1e-3)
    assert not robust.settled([0.0, 0.0, 0.0], 0.0)
    assert not robust.settled([0.1, 0.0, 0.1], 1e-3)
    # While neither F nor the weights move a graph follows S by 2·0.05/(1 + 2·0.05) = 1/11 at most: 0.11 of a change.
    still = {"_at_rest": True, "_trust_moved": 0.04, "weights": np.array([0.02, 0.05])}
    assert state(sweeps._Robust, **still).settled([0.045], 1e-3)
    assert not state(sweeps._Robust, **still).settled([0.046], 1e-3)
    assert not state(sweeps._Robust, **{**still, "_trust_moved": 0.06}).settled([0.045], 1e-3)
    without_cut = state(sweeps._Robust, **still)
    without_cut.problem = dataclasses.replace(without_cut.problem, joint=False)
    assert not without_cut.settled([0.5, 0.02], 1e-3)
    assert without_cut.settled([0.5, 0.02, 0.0008 * 1.3], 1e-3)
    published = sweeps.SWEEPS["published"].settled
    assert published(None, [1e-4] * 6, 1e-3)
    assert not published(None, [1e-4] * 5, 1e-3)


def test_published_without_a_cut_embeds_the_consensus_degree_normalised():
    result = gf(VIEWS, 3, variant="published", alpha=2.0, beta=1.5, random_state=0)
    laplacian = Laplacian.of(result.consensus, normalized=True).dense()
    values, vectors = np.linalg.eigh(laplacian)
    np.testing.assert_allclose(result.eigenvalues, values[:3], atol=1e-8)
    assert_same_subspace(result.embedding, vectors[:, :3], atol=1e-8)


def test_paper_without_a_cut_embeds_the_consensus_degree_normalised():
    result = gf(VIEWS, 3, variant="paper", alpha=2.0, beta=1.5, max_iter=3, tol=0, random_state=0)
    rng = np.random.RandomState(0)
    consensus, weights = rng.random_sample((36, 36)), np.full(3, 1 / 3)
    scaled = [2 * (view - view.min()) / (view.max() - view.min()) - 1 for view in VIEWS]
    for _ in range(3):
        graphs = [
            np.maximum(np.linalg.solve(x @ x.T + (2 + 1.5 * w) * np.eye(36), 1.5 * w * consensus + x @ x.T), 0)
            for x, w in zip(scaled, weights, strict=True)
        ]
        consensus = sum(w * g for w, g in zip(weights, graphs, strict=True)) / weights.sum()
        weights = np.array([1 / (2 * np.linalg.norm(g - consensus)) for g in graphs])
    np.testing.assert_allclose(result.consensus, (consensus + consensus.T) / 2, atol=1e-9)
    laplacian = Laplacian.of(consensus, normalized=True, symmetric=False).dense()
    assert_same_subspace(result.embedding, np.linalg.eigh(laplacian)[1][:, :3], atol=1e-8)


def test_published_starts_at_the_identity_and_the_first_unit_vectors():
    # One sweep with the penalty so small that it only shows where S − mean is looked at.
    seen = []
    graph = np.ones((4, 4))
    result = fuse_graphs(
        [graph], 2, gamma=0.1, beta=0.5, variant="published", max_iter=1, random_state=0, on_sweep=lambda *a: seen.append(a)
    )
    np.testing.assert_array_equal(result.embedding, np.eye(4, 2))
    weight = 1 / (2 * np.linalg.norm(graph - np.eye(4)))
    apart = np.array([[0, 2, 1, 1], [2, 0, 1, 1], [1, 1, 0, 0], [1, 1, 0, 0]])
    np.testing.assert_allclose(result.consensus, graph - 0.1 / (4 * 0.5 * weight) * apart, atol=1e-12)
    change = np.linalg.norm(result.consensus - np.eye(4)) / 2
    assert [number for number, _ in seen] == [1]
    assert seen[0][1].change == pytest.approx(change)
    np.testing.assert_array_equal(result.eigenvalues, [0, 0])


@pytest.mark.parametrize(("variant", "least"), [("published", 6), ("robust", 1), ("paper", 1)])
def test_the_first_sweep_that_may_be_the_last(variant, least):
    result = gfsc(VIEWS, 3, variant=variant, tol=1e6, random_state=0)
    assert len(result.sweeps) == least
    assert result.converged


def test_rounds_end_when_the_embedding_has_little_left_to_turn():
    robust = state(sweeps._Robust)
    assert robust._comes_to_rest([0.0], 1e-3)
    assert not robust._comes_to_rest([1e-6], 1e-3)  # small, but it may turn like that for ever
    assert not robust._comes_to_rest([0.1, 0.03], 1e-3)
    assert robust._comes_to_rest([0.1, 0.03, 0.002], 1e-3)  # turning less by 0.3: 0.00086 left
    assert robust._comes_to_rest([0.0023], 1e-3)  # as in the last sweep
    assert not robust._comes_to_rest([0.0024], 1e-3)
    assert not robust._comes_to_rest([0.0001, 0.0002], 1e-3)  # turning more


@pytest.mark.parametrize("beta", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("solve", [gfsc, gf])
def test_what_has_settled_is_near_to_where_a_long_run_ends(solve, beta):
    views, _ = blobs(n=90, features=(4, 12, 6), spread=1.0)
    found, ended = (solve(views, 3, beta=beta, tol=tol, random_state=0) for tol in (1e-3, 1e-7))
    assert found.converged
    assert len(found.sweeps) < len(ended.sweeps)
    off = np.linalg.norm(found.consensus - ended.consensus) / np.linalg.norm(ended.consensus)
    assert off < 0.02
    np.testing.assert_allclose(found.weights, ended.weights, atol=0.02)


def test_the_sweeps_end_when_told_to():
    result = gfsc(VIEWS, 3, tol=0, random_state=0, on_sweep=lambda number, _: number == 2)
    assert len(result.sweeps) == 2
    assert not result.converged


@pytest.mark.parametrize("sweep", [Sweep(np.nan, 0.1, np.ones(2)), Sweep(1, np.inf, np.ones(2)), Sweep(1, 0.1, [np.nan, 1])])
def test_numbers_out_of_range_are_no_result(sweep):
    with pytest.raises(DivergenceError, match=r"after 1 of them the consensus is no longer finite\. Do that"):
        sweeps._check_finite([sweep], "Do that")
    sweeps._check_finite([Sweep(1.0, 0.1, np.ones(2))], "Do that")


def state(kind, **changes):
    problem = sweeps.Problem([None, None], 2, 1.0, 2.0, 3.0)
    made = kind(problem, np.zeros((5, 5)), np.random.RandomState(0))
    for name, value in changes.items():
        setattr(made, name, value)
    return made


def test_a_graph_that_equals_the_consensus_gets_a_finite_weight():
    published = state(sweeps._Published)
    assert published.weight(GraphSizes(norm2=9.0, distance2=4.0)) == 0.25
    assert published.weight(GraphSizes(norm2=9.0, distance2=0.0)) == pytest.approx(0.5 / (0.01 * np.finfo(float).eps * 3))
    assert published.weight(GraphSizes(norm2=0.0, distance2=0.0)) == 1.0


def test_the_robust_weight_counts_ties_only_and_is_bounded():
    rng = np.random.default_rng(0)
    graph, consensus = (m + m.T for m in rng.random((2, 5, 5)))

    def weight(one, other):
        robust = state(sweeps._Robust, graph=one, consensus=other, norm2=(other**2).sum())
        return robust.weight(GraphSizes((one**2).sum(), ((one - other) ** 2).sum()))

    def ties(matrix):
        matrix = matrix - np.diag(np.diag(matrix))
        return matrix / np.linalg.norm(matrix)

    assert weight(graph, consensus) == pytest.approx(1 / np.linalg.norm(ties(graph) - ties(consensus)))
    assert weight(graph + np.eye(5), consensus) == pytest.approx(weight(graph, consensus))
    assert weight(consensus * 3, consensus) == pytest.approx(100)
    assert weight(np.eye(5), consensus) == pytest.approx(2**-0.5)  # no ties at all: as far as can be without being opposed


def test_own_graphs_are_weighed_by_the_distance_to_their_mean(monkeypatch):
    rng = np.random.default_rng(0)
    bases = rng.normal(size=(3, 40, 2))
    learned, graphs = [OwnGraph(basis, np.ones(2)) for basis in bases], [np.maximum(basis @ basis.T, 0) for basis in bases]
    robust = state(sweeps._Robust, weighted_sum=np.zeros((40, 40)))

    def ties(matrix):
        matrix = matrix - np.diag(np.diag(matrix))
        return matrix / np.linalg.norm(matrix)

    def expected(graphs):
        weights = 1 / np.array([np.linalg.norm(ties(graph) - ties(sum(graphs))) for graph in graphs])
        return weights / weights.mean()

    np.testing.assert_allclose(robust._weigh(learned), expected(graphs))
    monkeypatch.setattr(sweeps, "_WEIGHED", 10)
    rows = np.sort(np.random.RandomState(0).choice(40, 10, replace=False))
    robust.random_state = np.random.RandomState(0)
    np.testing.assert_allclose(robust._weigh(learned), expected([graph[np.ix_(rows, rows)] for graph in graphs]))
    given = [OwnGraph(graph) for graph in graphs]  # may be sparse, so that few ties are among a few samples
    np.testing.assert_allclose(robust._weigh(given), expected(graphs))


def test_weights_of_some_samples_do_for_a_start(monkeypatch):
    views, _ = blobs(n=90, features=(4, 6), spread=1.5)
    all_weigh = gfsc(views, 3, tol=1e-6, random_state=0)
    monkeypatch.setattr(sweeps, "_WEIGHED", 30)
    some_weigh = gfsc(views, 3, tol=1e-6, random_state=0)
    np.testing.assert_allclose(some_weigh.consensus, all_weigh.consensus, atol=1e-3 * all_weigh.consensus.max())


def test_penalties_and_tolerances():
    published = state(sweeps._Published, norm2=5.0)
    assert published.penalty(0.5) == 3 / (4 * 2 * 0.5)
    assert published.tolerance() == 1e-5
    assert state(sweeps._Published, norm2=1e30).tolerance() == 1e-2
    # an embedding off by everything moves S by 3 / (4·2·1) · 4√10 ≈ 4.74: more than a millionth of ‖S‖, or less
    assert [state(sweeps._Published, norm2=norm**2).tolerance() for norm in (4.7e6, 4.8e6)] == [1e-5, 1e-2]
    robust = state(sweeps._Robust, _mean_edge=0.5, _mean_apart=0.25)
    assert robust.penalty(7.0) == 6.0
    assert state(sweeps._Robust, _mean_edge=0.5, _mean_apart=0.0).penalty(7.0) == 0.0
    assert robust.tolerance() == 1e-4


def test_what_the_robust_embedding_leaves_behind():
    graph = np.kron(np.eye(2), np.ones((2, 2))) + 0.1
    robust = state(sweeps._Robust, consensus=graph)
    robust.embed(1e-4)
    points = robust.points()
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1)
    apart = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    assert robust._mean_apart == pytest.approx(apart.mean())
    assert robust._turned(robust.embedding) == pytest.approx(0, abs=1e-6)
    assert robust._turned(np.linalg.qr(np.hstack([robust.embedding, np.eye(4)]))[0][:, 2:4]) == pytest.approx(1)
    assert robust.embedding_is_rough
    robust.embed(1e-5)
    assert not robust.embedding_is_rough


def test_the_embedding_handed_on_by_the_program_is_exact(monkeypatch):
    monkeypatch.setattr(eigensolvers, "_DENSE_BELOW", 0)
    views, _ = blobs(n=120, features=(5, 8), spread=1.5)
    options = {"alpha": 0.1, "beta": 2.0, "gamma": 1e-9, "variant": "published", "tol": 0, "random_state": 0}
    result, before = (gfsc(views, 3, max_iter=count, **options) for count in (7, 6))
    laplacian = np.diag(before.consensus.sum(axis=1)) - before.consensus  # γ so small that rough embeddings do on the way
    vectors = np.linalg.eigh(laplacian)[1]
    residual = np.linalg.norm(laplacian @ result.embedding - result.embedding * result.eigenvalues, axis=0)
    assert residual.max() <= 1e-5 * np.median(np.diag(laplacian))
    assert_same_subspace(result.embedding, vectors[:, :3], atol=1e-3)


def test_incomplete_views_need_the_robust_variant():
    with pytest.raises(ParameterError, match="variant='published' needs every sample"):
        gfsc(VIEWS, 3, variant="published", present=PRESENT)


def test_relative_to_nothing_is_infinite():
    assert sweeps._relative(1.0, 4.0) == 0.5
    assert sweeps._relative(1.0, 0.0) == np.inf
