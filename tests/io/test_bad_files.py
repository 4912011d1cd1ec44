"""Damaged and hostile files: always a ViewsFormatError with the file and the reason, and little memory."""

from __future__ import annotations

import os
import pickle
import re
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import savemat

from viewfuse import ViewsFormatError, load_views

h5py = pytest.importorskip("h5py")

HUGE = 10**6  # squared: 10¹² elements


def refused(path: Path, reason: str = ".") -> None:
    """Check that the file raises ViewsFormatError, which names it, within 64 MB. benchmarks/readers.py measures the time."""
    tracemalloc.start()
    try:
        with pytest.raises(ViewsFormatError, match=reason) as caught:
            load_views(path)
        assert str(path) in str(caught.value)
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("suffix", [".mat", ".npz", ".csv", ".h5ad", ".parquet", ""])
def test_an_empty_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"made{suffix}"
    path.touch()
    refused(path, "is empty")


@pytest.mark.parametrize("suffix", [".mat", ".npz", ".h5ad", ".h5mu", ".parquet"])
def test_text_with_a_binary_suffix(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"made{suffix}"
    path.write_text("id,a,b\n1,2,3\n")
    refused(path, rf"suffix is \{suffix}, but the file holds text")


def test_random_bytes(tmp_path: Path) -> None:
    path = tmp_path / "made.mat"
    path.write_bytes(b"\xff\xfe\x00" + np.random.default_rng(0).bytes(5000))
    refused(path, "suffix is .mat, but the file has none of the formats")


def test_a_missing_file_raises_file_not_found(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.mat"):
        load_views(tmp_path / "nowhere.mat")


def test_real_files_truncated_at_every_kilobyte(shared: Path, tmp_path: Path) -> None:
    for real in sorted((shared / "datasets").glob("*.mat")):
        path = tmp_path / real.name
        path.write_bytes(real.read_bytes())
        for length in reversed([128, 132, 512, 520, *range(1024, path.stat().st_size, 1024)]):
            os.truncate(path, length)
            with pytest.raises(ViewsFormatError, match=re.escape(real.name)):
                load_views(path)


# --- MATLAB v5 -------------------------------------------------------------------------------------------------------


def v5(body: bytes, compressed: bool = False) -> bytes:
    header = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM"
    if compressed:
        packed = zlib.compress(body)
        body = struct.pack("<II", 15, len(packed)) + packed
    return header + body


def element(kind: int, data: bytes) -> bytes:
    return struct.pack("<II", kind, len(data)) + data + b"\0" * (-len(data) % 8)


def matrix(matlab_class: int, shape: tuple[int, ...], *contents: bytes, name: bytes = b"X") -> bytes:
    flags, dims = struct.pack("<II", matlab_class, 0), struct.pack(f"<{len(shape)}i", *shape)
    return element(14, element(6, flags) + element(5, dims) + element(1, name) + b"".join(contents))


DOUBLES = element(9, np.ones(6).tobytes())


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (matrix(6, (HUGE, HUGE), DOUBLES), r"variable 'X' claims 1000000 × 1000000 = 1,000,000,000,000 values"),
        (matrix(1, (HUGE, HUGE), matrix(6, (2, 3), DOUBLES, name=b"")), "claims 1,000,000,000,000 cells"),
        (matrix(6, (-2, -3), DOUBLES), "dimensions"),
        (matrix(6, (2, 3), element(200, bytes(48))), "unknown type 200"),
        (matrix(77, (2, 3), DOUBLES), "unknown MATLAB class 77"),
        (matrix(5, (3, HUGE), DOUBLES, DOUBLES, DOUBLES), "claims 1,000,000 sparse columns"),
        (matrix(1, (1, 1), element(9, b"")), "type 9 in the place of a cell entry"),
        (element(9, bytes(8)), "unknown type 9"),
        (struct.pack("<II", 14, 0xFFFFFFF0) + bytes(64), "claims 4,294,967,280 bytes|damaged"),
        (matrix(6, (2, 3), struct.pack("<II", 9, 0xFFFFFFF0)), "cut short or damaged"),
    ],
)
def test_v5_headers_with_wrong_claims(tmp_path: Path, body: bytes, reason: str, compressed: bool) -> None:
    path = tmp_path / "made.mat"
    path.write_bytes(v5(body, compressed))
    refused(path, reason)


