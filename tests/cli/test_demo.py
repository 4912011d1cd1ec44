"""``viewfuse demo``."""

import csv
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import viewfuse.datasets
from viewfuse.cli._app import app
from viewfuse.datasets import load_digits_views
from viewfuse.exceptions import MissingExtraError

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


def test_demo_prints_tables_and_writes_files(tmp_path, monkeypatch):
    small = load_digits_views()[:200]
    monkeypatch.setattr(viewfuse.datasets, "load_digits_views", lambda: small)
    result = CliRunner().invoke(app, ["demo", "--output", str(tmp_path / "out")], env={"COLUMNS": "120"})
    assert result.exit_code == 0, result.output
    for text in ("k-means on all columns", "best single view", "weight", "moments"):
        assert text in result.output
    with open(tmp_path / "out" / "labels.csv") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["row", "label", "confidence"]
    assert len(rows) == 201
    picture = matplotlib.image.imread(tmp_path / "out" / "digits.png")
    assert np.unique(picture.reshape(-1, picture.shape[-1]), axis=0).shape[0] > 50  # not an empty frame


def test_json_of_demo(tmp_path, monkeypatch):
    small = load_digits_views()[:200]
    monkeypatch.setattr(viewfuse.datasets, "load_digits_views", lambda: small)
    result = CliRunner().invoke(app, ["demo", "--output", str(tmp_path / "out"), "--json"])
    found = json.loads(result.stdout)
    assert found["samples"] == 200
    assert found["best_view"] in [view["name"] for view in found["views"]]
    assert sum(view["weight"] for view in found["views"]) == pytest.approx(1)
    assert found["fused"]["acc"] > found["k_means"]["acc"]
    assert all(Path(path).is_file() for path in found["written"].values())


def test_missing_matplotlib_is_reported_before_the_fit(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr(viewfuse.datasets, "load_digits_views", lambda: pytest.fail("the fit was started"))
    with pytest.raises(MissingExtraError, match=r"viewfuse\[plot\]"):
        CliRunner().invoke(app, ["demo"], catch_exceptions=False)
