"""New samples unlike those of the fit are warned of; ordinary ones are not."""

import warnings

import numpy as np
import pandas as pd
import pytest

import viewfuse as vf
from blobs import N, blobs, three_views
from viewfuse.cluster.novelty import Novelty, warn_of_unlike_samples
from viewfuse.exceptions import UnlikeFitWarning


def alarms(work):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = work()
    return [w.message for w in caught if isinstance(w.message, UnlikeFitWarning)], result


@pytest.mark.parametrize("method", ["auto", "gfsc"])
def test_new_samples_unlike_those_of_the_fit_are_warned_of(method):
    views, rng = three_views()
    known, new = ({name: x[part] for name, x in views.items()} for part in (slice(0, 100), slice(100, N)))
    model = vf.METHODS[method](4, random_state=0).fit(known)
    assert alarms(lambda: model.predict(new))[0] == []
    damaged = {
        "units": {**new, "a": 1000 * new["a"]},
        "columns": {name: x[:, ::-1] for name, x in new.items()},
        "rows": {**new, "b": new["b"][rng.permutation(50)]},
    }
    for what, spoilt in damaged.items():
        found, _ = alarms(lambda spoilt=spoilt: model.predict(spoilt))
        assert [type(message) for message in found] == [UnlikeFitWarning], what


def damaged_rows(new, rng):
    """The new samples with other units in one column, with columns in another order, and with rows in another order."""
    column = new["a"].copy()
    column[:, 0] *= 1000
    yield {**new, "a": column}
    yield {name: x[:, ::-1] for name, x in new.items()}
    yield {**new, "b": new["b"][rng.permutation(len(new["b"]))]}


def test_rows_unlike_those_of_an_anchor_fit_are_warned_of(tmp_path):
    views, rng = three_views()
    known, new = ({name: x[part] for name, x in views.items()} for part in (slice(0, 100), slice(100, N)))
    model = vf.AnchorGFSC(4, random_state=0).fit(known)
    loaded = vf.load(model.save(tmp_path / "fit.model"))
    for one in (model, loaded):
        assert alarms(lambda one=one: one.predict(new))[0] == []
        assert alarms(lambda one=one: one.transform(new))[0] == []
        for spoilt in damaged_rows(new, rng):
            for rows in (spoilt, {name: np.tile(x, (20, 1)) for name, x in spoilt.items()}):  # more than are compared
                found, _ = alarms(lambda one=one, rows=rows: one.predict(rows))
                assert [type(message) for message in found] == [UnlikeFitWarning]


def test_rows_of_an_anchor_fit_in_another_unit_have_the_same_clusters_without_a_warning():
    views, _ = three_views()
    model = vf.AnchorGFSC(4, random_state=0).fit(views)
    found, labels = alarms(lambda: model.predict({**views, "a": 1000 * views["a"]}))  # only directions count
    assert found == []
    assert np.array_equal(labels, model.predict(views))


def test_incomplete_and_few_rows_are_not_compared():
    views, rng = three_views()
    model = vf.AnchorGFSC(4, random_state=0).fit(views)
    spoilt = {**views, "b": views["b"][rng.permutation(N)]}
    assert alarms(lambda: model.predict({name: x[:9] for name, x in spoilt.items()}))[0] == []
    views["a"][5:] = np.nan
    assert alarms(lambda: model.predict(views))[0] == []


@pytest.mark.parametrize("seed", range(4))
def test_ordinary_new_rows_of_an_anchor_fit_give_no_warning(seed):
    views = vf.datasets.make_views(n_samples=300 + 500 * seed, n_clusters=3 + seed, noise=2.0, random_state=seed)
    half = np.random.default_rng(seed).permutation(len(views))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vf.exceptions.NoStructureWarning)
        warnings.simplefilter("ignore", vf.exceptions.UnstableClustersWarning)
        model = vf.AnchorGFSC(3 + seed, random_state=0).fit(views[half[::2]])
    assert alarms(lambda: model.predict(views[half[1::2]]))[0] == []


