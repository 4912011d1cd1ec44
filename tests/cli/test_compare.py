"""``viewfuse methods`` and ``viewfuse compare``, with a stand-in for the file."""

import sys
import types

import numpy as np
import pytest
from typer.testing import CliRunner

import viewfuse as vf
from viewfuse.cli._app import app


@pytest.fixture
def views(monkeypatch):
    rng = np.random.default_rng(0)
    y = np.arange(30) % 3
    data = vf.Views([3 * rng.normal(size=(3, 4))[y] + 0.2 * rng.normal(size=(30, 4)) for _ in range(2)], y=y)
    holder = {"views": data}
    reader = types.ModuleType("viewfuse.io")
    reader.load_views = lambda path: holder["views"]
    monkeypatch.setitem(sys.modules, "viewfuse.io", reader)
    return holder


def test_methods_lists_every_key():
    shown = CliRunner().invoke(app, ["methods"], env={"COLUMNS": "200"}).output
    assert all(key in shown for key in vf.METHODS)


def test_compare_scores_against_labels(views):
    result = CliRunner().invoke(app, ["compare", "file", "-k", "3", "-m", "km,sc-ave"], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    assert all(name in result.output for name in ("Acc", "NMI", "ARI", "purity", "seconds", "1.000"))


def test_compare_without_labels_shows_agreement(views):
    views["views"] = vf.Views(list(views["views"].arrays))
    result = CliRunner().invoke(app, ["compare", "file", "-k", "3", "-m", "km,rmkmc"], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    assert "agreement" in result.output
    assert "silhouette" in result.output
    assert "Acc" not in result.output


def test_compare_names_the_methods_there_are(views):
    result = CliRunner().invoke(app, ["compare", "file", "-k", "3", "-m", "nonsense"])
    assert isinstance(result.exception, vf.exceptions.ParameterError)
    assert "co-reg" in str(result.exception)
