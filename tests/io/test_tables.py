"""CSV, TSV and Parquet: one table per view joined on ids, or one table in groups of columns."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from viewfuse import ViewsError, ViewsFormatError, load_views
from viewfuse.exceptions import (
    EmptyCellsWarning,
    SingleViewWarning,
    UnmatchedSamplesWarning,
    UnusedColumnsWarning,
    ViewsTypeError,
)

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two views of the samples ann, bob and cat, in different orders and formats, and labels in a third file."""
    (tmp_path / "audio.csv").write_text("id,a1,a2\nann,1,2\nbob,3,4\ncat,5,6\n")
    (tmp_path / "image.tsv").write_text("id\ti1\ncat\t0.3\nann\t0.1\nbob\t0.2\n")
    (tmp_path / "labels.csv").write_text("id,species\nbob,dog\ncat,cat\nann,dog\n")
    (tmp_path / "README.md").write_text("not a view")
    return tmp_path


def test_tables_of_a_folder_are_joined_on_ids_not_on_position(folder: Path) -> None:
    views = load_views(folder)
    assert views.names == ("audio", "image")
    assert views.ids.tolist() == ["ann", "bob", "cat"]
    np.testing.assert_array_equal(views.view("image").ravel(), [0.1, 0.2, 0.3])
    assert views.y.tolist() == ["dog", "dog", "cat"]
    assert views.feature_names[0].tolist() == ["a1", "a2"]
    assert load_views(folder, labels=False).y is None
    assert load_views(folder, views=["image"]).names == ("image",)


def test_a_list_and_a_mapping_of_files(folder: Path) -> None:
    paths = [folder / "image.tsv", folder / "audio.csv"]
    assert load_views(paths).names == ("image", "audio")
    assert load_views(paths).ids.tolist() == ["cat", "ann", "bob"]
    named = load_views({"sound": str(paths[1]), "picture": paths[0]})
    assert named.names == ("sound", "picture")


def test_parquet_with_an_index_or_an_id_column_is_joined_with_csv(folder: Path) -> None:
    frame = pd.DataFrame({"t1": [1.5, 2.5, 3.5]}, index=["bob", "cat", "ann"])
    frame.to_parquet(folder / "text.parquet")
    frame.reset_index(names="sample_id").to_parquet(folder / "more.parquet", index=False)
    views = load_views(folder)
    assert views.names == ("audio", "image", "more", "text")
    np.testing.assert_array_equal(views.view("text").ravel(), [3.5, 1.5, 2.5])
    np.testing.assert_array_equal(views.view("more"), views.view("text"))


def test_samples_missing_from_a_view(folder: Path) -> None:
    (folder / "image.tsv").write_text("id\ti1\ncat\t0.3\ndan\t0.4\nann\t0.1\n")
    (folder / "labels.csv").unlink()
    expected = r"1 sample missing from view 'audio': 'dan'; 1 sample missing from view 'image': 'bob'"
    with pytest.raises(ViewsError, match=expected) as caught:
        load_views(folder)
    assert (caught.value.view, caught.value.parameter, caught.value.value) == ("audio", "missing", ("keep", "drop"))
    assert "missing=" not in caught.value.problem
    dropped = load_views(folder, missing="drop")
    assert dropped.ids.tolist() == ["ann", "cat"]
    assert dropped.present is None
    kept = load_views(folder, missing="keep")
    assert kept.ids.tolist() == ["ann", "bob", "cat", "dan"]
    np.testing.assert_array_equal(kept.present, [[True, True], [True, False], [True, True], [False, True]])
    assert np.isnan(kept.view("image")[1]).all()
    assert np.isnan(kept.view("audio")[3]).all()
    with pytest.raises(ViewsError, match="'error', 'keep' or 'drop', not 'ignore'") as caught:
        load_views(folder, missing="ignore")
    assert (caught.value.parameter, caught.value.value) == ("missing", ("error", "keep", "drop"))


@pytest.mark.parametrize("missing", ["error", "keep", "drop"])
def test_views_without_common_ids_are_an_error_whatever_is_asked(folder: Path, missing: str) -> None:
    (folder / "image.tsv").write_text("id\ti1\ndan\t0.4\n")
    with pytest.raises(ViewsError, match=r"3 ids of view 'audio', none is in another view.*others 'dan'") as caught:
        load_views(folder, missing=missing, labels=False)
    assert caught.value.parameter == "ids"


