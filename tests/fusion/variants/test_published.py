"""The authors' program: its start, its single steps and its last embedding."""

import numpy as np
import pytest

from reference import assert_same_subspace, blobs, published_gfsc
from viewfuse.exceptions import ParameterError
from viewfuse.fusion import fuse_graphs, gf, gfsc
from viewfuse.fusion.kernels import GraphNorms, differences
from viewfuse.fusion.steps import distance_weight
from viewfuse.fusion.variants import published
from viewfuse.linalg import Laplacian

VIEWS, _ = blobs(n=36, features=(4, 50, 6), spread=1.5)


def test_without_a_cut_the_consensus_gets_a_degree_normalized_embedding():
    result = gf(VIEWS, 3, variant="published", alpha=2.0, beta=1.5, random_state=0)
    values, vectors = np.linalg.eigh(Laplacian.of(result.consensus, normalized=True).dense())
    np.testing.assert_allclose(result.eigenvalues, values[:3], atol=1e-8)
    assert_same_subspace(result.embedding, vectors[:, :3], atol=1e-8)


def test_starts_at_the_identity_and_the_first_unit_vectors():
    # After one iteration with a small penalty, S shows the distances between the first unit vectors.
    seen = []
    graph = np.ones((4, 4))
    result = fuse_graphs(
        [graph], 2, gamma=0.1, beta=0.5, variant="published", max_iter=1, random_state=0, on_sweep=lambda *a: seen.append(a)
    )
    np.testing.assert_array_equal(result.embedding, np.eye(4, 2))
    weight = 1 / (2 * np.linalg.norm(graph - np.eye(4)))
    distances = np.array([[0, 2, 1, 1], [2, 0, 1, 1], [1, 1, 0, 0], [1, 1, 0, 0]])
    np.testing.assert_allclose(result.consensus, graph - 0.1 / (4 * 0.5 * weight) * distances, atol=1e-12)
    change = np.linalg.norm(result.consensus - np.eye(4)) / 2
    assert [number for number, _ in seen] == [1]
    assert seen[0][1].change == pytest.approx(change)
    np.testing.assert_array_equal(result.eigenvalues, [0, 0])


def test_a_graph_equal_to_the_consensus_gets_a_finite_weight():
    graph = np.zeros((5, 5))
    assert distance_weight(GraphNorms(norm2=9.0, distance2=4.0), graph) == 0.25
    smallest = 0.01 * np.finfo(float).eps * 3
    assert distance_weight(GraphNorms(norm2=9.0, distance2=0.0), graph) == pytest.approx(0.5 / smallest)
    assert distance_weight(GraphNorms(norm2=0.0, distance2=0.0), graph) == 1.0


def test_penalty_and_residual_by_hand(problem, state):
    given = problem("published")
    assert published.penalty_of(given, 0.5) == 3 / (4 * 2 * 0.5)

    def residual(norm):
        return published.residual_for(given, state(norm2=norm**2))

    assert residual(5**0.5) == 1e-5
    assert residual(1e15) == 1e-2
    # A completely wrong embedding changes S by 3 / (4·2·1) · 4√10 ≈ 4.74: more than a millionth of ‖S‖, or less.
    assert [residual(norm) for norm in (4.7e6, 4.8e6)] == [1e-5, 1e-2]


def test_the_last_embedding_is_exact():
    views, _ = blobs(n=300, features=(5, 8), spread=1.5)  # enough samples for the iterative eigensolver
    options = {"alpha": 0.1, "beta": 2.0, "gamma": 1e-9, "variant": "published", "tol": 0, "random_state": 0}
    result, before = (gfsc(views, 3, max_iter=count, **options) for count in (7, 6))
    laplacian = np.diag(before.consensus.sum(axis=1)) - before.consensus  # γ is so small that rough embeddings suffice
    vectors = np.linalg.eigh(laplacian)[1]
    residual = np.linalg.norm(laplacian @ result.embedding - result.embedding * result.eigenvalues, axis=0)
    assert residual.max() <= 1e-5 * np.median(np.diag(laplacian))
    assert_same_subspace(result.embedding, vectors[:, :3], atol=1e-3)


NEAR = {"alpha": 1e-4, "beta": 1.0, "gamma": 1e-6}  # graphs differ from S by a thousandth of it and less


def test_near_graphs_in_single_precision_equal_the_direct_version(monkeypatch):
    monkeypatch.setattr(differences, "_TILE", 100)
    written = []
    write = differences.Differences.write
    monkeypatch.setattr(differences.Differences, "write", lambda *given: written.append(given) or write(*given))
    views, _ = blobs(n=310, features=(4, 20, 9), spread=1.5)
    consensus, embedding, weights, objectives = published_gfsc(views, 3, **NEAR)
    result = gfsc(views, 3, variant="published", random_state=0, **NEAR)
    assert len(written) == 3 * len(objectives) == 3 * len(result.sweeps)
    assert np.linalg.norm(result.consensus - consensus) < 1e-10 * np.linalg.norm(consensus)
    np.testing.assert_allclose(result.weights, weights, rtol=1e-4)  # so far the rounding errors of solves change them
    np.testing.assert_allclose([sweep.objective for sweep in result.sweeps], objectives, rtol=1e-5)
    assert_same_subspace(result.embedding, embedding)


def test_far_graphs_stay_in_double_precision(monkeypatch):
    monkeypatch.setattr(differences, "_TILE", 10)
    made = []
    monkeypatch.setattr(differences.Differences, "of", lambda *given, **named: made.append(given))
    views, _ = blobs(n=36, features=(4, 6), spread=1.5)
    gfsc(views, 3, variant="published", random_state=0, alpha=1.0, beta=1.0, gamma=1e-6)
    gfsc(views, 3, variant="published", random_state=0, fixed_weights=np.array([1.0, 2.0]), **NEAR)
    gfsc([*VIEWS, *VIEWS], 3, variant="published", random_state=0, **NEAR)  # more columns than half of the samples
    fuse_graphs([np.eye(36)], 3, variant="published", random_state=0)
    assert not made


def test_double_precision_first_and_single_precision_later(monkeypatch):
    monkeypatch.setattr(differences, "_TILE", 10)
    views, _ = blobs(n=36, features=(4, 6), spread=1.5)
    parameters = {"alpha": 0.002, "beta": 1.0, "gamma": 1e-6, "tol": 0, "max_iter": 8}
    near, was_near = published.is_near, []
    monkeypatch.setattr(published, "is_near", lambda *given: was_near.append(near(*given)) or was_near[-1])
    result = gfsc(views, 3, variant="published", random_state=0, **parameters)
    assert was_near == sorted(was_near)
    assert 0 < sum(was_near) < 8
    consensus, *_ = published_gfsc(views, 3, **parameters)
    assert np.linalg.norm(result.consensus - consensus) < 1e-9 * np.linalg.norm(consensus)


def test_missing_samples_need_the_robust_variant():
    with pytest.raises(ParameterError, match="variant='published' needs every sample") as caught:
        gfsc(VIEWS, 3, variant="published", present=np.ones((36, 3), dtype=bool))
    assert (caught.value.parameter, caught.value.value) == ("variant", "published")
