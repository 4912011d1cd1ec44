"""``viewfuse info``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("h5py")
pytest.importorskip("pandas")


def test_sparse_file_is_described(shared: Path, command: Callable) -> None:
    ended = command("info", shared / "datasets" / "BBCSport_fea_gt.mat")
    assert ended.code == 0
    assert "544 samples" in ended.out
    assert "sparse float64" in ended.out
    assert "3,183" in ended.out
    assert "labels: 5 classes, 1: 62, 2: 104, 3: 193, 4: 124, 5: 61" in ended.out


def test_every_reference_file_is_described(shared: Path, command: Callable) -> None:
    for path in sorted((shared / "datasets").glob("*.mat")):
        ended = command("info", path)
        assert ended.code == 0
        assert "classes" in ended.out


def test_missing_samples_and_values_and_ids_are_shown(tmp_path: Path, command: Callable) -> None:
    (tmp_path / "a.csv").write_text("id,x1,x2\np,1,\nq,3,4\n")
    (tmp_path / "b.csv").write_text("id,z\nq,1\nr,2\n")
    ended = command("info", tmp_path, "--missing", "keep")
    assert ended.code == 0
    assert "ids 'id' p … r" in ended.out
    assert "1 samples, 1 cells" in ended.out
    assert "no labels" in ended.out


def test_options_are_passed_to_the_reader(tmp_path: Path, command: Callable) -> None:
    path = tmp_path / "all.csv"
    path.write_text("who,a_1,a_2,b_1,kind\np,1,2,3,x\nq,4,5,6,y\n")
    ended = command("info", path, "--views", "a:2-3", "--views", "b_*", "--ids", "who", "--labels", "kind")
    assert ended.code == 0
    assert "labels: 2 classes, x: 1, y: 1" in ended.out
    ended = command("info", path, "--views", "a_*", "--no-labels")
    assert "no labels" in ended.out
    assert ended.err.startswith("viewfuse: ")
    assert "'b_1', 'kind'" in ended.err
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "contents", "fact"),
    [
        ("absent.mat", None, "No such file or directory"),
        ("[red]empty.mat", b"", "empty"),
        ("text.mat", b"hello world", "text"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    tmp_path: Path, command: Callable, name: str, contents: bytes | None, fact: str
) -> None:
    if contents is not None:
        (tmp_path / name).write_bytes(contents)
    ended = command("info", tmp_path / name)
    assert ended.code == 2
    assert ended.err.startswith(f"viewfuse: {tmp_path / name}")
    assert fact in ended.err.partition(name)[2]
    assert ended.err.count("\n") == 1


def test_samples_option_decides_how_to_read_an_ambiguous_file(tmp_path: Path, command: Callable) -> None:
    np.savez(tmp_path / "made.npz", X1=np.ones((5, 3)), X2=np.ones((5, 3)))
    ended = command("info", tmp_path / "made.npz")
    assert ended.code == 2
    assert "made.npz" in ended.err
    assert "samples" in ended.err
    assert "columns" in ended.err
    assert "3 samples" in command("info", tmp_path / "made.npz", "--samples", "columns").out


def test_unused_variables_are_listed(tmp_path: Path, command: Callable) -> None:
    from scipy.io import savemat

    path = tmp_path / "made.mat"
    savemat(path, {"X1": np.ones((5, 3)), "X2": np.ones((5, 4)), "extra": np.ones((5, 2)), "y": np.arange(5)})
    ended = command("info", path)
    assert ended.code == 0, ended.err
    unused = ended.out.partition("not used: ")[2]
    assert str(path) in unused
    assert "extra (5 × 2)" in unused
    assert ended.err == ""


def test_error_names_the_columns_it_is_about(tmp_path: Path, command: Callable) -> None:
    path = tmp_path / "all.csv"
    path.write_text("id,a_1,a_2,b_1,b_2,y\np,1,2,3,4,0.5\nq,4,5,6,7,1\n")
    ended = command("info", path)
    assert ended.code == 2
    assert all(fact in ended.err for fact in ("all.csv", "'y'", "0.5", "labels"))
    ended = command("info", path, "--no-labels")
    assert ended.code == 0
    assert all(fact in ended.err for fact in ("one view", "--views 'a_*' --views 'b_*'"))
