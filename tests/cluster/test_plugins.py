"""Methods of other packages, by entry points, and the public base class."""

from importlib.metadata import EntryPoint

import numpy as np
import pytest

import viewfuse as vf
from viewfuse.cluster import METHODS, Solution, _plugins
from viewfuse.exceptions import PluginWarning, ViewsTypeError


class FirstColumn(vf.MultiViewClusterer):
    """Cut the first column."""

    result = "labels"

    def __init__(self, n_clusters=8, *, views=None, random_state=None):
        self.n_clusters, self.views, self.random_state = n_clusters, views, random_state

    def cluster_views(self, views, random_state):
        labels = 10 * (views[0][:, 0] > np.median(views[0][:, 0])).astype(int) - 5
        return {
            "labels": labels,
            "solution": Solution(labels=labels, weights=np.full(len(views), 1 / len(views)), embedding=views[0]),
            "points": Solution(points=views[0]),
            "fractions": labels / 2,
            "too few": labels[1:],
        }[self.result]


def views(n=30):
    return [np.random.default_rng(0).normal(size=(n, 3)), np.ones((n, 2)), np.random.default_rng(1).normal(size=(n, 4))]


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.UninformativeViewWarning")
class TestHook:
    def test_labels_of_any_numbers_are_numbered_by_size(self):
        model = FirstColumn(2).fit(views(31))
        assert np.bincount(model.labels_).tolist() == [16, 15]
        assert (model.n_iter_, model.converged_) == (1, True)

    def test_another_number_of_clusters_is_recorded(self):
        model = FirstColumn(5).fit(views())
        assert model.n_clusters_ == 2
        assert not hasattr(model.set_params(n_clusters=2).fit(views()), "n_clusters_")

    def test_a_solution_sets_the_fitted_attributes(self, monkeypatch):
        monkeypatch.setattr(FirstColumn, "result", "solution")
        model = FirstColumn(2).fit(views())
        assert model.view_weights_.tolist() == [0.5, 0, 0.5]  # the constant view has weight 0
        assert model.embedding_.shape == (30, 3)

    def test_points_are_clustered_by_k_means(self, monkeypatch):
        monkeypatch.setattr(FirstColumn, "result", "points")
        assert np.unique(FirstColumn(3, random_state=0).fit(views()).labels_).size == 3

    @pytest.mark.parametrize("result", ["fractions", "too few"])
    def test_other_results_are_refused(self, result, monkeypatch):
        monkeypatch.setattr(FirstColumn, "result", result)
        with pytest.raises(
            ViewsTypeError, match=r"FirstColumn.cluster_views returned an array of shape .* Return 30 labels"
        ):
            FirstColumn(2).fit(views())

    def test_a_class_without_the_hook_says_what_is_missing(self):
        class Empty(vf.MultiViewClusterer):
            def __init__(self, n_clusters=2, *, views=None):
                self.n_clusters, self.views = n_clusters, views

        with pytest.raises(NotImplementedError, match="Empty has no cluster_views"):
            Empty().fit(views())


def registered(monkeypatch, **entries):
    made = [EntryPoint(name, value, _plugins.GROUP) for name, value in entries.items()]
    monkeypatch.setattr(_plugins, "entry_points", lambda group: made if group == _plugins.GROUP else [])


def test_an_entry_point_adds_a_method(monkeypatch):
    registered(monkeypatch, first=f"{__name__}:FirstColumn")
    methods = dict(METHODS)
    _plugins.add_registered(methods)
    assert methods["first"].__name__ == "FirstColumn"
    _plugins.add_registered(methods)  # the second time it is known


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("gone", "no_such_module:Class", r"cannot be loaded \(ModuleNotFoundError"),
        ("number", "math:pi", "is not a subclass of viewfuse.MultiViewClusterer"),
        ("km", f"{__name__}:FirstColumn", "has the name of KM, which is kept"),
    ],
)
def test_an_unusable_entry_point_gives_a_warning(monkeypatch, name, value, problem):
    registered(monkeypatch, **{name: value})
    methods = dict(METHODS)
    with pytest.warns(PluginWarning, match=problem):
        _plugins.add_registered(methods)
    assert methods == METHODS
