"""The real files of ../shared/datasets contain what their README says."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from viewfuse import load_views

pytest.importorskip("h5py")

# Class sizes. The README gives those of bbc_seg14of4.mat and WebKB.mat; the others were recorded from load_views, to detect
# changes. test_class_sizes_are_those_of_an_independent_reader confirms them.
COUNTS = {
    "bbc_seg14of4.mat": [11, 134],
    "reuters_1200.mat": [200] * 6,
    "Handwritten_numerals.mat": [200] * 10,
    "MSRC-v5.mat": [30] * 7,
    "3Sources.mat": [11, 12, 18, 21, 51, 56],
    "BBCSport_fea_gt.mat": [61, 62, 104, 124, 193],
    "NGs.mat": [100] * 5,
    "ORL_4view.mat": [10] * 40,
    "TwoMoon.mat": [100, 100],
    "ThreeRing.mat": [30, 90, 180],
    "100Leaves.mat": [16] * 100,
    "WebKB.mat": [230, 821],
    "MNIST-4.mat": [1000] * 4,
    "ProteinFold.mat": [12, 13, 13, *[15] * 4, *[16] * 3, 17, 18, 18, 19, 21, 22, 22, 23, 24, 29, 32, 32, *[40] * 3, 74, 77],
    "Movies.mat": [7, 21, 33, 35, 35, 36, 36, 37, 39, 39, 40, 41, 41, 42, 44, 45, 46],
    "Cora.mat": [180, 217, 298, 351, 418, 426, 818],
}


@dataclass(frozen=True)
class Described:
    """One file in the README's table."""

    n_samples: int
    n_features: list[int]
    n_clusters: int


def described(shared: Path) -> dict[str, Described]:
    """Read the README's table: file, samples, views (features) and clusters. A row may describe several files."""
    found = {}
    for line in (shared / "datasets" / "README.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        files = re.findall(r"`([^`]+\.mat)`", cells[0])
        if not line.startswith("|") or not files:
            continue
        n_samples, n_clusters = first_numbers(cells[1]), first_numbers(cells[3])
        for i, file in enumerate(files):
            found[file] = Described(n_samples[i], n_features(cells[2]), n_clusters[i])
    return found


def first_numbers(cell: str) -> list[int]:
    """
    >>> first_numbers("200, 300"), first_numbers("2 (134 + 11)")
    ([200, 300], [2])
    """
    return [int(number) for number in re.findall(r"\d+", cell.partition("(")[0])]


def n_features(cell: str) -> list[int]:
    """The number of features of each view; words before a parenthesis may say for how many views it is.

    >>> n_features("3 (10 20 30)"), n_features("2 (64 each)"), n_features("4: a graph (9), words (5), two more (7)")
    ([10, 20, 30], [64, 64], [9, 5, 7, 7])
    """
    n_views = int(re.match(r"\d+", cell)[0])
    features = []
    for before, inside in re.findall(r"([^()]*)\(([^()]*)\)", cell):
        repeats = n_views if "each" in inside else 2 if "two" in before else 1
        features += [int(number) for number in re.findall(r"\d+", inside)] * repeats
    assert len(features) == n_views, cell
    return features


def test_the_readme_describes_every_file(shared: Path) -> None:
    assert sorted(described(shared)) == sorted(path.name for path in (shared / "datasets").glob("*.mat"))


def test_every_described_file_is_tested(shared: Path) -> None:
    assert sorted(described(shared)) == sorted(COUNTS)


@pytest.mark.parametrize("name", COUNTS)
def test_a_real_file_contains_what_the_readme_says(shared: Path, name: str) -> None:
    expected = described(shared)[name]
    views = load_views(shared / "datasets" / name)
    assert len(views) == expected.n_samples
    assert [array.shape[1] for array in views] == expected.n_features
    assert views.y is not None
    _, counts = np.unique(views.y, return_counts=True)
    assert len(counts) == expected.n_clusters
    assert sorted(counts) == COUNTS[name]
    views.float_arrays()  # raises an error for missing and infinite values


def test_cora_has_a_graph_beside_features(shared: Path) -> None:
    """The reader does not know graphs yet, so all four views are features."""
    adjacency, *features = load_views(shared / "datasets" / "Cora.mat")
    assert adjacency.shape == (2708, 2708)
    np.testing.assert_array_equal(adjacency, adjacency.T)
    assert not adjacency.diagonal().any()
    assert all(set(np.unique(array)) == {0, 1} for array in features)


@pytest.mark.parametrize("name", COUNTS)
def test_class_sizes_are_those_of_an_independent_reader(shared: Path, name: str) -> None:
    import h5py
    from scipy.io import loadmat

    path = shared / "datasets" / name
    if h5py.is_hdf5(path):
        with h5py.File(path) as file:
            labels = file["labels"][()].ravel()
    else:
        variables = loadmat(path)
        labels = next(variables[key] for key in ("y", "Y", "gt", "truelabel", "y0") if key in variables)
        labels = labels.ravel()[0].ravel() if labels.dtype == object else labels[:, 0]
    assert sorted(np.unique(labels, return_counts=True)[1]) == COUNTS[name]


def test_sparsity_and_dtypes_are_kept(shared: Path) -> None:
    assert all(sp.issparse(array) for array in load_views(shared / "datasets" / "BBCSport_fea_gt.mat"))
    dtypes = [array.dtype.name for array in load_views(shared / "datasets" / "MSRC-v5.mat")]
    assert dtypes == ["float64", "float64", "float64", "int32", "uint16"]
    assert load_views(shared / "datasets" / "ORL_4view.mat").arrays[0].dtype == np.float32


@pytest.mark.parametrize("name", ["NGs.mat", "reuters_1200.mat"])
def test_values_are_those_of_an_independent_reader(shared: Path, name: str) -> None:
    import h5py
    from scipy.io import loadmat

    path = shared / "datasets" / name
    if h5py.is_hdf5(path):
        with h5py.File(path) as file:
            expected = [file[reference][()].T for reference in file["data"][()].ravel()]
    else:
        expected = [matrix.T for matrix in loadmat(path)["data"].ravel()]
    for found, wanted in zip(load_views(path), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_the_format_is_found_from_the_content(shared: Path, tmp_path: Path) -> None:
    renamed = tmp_path / "thesis.docx"
    renamed.write_bytes((shared / "datasets" / "TwoMoon.mat").read_bytes())
    assert load_views(renamed).shape == (200, 4)
