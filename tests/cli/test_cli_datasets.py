"""``viewfuse datasets``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from viewfuse import datasets

pytest.importorskip("pooch")
pytest.importorskip("h5py")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIEWFUSE_DATA", str(tmp_path))


def test_list_names_every_data_set(command: Callable, tmp_path: Path) -> None:
    ended = command("datasets", "list")
    assert ended.code == 0
    assert all(name in ended.out for name in datasets.names())
    assert "✓" not in ended.out
    assert str(tmp_path) in ended.out


def test_list_marks_downloaded_files(command: Callable, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIEWFUSE_DATA", str(shared / "datasets"))
    here = sum((shared / "datasets" / datasets.describe(name).file).exists() for name in datasets.names())
    assert here > 0
    assert command("datasets", "list").out.count("✓") == here


def test_info_prints_the_catalogue_entry(command: Callable, tmp_path: Path) -> None:
    ended = command("datasets", "info", "caltech101-20")
    assert ended.code == 0
    for fact in (
        "Caltech101-20",
        "2,386",
        "GABOR (48)",
        "63b593468e24",
        "36.5 MB",
        str(tmp_path / "Caltech101-20.mat"),
    ):
        assert fact in ended.out


def test_fetch_uses_a_downloaded_file(command: Callable, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIEWFUSE_DATA", str(shared / "datasets"))
    ended = command("datasets", "fetch", "msrc-v5")
    assert ended.code == 0
    assert "HOG" in ended.out
    assert ended.out.rstrip().endswith("MSRC-v5.mat")


def test_json_of_fetch(command: Callable, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIEWFUSE_DATA", str(shared / "datasets"))
    found = json.loads(command("datasets", "fetch", "msrc-v5", "--json").out)
    assert found["samples"] == 210
    assert found["file"].endswith("MSRC-v5.mat")
    assert "HOG" in [view["name"] for view in found["views"]]


def test_failed_download_prints_file_checksum_and_folder(command: Callable, tmp_path: Path) -> None:
    ended = command("datasets", "fetch", "Caltech101-20", "--url", "http://127.0.0.1:9/Caltech101-20.mat")
    assert ended.code == 2
    assert ended.err.count("\n") == 1
    for fact in (
        "Caltech101-20.mat",
        "63b593468e24c7c81b38586c28b82a56aaeb04f15de62555161d1230a2c72b17",
        str(tmp_path),
    ):
        assert fact in ended.err


def test_unknown_name_gets_a_suggestion(command: Callable) -> None:
    ended = command("datasets", "info", "MSRC")
    assert ended.code == 2
    assert "MSRC-v5" in ended.err
