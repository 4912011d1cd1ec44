"""New samples for every fusion: labels, memberships and embeddings, matched by name, with views missing."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import adjusted_rand_score

import viewfuse as vf
from attributed import attributed_graph
from viewfuse import GFSC, AnchorGFSC, AutoFusion, Views
from viewfuse.cluster import GF
from viewfuse.cluster.auto.labelling import Labelling, LinearRule
from viewfuse.cluster.auto.votes import VotingSpace
from viewfuse.exceptions import EncodingWarning, UninformativeViewWarning, ViewsError

FUSIONS = [AutoFusion, GFSC, GF]
VIEWS = vf.datasets.make_views(n_samples=300, n_clusters=3, random_state=0)
TRAIN, NEW = VIEWS[:200], VIEWS[200:]


def frames(views):
    return {
        name: pd.DataFrame(array, columns=[f"{name}{c}" for c in range(array.shape[1])])
        for name, array in zip(views.names, views.arrays, strict=True)
    }


def words(n=300, seed=0):
    """Few samples in many columns, whose nearest neighbours are unreliable."""
    rng = np.random.RandomState(seed)
    y = rng.randint(4, size=n)
    rates = np.full((4, 1000), 0.01)
    for c in range(4):
        rates[c, 50 * c : 50 * c + 50] = 0.12
    return Views([(rng.random_sample((n, 1000)) < rates[y]).astype(float) for _ in range(2)], y=y)


@pytest.mark.parametrize("fusion", FUSIONS)
def test_new_samples_find_their_clusters(fusion):
    model = fusion(3, random_state=0).fit(TRAIN)
    assert adjusted_rand_score(model.labels_, model.predict(TRAIN)) == 1
    assert adjusted_rand_score(NEW.y, model.predict(NEW)) > adjusted_rand_score(TRAIN.y, model.labels_) - 0.05
    memberships = model.predict_proba(NEW)
    np.testing.assert_allclose(memberships.sum(axis=1), 1)
    np.testing.assert_array_equal(memberships.argmax(axis=1), model.predict(NEW))
    assert model.transform(NEW).shape == (100, model.embedding_.shape[1])


@pytest.mark.parametrize("fusion", FUSIONS)
def test_changing_the_data_after_the_fit_changes_nothing(fusion):
    """What is learned from the data for new samples may be learned later, but from the data of the fit."""
    arrays = [array.copy() for array in TRAIN.arrays]
    model = fusion(3, random_state=0).fit(arrays)
    for array in arrays:
        array[:] = 0
    same = fusion(3, random_state=0).fit(list(TRAIN.arrays))
    np.testing.assert_array_equal(model.predict_proba(NEW.arrays), same.predict_proba(NEW.arrays))


@pytest.mark.parametrize("fusion", FUSIONS)
def test_one_sample_at_a_time_gives_the_same(fusion):
    model = fusion(3, random_state=0).fit(TRAIN)
    for what in (model.predict, model.predict_proba, model.transform, model.outlier_score):
        one = np.concatenate([np.atleast_1d(what(NEW[i : i + 1])) for i in range(5)])
        np.testing.assert_allclose(one, what(NEW)[:5], atol=1e-5)


@pytest.mark.parametrize("fusion", FUSIONS)
def test_missing_views_in_new_samples(fusion):
    model = fusion(3, random_state=0).fit(TRAIN)
    rng = np.random.RandomState(0)
    arrays = [array.copy() for array in NEW.arrays]
    lost = rng.random_sample((100, NEW.n_views)) < 0.3
    lost[lost.all(axis=1), 0] = False
    for v, array in enumerate(arrays):
        array[lost[:, v]] = np.nan
    found = model.predict(Views(arrays, names=NEW.names))
    assert adjusted_rand_score(NEW.y, found) > adjusted_rand_score(NEW.y, model.predict(NEW)) - 0.15


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.EncodingWarning")  # says that the order of columns differs
@pytest.mark.parametrize("fusion", [*FUSIONS, AnchorGFSC])
def test_views_and_columns_are_matched_by_name(fusion):
    train, new = frames(TRAIN), frames(NEW)
    model = fusion(3, random_state=0).fit(train)
    expected = model.predict(new)
    shuffled = {name: frame.iloc[:, ::-1] for name, frame in reversed(new.items())}
    with pytest.warns(EncodingWarning, match="columns are in another order"):
        np.testing.assert_array_equal(model.predict(shuffled), expected)
    np.testing.assert_array_equal(model.predict([frame.to_numpy() for frame in new.values()]), expected)
    name = VIEWS.names[1]
    renamed = {**new, name: new[name].rename(columns={f"{name}0": "other"})}
    with pytest.raises(ViewsError, match=rf"{name!r} has other columns.*{name}0' is missing and column 'other' was not"):
        model.predict(renamed)
    with pytest.raises(ViewsError, match=rf"fitted on .*, but view {name!r} is missing"):
        model.predict({key: frame for key, frame in new.items() if key != name})
    with pytest.raises(ViewsError, match=r"view 'extra' was not in the fit"):
        model.predict({**new, "extra": new[name]})
    with pytest.raises(ViewsError, match=rf"{name!r} has \d+ features?, but had \d+"):
        model.predict([frame.to_numpy()[:, : -1 if key == name else None] for key, frame in new.items()])


@pytest.mark.parametrize("fusion", FUSIONS)
def test_a_sample_unlike_all_others(fusion):
    model = fusion(3, random_state=0).fit(TRAIN)
    rng = np.random.RandomState(0)
    far = Views([50 * rng.normal(size=(3, array.shape[1])) for array in TRAIN.arrays], names=TRAIN.names)
    assert model.outlier_score(far).min() > np.quantile(model.outlier_score(NEW), 0.9)
    assert model.predict_proba(far).max(axis=1).max() < np.median(model.predict_proba(NEW).max(axis=1))


@pytest.mark.parametrize("fusion", FUSIONS)
def test_texts_without_a_known_word(fusion):
    views = words()
    padded = [np.hstack([array, np.zeros((300, 5))]) for array in views.arrays]  # five words that nobody has
    model = fusion(4, random_state=0).fit([array[:150] for array in padded])
    unknown = np.zeros((2, 1005))
    unknown[1, 1000:] = 1
    assert model.outlier_score([unknown, unknown]).min() > model.outlier_score([a[150:] for a in padded]).max() + 1
    memberships = model.predict_proba([unknown, unknown])
    np.testing.assert_allclose(memberships, 0.25, atol=1e-4)
    np.testing.assert_array_equal(memberships.argmax(axis=1), model.predict([unknown, unknown]))
    known_in_one = model.predict_proba([unknown, padded[1][150:152]])
    assert known_in_one.max(axis=1).min() > 0.3


@pytest.mark.parametrize("fusion", FUSIONS)
def test_nodes_without_edges_and_words(fusion):
    views = attributed_graph(n=300, signal=0.4)
    model = fusion(3, random_state=0).fit(views[:200])
    nothing = Views({"words": np.zeros((2, 200)), "cites": np.zeros((2, 200))})
    np.testing.assert_allclose(model.predict_proba(nothing), 1 / 3, atol=1e-4)
    assert model.outlier_score(nothing).min() > model.outlier_score(views[200:]).max() + 1
    edges_only = Views({"words": np.zeros((100, 200)), "cites": views.view("cites")[200:, :200]})
    assert vf.metrics.accuracy(views.y[200:], model.predict(edges_only)) > 0.6


@pytest.mark.parametrize("fusion", FUSIONS)
def test_few_samples_in_many_columns(fusion):
    views = words()
    model = fusion(4, random_state=0).fit(views[:150])
    new = vf.metrics.accuracy(views.y[150:], model.predict(views[150:]))
    assert new > vf.metrics.accuracy(views.y[:150], model.labels_) - 0.05


def test_clusters_of_few_samples_are_told_by_their_means():
    rng = np.random.RandomState(0)
    labels = np.repeat(np.arange(40), 5)
    points = 0.9 * rng.normal(size=(40, 20))[labels] + rng.normal(size=(200, 20))
    space = VotingSpace.of(points, 40)
    rule = Labelling.learn(points, space, labels, 40)
    new = 0.9 * np.random.RandomState(0).normal(size=(40, 20))[labels] + rng.normal(size=(200, 20))
    placed = space.coordinates(new)
    votes = space.votes(placed)
    shares = votes.shares(labels, 40)
    found = rule(new, placed, shares, votes.same)
    assert np.mean(found == labels) > np.mean(shares.argmax(axis=1) == labels) + 0.03


def test_the_linear_rule_leaves_out_each_sample():
    rng = np.random.RandomState(0)
    points, labels = rng.normal(size=(30, 8)), np.arange(30) % 3
    points[:, 0] += labels
    rule, without = LinearRule.learn(points, labels, 3)
    shift = 0.1 * np.sum((points - points.mean(axis=0)) ** 2) / 8
    whole = Ridge(alpha=shift).fit(points, np.eye(3)[labels])
    np.testing.assert_array_equal(rule(points), whole.predict(points).argmax(axis=1))
    for i in range(30):
        others = np.arange(30) != i
        # The penalty and the mean of all samples but one differ a little from those of all.
        left = Ridge(alpha=shift).fit(points[others], np.eye(3)[labels[others]]).predict(points[i : i + 1])
        assert left.argmax() == without[i]


@pytest.mark.parametrize("columns", [8, 90])
def test_labels_without_each_sample_need_no_columns_where_products_are_known(columns):
    rng = np.random.RandomState(0)
    points, labels = rng.normal(size=(40, columns)), np.arange(40) % 3
    points[:, 0] += 3 * labels
    expected = LinearRule.learn(points.copy(), labels, 3)[1]
    np.testing.assert_array_equal(LinearRule.labels_left_out(points, labels, 3, points @ points.T), expected)
    np.testing.assert_array_equal(LinearRule.labels_left_out(points, labels, 3), expected)


@pytest.mark.parametrize("fusion", FUSIONS)
def test_relations_of_new_samples(fusion, tmp_path):
    views = attributed_graph(n=300)
    train, new = views[:200], views[200:]
    model = fusion(3, random_state=0).fit(train)
    assert adjusted_rand_score(model.labels_, model.predict(train)) > 0.98
    found = model.predict(new)  # selected from the same views, so the edges to the samples of the fit are known
    assert adjusted_rand_score(new.y, found) > 0.5
    given = {"words": new.view("words"), "cites": views.view("cites")[200:][:, :200]}
    np.testing.assert_array_equal(model.predict(given), found)
    again = vf.load(model.save(tmp_path / "fit.model"))
    np.testing.assert_array_equal(again.predict(given), found)
    with pytest.warns(UninformativeViewWarning, match="'cites' is a graph: only edges to the 200 samples of the fit"):
        model.predict({"words": new.view("words"), "cites": new.view("cites")})


@pytest.mark.parametrize("fusion", FUSIONS)
@pytest.mark.parametrize("kind", ["kernel", "distance"])
def test_kernels_and_distances_of_new_samples(fusion, kind):
    rng = np.random.RandomState(0)
    y = rng.randint(3, size=200)
    points = 5 * np.eye(3)[y] + rng.normal(size=(200, 3))
    relation = points @ points.T if kind == "kernel" else np.linalg.norm(points[:, None] - points[None], axis=2)
    views = Views({"r": relation, "x": points + rng.normal(size=points.shape)}, kinds={"r": kind})
    model = fusion(3, random_state=0).fit(views[:150])
    assert adjusted_rand_score(y[150:], model.predict(views[150:])) > 0.8
    assert adjusted_rand_score(model.labels_, model.predict(views[:150])) > 0.98
    with pytest.raises(ViewsError, match=r"'r' is a .*: new samples need one column for each of the 150 samples of the fit"):
        model.predict({"r": relation[150:, 150:], "x": points[150:]})


@pytest.mark.parametrize("fusion", FUSIONS)
def test_saved_models_predict(fusion, tmp_path):
    model = fusion(3, random_state=0).fit(frames(TRAIN))
    again = vf.load(model.save(tmp_path / "fit.model"))
    np.testing.assert_array_equal(again.predict(frames(NEW)), model.predict(frames(NEW)))
    np.testing.assert_allclose(again.predict_proba(frames(NEW)), model.predict_proba(frames(NEW)))


@pytest.mark.parametrize("fusion", FUSIONS)
def test_categories_of_new_samples(fusion):
    rng = np.random.RandomState(0)
    y = rng.randint(3, size=200)
    codes = np.where(rng.random_sample((200, 6)) < 0.8, y[:, None], rng.randint(3, size=(200, 6)))
    points = 4 * np.eye(3)[y] + rng.normal(size=(200, 3))
    model = fusion(3, random_state=0).fit(Views({"c": codes[:150], "x": points[:150]}, kinds={"c": "categories"}))
    found = model.predict({"c": codes[150:], "x": points[150:]})
    assert adjusted_rand_score(y[150:], found) > 0.9
    np.testing.assert_array_equal(model.predict({"c": codes[150:151], "x": points[150:151]}), found[:1])
    codes[150, 0] = 9
    with pytest.warns(UninformativeViewWarning, match=r"'c' has categories that were not in the fit: '0=9'"):
        model.predict({"c": codes[150:], "x": points[150:]})


@pytest.mark.parametrize("fusion", [GFSC, GF])
def test_what_new_samples_need_is_learned_from_the_data_as_it_was_in_the_fit(fusion, tmp_path):
    given = [array.copy() for array in TRAIN.arrays]
    model = fusion(3, random_state=0).fit(given)
    expected = fusion(3, random_state=0).fit(TRAIN).predict_proba(NEW)
    for array in given:
        array[...] = 0.0
    restored = [pickle.loads(pickle.dumps(model)), vf.load(model.save(tmp_path / "fit.model"))]
    for each in (model, *restored):
        np.testing.assert_array_equal(each.predict_proba(NEW), expected)
    with pytest.raises(AttributeError, match="precomputed"):
        fusion(2, affinity="precomputed").fit([np.kron(np.eye(2), np.ones((9, 9)))] * 2).predict(NEW)


@pytest.mark.parametrize("kind", ["features", "graph", "distance", "categories"])
@pytest.mark.parametrize("fusion", [AutoFusion, GFSC])
def test_a_view_that_no_new_sample_is_in(fusion, kind):
    rng = np.random.RandomState(0)
    y = rng.randint(3, size=200)
    points = 5 * np.eye(3)[y] + rng.normal(size=(200, 3))
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    held = {"features": points[:, ::-1] ** 3, "categories": y[:, None], "distance": apart, "graph": np.exp(-apart)}[kind]
    old, new = (held[:150], held[150:]) if kind in ("features", "categories") else (held[:150, :150], held[150:, :150])
    model = fusion(3, random_state=0).fit(Views({"other": old, "x": points[:150]}, kinds={"other": kind}))
    without = model._with_absent_views(Views({"x": points[150:]}))
    assert adjusted_rand_score(y[150:], model.predict(without)) > 0.9
    np.testing.assert_array_equal(without.present, [[False, True]] * 50)
    nothing = Views({"other": new, "x": points[150:]}, present=without.present, kinds={"x": "features"})
    if kind != "categories":  # those of Views are indicators of their own categories
        np.testing.assert_array_equal(model.predict(without), model.predict(nothing))
