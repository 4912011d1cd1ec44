"""``viewfuse predict``: saved models and new samples."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

import viewfuse as vf
from viewfuse.exceptions import ModelFormatError, ViewsFormatError


@pytest.fixture
def data(tmp_path):
    views = vf.datasets.make_views(n_samples=150, n_clusters=3, random_state=0)
    for part, rows in (("old", slice(0, 100)), ("new", slice(100, 150))):
        (tmp_path / part).mkdir()
        for name, array in zip(views.names, views.arrays, strict=True):
            frame = pd.DataFrame(array[rows], columns=[f"{name}{c}" for c in range(array.shape[1])])
            frame.insert(0, "id", [f"s{i}" for i in range(*rows.indices(150))])
            frame.to_csv(tmp_path / part / f"{name}.csv", index=False)
    return tmp_path, views


def test_new_samples(data, command):
    folder, views = data
    ended = command("cluster", folder / "old", "-k", 3, "--save", folder / "fit.model")
    assert ended.code == 0, ended.err
    assert "model written to" in ended.out
    ended = command("predict", folder / "fit.model", folder / "new", "-o", folder / "labels.csv")
    assert ended.code == 0, ended.err
    written = pd.read_csv(folder / "labels.csv")
    assert written["id"].tolist() == [f"s{i}" for i in range(100, 150)]
    assert list(written.columns) == ["id", "label", "membership", "outlier_score"]
    assert vf.metrics.accuracy(views.y[100:], written["label"]) > 0.9
    model = vf.load(folder / "fit.model")
    assert (model.predict(vf.load_views(folder / "new")) == written["label"].to_numpy()).all()


def test_one_table_per_view_in_any_order_and_json(data, command):
    folder, _ = data
    command("cluster", folder / "old", "-k", 3, "-m", "gfsc", "--save", folder / "fit.model")
    files = sorted((folder / "new").iterdir(), reverse=True)
    one = json.loads(command("predict", folder / "fit.model", folder / "new", "--json").out)
    several = json.loads(command("predict", folder / "fit.model", *files, "--json").out)
    assert one == several
    assert sum(one["sizes"].values()) == 50


def test_other_columns_are_named(data, command):
    folder, views = data
    command("cluster", folder / "old", "-k", 3, "--save", folder / "fit.model")
    name = views.names[0]
    path = folder / "new" / f"{name}.csv"
    path.write_text(path.read_text().replace(f"{name}0,", "renamed,", 1))
    ended = command("predict", folder / "fit.model", folder / "new")
    assert ended.code == 2
    assert f"column '{name}0' is missing and column 'renamed' was not in the fit" in ended.err


def test_methods_without_predict(data, command):
    folder, _ = data
    command("cluster", folder / "old", "-k", 3, "-m", "km", "--save", folder / "fit.model")
    ended = command("predict", folder / "fit.model", folder / "new")
    assert ended.code == 2
    assert "holds a KM, which cannot assign new samples" in ended.err
    assert "viewfuse cluster -m KEY --save FILE.model" in ended.err


def test_results_and_models_are_told_apart(data, command):
    folder, _ = data
    command("cluster", folder / "old", "-k", 3, "--save", folder / "fit.npz")
    command("cluster", folder / "old", "-k", 3, "--save", folder / "fit.model")
    with pytest.raises(ModelFormatError, match=r"fit\.npz: it holds the results of a fit.*io\.load_results.*model\.save"):
        vf.load(folder / "fit.npz")
    with pytest.raises(ViewsFormatError, match=r"fit\.model: it holds a model.*viewfuse\.load"):
        vf.io.load_results(folder / "fit.model")


def test_kinds_and_weights(tmp_path, command):
    rng = np.random.RandomState(0)
    y = rng.randint(3, size=60)
    graph = (rng.random_sample((60, 60)) < np.where(y[:, None] == y[None], 0.3, 0.02)).astype(float)
    savemat(
        tmp_path / "a.mat", {"X": 4 * np.eye(3)[y] + rng.normal(size=(60, 3)), "cites": np.maximum(graph, graph.T), "y": y}
    )
    found = json.loads(command("info", tmp_path / "a.mat", "--json").out)
    assert [view["kind"] for view in found["views"]] == ["features", "graph"]
    assert "say otherwise with --kind cites=features" in command("info", tmp_path / "a.mat").out
    found = json.loads(command("info", tmp_path / "a.mat", "--json", "--kind", "cites=features").out)
    assert [view["kind"] for view in found["views"]] == ["features", "features"]
    ended = command("cluster", tmp_path / "a.mat", "-k", 3, "--weight", "cites=0", "--json")
    assert ended.code == 0, ended.err
    views = json.loads(ended.out)["views"]
    assert [(view["own_weight"], view["weight"]) for view in views] == [(1.0, 1.0), (0.0, 0.0)]
    assert "your factor" in command("cluster", tmp_path / "a.mat", "-k", 3, "--weight", "cites=2").out
    for rule, message in (("cites", "not of the form NAME=VALUE"), ("cites=much", "is not a number"), ("c=2", "names 'c'")):
        ended = command("cluster", tmp_path / "a.mat", "-k", 3, "--weight", rule)
        assert ended.code == 2
        assert message in ended.err
    ended = command("cluster", tmp_path / "a.mat", "-k", 3, "-m", "km", "--weight", "cites=2")
    assert "km takes no weights of views" in ended.err
