"""The likeliest blocks of graphs, compared with direct sums, and where k-means of eigenvectors fails."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import SpectralClustering
from sklearn.metrics import adjusted_rand_score

import viewfuse as vf
from viewfuse.cluster.relations.blocks import Blocks

SIZES = [10, 33, 55, 78, 101, 123]


def drawn(inside, rng):
    """A graph with these probabilities, (n, n), of edges."""
    upper = np.triu(rng.random_sample(inside.shape) < inside, 1)
    return sp.csr_array((upper | upper.T).astype(float))


def unequal(seed, inside=0.15, outside=0.01, sizes=SIZES):
    rng = np.random.RandomState(seed)
    y = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    chances = np.where(y[:, None] == y, inside, outside)
    return y, [drawn(chances, rng) for _ in range(2)]


def direct_likelihood(graphs, labels, weights):
    """Edge by edge."""
    k, total = labels.max() + 1, 0.0
    for graph, weight in zip(graphs, weights, strict=True):
        dense = graph.toarray()
        dense = dense * dense.sum() / (dense**2).sum()
        between = np.array([[dense[np.ix_(labels == r, labels == s)].sum() for s in range(k)] for r in range(k)])
        for i, j in zip(*np.nonzero(dense), strict=True):
            r, s = labels[i], labels[j]
            total += weight * dense[i, j] * np.log(between[r, s] * dense.sum() / (between[r].sum() * between[s].sum())) / 2
    return total + sum(np.sum(labels == r) * np.log(np.mean(labels == r)) for r in range(k))


@pytest.mark.parametrize("weights", [[1.0, 1.0], [2.0, 0.5]])
def test_the_likelihood_is_the_sum_over_all_edges(weights):
    y, graphs = unequal(0, sizes=[8, 12, 20])
    graphs[1] = sp.csr_array(graphs[1] * 7.0)  # the unit of weights does not count
    blocks, profiles = Blocks.of(graphs, y, 3, weights)
    np.testing.assert_allclose(profiles[0][5], [graphs[0].toarray()[5, y == r].sum() for r in range(3)])
    assert blocks.likelihood == pytest.approx(direct_likelihood(graphs, y, weights))


def test_moving_samples_makes_blocks_likelier_and_ends_where_none_gains():
    y, graphs = unequal(1)
    rng, weights = np.random.RandomState(0), [1.0, 1.0]
    start = np.where(rng.random_sample(len(y)) < 0.5, rng.randint(6, size=len(y)), y)
    refined = Blocks.refined(graphs, start, 6, weights, 50)
    assert refined.likelihood > Blocks.of(graphs, start, 6, weights)[0].likelihood
    assert np.mean(refined.likelihoods(graphs).argmax(axis=1) == refined.labels) > 0.99
    np.testing.assert_array_equal(refined(graphs).argmax(axis=1), refined.likelihoods(graphs).argmax(axis=1))


def test_no_cluster_is_emptied_and_samples_without_edges_stay():
    y, (graph, _) = unequal(2, sizes=[20, 20])
    apart = sp.block_diag([graph, sp.csr_array((3, 3))], format="csr")
    labels = np.concatenate([y, [0, 1, 1]])
    blocks = Blocks.learn([apart], 2, np.random.RandomState(0), weights=[1.0], starts=[labels])
    assert set(blocks.labels) == {0, 1}
    one_each = Blocks.refined([sp.csr_array((4, 4))], np.array([0, 1, 0, 1]), 2, [1.0], 50)
    np.testing.assert_array_equal(one_each.labels, [0, 1, 0, 1])


@pytest.mark.parametrize("seed", range(3))
def test_small_clusters_are_found_beside_large_ones(seed):
    # k-means of eigenvectors divided the largest in two instead, and the verdict said that all is well: ARI 83.
    y, graphs = unequal(seed)
    views = vf.Views({"a": graphs[0], "b": graphs[1]}, kinds=dict.fromkeys("ab", "graph"))
    model = vf.AutoFusion(6, random_state=0).fit(views)
    both = (graphs[0] + graphs[1]).toarray()
    usual = SpectralClustering(6, affinity="precomputed", random_state=0).fit_predict(both)
    score = adjusted_rand_score(y, model.labels_)
    assert score > 0.9
    assert score > adjusted_rand_score(y, usual) - 0.05
    assert "likeliest blocks" in model.choice_.reason
    assert {choice.reason for choice in model.choice_.views} == {"its edges between clusters are counted"}


def test_graphs_that_show_different_clusters_are_combined():
    rng = np.random.RandomState(0)
    y = rng.randint(4, size=400)
    halves = [np.where((y < 2)[:, None] == (y < 2), 0.1, 0.01), np.where((y % 2)[:, None] == y % 2, 0.1, 0.01)]
    views = vf.Views([drawn(chances, rng) for chances in halves], kinds=["graph", "graph"])
    assert adjusted_rand_score(y, vf.AutoFusion(4, random_state=0).fit(views).labels_) > 0.95


def teams(y, rng):
    """In each of thirty teams, whose members are of one cluster, all know each other."""
    members = [rng.choice(np.flatnonzero(y == c % 3), 8) for c in range(30)]
    together = np.zeros((len(y), len(y)))
    for team in members:
        together[np.ix_(team, team)] = 1
    np.fill_diagonal(together, 0)
    return sp.csr_array(together)


def similarities(y, rng):
    points = y[:, None] + rng.normal(size=(len(y), 2))
    return sp.csr_array(np.exp(-((points[:, None] - points[None]) ** 2).sum(axis=2)))


@pytest.mark.parametrize("made", [teams, similarities])
def test_teams_and_similarities_are_no_blocks(made):
    rng = np.random.RandomState(0)
    graph = made(rng.randint(3, size=400), rng)
    assert Blocks.learn([graph], 3, rng, weights=[1.0]) is None


@pytest.mark.parametrize(("weight", "is_count"), [(0.3, True), (0.5, True), (0.123, False)])
def test_multiples_of_one_weight_are_counts(weight, is_count):
    graph = unequal(0, sizes=[40, 40])[1][0]
    upper = sp.triu(graph)
    upper.data = np.random.RandomState(0).randint(1, 4, size=upper.nnz) * weight + (0 if is_count else 0.01 * weight**2)
    found = Blocks.learn([sp.csr_array(upper + upper.T)], 2, np.random.RandomState(0), weights=[1.0])
    assert (found is not None) == is_count


def test_what_became_of_each_graph_is_said():
    _, (graph, _) = unequal(4, sizes=[60, 120, 240])
    noise = drawn(np.full((420, 420), 0.02), np.random.RandomState(0))
    model = vf.AutoFusion(3, random_state=0).fit(vf.Views({"known": graph, "random": noise}, kinds=["graph", "graph"]))
    kept = {choice.name: choice.kept for choice in model.choice_.views}
    assert kept == {"known": True, "random": False}
    np.testing.assert_array_equal(model.view_weights_ > 0, [True, False])
    assert "clearer" not in str(model.choice_)  # which is said of views that hide what others show


def test_new_samples_are_placed_by_their_edges_and_those_of_the_fit_again(tmp_path):
    y, graphs = unequal(3, sizes=[60, 120, 240])
    views = vf.Views({"a": graphs[0], "b": graphs[1]}, kinds=dict.fromkeys("ab", "graph"))
    model = vf.AutoFusion(3, random_state=0).fit(views[:300])
    assert adjusted_rand_score(model.labels_, model.predict(views[:300])) > 0.98
    assert adjusted_rand_score(y[300:], model.predict(views[300:])) > 0.9
    again = vf.load(model.save(tmp_path / "blocks.model"))
    edges = {"a": graphs[0][300:][:, :300], "b": graphs[1][300:][:, :300]}
    np.testing.assert_array_equal(again.predict(edges), model.predict(views[300:]))


def test_a_graph_without_clusters_is_said_to_have_none():
    graph = drawn(np.full((400, 400), 0.02), np.random.RandomState(0))
    with pytest.warns(vf.exceptions.NoStructureWarning):
        model = vf.AutoFusion(4, random_state=0).fit(vf.Views({"a": graph}, kinds={"a": "graph"}))
    assert not model.verdict_.supported
