"""The array-API k-means against scikit-learn's, on every array library."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from viewfuse.linalg import kmeans as module
from viewfuse.linalg.kmeans import kmeans


def rows(spread, n=300, k=4, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    return 4 * rng.normal(size=(k, 5))[truth] + spread * rng.normal(size=(n, 5)), truth


def found(points, k, xp, **options):
    return kmeans(xp.asarray(points), k, random_state=np.random.RandomState(0), **{"n_init": 5, **options})


@pytest.mark.parametrize("spread", [0.5, 3.0])
def test_inertia_is_as_low_as_that_of_scikit_learn(xp, spread):
    points, _ = rows(spread)
    ours, theirs = found(points, 4, xp, n_init=10), KMeans(4, n_init=10, random_state=0).fit(points)
    assert ours.inertia <= theirs.inertia_ * 1.01
    if spread < 1:
        assert adjusted_rand_score(np.asarray(ours.labels), theirs.labels_) == 1


def test_the_result_is_a_fixed_point_of_lloyds_iteration(xp):
    points, _ = rows(3.0)
    result = found(points, 4, xp, tol=0.0)
    labels, centres = np.asarray(result.labels), np.asarray(result.centres)
    np.testing.assert_allclose(centres, [points[labels == j].mean(axis=0) for j in range(4)])
    distances = ((points[:, None] - centres[None]) ** 2).sum(axis=2)
    np.testing.assert_array_equal(distances.argmin(axis=1), labels)
    assert result.inertia == pytest.approx(distances.min(axis=1).sum())


def test_more_starts_are_never_worse(xp):
    points, _ = rows(3.0, k=12)
    one, many = (found(points, 12, xp, n_init=starts).inertia for starts in (1, 12))
    assert many <= one


def test_no_cluster_is_empty(xp):
    points = np.repeat(np.array([[0.0, 0], [10, 0], [0, 10], [7, 7]]), [50, 1, 1, 1], axis=0)
    assert np.unique(np.asarray(found(points, 4, xp).labels)).size == 4


def test_fewer_different_rows_than_clusters(xp):
    result = found(np.repeat(np.eye(2), 5, axis=0), 4, xp)
    assert result.inertia == pytest.approx(0, abs=1e-12)


def test_the_same_seed_gives_the_same_labels(xp):
    points, _ = rows(3.0)
    first, second = (np.asarray(found(points, 4, xp).labels) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_empty_clusters_move_to_the_samples_farthest_from_their_centres(xp):
    points = xp.asarray(np.array([[0.0, 0], [2, 0], [9, 9], [5, 5], [1, 1]]))
    labels, costs = xp.asarray(np.array([1, 1, 1, 1, 3])), xp.asarray(np.array([1.0, 2, 7, 4, 0]))
    means = np.asarray(module._means(points, labels, costs, xp.zeros((4, 2), dtype=xp.float64)))
    np.testing.assert_allclose(means, [[9, 9], [4, 3.5], [5, 5], [1, 1]])


def test_squared_distances_equal_a_direct_computation(xp):
    rng = np.random.default_rng(0)
    points, centres = rng.normal(size=(20, 3)), rng.normal(size=(4, 3))
    direct = ((points[:, None] - centres[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(np.asarray(module.squared_distances(xp.asarray(points), xp.asarray(centres))), direct)
    same = np.full((3, 2), 0.1) + 1e8
    assert (np.asarray(module.squared_distances(xp.asarray(same), xp.asarray(same))) >= 0).all()


def test_seeds_are_distinct_samples_far_from_each_other(xp):
    centres = 10 * np.array([[1.0, 0], [0, 1], [-1, 0], [0, -1], [3, 3]])
    points = np.repeat(centres, 40, axis=0) + 0.01 * np.random.default_rng(0).normal(size=(200, 2))
    draws = np.random.default_rng(0).random((10, 5, 3))
    for seeds in map(np.asarray, module._seeds(xp.asarray(points), draws)):
        nearest = ((seeds[:, None] - centres[None]) ** 2).sum(axis=2).argmin(axis=1)
        assert sorted(nearest) == [0, 1, 2, 3, 4]
        assert all((point == points).all(axis=1).any() for point in seeds)


def test_the_best_of_several_draws_becomes_a_seed():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(400, 2))
    drawn = module._seeds(points, rng.random((30, 8, 4)))
    best_of = np.mean([module.squared_distances(points, seeds).min(axis=1).sum() for seeds in drawn])
    chance = np.mean(
        [module.squared_distances(points, points[rng.choice(400, 8, replace=False)]).min(axis=1).sum() for _ in range(30)]
    )
    assert best_of < 0.85 * chance


def test_starts_drawn_one_by_one_equal_those_drawn_together(xp):
    points, _ = rows(3.0, k=12)
    together = found(points, 12, xp)
    one_by_one = found(points, 12, xp, max_distances=1)
    assert one_by_one.inertia == pytest.approx(together.inertia)
    np.testing.assert_array_equal(np.asarray(one_by_one.labels), np.asarray(together.labels))


def test_tolerance_is_relative_to_the_mean_variance():
    points, _ = rows(6.0, n=900)
    fine, coarse = (found(points, 4, np, n_init=1, tol=tol).iterations for tol in (0.0, 10.0))
    assert coarse == 1 < fine
    shifted = [found(scale * points + offset, 4, np, n_init=1, tol=0.01) for scale, offset in ((1, 0), (100, 0), (1, 50))]
    assert len({each.iterations for each in shifted}) == 1
    assert 1 < shifted[0].iterations < fine


def test_iterations_are_bounded():
    assert found(rows(3.0)[0], 4, np, n_init=1, tol=0.0, max_iterations=2).iterations == 2


def test_inertia_belongs_to_the_returned_labels(xp):
    points, _ = rows(3.0)
    result = found(points, 4, xp, n_init=1, tol=10.0)
    labels, centres = np.asarray(result.labels), np.asarray(result.centres)
    assert result.inertia == pytest.approx(((points - centres[labels]) ** 2).sum())
    np.testing.assert_array_equal(labels, ((points[:, None] - centres[None]) ** 2).sum(axis=2).argmin(axis=1))
