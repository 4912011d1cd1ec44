"""``viewfuse cluster``: with a stand-in for the solver, and once with the real one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import viewfuse
from viewfuse.cluster import METHODS
from viewfuse.datasets import make_views
from viewfuse.io import load_results

pd = pytest.importorskip("pandas")


class StandIn:
    """Looks like a fitted GFSC; the clusters are those of the first feature's rank."""

    def __init__(self, n_clusters: int, random_state: int | None = None) -> None:
        self.n_clusters, self.random_state = n_clusters, random_state

    def get_params(self) -> dict[str, Any]:
        return {"n_clusters": self.n_clusters, "random_state": self.random_state}

    def fit(self, views: Any) -> StandIn:
        first = views.float_arrays()[0][:, 0]
        self.labels_ = (np.argsort(np.argsort(first)) * self.n_clusters) // len(first)
        self.view_weights_ = np.full(views.n_views, 1 / views.n_views)
        self.embedding_ = np.eye(self.n_clusters)[self.labels_]
        self.n_iter_, self.converged_, self.history_ = 3, True, [1.0]
        return self


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METHODS, "gfsc", StandIn)  # type: ignore[arg-type]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two tables of 30 samples and their labels."""
    views = make_views(n_samples=30, n_features=(3, 4), random_state=0)
    made = tmp_path / "tables"
    made.mkdir()
    index = pd.Index([f"s{i}" for i in range(30)], name="id")
    for name, array in zip(views.names, views.arrays, strict=True):
        pd.DataFrame(array, index=index).to_csv(made / f"{name}.csv")
    pd.DataFrame({"label": views.y}, index=index).to_csv(made / "labels.csv")
    return made


@pytest.mark.usefixtures("stand_in")
def test_clusters_are_shown_and_written(folder: Path, tmp_path: Path, command: Callable) -> None:
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


@pytest.mark.usefixtures("stand_in")
def test_without_labels_nothing_is_scored(folder: Path, command: Callable) -> None:
    ended = command("cluster", folder, "-k", 3, "--no-labels")
    assert ended.code == 0
    assert "against the file's labels" not in ended.out


@pytest.mark.usefixtures("stand_in")
def test_results_go_into_the_h5ad_they_came_from(tmp_path: Path, command: Callable) -> None:
    anndata = pytest.importorskip("anndata")
    data = anndata.AnnData(np.random.default_rng(0).normal(size=(12, 4)))
    data.obsm["protein"] = data.X[:, :2] + 1
    path = tmp_path / "cells.h5ad"
    data.write(path)
    ended = command("cluster", path, "-k", 2, "--save", path)
    assert ended.code == 0, ended.err
    assert sorted(anndata.read_h5ad(path).obs["viewfuse"].unique()) == ["0", "1"]


