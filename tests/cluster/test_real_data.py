"""Real data: the results of the authors' program, and the quality of the defaults."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from viewfuse import GFSC, load_views, metrics
from viewfuse.exceptions import DegenerateGraphWarning


def k_means_accuracy(model, truth):
    """Mean accuracy of ten single k-means runs on the embedding, in percent, as the paper counts it."""
    runs = [KMeans(model.n_clusters, n_init=1, random_state=seed).fit_predict(model.embedding_) for seed in range(10)]
    return 100 * np.mean([metrics.accuracy(truth, labels) for labels in runs])


@pytest.mark.parametrize(
    ("file", "k", "parameters", "n_iter", "weights", "accuracy"),
    [
        ("reuters_1200.mat", 6, (10, 1e3, 0.01), 9, [0.2019, 0.2184, 0.1977, 0.1998, 0.1823], (36, 48)),
        ("Handwritten_numerals.mat", 10, (1e-4, 1, 1e-4), 6, [0.0153, 0.0153, 0.9359, 0.0170, 0.0012, 0.0153], (78, 95)),
    ],
)
def test_the_published_program(shared, file, k, parameters, n_iter, weights, accuracy):
    views = load_views(shared / "datasets" / file)
    alpha, beta, gamma = parameters
    model = GFSC(k, alpha=alpha, beta=beta, gamma=gamma, variant="published", random_state=0).fit(views)
    assert model.n_iter_ == n_iter
    np.testing.assert_allclose(model.view_weights_, weights, atol=5e-4)
    low, high = accuracy  # mean of the authors' program ± its standard deviation
    assert low <= k_means_accuracy(model, views.y) <= high


def test_the_printed_parameters_give_no_edges_on_bbc(shared):
    views = load_views(shared / "datasets" / "bbc_seg14of4.mat")
    with pytest.warns(DegenerateGraphWarning, match=r"consensus graph has no edges.* Decrease beta"):
        GFSC(2, alpha=1e-7, beta=1e7, gamma=1e-5, variant="published", random_state=0).fit(views)
    assert metrics.accuracy(views.y, GFSC(2, random_state=0).fit(views).labels_) > 0.97


def test_orl_with_forty_clusters(shared):
    # The graph has many equal eigenvalues, for which some LAPACK drivers fail.
    views = load_views(shared / "datasets" / "ORL_4view.mat")
    model = GFSC(40, random_state=0).fit(views)
    assert metrics.accuracy(views.y, model.labels_) > 0.75


def test_a_noise_view_has_the_smallest_weight_and_costs_little_on_digits(shared):
    views = load_views(shared / "datasets" / "Handwritten_numerals.mat")
    noise = np.random.default_rng(0).standard_normal((2000, 50))
    clean = GFSC(10, random_state=0, tol=3e-3).fit(views)
    noisy = GFSC(10, random_state=0, tol=3e-3).fit([*views, noise])
    assert noisy.view_weights_.argmin() == 6
    lost = metrics.accuracy(views.y, clean.labels_) - metrics.accuracy(views.y, noisy.labels_)
    assert lost < 0.05
