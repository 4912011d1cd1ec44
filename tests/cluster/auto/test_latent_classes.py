"""Latent classes: labels that follow from values of which most are yes or no."""

from __future__ import annotations

import numpy as np
import pytest

import viewfuse as vf
from viewfuse import AutoFusion
from viewfuse.cluster.auto import latent_classes
from viewfuse.cluster.auto.latent_classes import labels_by_values, with_latent_classes
from viewfuse.graphs.rounding import same_for_copies


def answers(seed, n=600, k=4, columns=12):
    """Yes or no, with other probabilities in each cluster."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    return (rng.random((n, columns)) < rng.beta(0.4, 0.4, (k, columns))[y]).astype(float), y


def spoilt(y, share, seed=0):
    """The labels, some of them at random."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random(len(y)) < share, rng.integers(0, y.max() + 1, len(y)), y)


def slow_latent_classes(labels, values, k, iterations):
    """The same algorithm, one sample, cluster and column after the other."""
    values = values[:, values.std(axis=0) > 0]
    n, p = values.shape
    binary = [len(np.unique(values[:, j])) == 2 for j in range(p)]
    share = np.eye(k)[labels]
    objective = []
    for _ in range(iterations):
        logs = np.zeros((n, k))
        for c in range(k):
            size = share[:, c].sum()
            logs[:, c] += np.log(size / n)
            for j in range(p):
                x, r = values[:, j], share[:, c]
                if binary[j]:
                    one = x == x.max()
                    theta = (r[one].sum() + one.mean()) / (size + 1)
                    logs[:, c] += np.where(one, np.log(theta), np.log(1 - theta))
                else:
                    mean = (r * x).sum() / size
                    step = np.diff(np.unique(x)).min()
                    variance = ((r * (x - mean) ** 2).sum() + x.var()) / (size + 1) + step**2 / 12
                    logs[:, c] += -0.5 * ((x - mean) ** 2 / variance + np.log(variance))
        total = np.log(np.exp(logs).sum(axis=1))
        objective.append(total.mean())
        share = np.exp(logs - total[:, None])
    return share.argmax(axis=1), objective


@pytest.mark.parametrize("seed", range(3))
def test_it_agrees_with_a_direct_version(seed, monkeypatch):
    values, y = answers(seed, n=120, k=3, columns=6)
    values = np.hstack([values, np.round(y[:, None] + np.random.default_rng(seed).normal(size=(120, 2)), 1)])
    start = spoilt(y, 0.3)
    monkeypatch.setattr(latent_classes, "_MOST_ITERATIONS", 15)
    monkeypatch.setattr(latent_classes, "_LEAST_GAIN", -np.inf)
    expected, objective = slow_latent_classes(start, values, 3, 15)
    np.testing.assert_array_equal(labels_by_values(start, [values], 3), expected)
    assert objective[-1] > objective[0]


@pytest.mark.parametrize("seed", range(4))
def test_samples_in_the_wrong_cluster_are_moved(seed):
    values, y = answers(seed)
    start = spoilt(y, 0.3)
    found = labels_by_values(start, [values], 4)
    assert vf.metrics.accuracy(y, found) > vf.metrics.accuracy(y, start) + 0.1


def test_copies_are_in_one_cluster_and_the_order_of_rows_and_units_do_not_matter():
    values, y = answers(1, columns=6)
    start = spoilt(y, 0.2)
    found = labels_by_values(start, [values], 4)
    np.testing.assert_array_equal(same_for_copies(found, [values]), found)
    order = np.random.default_rng(0).permutation(len(y))
    np.testing.assert_array_equal(labels_by_values(start[order], [values[order]], 4), found[order])
    np.testing.assert_array_equal(labels_by_values(start, [3 * values - 7], 4), found)


def test_columns_of_many_values_are_left_to_the_graphs():
    rng = np.random.default_rng(0)
    values = np.hstack([rng.normal(size=(200, 4)), rng.integers(0, 2, (200, 3))])
    labels = rng.integers(0, 3, 200)
    np.testing.assert_array_equal(labels_by_values(labels, [values], 3), labels)


def test_constant_columns_say_nothing():
    values, y = answers(0)
    with_constants = np.hstack([np.ones((len(y), 2)), values])
    start = spoilt(y, 0.2)
    np.testing.assert_array_equal(labels_by_values(start, [with_constants], 4), labels_by_values(start, [values], 4))
    np.testing.assert_array_equal(labels_by_values(start, [np.ones((len(y), 3))], 4), start)


def test_no_cluster_gets_lost():
    values = np.repeat([[0.0, 0, 1], [1.0, 1, 0]], 50, axis=0)
    labels = np.repeat([0, 1, 0, 2], 25)
    assert np.unique(labels_by_values(labels, [values], 3)).size == 3


@pytest.mark.parametrize("seed", range(4))
def test_a_table_of_yes_and_no_is_clustered_as_well_as_by_its_probabilities(seed):
    """Where values are spread to moves samples at borders; it was 5 points below this."""
    values, y = answers(seed)
    model = AutoFusion(4, random_state=0).fit([values[:, :6], values[:, 6:]])
    assert not any("mixture" in name for name in model.choice_.candidates)
    assert "moved to where samples with such values are" in model.choice_.reason
    best = slow_latent_classes(y, values, 4, 20)[0]
    assert vf.metrics.accuracy(y, model.labels_) > vf.metrics.accuracy(y, best) - 0.02


def test_a_class_of_a_few_outliers_is_no_cluster():
    values, y = answers(0, n=300, k=2)
    labels = y.copy()
    labels[:2] = 2
    assert with_latent_classes(labels, [values], 3) is labels
