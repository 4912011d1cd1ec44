"""Which samples are drawn, and which cluster is nearest."""

import numpy as np

from viewfuse.inspection.layouts import drawn_samples, nearest_other_cluster


def test_each_cluster_contributes_in_proportion_to_its_size():
    labels = np.repeat([0, 1, 2], [10_000, 5_000, 1_000])[np.random.default_rng(0).permutation(16_000)]
    rows = drawn_samples(labels, 1600)
    assert np.bincount(labels[rows]).tolist() == [1000, 500, 100]
    assert (np.diff(rows) > 0).all()


def test_the_nearest_other_cluster_is_never_the_own_one():
    embedding = np.array([[1.0, 0.1, 0.0], [0.0, 1.0, 0.2], [0.3, 0.0, 1.0]])
    found = nearest_other_cluster(embedding, np.array([0, 1, 2]))
    cosines = embedding @ embedding.T / np.outer(*[np.linalg.norm(embedding, axis=1)] * 2) - 2 * np.eye(3)
    assert found.tolist() == cosines.argmax(axis=1).tolist()
    assert nearest_other_cluster(embedding, np.zeros(3, dtype=int)).tolist() == [0, 0, 0]
