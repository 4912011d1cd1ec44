"""Fusion of views with missing samples, which are completed from similar samples."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

import viewfuse as vf
from reference import deviations
from viewfuse.exceptions import EmptyCellsWarning, ParameterError, UninformativeViewWarning, ViewsError
from viewfuse.fusion import fuse_graphs, gfsc, learned_factors
from viewfuse.graphs import completed_factors


def incomplete(n=120, missing=0.3, seed=0):
    views = vf.datasets.make_views(n_samples=n, n_features=(5, 8, 6), noise=2.0, missing=missing, random_state=seed)
    return [np.asarray(x) for x in views.arrays], views.present, views.y


def test_a_missing_sample_is_the_mean_of_its_strongest_neighbours_in_the_view():
    arrays, present, _ = incomplete(n=60)
    unit = []
    for x, has in zip(arrays, present.T, strict=True):
        unit.append(np.zeros_like(x))
        unit[-1][has] = deviations(x[has])
    completed = completed_factors(learned_factors([np.nan_to_num(x) for x in arrays]), present, alpha=2.0)
    total, count = np.zeros((60, 60)), np.zeros((60, 60))
    for v, x in enumerate(unit):
        has = present[:, v]
        gram = x[has] @ x[has].T  # of the samples present in the view only
        total[np.ix_(has, has)] += np.maximum(np.linalg.solve(gram + 2 * np.eye(len(gram)), gram), 0)
        count[np.ix_(has, has)] += 1
    edges = total / np.maximum(count, 1)
    for v, x in enumerate(unit):
        expected = x.copy()
        for i in np.flatnonzero(~present[:, v]):
            strongest = np.argsort(-edges[i] * present[:, v])[:40]
            expected[i] = edges[i, strongest] @ x[strongest]
        expected *= np.sqrt(100 / 60) / np.linalg.norm(expected, axis=1, keepdims=True)
        basis = completed[v].basis
        assert np.allclose(basis @ basis.T, expected @ expected.T, atol=1e-4)


def test_a_complete_view_is_returned_unchanged():
    arrays, present, _ = incomplete()
    factors = learned_factors([np.nan_to_num(x) for x in arrays])
    present[:, 1] = True
    completed = completed_factors(factors, present, alpha=2.0)
    assert completed[1] is factors[1]
    assert completed[0] is not factors[0]


def test_without_missing_samples_the_result_is_identical():
    arrays, _, _ = incomplete(missing=0.0)
    complete = gfsc(arrays, 3, random_state=0)
    covered = gfsc(arrays, 3, present=np.ones((120, 3), dtype=bool), random_state=0)
    assert np.array_equal(complete.consensus, covered.consensus)
    assert np.array_equal(complete.weights, covered.weights)


def test_a_sample_with_no_similar_sample_in_the_view_stays_zero():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 20, 4))
    present = np.ones((20, 2), dtype=bool)
    present[:10, 1] = present[10:, 0] = False  # no sample is in both views
    arrays = [first * present[:, :1], second * present[:, 1:]]
    basis = completed_factors(learned_factors(arrays), present, alpha=2.0)[1].basis
    assert np.array_equal(np.linalg.norm(basis, axis=1) > 0, present[:, 1])


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.SuspiciousValuesWarning")  # rows of means are warned of
def test_missing_samples_lose_less_accuracy_than_mean_imputation():
    views = vf.datasets.load_digits_views()[:500]
    lost, lost_by_means = [], []
    for seed in range(3):
        absent = np.random.default_rng(seed).random((500, views.n_views)) < 0.5
        absent[absent.all(axis=1), 0] = False
        holes = [np.where(absent[:, [v]], np.nan, x) for v, x in enumerate(views.arrays)]
        means = [np.where(np.isnan(x), np.nanmean(x, axis=0), x) for x in holes]
        complete, some, filled = (
            vf.metrics.accuracy(views.y, vf.GFSC(10, random_state=0).fit(data).labels_) for data in (views, holes, means)
        )
        lost.append(complete - some)
        lost_by_means.append(complete - filled)
    assert np.mean(lost) < 0.06
    assert np.mean(lost) < np.mean(lost_by_means) - 0.05


def test_given_graphs_must_cover_every_sample():
    with pytest.raises(ParameterError, match="must cover every sample"):
        fuse_graphs([np.ones((4, 4))], 2, present=np.ones((4, 1), dtype=bool))


@pytest.mark.parametrize("estimator", [vf.GFSC, vf.GF])
def test_nan_rows_masks_and_empty_sparse_rows_are_equivalent(estimator):
    arrays, present, y = incomplete()
    by_nan = estimator(3, random_state=0).fit(arrays)
    filled = [np.where(np.isnan(x), 7.0, x) for x in arrays]
    by_mask = estimator(3, random_state=0).fit(vf.Views(filled, present=present))
    sparse = [sp.csr_array(np.nan_to_num(x)) for x in arrays]
    by_sparse = estimator(3, random_state=0).fit(vf.Views(sparse, present=present))
    assert (by_nan.labels_ == by_mask.labels_).all()
    assert adjusted_rand_score(by_nan.labels_, by_sparse.labels_) > 0.98
    assert adjusted_rand_score(y, by_nan.labels_) > 0.9
    assert np.isclose(by_nan.view_weights_.sum(), 1)


def test_single_cells_are_filled_and_samples_without_any_view_refused():
    arrays, _, _ = incomplete()
    broken = [x.copy() for x in arrays]
    row = int(np.flatnonzero(~np.isnan(broken[1]).any(axis=1))[0])
    broken[1][row, 2] = np.nan
    with pytest.warns(EmptyCellsWarning, match=r"filled from similar samples in 'view1' \(1 sample\)"):
        vf.GFSC(3, random_state=0).fit(broken)
    missing_everywhere = [x.copy() for x in arrays]
    for x in missing_everywhere:
        x[11] = np.nan
    with pytest.raises(ViewsError, match="row 11 is missing from every view"):
        vf.GFSC(3).fit(missing_everywhere)
    with pytest.raises(ViewsError, match="NaN"):
        vf.GFSC(3, variant="published").fit(arrays)
    with pytest.raises(ParameterError, match="'auto' needs all samples"):
        vf.GFSC("auto").fit(arrays)
    with pytest.raises(ParameterError, match="needs every sample in every view"):
        gfsc([np.nan_to_num(x) for x in arrays], 3, variant="paper", present=~np.isnan(arrays[0][:, :1]))


def test_a_constant_view_with_missing_samples_is_still_constant():
    arrays, present, _ = incomplete()
    flat = np.where(present[:, :1], 1.0, np.nan) * np.ones((1, 2))
    with pytest.warns(UninformativeViewWarning, match="constant"):
        model = vf.GFSC(3, random_state=0).fit([*arrays, flat])
    assert model.view_weights_[3] == 0
    single_view = np.where(np.arange(120)[:, None] == 5, np.nan, arrays[0])
    single_view[np.isnan(single_view).any(axis=1)] = np.nan
    with (
        pytest.raises(ViewsError, match="is missing from every view that is not constant"),
        pytest.warns(UninformativeViewWarning),
    ):
        vf.GFSC(3).fit([single_view, np.ones((120, 2))])
