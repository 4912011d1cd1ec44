"""Held-out scores, smoothing over graphs and its amount, compared with direct computations."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score, mutual_info_score
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.neighbors import kneighbors_graph

from attributed import attributed_graph, edges, words
from viewfuse import GFSC, AutoFusion, Views
from viewfuse.cluster.relations.features import Coordinates
from viewfuse.cluster.relations.fused import FusedPoints
from viewfuse.cluster.relations.grouping import cluster_points
from viewfuse.cluster.relations.held_out import HeldOut, _split_columns, _variables, mutual_information, repeated, votes
from viewfuse.cluster.relations.smoothing import Plan, best_plan, count_clusters, smooth
from viewfuse.graphs.relations import low_pass, undirected
from viewfuse.metrics import accuracy


def parts_of(views):
    return [views.view("words")], [undirected(views.view("cites"))]


def test_mutual_information_is_that_of_scikit_learn_less_chance():
    rng = np.random.RandomState(0)
    a, b = rng.randint(4, size=(2, 200))
    b[:120] = a[:120]
    assert mutual_information(a, b, 4) == pytest.approx(mutual_info_score(a, b) - 9 / 400)
    drawn = [mutual_information(*rng.randint(4, size=(2, 200)), 4) for _ in range(200)]
    assert np.mean(drawn) < 0.02


def test_votes_are_those_of_the_neighbours():
    graph = sp.csr_array(np.array([[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0.0]]))
    own = np.eye(2)[[0, 0, 0, 1]]
    np.testing.assert_array_equal(votes(graph, own), [0, 0, 1, 0])  # the small cluster weighs more


def test_parts_that_are_held_out_are_not_in_the_rest():
    features, graphs = parts_of(attributed_graph())
    split = HeldOut.split(features, graphs, np.random.RandomState(0))
    assert (split.graphs[0] + split._held_graphs[0] != graphs[0]).nnz == 0
    assert split.graphs[0].multiply(split._held_graphs[0]).nnz == 0
    assert 0.2 < split._held_graphs[0].nnz / graphs[0].nnz < 0.4


def groups(labels):
    """All samples of a group are connected."""
    graph = sp.csr_array((labels[:, None] == labels[None, :]).astype(float))
    graph.setdiag(0)
    graph.eliminate_zeros()
    return graph


def halves_of(graph, seed=0):
    upper = sp.triu(graph).tocoo()
    held = np.random.RandomState(seed).random_sample(upper.nnz) < 0.3

    def part(mask):
        half = sp.csr_array((upper.data[mask], (upper.row[mask], upper.col[mask])), shape=graph.shape)
        return sp.csr_array(half + half.T)

    return part(~held), part(held)


def test_what_is_repeated_is_counted_edge_by_edge():
    kept, held = halves_of(edges(np.zeros(60, dtype=int), np.random.RandomState(0), degree=8, inside=1.0))
    dense, pairs = kept.toarray() > 0, np.transpose(sp.triu(held).nonzero())
    pairs = pairs[np.random.RandomState(0).permutation(len(pairs))]
    chance = np.mean([np.sum(dense[i] & dense[j]) for i, j in zip(pairs[:, 0], np.roll(pairs[:, 1], 1), strict=True)])
    common = [np.sum(dense[i] & dense[j]) for i, j in pairs]
    direct = np.mean([max(1 - chance / c, 0) if c else 0 for c in common])
    assert repeated(kept, held) == pytest.approx(direct)


@pytest.mark.parametrize(
    ("graph", "least", "most"),
    [
        (groups(np.arange(300) // 10), 0.9, 1.0),
        (edges(np.arange(300) % 3, np.random.RandomState(0)), 0.0, 0.2),
        (edges(np.arange(300) % 3, np.random.RandomState(0), degree=60), 0.0, 0.5),  # dense, but edges are independent
        (sp.csr_array((300, 300)), 0.0, 0.0),
    ],
    ids=["groups", "sparse", "dense", "empty"],
)
def test_edges_are_repeated_in_groups_only(graph, least, most):
    assert least <= repeated(*halves_of(graph)) <= most


def test_samples_whose_edges_are_held_out_have_none_left():
    views, graph = attributed_graph(), groups(np.arange(300) // 10)
    split = HeldOut.split([views.view("words")], [graph], np.random.RandomState(0))
    asked = np.flatnonzero(np.diff(split._held_graphs[0].indptr))
    assert 0.2 < asked.size / 300 < 0.4
    assert split.graphs[0][asked].nnz == split.graphs[0][:, asked].nnz == 0
    assert split._held_graphs[0][:, asked].nnz == 0


def test_samples_without_held_out_edges_do_not_count():
    views = attributed_graph(degree=2)
    split = HeldOut.split(*parts_of(views), np.random.RandomState(0))
    rows = np.flatnonzero(np.diff(split._held_graphs[0].indptr))
    found = votes(split._held_graphs[0], np.eye(3)[views.y])[rows]
    assert rows.size < 250
    assert split.parts(views.y, 3)[1] == mutual_information(views.y[rows], found, 3)


def test_indicators_of_one_variable_are_held_out_together():
    rng = np.random.RandomState(0)
    colour, size = np.eye(3)[rng.randint(3, size=80)], np.eye(4)[rng.randint(4, size=80)]
    table = np.hstack([rng.normal(size=(80, 2)), 0.5 * colour, rng.normal(size=(80, 1)), size])
    variables = _variables(table)
    assert [variables.tolist().count(v) for v in variables] == [1, 1, 3, 3, 3, 1, 4, 4, 4, 4]
    for seed in range(20):
        mine, theirs = (
            [tuple(column) for column in part.T] for part in _split_columns(table, np.random.RandomState(seed), True)
        )
        assert sorted(mine + theirs) == sorted(map(tuple, table.T))
        for one, other in [(2, 3), (3, 4), (6, 7), (8, 9)]:
            assert (tuple(table[:, one]) in mine) == (tuple(table[:, other]) in mine)
        alone = _split_columns(table[:, 2:5], np.random.RandomState(seed), True)
        assert [part.shape[1] for part in alone] == [3, 3]  # one variable: nothing can be held out


def test_a_view_of_few_columns_that_are_noise_is_not_clustered():
    rng = np.random.RandomState(0)
    y = rng.randint(3, size=300)
    views = Views({"x": rng.normal(size=(300, 6)), "g": edges(y, rng, degree=10)}, kinds={"g": "graph"})
    found = AutoFusion(3, random_state=0).fit(views)
    assert accuracy(y, found.labels_) > 0.9
    assert found.noise_views_ == ("x",)


@pytest.mark.parametrize("noise", ["groups", "neighbours"])
def test_a_graph_of_noise_beside_few_columns_costs_nothing(noise):
    rng = np.random.RandomState(0)
    y = rng.randint(3, size=300)
    x = rng.normal(size=(300, 4)) + 2 * rng.normal(size=(3, 4))[y]
    near = kneighbors_graph(rng.normal(size=(300, 8)), 8)
    graph = groups(rng.randint(30, size=300)) if noise == "groups" else ((near + near.T) > 0).astype(float)
    alone = AutoFusion(3, random_state=0).fit(Views({"x": x}))
    both = AutoFusion(3, random_state=0).fit(Views({"x": x, "g": graph}, kinds={"g": "graph"}))
    assert adjusted_rand_score(alone.labels_, both.labels_) > 0.98
    assert both.noise_views_ == ("g",)


def test_a_dense_graph_counts_by_its_weights():
    rng = np.random.RandomState(0)
    y = rng.randint(3, size=200)
    points = rng.normal(size=(200, 5)) + 2 * rng.normal(size=(3, 5))[y]
    near = np.exp(-euclidean_distances(points, squared=True) / 5)
    found = AutoFusion(3, random_state=0).fit(Views({"x": points, "g": near}, kinds={"g": "graph"}))
    assert found.noise_views_ == ()
    assert found.view_weights_[1] > 0.1


@pytest.mark.parametrize("fusion", [AutoFusion, GFSC])
def test_groups_that_have_nothing_to_do_with_the_clusters_cost_little(fusion):
    rng = np.random.RandomState(0)
    y = rng.randint(3, size=400)
    bags = words(y, rng, signal=0.5)
    both = Views({"words": bags, "team": groups(rng.randint(40, size=400))}, kinds={"team": "graph"})
    alone = fusion(3, random_state=0).fit(Views({"words": bags}))
    found = fusion(3, random_state=0).fit(both)
    assert found.noise_views_ == ("team",)
    assert accuracy(y, found.labels_) >= accuracy(y, alone.labels_) - 0.02


def test_groups_alone_are_clusters_beside_noise():
    rng = np.random.RandomState(0)
    views = Views({"noise": rng.normal(size=(200, 60)), "team": groups(np.arange(200) // 50)}, kinds={"team": "graph"})
    found = AutoFusion(4, random_state=0).fit(views)
    assert accuracy(np.arange(200) // 50, found.labels_) > 0.95


def test_true_clusters_score_higher_than_noise():
    views = attributed_graph()
    split = HeldOut.split(*parts_of(views), np.random.RandomState(0))
    truth, noise = split.parts(views.y, 3), split.parts(np.random.RandomState(1).randint(3, size=300), 3)
    assert (truth > 0.1).all()
    assert (noise < 0.03).all()


def test_clusters_of_a_random_graph_do_not_predict_its_held_out_edges():
    rng = np.random.RandomState(0)
    graph = undirected(sp.random_array((400, 400), density=0.02, random_state=rng))
    tried = best_plan([], [graph], 4, rng)
    assert not tried.says_something()
    assert count_clusters([], [graph], 8, rng) == 1


@pytest.mark.parametrize(
    ("signal", "inside", "expected"), [(0.25, 0.85, "smoothed"), (0.6, 0.34, "alone"), (0.0, 0.9, "graph")]
)
def test_the_plan_suits_the_data(signal, inside, expected):
    views = attributed_graph(signal=signal, inside=inside, degree=8)
    best = best_plan(*parts_of(views), 3, np.random.RandomState(0)).best
    kinds = {"alone": best.graphs == (), "graph": best.steps is None or best.steps >= 8, "smoothed": bool(best.steps)}
    assert kinds[expected]


@pytest.mark.parametrize("k", [3, 4, 6])
def test_the_number_of_clusters_is_found(k):
    views = attributed_graph(n=200 * k, k=k, signal=0.4)
    assert count_clusters(*parts_of(views), 12, np.random.RandomState(0)) == k


def test_a_graph_of_cliques_does_not_outweigh_the_other_views():
    rng = np.random.RandomState(0)
    y = rng.randint(3, size=600)
    subject = np.where(rng.random_sample(600) < 0.7, y, rng.randint(3, size=600)) * 4 + rng.randint(4, size=600)
    cliques = undirected(sp.csr_array((subject[:, None] == subject[None]).astype(float)))
    features, graphs = [words(y, rng, signal=0.5)], [undirected(edges(y, rng)), cliques]
    tried = best_plan(features, graphs, 3, rng)
    points = FusedPoints.learn(tried.good(), features, None, graphs, 3, ([1.0], [1.0, 1.0]), rng)[1]
    assert np.mean(subject // 4 == y) < 0.85
    assert accuracy(y, cluster_points(points, 3, rng)[0]) > 0.93


def test_features_stay_beside_those_smoothed_over_a_dense_graph():
    rng = np.random.RandomState(0)
    y = rng.randint(3, size=300)
    features, graphs = [words(y, rng)], [undirected(edges(y, rng, degree=80, inside=0.6))]
    plain, kept = Plan((0,), 2), Plan((0,), 2, beside=True)

    def learned(plans):
        return FusedPoints.learn(plans, features, None, graphs, 3, ([1.0], [1.0]), np.random.RandomState(0))

    parts, alone = learned([plain, kept])[2], learned([Plan((), 0)])[1]
    np.testing.assert_array_equal(parts[1][:, -parts[0].shape[1] :], parts[0])
    np.testing.assert_allclose(parts[1][:, : -parts[0].shape[1]], alone, atol=1e-6)


def test_smoothing_is_a_product_of_the_mean_filter():
    rng = np.random.RandomState(0)
    raw = rng.normal(size=(50, 4)).astype(np.float32)
    filters = [low_pass(undirected(sp.random_array((50, 50), density=0.1, random_state=s))) for s in (1, 2)]
    dense = [f.toarray() if sp.issparse(f) else f for f in filters]
    mean = (dense[0] + 3 * dense[1]) / 4
    states = smooth(raw, filters, [1.0, 3.0], 3)
    np.testing.assert_allclose(states[3], np.linalg.matrix_power(mean, 3) @ raw, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "plans",
    [
        [Plan((0,), 4)],
        [Plan((0, 1), 2), Plan((1,), 8)],
        [Plan((0, 1), None)],
        [Plan((), 0), Plan((0,), 1)],
        [Plan((1,), 2, beside=True), Plan((0,), 1)],
    ],
)
def test_a_training_sample_is_mapped_to_its_own_point(plans):
    rng = np.random.RandomState(0)
    y = rng.randint(3, size=120)
    features = [words(y, rng), rng.normal(size=(120, 4)) + y[:, None]]
    graphs = [undirected(edges(y, rng)), undirected(3.0 * edges(y, rng, degree=20))]
    fused, points, _ = FusedPoints.learn(plans, features, None, graphs, 3, ([1.0, 2.0], [1.0, 0.5]), rng)
    again = fused(features, None, graphs)
    np.testing.assert_allclose(again, points, atol=1e-4)
    one = fused([view[5:6] for view in features], None, [graph[5:6] for graph in graphs])
    np.testing.assert_allclose(one, points[5:6], atol=1e-4)


def test_a_sample_without_edges_is_mapped_by_its_features():
    views = attributed_graph(signal=0.6)
    features, graphs = parts_of(views)
    rng = np.random.RandomState(0)
    fused, points, _ = FusedPoints.learn([Plan((0,), 2)], features, None, graphs, 3, ([1.0], [1.0]), rng)
    labels, centres = cluster_points(points, 3, rng)
    found = fused(features, None, [sp.csr_array((300, 300))])
    nearest = np.linalg.norm(found[:, None] - centres[None], axis=2).argmin(axis=1)
    assert adjusted_rand_score(nearest, labels) > 0.6


def test_coordinates_keep_the_distances_of_few_columns():
    rng = np.random.RandomState(0)
    table = rng.normal(size=(100, 5)) * [1, 10, 1, 1, 1]
    coordinates = Coordinates.learn(table, rng)(table)
    standard = (table - table.mean(axis=0)) / table.std(axis=0)
    apart, expected = (np.linalg.norm(p[:50] - p[50:], axis=1) for p in (coordinates, np.clip(standard, -4, 4)))
    np.testing.assert_allclose(apart / apart.mean(), expected / expected.mean(), rtol=1e-4)


def test_rare_words_weigh_more_than_common_ones():
    bags = sp.csr_array(np.c_[np.ones((60, 1)), np.eye(60)[:, :20], np.zeros((60, 20))])
    learned = Coordinates.learn(bags, np.random.RandomState(0))
    assert learned.are_directions
    assert learned.weights[0] == 0
    assert learned.weights[1] == pytest.approx(np.log(60))
