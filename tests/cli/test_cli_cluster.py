"""``viewfuse cluster``: most tests replace the solver, some run the real one."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import viewfuse
from pages import column_of
from viewfuse.cluster import METHODS
from viewfuse.datasets import make_views

pd = pytest.importorskip("pandas")
IDS = pd.Index([f"s{i}" for i in range(30)], name="id")


class FakeAutoFusion:
    """Has the attributes of a fitted estimator, without a choice; the clusters follow from the rank of the first feature."""

    def __init__(self, n_clusters: int, random_state: int | None = None) -> None:
        self.n_clusters, self.random_state = n_clusters, random_state

    def get_params(self) -> dict[str, Any]:
        return {"n_clusters": self.n_clusters, "random_state": self.random_state}

    def fit(self, views: Any) -> FakeAutoFusion:
        first = views.float_arrays()[0][:, 0]
        self.labels_ = (np.argsort(np.argsort(first)) * self.n_clusters) // len(first)
        self.view_weights_ = np.full(views.n_views, 1 / views.n_views)
        self.embedding_ = np.eye(self.n_clusters)[self.labels_]
        self.n_iter_, self.converged_, self.history_ = 3, True, [1.0]
        return self


@pytest.fixture
def fake_auto(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METHODS, "auto", FakeAutoFusion)  # type: ignore[arg-type]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two tables of 30 samples and their labels."""
    views = make_views(n_samples=30, n_features=(3, 4), random_state=0)
    made = tmp_path / "tables"
    made.mkdir()
    index = IDS
    for name, array in zip(views.names, views.arrays, strict=True):
        pd.DataFrame(array, index=index).to_csv(made / f"{name}.csv")
    pd.DataFrame({"label": views.y}, index=index).to_csv(made / "labels.csv")
    return made


@pytest.mark.usefixtures("fake_auto")
def test_clusters_are_printed_and_written_to_files(folder: Path, tmp_path: Path, command: Callable) -> None:
    labels, results = tmp_path / "out.csv", tmp_path / "out.npz"
    ended = command("cluster", folder, "-k", 3, "-o", labels, "--save", results, "--seed", 5)
    assert ended.code == 0, ended.err
    for shown in ("30 samples", "view1", "0.500", "3 clusters, sizes 0: 10, 1: 10, 2: 10", "acc ", "f_score "):
        assert shown in ended.out
    written = pd.read_csv(labels)
    assert written["id"].tolist() == [f"s{i}" for i in range(30)]
    assert sorted(written["label"].unique()) == [0, 1, 2]
    with np.load(results) as found:
        assert '"random_state": 5' in str(found["params"])
        np.testing.assert_array_equal(found["labels"], written["label"])


@pytest.mark.usefixtures("fake_auto")
def test_no_labels_prints_no_scores(folder: Path, command: Callable) -> None:
    ended = command("cluster", folder, "-k", 3, "--no-labels")
    assert ended.code == 0
    assert "true labels" not in ended.out


@pytest.mark.usefixtures("fake_auto")
def test_results_are_added_to_the_input_h5ad(tmp_path: Path, command: Callable) -> None:
    anndata = pytest.importorskip("anndata")
    data = anndata.AnnData(np.random.default_rng(0).normal(size=(12, 4)))
    data.obsm["protein"] = data.X[:, :2] + 1
    path = tmp_path / "cells.h5ad"
    data.write(path)
    ended = command("cluster", path, "-k", 2, "--save", path)
    assert ended.code == 0, ended.err
    assert sorted(anndata.read_h5ad(path).obs["viewfuse"].unique()) == ["0", "1"]


@pytest.mark.usefixtures("fake_auto")
def test_unusable_output_file_is_refused_before_the_fit(
    folder: Path, tmp_path: Path, command: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeAutoFusion, "fit", lambda *_: pytest.fail("the fit was started"))
    table = folder / "view0.csv"
    before = table.read_bytes()
    for arguments, facts in [
        ((table, "-k", 2, "--views", "*", "-o", table), (str(table), "is the input file", "--output")),
        ((folder, "-k", 2, "-o", folder / "labels.csv"), (str(folder / "labels.csv"), "in the input folder", "--output")),
        ((folder, "-k", 2, "--save", folder / "out.npz"), (str(folder / "out.npz"), "in the input folder", "--save")),
        ((folder, "-k", 2, "-o", tmp_path / "nowhere" / "x.csv"), (str(tmp_path / "nowhere"), "does not exist")),
        ((folder, "-k", 2, "-o", tmp_path), (str(tmp_path), "is a folder", "--output")),
        ((folder, "-k", 2, "--report", tmp_path), (str(tmp_path), "is a folder", "--report")),
        ((folder, "-k", 2, "-o", tmp_path / "out.xlsx"), ("out.xlsx", ".csv", ".parquet")),
        ((folder, "-k", 2, "--save", tmp_path / "out.mat"), ("out.mat", ".npz")),
        ((folder, "-k", 2, "--save", tmp_path / "out.h5ad"), ("out.h5ad", "AnnData", ".npz")),
        ((table, "-k", 2, "--views", "*", "--save", tmp_path / "out.h5mu"), ("out.h5mu", "MuData", ".npz")),
    ]:
        ended = command("cluster", *arguments)
        assert ended.code == 2
        assert all(fact in ended.err for fact in facts), ended.err
        assert ended.err.count("\n") == 1
    assert table.read_bytes() == before


