"""What is said of clusters."""

from types import SimpleNamespace

import numpy as np
import pytest

from viewfuse import Views, summarise
from viewfuse.inspection import markers
from viewfuse.inspection.features import Feature, describe_clusters

RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def fit():
    """Cluster 1 is older, mostly from the west, and calls often."""
    pd = pytest.importorskip("pandas")
    labels = np.repeat([0, 1], [60, 40])
    old = labels == 1
    profile = pd.DataFrame(
        {
            "age": np.where(old, 63, 44) + RNG.normal(size=100),
            "region=west": (RNG.random(100) < np.where(old, 0.9, 0.1)) * 1.0,
        }
    )
    usage = pd.DataFrame({"calls": RNG.poisson(np.where(old, 20, 3)) * 1.0, "noise": RNG.normal(size=100)})
    ids = [f"c{i}" for i in range(100)]
    views = Views({"profile": profile.set_axis(ids), "usage": usage.set_axis(ids)})
    return summarise(SimpleNamespace(labels_=labels), views)


def test_a_cluster_is_described_with_its_means(fit):
    words = fit.clusters[1].words
    assert words.startswith("higher age (63.1 against 44.1)")
    assert "mostly region=west (" in words
    assert "times the calls (2" in words
    assert fit.clusters[0].words.startswith("lower age (44.1 against 63.1)")


def test_separation_and_typical_samples_come_from_the_data(fit):
    one, other = fit.clusters
    assert one.silhouette > 0.3
    assert one.inside > 0.95
    assert len(other.typical) == 3
    assert all(60 <= int(name[1:]) < 100 for name in other.typical)
    assert sum(one.view_weights.values()) == pytest.approx(1)
    assert set(one.view_weights) == {"profile", "usage"}


def test_words_of_rare_and_frequent_categories():
    def words(inside, outside):
        return Feature("v", "x=1", "category", inside - outside, inside, outside, 0.5, 0.5).words

    assert words(0.8, 0.1) == "mostly x=1 (80 % against 10 %)"
    assert words(0.4, 0.1) == "more often x=1 (40 % against 10 %)"
    assert words(0.3, 0.6) == "less often x=1 (30 % against 60 %)"
    assert words(0.02, 0.6) == "hardly ever x=1 (2 % against 60 %)"


def test_noise_has_no_single_feature_that_sets_it_apart():
    views = Views([RNG.normal(size=(200, 3))])
    cluster = describe_clusters(RNG.integers(2, size=200), views)[0]
    assert cluster.words == "no single feature sets it apart"


def test_clusters_without_data_have_sizes_and_confidence_but_no_features():
    confidence = np.array([0.1, 0.5, 0.9, 0.3])
    first, second = describe_clusters(np.array([0, 0, 0, 2]), None, confidence=confidence, returned=np.array([0.9, 0.2]))
    assert (first.label, first.size, first.share, first.confidence, first.returned) == (0, 3, 0.75, 0.5, 0.9)
    assert (second.label, second.features, second.top_features(3), second.words) == (2, {}, [], "")


def test_means_of_dates_and_units_are_written_as_people_write_them():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1], 40)
    joined = pd.Timestamp("2020-01-01") + pd.to_timedelta(1000 * group + rng.integers(0, 20, 80), "D")
    profile = pd.DataFrame(
        {"joined": joined, "weight [kg]": 60.0 + 25 * group + rng.normal(size=80), "sex": ["f", "m"] * 40}
    )
    views = Views({"profile": profile})
    found = markers(SimpleNamespace(labels_=group), views)
    date = found[(found.cluster == 1) & (found.feature == "joined")].iloc[0]
    assert date.kind == "date"
    words = {feature.name: feature.words for feature in describe_clusters(group, views)[1].features["profile"]}
    assert words["joined"] == "later joined (2022-10-07 against 2020-01-10)"
    assert words["weight [kg]"].startswith("higher weight (85")
    assert words["weight [kg]"].count(" kg") == 2


def test_of_the_levels_of_a_category_one_is_said_and_units_of_cells_are_shown():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 120)
    frame = pd.DataFrame(
        {
            "region": np.array(["west", "east", "north"])[y],
            "height": [f"{x:.1f} cm" for x in 160 + 10 * y + rng.normal(size=120)],
            "age": 30 + 10.0 * y + rng.normal(size=120),
        }
    )
    views = Views({"profile": frame})
    assert set(views.feature_names[0]) == {"region=east", "region=north", "region=west", "height [cm]", "age"}
    lowest = summarise(type("Fit", (), {"labels_": y})(), views).clusters[0]
    columns = [feature.name.partition("=")[0] for feature in lowest.top_features(3)]
    assert sorted(columns) == ["age", "height [cm]", "region"]
    assert "lower height (160 cm against 175 cm)" in lowest.words
