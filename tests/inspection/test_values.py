"""The values that a page gets, which samples are missing, and colours."""

import numpy as np
import pytest
import scipy.sparse as sp

from viewfuse import Views
from viewfuse.inspection import missing as missing_module
from viewfuse.inspection import values as module
from viewfuse.inspection.border import border_samples
from viewfuse.inspection.layouts import drawn_samples, sorted_by_cluster
from viewfuse.inspection.missing import absent_samples
from viewfuse.inspection.palette import PALETTE, colour_of
from viewfuse.inspection.values import drawn_features

RNG = np.random.default_rng(0)
LABELS = np.repeat([0, 1], 10)


def effects(strengths):
    """A view whose features differ between the clusters by these strengths."""
    noise = np.tile(np.random.default_rng(1).normal(size=(10, len(strengths))), (2, 1))
    return noise + np.outer(LABELS, strengths)


def test_all_values_if_they_are_few():
    views = Views({"a": effects([1, 2]), "g": np.eye(20), "b": sp.csr_array(np.eye(20)[:, :3])}, kinds={"g": "graph"})
    rows = np.array([0, 3, 19])
    found = drawn_features(views, rows, LABELS[rows])
    assert found.view.tolist() == [0, 0, 2, 2, 2]
    assert found.names.tolist() == ["column 0", "column 1", "column 0", "column 1", "column 2"]
    assert found.values.dtype == np.float32
    np.testing.assert_allclose(found.values[:2], views.arrays[0][rows].T, rtol=1e-6)
    np.testing.assert_array_equal(found.values[2:], np.eye(20)[rows, :3].T)
    assert found.left_out == 0
    assert found.kinds.tolist() == ["number", "number", "category", "category", "category"]
    assert drawn_features(Views({"g": np.eye(20)}, kinds={"g": "graph"}), rows, LABELS[rows]) is None


def test_of_too_many_those_that_differ_most_are_kept_from_each_view_its_share(monkeypatch):
    monkeypatch.setattr(module, "_FEWEST_FEATURES", 0)
    views = Views({"a": effects([0, 5, 1, -6, 2, 0.5]), "b": effects([3, 0, 4])})
    found = drawn_features(views, np.arange(20), LABELS, most_values=6 * 20)
    assert found.names.tolist() == ["column 1", "column 2", "column 3", "column 4", "column 0", "column 2"]
    assert found.view.tolist() == [0, 0, 0, 0, 1, 1]
    assert found.left_out == 3
    np.testing.assert_allclose(found.values[2], views.arrays[0][:, 3], rtol=1e-6)
    least = drawn_features(views, np.arange(20), LABELS, most_values=1)
    assert least.names.tolist() == ["column 3", "column 2"]  # one of each view


def test_twenty_features_are_kept_if_they_are_not_too_many_values(monkeypatch):
    views = Views({"a": RNG.normal(size=(20, 30))})
    assert len(drawn_features(views, np.arange(20), LABELS, most_values=100).names) == 20
    monkeypatch.setattr(module, "_MOST_VALUES_OF_FEW", 140)
    assert len(drawn_features(views, np.arange(20), LABELS, most_values=100).names) == 7
    monkeypatch.setattr(module, "_MOST_VALUES_OF_FEW", 60)
    assert len(drawn_features(views, np.arange(20), LABELS, most_values=100).names) == 5


def test_missing_samples_have_no_values_and_large_numbers_the_largest():
    big = np.full((20, 1), 1e300)
    big[1] = -1e300
    views = Views([big, np.ones((20, 2))], present=np.column_stack([np.ones(20), np.arange(20) != 4]))
    found = drawn_features(views, np.arange(20), LABELS)
    assert found.values[0, 0] == np.finfo(np.float32).max
    assert found.values[0, 1] == -np.finfo(np.float32).max
    assert np.isnan(found.values[1:, 4]).all()
    assert not np.isnan(found.values[:, 5]).any()


@pytest.mark.parametrize("at_a_time", [3, 65_536])
def test_absent_samples_are_those_without_a_row_or_with_an_empty_one(at_a_time, monkeypatch):
    monkeypatch.setattr(missing_module, "_ROWS_AT_A_TIME", at_a_time)
    array = np.ones((10, 2))
    array[[2, 7]] = np.nan
    array[3, 0] = 5.0
    present = np.ones((10, 3), dtype=bool)
    present[[2, 5, 9], 0] = False
    present[1, 1] = False
    views = Views([array, np.ones((10, 1), dtype=int), sp.csr_array(np.eye(10))], present=present)
    assert [absent_samples(views, v) for v in range(3)] == [4, 1, 0]
    assert absent_samples(Views([array, np.ones((10, 1))]), 0) == 2


def test_colours_repeat_after_thirty():
    assert len(set(PALETTE)) == 30
    assert [colour_of(number) for number in (0, 7, 29)] == [PALETTE[0], PALETTE[7], PALETTE[29]]
    assert [colour_of(number) for number in (30, 37, 61)] == [PALETTE[0], PALETTE[7], PALETTE[1]]


def test_drawn_samples_are_evenly_spaced_members_of_each_cluster():
    labels = np.array([1, 0] * 8)
    assert drawn_samples(labels, 16).tolist() == list(range(16))
    found = drawn_samples(labels, 8)
    assert found.tolist() == sorted([1, 5, 9, 13, 0, 4, 8, 12])
    assert sorted_by_cluster(labels, found).tolist() == [1, 5, 9, 13, 0, 4, 8, 12]
    assert len(drawn_samples(labels, 15)) == 15


def test_border_samples_are_the_least_confident_and_name_the_nearest_other_cluster():
    labels = np.array([0, 0, 1, 1])
    embedding = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [0.1, 1.0]])
    found = border_samples(labels, np.array([0.9, 0.1, 0.5, 0.4]), embedding, list("pqrs"), count=3)
    assert [(one.row, one.name, one.cluster, one.other, one.confidence) for one in found] == [
        (1, "q", 0, 1, 0.1),
        (3, "s", 1, 0, 0.4),
        (2, "r", 1, 0, 0.5),
    ]
    assert border_samples(labels, np.ones(4), None, list("pqrs"))[0].other is None
    assert border_samples(np.zeros(4, dtype=int), np.ones(4), embedding, list("pqrs"))[0].other is None
    assert len(border_samples(np.zeros(40, dtype=int), np.ones(40), None, ["x"] * 40)) == 15
