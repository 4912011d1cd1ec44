"""``viewfuse info``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("h5py")
pytest.importorskip("pandas")


def test_what_is_printed_of_a_sparse_file(shared: Path, command: Callable) -> None:
    ended = command("info", shared / "datasets" / "BBCSport_fea_gt.mat")
    assert ended.code == 0
    assert "544 samples" in ended.out
    assert "sparse float64" in ended.out
    assert "3,183" in ended.out
    assert "labels: 5 classes, 1: 62, 2: 104, 3: 193, 4: 124, 5: 61" in ended.out


def test_every_real_file_is_described(shared: Path, command: Callable) -> None:
    for path in sorted((shared / "datasets").glob("*.mat")):
        ended = command("info", path)
        assert ended.code == 0
        assert "classes" in ended.out


def test_missing_samples_and_values_ids_and_no_labels(tmp_path: Path, command: Callable) -> None:
    (tmp_path / "a.csv").write_text("id,x1,x2\np,1,\nq,3,4\n")
    (tmp_path / "b.csv").write_text("id,z\nq,1\nr,2\n")
    ended = command("info", tmp_path, "--missing", "keep")
    assert ended.code == 0
    assert "ids p … r" in ended.out
    assert "1 samples, 1 values" in ended.out
    assert "no labels" in ended.out


def test_the_options_reach_the_reader(tmp_path: Path, command: Callable) -> None:
    path = tmp_path / "all.csv"
    path.write_text("who,a_1,a_2,b_1,kind\np,1,2,3,x\nq,4,5,6,y\n")
    ended = command("info", path, "--views", "a:2-3", "--views", "b_*", "--ids", "who", "--labels", "kind")
    assert ended.code == 0
    assert "labels: 2 classes, x: 1, y: 1" in ended.out
    ended = command("info", path, "--views", "a_*", "--no-labels")
    assert "no labels" in ended.out
    assert ended.err == "viewfuse: Columns in no view are left out: 'b_1', 'kind'.\n"


@pytest.mark.parametrize(
    ("name", "contents", "sentence"),
    [
        ("absent.mat", None, "absent.mat: No such file or directory"),
        ("[red]empty.mat", b"", "[red]empty.mat: the file is empty."),
        ("text.mat", b"hello world", "text.mat: named .mat, but holds text."),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    tmp_path: Path, command: Callable, name: str, contents: bytes | None, sentence: str
) -> None:
    if contents is not None:
        (tmp_path / name).write_bytes(contents)
    ended = command("info", tmp_path / name)
    assert ended.code == 2
    assert ended.err.startswith("viewfuse: ")
    assert ended.err.rstrip().endswith(sentence)
    assert ended.err.count("\n") == 1


def test_an_ambiguous_file_is_settled_by_samples(tmp_path: Path, command: Callable) -> None:
    np.savez(tmp_path / "made.npz", X1=np.ones((5, 3)), X2=np.ones((5, 3)))
    ended = command("info", tmp_path / "made.npz")
    assert ended.code == 2
    assert "--samples rows or --samples columns" in ended.err
    assert "3 samples" in command("info", tmp_path / "made.npz", "--samples", "columns").out


def test_variables_that_are_left_out_are_listed(tmp_path: Path, command: Callable) -> None:
    from scipy.io import savemat

    path = tmp_path / "made.mat"
    savemat(path, {"X1": np.ones((5, 3)), "X2": np.ones((5, 4)), "extra": np.ones((5, 2)), "y": np.arange(5)})
    ended = command("info", path)
    assert ended.code == 0, ended.err
    assert f"left out: {path}: extra (5 × 2) could be views too" in ended.out
    assert "--views NAME" in ended.out
    assert ended.err == ""


def test_advice_is_in_the_words_of_the_command(tmp_path: Path, command: Callable) -> None:
    path = tmp_path / "all.csv"
    path.write_text("id,a_1,a_2,b_1,b_2,y\np,1,2,3,4,0.5\nq,4,5,6,7,1\n")
    assert "Say --labels y if these are the labels after all, --no-labels if" in command("info", path).err
    assert "perhaps --views 'a_*' --views 'b_*'; --views '*' takes all" in command("info", path, "--no-labels").err
