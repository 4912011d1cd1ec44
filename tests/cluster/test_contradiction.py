"""A view whose clear clusters have nothing to do with the result is warned of; views that complement each other are not."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import viewfuse as vf
from blobs import N, blobs, three_views
from viewfuse.cluster import contradiction as module
from viewfuse.cluster.contradiction import OwnClusters, contradiction
from viewfuse.cluster.relatedness import NearPairs, are_nearer, are_related
from viewfuse.exceptions import ContradictingViewWarning, SuspiciousValuesWarning


def alarms(work):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = work()
    return [w.message for w in caught if isinstance(w.message, ContradictingViewWarning)], result


def clear_clusters(points):
    return OwnClusters.of_points(lambda: points, np.arange(len(points))).clear


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


def test_views_whose_clusters_are_combined_without_being_asked_are_warned_of():
    rng = np.random.default_rng(0)
    one, other = rng.integers(0, 2, (2, 240))
    views = {"one": blobs(2, 3, one, rng), "other": blobs(2, 3, other, rng)}
    found, model = alarms(lambda: vf.AutoFusion(random_state=0).fit(views))
    assert model.n_clusters_ == 4
    assert len(found) == 1
    assert "nothing to do with each other, and the result combines them" in str(found[0])
    assert "give n_clusters" in found[0].hint


def test_views_that_show_other_pairs_of_the_same_clusters_are_not_warned_of():
    # Two of the four clusters are near each other in the first view, and others in the last one.
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 300)

    def four_clusters():
        return (5 * rng.normal(size=(4, 5)))[y] + rng.normal(size=(300, 5))

    views = {"one": four_clusters(), "noise": rng.normal(size=(300, 8)), "other": four_clusters()}
    found, model = alarms(lambda: vf.AutoFusion(random_state=0).fit(views))
    assert model.n_clusters_ == 4
    assert found == []


def unrelated(model):
    return [note for note in model.notes_ if "nothing about any other view" in note]


@pytest.mark.parametrize("method", ["auto", "gfsc", "anchor-gfsc", "km", "sc-ave"])
@pytest.mark.parametrize("n_others", [1, 4])
def test_a_view_that_is_constant_but_for_a_few_samples_costs_nothing_and_is_noted(method, n_others):
    views, rng = three_views()
    expected = vf.METHODS[method](4, random_state=0).fit(views)
    assert unrelated(expected) == []
    almost = np.ones((N, 3))
    almost[rng.choice(N, n_others, replace=False)] = rng.normal(size=(n_others, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vf.exceptions.ViewfuseWarning)
        model = vf.METHODS[method](4, random_state=0).fit({**views, "almost": almost})
    assert vf.metrics.ari(expected.labels_, model.labels_) > 0.9
    assert [note for note in unrelated(model) if "'almost'" in note]


@pytest.mark.parametrize("method", ["auto", "rmkmc"])
def test_a_view_that_is_nearly_constant_is_warned_of(method):
    """RMKMC gives it most of the weight, because nearly all of its samples are at a centre."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 4, N)
    views = {name: overlapping(rng, y) for name in "abc"}
    views["almost"] = np.ones((N, 3))
    views["almost"][rng.choice(N, 8, replace=False)] = rng.normal(size=(8, 3))
    model = vf.METHODS[method](4, random_state=0)
    with pytest.warns(SuspiciousValuesWarning, match="can only set these few apart") as caught:
        model.fit(views)
    (found,) = {w.message for w in caught if isinstance(w.message, SuspiciousValuesWarning)}
    assert found.view == "almost"
    assert str(found) in model.notes_


