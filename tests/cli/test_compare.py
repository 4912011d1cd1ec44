"""``viewfuse methods`` and ``viewfuse compare``."""

import csv
import json
import re

import numpy as np
import pytest
import scipy.io

import viewfuse as vf
from viewfuse.graphs import SCALINGS
from viewfuse.metrics import ari, evaluate

LABELS = np.arange(30) % 3


def small_views():
    rng = np.random.default_rng(0)
    return [3 * rng.normal(size=(3, d))[LABELS] + 0.2 * rng.normal(size=(30, d)) for d in (4, 6)]


@pytest.fixture
def written(tmp_path):
    """``written(y=…)`` → the path of a .mat file with two views of 30 samples in 3 clusters."""

    def write(**extra):
        cells = np.empty((1, 2), dtype=object)
        cells[0, :] = small_views()
        path = tmp_path / "views.mat"
        scipy.io.savemat(path, {"X": cells, **extra})
        return path

    return write


def rows(shown):
    """The table's rows: first cell → the other cells."""
    cells = [re.findall(r"[^│┃\s]+", line) for line in shown.splitlines()]
    return {row[0]: row[1:] for row in cells if row and (row[0] in vf.METHODS or row[0] == "method")}


def test_methods_lists_every_key(command):
    shown = command("methods").out
    assert all(key in shown for key in vf.METHODS)


def test_km_says_what_it_scales(command):
    points = np.array([[1.0], [4.0], [9.0]])[LABELS] * [1, 2] + 0.1 * np.random.default_rng(0).normal(size=(30, 2))
    assert "scaled to unit length" in json.loads(command("methods", "--json").out)[list(vf.METHODS).index("km")]["summary"]
    found = {scaling: vf.METHODS["km"](3, scaling=scaling, random_state=0).fit(points).labels_ for scaling in SCALINGS}
    assert ari(LABELS, found["unit-spread"]) == 1
    assert ari(LABELS, found["unit-samples"]) < 0.8


def test_compare_runs_every_method_in_one_table(command, written):
    ended = command("compare", written(Y=LABELS[:, None] + 1), "-k", 3)
    assert ended.code == 0
    table = rows(ended.out)
    assert table.pop("method") == ["Acc", "NMI", "ARI", "purity", "seconds"]
    assert list(table) == list(vf.METHODS)
    assert "failed" not in ended.out
    views = vf.Views(small_views())
    for key in ("km", "co-reg", "rmkmc"):  # the same scores as the estimators
        scores = evaluate(LABELS, vf.METHODS[key](n_clusters=3, random_state=0).fit(views).labels_)
        expected = [f"{scores[name]:.3f}" for name in ("acc", "nmi", "ari", "purity")]
        assert table[key][:4] == expected


def test_compare_without_labels_shows_agreement_and_silhouette(command, written):
    ended = command("compare", written(), "-k", 3, "-m", "km,rmkmc")
    assert ended.code == 0
    table = rows(ended.out)
    assert table["method"] == ["agreement", "silhouette", "seconds"]
    found = [vf.METHODS[key](n_clusters=3, random_state=0).fit(small_views()).labels_ for key in ("km", "rmkmc")]
    assert table["km"][0] == table["rmkmc"][0] == f"{ari(*found):.3f}"
    assert all(-1 <= float(table[key][1]) <= 1 for key in ("km", "rmkmc"))


def test_compare_with_an_unknown_method_lists_the_methods(command, written):
    ended = command("compare", written(), "-k", 3, "-m", "nonsense")
    assert ended.code != 0
    assert "co-reg" in ended.err


def test_compare_prints_the_error_if_every_method_fails(command, written):
    ended = command("compare", written(), "-k", 31, "-m", "km,sc")
    assert ended.code != 0
    assert "30 samples" in ended.err


def test_compare_writes_json_and_a_csv_file(command, written, tmp_path):
    ended = command(
        "compare", written(Y=LABELS[:, None] + 1), "-k", 3, "-m", "km,gf", "--json", "-o", tmp_path / "scores.csv"
    )
    assert ended.code == 0
    found = json.loads(ended.out)
    assert [row["method"] for row in found["methods"]] == ["km", "gf"]
    with open(tmp_path / "scores.csv") as file:
        table = list(csv.DictReader(file))
    assert float(table[0]["Acc"]) == found["methods"][0]["Acc"]


