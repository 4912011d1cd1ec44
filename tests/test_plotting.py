import numpy as np
import pytest

from reference import blobs
from viewfuse import GFSC, plotting

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(scope="module")
def model():
    return GFSC(3, random_state=0).fit(blobs(n=60)[0])


@pytest.mark.parametrize("draw", [plotting.plot_consensus, plotting.plot_embedding, plotting.plot_weights])
def test_every_plot_returns_axes_that_show_the_fit(draw, model):
    ax = draw(model)
    assert ax.images or ax.collections or ax.patches
    assert ax.get_title()
    matplotlib.pyplot.close(ax.figure)


def test_the_heat_map_is_sorted_by_cluster(model):
    ax = plotting.plot_consensus(model)
    shown = np.asarray(ax.images[0].get_array())
    sizes = np.bincount(model.labels_)
    inside = shown[: sizes[0], : sizes[0]].mean()
    assert inside > 5 * shown[: sizes[0], sizes[0] :].mean()
    matplotlib.pyplot.close(ax.figure)


def test_all_samples_and_views_are_drawn(model):
    figure = plotting.plot_fit(model)
    _, embedding, weights = figure.axes
    assert sum(len(points.get_offsets()) for points in embedding.collections) == 60
    assert len(weights.patches) == 2
    matplotlib.pyplot.close(figure)