def test_a_view_in_another_order_is_noted_though_it_has_no_clear_clusters():
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(200, 3))
    views = {name: hidden @ rng.normal(size=(3, 5)) + 0.3 * rng.normal(size=(200, 5)) for name in "abc"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert unrelated(vf.GFSC(3, random_state=0).fit(views)) == []
        views["b"] = views["b"][rng.permutation(200)]
        assert [note[:14] for note in unrelated(vf.GFSC(3, random_state=0).fit(views))] == ["View 'b' tells"]
        del views["c"]
        assert [note[:19] for note in unrelated(vf.GFSC(3, random_state=0).fit(views))] == ["Views 'a', 'b' tell"]


def overlapping(rng, y):
    """Clusters that overlap: their neighbour graph does not fall apart."""
    return 2.4 * rng.normal(size=(4, 3))[y] + rng.normal(size=(len(y), 3))


def test_a_view_with_a_structure_that_no_other_shares_is_warned_of():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 4, 240)
    views = {name: overlapping(rng, y) for name in "abc"}
    own = OwnClusters.of_points(lambda: views["b"], np.arange(240))
    assert own.clear is None
    assert own.is_structured
    assert alarms(lambda: vf.GFSC(4, random_state=0).fit(views))[0] == []
    views["b"] = views["b"][rng.permutation(240)]
    (found,), model = alarms(lambda: vf.GFSC(4, random_state=0).fit(views))
    assert "View 'b' tells nothing about any other view" in str(found)
    assert found.view == "b"
    assert unrelated(model) == [str(found)]


def test_noise_beside_a_view_with_clusters_is_noted():
    rng = np.random.default_rng(0)
    views = {"a": blobs(3, 3, rng.integers(0, 3, 200), rng), "noise": rng.normal(size=(200, 3))}
    assert not OwnClusters.of_points(lambda: views["noise"], np.arange(200)).is_structured
    found, model = alarms(lambda: vf.AutoFusion(3, random_state=0).fit(views))
    assert found == []
    assert len(unrelated(model)) == 1


def test_a_random_graph_has_no_structure():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 150)
    rows = np.arange(150)
    for inside, expected in ((0.12, False), (0.3, True)):
        edges = np.triu(rng.random((150, 150)) < np.where(y[:, None] == y[None], inside, 0.12 if inside < 0.2 else 0.02), 1)
        assert OwnClusters.of_graph((edges | edges.T).astype(float), rows).is_structured is expected


def test_answers_in_another_order_are_noted():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 150)
    answers = pd.DataFrame({f"q{i}": np.array(list("nsy"))[(y + rng.integers(0, 2, 150)) % 3] for i in range(6)})
    views = {"numbers": pd.DataFrame(blobs(3, 3, y, rng)), "more": pd.DataFrame(blobs(3, 3, y, rng)), "answers": answers}
    assert unrelated(vf.AutoFusion(3, random_state=0).fit(vf.Views(views))) == []
    views["answers"] = answers.sample(frac=1, random_state=0).reset_index(drop=True)
    (found,) = unrelated(vf.AutoFusion(3, random_state=0).fit(vf.Views(views)))
    assert "View 'answers' tells" in found


def test_a_graph_in_another_order_is_noted():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 150)
    edges = rng.random((150, 150)) < np.where(y[:, None] == y[None], 0.08, 0.04)  # without clear clusters
    graph = (np.triu(edges, 1) | np.triu(edges, 1).T).astype(float)
    features = {"one": blobs(3, 3, y, rng), "two": blobs(3, 3, y, rng)}
    order = rng.permutation(150)
    for given, expected in ((graph, []), (graph[order][:, order], ["View 'graph' tells"])):
        model = vf.AutoFusion(3, random_state=0).fit(vf.Views({**features, "graph": given}, kinds={"graph": "graph"}))
        assert [note[:18] for note in unrelated(model)] == expected


@pytest.mark.parametrize("permuted", [False, True])
def test_a_sparse_graph_is_compared_by_its_edges(permuted):
    rng = np.random.default_rng(0)
    n = 1_200
    y = rng.integers(0, 3, n)
    one = rng.integers(0, n, 2 * n)
    other = np.array([rng.choice(np.flatnonzero(y == y[i])) if rng.random() < 0.7 else rng.integers(n) for i in one])
    order = rng.permutation(n) if permuted else np.arange(n)
    graph = sp.csr_array((np.ones(2 * n), (order[one], order[other])), shape=(n, n))
    words = (rng.random((n, 300)) < 0.02 + 0.06 * (np.arange(300) % 3 == y[:, None])).astype(float)
    views = vf.Views({"words": words, "cites": graph}, kinds={"cites": "graph"})
    model = vf.AutoFusion(3, random_state=0).fit(views)
    assert bool(unrelated(model)) is permuted