@pytest.mark.parametrize(("missing", "suffix"), [("pandas", ".csv"), ("pyarrow", ".parquet")])
@pytest.mark.usefixtures("fake_auto")
def test_missing_extra_is_reported_before_the_fit(
    tmp_path: Path, command: Callable, monkeypatch: pytest.MonkeyPatch, missing: str, suffix: str
) -> None:
    np.savez(tmp_path / "made.npz", X1=np.ones((5, 3)), X2=np.ones((5, 4)))
    monkeypatch.setattr(FakeAutoFusion, "fit", lambda *_: pytest.fail("the fit was started"))
    monkeypatch.setitem(sys.modules, missing, None)
    ended = command("cluster", tmp_path / "made.npz", "-k", 2, "-o", tmp_path / f"out{suffix}")
    assert ended.code == 2
    assert missing in ended.err
    assert "pip install 'viewfuse[io]'" in ended.err
    assert ended.err.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no such permissions")
@pytest.mark.usefixtures("fake_auto")
def test_folder_without_write_permission_is_one_line(
    folder: Path, tmp_path: Path, command: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(tmp_path / "out.csv"))

    monkeypatch.setattr(pd.DataFrame, "to_csv", refuse)  # root may write anywhere, so the test raises the error itself
    ended = command("cluster", folder, "-k", 2, "-o", tmp_path / "out.csv")
    assert ended.code == 2
    assert ended.err == f"viewfuse: {tmp_path / 'out.csv'}: Permission denied\n"


def test_real_solver_end_to_end(folder: Path, tmp_path: Path, command: Callable) -> None:
    ended = command("cluster", folder, "-k", 3, "-o", tmp_path / "out.csv")
    assert ended.code == 0, ended.err
    assert "view0  standardised: a table of numbers" in ended.out
    assert "picked" not in ended.out
    assert len(pd.read_csv(tmp_path / "out.csv")) == 30


def test_device_is_used_or_refused(folder: Path, tmp_path: Path, command: Callable) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    plain, moved = tmp_path / "plain.csv", tmp_path / "moved.csv"
    for target, options in ((plain, ()), (moved, ("--device", "cpu:0"))):
        assert command("cluster", folder, "-k", 3, "-o", target, *options).code == 0
    labels = [pd.read_csv(target)["label"] for target in (plain, moved)]
    assert viewfuse.metrics.ari(*labels) == 1
    unable = command("cluster", folder, "-k", 3, "-m", "km", "--device", "cpu:0")
    assert unable.code == 2
    assert all(fact in unable.err for fact in ("km", "auto, gfsc, gf, anchor-gfsc", "leave --device out"))
    assert command("cluster", folder, "-k", 3, "--device", "nowhere").code == 2


@pytest.mark.parametrize("method", ["auto", "gfsc", "anchor-gfsc", "km"])
def test_the_processor_needs_no_pytorch(
    folder: Path, method: str, command: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)  # an import of it now fails
    plain, processor = (
        command("cluster", folder, "-k", 3, "-m", method, "--json", *options) for options in ((), ("--device", "cpu"))
    )
    assert processor.code == 0, processor.err
    assert json.loads(processor.out)["sizes"] == json.loads(plain.out)["sizes"]


class TestColumns:
    """A table of further columns cannot cost the result of a fit."""

    @pytest.fixture
    def table(self, tmp_path: Path) -> Path:
        place = tmp_path / "more.csv"
        pd.DataFrame({"age": np.arange(30) + 0.5, "site": ["a", "b", "c"] * 10}, index=IDS).to_csv(place)
        return place

    @pytest.mark.filterwarnings("default::viewfuse.exceptions.UnmatchedSamplesWarning")
    def test_a_sample_without_a_row_is_shown_without_a_value(
        self, folder: Path, table: Path, tmp_path: Path, command: Callable
    ) -> None:
        pd.read_csv(table, index_col="id").drop(["s3", "s7"]).to_csv(table)
        ended = command("cluster", folder, "-k", 3, "--report", tmp_path / "r.html", "--columns", table)
        assert ended.code == 0, ended.err
        assert "no row for 2 samples of 30, the first is 's3'" in ended.err
        assert "--columns" in ended.err
        values = column_of(tmp_path / "r.html", "age")
        assert [row for row, value in enumerate(values) if value is None] == [3, 7]
        assert column_of(tmp_path / "r.html", "site")[3] == "no value"

    @pytest.mark.parametrize("change", ["others", "twice"])
    def test_a_table_that_cannot_be_used_is_refused_before_the_fit(
        self, folder: Path, table: Path, tmp_path: Path, command: Callable, monkeypatch: pytest.MonkeyPatch, change: str
    ) -> None:
        monkeypatch.setattr(viewfuse.AutoFusion, "fit", lambda *_: pytest.fail("the fit has begun"))
        frame = pd.read_csv(table, index_col="id")
        frame = frame.rename("x{}".format) if change == "others" else pd.concat([frame, frame[:1]])
        frame.rename_axis("id").to_csv(table)
        ended = command("cluster", folder, "-k", 3, "--report", tmp_path / "r.html", "--columns", table)
        assert ended.code == 2
        assert ("no row for any sample" if change == "others" else "s0") in ended.err
        assert not (tmp_path / "r.html").exists()


