"""The benchmark: cells, resuming, failures, ranks, tables and the command."""

import csv
import json

import numpy as np
import pytest
import scipy.stats

from viewfuse import METHODS, metrics
from viewfuse._utils.store import Store
from viewfuse.cli._cells import as_bytes, as_seconds
from viewfuse.cluster import known_methods
from viewfuse.datasets import make_views
from viewfuse.exceptions import ParameterError, ViewsError
from viewfuse.experiments import benchmark
from viewfuse.experiments.benchmark.cells import ORACLE_GRIDS, BenchmarkCell, EmbeddedDigits, planned, run_cell, sources_for
from viewfuse.experiments.benchmark.results import MethodResult, ranking
from viewfuse.experiments.benchmark.tables import as_latex

pytest.importorskip("filelock")
pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Two files of sixty samples in three clusters, sorted by class."""
    made = []
    for seed in (0, 1):
        views = make_views(n_samples=60, n_clusters=3, noise=2.5, random_state=seed)
        views = views[np.argsort(views.y, kind="stable")]
        path = tmp_path_factory.mktemp("data") / f"made{seed}.npz"
        np.savez(path, **dict(zip(views.names, views.arrays, strict=True)), y=views.y)
        made.append(str(path))
    return made


@pytest.fixture(scope="module")
def finished(files, tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished")
    seen = []
    page = benchmark(
        folder, data=files, methods=["km", "gmc", "fpmvs"], n_seeds=2, oracle=True, shipped=True,
        on_cell=seen.append,
    )  # fmt: skip
    return page, seen


def table(folder):
    with (folder / "results.csv").open() as file:
        return list(csv.DictReader(file))


def test_every_grid_point_is_valid():
    for key, points in ORACLE_GRIDS.items():
        for point in points:
            METHODS[key](**point)._validate_params()
    assert set(ORACLE_GRIDS) <= set(METHODS)


def test_a_cell_is_one_fit_on_shuffled_rows(files):
    (source,) = sources_for(files[:1])
    cell = BenchmarkCell(source.name, source.checksum(), "opmc", 3)
    result = run_cell(cell, source)
    views = source.load()[np.random.default_rng(0).permutation(60)]
    expected = metrics.evaluate(views.y, METHODS["opmc"](3, random_state=3).fit(views).labels_)
    assert result["scores"]["acc"] == pytest.approx(100 * expected["acc"])
    assert result["key"] == cell.key


def test_cells_of_the_defaults_the_grid_and_the_shipped_order(files):
    (source,) = sources_for(files[:1])
    plain = planned([source], ["km", "fpmvs"], 2, oracle=False, shipped=False)
    assert [(cell.method, cell.seed, cell.parameters) for cell in plain] == [
        ("km", 0, {}), ("fpmvs", 0, {}), ("km", 1, {}), ("fpmvs", 1, {})
    ]  # fmt: skip
    more = planned([source], ["km", "fpmvs"], 1, oracle=True, shipped=True)
    default = METHODS["km"]().scaling
    assert {cell.parameters.get("scaling") for cell in more if cell.method == "km"} == {
        None, *({"unit-samples", "min-max", "unit-spread"} - {default})
    }  # fmt: skip
    assert [cell.order for cell in more if cell.method == "fpmvs"] == ["shuffled", "shuffled", "shipped"]


def test_files_that_are_written(finished):
    page, seen = finished
    assert seen[-1].done == seen[-1].total == len(seen)
    rows = table(page.parent)
    assert {(r["method"], r["parameters_chosen_by"]) for r in rows} >= {
        ("km", "defaults, without labels"), ("km", "labels (oracle)")
    }  # fmt: skip
    for row in rows:
        assert row["viewfuse"]
        assert row["code"]
        assert row["machine"]
        assert row["seeds"] == "0 1"
    html = page.read_text()
    assert "by labels" in html
    assert "as shipped" in html
    assert "Friedman" in html
    overview = (page.parent / "README.md").read_text().split("## Acc of every method")[1].split("##")[0]
    assert all(f"| `{method}` |" in overview for method in ("km", "gmc", "fpmvs"))
    assert overview.count("**") >= 2 * 2  # the best of each of two data sets
    assert "<svg" in html
    assert r"\toprule" in (page.parent / "table.tex").read_text()


def test_the_oracle_is_never_worse_than_the_defaults(finished):
    rows = table(finished[0].parent)
    for row in rows:
        if row["parameters_chosen_by"] == "labels (oracle)":
            (default,) = [
                r for r in rows if (r["dataset"], r["method"], r["rows"]) == (row["dataset"], row["method"], "shuffled")
                and r["parameters_chosen_by"].startswith("defaults")
            ]  # fmt: skip
            assert float(row["acc_mean"]) >= float(default["acc_mean"])


def test_a_stopped_run_continues_and_gives_the_same_table(files, finished, tmp_path):
    class Stop(Exception):
        pass

    def stop(progress):
        if progress.done == 2:
            raise Stop

    options = {"data": files, "methods": ["km", "gmc", "fpmvs"], "n_seeds": 2, "oracle": True, "shipped": True}
    with pytest.raises(Stop):
        benchmark(tmp_path, **options, on_cell=stop)
    page = benchmark(tmp_path, **options, page_only=True)
    assert "are not computed yet" in page.read_text()
    again = []
    benchmark(tmp_path, **options, on_cell=again.append)
    assert len(again) == len(finished[1]) - 2
    same = ("dataset", "method", "rows", "parameters", "acc_mean", "acc_sd", "nmi_mean", "seeds", "missing")
    assert [[r[c] for c in same] for r in table(tmp_path)] == [[r[c] for c in same] for r in table(finished[0].parent)]


def test_a_failure_is_recorded_with_its_message(files, tmp_path):
    page = benchmark(tmp_path, data=files[:1], methods=["km", "sc"], n_seeds=1, limit=0.001)
    assert {row["failed"] for row in table(tmp_path)} == {"over the time limit of 0.001 s"}
    assert "What failed" in page.read_text()
    with Store.opened(tmp_path) as store:
        assert all(result["scores"] is None for result in store.results.values())


def test_a_method_of_the_users_own_joins(files, tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(
        "import numpy as np, viewfuse as vf\n"
        "class Halves(vf.MultiViewClusterer):\n"
        "    'Split the samples in the order of the first feature.'\n"
        "    def __init__(self, n_clusters=8, *, views=None, random_state=None):\n"
        "        self.n_clusters, self.views, self.random_state = n_clusters, views, random_state\n"
        "    def cluster_views(self, views, random_state):\n"
        "        return np.argsort(np.argsort(views[0][:, 0])) * self.n_clusters // len(views[0])\n"
    )
    monkeypatch.chdir(tmp_path)
    try:
        benchmark(tmp_path / "out", data=files[:1], methods=["km", "mine:Halves"], n_seeds=1)
    finally:
        METHODS.pop("mine:Halves", None)
    rows = {row["method"]: row for row in table(tmp_path / "out")}
    assert rows["mine:Halves"]["failed"] == ""
    assert float(rows["mine:Halves"]["acc_mean"]) > 0


def made(dataset, method, *acc, failures=()):
    return MethodResult(
        dataset, method, "shuffled", "defaults", {}, (0,), {"acc": acc} if acc else {}, [1.0], None, failures, 0, {}
    )


def test_ranks_and_their_test():
    rng = np.random.default_rng(0)
    scores = rng.uniform(50, 90, size=(6, 4)) + np.array([0, 5, 10, 15])
    found = [made(f"d{i}", f"m{j}", scores[i, j]) for i in range(6) for j in range(4)]
    ranks = ranking(found)
    expected = np.mean([scipy.stats.rankdata(-row) for row in scores], axis=0)
    assert dict(zip(ranks.methods, ranks.ranks, strict=True)) == {f"m{j}": expected[j] for j in range(4)}
    assert list(ranks.ranks) == sorted(ranks.ranks)
    assert ranks.p_value == pytest.approx(scipy.stats.friedmanchisquare(*scores.T).pvalue)
    assert ranks.critical_difference == pytest.approx(2.569 * np.sqrt(4 * 5 / (6 * 6)), rel=1e-3)  # Demšar, table 5


def test_a_failure_has_the_last_rank():
    found = [made("d", "a", 20.0), made("d", "b", failures=("x",)), made("d", "c", 90.0, failures=("one seed",))]
    ranks = ranking(found)
    assert dict(zip(ranks.methods, ranks.ranks, strict=True)) == {"a": 1.0, "b": 2.5, "c": 2.5}
    assert ranks.p_value is None


def test_latex_marks_the_best_and_escapes_names():
    text = as_latex([made("a_b", "km", 50.0), made("a_b", "sc", 60.0), made("a_b", "gf", failures=("x",))])
    assert r"a\_b" in text
    assert r"sc & $\mathbf{60.0 \pm 0.0}$ \\" in text
    assert r"gf & failed \\" in text


def test_times_and_sizes():
    assert (as_seconds("120s"), as_seconds("2min"), as_bytes("4GB")) == (120, 120, 4 * 10**9)
    for wrong in ("soon", "-1s", "3 weeks"):
        with pytest.raises(ParameterError, match="is not a time"):
            as_seconds(wrong)
    with pytest.raises(ParameterError, match="is not a size"):
        as_bytes("much")


def test_what_is_refused(files, tmp_path):
    with pytest.raises(ParameterError, match="No such method"):
        benchmark(tmp_path, data=files, methods=["nonsense"])
    with pytest.raises(ParameterError, match="n_seeds must be at least 1"):
        benchmark(tmp_path, data=files, n_seeds=0)
    with pytest.raises(ParameterError, match=r"nowhere:Class cannot be loaded"):
        known_methods(["nowhere:Class"])
    with pytest.raises(ParameterError, match="not a subclass"):
        known_methods(["json:JSONDecoder"])


def test_data_sets_that_are_not_on_disk_are_named(tmp_path, monkeypatch):
    monkeypatch.setenv("VIEWFUSE_DATA", str(tmp_path))
    assert [source.name for source in sources_for(None)] == ["digits"]
    with pytest.raises(ViewsError, match="not in the data folder: MSRC-v5"):
        benchmark(tmp_path / "out", data=["MSRC-v5"], methods=["km"])


def test_the_embedded_digits_have_a_checksum():
    (source,) = sources_for(["digits"])
    assert source.checksum() == EmbeddedDigits("digits").checksum()
    assert len(source.load()) == 1797


def test_results_are_json(finished):
    lines = (finished[0].parent / "cells.jsonl").read_text().splitlines()
    assert all(json.loads(line) for line in lines)
