"""Every reader applies the same rule for labels."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import savemat

from viewfuse import Views, ViewsError, load_views
from viewfuse.exceptions import LabelsWarning
from viewfuse.views.labels import check_kind

pd = pytest.importorskip("pandas")

A, B = np.arange(12.0).reshape(4, 3), np.arange(20.0).reshape(4, 5)


def npz(folder: Path, y: list[Any]) -> Any:
    np.savez(folder / "made.npz", X1=A, X2=B, y=y)
    return folder / "made.npz"


def mat(folder: Path, y: list[Any]) -> Any:
    savemat(folder / "made.mat", {"X1": A, "X2": B, "y": y})
    return folder / "made.mat"


def one_table(folder: Path, y: list[Any]) -> Any:
    pd.DataFrame(A, columns=["a", "b", "c"]).assign(y=y).to_csv(folder / "made.csv", index=False)
    return folder / "made.csv"


def tables(folder: Path, y: list[Any]) -> Any:
    one_table(folder, y)
    return [folder / "made.csv"]


def label_file(folder: Path, y: list[Any]) -> Any:
    pd.DataFrame(A, columns=["a", "b", "c"]).to_csv(folder / "made.csv", index=False)
    pd.DataFrame({"y": y}).to_csv(folder / "labels.csv", index=False)
    return folder


def frame(folder: Path, y: list[Any]) -> Any:
    return pd.DataFrame(A, columns=["a", "b", "c"]).assign(y=y)


def annotated(folder: Path, y: list[Any]) -> Any:
    anndata = pytest.importorskip("anndata")
    return anndata.AnnData(A, obs=pd.DataFrame({"y": y}, index=list("pqrs")))


READERS = [npz, mat, one_table, tables, label_file, frame, annotated]


def load(source: Any, write: Callable, **options: Any) -> Any:
    return load_views(source, views="*" if write in (one_table, frame) else None, **options)


@pytest.mark.parametrize("write", READERS)
def test_a_missing_label_is_an_error_that_names_the_sample(tmp_path: Path, write: Callable) -> None:
    with pytest.raises(ViewsError, match=r"1 of 4 samples have no label in .*; the first is row 2.*labels=False") as caught:
        load(write(tmp_path, [0.0, 1.0, np.nan, 1.0]), write)
    assert (caught.value.parameter, caught.value.value) == ("labels", (False,))
    assert "labels=" not in caught.value.problem


@pytest.mark.parametrize("write", READERS)
def test_integers_stored_as_floats_are_labels(tmp_path: Path, write: Callable) -> None:
    views = load(write(tmp_path, [0.0, 1.0, 2.0, 1.0]), write)
    assert views.y.tolist() == [0, 1, 2, 1]
    assert views.y.dtype.kind == "i"


@pytest.mark.parametrize("write", READERS)
def test_a_measurement_with_the_name_of_labels_is_not_used_as_labels(tmp_path: Path, write: Callable) -> None:
    source = write(tmp_path, [0.5, 1.25, 2.0, 1.0])
    with pytest.raises(
        ViewsError, match=r"'y' has the name of labels, but contains 0.5.*labels='y'.*labels=False"
    ) as caught:
        load(source, write)
    assert (caught.value.parameter, caught.value.value) == ("labels", ("y", False))
    assert "labels=" not in caught.value.problem
    assert load(source, write, labels="y").y.tolist() == [0.5, 1.25, 2.0, 1.0]
    assert load(source, write, labels=False).y is None


def test_a_column_named_y_is_a_feature_if_no_labels_are_read(tmp_path: Path) -> None:
    views = load_views(one_table(tmp_path, [0.5, 1.25, 2.0, 1.0]), views="*", labels=False)
    assert views.feature_names[0].tolist() == ["a", "b", "c", "y"]


def test_a_missing_category_in_anndata_does_not_become_a_class(tmp_path: Path) -> None:
    data = annotated(tmp_path, ["T", "T", "B", "B"])
    data.obs["cell_type"] = pd.Categorical(["T", None, "B", "B"])
    with pytest.raises(ViewsError, match=r"no label in 'cell_type'; the first is row 1 \(id 'q'\)"):
        load_views(data, labels="cell_type")


@pytest.mark.parametrize(
    ("n_different", "n", "warned"), [(20, 40, False), (21, 40, True), (30, 120, False), (31, 120, True)]
)
def test_many_different_labels_are_warned_of(n_different, n, warned):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_kind([i % n_different for i in range(n)], "class")
    assert [f"{n_different} different values in {n} samples" in str(w.message) for w in caught] == [True] * warned


def test_numbers_with_fractions_are_no_labels():
    with pytest.raises(ViewsError, match=r"contains 1\.5; labels are integers or text"):
        check_kind([1.0, float("nan"), 1.5], "class")


def points(y, **more):
    return pd.DataFrame({"x": np.linspace(0, 1, len(y)), "z": np.sin(np.arange(len(y))), **more, "y": y})


class TestTablesInMemory:
    def labelled(self, label=None):
        frame = points(np.cos(np.arange(40))).rename(columns={"y": "w"})
        return frame.assign(label=np.arange(40) % 4 if label is None else label)

    def columns(self, data, **options):
        views = Views({"t": data}, **options)
        assert views.y is None
        return views.feature_names[0].tolist()

    def test_a_column_that_a_file_has_as_labels_is_no_feature(self, tmp_path):
        for label in (None, ["one", "two"] * 20):
            frame = self.labelled(label)
            with pytest.warns(LabelsWarning, match="'label' has the name of labels and is not used as a feature"):
                assert self.columns(frame) == ["x", "z", "w"]
            frame.to_csv(tmp_path / "t.csv", index=False)
            assert load_views(tmp_path / "t.csv").feature_names[0].tolist() == ["x", "z", "w"]

    def test_it_is_a_feature_if_the_user_says_so_or_its_numbers_are_not_whole(self):
        assert "label=0" in self.columns(self.labelled(), types={"label": "category"})
        assert "label" in self.columns(self.labelled(np.linspace(0, 1, 40)))
        assert self.columns(self.labelled(), types=False) == ["x", "z", "w", "label"]
        assert self.columns(self.labelled()[["label"]]) == ["label"]
        assert load_views({"t": self.labelled()}, labels=False).feature_names[0].tolist()[-1] == "label"

    def test_new_samples_may_have_labels(self):
        fit = Views({"t": self.labelled().drop(columns="label")})
        assert self.columns(self.labelled(), encoding=fit.encoding) == ["x", "z", "w"]
        with_it = load_views({"t": self.labelled()}, labels=False)
        assert self.columns(self.labelled(), encoding=with_it.encoding) == ["x", "z", "w", "label"]

    def test_samples_of_a_relation_may_have_the_name_of_labels(self):
        names = ["class", "target", "y", "other"]
        graph = pd.DataFrame(np.ones((4, 4)) - np.eye(4), index=names, columns=names)
        assert Views({"g": graph}, kinds="auto").kinds == ("graph",)
        assert Views({"g": graph.reset_index(names="id")}, kinds="auto").kinds == ("graph",)


class TestCoordinates:
    def test_y_beside_x_is_a_coordinate(self):
        frame = points(np.cos(np.arange(40)))
        assert load_views(frame).y is None
        assert "y" in load_views(frame).feature_names[0]
        assert "y" in Views({"t": points(np.arange(40)[::-1] ** 2)}).feature_names[0]

    def test_few_whole_numbers_are_told(self):
        frame = points(np.arange(40) % 20)
        for read in (lambda: load_views(frame), lambda: Views({"t": frame})):
            with pytest.warns(LabelsWarning, match="'y' has the name of labels and 20 different values, but stands beside"):
                assert "y" in read().feature_names[0]
        assert load_views(frame, labels="y").y.tolist() == (np.arange(40) % 20).tolist()
        assert load_views(points(np.arange(40) % 21)).y is None

    def test_text_and_other_names_are_labels(self):
        assert load_views(points(["a", "b"] * 20)).y.tolist() == ["a", "b"] * 20
        assert load_views(points(np.cos(np.arange(40)), label=np.arange(40) % 4)).y.tolist() == [0, 1, 2, 3] * 10
        assert load_views(points(np.arange(40) % 4).rename(columns={"x": "x1"})).y is not None
