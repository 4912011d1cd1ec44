"""Generated views: clusters, noise views, conflicting views, missing entries and seeds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.metrics import adjusted_rand_score

from viewfuse.datasets import make_views
from viewfuse.exceptions import ParameterError


def agreement(array: np.ndarray, y: np.ndarray) -> float:
    """Adjusted Rand index of k-means, which needs round clusters."""
    return adjusted_rand_score(y, KMeans(y.max() + 1, n_init=5, random_state=0).fit_predict(array))


def test_regular_views_show_the_clusters_and_noise_views_do_not() -> None:
    views = make_views(n_samples=200, n_features=(5, 8), noise_views=1, conflicting_views=1, random_state=0)
    assert views.names == ("view0", "view1", "noise0", "conflict0")
    assert agreement(views.view("view0"), views.y) > 0.95
    assert agreement(views.view("view1"), views.y) > 0.95
    assert abs(agreement(views.view("noise0"), views.y)) < 0.1


def test_a_conflicting_view_shows_other_clusters() -> None:
    views = make_views(n_samples=200, n_features=(6,), conflicting_views=1, random_state=1)
    conflict = views.view("conflict0")
    own = KMeans(3, n_init=5, random_state=0).fit(conflict)
    within = ((conflict - own.cluster_centers_[own.labels_]) ** 2).sum()
    assert within < 0.3 * ((conflict - conflict.mean(axis=0)) ** 2).sum()
    assert abs(adjusted_rand_score(views.y, own.labels_)) < 0.1


@pytest.mark.parametrize(("kind", "k"), [("moons", 2), ("rings", 3)])
def test_curved_clusters_are_not_found_by_k_means(kind: str, k: int) -> None:
    views = make_views(kind, n_samples=900, n_features=(2, 7), random_state=0)
    for array in views:
        nearest = AgglomerativeClustering(k, linkage="single")
        assert adjusted_rand_score(views.y, nearest.fit_predict(array)) > 0.99
        assert agreement(array, views.y) < 0.7


def test_clusters_have_the_given_proportions() -> None:
    views = make_views(n_samples=100, n_clusters=3, proportions=[8, 1, 1], random_state=0)
    assert np.bincount(views.y).sum() == 100
    np.testing.assert_allclose(np.bincount(views.y), [80, 10, 10], atol=2)
    assert np.bincount(make_views(n_samples=4, n_clusters=3, proportions=[1e9, 1, 1]).y).tolist() == [2, 1, 1]


def test_missing_entries_have_the_given_share_and_every_sample_stays_in_a_view() -> None:
    views = make_views(n_samples=50, n_features=(3, 4, 5), missing=0.3, random_state=0)
    assert (~views.present).sum() == 45
    assert views.present.any(axis=1).all()
    for v, array in enumerate(views):
        np.testing.assert_array_equal(np.isnan(array).all(axis=1), ~views.present[:, v])
        np.testing.assert_array_equal(np.isnan(array).any(axis=1), ~views.present[:, v])
    assert make_views(n_samples=50).present is None


@pytest.mark.parametrize("kind", ["blobs", "moons", "rings"])
def test_the_same_seed_gives_the_same_views(kind: str) -> None:
    options = {"n_samples": 40, "noise_views": 1, "conflicting_views": 1, "missing": 0.1}
    first, again = (make_views(kind, random_state=3, **options) for _ in range(2))
    other = make_views(kind, random_state=4, **options)
    np.testing.assert_array_equal(first.y, again.y)
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a, b)
    assert not np.array_equal(first.arrays[0], other.arrays[0], equal_nan=True)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"kind": "squares"}, "'blobs', 'moons' or 'rings', not 'squares'"),
        ({"kind": "moons", "n_clusters": 3}, "always 2 moons"),
        ({"n_clusters": 0}, "n_clusters must be an integer of at least 1; got 0"),
        ({"n_clusters": 400}, "n_clusters must be between 1 and the number of samples .*; got 400"),
        ({"n_samples": 10.5}, r"n_samples must be an integer of at least 1; got 10\.5"),
        ({"n_samples": 0}, "n_samples must be an integer"),
        ({"noise": -1.0}, "noise must be a standard deviation"),
        ({"noise": float("nan")}, "noise must be a standard deviation"),
        ({"noise_views": -1}, "noise_views must be an integer of at least 0; got -1"),
        ({"noise_views": True}, "noise_views must be an integer"),
        ({"conflicting_views": 1.5}, "conflicting_views must be an integer"),
        ({"n_features": ()}, "n_features"),
        ({"kind": "rings", "n_features": (1, 2)}, "at least 2"),
        ({"missing": 1.0}, "missing must be a share"),
        ({"missing": 0.9}, "would leave samples missing from every view"),
        ({"proportions": [1, 2]}, "proportions must be 3 positive numbers"),
    ],
)
def test_impossible_options_are_an_error(options: dict, reason: str) -> None:
    with pytest.raises(ParameterError, match=reason) as caught:
        make_views(**options)
    assert caught.value.parameter in options
