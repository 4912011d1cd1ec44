"""GFSC and GF compare directions. They warn if directions cannot tell clusters apart, and only then."""

import numpy as np
import pytest
import scipy.sparse as sp

from viewfuse import GF, GFSC, load_views
from viewfuse.cluster._checks import check_directions
from viewfuse.datasets import load_digits_views, make_views
from viewfuse.exceptions import UninformativeViewWarning
from viewfuse.views import Views

REAL = ["Handwritten_numerals", "MSRC-v5", "ORL_4view", "100Leaves", "NGs", "BBCSport_fea_gt"]


def clusters_on_a_ray(n_features, seed=0, n_clusters=4, direction=None):
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(n_clusters), 40)
    made = []
    for _ in range(2):
        along = rng.normal(size=n_features) if direction is None else np.asarray(direction, dtype=float)
        along /= np.linalg.norm(along)
        made.append(5 * labels[:, None] * along + 0.5 * rng.normal(size=(len(labels), n_features)) + 40)
    return made


def checked(data, n_clusters):
    views = Views(data)
    arrays = views.incomplete_arrays()[0]
    check_directions(views, arrays, range(views.n_views), n_clusters, "GFSC")


@pytest.mark.parametrize("method", [GFSC, GF])
@pytest.mark.parametrize("n_features", [1, 2, 3])
def test_a_fit_of_clusters_on_a_ray_warns_and_names_auto_fusion(method, n_features):
    expected = f"{method.__name__} compares only the directions.*Use AutoFusion"
    with pytest.warns(UninformativeViewWarning, match=expected) as found:
        method(4, random_state=0).fit(clusters_on_a_ray(n_features))
    own = [warning for warning in found if "AutoFusion" in str(warning.message)]
    assert len(own) == 1
    assert own[0].filename == __file__  # points at the caller


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("n_clusters", [3, 5])
def test_clusters_on_a_ray_in_any_direction(seed, n_clusters):
    with pytest.warns(UninformativeViewWarning, match="near one line"):
        checked(clusters_on_a_ray(3, seed, n_clusters), n_clusters)
    with pytest.warns(UninformativeViewWarning, match="near one line"):
        checked(clusters_on_a_ray(3, seed, n_clusters, direction=[1, 1, 1]), n_clusters)
    with pytest.warns(UninformativeViewWarning, match="near one line"):
        checked([sp.csr_array(view) for view in clusters_on_a_ray(3, seed, n_clusters)], n_clusters)


def test_the_views_with_few_features_are_named():
    views = make_views(n_samples=60, n_features=(5, 2, 1), random_state=0)
    with pytest.warns(UninformativeViewWarning, match="'view1', 'view2' have only one or two features") as found:
        checked(views, 3)
    assert found[0].message.view is None
    with pytest.warns(UninformativeViewWarning, match="'view1' has only") as found:
        checked(views.arrays[:2], 3)
    assert found[0].message.view == "view1"


def test_missing_samples_and_huge_values_do_not_matter():
    ray = clusters_on_a_ray(3)
    ray[0][:30] = np.nan
    with pytest.warns(UninformativeViewWarning, match="near one line"):
        checked([1e200 * view for view in ray], 4)


def test_other_variants_and_graphs_are_not_checked():
    ray = clusters_on_a_ray(3, n_clusters=3)
    model = GFSC(3, variant="published", beta=1e3, gamma=0.01, alpha=10, random_state=0)
    model.fit([view - view.mean(axis=0) for view in ray])
    GFSC(2, affinity="precomputed", random_state=0).fit([np.kron(np.eye(2), np.ones((5, 5)))] * 2)


@pytest.mark.parametrize("name", REAL)
def test_real_data_gives_no_warning(shared, name):
    views = load_views(shared / "datasets" / f"{name}.mat")
    checked(views, len(np.unique(views.y)))


@pytest.mark.parametrize("n_features", [(3, 4), (10, 20), (4, 4, 4)])
@pytest.mark.parametrize("n_clusters", [2, 3, 6])
def test_generated_views_give_no_warning(n_features, n_clusters):
    for seed in range(10):
        checked(make_views(n_samples=100, n_clusters=n_clusters, n_features=n_features, random_state=seed), n_clusters)


def test_the_digits_give_no_warning():
    checked(load_digits_views(), 10)


def test_counts_with_very_different_totals_give_no_warning():
    rng = np.random.default_rng(0)
    profiles = rng.dirichlet(np.ones(20), size=3)[np.repeat([0, 1, 2], 40)]
    counts = rng.poisson(profiles * 10 ** rng.uniform(2, 5, size=(120, 1)))
    checked([counts.astype(float)], 3)
