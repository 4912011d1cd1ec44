"""Empty cells are filled from similar samples, compared with a slow direct version."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.impute import KNNImputer
from sklearn.preprocessing import scale

import viewfuse as vf
from holes import mean_loss, with_holes
from viewfuse import AutoFusion, Views
from viewfuse.exceptions import EmptyCellsWarning, UnusedColumnsWarning, ViewfuseWarning, ViewsError
from viewfuse.views.filling import Filler


def filled_directly(arrays):
    """Two passes, cell by cell: the mean of the ten nearest samples that have the cell."""
    points = [(x - np.nanmean(x, axis=0)) / np.nanstd(x, axis=0) for x in arrays]
    completed = points
    for _ in range(2):
        completed = _one_pass(points, completed)
    return [z * np.nanstd(x, axis=0) + np.nanmean(x, axis=0) for x, z in zip(arrays, completed, strict=True)]


def _one_pass(points, compared):
    n = len(points[0])
    filled = [x.copy() for x in points]
    for i in range(n):
        distances = np.zeros(n)
        for j in range(n):
            for x, y in zip(points, compared, strict=True):
                squares = [1.0 if np.isnan(b) else (a - b) ** 2 for a, b in zip(x[i], y[j], strict=True) if not np.isnan(a)]
                distances[j] += sum(squares) / x.shape[1]
        order = np.argsort(distances, kind="stable")
        for x, out in zip(points, filled, strict=True):
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


def test_samples_with_few_columns_in_common_are_not_near_by_chance():
    """The error is well below that of scikit-learn's KNNImputer, which prefers such samples."""
    truth = scale(load_iris().data)
    errors = {"ours": 0.0, "KNNImputer": 0.0}
    for seed in range(4):
        array = with_holes([truth], 0.3, seed)[0]
        found = {
            "ours": Filler.learn([array], ready=[True]).fill([array])[0],
            "KNNImputer": KNNImputer(n_neighbors=10).fit_transform(array),
        }
        for name, filled in found.items():
            errors[name] += np.mean((filled - truth)[np.isnan(array)] ** 2) / 4
    assert errors["ours"] < 0.85 * errors["KNNImputer"]


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
    assert mean_loss(views.arrays, views.y, share, [0]) <= most


def test_new_values_of_any_size():
    """The squares of differences overflow; the nearest donors are those of the other values."""
    rng = np.random.RandomState(0)
    values = rng.standard_normal((60, 3))
    values[0, 0] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ViewfuseWarning)
        model = AutoFusion(2, random_state=0).fit([values])
        new = np.array([[np.nan, 1e300, 0.1], [np.nan, 0.2, -0.1]])
        assert set(model.predict([new])) <= {0, 1}


def test_the_share_of_filled_cells_is_that_of_the_empty_ones():
    arrays = with_holes([np.random.default_rng(0).normal(size=(50, 4)), np.ones((50, 2)) * np.arange(50)[:, None]], 0.2, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ViewfuseWarning)
        views = Views(arrays)
    assert views.filled_share([0]) == pytest.approx(np.isnan(arrays[0]).mean())
    assert views.filled_share([0, 1]) == pytest.approx(np.isnan(np.hstack(arrays)).mean())
    assert Views([np.ones((5, 2))]).filled_share([0]) == 0
