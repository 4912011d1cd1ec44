"""Which samples are mapped, which views count, and the graph of all samples."""

from types import SimpleNamespace

import numpy as np
import pytest

from viewfuse import GFSC, Views, io, summarise
from viewfuse.datasets import make_views
from viewfuse.inspection import maps as module
from viewfuse.inspection.neighborhoods import nearest_samples, neighborhoods_of_views

VIEWS = make_views(n_samples=90, n_features=(4, 5), random_state=0)


@pytest.fixture(scope="module")
def model():
    return GFSC(3, random_state=0).fit(VIEWS)


def record(n, **found):
    labels = np.arange(n) % 2
    return summarise(SimpleNamespace(labels_=labels, embedding_=np.eye(2)[labels] + 0.01, **found))


@pytest.mark.parametrize(("n", "expected"), [(4999, 4999), (5000, 5000), (5001, 5000)])
def test_at_most_five_thousand_samples_have_a_place(n, expected):
    assert len(record(n).layout_rows) == expected


def test_at_most_four_hundred_samples_of_the_mapped_ones_are_in_graphs(monkeypatch):
    monkeypatch.setattr(module, "_MAX_MAPPED", 1000)
    fit = record(6000)
    assert len(fit.layout_rows) == 5000
    assert len(fit.mapped_rows) == 1000
    assert set(fit.mapped_rows) <= set(fit.layout_rows)
    assert len(fit.graph_rows) == 400
    assert set(fit.graph_rows) <= set(fit.mapped_rows)
    np.testing.assert_array_equal(fit.graph_rows, fit.mapped_rows[fit._graph_places])
    assert len(record(400).graph_rows) == 400
    assert len(record(401).graph_rows) == 400


def test_ten_eigenvalues_more_than_clusters(model):
    fit = summarise(model, VIEWS)
    assert len(fit.spectrum) == 13
    assert len(fit.consensus_spectrum) == 13
    assert fit.spectrum.min() >= 0
    without = summarise(model)
    np.testing.assert_array_equal(without.spectrum, without.consensus_spectrum)
    two = summarise(SimpleNamespace(labels_=np.arange(90) % 2), VIEWS)
    assert len(two.spectrum) == 12
    assert two.consensus_spectrum is None


def test_views_without_weight_and_noise_views_are_not_used():
    def used(weights, noise=()):
        found = SimpleNamespace(
            labels_=np.arange(90) % 3, view_names_=("view0", "view1"), noise_views_=noise, view_weights_=weights
        )
        return summarise(found)._used_views

    assert used(np.array([0.7, 0.3])) == [0, 1]
    assert used(np.array([1.0, 0.0])) == [0]
    assert used(np.array([0.7, 0.3]), ("view0",)) == [1]
    assert used(None, ("view1",)) == [0]
    assert used(np.array([1.0, 0.0]), ("view0",)) == [0, 1]  # none is left, so all are


def test_without_data_and_embedding_there_is_no_map():
    fit = summarise(SimpleNamespace(labels_=np.arange(9) % 3))
    assert fit.layouts == {}
    assert fit.neighborhoods is None
    assert (fit.spectrum, fit.fused_graph, fit.view_graphs, fit.spectrum_is_before_cut) == (None, None, {}, False)
    weights, distances = fit.graphs_of_all()
    assert weights.shape == distances.shape == (9, 9)
    assert weights.nnz == distances.nnz == 0


def test_a_view_alone_has_no_map_of_its_own(model):
    one = summarise(SimpleNamespace(labels_=model.labels_), Views([VIEWS.arrays[0]]))
    assert list(one.layouts) == ["all views", "principal plane"]


def test_graphs_are_those_of_the_drawn_samples(model):
    fit = summarise(model, VIEWS)
    near, places = fit.neighborhoods, fit._graph_places
    np.testing.assert_allclose(fit.fused_graph, near.shared(near.fused, places))
    assert list(fit.view_graphs) == list(VIEWS.names)
    np.testing.assert_allclose(fit.view_graphs["view1"], near.shared(near.views["view1"], places))
    assert summarise(model).fused_graph is None


