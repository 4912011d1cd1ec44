import numpy as np
import pytest

from reference import blobs
from viewfuse import GFSC, METHODS, AnchorGFSC, plotting, selection
from viewfuse.exceptions import ParameterError
from viewfuse.inspection.layouts import cluster_map, consensus_block, drawn_samples, spectrum

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
    """The picture's pixels, (height, width, 3)."""
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())[..., :3]


def ink_within(ax):
    """Share of the pixels inside the axes' frame that differ from the commonest colour there."""
    picture = pixels(ax.figure)
    box = ax.get_window_extent()
    height = picture.shape[0]
    inside = picture[int(height - box.y1) + 3 : int(height - box.y0) - 3, int(box.x0) + 3 : int(box.x1) - 3].reshape(-1, 3)
    _, counts = np.unique(inside, axis=0, return_counts=True)
    return 1 - counts.max() / counts.sum()


@pytest.mark.parametrize("name", PLOTS)
def test_every_plot_has_ink_and_returns_its_axes(name, model):
    ax = PLOTS[name](model)
    assert ink_within(ax) > 0.003, "the picture is empty"
    assert ax.get_title()
    given = matplotlib.pyplot.subplots()[1]
    assert PLOTS[name](model, given) is given


def test_an_empty_picture_would_be_noticed():
    assert ink_within(matplotlib.pyplot.subplots()[1]) == 0


def test_each_view_is_drawn_beside_the_consensus(model, views):
    axes = plotting.plot_views(model, {"sound": views[0], "cost in $": views[1]})
    assert [ax.get_title() for ax in axes] == ["consensus", "sound", r"cost in \$"]
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


def test_the_spectrum_is_that_of_the_normalised_laplacian(model):
    lines = plotting.plot_spectrum(model).lines
    shown = np.concatenate([lines[0].get_ydata(), lines[1].get_ydata()])
    graph = np.asarray(model.affinity_matrix_, dtype=float)
    root = 1 / np.sqrt(graph.sum(axis=1))
    direct = np.linalg.eigvalsh(np.eye(60) - root[:, None] * graph * root)[: len(shown)]
    np.testing.assert_allclose(shown, direct, atol=1e-4)
    assert len(lines[0].get_ydata()) == 3


def test_an_anchor_graph_is_shown_as_the_ties_it_makes(views):
    model = AnchorGFSC(3, n_anchors=12, random_state=0).fit(views)
    rows = np.arange(10, 40)
    np.testing.assert_allclose(consensus_block(model, rows), model.affinity_matrix_[10:40, 10:40], rtol=1e-5)
    graph = model.affinity_matrix_.astype(float)
    root = 1 / np.sqrt(graph.sum(axis=1))
    direct = np.linalg.eigvalsh(np.eye(60) - root[:, None] * graph * root)[:12]
    np.testing.assert_allclose(spectrum(model, 12), direct, atol=1e-5)


def test_of_many_samples_each_clusters_share_is_drawn():
    labels = np.repeat([0, 1, 2], [10_000, 5_000, 1_000])[np.random.default_rng(0).permutation(16_000)]
    rows = drawn_samples(labels, 1600)
    assert np.bincount(labels[rows]).tolist() == [1000, 500, 100]
    assert (np.diff(rows) > 0).all()


def test_what_a_method_lacks_is_one_sentence(views):
    means = METHODS["km"](3, random_state=0).fit(views)
    with pytest.raises(ParameterError, match=r"KM fuses no graph, so there is no affinity_matrix_ to draw"):
        plotting.plot_consensus(means)


class TestInANotebook:
    def test_a_fitted_estimator_shows_a_summary(self, model):
        html = model._repr_html_()
        assert "3 clusters</b> of 60 samples" in html
        assert "Trust in each view" in html
        assert "3 clusters</b> of 60 samples" in model._repr_mimebundle_()["text/html"]

    def test_before_the_fit_only_the_diagram_is_there(self):
        assert "clusters</b>" not in GFSC(3)._repr_html_()

    def test_names_are_shown_as_text(self, views):
        hostile = GFSC(3, random_state=0).fit({"<script>alert(1)</script>": views[0], "b": views[1]})
        assert "<script>alert" not in hostile._repr_html_().partition("<style>")[0]
        assert "&lt;script&gt;alert" in hostile._repr_html_()


def test_the_numbers_of_clusters_are_drawn_with_the_suggested_one():
    found = selection.choose_n_clusters(blobs(n=60)[0], range(2, 6), n_resamples=2, random_state=0)
    ax = plotting.plot_counts(found)
    assert list(ax.lines[0].get_xdata()) == [2, 3, 4, 5]
    assert any(f"suggested: {found.suggested}" == text.get_text() for text in ax.get_legend().get_texts())
    matplotlib.pyplot.close(ax.figure)


@pytest.mark.parametrize("k", [3, 12, 40])
def test_clusters_lie_apart_on_their_map_however_many(k):
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(k), 8)
    rows = np.eye(k)[labels] + 0.02 * rng.normal(size=(8 * k, k))
    points = cluster_map(rows, labels, rng.random(8 * k))
    middles = np.stack([points[labels == cluster].mean(axis=0) for cluster in range(k)])
    nearest = np.linalg.norm(points[:, None, :] - middles[None], axis=2).argmin(axis=1)
    assert (nearest == labels).all()
    extent = np.ptp(points, axis=0).max()
    between = np.linalg.norm(middles[:, None] - middles[None], axis=2)[~np.eye(k, dtype=bool)].min()
    assert between > extent / (2.2 * np.sqrt(k))  # room for all: a circle alone would leave each π/k of its rim