def test_v5_deeply_nested_cells(tmp_path: Path) -> None:
    body = matrix(6, (2, 3), DOUBLES, name=b"")
    for _ in range(500):
        body = matrix(1, (1, 1), body, name=b"")
    path = tmp_path / "made.mat"
    path.write_bytes(v5(matrix(1, (1, 1), body)))
    refused(path, "nests cells")


def test_v5_sparse_indices_outside_the_matrix(tmp_path: Path) -> None:
    rows, pointers = np.array([10**9, 1, 2], dtype=np.int32), np.array([0, 1, 3], dtype=np.int32)
    body = matrix(5, (3, 2), element(5, rows.tobytes()), element(5, pointers.tobytes()), element(9, bytes(24)))
    path = tmp_path / "made.mat"
    path.write_bytes(v5(body))
    refused(path, "not a valid sparse matrix")


def test_v5_sparse_with_too_many_empty_rows(tmp_path: Path) -> None:
    rows, pointers = np.array([0, 1], dtype=np.int32), np.array([0, 1, 2], dtype=np.int32)
    body = matrix(5, (2**31 - 1, 2), element(5, rows.tobytes()), element(5, pointers.tobytes()), element(9, bytes(16)))
    path = tmp_path / "made.mat"
    path.write_bytes(v5(body))
    refused(path, r"claims 2,147,483,647 × 2 values, but holds only 2")


def test_v5_with_a_flipped_byte_fails_its_checksum(shared: Path, tmp_path: Path) -> None:
    raw = bytearray((shared / "datasets" / "TwoMoon.mat").read_bytes())
    raw[len(raw) // 2] ^= 0x10
    path = tmp_path / "made.mat"
    path.write_bytes(raw)
    refused(path, "damaged")


@pytest.mark.parametrize("shape", [(HUGE, HUGE), (2**31 - 1, 2**31 - 1)])
def test_v4_headers_with_wrong_claims(tmp_path: Path, shape: tuple[int, int]) -> None:
    path = tmp_path / "made.mat"
    path.write_bytes(struct.pack("<5i", 0, *shape, 0, 2) + b"X\0" + bytes(64))
    refused(path, "claims .* values")


# --- HDF5 ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{"chunks": (1000, 1000), "compression": "gzip"}, {"chunks": (1000, 1000)}, {}])
def test_hdf5_that_claims_1e12_values(tmp_path: Path, options: dict) -> None:
    path = tmp_path / "made.mat"
    with h5py.File(path, "w") as file:
        file.create_dataset("X1", shape=(HUGE, HUGE), dtype="f8", **options)
    refused(path, r"X1 claims 8,000,000,000,000 bytes")


def test_hdf5_with_missing_references(tmp_path: Path, write_mat73: Callable[..., Path]) -> None:
    path = write_mat73(X=[np.ones((4, 3)), np.ones((4, 2))], y=np.ones(4))
    with h5py.File(path, "r+") as file:
        del file["#refs#"]["r0"]
    refused(path, r"X\{1\} refers to an object that is not in the file")
    with h5py.File(path, "r+") as file:
        del file["X"]
        file.create_dataset("X", shape=(1, 2), dtype=h5py.ref_dtype).attrs["MATLAB_class"] = np.bytes_("cell")
    refused(path, r"X\{1\} refers to an object that is not in the file|claims")


def test_hdf5_whose_values_are_in_another_file(tmp_path: Path) -> None:
    path, other = tmp_path / "made.mat", tmp_path / "other.bin"
    other.write_bytes(bytes(96))
    with h5py.File(path, "w") as file:
        file.create_dataset("X1", shape=(4, 3), dtype="f8", external=[(str(other), 0, 96)])
    refused(path, "in another file")


@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"X": ["one", "two"]}, r"X\{1\} holds text"),
        ({"X": np.ones((2, 3, 4))}, "X is 3-D"),
        ({"X": [np.ones((4, 3)), np.ones((4, 2))], "y": np.ones(9)}, "9 labels, which does not match the number of samples"),
    ],
)
def test_v73_variables_that_are_not_views(write_mat73: Callable[..., Path], variables: dict, reason: str) -> None:
    refused(write_mat73(**variables), reason)


