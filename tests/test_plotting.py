import numpy as np
import pytest

from reference import blobs
from viewfuse import GFSC, METHODS, io, plotting, selection, summarise
from viewfuse.exceptions import ParameterError

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

PLOTS = {
    "consensus": plotting.plot_consensus,
    "convergence": plotting.plot_convergence,
    "embedding": plotting.plot_embedding,
    "spectrum": plotting.plot_spectrum,
    "weights": plotting.plot_weights,
}


@pytest.fixture(scope="module")
def views():
    return blobs(n=60)[0]


@pytest.fixture(scope="module")
def model(views):
    return GFSC(3, random_state=0).fit(views)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    matplotlib.pyplot.close("all")


def pixels(figure):
    """The pixels of the figure, (height, width, 3)."""
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())[..., :3]


def ink_within(ax):
    """Share of the pixels inside the axes that differ from the most common colour."""
    picture = pixels(ax.figure)
    box = ax.get_window_extent()
    height = picture.shape[0]
    inside = picture[int(height - box.y1) + 3 : int(height - box.y0) - 3, int(box.x0) + 3 : int(box.x1) - 3].reshape(-1, 3)
    _, counts = np.unique(inside, axis=0, return_counts=True)
    return 1 - counts.max() / counts.sum()


@pytest.mark.parametrize("name", PLOTS)
def test_every_plot_draws_something_and_returns_its_axes(name, model):
    ax = PLOTS[name](model)
    assert ink_within(ax) > 0.003, "the plot is empty"
    assert ax.get_title()
    given = matplotlib.pyplot.subplots()[1]
    assert PLOTS[name](model, given) is given


@pytest.mark.parametrize("name", PLOTS)
def test_every_plot_is_the_same_from_saved_results(name, model, views, tmp_path):
    saved = io.load_results(io.save_results(tmp_path / "fit.npz", model, views))
    expected = pixels(PLOTS[name](summarise(model, views)).figure).copy()
    assert (pixels(PLOTS[name](saved).figure) == expected).all()


def test_a_plot_says_whether_it_is_from_before_the_cut(model, views):
    for name in ("embedding", "spectrum"):
        assert "before the cut" in PLOTS[name](model, views=views).get_title()
        assert "the cut" in PLOTS[name](model).get_title()
        assert "before" not in PLOTS[name](model).get_title()
    assert "after the cut" in plotting.plot_consensus(model).get_title()


def test_the_graphs_of_single_views_need_the_data(model, views):
    with pytest.raises(ParameterError, match="need the data") as raised:
        plotting.plot_views(model)
    assert raised.value.parameter == "views"
    assert len(plotting.plot_views(summarise(model, views))) == 3


def test_empty_axes_have_no_ink():
    assert ink_within(matplotlib.pyplot.subplots()[1]) == 0


def test_the_graph_of_each_view_is_drawn(model, views):
    axes = plotting.plot_views(model, {"sound": views[0], "cost in $": views[1]})
    assert [ax.get_title() for ax in axes] == ["all views", "sound", r"cost in \$"]
    assert all(ink_within(ax) > 0.2 for ax in axes)


def test_the_heat_map_is_sorted_by_cluster(model):
    ax = plotting.plot_consensus(model)
    shown = np.asarray(ax.images[0].get_array())
    sizes = np.bincount(model.labels_)
    inside = shown[: sizes[0], : sizes[0]].mean()
    assert inside > 5 * shown[: sizes[0], sizes[0] :].mean()


def test_all_samples_and_views_are_drawn(model):
    figure = plotting.plot_fit(model)
    _, embedding, weights = figure.axes
    assert sum(len(points.get_offsets()) for points in embedding.collections) == 60
    assert len(weights.patches) == 2


def test_the_spectrum_is_that_of_the_normalized_laplacian(model):
    lines = plotting.plot_spectrum(model).lines
    shown = np.concatenate([lines[0].get_ydata(), lines[1].get_ydata()])
    graph = np.asarray(model.affinity_matrix_, dtype=float)
    root = 1 / np.sqrt(graph.sum(axis=1))
    direct = np.linalg.eigvalsh(np.eye(60) - root[:, None] * graph * root)[: len(shown)]
    np.testing.assert_allclose(shown, direct, atol=1e-4)
    assert len(lines[0].get_ydata()) == 3


def test_a_method_without_a_graph_raises(views):
    means = METHODS["km"](3, random_state=0).fit(views)
    with pytest.raises(ParameterError, match=r"KM has no fused graph, so there is no affinity_matrix_ to plot"):
        plotting.plot_consensus(means)


def test_the_suggested_number_of_clusters_is_marked():
    found = selection.choose_n_clusters(blobs(n=60)[0], range(2, 6), random_state=0)
    ax = plotting.plot_counts(found)
    assert list(ax.lines[0].get_xdata()) == [2, 3, 4, 5]
    assert any(f"suggested: {found.suggested}" == text.get_text() for text in ax.get_legend().get_texts())
    matplotlib.pyplot.close(ax.figure)
