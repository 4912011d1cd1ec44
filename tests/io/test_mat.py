"""MATLAB files of every version, with all conventional names of variables."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import loadmat, savemat

from viewfuse import Views, ViewsFormatError, load_views
from viewfuse.exceptions import LabelsWarning, UnusedVariablesWarning

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(6, 3)), RNG.normal(size=(6, 4))
Y = np.array([1.0, 1, 2, 2, 3, 3])


def cell(entries: list[Any], across: bool = True) -> np.ndarray:
    made = np.empty((1, len(entries)) if across else (len(entries), 1), dtype=object)
    for e, entry in enumerate(entries):
        made[(0, e) if across else (e, 0)] = entry
    return made


def same(views: Views, *expected: Any) -> None:
    assert views.n_views == len(expected)
    for found, wanted in zip(views, expected, strict=True):
        np.testing.assert_array_equal(found.toarray() if sp.issparse(found) else found, wanted)


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize("across", [True, False])
def test_row_cells_and_column_cells(tmp_path: Path, across: bool, compressed: bool) -> None:
    path = tmp_path / "made.mat"
    savemat(path, {"X": cell([A, B], across), "Y": Y}, do_compression=compressed)
    views = load_views(path)
    same(views, A, B)
    np.testing.assert_array_equal(views.y, [1, 1, 2, 2, 3, 3])
    assert views.y.dtype.kind == "i"


def test_v4_with_numbered_matrices(tmp_path: Path) -> None:
    path = tmp_path / "made.mat"
    savemat(path, {"view10": B, "view2": A, "gt": Y}, format="4")
    views = load_views(path)
    assert views.names == ("view2", "view10")
    same(views, A, B)


def test_v4_sparse(tmp_path: Path) -> None:
    path = tmp_path / "made.mat"
    savemat(path, {"X1": sp.csc_array(A > 0, dtype=float), "X2": B, "gt": Y}, format="4")
    views = load_views(path)
    assert sp.issparse(views.arrays[0])
    same(views, A > 0, B)


@pytest.mark.parametrize(
    "variables",
    [
        {"X": [A, B], "Y": Y[:, None]},
        {"data": [A.T, B.T], "truelabel": [Y[None], Y[None]]},
        {"fea": [sp.csc_array(A), sp.csc_array(B)], "gt": Y[:, None]},
        {"X": [A, B], "y0": np.column_stack([Y, Y])},
        {"X1": A, "X2": B, "labels": Y[None]},
        {"view_1": A.T, "view_2": B.T, "label": Y[None]},
        {"image": A, "text": B, "class": Y},
        {"X": [A, B], "y": Y, "other": ["a", "b"]},
        {"X": [A, B], "y": Y, "Y": Y},
    ],
    ids=lambda variables: "-".join(variables),
)
@pytest.mark.parametrize("version", ["7", "7.3"])
def test_conventional_names_of_views_and_labels(
    tmp_path: Path, write_mat73: Callable[..., Path], variables: dict, version: str
) -> None:
    if version == "7.3":
        path = write_mat73(**variables)
    else:
        path = tmp_path / "made.mat"
        savemat(path, {n: cell(v) if isinstance(v, list) else v for n, v in variables.items()}, do_compression=True)
    views = load_views(path)
    same(views, A, B)
    np.testing.assert_array_equal(views.y, Y)
    assert sp.issparse(views.arrays[0]) == ("fea" in variables)


def test_every_file_that_scipy_reads_is_read() -> None:
    """SciPy's tests contain files of MATLAB 4 to 8, of both byte orders, with every class."""
    import scipy.io.matlab

    from viewfuse.io.mat import read_mat

    paths = sorted((Path(scipy.io.matlab.__file__).parent / "tests" / "data").glob("*.mat"))
    if not paths:
        pytest.skip("this SciPy was installed without its tests")
    refused, n_read = [], 0
    for path in paths:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                loadmat(path)
            except Exception:
                continue  # a damaged file, for a test of SciPy
            try:
                read_mat(path)
                n_read += 1
            except ViewsFormatError as error:
                refused.append(f"{path.name}: {error}")
    assert refused == []
    assert n_read > 90


def test_v73_and_v7_agree_on_labels_and_ids_in_cells_of_text(tmp_path: Path, write_mat73: Callable[..., Path]) -> None:
    classes, ids = ["cat", "cat", "dog", "dog", "eel", "eel"], [f"s{i}" for i in range(6)]
    path = tmp_path / "made.mat"
    savemat(path, {"X": cell([A, B]), "labels": cell(classes), "ids": cell(ids)})
    for views in (load_views(path), load_views(write_mat73(X=[A, B], labels=classes, ids=ids))):
        assert views.y.tolist() == classes
        assert views.ids.tolist() == ids


def test_structs_are_named_and_unrelated_variables_are_ignored(tmp_path: Path) -> None:
    path = tmp_path / "made.mat"
    savemat(path, {"X": cell([A, B]), "options": {"k": 3, "names": cell(["a"])}, "note": "hello", "alpha": 0.5})
    with pytest.warns(UnusedVariablesWarning, match=r"made\.mat: 'options' is a struct or object, and not read"):
        same(load_views(path, samples="rows"), A, B)


