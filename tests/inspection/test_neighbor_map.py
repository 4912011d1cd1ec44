"""Maps of graphs: the gradient against a direct computation, and what maps show of noise and of clusters."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import silhouette_score

from viewfuse import GFSC, AutoFusion, Views, summarise
from viewfuse.datasets import make_views
from viewfuse.graphs.nearest import neighbor_graph
from viewfuse.inspection import neighbor_map as module
from viewfuse.inspection.neighbor_map import neighbor_map, neighborhood_preservation, spectral_layout

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("scale", [0.01, 1.0, 20.0])
def test_the_repulsion_is_the_sum_over_all_pairs(scale):
    points = scale * RNG.normal(size=(300, 2))
    direct, everything = np.zeros((300, 2)), 0.0
    for i in range(300):
        for j in range(300):
            w = 1 / (1 + ((points[i] - points[j]) ** 2).sum())
            direct[i] += w**2 * (points[i] - points[j])
            everything += w if i != j else 0
    push, total = module.repulsion(points)
    np.testing.assert_allclose(push, direct, atol=1e-9)
    assert total == pytest.approx(everything)
    interpolated, about = module._interpolated_repulsion(points)
    assert np.abs(interpolated - direct).max() < 0.1 * np.abs(direct).max()
    assert about == pytest.approx(everything, rel=0.06)


def test_the_pull_is_the_sum_over_the_edges():
    graph = module._probabilities(neighbor_graph(RNG.normal(size=(50, 3))))
    points = RNG.normal(size=(50, 2))
    apart = points[:, None] - points[None]
    direct = ((graph.toarray() / (1 + (apart**2).sum(axis=2)))[:, :, None] * apart).sum(axis=1)
    np.testing.assert_allclose(module.pull(module.Edges.of(graph), points), direct)
    assert graph.sum() == pytest.approx(1)


def test_forces_keep_more_neighbours_together_than_the_spectral_layout():
    points = RNG.normal(size=(300, 6)) + 6 * np.eye(6)[RNG.integers(5, size=300)]
    graph = neighbor_graph(points)
    refined = neighbor_map(graph)
    assert neighborhood_preservation(graph, refined) > neighborhood_preservation(graph, spectral_layout(graph)) + 0.2
    np.testing.assert_array_equal(refined, neighbor_map(graph))
    assert np.sqrt(np.mean(refined**2)) == pytest.approx(1)


def test_a_perfect_map_preserves_all_neighbours():
    points = RNG.normal(size=(60, 2))
    assert neighborhood_preservation(neighbor_graph(points, 10), points, 5) > 0.9


def test_few_samples_and_no_edges_have_a_map_too():
    for graph in (sp.csr_array((3, 3)), sp.csr_array((30, 30)), sp.csr_array(np.ones((2, 2)))):
        points = neighbor_map(graph)
        assert points.shape == (graph.shape[0], 2)
        assert np.isfinite(points).all()


def permuted_among_neighbors(labels, graph, rng):
    """Each sample gets the label of one of its neighbours."""
    graph = sp.csr_array(graph)
    return np.array([rng.choice(labels[graph.indices[graph.indptr[i] : graph.indptr[i + 1]]]) for i in range(len(labels))])


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.ViewfuseWarning")
@pytest.mark.parametrize("estimator", [GFSC, AutoFusion])
def test_noise_looks_like_noise(estimator):
    """Five clusters of structureless data do not lie apart: no more than labels that were swapped with neighbours."""
    rng = np.random.default_rng(1)
    noise = Views({"a": rng.normal(size=(320, 10)), "b": rng.normal(size=(320, 8))})
    fit = summarise(estimator(5, random_state=0).fit(noise), noise)
    mixed = permuted_among_neighbors(fit.labels, fit.neighborhoods.fused, rng)
    for name, points in fit.layouts.items():
        assert silhouette_score(points, fit.labels) < silhouette_score(points, mixed) + 0.12, name
        assert silhouette_score(points, fit.labels) < 0.15, name
    assert np.diff(fit.spectrum).max() < 0.5  # no gap behind the first eigenvalue, which is 0


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.ViewfuseWarning")
def test_clusters_look_like_clusters():
    views = make_views(n_samples=300, n_clusters=5, random_state=0)
    fit = summarise(GFSC(5, random_state=0).fit(views), views)
    for name, points in fit.layouts.items():
        assert silhouette_score(points, fit.labels) > 0.5, name


def test_without_the_data_the_map_says_that_the_cut_has_shaped_it():
    views = make_views(n_samples=60, random_state=0)
    model = GFSC(3, random_state=0).fit(views)
    assert list(summarise(model).layouts) == ["embedding", "principal plane"]
    assert not summarise(model).spectrum_is_before_cut
    with_data = summarise(model, views)
    assert list(with_data.layouts) == ["all views", *(f"{name} alone" for name in views.names), "principal plane"]
    assert with_data.spectrum_is_before_cut


def test_of_many_samples_some_are_mapped_and_the_others_put_among_their_neighbours(monkeypatch):
    monkeypatch.setattr("viewfuse.inspection.maps._MAX_MAPPED", 100)
    views = make_views(n_samples=300, n_clusters=3, random_state=0)
    model = GFSC(3, random_state=0).fit(views)
    for fit in (summarise(model, views), summarise(model)):
        assert len(fit.mapped_rows) == 100
        assert set(fit.mapped_rows) <= set(fit.layout_rows)
        first = next(iter(fit.layouts.values()))
        assert first.shape == (300, 2)
        assert silhouette_score(first, fit.labels) > 0.5
        mapped = neighbor_map(fit.neighborhoods.fused)
        np.testing.assert_array_equal(first[fit.mapped_rows], mapped)
        rest = np.setdiff1d(np.arange(300), fit.mapped_rows)
        apart = np.linalg.norm(first[rest][:, None] - mapped[None], axis=2)
        assert np.median(apart.min(axis=1)) < 0.2
    assert list(summarise(model, views).layouts) == ["all views", "principal plane"]


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.ViewfuseWarning")
def test_graphs_kernels_and_distances_have_maps_and_no_features():
    made = make_views(n_samples=90, n_clusters=3, random_state=0)
    points = made.arrays[0]
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    graph = neighbor_graph(points).toarray()
    views = Views(
        {"words": made.arrays[1], "links": graph, "apart": distance, "alike": points @ points.T},
        kinds={"links": "graph", "apart": "distance", "alike": "kernel"},
    )
    fit = summarise(type("Fit", (), {"labels_": made.y})(), views)
    assert list(fit.layouts) == ["all views", "words alone", "links alone", "apart alone", "alike alone"]
    for name, places in fit.layouts.items():
        assert silhouette_score(places, made.y) > 0.4, name
    assert list(fit.clusters[0].features) == ["words"]
    assert set(fit.drawn_features.view.tolist()) == {0}
    assert min(fit.agreement.with_result().values()) > 0.9
