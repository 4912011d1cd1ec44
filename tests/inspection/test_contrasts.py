"""Features of clusters: kinds, extreme values, and which samples are compared."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from viewfuse import Views, ViewsError, inspection
from viewfuse.inspection.markers import _tie_sums, adjusted, contrast, contrasts_of_views, feature_kinds, feature_name

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ([0, 1, 1, 0], "category"),
        ([0, 0, 0, 0], "category"),
        ([0, np.nan, 1, 1], "category"),
        ([0, 2, 1, 0], "number"),
        ([0, 10, 1, 0], "number"),
        ([0, 11, 1, 0], "count"),
        ([1, 11, 2, 5], "number"),  # none is 0, as of ages
        ([-1, 11, 0, 5], "number"),
        ([0, 11.5, 0, 5], "number"),
        ([0, np.nan, 12, 5], "count"),
        ([np.nan] * 4, "number"),
    ],
)
def test_kinds(column, kind):
    assert feature_kinds(np.array(column, dtype=float)[:, None]).tolist() == [kind]


@pytest.mark.parametrize("scale", [1e-150, 1e90, 1e150, 1e305])
def test_extreme_values_have_the_same_figures(scale):
    values, labels = RNG.normal(size=(40, 2)), np.arange(40) % 2
    plain, extreme = contrast(values, labels, np.array([0, 1])), contrast(scale * values, labels, np.array([0, 1]))
    for name in ("effect", "auc", "p_value"):
        np.testing.assert_allclose(getattr(extreme, name), getattr(plain, name))
    for name in ("inside", "outside"):
        np.testing.assert_allclose(getattr(extreme, name) / scale, getattr(plain, name))


def test_columns_that_vary_only_by_rounding_do_not_vary():
    values = np.full((10, 1), 1e6) + np.arange(10)[:, None] * 1e-9
    found = contrast(values, np.arange(10) % 2, np.array([0, 1]))
    assert found.effect.tolist() == [[0], [0]]
    assert found.auc.tolist() == [[0.5], [0.5]]
    varied = contrast(np.full((10, 1), 1e6) + np.arange(10)[:, None] * 1e-3, np.arange(10) % 2, np.array([0, 1]))
    assert (varied.effect != 0).all()


def test_a_cluster_without_known_values_and_one_of_all_samples():
    values = np.array([[1.0], [2.0], [np.nan], [np.nan]])
    labels = np.array([0, 0, 1, 1])
    found = contrast(values, labels, np.array([0, 1]))
    assert found.effect.tolist() == [[0], [0]]
    assert found.auc.tolist() == [[0.5], [0.5]]
    assert found.p_value.tolist() == [[1], [1]]
    assert found.inside[0, 0] == 1.5
    whole = contrast(np.array([[1.0], [2.0]]), np.array([0, 0]), np.array([0]))
    assert (whole.effect[0, 0], whole.auc[0, 0], whole.p_value[0, 0]) == (0, 0.5, 1)


def test_columns_of_equal_values_are_certain_of_nothing():
    found = contrast(np.ones((6, 1)), np.arange(6) % 2, np.array([0, 1]))
    assert found.p_value.tolist() == [[1], [1]]


def test_sums_over_ties():
    values = np.array([[1.0, 5.0], [1.0, 5.0], [1.0, 2.0], [3.0, np.nan], [3.0, np.nan]])
    assert _tie_sums(values, np.isfinite(values)).tolist() == [(27 - 3) + (8 - 2), 8 - 2]


def test_every_sample_or_some_of_each_cluster_are_compared():
    labels = np.repeat([0, 1], [30, 10])
    values = np.arange(40.0)[:, None]
    views = Views([values])
    every = contrasts_of_views(labels, views, 40)["view0"]
    assert every.inside[:, 0].tolist() == [14.5, 34.5]
    some = contrasts_of_views(labels, views, 20)["view0"]
    assert some.inside[:, 0].tolist() == [14.0, 34.0]  # every second sample


def test_relations_have_no_features():
    views = Views({"g": np.eye(4), "x": RNG.normal(size=(4, 2))}, kinds={"g": "graph"})
    assert list(contrasts_of_views(np.array([0, 0, 1, 1]), views)) == ["x"]
    with pytest.raises(ViewsError, match="All views are relations between samples") as caught:
        inspection.markers(SimpleNamespace(labels_=np.array([0, 0, 1, 1])), Views([np.eye(4)], kinds="graph"))
    assert caught.value.parameter == "views"


def test_dates_are_marked():
    frame = pd.DataFrame({"day": pd.date_range("2020", periods=40), "n": RNG.normal(size=40)})
    found = contrasts_of_views(np.arange(40) % 2, Views({"t": frame}))["t"]
    assert found.kind.tolist() == ["date", "number"]


def test_the_table_is_ordered_by_cluster_and_effect_and_has_directions():
    labels = np.repeat([0, 1], 20)
    values = RNG.normal(size=(40, 3)) + np.outer(labels, [1.0, -4.0, 2.0])
    table = inspection.markers(SimpleNamespace(labels_=labels), [values])
    assert table["cluster"].tolist() == [0] * 3 + [1] * 3
    assert table["feature"].tolist() == ["column 1", "column 2", "column 0"] * 2
    assert table["direction"].tolist() == ["higher", "lower", "lower", "lower", "higher", "higher"]
    assert table["inside"].iloc[0] == pytest.approx(values[:20, 1].mean())
    raw = contrast(values, labels, np.array([0, 1])).p_value.ravel()
    assert sorted(table["p_adjusted"]) == pytest.approx(sorted(adjusted(raw)))


def test_names_of_features():
    assert feature_name(None, 3) == "column 3"
    assert feature_name(np.array(["a", "b"], dtype=object), 1) == "b"


def test_adjusted_values_are_at_most_one_and_keep_their_order():
    assert adjusted(np.array([0.9, 0.8, 0.01])).tolist() == pytest.approx([0.9, 0.9, 0.03])
    assert adjusted(np.empty(0)).tolist() == []
    assert adjusted(np.array([1.0, 1.0])).tolist() == [1, 1]
