"""Nearest points among many, compared with a complete search."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from viewfuse.graphs import nearest
from viewfuse.linalg import GroupedSearch


def clouds(n, d=8, seed=0):
    rng = np.random.default_rng(seed)
    return 1e3 + (3 * rng.normal(size=(6, d)))[rng.integers(6, size=n)] + rng.normal(size=(n, d))


@pytest.mark.parametrize(("n_groups", "least"), [(3, 0.5), (12, 0.9), (10_000, 1.0)])
def test_it_finds_most_of_the_nearest_and_all_if_it_looks_everywhere(n_groups, least):
    points, queries = clouds(2_000), clouds(300, seed=1)
    distance, position = GroupedSearch(points, n_groups, np.random.RandomState(0)).nearest(queries, 5)
    true_distance, true_position = NearestNeighbors(n_neighbors=5).fit(points).kneighbors(queries)
    found = np.mean([np.isin(true, own).mean() for true, own in zip(true_position, position, strict=True)])
    assert found >= least
    np.testing.assert_allclose(distance, np.linalg.norm(queries[:, None] - points[position], axis=2), rtol=1e-3)
    assert (np.diff(distance, axis=1) >= 0).all()
    if least == 1:
        np.testing.assert_allclose(distance, true_distance, rtol=1e-3)


def test_fewer_points_in_the_groups_than_are_asked_for():
    points = clouds(40)
    distance, position = GroupedSearch(points, 1, np.random.RandomState(0)).nearest(points, 30)
    expected, _ = NearestNeighbors(n_neighbors=30).fit(points).kneighbors(points)
    np.testing.assert_allclose(distance[:, 1:], expected[:, 1:], rtol=1e-3)
    assert all(len(set(row)) == 30 for row in position.tolist())


def test_neighbours_of_many_samples_are_nearly_those_of_a_complete_search(monkeypatch):
    points = clouds(1_500)
    points[:30] = points[0]  # more equal samples than neighbours
    exact = nearest.Neighbors.of(points, 10)
    monkeypatch.setattr(nearest, "_EXACT_UP_TO", 100)
    found = nearest.Neighbors.of(points, 10)
    assert not (found.index == np.arange(1_500)[:, None]).any()
    shared = [np.isin(a, b).mean() for a, b in zip(exact.index[30:], found.index[30:], strict=True)]
    assert np.mean(shared) > 0.95
    assert found.distance[:30].max() < 0.1
    np.testing.assert_allclose(np.median(found.scale), np.median(exact.scale), rtol=0.02)
