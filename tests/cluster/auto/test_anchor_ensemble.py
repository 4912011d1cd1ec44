"""Anchor graphs of several placements, cut together."""

import numpy as np
from sklearn.metrics import adjusted_rand_score

from viewfuse.cluster.auto.anchor_ensemble import AnchorEnsemble
from viewfuse.graphs import Samples


def views_of_clusters(rng, n=150, k=3, spread=1.0):
    labels = np.arange(n) % k
    return [6 * rng.normal(size=(k, d))[labels] + spread * rng.normal(size=(n, d)) for d in (8, 12)], labels


def test_it_finds_clear_clusters_with_one_placement_and_with_three():
    views, labels = views_of_clusters(np.random.default_rng(0))
    for placements in (1, 3):
        found = AnchorEnsemble.of(Samples(tuple(views)), 3, placements, np.random.RandomState(0))
        assert adjusted_rand_score(labels, found.labels) == 1
        assert found.embedding.shape == (150, 3)


def test_its_graph_is_the_mean_of_the_placements_graphs():
    views, _ = views_of_clusters(np.random.default_rng(0))
    found = AnchorEnsemble.of(Samples(tuple(views)), 3, 2, np.random.RandomState(0))
    edges = found.edges.toarray()
    half = edges.shape[1] // 2
    parts = [2 * edges[:, :half], 2 * edges[:, half:]]
    direct = np.mean([part / np.maximum(part.sum(axis=0), 1e-30) @ part.T for part in parts], axis=0)
    np.testing.assert_allclose(found.graph().toarray(), direct, atol=1e-6)
    np.testing.assert_allclose(edges.sum(axis=1), 1, atol=1e-5)


def test_missing_samples_and_weights():
    views, labels = views_of_clusters(np.random.default_rng(1))
    present = np.ones((150, 2), dtype=bool)
    present[::10, 0] = False
    found = AnchorEnsemble.of(Samples(tuple(views), present, (3.0, 1.0)), 3, 3, np.random.RandomState(0))
    assert adjusted_rand_score(labels, found.labels) > 0.95