@pytest.mark.usefixtures("stand_in")
def test_results_that_have_nowhere_to_go_are_refused_before_the_work(
    folder: Path, tmp_path: Path, command: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(StandIn, "fit", lambda *_: pytest.fail("the work was begun"))
    table = folder / "view0.csv"
    before = table.read_bytes()
    for arguments, reason in [
        ((table, "-k", 2, "--views", "*", "-o", table), "is the input; choose another file"),
        ((folder, "-k", 2, "-o", folder / "labels.csv"), "lies in the input folder"),
        ((folder, "-k", 2, "-o", tmp_path / "nowhere" / "x.csv"), "there is no folder"),
        ((folder, "-k", 2, "-o", tmp_path), "is a folder; name a file"),
        ((folder, "-k", 2, "-o", tmp_path / "out.xlsx"), "out.xlsx: labels are written as .csv"),
        ((folder, "-k", 2, "--save", tmp_path / "out.mat"), "out.mat: results are written as .npz"),
        (
            (folder, "-k", 2, "--save", tmp_path / "out.h5ad"),
            "out.h5ad: .h5ad is for results of views that came",
        ),
        ((table, "-k", 2, "--views", "*", "--save", tmp_path / "out.h5mu"), "MuData, not from a table. Use .npz"),
    ]:
        ended = command("cluster", *arguments)
        assert ended.code == 2
        assert reason in ended.err
        assert ended.err.count("\n") == 1
    assert table.read_bytes() == before


@pytest.mark.parametrize(("missing", "suffix"), [("pandas", ".csv"), ("pyarrow", ".parquet")])
@pytest.mark.usefixtures("stand_in")
def test_a_missing_extra_is_said_before_the_work(
    tmp_path: Path, command: Callable, monkeypatch: pytest.MonkeyPatch, missing: str, suffix: str
) -> None:
    np.savez(tmp_path / "made.npz", X1=np.ones((5, 3)), X2=np.ones((5, 4)))
    monkeypatch.setattr(StandIn, "fit", lambda *_: pytest.fail("the work was begun"))
    monkeypatch.setitem(sys.modules, missing, None)
    ended = command("cluster", tmp_path / "made.npz", "-k", 2, "-o", tmp_path / f"out{suffix}")
    assert ended.code == 2
    assert ended.err == f"viewfuse: This needs {missing}: pip install 'viewfuse[io]'\n"


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no such permissions")
@pytest.mark.usefixtures("stand_in")
def test_an_unwritable_folder_is_one_sentence(
    folder: Path, tmp_path: Path, command: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(tmp_path / "out.csv"))

    monkeypatch.setattr(pd.DataFrame, "to_csv", refuse)  # root may write anywhere, so the refusal is staged
    ended = command("cluster", folder, "-k", 2, "-o", tmp_path / "out.csv")
    assert ended.code == 2
    assert ended.err == f"viewfuse: {tmp_path / 'out.csv'}: Permission denied\n"


def test_the_real_solver_end_to_end(folder: Path, tmp_path: Path, command: Callable) -> None:
    ended = command("cluster", folder, "-k", 3, "-o", tmp_path / "out.csv")
    assert ended.code == 0, ended.err
    assert "picked: gfsc, the best at its defaults" in ended.out
    assert len(pd.read_csv(tmp_path / "out.csv")) == 30


def test_a_device_is_used_or_refused(folder: Path, tmp_path: Path, command: Callable) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    plain, moved = tmp_path / "plain.csv", tmp_path / "moved.csv"
    for target, options in ((plain, ()), (moved, ("--device", "cpu"))):
        assert command("cluster", folder, "-k", 3, "-o", target, *options).code == 0
    labels = [pd.read_csv(target)["label"] for target in (plain, moved)]
    assert viewfuse.metrics.ari(*labels) == 1
    unable = command("cluster", folder, "-k", 3, "-m", "km", "--device", "cpu")
    assert unable.code == 2
    assert "km runs on the processor only; --device is for gfsc, gf, anchor-gfsc" in unable.err
    assert command("cluster", folder, "-k", 3, "--device", "nowhere").code == 2


def test_without_options_it_picks_and_says_what(tmp_path: Path, command: Callable) -> None:
    views = make_views(n_samples=120, n_clusters=4, random_state=0)
    np.savez(tmp_path / "made.npz", **dict(zip(views.names, views.arrays, strict=True)))
    ended = command("cluster", tmp_path / "made.npz")
    assert ended.code == 0, ended.err
    assert "picked: gfsc, the best at its defaults" in ended.out
    assert "picked: the number of clusters" in ended.out
    assert "4 clusters, sizes" in ended.out


@pytest.mark.filterwarnings("default::viewfuse.exceptions.NoStructureWarning")
def test_where_there_are_no_clusters_it_says_so(tmp_path: Path, command: Callable) -> None:
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "noise.npz", a=rng.normal(size=(100, 4)), b=rng.normal(size=(100, 5)))
    pytest.importorskip("bokeh")
    ended = command("cluster", tmp_path / "noise.npz", "--report", tmp_path / "noise.html")
    assert ended.code == 0, ended.err
    assert "No clusters were found" in ended.err
    assert "1 cluster, sizes 0: 100" in ended.out
    assert (tmp_path / "noise.html").exists()


