"""A view whose clear clusters have nothing to do with the result is warned of; views that complement each other are not."""

import warnings

import numpy as np
import pandas as pd
import pytest

import viewfuse as vf
from viewfuse.cluster.contradiction import OwnClusters, contradiction
from viewfuse.exceptions import ContradictingViewWarning, UnlikeFitWarning

N = 150


def blobs(k, d, y, rng):
    while True:
        centres = 8 * rng.normal(size=(k, d))
        if (np.linalg.norm(centres[:, None] - centres[None], axis=2) + 99 * np.eye(k)).min() > 6:
            return centres[y] + rng.normal(size=(len(y), d))


def three_views(seed=0, k=4):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, N)
    return {name: blobs(k, 4, y, rng) for name in "abc"}, rng


def alarms(work):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = work()
    return [w.message for w in caught if isinstance(w.message, (ContradictingViewWarning, UnlikeFitWarning))], result


def clear_clusters(points):
    return OwnClusters.of_points(points, np.arange(len(points))).clear


@pytest.mark.parametrize("method", ["auto", "gfsc", "gf", "anchor-gfsc", "km", "snf"])
def test_rows_in_another_order_are_warned_of(method):
    views, rng = three_views()
    model = vf.METHODS[method](4, random_state=0)
    assert alarms(lambda: model.fit(views))[0] == []
    spoilt = {**views, "b": views["b"][rng.permutation(N)]}
    found, _ = alarms(lambda: model.fit(spoilt))
    assert [message.view for message in found] == ["b"]
    assert str(found[0]) in model.notes_


def test_views_that_see_different_borders_do_not_contradict():
    rng = np.random.default_rng(0)
    one, other = rng.integers(0, 2, (2, 240))
    views = {"one": blobs(2, 3, one, rng), "other": blobs(2, 3, other, rng)}
    found, model = alarms(lambda: vf.AutoFusion(4, random_state=0).fit(views))
    assert found == []
    assert any("nothing to do with each other, and the result combines them" in note for note in model.notes_)


def test_finer_clusters_do_not_contradict():
    rng = np.random.default_rng(0)
    fine = rng.integers(0, 6, N)
    views = {"coarse": blobs(2, 3, fine // 3, rng), "fine": blobs(6, 4, fine, rng)}
    assert alarms(lambda: vf.AutoFusion(2, random_state=0).fit(views))[0] == []


def test_a_category_that_has_nothing_to_do_with_the_clusters_does_not_contradict():
    rng = np.random.default_rng(0)
    y, sex = rng.integers(0, 3, N), rng.integers(0, 2, N)
    table = pd.DataFrame(blobs(3, 3, y, rng), columns=list("xyz")).assign(sex=np.array(["f", "m"])[sex], code=sex)
    views = {"person": table, "use": pd.DataFrame(blobs(3, 4, y, rng), columns=list("abcd"))}
    assert alarms(lambda: vf.AutoFusion(3, random_state=0).fit(views))[0] == []
    arrays = {"person": table[["code", "x"]].to_numpy(), "use": views["use"].to_numpy()}
    assert alarms(lambda: vf.AutoFusion(3, random_state=0).fit(arrays))[0] == []


@pytest.mark.parametrize("d", [1, 2, 5])
def test_a_cloud_has_no_clear_clusters(d):
    rng = np.random.default_rng(d)
    assert all(clear_clusters(rng.normal(size=(200, d))) is None for _ in range(5))


def test_clear_clusters_are_those_of_the_points():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    found = clear_clusters(blobs(3, 2, y, rng))
    assert vf.metrics.accuracy(y, found) == 1


def test_views_that_agree_with_the_result_are_not_compared_with_clouds(monkeypatch):
    monkeypatch.setattr("viewfuse.cluster.contradiction.null_spectra", lambda *_: pytest.fail("was compared"))
    views, _ = three_views()
    assert alarms(lambda: vf.AutoFusion(4, random_state=0).fit(views))[0] == []


def test_contradiction_is_that_of_entropies():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 3, (2, 3000))

    def entropy(*parts):
        shares = np.unique(np.stack(parts), axis=1, return_counts=True)[1] / 3000
        return -np.sum(shares * np.log(shares))

    mixed = np.where(rng.random(3000) < 0.5, a, b)
    expected = min((entropy(a, mixed) - entropy(mixed)) / entropy(a), (entropy(a, mixed) - entropy(a)) / entropy(mixed))
    assert contradiction(a, mixed) == pytest.approx(expected)
    assert contradiction(a, a) == pytest.approx(0)
    assert contradiction(a, 3 * a + b) == pytest.approx(0)  # one divides the other
    assert contradiction(a, b) > 0.99
    assert contradiction(a, np.zeros(3000, dtype=int)) == 0  # one cluster contradicts nothing


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
