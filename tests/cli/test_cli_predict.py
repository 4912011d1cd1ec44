"""``viewfuse predict``: saved models and new samples."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

import viewfuse as vf
from viewfuse.exceptions import ModelFormatError, ViewsError, ViewsFormatError


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
    ended = command("report", folder / "fit.model", "-o", folder / "report.html")
    assert ended.code == 2
    assert "it holds a model, not the results of a fit. viewfuse cluster --save FILE.npz writes such a file." in ended.err


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


@pytest.fixture(scope="module")
def papers(tmp_path_factory):
    """Tables and edge lists of papers that are fitted, and of new ones."""
    rng = np.random.RandomState(0)
    y = rng.randint(3, size=150)
    names = np.array([f"paper{i}" for i in rng.permutation(150)])
    words = pd.DataFrame(2 * np.eye(3)[y] + rng.normal(size=(150, 3)), columns=list("abc"))
    words.insert(0, "id", names)
    i, j = np.nonzero(np.triu(rng.random_sample((150, 150)) < np.where(y[:, None] == y[None], 0.25, 0.01), 1))
    flipped = rng.random_sample(len(i)) < 0.5
    edges = pd.DataFrame({"source": names[np.where(flipped, i, j)], "target": names[np.where(flipped, j, i)]})
    folder = tmp_path_factory.mktemp("papers")
    inside = (i < 100).astype(int) + (j < 100)
    for part, rows, some in (("fit", slice(100), inside == 2), ("new", slice(100, None), inside == 1)):
        (folder / part).mkdir()
        words[rows].to_csv(folder / part / "words.csv", index=False)
        edges[some].to_csv(folder / part / "cites.csv", index=False)
    return folder, y, edges[inside == 0]


@pytest.mark.parametrize("method", ["auto", "gfsc"])
def test_edge_lists_of_new_samples(papers, command, tmp_path, method):
    folder, y, _ = papers
    model = tmp_path / "fit.model"
    assert command("cluster", folder / "fit", "-k", 3, "-m", method, "--save", model).code == 0
    ended = command("predict", model, folder / "new", "-o", tmp_path / "new.csv")
    assert ended.code == 0, ended.err
    labels = pd.read_csv(tmp_path / "new.csv")["label"]
    assert vf.metrics.accuracy(y[100:], labels) > 0.95
    fitted = vf.load(model)
    assert fitted.relation_ids_.tolist() == pd.read_csv(folder / "fit" / "words.csv")["id"].tolist()
    without = vf.Views({"words": pd.read_csv(folder / "new" / "words.csv")[list("abc")], "cites": np.zeros((50, 100))})
    assert vf.metrics.accuracy(y[100:], fitted.predict(without)) < vf.metrics.accuracy(y[100:], labels)


def test_edge_lists_of_the_fit_give_its_labels(papers, command, tmp_path):
    folder, *_ = papers
    model = tmp_path / "fit.model"
    assert command("cluster", folder / "fit", "-k", 3, "--save", model).code == 0
    assert command("predict", model, folder / "fit", "-o", tmp_path / "again.csv").code == 0
    np.testing.assert_array_equal(pd.read_csv(tmp_path / "again.csv")["label"], vf.load(model).labels_)


def test_edges_that_cannot_be_used_are_told(papers, command, tmp_path):
    folder, _, between_new = papers
    model, cites = tmp_path / "fit.model", tmp_path / "cites.csv"
    assert command("cluster", folder / "fit", "-k", 3, "--save", model).code == 0
    between_new.to_csv(cites, index=False)
    assert "between two new samples cannot be used" in command("predict", model, folder / "new" / "words.csv", cites).err
    cites.write_text("source,target\npaper0,nobody\n")
    ended = command("predict", model, folder / "new" / "words.csv", cites)
    assert ended.code != 0
    assert "neither new samples nor samples of the fit: 'nobody'" in ended.err


def test_columns_of_relations_of_new_samples_are_matched_by_id():
    rng = np.random.RandomState(0)
    y = rng.randint(3, size=90)
    points = 3 * np.eye(3)[y] + rng.normal(size=(90, 3))
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    ids = [f"s{i}" for i in range(90)]
    frame = pd.DataFrame(apart, index=ids, columns=ids)
    fit = {"x": pd.DataFrame(points[:60], index=ids[:60]), "apart": frame.iloc[:60, :60]}
    model = vf.AutoFusion(3, random_state=0).fit(vf.Views(fit, kinds={"apart": "distance"}))
    new = {"x": pd.DataFrame(points[60:], index=ids[60:]), "apart": frame.iloc[60:, :60]}
    expected = model.predict(new)
    assert vf.metrics.accuracy(y[60:], expected) > 0.9
    arrays = vf.Views({"x": points[60:], "apart": apart[60:, :60]})
    np.testing.assert_array_equal(model.predict(arrays), expected)
    np.testing.assert_allclose(model.transform(arrays), model.transform(new), atol=1e-6)
    turned = {**new, "apart": frame.iloc[60:, :60][ids[:60][::-1]]}
    np.testing.assert_array_equal(model.predict(turned), expected)
    with pytest.raises(ViewsError, match=r"'apart' is a distance, but has no column for 1 sample of the fit: 's3'"):
        model.predict({**new, "apart": frame.iloc[60:, :60].drop(columns="s3")})


@pytest.fixture
def two_files(data):
    """The folder, and the new files of two views of which the first is called profile and the second usage."""
    folder, views = data
    for part in ("old", "new"):
        for old, name in zip(views.names, ("profile", "usage", "rest"), strict=False):
            (folder / part / f"{old}.csv").rename(folder / part / f"{name}.csv")
        for other in set((folder / part).iterdir()) - {folder / part / "profile.csv", folder / part / "usage.csv"}:
            other.unlink()
    return folder, views.y


@pytest.mark.parametrize("method", ["auto", "gfsc", "anchor-gfsc"])
def test_samples_that_are_known_from_one_view_only(two_files, command, method):
    folder, y = two_files
    model, one = folder / "fit.model", folder / "new" / "profile.csv"
    assert command("cluster", folder / "old", "-k", 3, "-m", method, "--save", model).code == 0
    refused = command("predict", model, one)
    assert refused.code == 2
    assert "the new samples have no 'usage'. Use --missing keep" in refused.err
    ended = command("predict", model, one, "--missing", "keep", "-o", folder / "one.csv")
    assert ended.code == 0, ended.err
    assert vf.metrics.accuracy(y[100:], pd.read_csv(folder / "one.csv")["label"]) > 0.9
    usage = pd.read_csv(folder / "new" / "usage.csv")
    usage.iloc[:, 1:] = np.nan
    usage.to_csv(folder / "new" / "usage.csv", index=False)
    command("predict", model, folder / "new", "-o", folder / "empty.csv")
    assert (folder / "empty.csv").read_text() == (folder / "one.csv").read_text()


def test_new_files_with_other_names(two_files, command):
    folder, _ = two_files
    command("cluster", folder / "old", "-k", 3, "--save", folder / "fit.model")
    files = [path.rename(path.with_name(f"new_{path.name}")) for path in sorted((folder / "new").iterdir())]
    ended = command("predict", folder / "fit.model", *files)
    assert ended.code == 2
    assert "on the views 'profile', 'usage', but the new samples have 'new_profile', 'new_usage'." in ended.err
    assert "A view has the name of its file: rename the files" in ended.err


def test_the_file_of_the_only_view_may_have_any_name(two_files, command):
    folder, _ = two_files
    command("cluster", folder / "old" / "usage.csv", "-k", 3, "--save", folder / "fit.model")
    same = command("predict", folder / "fit.model", folder / "new" / "usage.csv", "--json").out
    renamed = (folder / "new" / "usage.csv").rename(folder / "june.csv")
    assert command("predict", folder / "fit.model", renamed, "--json").out == same


@pytest.mark.parametrize("name", ["label", "diagnosis"])
def test_true_labels_are_left_out_as_in_the_fit(two_files, command, name):
    folder, y = two_files
    for part, rows in (("old", slice(100)), ("new", slice(100, 150))):
        path = folder / part / "usage.csv"
        pd.read_csv(path).assign(**{name: y[rows]}).to_csv(path, index=False)
    asked = [] if name == "label" else ["--labels", name]
    assert command("cluster", folder / "old", "-k", 3, *asked, "--save", folder / "fit.model").code == 0
    ended = command("predict", folder / "fit.model", folder / "new", *asked)
    assert ended.code == 0, ended.err
    command("cluster", folder / "old", "-k", 3, "--no-labels", "--save", folder / "fit.model")  # then it is a feature
    ended = command("predict", folder / "fit.model", folder / "new")
    assert ended.code == 0, ended.err
