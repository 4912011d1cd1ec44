"""The results of a fit in files."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import viewfuse
from viewfuse import Views, ViewsError, load_views, summarise
from viewfuse.io import annotate, save_labels, save_results

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")


@pytest.fixture
def views() -> Views:
    return Views({"a": np.eye(4), "b": np.ones((4, 2))}, ids=["p", "q", "r", "s"])


@pytest.fixture
def model() -> SimpleNamespace:
    return SimpleNamespace(
        labels_=np.array([1, 0, 1, 0]),
        view_weights_=np.array([0.75, 0.25]),
        embedding_=np.arange(8.0).reshape(4, 2),
        n_iter_=7,
        converged_=True,
        get_params=lambda: {"n_clusters": 2, "random_state": np.random.RandomState},
    )


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
def test_labels_with_ids_and_confidence(tmp_path: Path, views: Views, model: SimpleNamespace, suffix: str) -> None:
    path = tmp_path / f"labels{suffix}"
    read = {".csv": pd.read_csv, ".tsv": pd.read_table, ".parquet": pd.read_parquet}[suffix]
    assert save_labels(path, model, views) == path
    assert list(read(path).columns) == ["id", "label"]
    model.confidence_ = np.array([0.9, 0.8, 0.7, 0.6])
    save_labels(path, model, views)
    frame = read(path)
    assert frame["id"].tolist() == ["p", "q", "r", "s"]
    assert frame["label"].tolist() == [1, 0, 1, 0]
    assert frame["confidence"].tolist() == [0.9, 0.8, 0.7, 0.6]
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_without_ids_the_rows_are_numbered(tmp_path: Path, model: SimpleNamespace) -> None:
    save_labels(tmp_path / "labels.csv", model, Views([np.eye(4)]))
    assert pd.read_csv(tmp_path / "labels.csv")["row"].tolist() == [0, 1, 2, 3]


def test_cells_that_a_spreadsheet_would_run_are_escaped(tmp_path: Path, model: SimpleNamespace) -> None:
    ids = ["=cmd|'/c calc'!A0", "+1+1", "-5", "@sum(a1)"]
    views = Views([np.eye(4)], ids=ids)
    for suffix in (".csv", ".tsv"):
        text = save_labels(tmp_path / f"labels{suffix}", model, views).read_text()
        assert [line.split("," if suffix == ".csv" else "\t")[0] for line in text.splitlines()[1:]] == [
            "'=cmd|'/c calc'!A0", "'+1+1", "-5", "'@sum(a1)",
        ]  # fmt: skip
    assert pd.read_parquet(save_labels(tmp_path / "labels.parquet", model, views))["id"].tolist() == ids


def test_a_record_is_written_like_its_model(tmp_path: Path, views: Views, model: SimpleNamespace) -> None:
    fit = summarise(model, views)
    expected = save_labels(tmp_path / "model.csv", model, views).read_text()
    assert save_labels(tmp_path / "record.csv", fit).read_text() == expected
    with (
        np.load(save_results(tmp_path / "model.npz", model, views), allow_pickle=False) as one,
        np.load(save_results(tmp_path / "record.npz", fit), allow_pickle=False) as other,
    ):
        assert one.files == other.files
        for name in one.files:
            np.testing.assert_array_equal(one[name], other[name], err_msg=name)


def test_results_as_npz_need_no_pickle(tmp_path: Path, views: Views, model: SimpleNamespace) -> None:
    path = save_results(tmp_path / "results.npz", model, views)
    with np.load(path, allow_pickle=False) as found:
        np.testing.assert_array_equal(found["labels"], model.labels_)
        np.testing.assert_array_equal(found["view_weights"], model.view_weights_)
        np.testing.assert_array_equal(found["embedding"], model.embedding_)
        assert found["view_names"].tolist() == ["a", "b"]
        assert found["ids"].tolist() == ["p", "q", "r", "s"]
        assert int(found["n_iter"]) == 7
        assert bool(found["converged"])
        assert json.loads(str(found["params"]))["n_clusters"] == 2
        assert json.loads(str(found["versions"]))["viewfuse"] == viewfuse.__version__
        assert "confidence" not in found


def test_unknown_suffixes_and_wrong_lengths_raise(tmp_path: Path, views: Views, model: SimpleNamespace) -> None:
    with pytest.raises(ViewsError, match=r"labels\.xls: labels are written as \.csv"):
        save_labels(tmp_path / "labels.xls", model, views)
    with pytest.raises(ViewsError, match=r"written as \.npz"):
        save_results(tmp_path / "results.mat", model, views)
    with pytest.raises(ViewsError, match="Pass that object or its file as into="):
        save_results(tmp_path / "results.h5ad", model, views)
    with pytest.raises(ViewsError, match=r"labels_ has shape \(4,\), but there are 2 samples"):
        save_labels(tmp_path / "labels.csv", model, views[:2])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("fault", [RuntimeError, KeyboardInterrupt])
def test_a_crash_while_writing_leaves_the_old_file_intact(
    tmp_path: Path, views: Views, model: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, fault: type
) -> None:
    path = tmp_path / "labels.csv"
    save_labels(path, model, views)
    before = path.read_bytes()

    def half(self: object, target: Path, **_: object) -> None:
        Path(target).write_text("id,lab")
        raise fault("power cut")

    monkeypatch.setattr(pd.DataFrame, "to_csv", half)
    with pytest.raises(fault):
        save_labels(path, model, views)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["labels.csv"]


def test_a_symbolic_link_stays_a_link(tmp_path: Path, views: Views, model: SimpleNamespace) -> None:
    (tmp_path / "real.csv").write_text("old")
    link = tmp_path / "link.csv"
    link.symlink_to("real.csv")
    save_labels(link, model, views)
    assert link.is_symlink()
    assert (tmp_path / "real.csv").read_text().startswith("id,label")


@pytest.mark.skipif(sys.platform == "win32", reason="files have no such permissions")
def test_a_replaced_file_keeps_its_permissions(tmp_path: Path, views: Views, model: SimpleNamespace) -> None:
    path = tmp_path / "labels.csv"
    for mode in (0o600, 0o664):
        path.write_text("old")
        path.chmod(mode)
        save_labels(path, model, views)
        assert path.stat().st_mode & 0o777 == mode


def test_results_are_added_to_anndata(tmp_path: Path, model: SimpleNamespace) -> None:
    anndata = pytest.importorskip("anndata")
    data = anndata.AnnData(np.ones((4, 3)), obs=pd.DataFrame(index=list("pqrs")))
    data.obsm["protein"] = np.ones((4, 2))
    source = tmp_path / "made.h5ad"
    data.write(source)
    views = load_views(source)
    model.confidence_ = np.array([0.9, 0.8, 0.7, 0.6])
    for target in (tmp_path / "other.h5ad", source):
        save_results(target, model, views, into=source)
        found = anndata.read_h5ad(target)
        assert found.obs["viewfuse"].tolist() == ["1", "0", "1", "0"]
        assert found.obs["viewfuse"].cat.categories.tolist() == ["0", "1"]
        assert found.obs["viewfuse_confidence"].tolist() == [0.9, 0.8, 0.7, 0.6]
        np.testing.assert_array_equal(found.obsm["X_viewfuse"], model.embedding_)
        np.testing.assert_array_equal(found.uns["viewfuse"]["view_weights"], [0.75, 0.25])
        assert list(found.uns["viewfuse"]["view_names"]) == ["X", "protein"]
        assert json.loads(found.uns["viewfuse"]["estimator"])["n_clusters"] == 2
        np.testing.assert_array_equal(found.X, data.X)


def test_results_are_added_to_mudata_by_id(tmp_path: Path) -> None:
    anndata, mudata = pytest.importorskip("anndata"), pytest.importorskip("mudata")
    frames = {"a": ["c0", "c1", "c2"], "b": ["c2", "c1", "c3"]}
    parts = {
        name: anndata.AnnData(np.ones((3, 2)), obs=pd.DataFrame(index=ids), var=pd.DataFrame(index=[name + "1", name + "2"]))
        for name, ids in frames.items()
    }
    data = mudata.MuData(parts)
    views = load_views(data, missing="drop")
    model = SimpleNamespace(labels_=[1, 0], view_weights_=[0.5, 0.5], embedding_=np.ones((2, 2)))
    path = save_results(tmp_path / "made.h5mu", model, views, into=data)
    assert "viewfuse" not in data.obs
    found = mudata.read_h5mu(path)
    assert found.obs["viewfuse"].astype(object).where(found.obs["viewfuse"].notna(), None).to_dict() == {
        "c0": None,
        "c1": "1",
        "c2": "0",
        "c3": None,
    }
    assert np.isnan(found.obsm["X_viewfuse"]).any(axis=1).sum() == 2
    with pytest.raises(ViewsError, match=r"came from MuData, which is written as \.h5mu"):
        save_results(tmp_path / "made.h5ad", model, views, into=data)
    with pytest.raises(ViewsError, match="Sample 'z' is not in this object"):
        annotate(data, model, Views([np.ones((2, 2))], ids=["c1", "z"]))
    with pytest.raises(ViewsError, match="not to dict"):
        annotate({}, model, views)
