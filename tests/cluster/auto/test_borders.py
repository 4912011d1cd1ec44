"""Samples at the borders of clear clusters."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

from viewfuse import AutoFusion, metrics
from viewfuse.cluster.auto.borders import moved_at_borders
from viewfuse.cluster.auto.candidates import JOINT
from viewfuse.cluster.auto.joint import clearest_cut
from viewfuse.graphs import Samples


def clouds(n=600, k=3, d=20, apart=0.75, seed=0):
    """Overlapping clouds that differ a little in each of many columns."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    return rng.normal(scale=apart, size=(k, d))[y] + rng.normal(size=(n, d)), y


def graph_of(points):
    return Samples((points,)).joint_graph()


def swapped(y, rows, k):
    labels = y.copy()
    labels[rows] = (labels[rows] + 1) % k
    return labels


def test_samples_between_clouds_return_to_their_own():
    points, y = clouds(seed=1)
    edges = graph_of(points) @ np.eye(3)[y]
    at_border = np.flatnonzero(edges.max(axis=1) < 0.7 * edges.sum(axis=1))[::2]
    given = swapped(y, at_border, 3)
    found = moved_at_borders(points, graph_of(points), given, 3)
    assert metrics.accuracy(y, found) > metrics.accuracy(y, given)
    assert np.mean(found[at_border] == y[at_border]) > 0.6


@pytest.mark.parametrize("noise", [0.05, 0.14])
def test_samples_among_their_own_are_not_moved(noise):
    points, y = make_moons(400, noise=noise, random_state=0)
    assert np.array_equal(moved_at_borders(points, graph_of(points), y, 2), y)


def test_inner_products_give_the_same_labels():
    points, y = clouds(n=90, d=400, apart=0.2)
    given = swapped(y, np.arange(0, 90, 13), 3)
    found = moved_at_borders(points, graph_of(points), given, 3)
    assert not np.array_equal(found, given)
    assert np.array_equal(moved_at_borders(points, graph_of(points), given, 3, points @ points.T), found)


@pytest.mark.parametrize("sizes", [(60, 9), (60,)])
def test_nothing_is_moved_if_clusters_are_small_or_there_is_one(sizes):
    points = np.random.default_rng(0).normal(size=(sum(sizes), 3))
    labels = np.repeat(np.arange(len(sizes)), sizes)
    assert np.array_equal(moved_at_borders(points, graph_of(points), labels, len(sizes)), labels)


def test_auto_fusion_moves_samples_and_says_how_many():
    points, y = clouds(n=600, k=4, d=24, apart=0.8, seed=3)
    views = [points[:, :12], points[:, 12:]]
    model = AutoFusion(4, random_state=0).fit(views)
    cut = clearest_cut(Samples(tuple(model._sample_points)), 4, np.random.RandomState(0))
    assert cut.has_borders
    assert model.choice_.chosen == JOINT
    assert "at borders moved" in model.choice_.reason
    assert metrics.accuracy(y, model.labels_) > 0.97
    assert np.array_equal(model.membership_.argmax(axis=1), model.labels_)
