"""A view whose clear clusters have nothing to do with the result is warned of; views that complement each other are not."""

import warnings

import numpy as np
import pandas as pd
import pytest

import viewfuse as vf
from blobs import N, blobs, three_views
from viewfuse.cluster.contradiction import OwnClusters, contradiction
from viewfuse.exceptions import ContradictingViewWarning


def alarms(work):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = work()
    return [w.message for w in caught if isinstance(w.message, ContradictingViewWarning)], result


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
