"""The robust variant against a direct version, and its single steps by hand."""

from dataclasses import replace

import numpy as np
import pytest

from reference import assert_same_subspace, blobs, robust_gfsc
from viewfuse.fusion import driver, exact, fuse_graphs, gf, gfsc
from viewfuse.fusion.kernels import GraphNorms, SingleViewGraph
from viewfuse.fusion.state import Embedding
from viewfuse.fusion.variants import VARIANTS, robust
from viewfuse.fusion.view_graphs import GivenGraph, LearnedGraph, WideGraph
from viewfuse.graphs import GramFactor
from viewfuse.linalg import Laplacian

VIEWS, _ = blobs(n=36, features=(4, 50, 6), spread=1.5)
PARAMETERS = {"alpha": 2.0, "beta": 1.5, "gamma": 0.7}


def normalized_edges(matrix):
    """The graph without self-loops, scaled to norm 1."""
    matrix = matrix - np.diag(np.diag(matrix))
    return matrix / np.linalg.norm(matrix)


def assert_equals_the_direct_version(result, direct):
    consensus, mean, embedding, weights, changes, objectives = direct
    np.testing.assert_allclose(result.consensus, consensus, atol=1e-4 * consensus.max())
    np.testing.assert_allclose(result.fused / np.linalg.norm(result.fused), mean / np.linalg.norm(mean), atol=1e-5)
    assert_same_subspace(result.embedding, embedding)
    np.testing.assert_allclose(result.weights, weights, rtol=1e-4)
    np.testing.assert_allclose([s.change for s in result.sweeps], changes, rtol=1e-2, atol=1e-5)
    np.testing.assert_allclose([s.objective for s in result.sweeps], objectives, rtol=1e-5)
    laplacian = Laplacian.of(np.asarray(result.consensus), normalized=True).dense()
    np.testing.assert_allclose(result.eigenvalues, np.linalg.eigvalsh(laplacian)[: embedding.shape[1]], atol=1e-5)


@pytest.mark.parametrize("n_iterations", [1, 2, 5])
def test_equals_the_direct_version(n_iterations):
    result = gfsc(VIEWS, 3, max_iter=n_iterations, tol=0, random_state=0, **PARAMETERS)
    assert_equals_the_direct_version(result, robust_gfsc(VIEWS, 3, n_iterations=n_iterations, **PARAMETERS))


@pytest.mark.parametrize(("alpha", "kind", "rounds"), [(2.0, WideGraph, 5), (0.01, LearnedGraph, 3)])
def test_equals_the_direct_version_with_more_features_than_samples(alpha, kind, rounds):
    views = [np.hstack([view] * 9) for view in blobs(n=36, features=(4, 5, 6), spread=1.5)[0]]
    parameters = {**PARAMETERS, "alpha": alpha}
    assert {type(graph) for graph in exact._learned_graphs(views, alpha)} == {kind}
    result = gfsc(views, 3, max_iter=4, tol=0, random_state=0, **parameters)
    assert_equals_the_direct_version(result, robust_gfsc(views, 3, n_iterations=4, rounds=rounds, **parameters))


@pytest.mark.parametrize("rounds", [1, 2])
def test_equals_the_direct_version_with_few_rounds(rounds, monkeypatch):
    stopping = replace(VARIANTS["robust"].stopping, max_rounds=rounds)
    monkeypatch.setitem(VARIANTS, "robust", replace(VARIANTS["robust"], stopping=stopping))
    result = gfsc(VIEWS, 3, max_iter=4, tol=0, random_state=0, **PARAMETERS)
    assert_equals_the_direct_version(result, robust_gfsc(VIEWS, 3, n_iterations=4, rounds=rounds, **PARAMETERS))


@pytest.mark.parametrize("plain_rounds", [0, 3])
def test_equals_the_direct_version_with_momentum(plain_rounds, monkeypatch):
    views, _ = blobs(n=36, features=(8,) * 20, spread=2.0)
    stopping = replace(VARIANTS["robust"].stopping, plain_rounds=plain_rounds, max_rounds=8)
    monkeypatch.setitem(VARIANTS, "robust", replace(VARIANTS["robust"], stopping=stopping))
    k = 5  # of 3 clusters: F turns slowly
    result = gfsc(views, k, max_iter=2, tol=0, random_state=0, **PARAMETERS)
    direct, plain = (
        robust_gfsc(views, k, n_iterations=2, rounds=8, plain_rounds=rounds, **PARAMETERS) for rounds in (plain_rounds, 20)
    )
    assert_equals_the_direct_version(result, direct)
    assert np.abs(direct[0] - plain[0]).max() > 1e-3 * plain[0].max()  # momentum made a difference