def test_compare_with_several_seeds_shows_deviations_and_writes_latex(command, written, tmp_path):
    path = tmp_path / "scores.tex"
    ended = command("compare", written(Y=LABELS[:, None] + 1), "-k", 3, "-m", "km,swmc", "--seeds", 3, "-o", path)
    assert ended.code == 0, ended.err
    assert ended.out.count("±") == 8
    text = path.read_text()
    assert text.startswith(r"\begin{tabular}{lrrrrr}")
    assert text.count(r"\(\pm\)") == 8
    found = json.loads(command("compare", written(Y=LABELS[:, None] + 1), "-k", 3, "-m", "swmc", "--seeds", 3, "--json").out)
    fits = [vf.METHODS["swmc"](3, random_state=seed).fit(small_views()).labels_ for seed in range(3)]
    scores = [evaluate(LABELS, labels)["nmi"] for labels in fits]
    assert found["methods"][0]["NMI"] == pytest.approx(np.mean(scores))
    assert found["methods"][0]["NMI sd"] == pytest.approx(np.std(scores, ddof=1))


def test_compare_refuses_a_table_of_another_type_before_it_starts(command, written, tmp_path):
    ended = command("compare", written(), "-k", 3, "-m", "km", "-o", tmp_path / "scores.xlsx")
    assert ended.code != 0
    assert "only .csv and .tex are possible" in " ".join(ended.err.split())


def test_compare_passes_the_device_to_methods_that_have_one(command, written, monkeypatch):
    seen = []

    class Watched(vf.METHODS["gf"]):
        def fit(self, X, y=None):
            seen.append(self.device)
            self.device = None
            return super().fit(X)

    monkeypatch.setitem(vf.METHODS, "gf", Watched)
    ended = command("compare", written(), "-k", 3, "-m", "km,gf", "--device", "cpu")
    assert ended.code == 0, ended.err
    assert seen == ["cpu"]


def test_compare_without_labels_says_what_the_columns_mean_and_which_method_to_take(command, written):
    ended = command("compare", written(), "-k", 3, "-m", "km,rmkmc,sc")
    said = " ".join(ended.err.split())
    assert "no column says which clusters are true" in said
    assert re.search(r"I would take (km|rmkmc|sc): it is number \d by agreement and number \d by silhouette of 3", said)
    assert "I would take" not in command("compare", written(Y=LABELS[:, None] + 1), "-k", 3, "-m", "km,sc").err


def test_compare_prints_each_warning_once_with_its_methods(command, tmp_path):
    rng = np.random.default_rng(0)
    points = np.array([[0, 9], [9, 0], [0, 0]])[LABELS] + rng.normal(size=(30, 2))
    np.savez(tmp_path / "few.npz", points=points, y=LABELS)
    ended = command("compare", tmp_path / "few.npz", "-k", 3, "-m", "km,gmc,swmc,gfsc", "--seeds", 2)
    assert ended.code == 0, ended.err
    lines = ended.err.splitlines()
    assert sum("gmc, swmc: View 'points' has only two features." in line for line in lines) == 1
    assert sum("gfsc: View 'points' has only one or two features." in line for line in lines) == 1
    assert "gfsc: View 'points'" in command("compare", tmp_path / "few.npz", "-k", 3, "-m", "gfsc", "--json").err


def test_compare_without_k_finds_the_number_of_clusters(command, tmp_path):
    views = vf.datasets.make_views(n_samples=120, n_clusters=4, random_state=0)
    np.savez(tmp_path / "made.npz", **dict(zip(views.names, views.arrays, strict=True)))
    ended = command("compare", tmp_path / "made.npz", "-m", "km", "--json")
    assert ended.code == 0, ended.err
    assert json.loads(ended.out)["clusters"] == 4
    assert "picked: 4 clusters" in ended.err


def test_ctrl_c_keeps_the_methods_that_have_finished(command, written, tmp_path, monkeypatch):
    class Interrupted(vf.METHODS["km"]):
        def fit(self, X, y=None):
            raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(vf.METHODS, "gf", Interrupted)
    ended = command("compare", written(), "-k", 3, "-m", "km,rmkmc,gf,sc")
    assert ended.code == 130
    assert list(rows(ended.out)) == ["method", "km", "rmkmc"]
    assert "after 2 of 4 methods; their table is saved in viewfuse-partial.csv" in ended.err
    assert (tmp_path / "viewfuse-partial.csv").read_text().startswith("method,agreement,silhouette,seconds,error")
    ended = command("compare", written(), "-k", 3, "-m", "gf,km")
    assert ended.code == 130
    assert "before any method had finished" in ended.err
