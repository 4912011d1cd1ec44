"""Which column holds the ids: the same rules for frames in memory and for files."""

import numpy as np
import pandas as pd
import pytest

import viewfuse as vf
from viewfuse import Views, ViewsError, load_views
from viewfuse.exceptions import UnusedColumnsWarning
from viewfuse.views.ids import find_ids

N = 60
RNG = np.random.default_rng(0)


def customers(ids, name="customer_id", seed=0):
    """Two tables of the same customers, the second in another order."""
    rng = np.random.default_rng(seed)
    cluster = np.arange(len(ids)) % 3
    first = pd.DataFrame({name: ids, "a": cluster * 9.0 + rng.normal(size=len(ids)), "b": rng.normal(size=len(ids))})
    second = pd.DataFrame({name: ids, "c": cluster * 9.0 + rng.normal(size=len(ids)), "d": rng.normal(size=len(ids))})
    return {"first": first, "second": second.sample(frac=1, random_state=seed).reset_index(drop=True)}, cluster


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("read", [Views, load_views])
def test_regression_whole_number_ids_in_a_column_are_ids_and_no_feature(library, read):
    frames, cluster = customers(np.arange(N) * 3 + 1000)
    if library == "polars":
        polars = pytest.importorskip("polars")
        frames = {name: polars.DataFrame(frame.to_dict("list")) for name, frame in frames.items()}
    if library == "pyarrow":
        pyarrow = pytest.importorskip("pyarrow")
        frames = {name: pyarrow.Table.from_pandas(frame) for name, frame in frames.items()}
    views = read(frames)
    assert views.id_name == "customer_id"
    assert views.ids.tolist() == (np.arange(N) * 3 + 1000).tolist()
    assert views.feature_names[1].tolist() == ["c", "d"]
    model = vf.AutoFusion(3, random_state=0).fit(views)
    assert vf.metrics.accuracy(cluster, model.labels_) > 0.9


def test_frames_and_files_give_the_same_views(tmp_path):
    frames, _ = customers([f"C{i}" for i in range(N)], name="customer")
    for name, frame in frames.items():
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    from_files, from_frames = load_views(tmp_path), Views(frames)
    assert from_files.ids.tolist() == from_frames.ids.tolist()
    for one, other in zip(from_files.arrays, from_frames.arrays, strict=True):
        np.testing.assert_allclose(one, other)


def test_regression_unequal_lengths_without_ids_ask_for_ids_and_do_not_suggest_missing():
    frames = {"a": pd.DataFrame(RNG.normal(size=(20, 2))), "b": pd.DataFrame(RNG.normal(size=(15, 2)))}
    with pytest.raises(ViewsError, match=r"'a' 20, 'b' 15.*no column was found that says which row is which") as caught:
        Views(frames)
    assert caught.value.parameter == "ids"
    assert "missing" not in str(caught.value)


@pytest.mark.parametrize("missing", ["error", "keep", "drop"])
def test_regression_ids_that_never_match_are_an_error_and_loose_ids_are_offered(missing):
    frames, _ = customers([f"C{i}" for i in range(N)])
    frames["second"]["customer_id"] = frames["second"]["customer_id"].str.lower() + " "
    with pytest.raises(ViewsError, match=r"none is in another view.*60 would be if case, blanks and leading") as caught:
        Views(frames, missing=missing)
    assert caught.value.parameter == "loose_ids"
    views = Views(frames, loose_ids=True)
    assert len(views) == N
    assert views.ids[0] == "C0"


def test_regression_an_index_column_of_pandas_is_not_a_feature(tmp_path):
    frames, _ = customers([f"C{i}" for i in range(N)])
    for name, frame in frames.items():
        frame.to_csv(tmp_path / f"{name}.csv")
    with pytest.warns(UnusedColumnsWarning, match=r"'Unnamed: 0' of 'first' \(it only counts the rows\)"):
        views = load_views(tmp_path)
    assert views.feature_names[0].tolist() == ["a", "b"]
    assert views.id_name == "customer_id"


