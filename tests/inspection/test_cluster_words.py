"""What is said of a cluster, part by part."""

import numpy as np
import pytest
import scipy.sparse as sp

from viewfuse import Views
from viewfuse.inspection import features as module
from viewfuse.inspection.features import Cluster, Feature, column_of, describe_clusters, in_words, split_unit
from viewfuse.inspection.neighborhoods import Neighborhoods

RNG = np.random.default_rng(0)


def feature(name="x", kind="number", effect=1.0, inside=2.0, outside=1.0, view="v"):
    return Feature(view, name, kind, effect, inside, outside, 0.8, 0.01)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (feature("age", effect=1.4, inside=62.7, outside=44.1), "higher age (62.7 against 44.1)"),
        (feature("age", effect=-1.4, inside=44.1, outside=62.7), "lower age (44.1 against 62.7)"),
        (feature("calls", "count", 1.0, 12.4, 5.9), "2.1 times the calls (12.4 against 5.9)"),
        (feature("calls", "count", 1.0, 3.0, 2.0), "1.5 times the calls (3 against 2)"),
        (feature("calls", "count", 1.0, 2.9, 2.0), "higher calls (2.9 against 2)"),
        (feature("calls", "count", 1.0, 3.0, 0.0), "higher calls (3 against 0)"),
        (feature("calls", "count", -1.0, 2.0, 4.0), "lower calls (2 against 4)"),
        (feature("calls", "number", 1.0, 12.0, 4.0), "higher calls (12 against 4)"),
        (feature("weight [kg]", inside=82.7, outside=64.1), "higher weight (82.7 kg against 64.1 kg)"),
        (feature("joined", "date", 1.0, 18262.4, 18261.0), "later joined (2020-01-01 against 2019-12-31)"),
        (feature("joined", "date", -1.0, 0.0, 18262.0), "earlier joined (1970-01-01 against 2020-01-01)"),
        (feature("r=w", "category", 1.0, 0.5, 0.2), "mostly r=w (50 % against 20 %)"),
        (feature("r=w", "category", 1.0, 0.49, 0.2), "more often r=w (49 % against 20 %)"),
        (feature("r=w", "category", -1.0, 0.1, 0.5), "less often r=w (10 % against 50 %)"),
        (feature("r=w", "category", -1.0, 0.09, 0.5), "hardly ever r=w (9 % against 50 %)"),
    ],
)
def test_words_of_a_feature(given, words):
    assert given.words == words


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("weight [kg]", ("weight", "kg")),
        ("income (EUR)", ("income", "EUR")),
        ("age", ("age", "")),
        ("[kg]", ("[kg]", "")),
        ("share [of all the samples]", ("share [of all the samples]", "")),
        ("x [123456789012]", ("x", "123456789012")),
        ("x [1234567890123]", ("x [1234567890123]", "")),
    ],
)
def test_units_stand_in_brackets(name, parts):
    assert split_unit(name) == parts


def cluster(**features):
    return Cluster(0, 3, 0.5, None, None, None, None, {}, (), {view: tuple(some) for view, some in features.items()})


def test_top_features_are_those_with_the_largest_effects_of_any_view():
    a, b, c, d = (feature(name, effect=e) for name, e in (("a", 1.0), ("b", -3.0), ("c", 2.0), ("d", 0.6)))
    assert cluster(one=[c, a], two=[b, d]).top_features(3) == [b, c, a]
    assert cluster(one=[c, a], two=[b, d]).top_features(9) == [b, c, a, d]
    assert cluster(one=[c, a], two=[b, d]).words == in_words([b, c, a])


def test_of_the_levels_of_a_category_the_one_that_says_most_is_taken():
    west, east = feature("region=west", "category", 1.0, 0.8, 0.2), feature("region=east", "category", -2.0, 0.1, 0.5)
    other = feature("region=west", "category", 0.9, 0.8, 0.2, view="w")
    assert cluster(v=[east, west], w=[other]).top_features(5) == [east, other]
    assert column_of("region=west=2") == "region"


def test_no_feature():
    assert in_words([]) == "no single feature sets it apart"
    assert cluster().words == ""
    assert cluster(v=[]).words == "no single feature sets it apart"


def test_the_four_largest_effects_of_at_least_a_half_are_kept():
    labels = np.repeat([0, 1], 200)
    noise = np.tile(np.random.default_rng(0).normal(size=(200, 7)), (2, 1))  # the same in both clusters
    noise = (noise - noise.mean(axis=0)) / noise.std(axis=0)
    shifts = np.array([0.2, 0.45, 0.55, 1.0, -2.0, 3.0, 4.0])
    found = describe_clusters(labels, Views({"v": noise + np.outer(labels, shifts)}))
    names = [one.name for one in found[1].features["v"]]
    effects = shifts / np.sqrt(1 + shifts**2 / 4)
    assert names == ["column 6", "column 5", "column 4", "column 3"]
    assert [one.effect for one in found[1].features["v"]] == pytest.approx(effects[[6, 5, 4, 3]])
    few = describe_clusters(labels, Views({"v": (noise + np.outer(labels, shifts))[:, :3]}))
    assert [one.name for one in few[1].features["v"]] == ["column 2"]
    assert few[0].features["v"][0].effect == pytest.approx(-effects[2])


