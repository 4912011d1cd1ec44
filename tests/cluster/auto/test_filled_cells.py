"""Cells that were empty and are filled count as less evidence than cells that are there."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons

import viewfuse as vf
from holes import mean_loss, with_holes
from viewfuse.cluster.auto.joint import CLEAR_GAP, JointCut
from viewfuse.exceptions import ViewfuseWarning


@pytest.mark.parametrize("share", [0.03, 0.1])
def test_crescents_with_empty_cells_are_not_taken_for_a_mixture(share):
    """A clear gap stays what it is where its clusters come back."""
    points, y = make_moons(300, noise=0.05, random_state=0)
    arrays = with_holes([points, points @ [[1.0, 0.3], [-0.3, 1.0]]], share)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ViewfuseWarning)
        model = vf.AutoFusion(2, random_state=0).fit(arrays)
    assert vf.metrics.accuracy(y, model.labels_) > 0.95


def test_a_gap_must_be_wider_with_filled_cells():
    def cut(filled):
        return JointCut((0,), None, None, 2, CLEAR_GAP + 0.05, np.zeros(2), filled)  # type: ignore[arg-type]

    assert cut(0.0).is_clear
    assert not cut(0.0).is_doubtful
    assert cut(0.2).is_doubtful


@pytest.mark.parametrize(("share", "most"), [(0.05, 0.01), (0.15, 0.03), (0.3, 0.06)])
def test_iris_is_found_with_empty_cells(share, most):
    data, y = load_iris(return_X_y=True)
    assert mean_loss([data[:, [0, 3]], data[:, [1, 2]]], y, share, range(4)) <= most