def test_momentum_only_in_the_direction_of_the_last_turn():
    first, second, third = np.eye(4)[:, :1], np.eye(4)[:, 1:2], np.eye(4)[:, 2:3]

    def embeddings(*vectors):
        return [Embedding(vector / np.linalg.norm(vector), None, None) for vector in vectors]

    def kept(last_turn, before, after):
        turn = robust.turn_between(before.vectors, after.vectors)
        return robust.keeps_direction(last_turn, turn, before, after)

    before, onwards, back = embeddings(first + 0.1 * second, first + 0.2 * second, first)
    last_turn = 0.1 * second
    assert kept(last_turn, before, onwards)
    assert not kept(last_turn, before, back)
    assert not kept(None, before, onwards)
    assert not kept(last_turn, before, *embeddings(-first))  # the other sign is not another direction
    assert kept(last_turn, before, *embeddings(-first - 0.2 * second + 0.1 * third))


def test_rounds_take_twice_as_long_as_the_graphs_of_the_views(problem):
    def rounds(ranks, n_clusters, n_samples):
        graphs = [LearnedGraph(GramFactor(np.empty((1, rank)), None)) for rank in ranks]
        return robust.rounds_worth(replace(problem("robust"), graphs=graphs, n_clusters=n_clusters), n_samples)

    assert rounds([4, 35, 6], 3, 36) == 3  # 2 (6·45 + 3·250) / (250 + 6·7 + 1000·7³/36²) = 3.7
    assert rounds([30, 60], 5, 1000) == 6  # 2 (6·90 + 2·250) / (250 + 6·9 + 1000·9³/1000²) = 6.8
    assert rounds([1200] * 5, 6, 1200) == 60  # wide views
    assert rounds([64] * 3, 100, 1600) == 1  # many clusters
    given = replace(problem("robust"), graphs=[GivenGraph(np.eye(9))] * 3, n_clusters=2)
    assert robust.rounds_worth(given, 1000) == 5  # 2·3·250 / (250 + 6·6)


def test_equals_the_direct_version_without_a_cut():
    result = gf(VIEWS, 3, alpha=2.0, beta=1.5, max_iter=4, tol=0, random_state=0)
    assert_equals_the_direct_version(result, robust_gfsc(VIEWS, 3, 2.0, 1.5, 0.0, n_iterations=4, joint=False))
    assert result.fused is result.consensus


def test_learned_edges_are_at_most_six_times_the_mean():
    duplicated = [np.vstack([view, view[:2] * 1.001]) for view in VIEWS]  # near duplicates of two samples
    result = gfsc(duplicated, 3, max_iter=1, tol=0, random_state=0, **PARAMETERS)
    assert_equals_the_direct_version(result, robust_gfsc(duplicated, 3, n_iterations=1, **PARAMETERS))
    assert result.fused.max() > 6 * result.fused.mean()
    assert np.count_nonzero(result.consensus == result.consensus.max()) >= 4  # the duplicates, in both directions
    given = fuse_graphs([np.eye(30) + 0.01] * 2, 2, joint=False, random_state=0).consensus
    assert given.max() > 6 * given.mean()


def test_equal_given_graphs_have_objective_0_and_the_cut_removes_weak_edges():
    graph = np.kron(np.eye(2), np.ones((15, 15))) + 0.1
    together = fuse_graphs([graph, graph], 2, joint=False, random_state=0)
    assert together.sweeps[-1].objective == pytest.approx(0, abs=1e-6)
    assert (together.consensus[:15, 15:] > 0).all()
    assert not fuse_graphs([graph, graph], 2, random_state=0).consensus[:15, 15:].any()


def test_the_rate_of_the_first_iteration_is_estimated_if_nothing_else_moves(problem, state):
    # The graphs follow S at the rate 2·0.05/(1 + 2·0.05) = 1/11 at most, so 0.11 of a change remains.
    given = problem("robust")
    still = {"embedding_converged": True, "weight_change": 0.04, "weights": np.array([0.02, 0.05])}
    assert robust.rate_of(given, state(**still), [0.045]) == pytest.approx(1 / 11)
    assert robust.has_converged(given, state(**still), [0.045])
    assert not robust.has_converged(given, state(**still), [0.046])
    assert not robust.has_converged(given, state(**{**still, "weight_change": 0.06}), [0.045])
    assert not robust.has_converged(given, state(**{**still, "embedding_converged": False}), [0.045])