def test_every_figure_of_a_cluster():
    labels = np.array([3, 3, 5, 5, 5, 7])
    confidence = np.array([0.1, 0.3, 0.9, 0.5, 0.7, 1.0])
    found = describe_clusters(labels, None, confidence=confidence, returned=np.array([0.5, np.nan]))
    assert [one.label for one in found] == [3, 5, 7]
    assert [one.size for one in found] == [2, 3, 1]
    assert [one.share for one in found] == pytest.approx([2 / 6, 3 / 6, 1 / 6])
    assert [one.confidence for one in found] == pytest.approx([0.2, 0.7, 1.0])
    assert [one.returned for one in found] == [0.5, None, None]
    assert [(one.silhouette, one.inside, one.view_weights, one.typical) for one in found] == [(None, None, {}, ())] * 3


@pytest.fixture(scope="module")
def near():
    """Two clusters of five; the first sample of each is connected to all others of its cluster."""
    star = np.zeros((10, 10))
    for centre in (0, 5):
        star[centre, centre + 1 : centre + 5] = star[centre + 1 : centre + 5, centre] = 1
    across = star.copy()
    across[4, 9] = across[9, 4] = 1
    empty = np.zeros((10, 10))
    empty[0, 5] = empty[5, 0] = 1
    views = {"clear": sp.csr_array(star), "across": sp.csr_array(across), "wrong": sp.csr_array(empty)}
    return Neighborhoods(
        sp.csr_array(across), views, points=np.repeat([[0.0], [9.0]], 5, axis=0) + 0.1 * RNG.normal(size=(10, 1))
    )


def test_typical_samples_are_in_the_middle_and_shares_are_those_of_edges(near):
    labels, rows = np.repeat([0, 1], 5), np.arange(10)
    first, second = describe_clusters(labels, None, neighborhoods=near, rows=rows, names=[f"s{i}" for i in range(10)])
    assert first.typical[0] == "s0"
    assert second.typical[0] == "s5"
    assert len(first.typical) == 3
    assert "s4" not in first.typical  # half of its edges lead to the other cluster
    assert first.inside == pytest.approx((1 + 1 + 1 + 1 + 0.5) / 5)
    assert first.silhouette > 0.9
    clear, across = 1.0, (0.9 - 0.5) / 0.5
    assert first.view_weights == pytest.approx(
        {"clear": clear / (clear + across), "across": across / (clear + across), "wrong": 0}
    )


def test_names_are_those_of_the_rows(near):
    names = [f"s{i}" for i in range(30)]
    labels = np.repeat([0, 1], 15)
    rows = np.array([0, 1, 2, 3, 4, 20, 21, 22, 23, 24])
    first, second = describe_clusters(labels, None, neighborhoods=near, rows=rows, names=names)
    assert first.typical[0] == "s0"
    assert second.typical[0] == "s20"


def test_shares_beyond_chance():
    labels = np.array([0, 0, 0, 1])
    inside = np.array([1.0, 1.0, 0.7, 0.25])
    found = module._beyond_chance(inside, labels, np.array([0, 1]))
    assert found == pytest.approx([(0.9 - 0.75) / 0.25, 0])
    assert module._beyond_chance(np.ones(2), np.zeros(2, dtype=int), np.array([0])) == [0]


def test_shares_are_normalised_and_equal_if_no_view_knows_the_cluster():
    assert module._normalised({"a": 0.3, "b": 0.1}) == pytest.approx({"a": 0.75, "b": 0.25})
    assert module._normalised({"a": 0.0, "b": 0.0}) == {"a": 0.5, "b": 0.5}


def test_p_values_are_adjusted_over_all_views():
    from scipy.stats import false_discovery_control

    labels = np.repeat([0, 1], 30)
    views = Views({"a": RNG.normal(size=(60, 2)) + labels[:, None], "b": RNG.normal(size=(60, 3)) + labels[:, None]})
    contrasts = module.contrasts_of_views(labels, views)
    raw = np.concatenate([one.p_value.ravel() for one in contrasts.values()])
    expected = false_discovery_control(raw)[4:].reshape(2, 3)
    for place, one in enumerate(describe_clusters(labels, views)):
        for found in one.features["b"]:
            assert found.p_adjusted == pytest.approx(expected[place, int(found.name.split()[1])])
