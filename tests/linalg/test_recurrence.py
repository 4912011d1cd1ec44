"""How often clusters come back, compared with sets."""

import numpy as np
import pytest

from viewfuse.linalg import recurrence


def jaccard(one, other):
    return len(one & other) / len(one | other)


def members(labels, cluster):
    return {i for i, label in enumerate(labels) if label == cluster}


def directly(labels, resampled):
    """Overlaps and the share of resamples in which a sample is in the cluster most like its own, with Python's sets."""
    overlap, kept = [], {i: [] for i in range(len(labels))}
    for found in resampled:
        inside = {i for i, label in enumerate(found) if label >= 0}
        row = []
        for cluster in range(max(labels) + 1):
            own = members(labels, cluster) & inside
            scores = [jaccard(own, members(found, other)) for other in range(max(found) + 1)] if own else [np.nan]
            row.append(max(scores))
            for i in own:
                kept[i].append(found[i] == int(np.argmax(scores)))
        overlap.append(row)
    return overlap, [np.mean(times) if times else np.nan for times in kept.values()]


@pytest.mark.parametrize("seed", range(10))
def test_it_agrees_with_sets(seed):
    rng = np.random.RandomState(seed)
    labels = np.concatenate([np.arange(4), rng.randint(4, size=20)])
    resampled = [np.where(rng.uniform(size=24) < 0.6, rng.randint(5, size=24), -1) for _ in range(6)]
    for found in resampled:
        found[rng.randint(24)] = 4
    found, (overlap, samples) = recurrence(labels, resampled), directly(labels.tolist(), [one.tolist() for one in resampled])
    np.testing.assert_allclose(found.overlap, overlap)
    np.testing.assert_allclose(found.samples, samples)
    np.testing.assert_allclose(found.mean_overlap, np.nanmean(overlap, axis=0))


def test_the_same_clusters_come_back_in_any_numbering():
    labels = np.array([0, 0, 0, 1, 1, 2])
    found = recurrence(labels, [np.array([5, 5, -1, 2, 2, 0]), np.array([0, -1, 0, 1, -1, 2])])
    assert found.clusters.tolist() == [1, 1, 1]
    assert found.samples.tolist() == [1] * 6


def test_a_cluster_came_back_from_a_jaccard_index_of_three_quarters():
    labels = np.array([0] * 4 + [1] * 6)
    three_of_four = np.array([0] * 3 + [1] * 7)
    two_of_four = np.array([0] * 2 + [1] * 8)
    found = recurrence(labels, [labels, three_of_four, two_of_four, two_of_four])
    assert found.overlap[:, 0].tolist() == [1, 0.75, 0.5, 0.5]
    assert found.clusters.tolist() == [0.5, 1]
    assert found.samples[3] == 0.25


def test_what_was_never_drawn_has_no_value():
    found = recurrence(np.array([0, 0, 1]), [np.array([0, -1, -1]), np.array([0, -1, -1])])
    np.testing.assert_equal(found.clusters, [1, np.nan])
    np.testing.assert_equal(found.samples, [1, np.nan, np.nan])
