import numpy as np
import pytest

from viewfuse.exceptions import DegenerateGraphWarning
from viewfuse.spectral import assign_clusters, tie_confidence, unit_rows


def test_rows_become_directions():
    rows = unit_rows(np.array([[3.0, 4.0], [0.0, 0.0], [1e-9, 0.0]]))
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0, 0], [1, 0]])


def test_groups_of_rows_become_clusters():
    embedding = np.repeat(np.eye(3), 5, axis=0)
    labels = assign_clusters(embedding, 3, n_init=3, random_state=np.random.RandomState(0))
    assert [len(set(labels[i : i + 5])) for i in (0, 5, 10)] == [1, 1, 1]
    assert sorted(set(labels)) == [0, 1, 2]


def test_too_few_different_rows_are_warned_about():
    embedding = np.repeat(np.eye(2), 5, axis=0)
    with pytest.warns(DegenerateGraphWarning, match="Only 2 of 3 clusters"):
        assign_clusters(embedding, 3, n_init=1, random_state=np.random.RandomState(0))


def test_confidence_by_hand():
    # Sample 0 has mean tie 2 to its cluster (sample 1) and 1 to the next; 1 and 3 have ties to their own only; 4 has none.
    graph = np.array(
        [
            [9.0, 2, 2, 0, 0],
            [2, 9, 0, 0, 0],
            [2, 0, 9, 4, 0],
            [0, 0, 4, 9, 0],
            [0, 0, 0, 0, 9],
        ]
    )
    confidence = tie_confidence(graph, np.array([0, 0, 1, 1, 2]))
    np.testing.assert_allclose(confidence, [1 / 3, 1, (4 - 1) / (4 + 1), 1, 0])