def test_the_graph_of_all_samples_is_that_of_the_mapped_ones_if_these_are_all(model):
    fit = summarise(model, VIEWS)
    weights, distances = fit.graphs_of_all()
    np.testing.assert_array_equal(weights.toarray(), fit.neighborhoods.fused.toarray())
    np.testing.assert_array_equal(distances.toarray(), fit.neighborhoods.distances().toarray())


def test_samples_that_are_not_mapped_have_edges_to_their_three_nearest(model, monkeypatch):
    monkeypatch.setattr(module, "_MAX_MAPPED", 60)
    fit = summarise(model, VIEWS)
    mapped = fit.mapped_rows
    rest = np.setdiff1d(np.arange(90), mapped)
    assert (len(mapped), len(rest)) == (60, 30)
    place, distance = nearest_samples(VIEWS, mapped, rest, used=[0, 1])
    weights, distances = (graph.toarray() for graph in fit.graphs_of_all())
    np.testing.assert_allclose(weights, weights.T)
    np.testing.assert_allclose(weights[np.ix_(mapped, mapped)], fit.neighborhoods.fused.toarray())
    np.testing.assert_allclose(distances[np.ix_(mapped, mapped)], fit.neighborhoods.distances().toarray())
    assert not weights[np.ix_(rest, rest)].any()
    for i, row in enumerate(rest):
        ends = mapped[place[i]]
        assert set(np.flatnonzero(weights[row])) == set(ends)
        np.testing.assert_allclose(distances[row, ends], distance[i])
        np.testing.assert_allclose(weights[row, ends], np.exp(-((distance[i] / distance[i, -1]) ** 2)))


def test_samples_that_are_not_mapped_lie_at_the_mean_of_their_nearest(model, monkeypatch):
    monkeypatch.setattr(module, "_MAX_MAPPED", 60)
    fit = summarise(model, VIEWS)
    mapped, points = fit.mapped_rows, np.random.default_rng(0).normal(size=(60, 2))
    rest = np.setdiff1d(np.arange(90), mapped)
    placed = fit._placed(points)
    np.testing.assert_array_equal(placed[mapped], points)
    place, _ = nearest_samples(VIEWS, mapped, rest, used=[0, 1])
    np.testing.assert_allclose(placed[rest], points[place].mean(axis=1))


def test_of_fewer_drawn_samples_the_graph_is_still_that_of_all(model):
    from dataclasses import replace

    few = replace(summarise(model, VIEWS), max_drawn=30)
    assert len(few.layout_rows) == 30
    assert few.graphs_of_all()[0].shape == (90, 90)
    assert (few.graphs_of_all()[0].sum(axis=1) > 0).all()


def test_a_damaged_graph_in_a_file_is_refused(model, tmp_path):
    path = io.save_results(tmp_path / "fit.npz", model, VIEWS)
    with np.load(path, allow_pickle=False) as found:
        parts = dict(found)
    assert io.load_results(path).neighborhoods is not None
    name = next(name for name in parts if name.endswith("graph0_indices"))
    parts[name] = parts[name] + 10**6
    np.savez(tmp_path / "bad.npz", **parts)
    from viewfuse.exceptions import ViewfuseError

    with pytest.raises(ViewfuseError):
        io.load_results(tmp_path / "bad.npz")


def test_weights_of_a_fusion_count_in_the_joint_graph_and_those_of_a_choice_do_not(model):
    """AutoFusion's weights say what a view has to do with the clusters; its joint graph takes the views as they are."""
    rows, used = np.arange(90), [0, 1]
    weights = np.array([0.9, 0.1])
    found = SimpleNamespace(labels_=model.labels_, view_names_=VIEWS.names, view_weights_=weights)
    weighted = neighborhoods_of_views(VIEWS, rows, used=used, weights=weights, precomputed=False)
    np.testing.assert_array_equal(summarise(found, VIEWS).neighborhoods.points, weighted.points)
    found.choice_ = SimpleNamespace(as_dict=lambda: {"views": []})
    plain = neighborhoods_of_views(VIEWS, rows, used=used, weights=None, precomputed=False)
    np.testing.assert_array_equal(summarise(found, VIEWS).neighborhoods.points, plain.points)
    assert not np.allclose(plain.points, weighted.points)
