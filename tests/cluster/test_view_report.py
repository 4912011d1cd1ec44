"""The report on the views, and warnings about degenerate clusters."""

import pickle

import numpy as np
import pytest

from viewfuse import GF, GFSC, AnchorGFSC
from viewfuse.cluster._view_report import noise_views, separation, separation_by_products
from viewfuse.datasets import make_views
from viewfuse.exceptions import DegenerateClustersWarning
from viewfuse.graphs import unit_samples

CLEAN = make_views(n_samples=90, n_features=(6, 9), random_state=0)


def test_separation_is_the_deviation_from_random_labels():
    rng = np.random.default_rng(0)
    view = unit_samples(rng.normal(size=(120, 8)) + 0.3)
    labels = np.repeat([0, 1, 2], [60, 40, 20])
    centred = view.values - view.values.mean(axis=0)

    def between(labels):
        return sum((labels == r).sum() * (centred[labels == r].mean(axis=0) ** 2).sum() for r in range(3))

    drawn = np.array([between(rng.permutation(labels)) for _ in range(4000)])
    found = separation(view.values, labels)
    assert found == pytest.approx((between(labels) - drawn.mean()) / drawn.std(), abs=0.1)
    assert separation_by_products(view.values @ view.values.T, labels) == pytest.approx(found)


@pytest.mark.parametrize(
    ("separations", "noise"),
    [([50, 60, 1.0], [2]), ([50, 60, 20], []), ([5, 4, 1], []), ([900, 30, -1], [1, 2]), ([np.nan, np.nan], [])],
)
def test_only_a_view_with_far_less_separation_is_a_noise_view(separations, noise):
    assert noise_views(np.array(separations)).tolist() == noise


@pytest.mark.parametrize("method", [GFSC, AnchorGFSC])
@pytest.mark.parametrize("fault", ["noise_views", "conflicting_views"])
def test_noise_views_are_named(fault, method):
    views = make_views(n_samples=120, n_features=(10, 20), **{fault: 1}, random_state=0)
    model = method(3, random_state=0).fit(views)
    report = model.view_report_
    assert model.noise_views_ == report.noise == (views.names[2],)
    assert f"<b>{views.names[2]}</b>" in model._repr_html_inner()
    assert report.separation.argmin() == report.alone.argmin() == 2
    assert report.loss[2] == 0
    assert f"{views.names[2]}" in str(report).splitlines()[3]
    assert str(report).count("noise view") == 1


@pytest.mark.parametrize("method", [GFSC, GF, AnchorGFSC])
def test_clean_views_find_the_clusters_alone_and_are_not_needed(method):
    report = method(3, random_state=0).fit(CLEAN).view_report_
    assert (report.alone > 0.8).all()
    assert (report.loss < 0.2).all()
    assert report.noise == ()
    assert report.weight.sum() == pytest.approx(1)


@pytest.mark.filterwarnings("ignore:Views 'left', 'right' have only one or two features")  # two directions are enough here
def test_views_that_are_both_needed_have_a_large_loss():
    y = np.arange(120) % 4
    rng = np.random.default_rng(0)
    corners = 5 * np.eye(2)
    views = {"left": corners[y // 2], "right": corners[y % 2]}
    views = {name: view + rng.normal(size=(120, 2)) for name, view in views.items()}
    report = GFSC(4, random_state=0).fit(views).view_report_
    assert (report.loss > 0.3).all()


def test_a_pickled_model_keeps_the_report_but_not_the_data():
    model = GFSC(3, random_state=0).fit(CLEAN)
    fresh = pickle.loads(pickle.dumps(model))
    with pytest.raises(AttributeError, match="only if it was computed before"):
        _ = fresh.view_report_
    asked = model.view_report_
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).view_report_.alone, asked.alone)
    assert model.view_report_ is asked
    assert model.fit(CLEAN).view_report_ is not asked
    assert not hasattr(GFSC(3), "view_report_")


def test_a_report_of_one_view_and_of_given_graphs():
    lone = GFSC(3, random_state=0).fit([CLEAN.arrays[0]]).view_report_
    assert lone.alone[0] == 1
    assert np.isnan(lone.loss[0])
    graphs = [np.maximum(view @ view.T, 0) for view in CLEAN.arrays]
    given = GFSC(3, affinity="precomputed", random_state=0).fit(graphs).view_report_
    assert np.isnan(given.separation).all()
    assert given.to_frame().shape == (2, 4)


def test_a_giant_cluster_gives_a_warning_with_the_likely_cause():
    graph = np.ones((100, 100)) + 2 * np.eye(100)
    graph[:2, 2:] = graph[2:, :2] = graph[0, 1] = graph[1, 0] = 1e-3  # two samples that are similar to no other
    with pytest.warns(DegenerateClustersWarning, match=r"98 of 100, are in one cluster.*row [01].*unlike all others"):
        GF(3, affinity="precomputed", random_state=0).fit([graph])


def test_unbalanced_sizes():
    from viewfuse import Views
    from viewfuse.cluster._checks import unbalanced_sizes

    views = Views([np.ones((60, 1))])
    assert unbalanced_sizes(np.repeat([0, 1, 2], 20), 3, views) is None
    assert unbalanced_sizes(np.repeat([0, 1], [54, 6]), 2, views) is None
    assert "57 of 60" in unbalanced_sizes(np.repeat([0, 1, 2], [57, 2, 1]), 3, views)
    assert "2 of 4 clusters hold a single sample" in unbalanced_sizes(np.repeat([0, 1, 2, 3], [30, 28, 1, 1]), 4, views)
    assert unbalanced_sizes(np.arange(60), 60, views) is None  # too few samples per cluster to tell
