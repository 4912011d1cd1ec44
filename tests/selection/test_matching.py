"""Renumbering of clusters to agree with an earlier clustering."""

from itertools import permutations

import numpy as np
import pytest

from viewfuse import metrics
from viewfuse.exceptions import ParameterError
from viewfuse.selection import match


@pytest.mark.parametrize("seed", range(20))
def test_no_other_numbering_agrees_on_more_samples(seed):
    rng = np.random.RandomState(seed)
    labels, reference = rng.randint(4, size=30), rng.randint(4, size=30)
    best = max((np.array(numbers)[labels] == reference).sum() for numbers in permutations(range(4)))
    found = match(labels, reference)
    assert (found == reference).sum() == best
    assert metrics.ari(found, labels) == 1


def test_the_same_clusters_get_the_numbers_of_the_reference():
    reference = np.array([7, 7, 7, 3, 3, 5])
    assert match([1, 1, 1, 2, 2, 0], reference).tolist() == reference.tolist()


def test_extra_clusters_get_new_numbers_by_size():
    reference = [0] * 6 + [1] * 6
    labels = [5] * 3 + [4] + [3] * 2 + [8] * 6
    assert match(labels, reference).tolist() == [0] * 3 + [3] + [2] * 2 + [1] * 6


def test_numbers_of_clusters_that_are_gone_stay_unused():
    assert match([0, 0, 0, 1], [0, 0, 1, 2]).tolist() == [0, 0, 0, 2]


def test_a_pair_without_a_common_sample_is_no_match():
    # Two clusters of each; all samples in common are of one pair, so the Hungarian algorithm must pair the others.
    pandas = pytest.importorskip("pandas")
    labels = pandas.Series([0, 0, 1, 1], index=list("abxy"))
    reference = pandas.Series([6, 6, 9], index=list("abz"))
    assert match(labels, reference).tolist() == [6, 6, 10, 10]


def test_series_are_matched_by_their_index():
    pandas = pytest.importorskip("pandas")
    reference = pandas.Series([2, 2, 2, 1, 1], index=list("abcde"))
    labels = pandas.Series([0, 0, 1, 1, 1, 1], index=list("dexcab"))
    assert match(labels, reference).tolist() == [1, 1, 2, 2, 2, 2]


@pytest.mark.parametrize(
    ("labels", "reference", "message"),
    [
        ([0, 1], [0, 1, 1], "labels has 2 samples, but reference has 3. Pass the earlier labels of the same samples"),
        ([0.5, 1], [0, 1], "labels must be a vector of whole numbers"),
        ([0, 1], ["a", "b"], "reference must be a vector of whole numbers"),
        ([], [], "labels must be a vector of whole numbers, one for each sample; got an array of shape"),
        ([[0, 1]], [0, 1], "labels must be a vector"),
    ],
)
def test_labels_that_cannot_be_matched_raise_an_error(labels, reference, message):
    with pytest.raises(ParameterError, match=message):
        match(labels, reference)


def test_indices_that_cannot_be_matched_raise_an_error():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ParameterError, match="no sample in common"):
        match(pandas.Series([0, 1], index=["a", "b"]), pandas.Series([0, 1], index=["c", "d"]))
    with pytest.raises(ParameterError, match="The index of reference has ids that occur more than once"):
        match(pandas.Series([0, 1], index=["a", "b"]), pandas.Series([0, 1], index=["a", "a"]))
