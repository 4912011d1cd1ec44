"""Which samples are drawn, and their 2-D positions."""

import numpy as np
import pytest

from viewfuse.inspection.layouts import cluster_map, drawn_samples, nearest_other_cluster, principal_plane


def test_each_cluster_contributes_in_proportion_to_its_size():
    labels = np.repeat([0, 1, 2], [10_000, 5_000, 1_000])[np.random.default_rng(0).permutation(16_000)]
    rows = drawn_samples(labels, 1600)
    assert np.bincount(labels[rows]).tolist() == [1000, 500, 100]
    assert (np.diff(rows) > 0).all()


@pytest.mark.parametrize("k", [3, 12, 40])
def test_clusters_do_not_overlap_on_the_cluster_map(k):
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(k), 8)
    rows = np.eye(k)[labels] + 0.02 * rng.normal(size=(8 * k, k))
    points = cluster_map(rows, labels, rng.random(8 * k))
    middles = np.stack([points[labels == cluster].mean(axis=0) for cluster in range(k)])
    nearest = np.linalg.norm(points[:, None, :] - middles[None], axis=2).argmin(axis=1)
    assert (nearest == labels).all()
    extent = np.ptp(points, axis=0).max()
    between = np.linalg.norm(middles[:, None] - middles[None], axis=2)[~np.eye(k, dtype=bool)].min()
    assert between > extent / (2.2 * np.sqrt(k))  # on a circle only, neighbours would be π/k of its radius apart


def test_the_most_confident_sample_is_nearest_to_the_centre_of_its_disc():
    labels = np.repeat([0, 1], 20)
    confidence = np.random.default_rng(0).random(40)
    points = cluster_map(np.eye(2)[labels], labels, confidence)
    for cluster in (0, 1):
        members = np.flatnonzero(labels == cluster)
        distance = np.linalg.norm(points[members] - points[members].mean(axis=0), axis=1)
        assert members[distance.argmin()] == members[confidence[members].argmax()]


def test_the_nearest_other_cluster_is_never_the_own_one():
    embedding = np.array([[1.0, 0.1, 0.0], [0.0, 1.0, 0.2], [0.3, 0.0, 1.0]])
    found = nearest_other_cluster(embedding, np.array([0, 1, 2]))
    cosines = embedding @ embedding.T / np.outer(*[np.linalg.norm(embedding, axis=1)] * 2) - 2 * np.eye(3)
    assert found.tolist() == cosines.argmax(axis=1).tolist()
    assert nearest_other_cluster(embedding, np.zeros(3, dtype=int)).tolist() == [0, 0, 0]


def test_the_principal_plane_has_two_columns_for_one_component():
    plane = principal_plane(np.array([[1.0], [-1.0], [2.0]]))
    assert plane.shape == (3, 2)
    assert (plane[:, 1] == 0).all()