@pytest.mark.parametrize("name", ["kind", "cluster_of_it", "zzz"])
@pytest.mark.parametrize("shape", [(-1,), (1, -1), (-1, 1)])
def test_labels_are_found_by_their_length_and_said(tmp_path: Path, name: str, shape: tuple) -> None:
    rng = np.random.default_rng(0)
    path, labels = tmp_path / "made.mat", np.arange(20) % 4
    savemat(path, {"X": cell([rng.normal(size=(20, 3)), rng.normal(size=(20, 5))]), name: labels.reshape(shape)})
    with pytest.warns(LabelsWarning, match=f"'{name}' is taken as the labels") as caught:
        views = load_views(path)
    assert views.y.tolist() == labels.tolist()
    assert caught[0].message.parameter == "labels"
    assert load_views(path, labels=name).y.tolist() == labels.tolist()


@pytest.mark.filterwarnings("ignore::viewfuse.exceptions.UnusedVariablesWarning")
@pytest.mark.parametrize(
    "variables",
    [
        {"kind": np.arange(20) % 4, "other": np.arange(20) % 5},  # two vectors fit
        {"size": np.linspace(0, 1, 20)},  # not whole
        {"number": np.arange(20)},  # no two samples of a class
        {"kind": np.arange(19) % 4},  # another length
    ],
)
def test_other_vectors_are_not_taken_for_labels(tmp_path: Path, variables: dict) -> None:
    rng = np.random.default_rng(0)
    path = tmp_path / "made.mat"
    savemat(path, {"X": cell([rng.normal(size=(20, 3)), rng.normal(size=(20, 5))]), **variables})
    assert load_views(path).y is None


@pytest.mark.parametrize("name", ["classLabel", "gnd", "truth", "labels_true", "class_labels", "y_true"])
def test_more_names_of_labels(tmp_path: Path, name: str) -> None:
    rng = np.random.default_rng(0)
    path = tmp_path / "made.mat"
    savemat(path, {"X": cell([rng.normal(size=(20, 3)), rng.normal(size=(20, 5))]), name: np.arange(20) % 4})
    assert load_views(path).y.tolist() == (np.arange(20) % 4).tolist()


