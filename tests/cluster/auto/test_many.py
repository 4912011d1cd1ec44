"""Many samples: a few are clustered, and all are assigned by what was learned from these."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import viewfuse as vf
from viewfuse.cluster._saving import read_model
from viewfuse.cluster.auto import many
from viewfuse.cluster.auto.canonical import _row_key, unit
from viewfuse.cluster.auto.many import labels_and_memberships, rules_of_many
from viewfuse.cluster.auto.membership import Discriminant
from viewfuse.cluster.auto.votes import VotingSpace
from viewfuse.graphs.representation import represent


class Few(vf.AutoFusion):
    _most_clustered = 300
    _most_voters = 150
    _most_described = 700
    _cached_rows = 64


def blobs(n, k=3, features=(6, 8), spread=5.0, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    return [spread * rng.normal(size=(k, d))[y] + rng.normal(size=(n, d)) for d in features], y


def rings(n, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    angle = rng.uniform(0, 2 * np.pi, n)
    radius = (1 + 3 * y)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return [radius + 0.1 * rng.normal(size=(n, 2)) for _ in range(2)], y


def test_clouds_assign_all_samples_as_they_assign_new_ones():
    views, y = blobs(1000)
    model = Few(3, random_state=0).fit(views)
    assert model._membership.reach is not None
    assert adjusted_rand_score(y, model.labels_) == 1
    np.testing.assert_array_equal(model.predict(views), model.labels_)
    np.testing.assert_allclose(model.predict_proba(views), model.membership_, atol=1e-4)
    np.testing.assert_allclose(model.membership_.sum(axis=1), 1)
    np.testing.assert_array_equal(model.membership_.argmax(axis=1), model.labels_)


def test_curved_clusters_are_assigned_by_votes():
    views, y = rings(1000)
    model = Few(2, random_state=0).fit(views)
    assert model._membership.reach is None
    assert adjusted_rand_score(y, model.labels_) == 1


def test_what_needs_neighbours_is_computed_on_access(tmp_path):
    views, _ = blobs(1000)
    model = Few(3, random_state=0).fit(views)
    assert "embedding_" not in vars(model)
    assert model.get_feature_names_out().shape == (3,)
    loaded = read_model(model.save(tmp_path / "fit.model"), {"Few": Few})
    np.testing.assert_allclose(model.outlier_score_, model.outlier_score(views), atol=1e-4)
    np.testing.assert_allclose(model.embedding_, model.transform(views), atol=1e-4)
    assert "_joint_of_rows" not in vars(model)  # the data is not kept longer than needed
    for name, method in (("outlier_score_", "outlier_score"), ("embedding_", "transform")):
        with pytest.raises(AttributeError, match=f"use {method}"):
            getattr(loaded, name)
    np.testing.assert_array_equal(loaded.predict(views), model.labels_)
    again = model.fit([view[:500] for view in views])
    assert len(again.embedding_) == len(again.outlier_score_) == 500
    assert not hasattr(vf.AutoFusion(), "embedding_")


def test_far_samples_belong_to_all_clusters_alike():
    views, _ = blobs(1000)
    for view in views:
        view[7] += 40 * np.sign(view[7])
    model = Few(3, random_state=0).fit(views)
    assert model.membership_[7].max() < 0.6
    assert model.outlier_score_[7] > 1
    assert np.median(model.membership_.max(axis=1)) > 0.99


def test_the_rule_is_learned_from_all_clustered_samples():
    views, y = blobs(600, k=4, features=(30,), spread=1.2)
    voters = np.arange(0, 600, 10)
    space = VotingSpace.of(views[0], 4, voters)
    assert len(space.clustered) == 60
    labelling, membership = rules_of_many(views[0], space, y, voters, 4)
    labels, memberships = labels_and_memberships(views[0], space, labelling, membership)
    assert np.mean(labels == y) > 0.9
    by_votes = space.votes(space.coordinates(views[0])).shares(y[voters], 4).argmax(axis=1)
    assert np.mean(labels == y) > np.mean(by_votes == y)
    np.testing.assert_array_equal(memberships.argmax(axis=1), labels)
    known = np.where(np.arange(600) < 5, 2, -1)
    some, _ = labels_and_memberships(views[0], space, labelling, membership, known)
    np.testing.assert_array_equal(some, np.where(known >= 0, known, labels))


def test_wide_points_are_told_in_the_coordinates_of_the_voting_space(monkeypatch):
    views, y = blobs(600, k=4, features=(70,), spread=1.5)
    voters = np.arange(0, 600, 10)
    space = VotingSpace.of(views[0], 4, voters)
    monkeypatch.setattr(many, "_MOST_COLUMNS", 60)
    _, membership = rules_of_many(views[0], space, y, voters, 4)
    points = space.coordinates(views[0]).astype(float)
    expected = Discriminant.learn(points, y, 4).memberships(points)
    np.testing.assert_allclose(membership.discriminant.memberships(views[0]), expected, atol=1e-4)
    assert membership.discriminant.turned.shape == (70, 3)


@pytest.mark.parametrize(("k", "columns"), [(4, 50), (60, 60), (90, 80)])
def test_many_clusters_have_a_voting_space_of_as_many_columns(k, columns):
    points = np.random.default_rng(0).normal(size=(300, 80))
    assert VotingSpace.of(points, k).clustered.shape == (300, columns)


def test_few_samples_per_cluster_have_no_rule():
    views, y = blobs(60, k=6)
    space = VotingSpace.of(views[0], 6)
    labelling, membership = rules_of_many(views[0], space, y, np.arange(60), 6)
    assert labelling.clouds is labelling.linear is membership.discriminant is None


@pytest.mark.parametrize("kind", ["standardised", "logarithms", "directions"])
def test_points_in_single_precision_are_those_in_double_precision(kind):
    rng = np.random.default_rng(0)
    values = {
        "standardised": rng.normal(size=(80, 12)),
        "logarithms": np.exp(2 * rng.normal(size=(80, 12))),
        "directions": rng.poisson(0.4, size=(80, 12)).astype(float),
    }[kind]
    found = represent(values)
    assert found.kind == kind
    single = found(values, np.float32)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, found(values), atol=1e-4)


def test_keys_and_units_of_rows_do_not_depend_on_blocks():
    view = np.random.default_rng(0).normal(size=(5000, 7)).astype(np.float32)
    direction = np.random.RandomState(0).standard_normal(7)
    np.testing.assert_allclose(_row_key(view), view.astype(float) @ direction, rtol=1e-12, atol=1e-12)
    assert unit(np.array([[1.0, -1e20]])) == 1e20
    assert unit(np.array([[1.0, -3.0]])) == 1


def overlapping(n, k=6, features=(20, 30), noise=3.0, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    return [rng.normal(size=(k, d))[y] + noise * rng.normal(size=(n, d)) for d in features], y


class Overlapping(Few):
    _most_clustered = 600


def test_clusters_that_no_neighbour_graph_sees_are_found_by_means():
    views, y = overlapping(3000)
    model = Overlapping(6, random_state=0).fit(views)
    assert model.choice_.chosen == "overlapping clouds"
    assert adjusted_rand_score(y, model.labels_) > 0.6
    assert model.verdict_.supported
    assert "halves lose" in str(model.verdict_)
    assert all(view.kept for view in model.choice_.views)
    np.testing.assert_array_equal(model.predict(views), model.labels_)


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.NoStructureWarning")
@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.UnstableClustersWarning")
def test_one_cloud_has_no_overlapping_clusters():
    rng = np.random.default_rng(0)
    views = [rng.normal(size=(2000, d)) * np.linspace(3, 1, d) for d in (15, 20)]
    model = Overlapping(4, random_state=0).fit(views)
    assert model.choice_.chosen != "overlapping clouds"
    assert not model.verdict_.supported
