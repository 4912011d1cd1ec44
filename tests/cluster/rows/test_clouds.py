"""Clusters as clouds: the rule equals normal densities, and is used only where it tells more than neighbours."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.covariance import ledoit_wolf
from sklearn.metrics import adjusted_rand_score

import viewfuse as vf
from viewfuse.cluster.rows import clouds
from viewfuse.graphs.anchors import UnitRows


def overlapping(n=1500, k=4, features=(12, 20), noise=2.0, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    return [(rng.normal(size=(k, d))[y] + noise * rng.normal(size=(n, d))).astype(np.float32) for d in features], y


def quarters(n=900, seed=0):
    """Directions on a circle; opposite quarters are one cluster, so that the means of both are in the middle."""
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, n)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return [circle, circle[:, ::-1]], (4 * angle / (2 * np.pi)).astype(int) % 2


def points_of(views):
    return [clouds._Points(x - x.mean(axis=0), np.ones(len(x), dtype=bool)) for x in views]


def covariance(x, labels, k):
    means = np.stack([x[labels == c].mean(axis=0) for c in range(k)])
    return means, ledoit_wolf(x - means[labels], assume_centered=True)[0]


def test_the_rule_equals_normal_densities_of_independent_views():
    views, y = overlapping()
    sample = points_of(views)
    direct = np.log(np.bincount(y) / len(y))[None, :]
    for points in sample:
        means, shrunk = covariance(points.values.astype(float), y, 4)
        direct = direct + np.stack([multivariate_normal(m, shrunk).logpdf(points.values) for m in means], axis=1)
    found = clouds._fitted(sample, y, 4)(sample)
    np.testing.assert_allclose(found - found[:, :1], direct - direct[:, :1], atol=2e-3)


def test_left_out_rows_do_not_count():
    views, y = overlapping()
    sample, left_out = points_of(views), np.arange(len(y)) % 3 == 0
    kept = [clouds._Points(points.values[~left_out], points.present[~left_out]) for points in sample]
    found, expected = clouds._fitted(sample, y, 4, left_out), clouds._fitted(kept, y[~left_out], 4)
    np.testing.assert_allclose(found(sample), expected(sample), rtol=1e-3, atol=1e-3)


def test_a_view_that_lacks_a_row_says_nothing_about_it():
    views, y = overlapping()
    absent = np.arange(len(y)) % 5 == 0
    whole = [UnitRows.of(views[0]), UnitRows.of(np.where(absent[:, None], np.nan, views[1]), absent)]
    anchors = [x[:60] / np.linalg.norm(x[:60], axis=1, keepdims=True) for x in views]
    rule = clouds.learn_clouds(whole, anchors, y, 4, np.random.RandomState(0))
    labels, _ = rule.assign(whole)
    alone, _ = clouds.Clouds(rule.maps[:1], rule.log_shares).assign(whole[:1])
    np.testing.assert_array_equal(labels[absent], alone[absent])
    assert (labels[~absent] != alone[~absent]).any()


def test_confidence_is_the_difference_of_the_two_largest_probabilities():
    logs = np.log(np.array([[0.7, 0.2, 0.1], [0.4, 0.4, 0.2]], dtype=np.float32))
    rows = UnitRows(np.eye(2, dtype=np.float32), np.ones(2, dtype=np.float32), np.zeros(2, dtype=bool))
    rule = clouds.Clouds((np.vstack([logs, np.zeros((1, 3), dtype=np.float32)]),), np.zeros(3, dtype=np.float32))
    labels, confidence = rule.assign([rows])
    np.testing.assert_allclose(confidence, [0.5, 0.0], atol=1e-6)
    assert labels[0] == 0
    assert rule.renumbered(np.array([2, 0, 1])).assign([rows])[0][0] == 1


@pytest.mark.parametrize("share", [0.5, 0.8, 0.95])
def test_probabilities_are_as_large_as_they_are_right(share):
    logs = 30 * np.random.default_rng(0).normal(size=(500, 6))
    scaled = np.exp(clouds._calibrated(logs, share) * logs)
    assert (scaled.max(axis=1) / scaled.sum(axis=1)).mean() == pytest.approx(share, abs=1e-3)
    assert clouds._calibrated(0.01 * logs, share) == pytest.approx(1)  # never surer than the clouds


class Unrefined(vf.AnchorGFSC):
    _refines = False


def test_overlapping_clusters_are_told_better_by_clouds():
    views, y = overlapping(n=3000, k=8, features=(20, 30), noise=2.2)
    coarse = Unrefined(8, random_state=0).fit(views)
    model = vf.AnchorGFSC(8, random_state=0).fit(views)
    assert adjusted_rand_score(y, model.labels_) > adjusted_rand_score(y, coarse.labels_) + 0.05
    assert (model.predict(views) == model.labels_).all()
    right = np.array([np.bincount(y[model.labels_ == c]).argmax() for c in range(8)])[model.labels_] == y
    assert model.confidence_[right].mean() > 1.5 * model.confidence_[~right].mean()


def test_curved_clusters_are_told_by_neighbours():
    views, y = quarters()
    rows = [UnitRows.of(x) for x in views]
    anchors = [view.scaled()[:40] for view in rows]
    assert clouds.learn_clouds(rows, anchors, y, 2, np.random.RandomState(0)) is None


def test_few_rows_have_no_clouds():
    views, y = overlapping(n=30)
    rows = [UnitRows.of(x) for x in views]
    assert clouds.learn_clouds(rows, [x[:10] for x in views], y, 4, np.random.RandomState(0)) is None
    assert clouds.learn_clouds(rows, [x[:10] for x in views], 0 * y, 1, np.random.RandomState(0)) is None


def test_no_cluster_is_absorbed_by_its_neighbours():
    views, y = overlapping(n=2000, k=2, noise=6.0)
    y = np.where((y == 1) & (np.arange(2000) % 4 > 0), 0, y)  # a small part of the second cluster has its label
    sample = points_of(views)
    found = clouds._refined(sample, y, 2)(sample).argmax(axis=1)
    assert np.bincount(found, minlength=2).min() > 0


class FewStored(vf.AnchorGFSC):
    _most_stored = 100


def test_the_embedding_of_many_rows_is_computed_on_access(tmp_path):
    views, _ = overlapping(n=400)
    whole, model = (made(4, random_state=0).fit(views) for made in (vf.AnchorGFSC, FewStored))
    assert model.anchor_graph_ is None
    assert model.get_feature_names_out().shape == (5,)
    path = vf.AnchorGFSC.save(model, tmp_path / "fit.model")
    np.testing.assert_array_equal(model.embedding_, whole.embedding_)
    np.testing.assert_array_equal(model.labels_, whole.labels_)
    assert model._rows is None  # the data is not kept longer than needed
    from viewfuse.cluster._saving import read_model

    loaded = read_model(path, {"FewStored": FewStored})
    with pytest.raises(AttributeError, match="use transform"):
        _ = loaded.embedding_
    np.testing.assert_array_equal(loaded.transform(views), model.embedding_)
    np.testing.assert_array_equal(loaded.predict(views), model.labels_)


def test_a_large_sample_of_tensors_is_learned_from_on_its_device(monkeypatch):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from viewfuse.cluster.rows import tensors

    monkeypatch.setattr(tensors, "_MOST_ON_HOST", 0)
    views, y = overlapping(n=2000, features=(12, 110), noise=1.5)
    views[0][3] = np.nan
    on_host = vf.AnchorGFSC(4, random_state=0).fit(views)
    model = vf.AnchorGFSC(4, random_state=0).fit([torch.asarray(x) for x in views])
    assert isinstance(model.labels_, torch.Tensor)
    assert adjusted_rand_score(y, model.labels_) > 0.95
    assert adjusted_rand_score(on_host.labels_, model.labels_) > 0.95
    assert model.verdict_.supported
    np.testing.assert_allclose(model.view_weights_, on_host.view_weights_, atol=0.05)


def test_votes_are_the_same_for_tensors():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    views, y = overlapping()
    points = np.hstack([clouds._of_equal_spread(x) for x in views])
    tensors = torch.cat([clouds._of_equal_spread(torch.asarray(x)) for x in views], dim=1)
    np.testing.assert_allclose(tensors.numpy(), points, rtol=1e-5, atol=1e-6)
    voters, rows = np.arange(0, len(y), 2), np.arange(200)
    expected = clouds._votes(points, voters, rows, y, 4)
    assert np.mean(clouds._votes(tensors, voters, rows, y, 4) == expected) > 0.99
    assert np.mean(expected == y[:200]) > 0.5


@pytest.mark.parametrize("empty", [False, True])
def test_margins_are_differences_of_probabilities(empty):
    views, y = overlapping()
    if empty:
        views[1][::7] = 0
    sample = [UnitRows.of(x) for x in views]
    anchors = [x[:60] / np.maximum(np.linalg.norm(x[:60], axis=1, keepdims=True), 1e-9) for x in views]
    rule = clouds.learn_clouds(sample, anchors, y, 4, np.random.RandomState(0))
    logs = sum(view.codes(mapping).astype(float) for view, mapping in zip(sample, rule.maps, strict=True)) + rule.log_shares
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    ordered = np.sort(shares / shares.sum(axis=1, keepdims=True), axis=1)
    labels, confidence = rule.assign(sample)
    assert np.array_equal(labels, logs.argmax(axis=1))
    np.testing.assert_allclose(confidence, ordered[:, -1] - ordered[:, -2], atol=1e-4)
