"""The catalogue in the package."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from viewfuse import ViewsError, datasets
from viewfuse.datasets import catalogue


def test_the_catalogue_is_the_same_as_the_shared_one(shared: Path) -> None:
    entries = json.loads((shared / "datasets" / "catalogue.json").read_text())
    assert datasets.names() == [entry["name"] for entry in entries]
    for entry in entries:
        found = datasets.describe(entry["name"])
        assert (found.file, found.url, found.sha256, found.n_bytes) == (
            entry["file"],
            entry["url"],
            entry["sha256"],
            entry["bytes"],
        )
        assert (found.n_samples, found.n_views, found.n_clusters) == (
            entry["n_samples"],
            entry["n_views"],
            entry["n_clusters"],
        )


def test_every_entry_is_complete() -> None:
    assert len(datasets.names()) == 35
    for name in datasets.names():
        entry = datasets.describe(name)
        assert entry.url.startswith("https://")
        assert len(bytes.fromhex(entry.sha256)) == 32
        assert len(entry.view_features) == entry.n_views > 1
        assert Path(entry.file).name == entry.file


def test_names_are_found_in_any_case_and_suggested() -> None:
    assert datasets.describe("caltech101-20").name == "Caltech101-20"
    with pytest.raises(ViewsError, match="no data set 'Caltech20' in the catalogue; similar names: Caltech101-20") as caught:
        datasets.describe("Caltech20")
    assert caught.value.parameter == "name"
    assert "Caltech101-20" in caught.value.value
    with pytest.raises(ViewsError, match=r"See datasets\.names"):
        datasets.fetch("zzzzzz")


def test_views_are_named_if_their_numbers_of_features_are_distinct() -> None:
    sources = datasets.describe("3Sources")
    assert sources.names_by_features([3560, 3631, 3068]) == ["BBC", "Guardian", "Reuters"]
    reuters = datasets.describe("Reuters-1200")
    assert reuters.names_by_features([2000] * 5) == [f"view{v}" for v in range(5)]
    cora = datasets.describe("Cora")
    assert cora.names_by_features([2706, 1433, 2708, 2706]) == ["view0", "Content", "Inbound", "view3"]


def test_the_catalogue_is_read_once() -> None:
    assert catalogue._catalogue() is catalogue._catalogue()
