"""Choices without labels."""

import json
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from viewfuse import GF, GFSC, AnchorGFSC, Views, ViewsError, metrics, selection
from viewfuse.cluster import KM
from viewfuse.datasets import make_views
from viewfuse.exceptions import NoStructureWarning, ParameterError


@pytest.mark.parametrize(("k", "seed"), [(2, 0), (3, 1), (5, 2), (8, 3)])
def test_clear_blobs_are_counted(k, seed):
    views = make_views(n_samples=160, n_clusters=k, random_state=seed)
    found = selection.choose_n_clusters(views, range(2, 11), n_resamples=3, random_state=0)
    assert found.structured
    assert found.suggested == k


def test_every_way_in_counts_the_same():
    views = make_views(n_samples=90, n_features=(5, 8), random_state=0)
    options = {"n_resamples": 2, "random_state": 0}
    expected = selection.choose_n_clusters(views, **options)
    for way in (list(views), dict(zip("ab", views, strict=True)), [sp.csr_array(view) for view in views]):
        np.testing.assert_allclose(selection.choose_n_clusters(way, **options).gain, expected.gain, atol=1e-6)


@pytest.mark.parametrize("features", [(10, 20, 30), (5, 3), (2, 2)])
def test_a_cloud_has_no_clusters(features):
    views = make_views(n_samples=200, n_clusters=1, n_features=features, random_state=0)
    found = selection.choose_n_clusters(views, n_resamples=4, random_state=0)
    assert not found.structured
    assert found.suggested == 1


def test_a_cloud_that_the_views_share_has_no_clusters():
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(200, 4))
    views = [hidden @ rng.normal(size=(4, 10)) + 0.3 * rng.normal(size=(200, 10)) for _ in range(3)]
    assert not selection.choose_n_clusters(views, n_resamples=4, random_state=0).structured


@pytest.mark.parametrize(
    ("counts", "message"),
    [([], "no number"), ([1, 2], "at least 2"), ([2.5], "whole number"), ([2, 60], "60 clusters cannot")],
)
def test_numbers_that_cannot_be_tried(counts, message):
    with pytest.raises(ParameterError, match=message):
        selection.choose_n_clusters(make_views(n_samples=60, random_state=0), counts)


@pytest.mark.parametrize("method", [GFSC, GF])
def test_an_estimator_that_counts_for_itself(method):
    views = make_views(n_samples=120, n_clusters=4, n_features=(6, 9), random_state=0)
    model = method("auto", random_state=0).fit(views)
    assert model.n_clusters_ == model.cluster_counts_.suggested == 4
    assert metrics.accuracy(views.y, model.labels_) > 0.95
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).cluster_counts_.gain, model.cluster_counts_.gain)
    assert np.unique(model.relabel(random_state=1)).size == 4
    model.set_params(n_clusters=3).fit(views)
    assert model.n_clusters_ == 3
    assert not hasattr(model, "cluster_counts_")


def test_anchors_count_samples_that_have_every_view():
    views = make_views(n_samples=300, n_clusters=4, n_features=(6, 9), missing=0.1, random_state=0)
    model = AnchorGFSC("auto", random_state=0).fit(views)
    assert model.n_clusters_ == model.cluster_counts_.suggested == 4
    assert metrics.accuracy(views.y, model.labels_) > 0.95
    with pytest.raises(ViewsError, match="samples are present in every view"):
        AnchorGFSC("auto").fit(make_views(n_samples=20, n_features=(6, 9), missing=0.48, random_state=0))


def test_graphs_that_are_given_are_counted_too():
    labels = np.repeat(np.arange(3), 30)
    graph = np.random.default_rng(0).random((90, 90)) * np.where(labels[:, None] == labels, 1, 0.2)
    model = GFSC("auto", affinity="precomputed", random_state=0).fit([graph, sp.csr_array(graph)])
    assert model.n_clusters_ == 3


def test_an_estimator_does_not_invent_clusters():
    views = make_views(n_samples=150, n_clusters=1, random_state=0)
    with pytest.warns(NoStructureWarning, match="2 to 12.*one cluster"):
        model = GFSC("auto", random_state=0).fit(views)
    assert model.n_clusters_ == 1
    assert not model.labels_.any()
    assert not model.confidence_.any()


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.DegenerateClustersWarning")
@pytest.mark.parametrize("options", [{}, {"variant": "published", "alpha": 0.1, "beta": 2.0, "gamma": 0.1, "tol": 0.02}])
def test_of_many_samples_some_are_counted(options, monkeypatch):
    monkeypatch.setattr(GFSC, "_most_counted", 90)
    views = make_views(n_samples=200, n_clusters=4, random_state=0)
    model = GFSC("auto", random_state=0, **options).fit(views)
    assert model.n_clusters_ == 4
    assert model.cluster_counts_.counts[-1] == 9  # √90
    assert model.labels_.size == 200


