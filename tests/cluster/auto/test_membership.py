"""Memberships: rows sum to 1, the largest is the label's, and they are calibrated."""

import numpy as np
import pytest

from viewfuse import AutoFusion, metrics
from viewfuse.cluster.auto.labelling import _points_of_folds
from viewfuse.cluster.auto.membership import Discriminant
from viewfuse.cluster.auto.votes import VotingSpace, leading_axes
from viewfuse.datasets import make_views


def overlapping(seed, spread, n=600, k=3):
    rng = np.random.default_rng(seed)
    labels = rng.integers(k, size=n)
    centres = [6 * rng.normal(size=(k, d)) / np.sqrt(d) for d in (3, 4)]
    return [centre[labels] + spread * rng.normal(size=(n, centre.shape[1])) for centre in centres], labels


def calibration_error(largest, right, bins=10):
    place = np.minimum((largest * bins).astype(int), bins - 1)
    return sum(
        abs(right[place == b].mean() - largest[place == b].mean()) * (place == b).mean()
        for b in range(bins)
        if (place == b).any()
    )


def test_rows_sum_to_one_and_the_largest_is_the_label():
    views, _ = overlapping(0, 2.0)
    model = AutoFusion(3, random_state=0).fit(views)
    np.testing.assert_allclose(model.membership_.sum(axis=1), 1)
    np.testing.assert_array_equal(model.membership_.argmax(axis=1), model.labels_)


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.NoStructureWarning")
@pytest.mark.parametrize("spread", [1.5, 2.0, 2.5])
def test_memberships_are_calibrated(spread):
    errors = []
    for seed in range(4):
        views, labels = overlapping(seed, spread)
        model = AutoFusion(3, random_state=0).fit(views)
        matched = (
            metrics.matched_labels(labels, model.labels_)
            if hasattr(metrics, "matched_labels")
            else _matched(labels, model.labels_)
        )
        errors.append(calibration_error(model.membership_.max(axis=1), matched == labels))
    assert np.mean(errors) < 0.08


def _matched(labels, found):
    from scipy.optimize import linear_sum_assignment

    table = np.zeros((labels.max() + 1, found.max() + 1))
    np.add.at(table, (labels, found), 1)
    rows, columns = linear_sum_assignment(-table)
    return dict(zip(columns, rows, strict=True)) and np.array(
        [dict(zip(columns, rows, strict=True)).get(c, -1) for c in found]
    )


def test_new_samples_have_the_same_memberships():
    views, labels = overlapping(0, 2.0, n=1200)
    model = AutoFusion(3, random_state=0).fit([view[:600] for view in views])
    new = model.predict_proba([view[600:] for view in views])
    np.testing.assert_array_equal(new.argmax(axis=1), model.predict([view[600:] for view in views]))
    error = calibration_error(new.max(axis=1), _matched(labels[600:], new.argmax(axis=1)) == labels[600:])
    assert error < 0.08
    one_by_one = np.vstack([model.predict_proba([view[i : i + 1] for view in views]) for i in range(600, 620)])
    np.testing.assert_allclose(one_by_one, new[:20], atol=1e-6)


def test_curved_clusters_are_told_by_their_neighbours():
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, 400)
    radius = np.repeat([1.0, 4.0], 200)
    points = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    model = AutoFusion(2, random_state=0).fit([points + 0.05 * rng.normal(size=(400, 2)) for _ in range(2)])
    assert model._membership.discriminant is None
    assert np.median(model.confidence_) > 0.9


def test_clouds_are_told_by_their_distances():
    views, labels = overlapping(0, 2.0)
    points = np.hstack(views)
    found = Discriminant.learn(points, labels, 3).memberships(points)
    from sklearn.covariance import ledoit_wolf

    means = np.array([points[labels == c].mean(axis=0) for c in range(3)])
    precision = np.linalg.inv(ledoit_wolf(points - means[labels])[0])
    logs = np.array(
        [[-0.5 * (x - m) @ precision @ (x - m) + np.log(np.mean(labels == c)) for c, m in enumerate(means)] for x in points]
    )
    direct = np.exp(logs - logs.max(axis=1, keepdims=True))
    np.testing.assert_allclose(found, direct / direct.sum(axis=1, keepdims=True), atol=1e-8)


def test_outliers_are_marked():
    rng = np.random.default_rng(0)
    views = [np.array(view) for view in make_views(n_samples=300, n_features=(5, 6), random_state=0)]
    bad = rng.choice(300, 6, replace=False)
    for view in views:
        view[bad] *= 10
    model = AutoFusion(3, random_state=0).fit(views)
    others = np.delete(model.outlier_score_, bad)
    assert model.outlier_score_[bad].min() > max(1, np.quantile(others, 0.99))
    assert np.median(others) < 0.3
    assert model.affinity_matrix_.shape == (300, 300)
    far = [1e3 * np.ones((1, view.shape[1])) for view in views]
    assert model.outlier_score(far)[0] > 2
    assert model.predict_proba(far).max() < 0.6


def test_samples_that_are_left_out_have_no_part_in_the_coordinates():
    """Random clusters of noise in many columns cannot be found; directions that fit all samples seem to find them."""
    rng = np.random.default_rng(0)
    joint, labels, k = rng.normal(size=(120, 2000)), np.arange(120) % 3, 3
    rng.shuffle(labels)
    joint += 0.5 * np.eye(3)[labels] @ rng.normal(size=(3, 2000))
    space = VotingSpace.of(joint, k)
    points_of = _points_of_folds(joint, space, k)
    fold = np.arange(120) % 5
    placed = points_of(fold != 0)
    axes = leading_axes(joint[fold != 0], k)
    np.testing.assert_allclose(placed[fold == 0], joint[fold == 0] @ axes)
    # Lengths along axes that the others chose are those of noise; along its own a sample lies farther out.
    centred = joint - joint.mean(axis=0)
    assert np.linalg.norm(centred[fold == 0] @ axes) < 0.8 * np.linalg.norm(centred[fold == 0] @ space.axes)


def test_narrow_points_keep_their_coordinates():
    joint = np.random.default_rng(0).normal(size=(300, 60))
    space = VotingSpace.of(joint, 3)
    np.testing.assert_array_equal(_points_of_folds(joint, space, 3)(np.arange(300) > 60), space.clustered)
