"""The array-API k-means against scikit-learn's, on every array library."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from viewfuse.spectral.kmeans import kmeans


def rows(spread, n=300, k=4, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    return 4 * rng.normal(size=(k, 5))[truth] + spread * rng.normal(size=(n, 5)), truth


def found(points, k, xp, **options):
    return kmeans(xp.asarray(points), k, random_state=np.random.RandomState(0), **{"n_init": 5, **options})


@pytest.mark.parametrize("spread", [0.5, 3.0])
def test_as_good_as_scikit_learn(xp, spread):
    points, _ = rows(spread)
    ours, theirs = found(points, 4, xp, n_init=10), KMeans(4, n_init=10, random_state=0).fit(points)
    assert ours.inertia <= theirs.inertia_ * 1.01
    if spread < 1:
        assert adjusted_rand_score(np.asarray(ours.labels), theirs.labels_) == 1


def test_a_fixed_point_of_lloyds_iterations(xp):
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
