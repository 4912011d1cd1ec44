"""Joint distances of samples that are missing from views."""

import numpy as np
import pytest

from viewfuse.graphs import gaps
from viewfuse.graphs.gaps import ExpectedDistances
from viewfuse.graphs.nearest import joint_neighbors


def clusters_with_gaps(n_views, n=120, share=0.3, k=4):
    rng = np.random.default_rng(n_views)
    y = rng.integers(0, k, n)
    points = [3 * rng.normal(size=(k, 5))[y] + rng.normal(size=(n, 5)) for _ in range(n_views)]
    present = rng.random((n, n_views)) > share
    present[~present.any(axis=1), 0] = True
    return points, present, y


def direct(points, present, i, j):
    """The joint distance of two samples, and nothing but what is known of each pair: one pair after the other."""
    n, n_views = present.shape
    pairs = [(a, b) for a in range(n) for b in range(n) if a != b]
    d = [((view[:, None] - view[None, :]) ** 2).sum(axis=2) for view in points]
    means = [2 * view[there].var(axis=0).sum() for view, there in zip(points, present.T, strict=True)]

    def common(a, b, u):
        return tuple(v for v in range(n_views) if v != u and present[a, v] and present[b, v])

    def group(a, b, u):
        return common(a, b, u) if n_views <= 4 else len(common(a, b, u))

    def bin_of(a, b, u):
        x = np.mean([d[v][a, b] / means[v] for v in common(a, b, u)])
        return min(int(x * gaps._BINS / gaps._LARGEST), gaps._BINS - 1)

    total = 0.0
    for u in range(n_views):
        if present[i, u] and present[j, u]:
            total += d[u][i, j]
        elif not common(i, j, u):
            total += means[u]
        else:
            like = [(a, b) for a, b in pairs if present[a, u] and present[b, u] and group(a, b, u) == group(i, j, u)]
            values = sorted((bin_of(a, b, u), d[u][a, b] / means[u]) for a, b in like)
            total += means[u] * growing_mean(values, bin_of(i, j, u))
    return total


def growing_mean(values, place):
    """The mean of the bins of at least twenty pairs up to ``place``, each at least the one before."""
    joined, last, sums, number = [], -1, 0.0, 0
    for b in range(gaps._BINS):
        inside = [value for at, value in values if at == b]
        sums, number = sums + sum(inside), number + len(inside)
        if number >= gaps._FEWEST_PAIRS:
            joined.append([b, sums, number])
            sums, number = 0.0, 0
    joined[-1][1] += sums
    joined[-1][2] += number
    joined[-1][0] = gaps._BINS - 1
    for end, total, count in joined:
        last = max(last, total / count)
        if place <= end:
            return last
    return last


@pytest.mark.parametrize("n_views", [2, 3, 5])
def test_unknown_distances_are_those_of_pairs_as_near_in_the_same_views(n_views):
    points, present, _ = clusters_with_gaps(n_views, n=60)
    found = ExpectedDistances.learn(points, present)(np.arange(60))
    unknown = np.argwhere(~(present[:, None, :] & present[None, :, :]).all(axis=2))
    some = unknown[np.random.default_rng(0).choice(len(unknown), 12, replace=False)]
    for i, j in some[some[:, 0] != some[:, 1]]:
        assert found[i, j] == pytest.approx(direct(points, present, i, j), rel=1e-4)


def test_known_distances_are_exact():
    points, present, _ = clusters_with_gaps(3)
    found = ExpectedDistances.learn(points, present)(np.arange(120))
    exact = sum(((view[:, None] - view[None, :]) ** 2).sum(axis=2) for view in points)
    known = (present[:, None, :] & present[None, :, :]).all(axis=2)
    np.testing.assert_allclose(found[known], exact[known], rtol=1e-4, atol=1e-4)


def test_values_of_absent_samples_do_not_matter():
    points, present, _ = clusters_with_gaps(3)
    moved = [np.where(present[:, [v]], view, 1e3) for v, view in enumerate(points)]
    rows = np.arange(5)
    np.testing.assert_allclose(
        ExpectedDistances.learn(moved, present)(rows), ExpectedDistances.learn(points, present)(rows), rtol=1e-4
    )


def test_neighbours_are_in_the_same_cluster_more_often_than_with_mean_distances():
    points, present, y = clusters_with_gaps(3, n=300, share=0.4, k=25)
    means = [2 * view[there].var(axis=0).sum() for view, there in zip(points, present.T, strict=True)]
    total = np.zeros((300, 300))
    for view, there, mean in zip(points, present.T, means, strict=True):
        known = there[:, None] & there[None, :]
        total += np.where(known, ((view[:, None] - view[None, :]) ** 2).sum(axis=2), mean)
    np.fill_diagonal(total, np.inf)
    by_means = np.argsort(total, axis=1)[:, :10]
    expected = joint_neighbors(points, present).index
    assert np.mean(y[expected] == y[:, None]) > np.mean(y[by_means] == y[:, None]) + 0.02


def test_views_without_a_common_sample_and_constant_views():
    points = [np.ones((20, 2)), np.arange(40.0).reshape(20, 2), np.arange(20.0)[:, None]]
    present = np.ones((20, 3), dtype=bool)
    present[:10, 1] = False
    present[10:, 2] = False
    found = ExpectedDistances.learn(points, present)(np.arange(20))
    assert np.isfinite(found).all()
    assert (found >= 0).all()
