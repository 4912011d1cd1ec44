"""AutoFusion: plain clusters of every shape are found, noise is called noise, and irrelevant changes change nothing."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, make_circles
from sklearn.metrics import adjusted_rand_score

import viewfuse as vf
from viewfuse import AutoFusion
from viewfuse.cluster.auto.candidates import gaussian_mixtures
from viewfuse.cluster.auto.joint import clearest_cut
from viewfuse.exceptions import ContradictingViewWarning, ConvergenceWarning, NoStructureWarning, UninformativeViewWarning
from viewfuse.graphs import Samples
from viewfuse.metrics import accuracy


def blobs(rng, k=4, n=240):
    y = rng.integers(0, k, n)
    return [8.0 * rng.normal(size=(k, d))[y] + rng.normal(size=(n, d)) for d in (3, 5)], y


def on_a_ray(rng, n=300):
    """Clusters at different distances from the origin in one direction, which directions cannot tell apart."""
    y = rng.integers(0, 3, n)
    return [8.0 * y[:, None] * rng.uniform(0.5, 1, d) + rng.normal(size=(n, d)) + 40 for d in (2, 3)], y


def complementary(rng, n=400):
    """Each view sees one of two borders; only together do they see four clusters."""
    a, b = rng.integers(0, 2, (2, n))
    return [12.0 * t[:, None] + rng.normal(size=(n, 3)) for t in (a, b)], 2 * a + b


def circles(rng, n=400):
    seed = int(rng.integers(1000))
    made = [make_circles(n, noise=0.05, factor=0.4, shuffle=False, random_state=seed + i) for i in range(2)]
    return [x for x, _ in made], made[0][1]


def counts(rng, n=300):
    y = rng.integers(0, 4, n)
    rates = rng.gamma(0.3, 1, (4, 60)) + 0.1
    return [rng.poisson(rng.gamma(2, 1, (n, 1)) * rates[y]).astype(float) for _ in range(2)], y


def log_normal(rng, n=240):
    y = rng.integers(0, 3, n)
    return [
        np.exp(2.0 * rng.normal(size=(3, 20))[y] + rng.normal(size=(n, 20)) + 3 * rng.normal(size=20)) for _ in range(2)
    ], y


PLAIN = [blobs, on_a_ray, complementary, circles, counts, log_normal]


@pytest.mark.parametrize("make", PLAIN)
def test_plain_clusters_are_found_without_a_warning(make):
    views, y = make(np.random.default_rng(0))
    model = AutoFusion(len(np.unique(y)), random_state=0).fit(views)  # warnings are errors here
    assert vf.metrics.accuracy(y, model.labels_) > 0.97


@pytest.mark.parametrize("make", PLAIN)
def test_their_number_is_found_too(make):
    views, y = make(np.random.default_rng(1))
    assert AutoFusion(random_state=0).fit(views).n_clusters_ == len(np.unique(y))


@pytest.mark.parametrize("make", [blobs, complementary, circles])
@pytest.mark.parametrize("columns", [1, 2, 50])
def test_a_noise_view_costs_nothing_and_is_named(make, columns):
    rng = np.random.default_rng(2)
    views, y = make(rng)
    model = AutoFusion(len(np.unique(y)), random_state=0).fit([*views, rng.normal(size=(len(y), columns))])
    assert vf.metrics.accuracy(y, model.labels_) > 0.97
    assert "view2" in model.noise_views_


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n", [21, 30, 45])
def test_clusters_of_a_few_samples_are_found_in_small_data(n, seed):
    y = np.arange(n) % 3
    points = 12 * np.eye(3)[y] + np.random.default_rng(seed).normal(size=(n, 3))
    for n_clusters in ("auto", 3):
        assert adjusted_rand_score(y, AutoFusion(n_clusters, random_state=0).fit_predict([points])) == 1


@pytest.mark.parametrize("seed", [2, 3, 8])
def test_clusters_are_counted_again_without_views_of_noise(seed):
    rng = np.random.default_rng(seed)
    y, centres = np.repeat([0, 1, 2], 60), 6 * rng.normal(size=(3, 4))
    views = [centres[y] + rng.normal(size=(180, 4)), *rng.normal(size=(3, 180, 4))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UninformativeViewWarning)
        warnings.simplefilter("ignore", ContradictingViewWarning)
        model = AutoFusion(random_state=0).fit(views)
    assert model.n_clusters_ == model.cluster_counts_.suggested == 3
    assert adjusted_rand_score(y, model.labels_) > 0.99


@pytest.mark.parametrize("sizes", [(560, 30, 10), (500, 100, 20), (1900, 100), (1000, 15)])
def test_small_clusters_far_from_large_ones_are_found(sizes):
    """And the large ones are not divided instead."""
    y = np.repeat(np.arange(len(sizes)), sizes)
    points = np.array([[0, 0], [10, 0], [0, 10]])[y] + np.random.default_rng(0).normal(size=(len(y), 2))
    for n_clusters in ("auto", len(sizes)):
        assert adjusted_rand_score(y, AutoFusion(n_clusters, random_state=0).fit_predict([points])) > 0.99


def test_a_view_with_other_clusters_is_outvoted():
    rng = np.random.default_rng(0)
    views, y = blobs(rng)
    other = 8.0 * rng.normal(size=(4, 4))[rng.integers(0, 4, len(y))] + rng.normal(size=(len(y), 4))
    assert vf.metrics.accuracy(y, AutoFusion(4, random_state=0).fit([*views, other]).labels_) > 0.97


@pytest.mark.parametrize(("columns", "distance"), [(4, 1.5), (6, 1.2), (3, 2.0)])
@pytest.mark.parametrize("n_views", [2, 3])
def test_a_column_of_yes_and_no_in_each_view_does_not_divide_the_samples(n_views, columns, distance):
    """Its gap is clear, and a mixture divides it: all but one view were left out, or one column decided."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 300)
        views = [
            np.hstack([distance * y[:, None] + rng.normal(size=(300, columns)), rng.integers(0, 2, (300, 1))])
            for _ in range(n_views)
        ]
        model = AutoFusion(2, random_state=0).fit(views)
        assert vf.metrics.accuracy(y, model.labels_) > 0.95
        assert model.noise_views_ == ()


