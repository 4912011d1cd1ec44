"""Empty cells are filled from similar samples, compared with a slow direct version."""

import warnings

import numpy as np
import pytest

import viewfuse as vf
from viewfuse import Views
from viewfuse.exceptions import EmptyCellsWarning, UnusedColumnsWarning, ViewfuseWarning, ViewsError
from viewfuse.views.filling import Filler


def with_holes(arrays, share, seed=0):
    rng = np.random.default_rng(seed)
    holed = []
    for array in arrays:
        empty = rng.random(array.shape) < share
        empty[empty.all(axis=1), 0] = False
        holed.append(np.where(empty, np.nan, array))
    return holed


def filled_directly(arrays):
    """The mean of the ten nearest samples that have the cell, cell by cell."""
    points = [(x - np.nanmean(x, axis=0)) / np.nanstd(x, axis=0) for x in arrays]
    n = len(arrays[0])
    filled = [x.copy() for x in arrays]
    for i in range(n):
        distances = np.full(n, np.inf)
        for j in range(n):
            parts = [np.nanmean((x[i] - x[j]) ** 2) for x in points if (~np.isnan(x[i] - x[j])).any()]
            distances[j] = np.mean(parts) if parts else np.inf
        order = np.argsort(distances, kind="stable")
        for x, out in zip(arrays, filled, strict=True):
            for column in np.flatnonzero(np.isnan(x[i])):
                donors = [j for j in order if not np.isnan(x[j, column])][:10]
                out[i, column] = np.mean(x[donors, column])
    return filled


def test_cells_are_filled_as_by_the_slow_version():
    rng = np.random.default_rng(0)
    arrays = with_holes([rng.normal(size=(60, 4)) * [1, 10, 100, 1000], rng.normal(size=(60, 3))], 0.2)
    filled = Filler.learn(arrays, ready=[False, False]).fill(arrays)
    for found, expected in zip(filled, filled_directly(arrays), strict=True):
        np.testing.assert_allclose(found, expected)


def test_new_samples_are_filled_from_those_of_the_fit_one_at_a_time_as_in_a_batch():
    rng = np.random.default_rng(0)
    filler = Filler.learn([rng.normal(size=(80, 5))], ready=[False])
    new = with_holes([rng.normal(size=(12, 5))], 0.3)[0]
    batch = filler.fill([new])[0]
    single = np.vstack([filler.fill([row[None, :]])[0] for row in new])
    np.testing.assert_allclose(batch, single)


def test_columns_of_whole_numbers_are_filled_with_whole_numbers():
    counts = with_holes([np.random.default_rng(0).poisson(6.0, (50, 12)).astype(float)], 0.1)
    with pytest.warns(EmptyCellsWarning, match="Empty cells were filled"):
        array = Views(counts).arrays[0]
    np.testing.assert_array_equal(array, np.round(array))


def test_a_row_without_any_value_is_missing_from_the_view_and_not_filled():
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(30, 3)), rng.normal(size=(30, 2))]
    arrays[0][4] = np.nan
    views = Views(arrays)
    assert np.isnan(views.arrays[0][4]).all()
    arrays[0][5, 1] = np.nan
    with pytest.warns(EmptyCellsWarning):
        views = Views(arrays)
    np.testing.assert_array_equal(views.present[:, 0], np.arange(30) != 4)


def test_a_column_that_is_mostly_empty_is_left_out_and_said():
    array = np.random.default_rng(0).normal(size=(40, 3))
    array[:30, 1] = np.nan
    with pytest.warns(UnusedColumnsWarning, match=r"'1' of 'view0' \(75% of its cells are empty\)"):
        views = Views([array])
    assert views.shape == (40, 2)
    with pytest.raises(ViewsError, match="no column that can be used"):
        Views([np.where(np.eye(3, dtype=bool)[np.arange(40) % 3], 1.0, np.nan)])


def test_the_input_is_not_changed():
    array = with_holes([np.random.default_rng(0).normal(size=(40, 3))], 0.1)[0]
    before = array.copy()
    with pytest.warns(EmptyCellsWarning):
        Views([array])
    np.testing.assert_array_equal(array, before)


@pytest.mark.parametrize(("share", "most"), [(0.05, 0.01), (0.15, 0.03), (0.3, 0.06)])
def test_clusters_are_found_with_empty_cells(share, most):
    views = vf.datasets.make_views(n_samples=200, n_clusters=4, n_features=(5, 4), random_state=0)
    complete = vf.metrics.accuracy(views.y, vf.AutoFusion(4, random_state=0).fit(views).labels_)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ViewfuseWarning)
        model = vf.AutoFusion(4, random_state=0).fit(with_holes(views.arrays, share))
    assert complete - vf.metrics.accuracy(views.y, model.labels_) <= most
