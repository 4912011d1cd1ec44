"""NumPy ``.npz`` archives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from viewfuse import ViewsError, ViewsFormatError, load_views
from viewfuse.exceptions import UnusedVariablesWarning

A, B = np.arange(12.0).reshape(4, 3), np.arange(20).reshape(4, 5)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_become_views_by_name(tmp_path: Path, save) -> None:
    path = tmp_path / "made.npz"
    save(path, sound=A, image=B, labels=["x", "x", "y", "y"], sample_ids=["a", "b", "c", "d"])
    views = load_views(path)
    assert views.names == ("sound", "image")
    np.testing.assert_array_equal(views.view("image"), B)
    assert views.view("image").dtype == B.dtype
    assert views.y.tolist() == ["x", "x", "y", "y"]
    assert views.ids.tolist() == ["a", "b", "c", "d"]


def test_samples_as_columns_and_a_choice_of_views(tmp_path: Path) -> None:
    path = tmp_path / "made.npz"
    np.savez(path, X1=A.T, X2=B.T, y=[0, 0, 1, 1])
    np.testing.assert_array_equal(load_views(path).arrays[0], A)
    assert load_views(path, views=["X2"]).names == ("X2",)
    with pytest.raises(ViewsFormatError, match="the same samples: they need the same number of rows"):
        load_views(path, samples="rows")
    with pytest.raises(ViewsError, match="'rows' or 'columns', not 'rws'"):
        load_views(path, samples="rws")


def test_a_truncated_archive_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "made.npz"
    np.savez(path, X1=A, X2=B)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ViewsFormatError, match=r"made\.npz"):
        load_views(path)


@pytest.mark.parametrize(
    "arrays",
    [
        {"data": A, "text": B, "audio": A + 1},
        {"layer3": A, "layer4": B, "caption": A + 1},
        {"age": A[:, :1], "image": A},
        {"X": A, "Z": B},
    ],
    ids=lambda arrays: "-".join(arrays),
)
@pytest.mark.parametrize("labels", [None, False])
def test_every_matrix_with_the_same_samples_is_a_view(tmp_path: Path, arrays: dict, labels) -> None:
    path = tmp_path / "made.npz"
    np.savez(path, **arrays, y=[0, 0, 1, 1])
    views = load_views(path, labels=labels, samples="rows")
    assert views.names == tuple(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(views.view(name), array)


def test_matrices_of_other_lengths_are_not_views(tmp_path: Path) -> None:
    path = tmp_path / "made.npz"
    np.savez(path, X1=A, X2=B, loadings=np.ones((3, 7)), extra=A + 1, mean=np.ones((1, 3)), y=[0, 0, 1, 1])
    assert load_views(path).names == ("X1", "X2", "extra")


def test_a_vector_with_one_entry_per_sample_is_named_in_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "made.npz"
    np.savez(path, X1=A, X2=B, age=np.arange(4.0))
    with pytest.warns(UnusedVariablesWarning, match=r"made\.npz: age \(4\) could be views too.*views="):
        assert load_views(path).names == ("X1", "X2")


def test_a_complex_matrix_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "made.npz"
    np.savez(path, sound=A, fft=B + 1j)
    with pytest.raises(ViewsFormatError, match=r"made\.npz: fft holds complex128 values.*views="):
        load_views(path)
    assert load_views(path, views=["sound"], samples="rows").names == ("sound",)


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_a_sparse_matrix_saved_by_scipy_is_one_view(tmp_path: Path, form: str) -> None:
    path, matrix = tmp_path / "made.npz", sp.random_array((6, 9), density=0.3, format=form, random_state=0)
    sp.save_npz(path, matrix)
    views = load_views(path, samples="rows")
    assert views.names == ("X",)
    assert sp.issparse(views.arrays[0])
    np.testing.assert_array_equal(views.arrays[0].toarray(), matrix.toarray())


def test_an_invalid_sparse_matrix_is_an_error_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "made.npz"
    sp.save_npz(path, sp.dia_array(np.eye(3)))
    with pytest.raises(ViewsFormatError, match=r"made\.npz: .*format 'dia'.*Save matrix\.tocsr\(\)"):
        load_views(path)
    np.savez(path, format="csr", shape=[3, 3], data=np.ones(2), indices=[0, 7], indptr=[0, 1, 2, 2])
    with pytest.raises(ViewsFormatError, match=r"not a valid sparse matrix|index"):
        load_views(path)
    np.savez(path, format="csr", shape=[3, 3], data=np.ones(2), indices=[0, 7])
    with pytest.raises(ViewsFormatError, match="sparse matrix is incomplete: indptr is missing"):
        load_views(path)
