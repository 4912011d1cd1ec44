"""The number of clusters, chosen by choose_n_clusters and by estimators with n_clusters="auto"."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from viewfuse import GF, GFSC, AnchorGFSC, Views, ViewsError, metrics, selection
from viewfuse.cluster import KM
from viewfuse.datasets import make_views
from viewfuse.exceptions import NoStructureWarning, ParameterError


@pytest.mark.parametrize(("k", "seed"), [(2, 0), (3, 1), (5, 2), (8, 3)])
def test_number_of_clear_blobs(k, seed):
    views = make_views(n_samples=160, n_clusters=k, random_state=seed)
    found = selection.choose_n_clusters(views, range(2, 11), random_state=0)
    assert found.structured
    assert found.suggested == k


def test_every_input_type_gives_the_same_scores():
    views = make_views(n_samples=90, n_features=(5, 8), random_state=0)
    options = {"random_state": 0}
    expected = selection.choose_n_clusters(views, **options)
    for data in (list(views), dict(zip("ab", views, strict=True)), [sp.csr_array(view) for view in views]):
        np.testing.assert_allclose(selection.choose_n_clusters(data, **options).gain, expected.gain, atol=1e-6)


@pytest.mark.parametrize("features", [(10, 20, 30), (5, 3), (2, 2)])
def test_one_gaussian_has_no_clusters(features):
    views = make_views(n_samples=200, n_clusters=1, n_features=features, random_state=0)
    found = selection.choose_n_clusters(views, random_state=0)
    assert not found.structured
    assert found.suggested == 1


def test_one_gaussian_shared_by_the_views_has_no_clusters():
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(200, 4))
    views = [hidden @ rng.normal(size=(4, 10)) + 0.3 * rng.normal(size=(200, 10)) for _ in range(3)]
    assert not selection.choose_n_clusters(views, random_state=0).structured


@pytest.mark.parametrize(
    ("counts", "message"),
    [([], "no number"), ([1, 2], "at least 2"), ([2.5], "whole number"), ([2, 60], "60 clusters, but there are only 60")],
)
def test_invalid_counts_are_refused(counts, message):
    with pytest.raises(ParameterError, match=message):
        selection.choose_n_clusters(make_views(n_samples=60, random_state=0), counts)


@pytest.mark.parametrize("method", [GFSC, GF])
def test_estimator_chooses_the_number_of_clusters(method):
    views = make_views(n_samples=120, n_clusters=4, n_features=(6, 9), random_state=0)
    model = method("auto", random_state=0).fit(views)
    assert model.n_clusters_ == model.cluster_counts_.suggested == 4
    assert metrics.accuracy(views.y, model.labels_) > 0.95
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).cluster_counts_.gain, model.cluster_counts_.gain)
    assert np.unique(model.relabel(random_state=1)).size == 4
    model.set_params(n_clusters=3).fit(views)
    assert model.n_clusters_ == 3
    assert not hasattr(model, "cluster_counts_")


def test_anchor_gfsc_counts_on_samples_present_in_every_view():
    views = make_views(n_samples=300, n_clusters=4, n_features=(6, 9), missing=0.1, random_state=0)
    model = AnchorGFSC("auto", random_state=0).fit(views)
    assert model.n_clusters_ == model.cluster_counts_.suggested == 4
    assert metrics.accuracy(views.y, model.labels_) > 0.95
    with pytest.raises(ViewsError, match="samples are present in every view"):
        AnchorGFSC("auto").fit(make_views(n_samples=20, n_features=(6, 9), missing=0.48, random_state=0))


def test_number_of_clusters_of_precomputed_graphs():
    labels = np.repeat(np.arange(3), 30)
    graph = np.random.default_rng(0).random((90, 90)) * np.where(labels[:, None] == labels, 1, 0.2)
    model = GFSC("auto", affinity="precomputed", random_state=0).fit([graph, sp.csr_array(graph)])
    assert model.n_clusters_ == 3


def test_estimator_returns_one_cluster_for_data_without_clusters():
    views = make_views(n_samples=150, n_clusters=1, random_state=0)
    with pytest.warns(NoStructureWarning, match="There are no clusters.*one cluster"):
        model = GFSC("auto", random_state=0).fit(views)
    assert model.n_clusters_ == 1
    assert not model.labels_.any()
    assert not model.confidence_.any()


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.DegenerateClustersWarning")
@pytest.mark.parametrize("options", [{}, {"variant": "published", "alpha": 0.1, "beta": 2.0, "gamma": 0.1, "tol": 0.02}])
def test_counting_uses_a_sample_of_large_data(options, monkeypatch):
    monkeypatch.setattr(GFSC, "_most_counted", 90)
    views = make_views(n_samples=200, n_clusters=4, random_state=0)
    model = GFSC("auto", random_state=0, **options).fit(views)
    assert model.n_clusters_ == 4
    assert model.cluster_counts_.counts[-1] <= 18  # a fifth of 90
    assert model.labels_.size == 200


def test_four_samples_have_no_clusters():
    with pytest.warns(NoStructureWarning):
        assert GFSC("auto", random_state=0).fit(Views([np.eye(4) + 0.1])).n_clusters_ == 1


def test_invalid_n_clusters_is_refused():
    views = make_views(n_samples=60, random_state=0)
    with pytest.raises(ParameterError, match="'auto'"):
        GFSC("many").fit(views)
    with pytest.raises(ParameterError, match="whole number"):
        KM("auto").fit(views)
