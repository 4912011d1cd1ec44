"""Results as objects of other libraries."""

import numpy as np
import pytest

from viewfuse import GFSC, AutoFusion, Views, ViewsError, summarise
from viewfuse.datasets import make_views

pd = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def views():
    return Views(make_views(n_samples=60, random_state=0), ids=[f"s{i}" for i in range(60)])


@pytest.fixture(scope="module")
def fit(views):
    return summarise(GFSC(3, random_state=0).fit(views), views)


def test_labels_as_a_series(fit):
    series = fit.to_series()
    assert series.name == "cluster"
    assert series.index.tolist() == [f"s{i}" for i in range(60)]
    assert series.tolist() == fit.labels.tolist()
    assert summarise(GFSC(3, random_state=0).fit(list(fit.views.arrays))).to_series().index.tolist() == list(range(60))


def test_the_graph_as_networkx(fit):
    networkx = pytest.importorskip("networkx")
    graph = fit.to_networkx()
    assert list(graph) == [f"s{i}" for i in range(60)]
    assert graph.nodes["s7"]["cluster"] == fit.labels[7]
    assert graph.nodes["s7"]["confidence"] == pytest.approx(fit.confidence[7])
    expected = fit.neighborhoods.fused
    np.testing.assert_allclose(networkx.to_scipy_sparse_array(graph).toarray(), expected.toarray())


def test_no_graph_without_data_and_embedding():
    pytest.importorskip("networkx")
    with pytest.raises(ViewsError, match="neither data nor an embedding"):
        summarise(type("Fit", (), {"labels_": np.array([0, 1])})()).to_networkx()


@pytest.mark.parametrize("estimator", [GFSC, AutoFusion])
def test_set_output_keeps_the_ids(estimator, views):
    frames = {name: pd.DataFrame(a, index=views.ids) for name, a in zip(views.names, views.arrays, strict=True)}
    for data in (views, frames):
        found = estimator(3, random_state=0).set_output(transform="pandas").fit_transform(data)
        assert found.index.tolist() == [f"s{i}" for i in range(60)]
        assert found.columns[0] == f"{estimator.__name__.lower()}0"
    polars = pytest.importorskip("polars")
    found = estimator(3, random_state=0).set_output(transform="polars").fit_transform(frames)
    assert isinstance(found, polars.DataFrame)
    assert found.shape == (60, 3)
    assert isinstance(estimator(3, random_state=0).fit_transform(frames), np.ndarray)