def test_v73_sparse_indices_outside_the_matrix(write_mat73: Callable[..., Path]) -> None:
    path = write_mat73(X=[sp.csc_array(np.eye(4)), sp.csc_array(np.eye(4))])
    with h5py.File(path, "r+") as file:
        file["#refs#/r0/ir"][1] = 10**6
    refused(path, r"X\{1\} is not a valid sparse matrix")


# --- NumPy -----------------------------------------------------------------------------------------------------------


class Bomb:
    def __reduce__(self) -> tuple:
        return (pytest.fail, ("a pickle was executed",))


def test_npz_with_pickled_objects(tmp_path: Path) -> None:
    path = tmp_path / "made.npz"
    np.savez(path, X1=np.ones((4, 3)), X2=np.array([Bomb(), Bomb()], dtype=object))
    refused(path, "'X2' holds pickled Python objects")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X1.npy", pickle.dumps(Bomb()))
    refused(path)


def test_npz_that_claims_1e12_values(tmp_path: Path) -> None:
    path = tmp_path / "made.npz"
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({HUGE}, {HUGE}), }}".ljust(117) + "\n"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X1.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(80))
    refused(path, r"'X1' claims 8,000,000,000,000 bytes")


def test_a_zip_archive_without_arrays(tmp_path: Path) -> None:
    path = tmp_path / "made.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("letter.txt", "hello")
    refused(path, "without NumPy arrays")


def test_more_labels_than_samples(tmp_path: Path) -> None:
    path = tmp_path / "made.npz"
    np.savez(path, X1=np.ones((4, 3)), X2=np.ones((4, 2)), y=np.arange(7))
    refused(path, "7 labels, which does not match the number of samples")


# --- a few dozen mutated copies; benchmarks/readers.py tries thousands -----------------------------------------------


@pytest.mark.parametrize("name", ["3Sources.mat", "BBCSport_fea_gt.mat", "TwoMoon.mat", "NGs.mat"])
def test_mutated_copies_of_real_files_are_read_or_refused(shared: Path, tmp_path: Path, name: str) -> None:
    whole = (shared / "datasets" / name).read_bytes()
    path, rng = tmp_path / name, np.random.default_rng(7)
    refusals = 0
    for _ in range(15):
        mutated = np.frombuffer(whole, dtype=np.uint8).copy()
        places = rng.integers(0, len(mutated) if rng.random() < 0.5 else 400, size=rng.integers(1, 9))
        mutated[places] = rng.integers(0, 256, size=len(places))
        path.write_bytes(mutated.tobytes())
        try:
            load_views(path)
        except ViewsFormatError as error:
            assert name in str(error)  # noqa: PT017 - a mutated file may also be read without an error
            refusals += 1
    assert refusals > 5


def test_a_mat_file_with_only_a_struct(tmp_path: Path) -> None:
    path = tmp_path / "made.mat"
    savemat(path, {"s": {"a": 1}})
    refused(path, "no variables that can hold views")


def test_regression_texts_of_a_feather_file_with_damaged_offsets(tmp_path: Path) -> None:
    """The conversion to pandas ended the process with a segmentation fault."""
    pandas, feather = pytest.importorskip("pandas"), pytest.importorskip("pyarrow.feather")
    path = tmp_path / "made.feather"
    ids = [f"s{i:03d}" for i in range(100)]
    feather.write_feather(pandas.DataFrame({"id": ids, "x": np.arange(100.0)}), path, compression="uncompressed")
    content = path.read_bytes()
    for width in (4, 8):  # pandas 3 writes large texts
        offsets = (4 * np.arange(101)).astype(f"<i{width}").tobytes()
        damaged = offsets[: 50 * width] + (1 << 8 * width - 2).to_bytes(width, "little") + offsets[51 * width :]
        content = content.replace(offsets, damaged)
    assert content != path.read_bytes()
    path.write_bytes(content)
    refused(path, "damaged or cut short")
