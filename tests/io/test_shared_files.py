"""Every real file beside the repository, against what its README says of it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from viewfuse import load_views

pytest.importorskip("h5py")

# The README gives label counts for bbc_seg14of4.mat only. The others were recorded from the files as load_views read
# them, so for those this guards against change; that they are right rests on the README's n and k, and on
# test_label_counts_are_those_of_an_independent_reader.
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
}


def described(shared: Path) -> dict[str, tuple[int, list[int], int]]:
    """(samples, features per view, clusters) of each file, from the README's table."""
    facts = {}
    for line in (shared / "datasets" / "README.md").read_text().splitlines():
        files = re.findall(r"`([\w-]+\.mat)`", line.partition("|")[2].partition("|")[0])
        cells = [cell.strip() for cell in line.split("|")]
        if not files or len(cells) < 6:
            continue
        sizes = [int(n) for n in cells[2].split(",")]
        n_views = int(cells[3].split()[0])
        features = [int(n) for n in re.findall(r"\d+", cells[3].partition("(")[2])]
        features = features * n_views if "each" in cells[3] else features
        clusters = [int(n) for n in cells[4].partition("(")[0].split(",")]
        for i, name in enumerate(files):
            facts[name] = (sizes[min(i, len(sizes) - 1)], features, clusters[min(i, len(clusters) - 1)])
    return facts


def test_the_readme_describes_every_file(shared: Path) -> None:
    assert sorted(described(shared)) == sorted(path.name for path in (shared / "datasets").glob("*.mat"))


@pytest.mark.parametrize("name", COUNTS)
def test_a_real_file_holds_what_its_readme_says(shared: Path, name: str) -> None:
    n_samples, features, n_clusters = described(shared)[name]
    views = load_views(shared / "datasets" / name)
    assert len(views) == n_samples
    assert [array.shape[1] for array in views] == features
    assert views.y is not None
    _, counts = np.unique(views.y, return_counts=True)
    assert len(counts) == n_clusters
    assert sorted(counts) == COUNTS[name]
    views.float_arrays()  # nothing missing, nothing infinite


@pytest.mark.parametrize("name", COUNTS)
def test_label_counts_are_those_of_an_independent_reader(shared: Path, name: str) -> None:
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


def test_sparse_stays_sparse_and_dtypes_stay(shared: Path) -> None:
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


def test_the_format_is_found_by_content(shared: Path, tmp_path: Path) -> None:
    renamed = tmp_path / "thesis.docx"
    renamed.write_bytes((shared / "datasets" / "TwoMoon.mat").read_bytes())
    assert load_views(renamed).shape == (200, 4)