def test_few_samples_have_no_clusters():
    with pytest.warns(NoStructureWarning):
        assert GFSC("auto", random_state=0).fit(Views([np.eye(4) + 0.1])).n_clusters_ == 1


def test_only_some_methods_count():
    views = make_views(n_samples=60, random_state=0)
    with pytest.raises(ParameterError, match="'auto'"):
        GFSC("many").fit(views)
    with pytest.raises(ParameterError, match="whole number"):
        KM("auto").fit(views)


def test_stability_is_high_for_clusters_and_low_for_none():
    clear = make_views(n_samples=90, n_features=(6, 9), random_state=0)
    cloud = make_views(n_samples=90, n_features=(6, 9), n_clusters=1, random_state=0)
    options = {"n_resamples": 3, "random_state": 0}
    found = selection.stability(GFSC(3, random_state=0).fit(clear), clear, **options)
    assert found.score == pytest.approx(found.each.mean())
    assert found.score > 0.95
    assert selection.stability(GFSC(3, random_state=0), cloud, **options).score < 0.8


def test_stability_of_one_array_split_by_columns():
    views = make_views(n_samples=90, n_features=(6, 9), random_state=0)
    together = GFSC(3, views=[slice(0, 6), slice(6, 15)], random_state=0)
    options = {"n_resamples": 2, "random_state": 0}
    apart = selection.stability(GFSC(3, random_state=0), views, **options)
    np.testing.assert_allclose(selection.stability(together, np.hstack(views.arrays), **options).each, apart.each)


GRID = {"alpha": [1, 2], "gamma": [1, 2]}


def test_tuning_picks_the_clustering_in_the_middle_of_all():
    views = make_views(n_samples=90, noise=5, n_features=(6, 9), random_state=0)
    found = selection.tune(views, 3, grid=GRID)
    labels = [GFSC(3, random_state=0, **point).fit(views).labels_ for point in found.points]
    expected = [np.mean([metrics.ari(a, b) for j, b in enumerate(labels) if j != i]) for i, a in enumerate(labels)]
    np.testing.assert_allclose(found.agreement, expected)
    best = int(np.argmax(expected))
    assert found.best == found.points[best] == {k: v for k, v in found.estimator().get_params().items() if k in GRID}
    np.testing.assert_array_equal(found.labels, labels[best])
    assert list(found.to_frame().columns) == ["alpha", "gamma", "agreement"]
    assert len(str(found).splitlines()) == 5


def test_a_search_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    views = make_views(n_samples=60, n_features=(5, 5), random_state=0)
    whole = selection.tune(views, 3, grid=GRID, folder=tmp_path / "whole")
    fits = []
    real = selection.gfsc

    def counted(*args, **options):
        fits.append(options)
        if len(fits) == 3:
            raise KeyboardInterrupt
        return real(*args, **options)

    monkeypatch.setattr("viewfuse.selection.choices.gfsc", counted)
    with pytest.raises(KeyboardInterrupt):
        selection.tune(views, 3, grid=GRID, folder=tmp_path / "stopped")
    again = selection.tune(views, 3, grid=GRID, folder=tmp_path / "stopped")
    assert len(fits) == 5  # two finished, one stopped, two more
    np.testing.assert_array_equal(again.agreement, whole.agreement)
    lines = (tmp_path / "stopped" / "cells.jsonl").read_text().splitlines()
    assert sum("result" in json.loads(line) for line in lines) == 4
    other = make_views(n_samples=60, n_features=(5, 5), random_state=1)
    selection.tune(other, 3, grid=GRID, folder=tmp_path / "stopped")
    assert len(fits) == 9  # other data is another search


def test_other_methods_are_tuned_through_their_estimators():
    views = make_views(n_samples=60, n_features=(5, 5), random_state=0)
    found = selection.tune(views, 3, "anchor-gfsc", grid={"n_neighbors": [3, 5]})
    assert found.estimator(random_state=0).fit(views).n_clusters == 3
    assert metrics.accuracy(views.y, found.labels) > 0.95


@pytest.mark.parametrize(
    ("method", "grid", "message"),
    [("nothing", None, "No such method"), ("km", None, "no default grid"), ("gfsc", {"delta": [1]}, "must map"),
     ("gfsc", {"alpha": []}, "must map")],
)  # fmt: skip
def test_a_search_that_cannot_be(method, grid, message):
    with pytest.raises(ParameterError, match=message):
        selection.tune(make_views(n_samples=60, random_state=0), 3, method, grid=grid)
