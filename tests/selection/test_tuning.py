"""Parameter search without labels."""

import json

import numpy as np
import pytest

from viewfuse import GFSC, metrics, selection
from viewfuse.datasets import make_views
from viewfuse.exceptions import ParameterError
from viewfuse.selection import tuning

GRID = {"alpha": [1, 2], "gamma": [1, 2]}


def test_tune_picks_the_point_with_the_best_mean_agreement():
    views = make_views(n_samples=90, noise=5, n_features=(6, 9), random_state=0)
    found = selection.tune(views, 3, grid=GRID)
    labels = [GFSC(3, random_state=0, **point).fit(views).labels_ for point in found.points]
    expected = [np.mean([metrics.ari(a, b) for j, b in enumerate(labels) if j != i]) for i, a in enumerate(labels)]
    np.testing.assert_allclose(found.agreement, expected)
    best = int(np.argmax(expected))
    assert found.best == found.points[best] == {k: v for k, v in found.estimator().get_params().items() if k in GRID}
    np.testing.assert_array_equal(found.labels, labels[best])
    assert list(found.to_frame().columns) == ["alpha", "gamma", "agreement"]
    assert len(str(found).splitlines()) == 5


def test_a_stopped_search_resumes(tmp_path, monkeypatch):
    views = make_views(n_samples=60, n_features=(5, 5), random_state=0)
    whole = selection.tune(views, 3, grid=GRID, folder=tmp_path / "whole")
    fits = []
    real = tuning.gfsc

    def stopped_at_the_third(*args, **options):
        fits.append(options)
        if len(fits) == 3:
            raise KeyboardInterrupt
        return real(*args, **options)

    monkeypatch.setattr(tuning, "gfsc", stopped_at_the_third)
    with pytest.raises(KeyboardInterrupt):
        selection.tune(views, 3, grid=GRID, folder=tmp_path / "stopped")
    again = selection.tune(views, 3, grid=GRID, folder=tmp_path / "stopped")
    assert len(fits) == 5  # two finished, one was stopped, two more
    np.testing.assert_array_equal(again.agreement, whole.agreement)
    lines = (tmp_path / "stopped" / "cells.jsonl").read_text().splitlines()
    assert sum("result" in json.loads(line) for line in lines) == 4
    other = make_views(n_samples=60, n_features=(5, 5), random_state=1)
    selection.tune(other, 3, grid=GRID, folder=tmp_path / "stopped")
    assert len(fits) == 9  # other data: nothing is reused


def test_parameters_beside_those_of_the_fusion():
    views = make_views(n_samples=60, noise=5, n_features=(5, 5), random_state=0)
    found = selection.tune(views, 3, grid={"alpha": [1, 2], "n_init": [1, 3]}, random_state=4)
    assert len(found.points) == 4
    for point, labels in zip(found.points, found.clusterings, strict=True):
        np.testing.assert_array_equal(labels, GFSC(3, random_state=4, **point).fit(views).labels_)


def test_one_point_agrees_with_nothing():
    views = make_views(n_samples=60, n_features=(5, 5), random_state=0)
    found = selection.tune(views, 3, grid={"alpha": [1]})
    assert found.agreement.tolist() == [0]
    assert found.best == {"alpha": 1}
    assert str(found).splitlines()[1] == "    0.000  alpha=1"


def test_the_table_has_the_best_point_first():
    points = ({"alpha": 1}, {"alpha": 2}, {"alpha": 3})
    found = tuning.Tuning("gfsc", 2, points, np.array([0.2, 0.9, 0.9]), np.arange(6).reshape(3, 2))
    assert found.best == {"alpha": 2}
    assert found.labels.tolist() == [2, 3]
    assert found.to_frame()["alpha"].tolist() == [2, 3, 1]
    assert [line.split()[-1] for line in str(found).splitlines()[1:]] == ["alpha=2", "alpha=3", "alpha=1"]
    assert found.estimator(random_state=5).get_params()["random_state"] == 5
    assert found.estimator().n_clusters == 2


def test_tuning_another_method():
    views = make_views(n_samples=60, n_features=(5, 5), random_state=0)
    found = selection.tune(views, 3, "anchor-gfsc", grid={"n_neighbors": [3, 5]})
    assert found.estimator(random_state=0).fit(views).n_clusters == 3
    assert metrics.accuracy(views.y, found.labels) > 0.95


@pytest.mark.parametrize(
    ("method", "grid", "message"),
    [("nothing", None, "No such method"), ("km", None, "no default grid"), ("gfsc", {"delta": [1]}, "must map"),
     ("gfsc", {"alpha": []}, "must map")],
)  # fmt: skip
def test_invalid_searches_are_refused(method, grid, message):
    with pytest.raises(ParameterError, match=message):
        selection.tune(make_views(n_samples=60, random_state=0), 3, method, grid=grid)