def test_json_is_all_that_is_printed(folder: Path, tmp_path: Path, command: Callable) -> None:
    ended = command("cluster", folder, "-k", 3, "--json", "-o", tmp_path / "out.csv")
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    assert found["samples"] == 30
    assert sum(found["sizes"].values()) == 30
    assert [view["name"] for view in found["views"]] == ["view0", "view1"]
    assert found["written"] == {"labels": str(tmp_path / "out.csv")}
    assert found["scores"]["acc"] > 0.3


@pytest.mark.filterwarnings("default::viewfuse.exceptions.ConvergenceWarning")
def test_a_fit_that_did_not_converge_is_written_and_ends_with_3(
    folder: Path, tmp_path: Path, command: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(METHODS, "gfsc", partial(METHODS["gfsc"], max_iter=1))  # type: ignore[arg-type]
    ended = command("cluster", folder, "-k", 3, "-o", tmp_path / "out.csv")
    assert ended.code == 3
    assert "GFSC did not converge in 1 iteration:" in ended.err
    assert "1 sweep, not settled" in ended.out
    assert (tmp_path / "out.csv").exists()


def test_another_method_by_its_key(folder: Path, command: Callable) -> None:
    ended = command("cluster", folder, "-k", 3, "-m", "km")
    assert ended.code == 0, ended.err
    assert "picked" not in ended.out
    ended = command("cluster", folder, "-k", 3, "-m", "kmm")
    assert ended.code == 2
    assert "No such method: kmm" in ended.err


class TestCtrlC:
    """A signal in the middle of a fit; in a process of its own, as it is about signals."""

    def program(self, folder: Path, *arguments: object) -> str:
        """Runs the command line; the first sweep of its fit sends the process what Ctrl-C sends."""
        line = ["viewfuse", "cluster", str(folder), "-k", "3", *map(str, arguments)]
        return f"""
import os, signal, sys
from viewfuse.fusion import anchor, sweeps
def interrupting(function):
    def interrupted(*arguments):
        os.kill(os.getpid(), signal.SIGINT)
        return function(*arguments)
    return interrupted
sweeps._Robust.sweep = interrupting(sweeps._Robust.sweep)
anchor.refined = interrupting(anchor.refined)
sys.argv = {line!r}
from viewfuse.cli import main
main()
"""

    def run(self, folder: Path, cwd: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
        ours = {**os.environ, "PYTHONPATH": str(Path(viewfuse.__file__).parents[1])}  # this checkout, wherever it runs
        command = [sys.executable, "-c", self.program(folder, *arguments)]
        return subprocess.run(command, cwd=cwd, env=ours, capture_output=True, text=True, check=False)

    @pytest.mark.parametrize("method", ["gfsc", "anchor-gfsc"])
    def test_partial_results_are_saved_where_the_message_says(self, folder: Path, tmp_path: Path, method: str) -> None:
        ended = self.run(folder, tmp_path, "-m", method)
        assert ended.returncode == 130, ended.stderr
        assert "stopped by Ctrl-C after 1 sweep:" in ended.stderr
        assert "saved in viewfuse-partial.npz" in ended.stderr
        saved = load_results(tmp_path / "viewfuse-partial.npz")
        assert saved.n_iter == 1
        assert not saved.converged
        assert len(saved.labels) == 30

    def test_or_where_the_results_were_to_go(self, folder: Path, tmp_path: Path) -> None:
        ended = self.run(folder, tmp_path, "-o", "out.csv")
        assert ended.returncode == 130, ended.stderr
        assert "saved in out.csv" in ended.stderr
        assert len(pd.read_csv(tmp_path / "out.csv")) == 30