def test_nearer_is_more_often_than_by_chance():
    rng = np.random.default_rng(0)
    distances = rng.random(200)
    assert are_nearer(distances, distances + 0.1)
    assert not are_nearer(distances, rng.random(200))
    assert not are_nearer(distances + 0.1, distances)
    assert not are_nearer(np.ones(200), np.ones(200))


def test_pairs_that_are_near_in_both_views_are_counted():
    rng = np.random.default_rng(0)
    n = 40
    one, other = (sp.csr_array(rng.random((n, n)) < 0.2) for _ in range(2))
    rows = np.arange(n)
    assert are_related(NearPairs(rows, one), NearPairs(rows, one)) is True
    assert are_related(NearPairs(rows, one), NearPairs(rows, other)) is False
    order = rng.permutation(n)
    permuted = sp.csr_array(one[order][:, order])
    assert are_related(NearPairs(rows, one), NearPairs(rows, permuted)) is False
    assert are_related(NearPairs(rows[order], one), NearPairs(rows[order], one)) is True
    few = np.arange(5)
    assert are_related(NearPairs(rows, one), NearPairs(few, sp.csr_array(np.ones((5, 5))))) is None


def test_weakly_related_views_are_related():
    rng = np.random.default_rng(0)
    one = rng.random((80, 80)) < 0.1
    other = np.where(rng.random((80, 80)) < 0.06, one, rng.random((80, 80)) < 0.1)
    rows = np.arange(80)
    expected = one.sum() * other.sum() / (80 * 79)
    assert one[other].sum() < expected + 6 * np.sqrt(expected)  # found by permutations only
    assert are_related(NearPairs(rows, sp.csr_array(one)), NearPairs(rows, sp.csr_array(other))) is True


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


def many_samples(damage):
    """Four views of so many samples that some of them are looked at first, and the number of clusters."""
    rng = np.random.default_rng(0)
    one, other = rng.integers(0, 3, (2, 400))
    views = {name: blobs(3, 4, one, rng) for name in "abcd"}
    if damage == "another order":
        views["b"] = views["b"][rng.permutation(400)]
    elif damage == "noise":
        views["b"] = rng.normal(size=(400, 4))
    elif damage == "half in another order":
        views["b"][:200] = views["b"][rng.permutation(200)]
    elif damage == "two against two":  # each view is related to another one
        views |= {name: blobs(3, 4, other, rng) for name in "cd"}
    return views


@pytest.mark.parametrize(
    ("damage", "n_clusters", "is_noted"),
    [
        ("none", 3, False),
        ("another order", 3, True),
        ("noise", 3, True),
        ("half in another order", 3, False),
        ("two against two", 3, True),  # with three clusters the result is that of two of the views
        ("two against two", 9, True),  # with nine it combines all
    ],
)
def test_a_first_look_at_some_of_the_samples_hides_nothing(damage, n_clusters, is_noted, monkeypatch):
    views = many_samples(damage)

    def notes():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ContradictingViewWarning)
            return vf.METHODS["km"](n_clusters, random_state=0).fit(views).notes_

    found = notes()
    assert bool(found) == is_noted
    monkeypatch.setattr(module, "_is_harmless", lambda *_: False)
    assert notes() == found


@pytest.mark.parametrize(("damage", "n_looks"), [("none", 1), ("another order", 2)])
def test_views_that_agree_are_looked_at_once(damage, n_looks, monkeypatch):
    looks, look_at = [], module._looked_at

    def counted(views, arrays, present, look):
        looks.append(look.samples)
        return look_at(views, arrays, present, look)

    monkeypatch.setattr(module, "_looked_at", counted)
    alarms(lambda: vf.METHODS["km"](3, random_state=0).fit(many_samples(damage)))
    assert looks == [160, 300][:n_looks]


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