def test_without_options_prints_what_was_chosen(tmp_path: Path, command: Callable) -> None:
    views = make_views(n_samples=120, n_clusters=4, random_state=0)
    np.savez(tmp_path / "made.npz", **dict(zip(views.names, views.arrays, strict=True)))
    ended = command("cluster", tmp_path / "made.npz")
    assert ended.code == 0, ended.err
    model = viewfuse.AutoFusion(random_state=0).fit(views)
    assert str(model.choice_) in ended.out
    assert "falls apart into 4 clusters" in ended.out
    assert "4 clusters, sizes" in ended.out


@pytest.mark.filterwarnings("default::viewfuse.exceptions.NoStructureWarning")
def test_data_without_clusters_gives_a_warning(tmp_path: Path, command: Callable) -> None:
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "noise.npz", a=rng.normal(size=(100, 4)), b=rng.normal(size=(100, 5)))
    pytest.importorskip("jinja2")
    ended = command("cluster", tmp_path / "noise.npz", "--report", tmp_path / "noise.html")
    assert ended.code == 0, ended.err
    assert ended.err.startswith("viewfuse: ")
    assert "no clusters" in ended.err.lower()
    assert "1 cluster, sizes 0: 100" in ended.out
    assert (tmp_path / "noise.html").exists()


def test_json_is_the_only_output(folder: Path, tmp_path: Path, command: Callable) -> None:
    ended = command("cluster", folder, "-k", 3, "--json", "-o", tmp_path / "out.csv")
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    assert found["samples"] == 30
    assert sum(found["sizes"].values()) == 30
    assert [view["name"] for view in found["views"]] == ["view0", "view1"]
    assert found["written"] == {"labels": str(tmp_path / "out.csv")}
    assert found["scores"]["acc"] > 0.3
    assert found["method"] == "auto"
    choice = found["choice"]
    assert list(choice) == ["views", "chosen", "reason", "gap", "candidates"]
    assert [list(view) for view in choice["views"]] == [["name", "kind", "reason", "kept"]] * 2
    assert choice["chosen"] in [candidate["name"] for candidate in choice["candidates"]]


def test_json_of_other_methods_has_no_choice(folder: Path, command: Callable) -> None:
    ended = command("cluster", folder, "-k", 3, "-m", "gfsc", "--json")
    assert json.loads(ended.out)["choice"] is None


def test_the_choice_is_in_the_report_of_saved_results(folder: Path, tmp_path: Path, command: Callable) -> None:
    pytest.importorskip("jinja2")
    ended = command("cluster", folder, "-k", 3, "--json", "--save", tmp_path / "out.npz")
    assert ended.code == 0, ended.err
    assert command("report", tmp_path / "out.npz", "-o", tmp_path / "out.html").code == 0
    page = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert "What was chosen and why" in page
    assert json.loads(ended.out)["choice"]["reason"] in page


@pytest.mark.filterwarnings("default::viewfuse.exceptions.ConvergenceWarning")
def test_fit_without_convergence_is_written_and_exits_with_3(
    folder: Path, tmp_path: Path, command: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(METHODS, "gfsc", partial(METHODS["gfsc"], max_iter=1))  # type: ignore[arg-type]
    ended = command("cluster", folder, "-k", 3, "-m", "gfsc", "-o", tmp_path / "out.csv")
    assert ended.code == 3
    assert "GFSC" in ended.err
    assert "max_iter" in ended.err
    assert "1 iteration, not converged" in ended.out
    assert (tmp_path / "out.csv").exists()


def test_method_is_chosen_by_its_key(folder: Path, command: Callable) -> None:
    ended = command("cluster", folder, "-k", 3, "-m", "km")
    assert ended.code == 0, ended.err
    assert "picked" not in ended.out
    ended = command("cluster", folder, "-k", 3, "-m", "kmm")
    assert ended.code == 2
    assert "kmm" in ended.err
    assert "co-reg" in ended.err  # the methods there are


def test_one_sample_gets_no_hint_that_cannot_help(command, tmp_path):
    (tmp_path / "one.csv").write_text("id,a,b\nx,1,2\n")
    for arguments in ((), ("-k", 2), ("-k", 3, "-m", "gfsc")):
        ended = command("cluster", tmp_path / "one.csv", *arguments)
        assert ended.code == 2
        assert "1 sample" in ended.err
        assert "-k" not in ended.err