def test_ids_of_only_some_views_are_an_error(folder: Path) -> None:
    (folder / "image.tsv").write_text("i1\ti2\n0.1\t1\n0.2\t1\n0.3\t1\n")
    with pytest.raises(ViewsError, match="'audio' has sample ids, but 'image' has none") as caught:
        load_views(folder, labels=False)
    assert (caught.value.view, caught.value.parameter) == ("image", "ids")


def test_without_any_ids_rows_are_matched_by_position_and_this_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y1\n1,2\n3,4\n")
    (tmp_path / "b.csv").write_text("5,6,7\n8,9,10\n")  # no header either
    with pytest.warns(UnmatchedSamplesWarning, match="rows of 'a', 'b' are matched by position"):
        views = load_views(tmp_path)
    assert views.ids is None
    np.testing.assert_array_equal(views.view("b"), [[5, 6, 7], [8, 9, 10]])
    (tmp_path / "b.csv").write_text("5,6,7\n")
    with pytest.raises(ViewsError, match=r"same number of samples.*no column was found that says which row"):
        load_views(tmp_path)


def test_repeated_and_blank_ids_are_an_error(folder: Path) -> None:
    (folder / "audio.csv").write_text("id,a1\nann,1\nann,2\ncat,3\n")
    with pytest.raises(ViewsError, match="'audio' has the same id in several rows: 'ann'"):
        load_views(folder)
    (folder / "audio.csv").write_text("id,a1\nann,1\n,2\ncat,3\n")
    with pytest.raises(ViewsError, match="'audio' has no id in row 1"):
        load_views(folder)


