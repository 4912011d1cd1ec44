"""Stability of a clustering in halves of the samples, compared with fits of these halves."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

import viewfuse as vf
from viewfuse import GFSC, METHODS, AnchorGFSC, AutoFusion, selection
from viewfuse.datasets import load_digits_views, make_views
from viewfuse.exceptions import ConvergenceWarning, ParameterError, ViewsError, ViewsTypeError
from viewfuse.linalg import halves, recurrence
from viewfuse.selection.stability import _summarised

CLEAR = make_views(n_samples=90, n_features=(6, 9), random_state=0)
TOUCHING = make_views(n_samples=240, n_clusters=4, n_features=(6, 9), noise=4.0, random_state=0)
NO_CLUSTERS = make_views(n_samples=240, n_features=(6, 9), n_clusters=1, random_state=0)


def by_fits(model, views, parts):
    """The direct, slow version: another fit for every half."""
    resampled = []
    for part in parts:
        found = np.full(len(views), -1)
        found[part] = clone(model).fit(views[part]).labels_
        resampled.append(found)
    return recurrence(model.labels_, resampled)


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.ViewfuseWarning")
@pytest.mark.parametrize(
    ("views", "k"),
    [(CLEAR, 3), (TOUCHING, 4), (NO_CLUSTERS, 4), (load_digits_views()[:300], 10)],
    ids=["clear", "touching", "none", "digits"],
)
def test_a_shared_graph_gives_about_the_stability_of_fits(views, k):
    model = GFSC(k, random_state=0).fit(views)
    found = selection.stability(model, views, random_state=0)
    expected = by_fits(model, views, halves(len(views), 20, k + 1, np.random.RandomState(1)))
    assert found.overlap.mean() == pytest.approx(expected.mean_overlap.mean(), abs=0.12)
    assert found.clusters.mean() == pytest.approx(expected.clusters.mean(), abs=0.25)
    assert np.nanmean(found.samples) == pytest.approx(np.nanmean(expected.samples), abs=0.12)


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.ViewfuseWarning")
@pytest.mark.parametrize("key", ["km", "co-reg", "gf", "anchor-gfsc", "auto"])
def test_other_methods_are_fitted_anew(key):
    model = METHODS[key](n_clusters=4, random_state=0).fit(TOUCHING)
    found = selection.stability(model, TOUCHING, n_resamples=4, random_state=3)
    expected = by_fits(model, TOUCHING, halves(240, 4, 5, np.random.RandomState(3)))
    np.testing.assert_allclose(found.clusters, expected.clusters)
    np.testing.assert_allclose(found.samples, expected.samples)


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.ViewfuseWarning")
@pytest.mark.parametrize("key", METHODS)
def test_clusters_come_back_if_they_are_in_the_data_and_otherwise_not(key):
    clear = selection.stability(METHODS[key](n_clusters=3, random_state=0).fit(CLEAR), CLEAR, random_state=0)
    assert (clear.clusters == 1).all()
    assert clear.score > 0.95
    assert clear.samples.shape == (90,)
    assert np.nanmean(clear.samples) > 0.95
    nothing = selection.stability(METHODS[key](n_clusters=4, random_state=0).fit(NO_CLUSTERS), NO_CLUSTERS, random_state=0)
    assert nothing.clusters.mean() < 0.5
    assert nothing.overlap.mean() < 0.75
    assert nothing.score < 0.6


def test_halves_are_complementary():
    drawn = halves(21, 5, 2, np.random.RandomState(0))
    assert len(drawn) == 5
    for one, other in (drawn[:2], drawn[2:4]):
        assert len(one) == len(other) == 10
        assert not set(one) & set(other)
        assert (np.diff(one) > 0).all()
    assert [len(part) for part in halves(5, 2, 4, np.random.RandomState(0))] == [4, 4]


def test_it_prints_how_often_each_cluster_came_back():
    found = selection.stability(GFSC(3, random_state=0).fit(CLEAR), CLEAR, random_state=0)
    assert str(found).splitlines() == [
        "cluster 0 (30 samples) came back in 100 % of resamples",
        "cluster 1 (30 samples) came back in 100 % of resamples",
        "cluster 2 (30 samples) came back in 100 % of resamples",
        "20 resamples, mean adjusted Rand index 1.00",
    ]
    pytest.importorskip("pandas")
    assert found.to_frame()["came_back"].tolist() == [1, 1, 1]


def test_one_array_with_column_groups_is_as_stable_as_its_views():
    column_groups = GFSC(4, views=[slice(0, 6), slice(6, 15)], random_state=0)
    options = {"n_resamples": 2, "random_state": 0}
    expected = selection.stability(GFSC(4, random_state=0), TOUCHING, **options)
    found = selection.stability(column_groups, np.hstack(TOUCHING.arrays), **options)
    np.testing.assert_allclose(found.samples, expected.samples)


def test_given_graphs_are_divided_by_rows_and_columns():
    graphs = [np.exp(-(((x[:, None] - x[None]) ** 2).sum(axis=2)) / 50) for x in CLEAR.arrays]
    for method in (METHODS["sc"], GFSC):
        found = selection.stability(method(3, affinity="precomputed", random_state=0).fit(graphs), graphs, random_state=0)
        assert (found.clusters == 1).all()


@pytest.mark.parametrize("variant", ["published", "paper"])
@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.ViewfuseWarning")
def test_a_variant_without_a_graph_before_the_cut_is_fitted_anew(variant):
    model = GFSC(3, alpha=1.0, beta=1.0, gamma=0.01, variant=variant, max_iter=20, random_state=0).fit(CLEAR)
    found = selection.stability(model, CLEAR, n_resamples=2, random_state=3)
    expected = by_fits(model, CLEAR, halves(90, 2, 4, np.random.RandomState(3)))
    np.testing.assert_allclose(found.samples, expected.samples)


def test_samples_may_be_missing_from_views():
    views = make_views(n_samples=120, n_features=(6, 9, 12), missing=0.2, random_state=0)
    for method in (GFSC, AnchorGFSC, AutoFusion):
        model = method(3, random_state=0).fit(views)
        assert selection.stability(model, views, random_state=0).clusters.min() > 0.8


def test_no_fit_of_a_half_is_cut_short():
    calls = []

    def stop(iteration, state):
        calls.append(iteration)
        return True

    with pytest.warns(ConvergenceWarning):
        model = GFSC(4, max_time=1e-9, callback=stop, random_state=0).fit(TOUCHING)
    seen = len(calls)
    with pytest.warns(ConvergenceWarning, match="The fit was stopped by .* before it converged"):
        found = selection.stability(model, TOUCHING, n_resamples=4, random_state=0)
    assert len(calls) == seen
    free = GFSC(4, random_state=0).fit(TOUCHING)
    free.labels_ = model.labels_
    np.testing.assert_allclose(found.samples, selection.stability(free, TOUCHING, n_resamples=4, random_state=0).samples)


@pytest.mark.parametrize("method", [AutoFusion, AnchorGFSC])
def test_as_many_samples_are_drawn_as_the_method_clusters(method, monkeypatch):
    views = make_views(n_samples=600, n_features=(6, 9), random_state=0)
    monkeypatch.setattr(method, "_n_clustered", lambda self, n: min(n, 200))
    found = selection.stability(method(3, random_state=0).fit(views), views, random_state=0)
    assert np.isfinite(found.samples).sum() == 200
    assert (found.clusters == 1).all()


def test_one_cluster_comes_back():
    with pytest.warns(vf.exceptions.NoStructureWarning):
        model = AutoFusion(random_state=0).fit(NO_CLUSTERS)
    found = selection.stability(model, NO_CLUSTERS, random_state=0)
    assert found.clusters.tolist() == [1]


def test_other_data_than_that_of_the_fit_is_refused():
    model = GFSC(3, random_state=0).fit(CLEAR)
    with pytest.raises(ViewsError, match="fitted on 90 samples, but the views have 60"):
        selection.stability(model, CLEAR[:60])
    array = pytest.importorskip("dask.array", reason="Dask is not installed")
    with pytest.raises(ViewsTypeError, match="needs views in memory"):
        selection.stability(model, [array.from_array(x) for x in CLEAR.arrays])


def test_figures_of_resamples_by_hand():
    """Of five samples, each resample has some; -1 are those that it does not have."""
    labels = np.array([0, 0, 0, 1, 1])
    found = _summarised(labels, [np.array([1, 1, -1, 0, -1]), np.array([0, 1, 1, -1, 0])])
    assert found.sizes.tolist() == [3, 2]
    assert found.each == pytest.approx([1, adjusted_rand_score([0, 0, 0, 1], [0, 1, 1, 0])])
    assert found.score == pytest.approx(np.mean(found.each))


@pytest.mark.parametrize(("method", "expected"), [(GFSC, 20), (METHODS["km"], 6)])
def test_the_number_of_resamples(method, expected):
    assert len(selection.stability(method(3, random_state=0).fit(CLEAR), CLEAR, random_state=0).each) == expected
    assert len(selection.stability(method(3, random_state=0), CLEAR, n_resamples=1, random_state=0).each) == 1
    with pytest.raises(ParameterError, match="n_resamples"):
        selection.stability(method(3, random_state=0), CLEAR, n_resamples=0)


def test_one_cluster_is_that_of_every_resample():
    model = METHODS["km"](2, random_state=0).fit(CLEAR)
    model.labels_ = np.zeros(90, dtype=int)
    found = selection.stability(model, CLEAR)
    assert (found.sizes.tolist(), found.clusters.tolist(), found.overlap.tolist(), found.score) == ([90], [1], [1], 1)
    assert found.samples.tolist() == [1] * 90
