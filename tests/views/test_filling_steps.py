"""Each step of filling empty cells, directly."""

import numpy as np
import pytest
import scipy.sparse as sp

from holes import with_holes
from viewfuse.views import filling as module
from viewfuse.views.filling import Filler, has_empty_cells

RNG = np.random.default_rng(0)


def squared_directly(x, y):
    found = np.zeros((len(x), len(y)))
    for i, j in np.ndindex(found.shape):
        for a, b in zip(x[i], y[j], strict=True):
            found[i, j] += 0 if np.isnan(a) else 1 if np.isnan(b) else (a - b) ** 2
    return found


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_squared_differences_over_the_columns_that_a_sample_has(share):
    x = with_holes([RNG.normal(size=(7, 4))], 0.4, 1)[0]
    y = with_holes([RNG.normal(size=(9, 4))], share, 2)[0]
    np.testing.assert_allclose(module._squared_differences(x, y), squared_directly(x, y), atol=1e-12)


def test_differences_of_equal_rows_are_not_negative():
    x = 1e8 + RNG.normal(size=(20, 3))
    assert module._squared_differences(x, x).min() >= 0
    y = x.copy()
    y[0, 0] = np.nan
    assert module._squared_differences(x, y).min() >= 0


def test_the_mean_of_the_first_ten_numbers():
    row = np.arange(14.0)
    row[[0, 3]] = np.nan
    known = row[~np.isnan(row)]
    assert module._mean_of_first(row[None, :]).tolist() == [known[:10].mean()]
    assert module._mean_of_first(np.array([[np.nan, 4.0, 6.0]])).tolist() == [5]
    assert module._mean_of_first(np.full((1, 3), np.nan)).tolist() == [0]


def test_views_count_equally_in_the_distance():
    points = {0: RNG.normal(size=(5, 2)), 1: RNG.normal(size=(5, 6))}
    donors = {0: RNG.normal(size=(30, 2)), 1: RNG.normal(size=(30, 6))}
    distance = squared_directly(points[0], donors[0]) / 2 + squared_directly(points[1], donors[1]) / 6
    for most in (1, 4, 30, 99):
        expected = np.argsort(distance, axis=1, kind="stable")[:, : min(most, 30)]
        np.testing.assert_array_equal(module._nearest(points, donors, most), expected)


def test_equally_near_samples_come_in_their_order():
    points, donors = {0: np.zeros((1, 1))}, {0: np.array([[1.0], [-1.0], [0.5], [1.0], [-1.0]])}
    assert module._nearest(points, donors, 5).tolist() == [[2, 0, 1, 3, 4]]


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_centres_and_scales_leave_empty_cells_out(scale):
    array = with_holes([RNG.normal(3, 2, size=(40, 3))], 0.2)[0]
    donors, centre, spread, whole = module._learn(scale * array, False)
    np.testing.assert_array_equal(donors, scale * array)
    np.testing.assert_allclose(centre, scale * np.nanmean(array, axis=0))
    np.testing.assert_allclose(spread, scale * np.nanstd(array, axis=0))
    assert scale > 1 or whole.tolist() == [False] * 3  # the largest numbers have no fractions


def test_constant_and_empty_columns_have_the_scale_one():
    array = np.column_stack([np.full(5, 7.0), np.full(5, np.nan), np.arange(5.0)])
    _, centre, spread, whole = module._learn(array, False)
    assert centre.tolist() == [7, 0, 2]
    assert spread[:2].tolist() == [1, 1]
    assert whole.tolist() == [True, True, True]
    assert module._learn(array, True)[3].tolist() == [False] * 3  # encoded columns are never whole
    assert module._learn(np.array([[0.5], [1.0]]), False)[3].tolist() == [False]


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.array([[1.0, np.nan], [1.0, 2.0]]), True),
        (np.array([[np.nan, np.nan], [1.0, 2.0]]), False),
        (np.array([[1.0, 2.0]]), False),
        (np.array([[1, 2]]), False),
        (sp.csr_array(np.array([[1.0, np.nan]])), False),
    ],
)
def test_what_has_empty_cells(array, expected):
    assert has_empty_cells(array) == expected