def test_ids_keep_their_spelling(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,x\n007,1\n010,2\nNA,3\n")
    (tmp_path / "b.csv").write_text("patientID,z\n010,2\nNA,3\n007,1\n")
    views = load_views(tmp_path)
    assert views.ids.tolist() == ["007", "010", "NA"]
    np.testing.assert_array_equal(views.view("a"), views.view("b"))


def test_number_ids_of_parquet_match_text_ids_of_csv(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,x\n1,1\n2,2\n")
    pd.DataFrame({"id": [2, 1], "z": [2, 1]}).to_parquet(tmp_path / "b.parquet", index=False)
    views = load_views(tmp_path)
    np.testing.assert_array_equal(views.view("a"), views.view("b"))


def test_a_first_column_of_text_or_without_a_name_is_the_id(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [1, 2], "z": [3, 4]}, index=["p", "q"])
    frame.to_csv(tmp_path / "a.csv")
    frame[::-1].to_csv(tmp_path / "b.csv", index_label="who", sep=";")
    views = load_views(tmp_path)
    assert views.ids.tolist() == ["p", "q"]
    np.testing.assert_array_equal(views.view("a"), views.view("b"))
    assert load_views({"b": tmp_path / "b.csv"}, ids="who").ids.tolist() == ["q", "p"]
    with pytest.raises(ViewsFormatError, match=r"a\.csv: there is no column 'who' for the ids") as caught:
        load_views(tmp_path, ids="who")
    assert (caught.value.parameter, caught.value.value) == ("ids", ("Unnamed: 0", "x", "z"))


def test_row_names_as_r_writes_them(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("x\tz\np\t1\t2\nq\t3\t4\n")
    assert load_views([tmp_path / "a.tsv"]).ids.tolist() == ["p", "q"]
    (tmp_path / "a.tsv").write_text("x\tz\n007\t1\t2\n010\t3\t4\n")
    assert load_views([tmp_path / "a.tsv"]).ids.tolist() == ["007", "010"]
    assert load_views(tmp_path / "a.tsv", views="*").ids.tolist() == ["007", "010"]


def test_samples_as_columns(tmp_path: Path) -> None:
    (tmp_path / "rna.csv").write_text("gene,p,q\nG1,1,2\nG2,3,4\nG3,5,6\n")
    (tmp_path / "snp.csv").write_text("site,q,p\nM1,8,7\n")
    views = load_views(tmp_path, samples="columns")
    assert views.ids.tolist() == ["p", "q"]
    np.testing.assert_array_equal(views.view("rna"), [[1, 3, 5], [2, 4, 6]])
    np.testing.assert_array_equal(views.view("snp").ravel(), [7, 8])
    assert views.feature_names[0].tolist() == ["G1", "G2", "G3"]


def test_labels_in_several_tables_must_agree(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,x,label\n1,5,A\n2,6,B\n")
    (tmp_path / "b.csv").write_text("id,z,label\n2,6,B\n1,5,A\n")
    assert load_views(tmp_path).y.tolist() == ["A", "B"]
    (tmp_path / "b.csv").write_text("id,z,label\n2,6,A\n1,5,A\n")
    with pytest.raises(ViewsError, match=r"'a' and 'b' have different labels for row 1 \(id '2'\)"):
        load_views(tmp_path)


def test_a_sample_without_a_label_is_named(folder: Path) -> None:
    (folder / "labels.csv").write_text("id,species\nbob,dog\nann,dog\n")
    with pytest.raises(ViewsError, match=r"1 of 3 samples have no label in 'labels'; the first is row 2 \(id 'cat'\)"):
        load_views(folder)


def test_two_labels_for_one_id_are_an_error(folder: Path) -> None:
    (folder / "labels.csv").write_text("id,species\nbob,dog\nann,dog\ncat,cat\nann,cat\n")
    with pytest.raises(ViewsError, match="'labels' has labels for the same id in several rows"):
        load_views(folder)


def test_two_columns_that_could_be_ids_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("patient_id,sample_id,x\n1,11,5\n2,12,6\n")
    with pytest.raises(
        ViewsFormatError, match=r"several columns could be the ids: 'patient_id', 'sample_id'.*ids="
    ) as caught:
        load_views(tmp_path)
    assert (caught.value.parameter, caught.value.value) == ("ids", ("patient_id", "sample_id"))


def test_two_columns_that_could_be_labels_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,label,class,x\n1,a,b,5\n2,a,b,6\n")
    with pytest.raises(ViewsFormatError, match="Several columns could be the labels: 'label', 'class'") as caught:
        load_views(tmp_path)
    assert (caught.value.parameter, caught.value.value) == ("labels", ("label", "class", False))


def test_labels_that_cannot_be_matched_are_an_error(folder: Path) -> None:
    for text, reason in [
        ("label\ndog\ndog\ncat\n", "The views have ids, but the labels do not"),
        ("id,species,age\nbob,dog,1\nann,dog,2\ncat,cat,3\n", "must have one column besides the ids, not 'species', 'age'"),
        ("species\ndog\ndog\ncat\n", "The views have ids, but the labels do not"),
    ]:
        (folder / "labels.csv").write_text(text)
        with pytest.raises(ViewsError, match=reason) as caught:
            load_views(folder, ids="id" if "age" in text else None)
        assert caught.value.parameter == "labels"
        assert False in caught.value.value


def test_a_chosen_label_column_that_no_table_has_is_an_error(folder: Path, tmp_path: Path) -> None:
    (folder / "labels.csv").unlink()
    for source, options in [(folder, {}), (folder / "audio.csv", {"views": "*"})]:
        with pytest.raises(ViewsError, match="column 'kind' for the labels") as caught:
            load_views(source, labels="kind", **options)
        assert caught.value.parameter == "labels"


def test_a_feature_with_one_text_value_does_not_become_ids(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,z\n1,5\noops,6\n3,7\n")
    with pytest.raises(ViewsFormatError, match=r"a\.csv: .*column 'x' has 2 different numbers, but in row 1 'oops'"):
        load_views(tmp_path)


def test_column_numbers_written_by_pandas_are_a_header(tmp_path: Path) -> None:
    pd.DataFrame(np.eye(3)).to_csv(tmp_path / "a.csv", index=False)
    np.testing.assert_array_equal(load_views(tmp_path).arrays[0], np.eye(3))


@pytest.mark.parametrize("first_line", ["ann,1.5,2", "1.5,ann,2", "ann,0,1", ",1.5,2", "x,NA,z", "x,,z", "'a b',1e3,nan"])
def test_a_first_line_that_could_be_a_sample_is_an_error(tmp_path: Path, first_line: str) -> None:
    path = tmp_path / "made.csv"
    path.write_text(f"{first_line}\nbob,3,4\n")
    with pytest.raises(ViewsFormatError, match=r"made\.csv: the first line could be a header or a sample.*such as id,x1,x2"):
        load_views([path])


@pytest.mark.parametrize(
    ("header", "n_samples"),
    [
        ("id,x,z", 2),
        ("sample,400,402", 2),
        (",x,z", 2),
        (",0,1", 2),
        ('"Smith, 2010",x,z', 2),
        ("who,Na,Al", 2),
        ("0,1,2", 2),
    ],
)
def test_first_lines_that_are_headers(tmp_path: Path, header: str, n_samples: int) -> None:
    path = tmp_path / "made.csv"
    path.write_text(f"{header}\n10,1,2\n20,3,4\n")
    assert len(load_views([path])) == 2


def test_a_line_of_numbers_and_missing_values_is_not_a_header(tmp_path: Path) -> None:
    path = tmp_path / "made.csv"
    path.write_text("5,,7\n8,9,NA\n2,9,1\n")
    with pytest.warns(EmptyCellsWarning):
        views = load_views([path])
    np.testing.assert_array_equal(views.arrays[0], [[5, 9, 7], [8, 9, 4], [2, 9, 1]])


@pytest.mark.parametrize(
    "text", ["x z\n1 2\n3 4\n", "x   z\n1.0   2\n3   4\n", "x|z\n1|2\n3|4\n", "x\tz\n1\t2\n3\t4\n", "x;z\n1,0;2\n3,0;4\n"]
)
def test_other_separators(tmp_path: Path, text: str) -> None:
    path = tmp_path / "made.txt"
    path.write_text(text)
    np.testing.assert_array_equal(np.sort(load_views([path], types={"x": "number"}).arrays[0], axis=0).shape, (2, 2))
    path.write_text("body mass\n1\n2\n")
    assert len(load_views([path])) == 2


@pytest.mark.parametrize("mark", ["IM", "MI"])
def test_a_table_with_the_bytes_of_matlabs_byte_order_is_a_table(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "made.csv"
    header = "id,x,".ljust(126, "z") + mark
    path.write_text(f"{header}\nann,1,2\n")
    assert load_views([path]).feature_names[0][1].endswith(mark)


# --- one table -------------------------------------------------------------------------------------------------------

ONE = "id,audio_1,audio_2,image-1,image-2,age,label\nann,1,2,3,4,50,x\nbob,5,6,7,8,60,y\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "all.csv"
    path.write_text(ONE)
    return path


@pytest.mark.parametrize(
    "rules",
    [
        ["audio:2-3", "image:4-5", "age:6-6"],
        ["audio:audio_1-audio_2", "image:image-1-image-2", "age:age"],
        ["audio_*", "image-*", "age:age*"],
        {"audio": ["audio_1", "audio_2"], "image": "4-5", "age": slice(4, 5)},
    ],
)
def test_groups_of_columns(table: Path, rules) -> None:
    views = load_views(table, views=rules)
    assert views.names == ("audio", "image", "age")
    np.testing.assert_array_equal(views.view("audio"), [[1, 2], [5, 6]])
    np.testing.assert_array_equal(views.view("image"), [[3, 4], [7, 8]])
    assert views.ids.tolist() == ["ann", "bob"]
    assert views.y.tolist() == ["x", "y"]


def test_columns_in_no_view_are_named_in_a_warning(table: Path) -> None:
    with pytest.warns(UnusedColumnsWarning, match="not used: 'image-1', 'image-2', 'age'") as caught:
        load_views(table, views=["audio_*"])
    assert (caught[0].message.parameter, caught[0].message.value) == ("views", ("image-1", "image-2", "age"))


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        ([], "No view is named"),
        (["audio"], "'audio' is neither NAME:FIRST-LAST"),
        (["text_*"], "No column begins with 'text_'"),
        (["a:1-3"], "'1-3' includes column 'id', which holds ids or labels"),
        (["a:5-9"], "'5-9' is outside the columns 1 to 7"),
        (["a:3-2"], "The last column of '3-2' comes before the first"),
        (["a:no-where"], "'no-where' is not FIRST-LAST"),
        (["a:2-3", "a:4-5"], "'a' is given twice"),
    ],
)
def test_bad_groups_of_columns_are_an_error(table: Path, rules, reason: str) -> None:
    with pytest.raises(ViewsFormatError, match=rf"all\.csv: .*{reason}") as caught:
        load_views(table, views=rules)
    assert caught.value.parameter == "views"
    assert "views=" not in caught.value.problem


def test_one_table_is_one_view_and_groups_of_its_columns_are_suggested(table: Path) -> None:
    with pytest.warns(SingleViewWarning, match=r"audio_\* \(2 columns\), image-\* \(2 columns\)") as caught:
        assert load_views(table).names == ("all",)
    warning = caught[0].message
    assert warning.value == (["audio_*", "image-*"], "*")
    for offered in warning.value:
        with pytest.warns(UnusedColumnsWarning) if offered != "*" else nullcontext():
            assert load_views(table, views=offered).n_views == len(offered)


def test_a_frame_is_grouped_in_the_same_way_and_not_changed(table: Path) -> None:
    frame = pd.read_csv(table)
    before = frame.copy()
    views = load_views(frame, views=["audio_*", "image-*", "age:6"])
    assert views.names == ("audio", "image", "age")
    assert views.y.tolist() == ["x", "y"]
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("id,a\nann,1\nbob,tall\n", "column 'a' has 1 different number, but in row 1 'tall'"),
        ("id,a\nann,1\nbob,2,3,4\n", "damaged or cut short"),
        ("id,a\n", "has no rows"),
    ],
)
def test_bad_tables_are_an_error(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "made.csv"
    path.write_text(text)
    with pytest.raises(ViewsFormatError, match=rf"made\.csv: .*{reason}"):
        load_views(path, views="*")


def test_a_truncated_parquet_file(tmp_path: Path) -> None:
    path = tmp_path / "made.parquet"
    pd.DataFrame({"a": range(100)}).to_parquet(path)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(ViewsFormatError, match=r"made\.parquet"):
        load_views(path, views="*")


def test_sources_that_are_not_tables(tmp_path: Path) -> None:
    with pytest.raises(ViewsError, match=r"has no tables"):
        load_views(tmp_path)
    np.savez(tmp_path / "a.npz", X1=np.ones((2, 2)))
    with pytest.raises(ViewsError, match=r"a\.npz: in a list, an \.npz file must hold one sparse matrix"):
        load_views([tmp_path / "a.npz"])
    with pytest.raises(ViewsTypeError, match="load_views reads files"):
        load_views([np.ones((2, 2))])
    with pytest.raises(ViewsTypeError, match="got int"):
        load_views(7)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.csv").write_text("id,x\n1,2\n")
    with pytest.raises(ViewsError, match="Several files have the name 'a'"):
        load_views([tmp_path / "one" / "a.csv", tmp_path / "two" / "a.csv"])


def test_options_without_effect_are_an_error(table: Path, folder: Path) -> None:
    with pytest.raises(
        ViewsError, match=r"In a DataFrame every sample is in every view.*Leave missing='drop' out"
    ) as caught:
        load_views(pd.read_csv(table), views="*", missing="drop")
    assert caught.value.parameter == "missing"
    with pytest.raises(ViewsError, match=r"In .*all\.csv every sample is in every view.*Leave missing='keep' out"):
        load_views(table, views="*", missing="keep")
    with pytest.raises(ViewsTypeError, match="chosen by the names of the tables, not by a mapping") as caught:
        load_views([folder / "audio.csv"], views={"audio": [0]})
    assert caught.value.parameter == "views"
    with pytest.raises(ViewsError, match="no table 'text'; the tables are 'audio'") as caught:
        load_views([folder / "audio.csv"], views=["text"])
    assert (caught.value.view, caught.value.parameter, caught.value.value) == ("text", "views", ("audio",))
    with pytest.raises(ViewsError, match=r"samples of a DataFrame must be its rows.*df\.T") as caught:
        load_views(pd.read_csv(table), views="*", samples="columns")
    assert caught.value.parameter == "samples"


def test_saved_row_numbers_do_not_match_samples(tmp_path):
    frame = pd.DataFrame({"x": np.cos(np.arange(50)), "z": np.sin(np.arange(50))})
    frame.to_csv(tmp_path / "a.csv")
    frame.iloc[10:].reset_index(drop=True).to_csv(tmp_path / "b.csv")
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for missing in ("error", "drop", "keep"):
        with pytest.raises(ViewsError, match=r"'a' 50, 'b' 40.*no column was found that says which row is which"):
            load_views(files, missing=missing)
    frame.to_csv(tmp_path / "b.csv", index=False)
    with pytest.warns(UnmatchedSamplesWarning, match="matched by position"), pytest.warns(UnusedColumnsWarning):
        assert load_views(files).ids is None
