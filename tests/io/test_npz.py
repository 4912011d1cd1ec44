"""NumPy archives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from viewfuse import ViewsError, ViewsFormatError, load_views

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
    with pytest.raises(ViewsFormatError, match="share their samples: they need the same number of rows"):
        load_views(path, samples="rows")
    with pytest.raises(ViewsError, match="'rows' or 'columns', not 'rws'"):
        load_views(path, samples="rws")


def test_an_archive_cut_in_its_last_array_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "made.npz"
    np.savez(path, X1=A, X2=B)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ViewsFormatError, match=r"made\.npz"):
        load_views(path)
