"""n_clusters="auto" on data that have little to count: an answer or a clear error, for every fusion estimator."""

import numpy as np
import pytest

from viewfuse import GF, GFSC, AnchorGFSC, AutoFusion, metrics
from viewfuse.datasets import make_views
from viewfuse.exceptions import ParameterError, UninformativeViewWarning, ViewsError

ESTIMATORS = [AutoFusion, GFSC, GF, AnchorGFSC]


@pytest.mark.parametrize("method", [AutoFusion, AnchorGFSC])
def test_samples_missing_from_views(method):
    views = make_views(n_samples=300, n_clusters=4, n_features=(6, 9), missing=0.2, random_state=0)
    model = method("auto", random_state=0).fit(views)
    assert model.n_clusters_ == 4
    assert metrics.accuracy(views.y, model.labels_) > 0.9


@pytest.mark.parametrize("method", [GFSC, GF])
def test_samples_missing_from_views_are_refused_with_a_way_out(method):
    views = make_views(n_samples=100, n_clusters=4, n_features=(6, 9), missing=0.2, random_state=0)
    with pytest.raises(ParameterError, match=r"needs all samples in all views.*Set n_clusters to a number"):
        method("auto").fit(views)


@pytest.mark.parametrize("method", [AutoFusion, GFSC, GF])
def test_eight_samples_are_one_cluster(method):
    assert method("auto", random_state=0).fit([np.random.default_rng(0).normal(size=(8, 3))]).n_clusters_ == 1


def test_eight_samples_are_too_few_for_anchors():
    with pytest.raises(ViewsError, match="can be estimated from at least 10"):
        AnchorGFSC("auto").fit([np.random.default_rng(0).normal(size=(8, 3))])


def test_two_samples_many_times_are_two_clusters():
    labels = AutoFusion("auto", random_state=0).fit([np.repeat([[0.0, 0.0], [5.0, 5.0]], 30, axis=0)]).labels_
    assert metrics.ari(np.repeat([0, 1], 30), labels) == 1


@pytest.mark.parametrize("method", ESTIMATORS)
def test_the_same_sample_many_times_is_refused(method):
    with pytest.raises(ViewsError, match="Every view is constant"):
        method("auto").fit([np.ones((30, 3))])


@pytest.mark.parametrize("method", ESTIMATORS)
def test_a_constant_view_does_not_change_the_number(method):
    view = make_views(n_samples=90, n_clusters=3, n_features=(8,), random_state=0).arrays[0]
    with pytest.warns(UninformativeViewWarning, match="is constant"):
        assert method("auto", random_state=0).fit([np.ones((90, 2)), view]).n_clusters_ == 3


@pytest.mark.parametrize("method", ESTIMATORS)
def test_noise_views_are_named_also_if_samples_are_missing(method):
    views = make_views(n_samples=300, n_clusters=4, n_features=(6, 9), noise_views=1, missing=0.2, random_state=0)
    assert method(4, random_state=0).fit(views).noise_views_ == ("noise0",)