@pytest.mark.parametrize("draw", ["normal", "uniform", "standard_cauchy"])
def test_noise_beside_one_view_is_left_out(draw):
    rng = np.random.default_rng(0)
    views, y = blobs(rng)
    model = AutoFusion(4, random_state=0).fit([np.hstack(views), getattr(rng, draw)(size=(len(y), 20))])
    assert vf.metrics.accuracy(y, model.labels_) > 0.97
    assert model.noise_views_ == ("view1",)


@pytest.mark.parametrize("seed", range(3))
def test_noise_of_which_most_samples_are_missing_is_left_out(seed):
    """Filled points pile up, so noise looked structured if these were taken for the samples' own."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 300)
    noise = rng.normal(size=(300, 8))
    noise[rng.random(300) < 0.6] = np.nan
    model = AutoFusion(3, random_state=0).fit([5.0 * rng.normal(size=(3, 4))[y] + rng.normal(size=(300, 4)), noise])
    assert model.noise_views_ == ("view1",)
    assert model.choice_.gap > 0.5


@pytest.mark.parametrize("columns", [2, 30])
@pytest.mark.parametrize("draw", ["normal", "uniform"])
def test_data_without_clusters_give_a_warning(draw, columns):
    rng = np.random.default_rng(3)
    views = [getattr(rng, draw)(size=(250, columns)) for _ in range(2)]
    with pytest.warns(NoStructureWarning, match="not supported"):
        AutoFusion(4, random_state=0).fit(views)


class TestInvariance:
    """Changes that carry no information change nothing."""

    def labels(self, views, k=5):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", vf.exceptions.ViewfuseWarning)
            return AutoFusion(k, random_state=0).fit(views).labels_

    @pytest.fixture
    def overlapping(self):
        """Clusters that overlap, so that the candidates have to be weighed."""
        rng = np.random.default_rng(0)
        y = rng.integers(0, 5, 200)
        return [2.0 * rng.normal(size=(5, d))[y] + rng.normal(size=(200, d)) for d in (3, 6)]

    def test_permuted_rows_permute_the_labels(self, overlapping):
        order = np.random.default_rng(1).permutation(200)
        permuted = self.labels([view[order] for view in overlapping])
        assert adjusted_rand_score(self.labels(overlapping)[order], permuted) == 1

    def test_a_repeated_view_changes_nothing(self, overlapping):
        assert np.array_equal(self.labels([*overlapping, overlapping[0]]), self.labels(overlapping))

    def test_a_constant_view_changes_nothing(self, overlapping):
        assert np.array_equal(self.labels([*overlapping, np.ones((200, 3))]), self.labels(overlapping))

    def test_units_and_origins_of_columns_change_nothing(self):
        views, _ = blobs(np.random.default_rng(0))
        other = [view * 10.0 ** np.arange(view.shape[1]) - 50 for view in views]
        assert adjusted_rand_score(self.labels(views, 4), self.labels(other, 4)) > 0.99

    def test_permuted_columns_and_views_change_nothing(self):
        views, _ = blobs(np.random.default_rng(0))
        other = [view[:, ::-1] for view in views[::-1]]
        assert adjusted_rand_score(self.labels(views, 4), self.labels(other, 4)) > 0.99

    def test_rows_in_another_order_are_refused_with_a_warning(self):
        rng = np.random.default_rng(0)
        views, y = blobs(rng)
        with pytest.warns(UninformativeViewWarning, match="'view2' has the rows of 'view0' in another order"):
            model = AutoFusion(4, random_state=0).fit([*views, views[0][rng.permutation(len(y))]])
        assert vf.metrics.accuracy(y, model.labels_) > 0.97


def test_missing_views_are_completed_from_similar_samples():
    rng = np.random.default_rng(0)
    views, y = blobs(rng)
    present = rng.random((len(y), 2)) > 0.3
    present[~present.any(axis=1), 0] = True
    gaps = [np.where(present[:, [v]], view, np.nan) for v, view in enumerate(views)]
    assert vf.metrics.accuracy(y, AutoFusion(4, random_state=0).fit(gaps).labels_) > 0.95


def test_memberships_are_those_of_the_labels():
    views, _ = blobs(np.random.default_rng(0))
    model = AutoFusion(4, random_state=0).fit(views)
    assert np.allclose(model.membership_.sum(axis=1), 1)
    assert np.array_equal(model.membership_.argmax(axis=1), model.labels_)
    assert ((model.confidence_ >= 0) & (model.confidence_ <= 1)).all()
    assert model.view_weights_.sum() == pytest.approx(1)


def test_new_samples_are_assigned_to_their_cluster():
    rng = np.random.default_rng(0)
    views, y = blobs(rng, n=400)
    model = AutoFusion(4, random_state=0).fit([view[:200] for view in views])
    assert np.array_equal(model.predict([view[:200] for view in views]), model.labels_)
    found = model.predict([view[200:] for view in views])
    assert vf.metrics.accuracy(y[200:], found) > 0.97
    one_by_one = [model.predict([view[[i]] for view in views])[0] for i in range(200, 220)]
    assert np.array_equal(found[:20], one_by_one)
    without = [views[0][200:], np.full_like(views[1][200:], np.nan)]
    assert vf.metrics.accuracy(y[200:], model.predict(without)) > 0.9


def test_many_samples_are_clustered_by_a_sample_of_them(monkeypatch):
    monkeypatch.setattr(AutoFusion, "_most_clustered", 150)
    monkeypatch.setattr(AutoFusion, "_block_rows", 64)
    views, y = blobs(np.random.default_rng(0), n=1000)
    model = AutoFusion(4, random_state=0).fit(views)
    assert vf.metrics.accuracy(y, model.labels_) > 0.97
    assert model.affinity_matrix_.shape == (150, 150)
    assert model.membership_.shape == (1000, 4)


def test_sparse_and_dense_counts_give_the_same_clusters():
    views, _ = counts(np.random.default_rng(0))
    dense, sparse = (AutoFusion(4, random_state=0).fit(v).labels_ for v in (views, [sp.csr_array(v) for v in views]))
    assert np.array_equal(dense, sparse)


def test_choice_prints_what_was_considered():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, 200)
    views = {"profile": 2.0 * rng.normal(size=(5, 4))[y] + rng.normal(size=(200, 4)), "words": counts(rng, 200)[0][0]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vf.exceptions.ViewfuseWarning)
        choice = AutoFusion(5, random_state=0).fit(views).choice_
    assert [view.kind for view in choice.views] == ["standardised", "directions"]
    assert choice.chosen in choice.candidates
    assert "<- chosen" in str(choice)


def test_elongated_clusters_that_touch_are_found_by_a_mixture():
    iris = load_iris()
    model = AutoFusion(3, random_state=0).fit([iris.data[:, :2], iris.data[:, 2:]])
    assert model.choice_.chosen == "gaussian mixture of one shape"
    assert vf.metrics.accuracy(iris.target, model.labels_) > 0.9


@pytest.mark.parametrize("seed", range(3))
def test_scores_that_are_mostly_the_lowest(seed):
    """Nine scores from 1 to 10, most of them 1 in one cluster: no covariance describes both."""
    rng = np.random.default_rng(seed)
    y = (rng.random(500) < 0.35).astype(int)
    severity = np.clip(rng.beta(2, 2, 500)[:, None] + 0.15 * rng.normal(size=(500, 9)), 0.05, 0.95)
    scores = np.where(y[:, None] == 1, 1 + rng.binomial(9, severity), rng.geometric(0.75, (500, 9)))
    scores = np.clip(scores, 1, 10).astype(float)
    model = AutoFusion(2, random_state=0).fit([scores[:, :4], scores[:, 4:]])
    assert vf.metrics.accuracy(y, model.labels_) > 0.95


@pytest.mark.parametrize("seed", [0, 2, 4])
def test_clusters_of_other_widths_along_each_axis_are_found_by_a_mixture_along_the_axes(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 240)
    middle, width = 0.8 * rng.normal(size=(3, 8)), np.exp(rng.uniform(-1, 1, (3, 8)))
    points = middle[y] + width[y] * rng.normal(size=(240, 8))
    model = AutoFusion(3, random_state=0).fit([points[:, :4], points[:, 4:]])
    assert model.choice_.chosen == "gaussian mixture along the axes"
    assert vf.metrics.accuracy(y, model.labels_) > 0.85


def test_mixtures_have_at_most_as_many_parameters_as_a_half_has_samples():
    rng = np.random.RandomState(0)

    def kinds(n, columns):
        samples = Samples((rng.standard_normal((n, columns)) + 4 * np.eye(columns)[np.arange(n) % 2],))
        return [mixture.name for mixture in gaussian_mixtures(samples, clearest_cut(samples, 2, rng), rng)]

    assert kinds(400, 6) == ["gaussian mixture", "gaussian mixture of one shape", "gaussian mixture along the axes"]
    assert kinds(90, 6) == ["gaussian mixture of one shape", "gaussian mixture along the axes"]
    assert kinds(40, 6) == []
    assert kinds(400, 13) == []


def test_a_view_of_one_column_without_clusters_does_not_look_clear():
    """In one dimension the second eigenvalue is a quarter of the third, with or without clusters."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    points = rng.normal(size=(400, 3)) * [6.0, 1.0, 1.0] + y[:, None] * [0.0, 5.0, 0.0]
    model = AutoFusion(2, random_state=0).fit([points[:, :2], points[:, 2:]])
    assert vf.metrics.accuracy(y, model.labels_) > 0.95


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.UnstableClustersWarning")
def test_outliers_that_hide_others_are_all_set_aside():
    """Two of six far samples seemed to belong together until the others were gone, and took the place of a small cluster."""
    rng = np.random.default_rng(10)
    y = np.repeat([0, 1], [391, 9])
    centres = [[-5.6, -7.0, -0.2], [-1.8, -1.2, 0.6]], [[2.1, 2.7, 8.5, 5.3], [2.8, 0.3, 2.4, -6.6]]
    views = [np.array(pair)[y] + rng.normal(size=(400, len(pair[0]))) for pair in centres]
    for view, factor in zip(views, (14, 9), strict=True):
        view[:6] *= factor
    model = AutoFusion(2, random_state=0).fit(views)
    assert vf.metrics.ari(y, model.labels_) > 0.9


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.ViewfuseWarning")
def test_outliers_are_not_left_out_if_as_many_clusters_as_samples_are_asked_for():
    values = np.random.RandomState(0).standard_normal((58, 1)) ** 5
    assert np.unique(AutoFusion(58, random_state=0).fit([values]).labels_).size == 58