def test_without_a_cut_three_changes_are_needed_to_observe_a_rate(problem, state):
    changes = [0.5, 0.02, 0.0008 * 1.3]
    assert robust.has_converged(problem("robust"), state(), changes[:2])
    without_cut = problem("robust", joint=False)
    assert not robust.has_converged(without_cut, state(), changes[:2])
    assert robust.has_converged(without_cut, state(), changes)


def test_weights_ignore_self_loops_and_are_bounded():
    rng = np.random.default_rng(0)
    graph, consensus = (m + m.T for m in rng.random((2, 5, 5)))

    def weight(one, other):
        norms = GraphNorms((one**2).sum(), ((one - other) ** 2).sum())
        return robust.edge_weight(norms, one, consensus=other, consensus_norm2=(other**2).sum())

    direct = 1 / np.linalg.norm(normalized_edges(graph) - normalized_edges(consensus))
    assert weight(graph, consensus) == pytest.approx(direct)
    assert weight(graph + np.eye(5), consensus) == pytest.approx(weight(graph, consensus))
    assert weight(consensus * 3, consensus) == pytest.approx(100)
    assert weight(np.eye(5), consensus) == pytest.approx(2**-0.5)  # no edges: the cosine counts as 0


def test_first_weights_come_from_the_distance_to_the_mean_graph(problem):
    rng = np.random.default_rng(0)
    bases = rng.normal(size=(3, 40, 2))
    learned = [SingleViewGraph(basis, np.ones(2)) for basis in bases]
    graphs = [np.maximum(basis @ basis.T, 0) for basis in bases]

    def expected(graphs):
        mean = normalized_edges(sum(graphs))
        weights = 1 / np.array([np.linalg.norm(normalized_edges(graph) - mean) for graph in graphs])
        return weights / weights.mean()

    np.testing.assert_allclose(robust.first_weights(problem("robust"), learned, n_samples=40), expected(graphs))
    rows = np.sort(np.random.RandomState(0).choice(40, 10, replace=False))
    sampled = robust.first_weights(problem("robust", weighting_samples=10), learned, n_samples=40)
    np.testing.assert_allclose(sampled, expected([graph[np.ix_(rows, rows)] for graph in graphs]))
    given = [SingleViewGraph(graph) for graph in graphs]  # may be sparse, so that a subset would hold few edges
    whole = robust.first_weights(problem("robust", weighting_samples=10), given, n_samples=40)
    np.testing.assert_allclose(whole, expected(graphs))


def test_first_weights_on_a_subset_lead_to_the_same_result():
    views, _ = blobs(n=90, features=(4, 6), spread=1.5)
    graphs = exact._learned_graphs(views, 1.0)
    parameters = {"alpha": 1.0, "beta": 0.1, "gamma": 2.0, "max_edge": 6.0}
    problem = exact._problem(graphs, 3, parameters, tol=1e-6, random_state=0)
    whole, subset = (
        driver.fuse(replace(problem, weighting_samples=size), VARIANTS["robust"], graphs[0].factor.basis, max_iter=200)
        for size in (1000, 30)
    )
    assert not np.array_equal(whole.consensus, subset.consensus)
    np.testing.assert_allclose(subset.consensus, whole.consensus, atol=1e-3 * whole.consensus.max())


def test_penalty_by_hand(problem, embedding):
    given = problem("robust")
    assert robust.penalty_of(given, embedding(0.25), 0.5) == 6.0
    assert robust.penalty_of(given, embedding(0.0), 0.5) == 0.0


def test_the_embedding_has_points_of_unit_length_and_their_mean_distance(problem):
    graph = np.kron(np.eye(2), np.ones((2, 2))) + 0.1
    found = robust.embed_robust(problem("robust"), graph, residual=1e-4)
    np.testing.assert_allclose(np.linalg.norm(found.points, axis=1), 1)
    distances = ((found.points[:, None] - found.points[None]) ** 2).sum(axis=2)
    assert found.mean_distance == pytest.approx(distances.mean())
    assert found.is_rough
    assert not robust.embed_robust(problem("robust"), graph, residual=1e-5).is_rough


def test_rotation_is_0_for_the_same_subspace_and_1_for_an_orthogonal_one():
    vectors = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0]
    turned = vectors[:, :2] @ np.array([[0.6, -0.8], [0.8, 0.6]])

    def rotation(before, after):
        return robust.size_of_turn(robust.turn_between(before, after))

    assert rotation(vectors[:, :2], turned) == pytest.approx(0, abs=1e-12)
    assert rotation(vectors[:, :2], vectors[:, 2:]) == pytest.approx(1)
