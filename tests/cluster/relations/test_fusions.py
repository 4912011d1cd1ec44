"""AutoFusion, GFSC and GF on graphs, kernels and distances: mixtures, awkward graphs, and relations that say nothing."""

import warnings
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import normalize

import viewfuse as vf
from attributed import attributed_graph, edges
from viewfuse import GFSC, AutoFusion, Views
from viewfuse.cluster import GF, KM
from viewfuse.exceptions import KindWarning, NoStructureWarning, UninformativeViewWarning, ViewfuseWarning, ViewsError

FUSIONS = [AutoFusion, GFSC, GF]
GRAPHS = attributed_graph(n=240)


def with_view(name, array, kind="graph", base=GRAPHS):
    kinds = dict(zip(base.names, base.kinds, strict=True)) | {name: kind}
    return Views(dict(zip(base.names, base.arrays, strict=True)) | {name: array}, y=base.y, kinds=kinds)


def blobs(n=150, seed=0):
    rng = np.random.RandomState(seed)
    y = rng.randint(3, size=n)
    return 4 * np.eye(3)[y] + rng.normal(size=(n, 3)), y


def distances(points):
    return np.linalg.norm(points[:, None] - points[None], axis=2)


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.NoStructureWarning")  # in the words alone
@pytest.mark.parametrize("fusion", FUSIONS)
def test_features_and_graphs_help_each_other(fusion):
    model = fusion(3, random_state=0).fit(GRAPHS)
    words = fusion(3, random_state=0).fit(GRAPHS.select_views([0]))
    both = adjusted_rand_score(GRAPHS.y, model.labels_)
    assert both > 0.8
    assert both > adjusted_rand_score(GRAPHS.y, words.labels_) + 0.1
    assert model.view_names_.tolist() == ["words", "cites"]
    assert model.view_weights_.shape == (2,)
    assert model.view_weights_.sum() == pytest.approx(1)
    assert model.noise_views_ == ()


@pytest.mark.parametrize("fusion", FUSIONS)
@pytest.mark.parametrize("kind", ["kernel", "distance"])
def test_kernels_and_distances(fusion, kind):
    points, y = blobs()
    relation = points @ points.T if kind == "kernel" else distances(points)
    views = Views({"a": relation, "b": points + np.random.RandomState(1).normal(size=points.shape)}, kinds={"a": kind})
    assert adjusted_rand_score(y, fusion(3, random_state=0).fit(views).labels_) > 0.85
    alone = Views({"a": relation}, kinds={"a": kind})
    assert adjusted_rand_score(y, fusion(3, random_state=0).fit(alone).labels_) > 0.85


@pytest.mark.parametrize("fusion", FUSIONS)
def test_all_kinds_together(fusion):
    points, y = blobs()
    rng = np.random.RandomState(0)
    arrays = {"x": points, "g": edges(y, rng), "k": points @ points.T, "d": distances(points)}
    views = Views(arrays, kinds={"g": "graph", "k": "kernel", "d": "distance"})
    assert adjusted_rand_score(y, fusion(3, random_state=0).fit(views).labels_) > 0.9


@pytest.mark.parametrize("fusion", FUSIONS)
@pytest.mark.parametrize("name", ["complete", "empty", "duplicate", "random"])
def test_graphs_that_say_nothing_are_named_and_cost_little(fusion, name):
    n = len(GRAPHS)
    graph = {
        "complete": np.ones((n, n)),
        "empty": sp.csr_array((n, n)),
        "duplicate": 2 * GRAPHS.view("cites"),
        "random": sp.random_array((n, n), density=6 / n, random_state=0),
    }[name]
    views = with_view("silent", graph)
    if name == "random":
        model = fusion(3, random_state=0).fit(views)
    else:
        with pytest.warns(UninformativeViewWarning, match="View 'silent' .*It gets weight 0"):
            model = fusion(3, random_state=0).fit(views)
    assert model.noise_views_ == ("silent",)
    assert model.view_weights_[2] == 0
    before = vf.metrics.accuracy(GRAPHS.y, fusion(3, random_state=0).fit(GRAPHS).labels_)
    assert vf.metrics.accuracy(GRAPHS.y, model.labels_) > before - 0.02


@pytest.mark.parametrize("fusion", FUSIONS)
@pytest.mark.parametrize("change", ["isolated", "disconnected", "loops", "directed", "weighted"])
def test_awkward_graphs(fusion, change):
    graph = GRAPHS.view("cites").toarray()
    if change == "isolated":
        graph[:20], graph[:, :20] = 0, 0
    elif change == "disconnected":
        graph[:40, 40:], graph[40:, :40] = 0, 0  # two large pieces would be clusters of their own
    elif change == "loops":
        graph[np.diag_indices(len(graph))] = 50
    elif change == "directed":
        graph = np.triu(graph)
    else:
        graph = graph * np.random.RandomState(0).uniform(0.5, 1.5, graph.shape) * 1e6
    views = Views({"words": GRAPHS.view("words"), "cites": graph}, kinds={"cites": "graph"})
    assert adjusted_rand_score(GRAPHS.y, fusion(3, random_state=0).fit(views).labels_) > 0.6
    if change in ("loops", "directed"):
        plain = fusion(3, random_state=0).fit(GRAPHS)
        assert adjusted_rand_score(plain.labels_, fusion(3, random_state=0).fit(views).labels_) > 0.97