def test_views_without_empty_cells_are_returned_as_they_are():
    whole, holed = RNG.normal(size=(30, 2)), with_holes([RNG.normal(size=(30, 3))], 0.2)[0]
    filler = Filler.learn([whole, holed], ready=[False, False])
    filled = filler.fill([whole, holed])
    assert filled[0] is whole
    assert not np.isnan(filled[1]).any()
    np.testing.assert_array_equal(filled[1][~np.isnan(holed)], holed[~np.isnan(holed)])
    assert filler.fill([whole, np.nan_to_num(holed)])[0] is whole


def test_relations_are_neither_filled_nor_compared():
    graph, holed = RNG.random((30, 30)), with_holes([RNG.normal(size=(30, 3))], 0.2)[0]
    graph[3, 4] = np.nan
    filler = Filler.learn([graph, holed], ready=[False, False], left_out=[True, False])
    assert filler.donors[0] is None
    filled = filler.fill([graph, holed])
    assert filled[0] is graph
    np.testing.assert_allclose(filled[1], Filler.learn([holed], ready=[False]).fill([holed])[0])
    assert Filler.learn([sp.csr_array(graph), holed], ready=[False, False]).donors[0] is None


def test_single_precision_stays_single():
    holed = with_holes([RNG.normal(size=(30, 3))], 0.2)[0].astype(np.float32)
    assert Filler.learn([holed], ready=[False]).fill([holed])[0].dtype == np.float32


@pytest.mark.parametrize(("n", "width", "kept"), [(2000, 3, 2000), (2001, 3, 2000), (2001, 20_000, 1000), (90, 10**6, 50)])
def test_as_many_donors_as_fit(n, width, kept, monkeypatch):
    seen = []
    monkeypatch.setattr(module, "_learn", lambda donors, ready: (seen.append(donors), (None,) * 4)[1])

    class Wide(np.ndarray):
        """An array with the shape of a wide one, without its memory."""

        @property
        def shape(self):
            return (len(self), width)

    Filler.learn([np.arange(float(n))[:, None].view(Wide)], ready=[False])
    rows = np.asarray(seen[0])[:, 0]
    assert len(rows) == kept
    assert (np.diff(rows) > 0).all()
    if kept == n:
        np.testing.assert_array_equal(rows, np.arange(n))


def test_samples_in_some_of_the_views():
    filler = Filler.learn([np.ones((3, 1)), 2 * np.ones((3, 2))], ready=[False, False])
    some = filler.of_views([1, None, 0])
    assert [None if donors is None else donors.shape[1] for donors in some.donors] == [2, None, 1]
    assert some.centres[0].tolist() == [2, 2]
    assert some.centres[1] is None


def test_cells_are_filled_in_parts_that_fit_in_memory(monkeypatch):
    assert module._parts(5, 10**9) == [slice(i, i + 1) for i in range(5)]
    assert module._parts(5, 10) == [slice(0, 200_000)]
    assert module._parts(0, 10) == []
    assert module._parts(3, 0) == [slice(0, 2_000_000)]
    holed = with_holes([RNG.normal(size=(60, 3))], 0.2)[0]
    at_once = Filler.learn([holed], ready=[False]).fill([holed])[0]
    monkeypatch.setattr(module, "_BLOCK", 7)
    monkeypatch.setattr(module, "_MOST_CANDIDATES", 200)
    np.testing.assert_array_equal(Filler.learn([holed], ready=[False]).fill([holed])[0], at_once)


@pytest.mark.parametrize(("share", "considered"), [(1.0, 80), (0.5, 160), (0.3, 200)])
def test_more_samples_are_considered_where_few_have_the_cell(share, considered, monkeypatch):
    seen = []
    nearest = module._nearest

    def counted(points, donors, most):
        seen.append(most)
        return nearest(points, donors, most)

    monkeypatch.setattr(module, "_nearest", counted)
    donors = RNG.normal(size=(400, 2))
    donors[: round(400 * (1 - share)), 0] = np.nan
    own = np.array([[np.nan, 0.5]])
    module._fill_standardised(own, np.isnan(own), {0: own}, {0: np.nan_to_num(donors)}, donors)
    assert seen == [considered]


def test_whole_numbers_are_rounded_only_where_they_were_empty():
    array = np.column_stack([np.arange(40.0), RNG.normal(size=40)])
    array[5, 0] = array[6, 1] = np.nan
    filler = Filler.learn([array], ready=[False])
    new = np.array([[np.nan, 0.3], [2.5, np.nan]])
    filled = filler.fill([new])[0]
    assert filled[0, 0] == round(filled[0, 0])
    assert filled[1, 0] == 2.5
    assert filled[1, 1] != round(filled[1, 1])
