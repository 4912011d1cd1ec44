"""View weights of the user's own, in every fusion."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import viewfuse as vf
from attributed import attributed_graph
from viewfuse import GFSC, AnchorGFSC, AutoFusion
from viewfuse.cluster import GF
from viewfuse.exceptions import ParameterError

FUSIONS = [AutoFusion, GFSC, GF, AnchorGFSC]


def two_truths(seed=0, n=240):
    """Two views with clusters of their own, which have nothing to do with each other."""
    rng = np.random.RandomState(seed)
    a, b = rng.randint(3, size=(2, n))
    make = lambda y: 3.0 * rng.normal(size=(3, 6))[y] + rng.normal(size=(n, 6))  # noqa: E731
    return {"a": make(a), "b": make(b)}, a, b


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.ViewfuseWarning")
@pytest.mark.parametrize("fusion", FUSIONS)
@pytest.mark.parametrize("parameter", ["view_weights", "fixed_view_weights"])
def test_the_weights_decide_which_clusters_are_found(fusion, parameter):
    views, a, b = two_truths()
    for weights, truth in (({"a": 50.0, "b": 1.0}, a), ({"a": 1.0, "b": 50.0}, b)):
        model = fusion(3, random_state=0, **{parameter: weights}).fit(views)
        assert adjusted_rand_score(truth, model.labels_) > 0.8
        assert np.argmax(model.view_weights_) == (0 if truth is a else 1)


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.ViewfuseWarning")
@pytest.mark.parametrize("fusion", FUSIONS)
def test_a_view_with_weight_0_is_left_out_but_reported(fusion):
    views, _, _ = two_truths()
    model = fusion(3, random_state=0, view_weights={"b": 0}).fit(views)
    alone = fusion(3, random_state=0).fit({"a": views["a"]})
    assert adjusted_rand_score(alone.labels_, model.labels_) == 1
    np.testing.assert_array_equal(model.view_weights_, [1, 0])
    summary = vf.summarise(model, views)
    assert summary.view_names == ("a", "b")
    assert summary.own_weights == (1.0, 0.0)


@pytest.mark.parametrize("fusion", FUSIONS)
def test_factors_multiply_and_fixed_weights_replace(fusion):
    views = vf.datasets.make_views(n_samples=150, random_state=0)
    names = list(views.names)
    learned = fusion(3, random_state=0).fit(views).view_weights_
    ones = fusion(3, random_state=0, view_weights=dict.fromkeys(names, 1.0)).fit(views)
    np.testing.assert_allclose(ones.view_weights_, learned)
    doubled = fusion(3, random_state=0, view_weights={names[0]: 2.0}).fit(views).view_weights_
    expected = learned * np.where(np.arange(len(names)) == 0, 2, 1)
    np.testing.assert_allclose(doubled, expected / expected.sum(), atol=0.08)
    fixed = fusion(3, random_state=0, fixed_view_weights=np.arange(1, len(names) + 1)).fit(views).view_weights_
    np.testing.assert_allclose(fixed, np.arange(1, len(names) + 1) / np.arange(1, len(names) + 1).sum(), atol=1e-6)


@pytest.mark.parametrize("fusion", FUSIONS)
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"view_weights": {"c": 2}}, r"view_weights names 'c', but the views are 'a', 'b'"),
        ({"view_weights": {"a": -1}}, r"finite weights of at least 0"),
        ({"view_weights": [1, 2, 3]}, r"one per view \(2\)"),
        ({"view_weights": 3}, r"finite weights of at least 0"),
        ({"view_weights": {"a": 0, "b": 0}}, r"Every view that can be used has weight 0"),
        ({"fixed_view_weights": {"a": 1}}, r"fixed_view_weights has no weight for view 'b'"),
        ({"fixed_view_weights": [1, 1], "view_weights": [1, 1]}, r"exclude each other"),
    ],
)
def test_wrong_weights(fusion, parameters, message):
    with pytest.raises(ParameterError, match=message):
        fusion(3, **parameters).fit(two_truths()[0])


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.ViewfuseWarning")
@pytest.mark.parametrize("fusion", [AutoFusion, GFSC, GF])
def test_weights_of_graphs(fusion):
    views = attributed_graph(n=240)
    model = fusion(3, random_state=0, view_weights={"cites": 0}).fit(views)
    words = fusion(3, random_state=0).fit(views.select_views([0]))
    assert adjusted_rand_score(words.labels_, model.labels_) > 0.98
    assert model.view_weights_[1] == 0
    only = fusion(3, random_state=0, fixed_view_weights={"cites": 1, "words": 0}).fit(views)
    graph = fusion(3, random_state=0).fit(views.select_views([1]))
    assert adjusted_rand_score(graph.labels_, only.labels_) > 0.9
    np.testing.assert_array_equal(only.view_weights_, [0, 1])