def test_a_common_column_is_the_id_whatever_its_name():
    frames, _ = customers(RNG.permutation(N) + 500, name="kunde")
    assert Views(frames).id_name == "kunde"
    frames["first"] = frames["first"].sort_values("kunde", ignore_index=True)
    frames["second"] = frames["second"].rename(columns={"kunde": "wert"})
    with pytest.warns(UnusedColumnsWarning, match="'kunde' of 'first'"):
        assert Views(frames).id_name is None  # of equal length, so matched by position


def test_a_foreign_key_is_not_the_id():
    frames, _ = customers([f"C{i}" for i in range(N)])
    for frame in frames.values():
        frame["region_id"] = np.arange(N) % 4
    assert find_ids(frames)["first"].column == "customer_id"
    assert "region_id=0" in Views(frames).feature_names[0].tolist()


def test_several_columns_that_could_be_the_ids_are_asked_about():
    frames, _ = customers([f"C{i}" for i in range(N)])
    for frame in frames.values():
        frame["order_id"] = frame["customer_id"].str.replace("C", "D")
    with pytest.raises(ViewsError, match="several columns could be the ids: 'customer_id', 'order_id'") as caught:
        Views(frames)
    assert caught.value.parameter == "ids"
    with pytest.warns(UnusedColumnsWarning, match="'order_id'"):
        assert Views(frames, ids="customer_id").id_name == "customer_id"
    with pytest.raises(ViewsError, match="no column 'nobody' for the ids"):
        Views(frames, ids="nobody")


def test_duplicates_are_named_with_their_rows():
    frames, _ = customers([f"C{i}" for i in range(N)])
    frames["first"].loc[5, "customer_id"] = "C1"
    with pytest.raises(ViewsError, match=r"'first' has the same id in several rows: 'C1' in rows 1, 5"):
        Views(frames)


def test_ids_of_mixed_types_are_an_error():
    frames, _ = customers([i if i % 2 else f"C{i}" for i in range(N)])
    with pytest.raises(
        ViewsError, match=r"ids of mixed types in 'customer_id': 1 in row 1 is a number, 'C0' in row 0 is text"
    ):
        Views(frames, ids="customer_id")


def test_an_index_made_on_purpose_holds_the_ids_and_keeps_its_name():
    frames, _ = customers([f"C{i}" for i in range(N)], name="customer")
    indexed = {name: frame.set_index("customer") for name, frame in frames.items()}
    assert Views(indexed).id_name == "customer"
    np.testing.assert_allclose(Views(indexed).arrays[1], Views(frames).arrays[1])
    mixed = {"first": indexed["first"], "second": frames["second"]}
    np.testing.assert_allclose(Views(mixed).arrays[1], Views(frames).arrays[1])


def test_samples_missing_from_a_table_are_counted_and_kept_if_asked():
    frames, _ = customers([f"C{i}" for i in range(N)])
    frames["second"] = frames["second"].iloc[:48]
    with pytest.raises(
        ViewsError, match=r"12 samples missing from view 'second'.*Of 60 samples, 48 are in every view"
    ) as caught:
        Views(frames)
    assert caught.value.value == ("keep", "drop")
    kept = Views(frames, missing="keep")
    assert kept.present.sum(axis=0).tolist() == [60, 48]
    assert len(Views(frames, missing="drop")) == 48


def test_regression_an_index_saved_beside_ids_is_not_the_ids():
    ids = [f"C{i:03d}" for i in range(40)]
    saved = pd.DataFrame({"Unnamed: 0": range(40), "customer": ids, "age": np.arange(40.0)})
    other = pd.DataFrame({"customer": [f"X{i}" for i in range(40)], "calls": np.arange(40.0)})
    with pytest.raises(ViewsError, match="it has 'C000', 'C001', 'C002', the others 'X0'"):
        Views({"profile": saved, "usage": other}, missing="keep")


def test_three_ids_of_each_view_are_named_if_none_match():
    views = {name: pd.DataFrame({"x": range(6)}, index=[f"{name}{i}" for i in range(6)]) for name in "ab"}
    with pytest.raises(ViewsError, match=r"it has 'a0', 'a1', 'a2', the others 'b0', 'b1', 'b2'\."):
        Views(views)
