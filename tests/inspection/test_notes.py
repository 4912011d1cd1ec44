"""What was warned of is in the fitted estimator and in every output that is made from it."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest

import viewfuse as vf
from viewfuse.exceptions import ViewfuseWarning

UNUSED, CODE = "columns are not used", "-999 occurs several times"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Two tables with a constant column, which reading warns of, and codes, which fitting warns of."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    folder = tmp_path_factory.mktemp("tables")
    for name in ("one", "two"):
        values = 9 * rng.normal(size=(3, 3))[y] + rng.normal(size=(90, 3))
        table = pd.DataFrame(values, columns=["x", "u", "v"]).assign(same="a", id=[f"s{i}" for i in range(90)])
        table.loc[::9, "x"] = -999.0
        table.to_csv(folder / f"{name}.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def fitted(files):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ViewfuseWarning)
        views = vf.load_views(files)
        return vf.AutoFusion(3, random_state=0).fit(views), views


def both(notes):
    return sum(UNUSED in note for note in notes) == 1 and sum(CODE in note for note in notes) == 2


def test_the_views_know_what_reading_warned_of(fitted):
    _, views = fitted
    assert any(UNUSED in note for note in views.notes)
    assert views[:10].notes == views.notes
    assert views.select_views([1]).notes == views.notes
    assert vf.Views(views).notes == views.notes


def test_the_model_has_each_note_once_although_the_user_saw_none(fitted):
    assert both(fitted[0].notes_)


def test_saved_and_loaded_models_keep_them(fitted, tmp_path):
    assert vf.load(fitted[0].save(tmp_path / "fit.model")).notes_ == fitted[0].notes_


def test_the_record_and_the_file_of_results_have_them(fitted, tmp_path):
    model, views = fitted
    assert both(vf.summarise(model, views).notes)
    assert both(vf.io.load_results(vf.io.save_results(tmp_path / "fit.npz", model, views)).notes)


def test_the_report_shows_them(fitted, tmp_path):
    pytest.importorskip("jinja2")
    text = vf.report.write_report(tmp_path / "fit.html", *fitted).read_text()
    assert UNUSED in text
    assert CODE in text


def test_annotated_data_has_them(fitted):
    anndata = pytest.importorskip("anndata")
    model, views = fitted
    data = anndata.AnnData(np.hstack(views.arrays).astype(float))
    data.obs_names = [str(i) for i in views.ids]
    vf.annotate(data, model, views)
    assert both(data.uns["viewfuse"]["notes"].tolist())


@pytest.mark.filterwarnings("default::viewfuse.exceptions.ViewfuseWarning")
def test_the_command_line_prints_them_in_json(files, capsys, monkeypatch):
    pytest.importorskip("typer")
    from viewfuse.cli._app import run

    monkeypatch.setattr("sys.argv", ["viewfuse", "cluster", str(files), "-k", "3", "--json"])
    with pytest.raises(SystemExit) as end:
        run()
    assert end.value.code in (0, None)
    assert both(json.loads(capsys.readouterr().out)["notes"])


def test_notes_of_an_earlier_fit_are_gone(fitted):
    model, _ = fitted
    clean = vf.datasets.make_views(n_samples=60, n_clusters=3, random_state=0)
    assert vf.AutoFusion(3, random_state=0).fit(clean).notes_ == ()
    again = vf.AutoFusion(3, random_state=0)
    again.notes_ = model.notes_
    assert again.fit(clean).notes_ == ()


def test_a_fit_inside_another_fit_adds_nothing():
    views = vf.datasets.make_views(n_samples=60, n_clusters=3, random_state=0)
    model = vf.GFSC(3, random_state=0).fit(views)
    before = model.notes_
    assert model.view_report_ is not None
    assert model.notes_ == before


def test_a_fit_on_some_of_the_samples_is_noted(monkeypatch):
    monkeypatch.setattr(vf.AutoFusion, "_most_clustered", 80)
    views = vf.datasets.make_views(n_samples=120, n_clusters=3, random_state=0)
    assert any("Of 120 samples 80, drawn at random" in note for note in vf.AutoFusion(3, random_state=0).fit(views).notes_)


@pytest.mark.parametrize("key", vf.METHODS)
def test_the_record_names_the_method_that_was_asked_for_and_says_if_it_was_cut_short(key, tmp_path):
    views = vf.datasets.make_views(n_samples=60, n_clusters=3, noise=4.0, random_state=0)
    method = vf.METHODS[key]
    options = {"max_iter": 1} if "max_iter" in method().get_params() else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ViewfuseWarning)
        model = method(3, random_state=0, **options).fit(views)
        record = vf.summarise(model, views)
        kept = vf.io.load_results(vf.io.save_results(tmp_path / "fit.npz", model, views))
    for found in (record, kept):
        assert found.method == method.__name__
        assert found.converged == model.converged_
        if not model.converged_ and key not in ("cgd", "co-train"):  # which have a fixed number of iterations
            assert [note for note in found.notes if "Increase max_iter" in note]
