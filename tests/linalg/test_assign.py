import numpy as np
import pytest

from viewfuse._utils.device import to_host
from viewfuse.exceptions import DegenerateGraphWarning, DivergenceError
from viewfuse.linalg import (
    all_clusters_taken,
    assign_clusters,
    cluster_centres,
    distance_confidence,
    edge_confidence,
    margin_confidence,
    nearest_centres,
    refilled,
    unit_rows,
)


def test_rows_are_scaled_to_unit_length():
    rows = unit_rows(np.array([[3.0, 4.0], [0.0, 0.0], [1e-9, 0.0]]))
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0, 0], [1, 0]])


def test_groups_of_equal_rows_become_clusters():
    embedding = np.repeat(np.eye(3), 5, axis=0)
    labels = assign_clusters(embedding, 3, n_init=3, random_state=np.random.RandomState(0))
    assert [len(set(labels[i : i + 5])) for i in (0, 5, 10)] == [1, 1, 1]
    assert sorted(set(labels)) == [0, 1, 2]


def test_too_few_different_rows_warn():
    embedding = np.repeat(np.eye(2), 5, axis=0)
    with pytest.warns(DegenerateGraphWarning, match="Only 2 of 3 clusters"):
        assign_clusters(embedding, 3, n_init=1, random_state=np.random.RandomState(0))


def test_confidence_by_hand():
    # Sample 0 has mean edge 2 to its cluster (sample 1) and 1 to the next; 1 and 3 have edges to their own only; 4 has none.
    graph = np.array(
        [
            [9.0, 2, 2, 0, 0],
            [2, 9, 0, 0, 0],
            [2, 0, 9, 4, 0],
            [0, 0, 4, 9, 0],
            [0, 0, 0, 0, 9],
        ]
    )
    confidence = edge_confidence(graph, np.array([0, 0, 1, 1, 2]))
    np.testing.assert_allclose(confidence, [1 / 3, 1, (4 - 1) / (4 + 1), 1, 0])


def test_confidence_does_not_depend_on_cluster_numbers_or_self_loops():
    graph = np.random.default_rng(0).random((12, 12))
    labels = np.arange(12) % 3
    expected = edge_confidence(graph, labels)
    np.testing.assert_allclose(edge_confidence(graph, np.array([7, -2, 40])[labels]), expected)
    np.testing.assert_allclose(edge_confidence(graph + 5 * np.eye(12), labels), expected)
    assert expected.dtype == np.float64


def test_confidence_is_0_with_one_cluster():
    confidence = edge_confidence(np.ones((4, 4), dtype=np.float32), np.full(4, 3))
    np.testing.assert_array_equal(confidence, np.zeros(4))
    assert confidence.dtype == np.float64


def test_margin_confidence_by_hand():
    # clear, equal, wrong, no edges; the strongest other cluster counts, not the sum of the others
    means = np.array([[3.0, 1, 1], [2, 2, 0], [1, 3, 0], [0, 0, 0], [0, 1, 3]])
    np.testing.assert_allclose(margin_confidence(means, np.array([0, 0, 0, 1, 2])), [0.5, 0, 0, 0, 0.5])


def test_distance_confidence_by_hand(xp):
    rows = xp.asarray([[0.0, 0], [1, 0], [2, 0], [0, 3]])
    confidence = distance_confidence(rows, xp.asarray([[0.0, 0], [2, 0]]))  # squared distances 0 4, 1 1, 4 0, 9 13
    np.testing.assert_allclose(to_host(confidence), [1, 0, 1, 4 / 13], atol=1e-12)
    assert not to_host(distance_confidence(rows, xp.asarray([[5.0, 5]]))).any()  # one centre
    assert not to_host(distance_confidence(rows[:1, :], xp.asarray([[0.0, 0], [0, 0]]))).any()  # two equal centres


def test_nearest_centres_equal_a_direct_computation(xp):
    rng = np.random.default_rng(0)
    rows, centres = rng.normal(size=(40, 3)), 2 * rng.normal(size=(5, 3))
    distances = ((rows[:, None] - centres[None]) ** 2).sum(axis=2)
    np.testing.assert_array_equal(
        np.asarray(nearest_centres(xp.asarray(rows), xp.asarray(centres))), distances.argmin(axis=1)
    )


def test_centres_and_labels_come_from_the_same_kmeans(xp):
    rows = np.random.default_rng(1).normal(size=(60, 2)) + 6 * np.repeat(np.eye(2), 30, axis=0)
    rows = xp.asarray(rows)
    labels = assign_clusters(rows, 2, n_init=3, random_state=np.random.RandomState(0))
    centres = cluster_centres(rows, 2, n_init=3, random_state=np.random.RandomState(0))
    assert centres.shape == (2, 2)
    np.testing.assert_array_equal(np.asarray(labels), np.asarray(nearest_centres(rows, centres)))
    assert sorted(np.bincount(np.asarray(labels))) == [30, 30]


def test_more_starts_lower_the_inertia():
    rows = np.random.default_rng(0).normal(size=(200, 4))

    def inertia(n_init):
        centres = cluster_centres(rows, 15, n_init=n_init, random_state=np.random.RandomState(0))
        return ((rows - centres[nearest_centres(rows, centres)]) ** 2).sum()

    assert inertia(20) < inertia(1)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_an_embedding_that_is_not_finite_raises(wrong, xp):
    rows = np.ones((4, 2))
    rows[1, 1] = wrong
    with pytest.raises(DivergenceError, match="not finite"):
        assign_clusters(xp.asarray(rows), 2, n_init=1, random_state=np.random.RandomState(0))


def test_empty_clusters_get_the_samples_with_the_largest_costs():
    labels, costs = np.array([0, 0, 0, 2, 2, 4]), np.array([1.0, 3, 2, 5, 4, 9])
    # Sample 5 has the largest cost but is the only one of its cluster. 3 moves, so 4 has to stay; then 1 moves.
    np.testing.assert_array_equal(refilled(labels, costs, 5), [0, 3, 0, 1, 2, 4])
    np.testing.assert_array_equal(labels, [0, 0, 0, 2, 2, 4])
    full = np.array([0, 1, 1])
    assert refilled(full, np.ones(3), 2) is full


def test_labels_without_empty_clusters_are_returned_unchanged(xp):
    labels = xp.asarray(np.array([1, 0, 1]))
    assert all_clusters_taken(labels, xp.zeros(3), 2) is labels
    with pytest.warns(DegenerateGraphWarning, match="Only 2 of 3 clusters"):
        refilled_ones = all_clusters_taken(labels, xp.asarray(np.array([1.0, 0, 2])), 3)
    assert np.asarray(refilled_ones).tolist() == [1, 0, 2]


def test_costs_are_distances_from_the_centre():
    embedding = np.array([[0.0], [0.0], [0.0], [1.0], [1.0]])
    with pytest.warns(DegenerateGraphWarning, match="Only 2 of 4"):
        labels = assign_clusters(embedding, 4, n_init=1, random_state=np.random.RandomState(0))
    assert sorted(set(labels)) == [0, 1, 2, 3]