def test_a_view_of_noise_has_no_part_in_a_clear_cut():
    """With twenty noise columns the gap of the joint graph was clear, but at other clusters."""
    bunch = load_iris()
    views = [bunch.data[:, :2], bunch.data[:, 2:]]
    alone = AutoFusion(3, random_state=0).fit(views)
    model = AutoFusion(3, random_state=0).fit([*views, np.random.default_rng([6, 0]).normal(size=(150, 20))])
    assert model.noise_views_ == ("view2",)
    assert not model.choice_.views[2].kept
    with_noise, without = (vf.metrics.accuracy(bunch.target, each.labels_) for each in (model, alone))
    assert with_noise > without - 0.02


def test_max_time_ends_the_search_for_candidates():
    rng = np.random.default_rng(0)
    views = [rng.normal(size=(100, 3)), rng.normal(size=(100, 3))]
    with pytest.warns((ConvergenceWarning, NoStructureWarning)) as caught:
        model = AutoFusion(3, max_time=1e-9, random_state=0).fit(views)
    assert any(warning.category is ConvergenceWarning for warning in caught)
    assert model.stopped_ == "max_time"
    assert model.choice_.candidates == ("joint neighbours",)


@pytest.mark.parametrize("seed", [2, 3, 6, 8])
def test_a_view_is_not_left_out_because_parts_of_clouds_look_clear(seed):
    """Each view sees one of two borders. Cut into four, the clearer one falls apart into halves of its two clouds."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 4, 480)

    def half(side, gap):
        direction = rng.normal(size=3)
        return np.outer(side - 0.5, gap * direction / np.linalg.norm(direction)) + rng.normal(size=(480, 3))

    views = [half(y // 2, 2.6), half(y % 2, 10.0)]
    model = AutoFusion(4, random_state=0).fit(views)
    assert model.noise_views_ == ()
    assert accuracy(y, model.labels_) > 0.85


def test_noise_beside_clusters_of_clusters_is_left_out():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 4, 400)
    centres = np.repeat(rng.normal(size=(2, 4)) * 12, 2, axis=0) + 2.5 * rng.normal(size=(4, 4))
    views = {"one": centres[y] + rng.normal(size=(400, 4)), "two": centres[y] + rng.normal(size=(400, 4))}
    model = AutoFusion(4, random_state=0).fit({**views, "noise": rng.normal(size=(400, 20))})
    assert model.noise_views_ == ("noise",)
    assert accuracy(y, model.labels_) > 0.95