def test_whole_number_measurements_are_not_taken_for_labels_without_a_word(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    path = tmp_path / "made.mat"
    savemat(path, {"X": cell([rng.normal(size=(80, 3)), rng.normal(size=(80, 5))]), "target": rng.permutation(400)[:80]})
    with pytest.warns(LabelsWarning, match="'target' has the name of labels, but 80 different values in 80 samples"):
        load_views(path)
    assert load_views(path, labels=False).y is None


def test_views_and_labels_can_be_chosen(tmp_path: Path) -> None:
    path = tmp_path / "made.mat"
    savemat(path, {"first": cell([A, B]), "second": cell([B]), "species": Y, "y": Y[::-1]})
    same(load_views(path, views="second", labels="species"), B)
    assert load_views(path, views="first", labels=False).y is None
    with pytest.raises(ViewsFormatError, match=r"several cells.*first, second.*views='NAME'") as caught:
        load_views(path)
    assert (caught.value.parameter, caught.value.value) == ("views", ("first", "second"))
    with pytest.raises(ViewsFormatError, match="no variable 'third'") as caught:
        load_views(path, views="third")
    assert (caught.value.view, caught.value.parameter) == ("third", "views")
    with pytest.raises(ViewsFormatError, match="no variable 'kind' for the labels; the variables are first") as caught:
        load_views(path, views="first", labels="kind")
    assert caught.value.parameter == "labels"
    assert "species" in caught.value.value


def test_an_ambiguous_orientation_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "made.mat"
    savemat(path, {"X": cell([A, A + 1])})
    with pytest.raises(
        ViewsFormatError, match=r"made\.mat.*rows or the columns.*samples='rows' or samples='columns'"
    ) as caught:
        load_views(path)
    assert (caught.value.parameter, caught.value.value) == ("samples", ("rows", "columns"))
    assert "samples=" not in caught.value.problem
    assert len(load_views(path, samples="rows")) == 6
    assert len(load_views(path, samples="columns")) == 3


def test_square_views_are_ambiguous_unless_symmetric(tmp_path: Path) -> None:
    path, graph = tmp_path / "made.mat", RNG.random((6, 6))
    savemat(path, {"X": cell([graph + graph.T, graph @ graph.T]), "y": Y})
    assert len(load_views(path)) == 6
    savemat(path, {"X": cell([graph, graph.T + 1]), "y": Y})
    with pytest.raises(ViewsFormatError, match="rows or the columns"):
        load_views(path)


@pytest.mark.parametrize(
    ("variables", "reason", "parameter"),
    [
        ({"X": cell([A, B[:4]])}, r"do not have the same samples.*view0 6 × 3, view1 4 × 4", "views"),
        ({"X": cell([A, B]), "y": np.arange(9)}, r"9 labels, which does not match .*view0 6 × 3", "labels"),
        ({"X": cell([A, B]), "y": np.ones((6, 3))}, r"y \(6 × 3\) has the name of labels", "labels"),
        ({"X": cell([A, B]), "y0": np.column_stack([Y, Y[::-1]])}, "y0 has different labels for different views", "labels"),
        ({"X": cell([A, B]), "y": Y, "gt": Y[::-1]}, "both 'y' and 'gt' could be the labels", "labels"),
        ({"X": cell(["one", "two"])}, r"X\{1\} holds text", "views"),
        ({"X": cell([A, np.ones((2, 3, 4))])}, r"X\{2\} is 3-D \(2 × 3 × 4\)", "views"),
        ({"X": np.ones((2, 3, 4))}, r"X is 3-D \(2 × 3 × 4\)", "views"),
        ({"X": cell([A, cell([B])])}, r"X\{2\} holds another cell", "views"),
        ({"X": cell([A, np.zeros((0, 3))])}, r"X\{2\} is empty \(0 × 3\)", "views"),
        ({"X": cell([A * 1j, B])}, r"X\{1\} holds complex128", "views"),
        ({"s": {"X": A}}, "no variables", None),
        ({"note": "hello"}, r"no variable is a matrix that could be a view.*note \(text\)", None),
    ],
)
def test_unreadable_variables_are_an_error_with_the_reason(
    tmp_path: Path, variables: dict, reason: str, parameter: str | None
) -> None:
    path = tmp_path / "made.mat"
    savemat(path, variables)
    with pytest.raises(ViewsFormatError, match=rf"made\.mat: .*{reason}") as caught:
        load_views(path)
    assert caught.value.parameter == parameter
    assert (caught.value.hint is None) == (parameter is None)
    assert not re.search(r"(views|labels)=", caught.value.problem)


@pytest.mark.parametrize("version", ["7", "7.3"])
@pytest.mark.parametrize(
    ("variables", "n_views", "unused"),
    [
        ({"X1": A, "X2": B, "extra": A + 1}, 2, r"extra \(6 × 3\)"),
        ({"X": A, "Z": B}, 1, r"Z \(6 × 4\)"),
        ({"X": [A, B], "text": A + 1, "weight": Y + 1}, 2, r"text \(6 × 3\), weight \(.*6.*\)"),
        ({"X": [A, B], "more": [A + 1, B + 1]}, 2, r"more \(cell of 2\)"),
        ({"age": Y[:, None] + 1, "image": A}, 1, r"age \(6 × 1\)"),
    ],
)
def test_unused_variables_that_could_be_views_are_named(
    tmp_path: Path, write_mat73: Callable[..., Path], variables: dict, n_views: int, unused: str, version: str
) -> None:
    path = tmp_path / "made73.mat"
    if version == "7.3":
        write_mat73(**variables, y=Y)
    else:
        savemat(path, {n: cell(v) if isinstance(v, list) else v for n, v in variables.items()} | {"y": Y})
    with pytest.warns(UnusedVariablesWarning, match=rf"made73\.mat: {unused} could be views too.*views=") as caught:
        assert load_views(path).n_views == n_views
    assert caught[0].message.parameter == "views"
    assert caught[0].message.value == tuple(re.findall(r"(\w+) \\\(", unused))
    assert caught[0].filename == __file__


def test_variables_of_other_sizes_and_unread_labels_are_not_views(tmp_path: Path) -> None:
    path = tmp_path / "made.mat"
    savemat(path, {"X1": A, "X2": B, "W": np.ones((3, 4)), "alpha": 0.5, "y": Y, "names": cell(["a", "b"])})
    same(load_views(path), A, B)
    same(load_views(path, labels=False), A, B)
    same(load_views(path, views=["X2"]), B)


@pytest.mark.parametrize("variables", [{"X1": A + 1j, "X2": B}, {"X": [A, B], "fft": A + 1j}, {"image": A, "fft": B + 1j}])
def test_complex_matrices_are_an_error_that_names_them(tmp_path: Path, variables: dict) -> None:
    path = tmp_path / "made.mat"
    savemat(path, {n: cell(v) if isinstance(v, list) else v for n, v in variables.items()})
    with pytest.raises(ViewsFormatError, match=r"made\.mat: (X1|fft) holds complex128"):
        load_views(path, samples="rows")


def test_a_complex_matrix_of_v73_is_an_error_that_names_it(write_mat73: Callable[..., Path]) -> None:
    import h5py

    path = write_mat73(X1=A)
    stored = np.zeros((4, 6), dtype=[("real", float), ("imag", float)])
    with h5py.File(path, "r+") as file:
        file.create_dataset("X2", data=stored).attrs["MATLAB_class"] = np.bytes_("double")
    with pytest.raises(ViewsFormatError, match="X2 holds complex128"):
        load_views(path)