def test_swapped_names_of_columns_are_warned_of():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, N)
    frame = pd.DataFrame(blobs(3, 2, y, rng), columns=["age", "x"]).assign(income=40_000 + 500 * rng.normal(size=N))
    views = {"person": frame, "use": pd.DataFrame(blobs(3, 4, y, rng), columns=list("abcd"))}
    model = vf.AutoFusion(3, random_state=0).fit({name: table[:100] for name, table in views.items()})
    new = {name: table[100:] for name, table in views.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(new)
    swapped = frame[100:].rename(columns={"age": "income", "income": "age"})[["age", "x", "income"]]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.predict({**new, "person": swapped})
    said = [str(w.message) for w in caught if isinstance(w.message, vf.exceptions.EncodingWarning)]
    assert any("'person': 'age', 'income' lies elsewhere" in one for one in said), said


def test_scores_are_those_of_a_direct_computation():
    rng = np.random.default_rng(0)
    known, new = rng.normal(size=(60, 3)), 1.5 * rng.normal(size=(30, 3))

    def nearest(point, others):
        distance = np.linalg.norm(others - point, axis=1)
        order = np.argsort(distance)[:10]
        return order, distance[order].mean()

    others = [np.delete(np.arange(60), i) for i in range(60)]
    reach = np.array([nearest(known[i], known[others[i]])[1] for i in range(60)])
    own = [np.log2(reach[i] * (1 / reach[others[i][nearest(known[i], known[others[i]])[0]]]).mean()) for i in range(60)]
    scores = [np.log2(mean * (1 / reach[order]).mean()) for order, mean in (nearest(point, known) for point in new)]
    novelty = Novelty.learn(known)
    assert novelty.bound == pytest.approx(np.quantile(own, 0.99), abs=1e-5)
    assert np.array_equal(novelty.unlike(new), np.array(scores) > np.quantile(own, 0.99))
    assert novelty.unlike(new).any()


@pytest.mark.parametrize("p", [2, 30, 400])
def test_about_one_ordinary_point_in_a_hundred_is_unlike(p):
    rng = np.random.default_rng(p)
    mix = rng.normal(size=(p, p)) / np.sqrt(p)
    novelty = Novelty.learn(rng.normal(size=(500, p)) @ mix)
    assert novelty.unlike(rng.normal(size=(500, p)) @ mix).mean() < 0.05
    assert novelty.unlike(rng.normal(size=(500, p)) @ mix * 1.5).mean() > 0.1


def test_what_lies_outside_the_directions_of_the_known_points_is_unlike():
    rng = np.random.default_rng(0)
    plane = rng.normal(size=(2, 120))
    novelty = Novelty.learn(rng.normal(size=(300, 2)) @ plane)
    assert novelty.unlike(rng.normal(size=(50, 120))).all()  # on the plane they lie near the mean


def test_equal_points_are_alike_and_others_not():
    known = np.repeat(np.eye(3), 40, axis=0)
    novelty = Novelty.learn(known)
    assert not novelty.unlike(known).any()
    assert novelty.unlike(known + 0.1).all()


@pytest.mark.parametrize("method", ["auto", "gfsc", "anchor-gfsc"])
def test_huge_new_values_are_unlike(method):
    views, rng = three_views()
    model = vf.METHODS[method](4, random_state=0).fit(views)
    spoilt = {name: np.where(rng.random(x.shape) < 0.5, 1e300, x) for name, x in views.items()}
    assert len(alarms(lambda: model.predict(spoilt))[0]) == 1


def test_few_points_are_not_learned_from():
    assert Novelty.learn(np.zeros((19, 2))) is None
    assert Novelty.learn(np.zeros((20, 2))) is not None


@pytest.mark.parametrize(("unlike", "n", "warned"), [(4, 10, True), (3, 10, False), (9, 9, False), (31, 100, True)])
def test_many_unlike_samples_are_warned_of(unlike, n, warned):
    found, _ = alarms(lambda: warn_of_unlike_samples(np.arange(n) < unlike))
    assert bool(found) == warned
    if warned:
        assert f"{unlike} of {n} new samples" in str(found[0])


def test_columns_of_many_in_another_order_are_warned_of():
    views = vf.datasets.load_digits_views()[:900]
    model = vf.AutoFusion(10, random_state=0).fit(views[:600])
    new = dict(zip(views.names, (array[600:] for array in views.arrays), strict=True))
    assert alarms(lambda: model.predict(new))[0] == []
    assert len(alarms(lambda: model.predict({name: x[:, ::-1] for name, x in new.items()}))[0]) == 1
