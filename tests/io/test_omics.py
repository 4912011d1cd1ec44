"""AnnData, MuData and scikit-learn Bunches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris
from sklearn.utils import Bunch

from viewfuse import GFSC, Views, ViewsError, ViewsFormatError, load_views, metrics
from viewfuse.exceptions import UnusedColumnsWarning, UnusedVariablesWarning, ViewsTypeError

anndata = pytest.importorskip("anndata")
mudata = pytest.importorskip("mudata")
pd = pytest.importorskip("pandas")
pytestmark = pytest.mark.filterwarnings("default::viewfuse.exceptions.UnusedVariablesWarning")

RNG = np.random.default_rng(0)


def cells(names: list[str], n_genes: int, prefix: str) -> anndata.AnnData:
    data = anndata.AnnData(
        sp.csr_matrix(RNG.poisson(0.5, size=(len(names), n_genes)).astype(np.float32)),
        obs=pd.DataFrame(index=names),
        var=pd.DataFrame(index=[f"{prefix}{g}" for g in range(n_genes)]),
    )
    return data


@pytest.fixture
def single() -> anndata.AnnData:
    data = cells([f"cell{c}" for c in range(5)], 8, "gene")
    data.layers["log"] = np.log1p(data.X.toarray())
    data.obsm["X_pca"] = RNG.normal(size=(5, 3))
    data.obsm["protein"] = pd.DataFrame(RNG.normal(size=(5, 2)), index=data.obs_names, columns=["CD3", "CD4"])
    data.obs["cell_type"] = pd.Categorical(["T", "T", "B", "B", "B"])
    return data


@pytest.fixture
def multi() -> mudata.MuData:
    """Two modalities with the cells c1 and c2 in common; each has one more cell."""
    rna, atac = cells(["c0", "c1", "c2"], 6, "gene"), cells(["c2", "c1", "c3"], 4, "peak")
    rna.obsm["X_pca"] = RNG.normal(size=(3, 2))
    data = mudata.MuData({"rna": rna, "atac": atac})
    data.obs["label"] = ["a", "a", "b", "b"]
    return data


def test_x_and_other_measurements_are_views_and_what_is_derived_is_none(single: anndata.AnnData, tmp_path: Path) -> None:
    path = tmp_path / "made.h5ad"
    single.obsm["spatial"] = single.obsm["X_umap"] = RNG.normal(size=(5, 2))
    single.write(path)
    for source in (single, path):
        with pytest.warns(
            UnusedVariablesWarning, match="no views of their own: 'log', 'X_pca'.*, 'spatial'|'log', 'X_pca', 'spatial'"
        ):
            load_views(source)
    for views in (load_views(single), load_views(path), Views(single)):
        assert views.names == ("X", "protein")
        assert sp.issparse(views.view("X"))
        assert views.view("X").dtype == np.float32
        np.testing.assert_array_equal(views.view("protein"), single.obsm["protein"].to_numpy())
        assert views.ids.tolist() == single.obs_names.tolist()
        assert views.feature_names[0].tolist() == single.var_names.tolist()
        assert views.feature_names[1].tolist() == ["CD3", "CD4"]
        assert views.y is None
    assert load_views(single, views=["log", "X_pca"]).feature_names[1] is None
    derived_only = anndata.AnnData(obs=single.obs, layers={"log": single.layers["log"]}, var=single.var)
    with pytest.raises(ViewsError, match="it has no X, only 'log'"):
        load_views(derived_only)


def test_a_name_in_layers_and_obsm_is_told_apart(single: anndata.AnnData) -> None:
    single.layers["protein"] = single.X
    with pytest.warns(UnusedVariablesWarning, match="'log', 'layers/protein', 'X_pca'"):
        assert load_views(single).names == ("X", "obsm/protein")


def test_views_and_labels_of_anndata_can_be_chosen(single: anndata.AnnData) -> None:
    views = load_views(single, views=["protein", "X_pca"], labels="cell_type")
    assert views.names == ("protein", "X_pca")
    assert views.y.tolist() == ["T", "T", "B", "B", "B"]
    with pytest.raises(
        ViewsError, match="no 'umap' for view 'umap'; the entries are 'X', 'log', 'X_pca', 'protein'"
    ) as caught:
        load_views(single, views="umap")
    assert (caught.value.view, caught.value.parameter) == ("umap", "views")
    assert caught.value.value == ("X", "log", "X_pca", "protein")
    with pytest.raises(ViewsError, match="obs has no column 'species'") as caught:
        load_views(single, labels="species")
    assert (caught.value.parameter, caught.value.value) == ("labels", ("cell_type", False))
    with pytest.raises(ViewsError, match="Leave ids and samples out") as caught:
        load_views(single, samples="columns")
    assert caught.value.parameter == "samples"
    single.obs["label"], single.obs["target"] = "a", "b"
    with pytest.raises(ViewsError, match="Several columns could be the labels: 'label', 'target'") as caught:
        load_views(single)
    assert (caught.value.parameter, caught.value.value) == ("labels", ("label", "target", False))


def test_modalities_are_views_matched_by_obs_names(multi: mudata.MuData, tmp_path: Path) -> None:
    path = tmp_path / "made.h5mu"
    multi.write(path)
    for source in (multi, path):
        expected = r"1 sample missing from view 'rna': 'c3'; 1 sample missing from view 'atac': 'c0'"
        with pytest.raises(ViewsError, match=expected) as caught:
            load_views(source)
        assert (caught.value.view, caught.value.parameter, caught.value.value) == ("rna", "missing", ("keep", "drop"))
        shared = load_views(source, missing="drop")
        assert shared.names == ("rna", "atac")
        assert shared.ids.tolist() == ["c1", "c2"]
        expected = multi.mod["atac"][["c1", "c2"]].X.toarray()
        np.testing.assert_array_equal(shared.view("atac").toarray(), expected)
        kept = load_views(source, missing="keep")
        assert kept.ids.tolist() == ["c0", "c1", "c2", "c3"]
        assert sp.issparse(kept.view("atac"))
        np.testing.assert_array_equal(kept.present, [[1, 0], [1, 1], [1, 1], [0, 1]])
        assert kept.view("atac").dtype == np.float32
        assert kept.y.tolist() == multi.obs.loc[kept.ids, "label"].tolist()


def test_an_entry_of_a_modality_can_be_its_view(multi: mudata.MuData) -> None:
    views = load_views(multi, views=["rna:X_pca", "atac"], missing="drop")
    assert views.names == ("rna:X_pca", "atac")
    np.testing.assert_array_equal(views.view("rna:X_pca"), multi.mod["rna"].obsm["X_pca"][[1, 2]])
    with pytest.raises(ViewsError, match="no modality 'prot'; the modalities are 'rna', 'atac'"):
        load_views(multi, views=["prot"])


def test_a_truncated_h5mu_is_an_error(multi: mudata.MuData, tmp_path: Path) -> None:
    path = tmp_path / "made.h5mu"
    multi.write(path)
    path.write_bytes(path.read_bytes()[:-2000])
    with pytest.raises(ViewsFormatError, match=r"made\.h5mu"):
        load_views(path)


def test_an_h5ad_with_a_wrong_claim_is_an_error(single: anndata.AnnData, tmp_path: Path) -> None:
    import h5py

    path = tmp_path / "made.h5ad"
    single.write(path)
    with h5py.File(path, "r+") as file:
        file["obsm"].create_dataset("huge", shape=(10**6, 10**6), dtype="f4", chunks=(100, 100), compression="gzip")
    with pytest.raises(ViewsFormatError, match=r"made\.h5ad: obsm/huge claims 4,000,000,000,000 bytes"):
        load_views(path)


def test_texts_longer_than_the_file_are_an_error(single: anndata.AnnData, tmp_path: Path) -> None:
    import h5py

    path = tmp_path / "made.h5ad"
    single.write(path)
    with h5py.File(path) as file:
        place = file["obs/_index"].id.get_offset()
    with path.open("r+b") as raw:
        raw.seek(place)
        raw.write((2**31).to_bytes(4, "little"))
    with pytest.raises(ViewsFormatError, match=r"made\.h5ad: obs/_index claims texts longer than the whole file"):
        load_views(path)


# --- Bunches ---------------------------------------------------------------------------------------------------------


def test_scikit_learn_bunches() -> None:
    iris = load_iris()
    whole = load_views(iris)
    assert whole.shape == (150, 4)
    np.testing.assert_array_equal(whole.y, iris.target)
    split = load_views(iris, views={"sepal": slice(0, 2), "petal": slice(2, 4)})
    assert split.names == ("sepal", "petal")
    assert load_views(iris, labels=False).y is None
    framed = load_views(load_iris(as_frame=True), views=["sepal*", "petal*"])
    np.testing.assert_array_equal(framed.view("petal"), split.view("petal"))
    np.testing.assert_array_equal(framed.y, iris.target)


def test_multi_view_bunches() -> None:
    arrays = [np.ones((4, 2)), np.ones((4, 3))]
    for bunch in (Bunch(data=arrays, target=[0, 0, 1, 1]), Bunch(views=dict(enumerate(arrays)), target=[0, 0, 1, 1])):
        assert [array.shape[1] for array in Views(bunch)] == [2, 3]
        assert load_views(bunch).y.tolist() == [0, 0, 1, 1]
    with pytest.raises(ViewsTypeError, match="needs an entry 'data' or 'views'; this one has 'frame'"):
        load_views(Bunch(frame=1))


def test_no_option_is_ignored_for_a_bunch() -> None:
    frame = pd.DataFrame({"a": [1.0, 2, 3, 4]}, index=list("pqrs"))
    bunch = Bunch(views={"x": np.ones((4, 2)), "z": frame}, target=[0, 0, 1, 1], species=["c", "c", "d", "d"])
    chosen = load_views(bunch, views=["z"], labels="species")
    assert chosen.names == ("z",)
    assert chosen.ids.tolist() == list("pqrs")
    assert chosen.feature_names[0].tolist() == ["a"]
    assert chosen.y.tolist() == ["c", "c", "d", "d"]
    for options, reason in [
        ({"views": ["w"]}, "There is no view 'w'"),
        ({"views": {"z": [0]}}, "chosen by name, not by a mapping"),
        ({"labels": "kind"}, "no entry 'kind' for the labels; its entries are 'views', 'target', 'species'"),
        ({"missing": "keep"}, "In a Bunch every sample is in every view, so there are no missing samples to keep"),
        ({"ids": "name"}, "The samples of a Bunch are rows, and they have no ids"),
    ]:
        with pytest.raises(ViewsError, match=reason) as caught:
            load_views(bunch, **options)
        assert caught.value.parameter == next(iter(options))
    with pytest.raises(ViewsError, match=r"'target' has the name of labels, but contains 0\.5"):
        load_views(Bunch(data=np.ones((2, 2)), target=[0.5, 1.0]))
    with pytest.warns(UnusedColumnsWarning, match="2 columns are in no view and not used"):
        load_views(load_iris(), views={"sepal": slice(0, 2)})
    with pytest.raises(ViewsError, match=r"'target' of the Bunch has shape \(2, 2\)"):
        load_views(Bunch(data=np.ones((2, 2)), target=np.ones((2, 2))))


def test_estimators_accept_anndata_and_mudata() -> None:
    truth = np.repeat([0, 1], 20)

    def grouped(n_features: int) -> anndata.AnnData:
        levels = RNG.poisson(4, size=(2, n_features))[truth] + RNG.random((40, n_features))
        return anndata.AnnData(levels, obs=pd.DataFrame(index=[f"c{c}" for c in range(40)]))

    rna, atac = grouped(12), grouped(9)
    rna.var_names, atac.var_names = ([f"{kind}{f}" for f in range(n)] for kind, n in (("gene", 12), ("peak", 9)))
    model = GFSC(2, random_state=0).fit(mudata.MuData({"rna": rna, "atac": atac}))
    assert model.view_names_.tolist() == ["rna", "atac"]
    assert metrics.accuracy(truth, model.labels_) == 1
    assert metrics.accuracy(truth, GFSC(2, random_state=0).fit(rna).labels_) == 1