@pytest.mark.parametrize("fusion", FUSIONS)
@pytest.mark.parametrize(
    ("kind", "place", "value", "message"),
    [
        ("graph", (3, 7), -1.0, r"'r' has the negative edge weight -1 between row 3 and row 7"),
        ("distance", (3, 7), -1.0, r"'r' has the negative distance -1 between row 3 and row 7"),
        ("distance", (3, 7), 99.0, r"declared a distance, but is not symmetric: it is 99 from row 3 to row 7 and .* back"),
        ("distance", (5, 5), 2.0, r"'r' is declared a distance, but row 5 is at a distance of 2 from itself"),
        ("kernel", (3, 7), 99.0, r"declared a kernel, but is not symmetric"),
    ],
)
def test_relations_that_do_not_hold_what_they_are_declared(fusion, kind, place, value, message):
    relation = distances(blobs()[0])
    relation[place] = value
    with pytest.raises(ViewsError, match=message) as caught:
        fusion(3).fit(Views({"r": relation}, kinds={"r": kind}))
    assert caught.value.view == "r"


@pytest.mark.parametrize("fusion", FUSIONS)
def test_a_kernel_that_is_not_positive_semidefinite(fusion):
    with pytest.raises(ViewsError, match=r"'r' is not a kernel: it is not positive semidefinite .* times the largest"):
        fusion(3).fit(Views({"r": distances(blobs()[0])}, kinds={"r": "kernel"}))


def test_a_sparse_distance_is_refused():
    with pytest.raises(ViewsError, match="most of its entries are not stored"):
        AutoFusion(2).fit(Views({"r": sp.csr_array(np.eye(9, k=1) + np.eye(9, k=-1))}, kinds={"r": "distance"}))


@pytest.mark.parametrize("fusion", FUSIONS)
def test_nothing_to_cluster(fusion):
    with (
        pytest.warns(UninformativeViewWarning, match="has no edges"),
        pytest.raises(ViewsError, match="No view says anything about the samples"),
    ):
        fusion(2).fit(Views({"g": sp.csr_array((30, 30))}, kinds={"g": "graph"}))


@pytest.mark.parametrize("fusion", FUSIONS)
def test_noise_is_called_noise(fusion):
    graph = sp.random_array((200, 200), density=0.03, random_state=0)
    with pytest.warns(NoStructureWarning):
        fusion(3, random_state=0).fit(Views({"g": graph}, kinds={"g": "graph"}))


def test_a_graph_of_edges_between_classes_costs_words_nothing(tmp_path):
    """Words weighted by their rarity are clustered as they would be beside a graph that helps."""
    views = attributed_graph(n=600, k=4, seed=0, signal=0.45, inside=0.03)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ViewfuseWarning)
        model = AutoFusion(4, random_state=0).fit(views)
    weighted = TfidfTransformer().fit_transform(views.arrays[0])
    points = TruncatedSVD(64, random_state=0).fit_transform(weighted)
    simple = KMeans(4, n_init=10, random_state=0).fit_predict(normalize(points - points.mean(axis=0)))
    assert vf.metrics.accuracy(views.y, model.labels_) >= vf.metrics.accuracy(views.y, simple) - 0.02
    assert model.choice_.chosen == "words weighted by rarity"
    assert "does not help" in model.choice_.views[1].reason
    assert model.view_weights_[1] == 0
    again = vf.load(model.save(tmp_path / "fit.model"))
    np.testing.assert_array_equal(again.predict(views), model.predict(views))
    assert vf.metrics.evaluate(model.labels_, model.predict(views))["ari"] >= 0.98


def test_permuting_samples_permutes_labels():
    order = np.random.RandomState(0).permutation(len(GRAPHS))
    one = AutoFusion(3, random_state=0).fit(GRAPHS).labels_
    other = AutoFusion(3, random_state=0).fit(GRAPHS[order]).labels_
    np.testing.assert_array_equal(one[order], other)


def test_missing_samples_are_placed_by_their_neighbours():
    present = np.ones((len(GRAPHS), 2), dtype=bool)
    present[:30, 0] = False
    views = Views(GRAPHS, present=present)
    labels = AutoFusion(3, random_state=0).fit(views).labels_
    assert adjusted_rand_score(GRAPHS.y[:30], labels[:30]) > 0.5


