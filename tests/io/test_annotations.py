"""Results in AnnData and MuData, read by scanpy and muon."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import viewfuse as vf
from viewfuse import ViewsError
from viewfuse.graphs.nearest import neighbor_graph

anndata = pytest.importorskip("anndata")
mudata = pytest.importorskip("mudata")
pd = pytest.importorskip("pandas")

N = 90
TRUTH = np.repeat([0, 1, 2], N // 3)


def part(n_features: int, prefix: str, ids: list[str], seed: int) -> anndata.AnnData:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(N, n_features)) + 6 * rng.normal(size=(3, n_features))[TRUTH]
    rows = [int(i[1:]) for i in ids]
    return anndata.AnnData(
        np.abs(values)[rows].astype(np.float32),
        obs=pd.DataFrame(index=ids),
        var=pd.DataFrame(index=[f"{prefix}{f}" for f in range(n_features)]),
    )


@pytest.fixture
def multi() -> mudata.MuData:
    """The last three cells are in one modality only."""
    ids = [f"c{i}" for i in range(N)]
    return mudata.MuData({"rna": part(12, "gene", ids, 0), "atac": part(9, "peak", ids[:-3], 1)})


@pytest.fixture
def fitted(multi: mudata.MuData) -> tuple[mudata.MuData, vf.AutoFusion]:
    views = vf.load_views(multi, missing="drop")
    model = vf.AutoFusion(n_clusters=3, random_state=0).fit(views)
    vf.annotate(multi, model, views)
    return multi, model


def test_labels_are_in_every_modality_and_numbered_by_size(fitted: Any) -> None:
    data, model = fitted
    for target, n in ((data, N), (data["rna"], N), (data["atac"], N - 3)):
        found = target.obs["viewfuse"]
        assert found.cat.categories.tolist() == ["0", "1", "2"]
        assert found[:87].tolist() == [str(label) for label in model.labels_]
        assert found.isna().sum() == n - 87
        assert found.value_counts().is_monotonic_decreasing
        np.testing.assert_array_equal(target.obsm["X_viewfuse"][:87], model.embedding_)


def test_the_graph_is_that_of_the_data_before_the_cut(fitted: Any) -> None:
    data, _ = fitted
    for target, n in ((data, N), (data["rna"], N), (data["atac"], N - 3)):
        about = target.uns["viewfuse"]
        graph, distances = (target.obsp[about[f"{name}_key"]] for name in ("connectivities", "distances"))
        assert sp.issparse(graph)
        assert graph.shape == (n, n)
        assert graph[87:].nnz == 0  # these cells were not clustered
        assert (graph != graph.T).nnz == 0
        assert distances.nnz == graph.nnz
        weights, apart = np.asarray(graph[0, :].todense()).ravel(), np.asarray(distances[0, :].todense()).ravel()
        edges = np.flatnonzero(weights)
        assert np.corrcoef(weights[edges], apart[edges])[0, 1] < 0  # near neighbours have strong edges


def test_a_single_view_has_the_neighbours_of_its_points() -> None:
    data = part(6, "gene", [f"c{i}" for i in range(N)], 2)
    vf.annotate(data, vf.AutoFusion(n_clusters=3, random_state=0).fit(data))
    standardised = np.clip((data.X - data.X.mean(axis=0)) / data.X.std(axis=0), -4, 4)
    direct = neighbor_graph(standardised)
    np.testing.assert_allclose(data.obsp["viewfuse_connectivities"].toarray(), direct.toarray(), atol=1e-3)


def test_results_that_are_read_again_are_no_views(fitted: Any, tmp_path: Path) -> None:
    data, _ = fitted
    data.write(tmp_path / "out.h5mu")
    again = vf.load_views(tmp_path / "out.h5mu", views=["rna", "atac"], missing="drop")
    assert again.names == ("rna", "atac")
    assert again.y is None
    with pytest.warns(vf.exceptions.UnusedVariablesWarning, match="'rna:X_viewfuse'"):
        assert vf.load_views(tmp_path / "out.h5mu", missing="drop").names == ("rna", "atac")
    single = data["rna"].copy()
    single.write(tmp_path / "out.h5ad")
    with pytest.warns(vf.exceptions.UnusedVariablesWarning, match="'X_viewfuse'"):
        assert vf.load_views(tmp_path / "out.h5ad").names == ("X",)


@pytest.mark.filterwarnings("ignore")  # of scanpy, umap and numba, about each other
def test_scanpy_runs_on_the_result(fitted: Any) -> None:
    scanpy = pytest.importorskip("scanpy", reason="scanpy is not installed: pip install 'viewfuse[test]'")
    data, _ = fitted
    for target in (data["rna"], data["atac"]):
        cells = target[target.obs["viewfuse"].notna()].copy()
        scanpy.tl.umap(cells, neighbors_key="viewfuse")
        assert np.isfinite(cells.obsm["X_umap"]).all()
        scanpy.tl.leiden(cells, neighbors_key="viewfuse", flavor="igraph", n_iterations=2, directed=False, resolution=0.1)
        assert vf.metrics.ari(cells.obs["leiden"], cells.obs["viewfuse"]) == 1
        scanpy.tl.rank_genes_groups(cells, "viewfuse")
        assert len(cells.uns["rank_genes_groups"]["names"].dtype.names) == 3


@pytest.mark.filterwarnings("ignore")
def test_muon_runs_on_the_result(multi: mudata.MuData) -> None:
    muon = pytest.importorskip("muon", reason="muon is not installed: pip install 'viewfuse[test]'")
    shared = multi[multi.obs_names[: N - 3]].copy()
    model = vf.AutoFusion(n_clusters=3, random_state=0).fit(shared)
    vf.annotate(shared, model)
    muon.tl.umap(shared, neighbors_key="viewfuse", random_state=0)
    assert shared.obsm["X_umap"].shape == (N - 3, 2)
    muon.tl.leiden(shared, neighbors_key="viewfuse", resolution=0.1)
    assert vf.metrics.ari(shared.obs["leiden"], shared.obs["viewfuse"]) == 1


def test_what_cannot_be_found_in_the_object_raises(multi: mudata.MuData) -> None:
    views = vf.load_views(multi, missing="drop")
    model = vf.GFSC(3, random_state=0).fit(views)
    with pytest.raises(ViewsError, match="not to dict"):
        vf.annotate({}, model, views)
    with pytest.raises(ViewsError, match="have no ids"):
        vf.annotate(multi, model, list(views.arrays))
    other = vf.Views(views, ids=[f"x{i}" for i in range(len(views))])
    with pytest.raises(ViewsError, match="Sample 'x0' is not in this object"):
        vf.annotate(multi, model, other)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vf.annotate(multi, model, views)


def test_of_many_samples_the_others_are_connected_with_their_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    data = part(6, "gene", [f"c{i}" for i in range(N)], 2)
    model = vf.AutoFusion(n_clusters=3, random_state=0).fit(data)
    monkeypatch.setattr("viewfuse.inspection.maps._MAX_MAPPED", 40)
    vf.annotate(data, model)
    graph, distances = (data.obsp[f"viewfuse_{name}"] for name in ("connectivities", "distances"))
    assert graph.shape == (N, N)
    assert abs(graph - graph.T).max() < 1e-12
    assert graph.nnz == distances.nnz
    assert np.diff(graph.indptr).min() >= 3
    edges = graph.tocoo()
    clusters = data.obs["viewfuse"].astype(int).to_numpy()
    assert np.mean(clusters[edges.row] == clusters[edges.col]) > 0.8
