"""Numbers of clusters by size."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewfuse._utils.device import to_host
from viewfuse.linalg import numbered_by_size, occurrences, order_by_size, renumbered


def sorted_directly(labels):
    """The clusters as lists of samples, the largest first, of equal sizes the one with the earlier sample."""
    clusters = [[i for i, label in enumerate(labels) if label == value] for value in set(labels)]
    return sorted(clusters, key=lambda members: (-len(members), members[0]))


@given(st.lists(st.integers(-3, 6), min_size=1, max_size=40))
def test_the_numbers_are_positions_in_the_sorted_list_of_clusters(labels):
    found = numbered_by_size(np.array(labels))
    for number, members in enumerate(sorted_directly(labels)):
        assert np.flatnonzero(found == number).tolist() == members


def test_an_empty_cluster_comes_last():
    sizes, first = occurrences(np.array([2, 0, 0, 2, 3]), 4)
    assert sizes.tolist() == [2, 0, 2, 1]
    assert first.tolist() == [1, 5, 0, 4]
    assert order_by_size(sizes, first).tolist() == [2, 0, 3, 1]


def test_labels_stay_in_their_library_and_type(xp):
    labels = xp.asarray([1, 1, 0, 2, 2, 2])
    found = numbered_by_size(labels)
    assert type(found) is type(labels)
    assert to_host(found).tolist() == [1, 1, 2, 0, 0, 0]
    again = renumbered(labels, np.array([2, 1, 0]))
    assert again.dtype == labels.dtype
    assert to_host(again).tolist() == [1, 1, 2, 0, 0, 0]


@pytest.mark.parametrize("labels", [[0], [5, 5, 5]])
def test_a_single_cluster_is_number_0(labels):
    assert not numbered_by_size(np.array(labels)).any()
