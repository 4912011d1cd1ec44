"""Fusion where samples lack views: a view's graph covers the samples it has."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

import viewfuse as vf
from viewfuse.exceptions import ParameterError, UninformativeViewWarning, ViewsError
from viewfuse.fusion import gfsc
from viewfuse.graphs import unit_samples


def incomplete(n=120, missing=0.3, seed=0):
    views = vf.datasets.make_views(n_samples=n, n_features=(5, 8, 6), noise=2.0, missing=missing, random_state=seed)
    return [np.asarray(x) for x in views.arrays], views.present, views.y


def test_the_first_consensus_is_the_mean_of_the_graphs_that_cover_a_pair():
    arrays, present, _ = incomplete(n=40)
    zeros = [np.nan_to_num(x) for x in arrays]
    result = gfsc(zeros, 3, gamma=0.0, beta=1e-9, max_iter=1, tol=0, present=present, random_state=0)
    total, count = np.zeros((40, 40)), np.zeros((40, 40))
    for v, x in enumerate(zeros):
        has = present[:, v]
        own = unit_samples(x).values[has]  # the samples that have the view, alone
        gram = own @ own.T
        graph = np.maximum(np.linalg.solve(gram + 10 * np.eye(len(own)), gram), 0)
        total[np.ix_(has, has)] += result.sweeps[0].weights[v] * (graph + graph.T) / 2
        count[np.ix_(has, has)] += result.sweeps[0].weights[v]
    expected = total / np.where(count > 0, count, 1)
    assert np.allclose(result.consensus, expected, atol=1e-5)
    assert (result.consensus[count == 0] == 0).all()


def test_nobody_missing_is_the_complete_fusion():
    arrays, _, _ = incomplete(missing=0.0)
    complete = gfsc(arrays, 3, random_state=0)
    covered = gfsc(arrays, 3, present=np.ones((120, 3), dtype=bool), random_state=0)
    assert np.allclose(complete.consensus, covered.consensus, atol=1e-5)
    assert np.allclose(complete.weights, covered.weights, atol=1e-5)


@pytest.mark.parametrize("estimator", [vf.GFSC, vf.GF])
def test_nan_rows_masks_and_empty_sparse_rows_are_the_same(estimator):
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


def test_what_is_missing_has_to_be_whole_rows_of_some_views():
    arrays, _, _ = incomplete()
    broken = [x.copy() for x in arrays]
    row = int(np.flatnonzero(~np.isnan(broken[1]).any(axis=1))[0])
    broken[1][row, 2] = np.nan
    with pytest.raises(ViewsError, match=rf"NaN in row {row}, column 2"):
        vf.GFSC(3).fit(broken)
    nowhere = [x.copy() for x in arrays]
    for x in nowhere:
        x[11] = np.nan
    with pytest.raises(ViewsError, match="row 11 lacks every view"):
        vf.GFSC(3).fit(nowhere)
    with pytest.raises(ViewsError, match="NaN"):
        vf.GFSC(3, variant="published").fit(arrays)
    with pytest.raises(ParameterError, match="'auto' needs every sample"):
        vf.GFSC("auto").fit(arrays)
    with pytest.raises(ParameterError, match="needs every sample in every view"):
        gfsc([np.nan_to_num(x) for x in arrays], 3, variant="paper", present=~np.isnan(arrays[0][:, :1]))


def test_a_constant_view_that_some_lack_is_still_constant():
    arrays, present, _ = incomplete()
    flat = np.where(present[:, :1], 1.0, np.nan) * np.ones((1, 2))
    with pytest.warns(UninformativeViewWarning, match="constant"):
        model = vf.GFSC(3, random_state=0).fit([*arrays, flat])
    assert model.view_weights_[3] == 0
    alone = np.where(np.arange(120)[:, None] == 5, np.nan, arrays[0])
    alone[np.isnan(alone).any(axis=1)] = np.nan
    with (
        pytest.raises(ViewsError, match="lacks every view that tells samples apart"),
        pytest.warns(UninformativeViewWarning),
    ):
        vf.GFSC(3).fit([alone, np.ones((120, 2))])