def test_memberships_and_the_record():
    model = AutoFusion(3, random_state=0).fit(GRAPHS)
    np.testing.assert_allclose(model.membership_.sum(axis=1), 1)
    np.testing.assert_array_equal(model.membership_.argmax(axis=1), model.labels_)
    assert model.embedding_.shape == (240, 3)
    assert model.affinity_matrix_.shape == (240, 240)
    assert "over cites" in str(model.choice_)
    assert model.verdict_.supported
    assert model.outlier_score_.shape == (240,)
    assert (np.diff(np.bincount(model.labels_)) <= 0).all()


def test_the_number_of_clusters_can_be_found():
    assert AutoFusion(random_state=0).fit(attributed_graph(n=400, signal=0.4)).n_clusters_ in (3, 4)


def test_networkx_graphs():
    network = nx.from_scipy_sparse_array(GRAPHS.view("cites"))
    model = AutoFusion(3, random_state=0).fit({"words": GRAPHS.view("words"), "cites": network})
    np.testing.assert_array_equal(model.labels_, AutoFusion(3, random_state=0).fit(GRAPHS).labels_)


def test_other_methods_say_that_they_take_features():
    with pytest.warns(KindWarning, match="KM takes features only: the rows of 'cites' are used as features"):
        KM(3, random_state=0).fit(GRAPHS)


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.NoStructureWarning")  # for two clusters
def test_grid_search_predicts_from_the_edges_to_the_training_samples():
    scores = []

    def score(model, views, y):
        scores.append(adjusted_rand_score(y, model.predict(views)))
        return scores[-1]

    search = GridSearchCV(AutoFusion(random_state=0), {"n_clusters": [2, 3]}, scoring=score, cv=2)
    assert search.fit(GRAPHS, GRAPHS.y).best_params_ == {"n_clusters": 3}
    assert max(scores) > 0.5


@pytest.mark.parametrize("kind", ["features", "distance"])
def test_distances_given_as_graphs_are_refused(kind):
    apart = Views([distances(blobs(n=60)[0])], kinds=[kind])
    with pytest.raises(ViewsError, match=r"'view0' (holds|is declared to hold) distances, .* kinds=\{'view0': 'distance'\}"):
        GFSC(3, affinity="precomputed", random_state=0).fit(apart)


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.ViewfuseWarning")  # of what becomes of such graphs
def test_graphs_that_may_be_distances_are_warned_of():
    rng = np.random.RandomState(0)
    alike = np.triu(rng.uniform(0.6, 1, size=(60, 60)), 1)
    with pytest.warns(UninformativeViewWarning, match=r"'view0' looks like distances, but affinity='precomputed'"):
        GFSC(3, affinity="precomputed", random_state=0).fit([alike + alike.T])
    with warnings.catch_warnings():
        warnings.simplefilter("error", UninformativeViewWarning)
        GFSC(3, affinity="precomputed", random_state=0).fit(Views([alike + alike.T], kinds=["graph"]))


@pytest.mark.parametrize("fusion", [GFSC, GF])
def test_given_graphs_of_different_density_are_all_used(fusion):
    rng = np.random.RandomState(0)
    y = rng.randint(4, size=240)
    sparse, dense = edges(y, rng, degree=3, inside=0.8), edges(y, rng, degree=15, inside=0.6)
    model = fusion(4, affinity="precomputed", random_state=0).fit({"sparse": sparse, "dense": dense})
    assert model.view_weights_.min() > 0.3
    alone = fusion(4, affinity="precomputed", random_state=0).fit({"dense": dense})
    found, without = (adjusted_rand_score(y, fit.labels_) for fit in (model, alone))
    assert found > without
    assert np.bincount(model.labels_).max() < 120


@pytest.mark.parametrize("kind", ["kernel", "distance"])
def test_a_constant_relation_is_named(kind):
    n = len(GRAPHS)
    constant = np.ones((n, n)) if kind == "kernel" else np.ones((n, n)) - np.eye(n)
    views = Views({**dict(zip(GRAPHS.names, GRAPHS.arrays, strict=True)), "same": constant}, kinds=[*GRAPHS.kinds, kind])
    with pytest.warns(UninformativeViewWarning, match="'same' is constant"):
        model = AutoFusion(3, random_state=0).fit(views)
    assert model.noise_views_ == ("same",)


def test_a_graph_without_a_plan_of_its_own_is_left_out(monkeypatch):
    from viewfuse.cluster.relations import as_views

    usual = as_views.best_plan

    def without_plans(*arguments, **options):
        tried = usual(*arguments, **options)
        kept = [i for i, plan in enumerate(tried.plans) if not plan.graphs]
        return replace(tried, plans=tuple(tried.plans[i] for i in kept), scores=tried.scores[kept])

    monkeypatch.setattr(as_views, "best_plan", without_plans)
    assert vf.GFSC(3, random_state=0).fit(GRAPHS).noise_views_ == ("cites",)
