"""Simple facts of a record."""

from types import SimpleNamespace

import numpy as np
import pytest

from viewfuse import Views, ViewsError, summarise
from viewfuse.inspection.notebook import summary_html

LABELS = np.array([0, 0, 1, 4, 4, 4])


def record(views=None, **found):
    return summarise(SimpleNamespace(labels_=LABELS, **found), views)


def test_sizes_and_names():
    fit = record()
    assert fit.sizes == {0: 2, 1: 1, 4: 3}
    assert (fit.n_clusters, fit.n_samples) == (3, 6)
    assert fit.sample_names[:2] == ["row 0", "row 1"]
    assert record(Views([np.ones((6, 2))], ids=[7, 8, 9, 10, 11, 12])).sample_names[0] == "7"
    assert (fit.n_features, fit.n_dropped, fit.n_missing) == (None, 0, {})


def test_lengths_must_be_those_of_the_data():
    views = Views([np.ones((6, 2))])
    assert record(views, embedding_=np.ones((6, 3))).embedding.shape == (6, 3)
    with pytest.raises(ViewsError, match=r"embedding_ has shape \(5, 3\), but there are 6 samples"):
        record(views, embedding_=np.ones((5, 3)))
    with pytest.raises(ViewsError, match=r"confidence_ has shape \(6, 1\), but there are 6 samples"):
        record(views, confidence_=np.ones((6, 1)))


def test_the_tolerance_and_the_changes():
    assert record(get_params=lambda: {"tol": 0.5}).tol == 0.5
    assert record(get_params=lambda: {"tol": None}).tol == 0
    assert record().tol == 0
    assert record(history_={"objective": [10.0, 5.0, 6.0]}).relative_changes.tolist() == [0.5, 0.2]
    assert record(history_={"objective": [10.0]}).relative_changes is None
    assert np.isfinite(record(history_={"objective": [0.0, 1e-300]}).relative_changes).all()
    assert record(history_={"objective": [-4.0, 4.0]}).relative_changes.tolist() == [2]


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"view_weights": {"b": 3}}, (1.0, 3.0)),
        ({"view_weights": [2, 5]}, (2.0, 5.0)),
        ({"fixed_view_weights": [0.3, 0.7], "view_weights": None}, (0.3, 0.7)),
        ({}, None),
    ],
)
def test_weights_that_the_user_gave(params, expected):
    assert record(view_names_=("a", "b"), get_params=lambda: params).own_weights == expected


class TestTheSummaryInANotebook:
    def test_sizes_confidence_and_iterations(self):
        html = summary_html(record(confidence_=np.array([0.1, 0.2, 0.4, 0.6, 0.8, 1.0]), n_iter_=7, converged_=True))
        assert "<b>3 clusters</b> of 6 samples, from 1 to 3 in each" in html
        assert "median confidence 0.50" in html
        assert "7 iterations, converged" in html
        assert "1 iteration, <b>not converged</b>" in summary_html(record(n_iter_=1, converged_=False))
        assert "iteration" not in summary_html(record())

    def test_noise_views(self):
        assert "not visible in <b>a</b>: a noise view." in summary_html(record(noise_views_=("a",)))
        assert "not visible in <b>a, b</b>: noise views." in summary_html(record(noise_views_=("a", "b")))

    def test_the_verdict_has_a_colour(self):
        def verdict(supported):
            said = {"supported": supported, "sentence": "Well.", "returned": None}
            return summary_html(record(verdict_=SimpleNamespace(as_dict=lambda: said)))

        assert 'solid #009E73;padding-left:.6em;margin:.4em 0">Well.</p>' in verdict(True)
        assert "solid #D55E00" in verdict(False)

    def weighted(self, weights):
        names = tuple(f"view{v}" for v in range(len(weights)))
        return summary_html(record(view_names_=names, view_weights_=np.array(weights)))

    def test_the_largest_weight_comes_first_and_has_the_longest_bar(self):
        html = self.weighted([0.2, 0.5, 0.3])
        assert html.index("view1") < html.index("view2") < html.index("view0")
        assert [part.split("em")[0] for part in html.split("width:")[2:]] == ["10.00", "6.00", "4.00"]
        assert "width:0.00em" in self.weighted([0.0, 0.0])

    def test_twelve_views_are_shown(self):
        assert "more</td>" not in self.weighted([1 / 12] * 12)
        html = self.weighted([0.1] * 14)
        assert "and 2 more" in html
        assert "view11" in html
        assert "view12" not in html

    def test_places_on_the_small_map(self):
        labels = np.repeat([0, 1], 30)
        fit = summarise(SimpleNamespace(labels_=labels, embedding_=np.random.default_rng(0).normal(size=(60, 2))))
        html = summary_html(fit)
        x = np.array([float(part.split('"')[0]) for part in html.split('cx="')[1:]])
        y = np.array([float(part.split('"')[0]) for part in html.split('cy="')[1:]])
        points = next(iter(fit.layouts.values()))
        side = np.ptp(points, axis=0).max()
        expected = 4 + 152 * (points - points.min(axis=0)) / side
        np.testing.assert_allclose(x, expected[:, 0], atol=0.51)
        np.testing.assert_allclose(y, 160 - expected[:, 1], atol=0.51)
        assert html.count('fill="#0072B2"') == html.count('fill="#E69F00"') == 30

    def test_at_most_four_hundred_samples_are_drawn(self):
        labels = np.arange(500) % 2
        fit = SimpleNamespace(labels_=labels, embedding_=np.random.default_rng(0).normal(size=(500, 2)))
        assert summary_html(summarise(fit)).count("<circle") == 400
