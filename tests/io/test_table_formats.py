"""Tables as people save them: separators, decimal commas, encodings, spreadsheets, compressed files."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from viewfuse import ViewsError, ViewsFormatError, load_views
from viewfuse.exceptions import SuspiciousValuesWarning, UnusedColumnsWarning, UnusedVariablesWarning, ViewfuseError
from viewfuse.io.table_files import read_table

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

N = 30
TABLE = pd.DataFrame(
    {
        "customer": [f"C{i:03d}" for i in range(N)],
        "income": np.round(np.exp(np.random.default_rng(0).normal(8, 1, N)), 2),
        "city": np.array(["Zürich", "Köln", "Genève"])[np.arange(N) % 3],
    }
)


@pytest.fixture(scope="module")
def expected() -> np.ndarray:
    return load_views({"table": TABLE}).arrays[0]


def german(frame) -> str:
    """Semicolons, decimal commas, points for thousands."""
    lines = ["customer;income;city"]
    for _, row in frame.iterrows():
        number = f"{row['income']:,.2f}".translate(str.maketrans(",.", ".,"))
        lines.append(f"{row['customer']};{number};{row['city']}")
    return "\n".join(lines) + "\n"


def zstandard() -> Any:
    return pytest.importorskip("zstandard", reason="zstandard is not installed: pip install 'viewfuse[tables]'")


WRITERS = {
    "comma.csv": lambda path: TABLE.to_csv(path, index=False),
    "tab.tsv": lambda path: TABLE.to_csv(path, index=False, sep="\t"),
    "pipe.txt": lambda path: TABLE.to_csv(path, index=False, sep="|"),
    "german.csv": lambda path: path.write_text(german(TABLE), encoding="utf-8"),
    "decimal.csv": lambda path: TABLE.to_csv(path, index=False, sep=";", decimal=","),
    "thousands.csv": lambda path: TABLE.assign(income=[f"{x:,.2f}" for x in TABLE["income"]]).to_csv(path, index=False),
    "currency.csv": lambda path: TABLE.assign(income=[f"€ {x:,.2f}" for x in TABLE["income"]]).to_csv(path, index=False),
    "bom.csv": lambda path: TABLE.to_csv(path, index=False, encoding="utf-8-sig"),
    "latin.csv": lambda path: TABLE.to_csv(path, index=False, encoding="latin-1"),
    "windows.csv": lambda path: TABLE.to_csv(path, index=False, encoding="utf-16"),
    "crlf.csv": lambda path: TABLE.to_csv(path, index=False, lineterminator="\r\n"),
    "zipped.csv.gz": lambda path: path.write_bytes(gzip.compress(TABLE.to_csv(index=False).encode())),
    "zipped.csv.bz2": lambda path: path.write_bytes(bz2.compress(TABLE.to_csv(index=False).encode())),
    "zipped.csv.xz": lambda path: path.write_bytes(lzma.compress(TABLE.to_csv(index=False).encode())),
    "zipped.csv.zst": lambda path: path.write_bytes(zstandard().compress(TABLE.to_csv(index=False).encode())),
    "table.parquet": lambda path: TABLE.to_parquet(path, index=False),
    "table.feather": lambda path: TABLE.to_feather(path),
    "table.arrow": lambda path: TABLE.to_feather(path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_formats(tmp_path: Path, expected: np.ndarray, name: str) -> None:
    path = tmp_path / name
    WRITERS[name](path)
    views = load_views([path])
    np.testing.assert_allclose(views.arrays[0], expected)
    assert views.ids.tolist() == TABLE["customer"].tolist()
    assert views.names == (name.partition(".")[0],)
    assert "city=Zürich" in views.feature_names[0].tolist()


def test_an_archive_with_one_table(tmp_path: Path, expected: np.ndarray) -> None:
    path = tmp_path / "table.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("inner.csv", TABLE.to_csv(index=False))
    np.testing.assert_allclose(load_views([path]).arrays[0], expected)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("other.csv", "id,x\n1,2\n")
    with pytest.raises(ViewsFormatError, match="holds 2 tables"):
        load_views(path)


@pytest.mark.parametrize(("suffix", "engine"), [("xlsx", "openpyxl"), ("ods", "odf")])
def test_spreadsheets(tmp_path: Path, expected: np.ndarray, suffix: str, engine: str) -> None:
    pytest.importorskip(engine)
    path = tmp_path / f"table.{suffix}"
    TABLE.to_excel(path, index=False, engine=engine)
    np.testing.assert_allclose(load_views([path]).arrays[0], expected)
    with pd.ExcelWriter(path, engine=engine) as book:
        TABLE.to_excel(book, sheet_name="customers", index=False)
        TABLE.to_excel(book, sheet_name="notes", index=False)
    with pytest.warns(UnusedVariablesWarning, match="sheet 'customers' is read; 'notes' are not used"):
        np.testing.assert_allclose(load_views([path]).arrays[0], expected)


def test_quoted_newlines_and_separators(tmp_path: Path) -> None:
    path = tmp_path / "made.csv"
    path.write_text('id,"the, age","place\nof birth"\na,1,"x\ny"\nb,2,z\nc,3,"x\ny"\nd,4,z\n')
    views = load_views([path])
    assert len(views) == 4
    assert views.feature_names[0][0] == "the, age"


def test_codes_with_leading_zeros_are_categories(tmp_path: Path) -> None:
    path = tmp_path / "made.csv"
    path.write_text("id,zip,x\n" + "".join(f"{i},{'00501' if i % 2 else '10115'},{i}\n" for i in range(20)))
    column = load_views([path]).encoding.tables[0].columns[0]
    assert (column.type, sorted(column.levels)) == ("category", ["00501", "10115"])


def test_none_is_a_level_and_not_an_empty_cell(tmp_path: Path) -> None:
    path = tmp_path / "made.csv"
    path.write_text("id,pain\n" + "".join(f"p{i},{['None', 'Mild', 'Severe'][i % 3]}\n" for i in range(30)))
    views = load_views([path])
    assert views.encoding.tables[0].columns[0].levels == ("None", "Mild", "Severe")


def test_regression_files_of_a_folder_are_read_or_named(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    TABLE[["customer", "income"]].to_csv(tmp_path / "a.csv", index=False)
    TABLE[["customer", "city"]].to_excel(tmp_path / "b.xlsx", index=False)
    TABLE.assign(income=TABLE["income"] + 1)[["customer", "income"]].to_feather(tmp_path / "c.feather")
    (tmp_path / "d.json").write_text("{}")
    (tmp_path / "notes about it.txt").write_text("These are tables.\nThey are nice, and many.\n")
    (tmp_path / "README.txt").write_text("Read me.\n")
    (tmp_path / "README.md").write_text("Read me.\n")
    with pytest.warns(UnusedVariablesWarning, match="1 file is not read: 'd.json'"):
        views = load_views(tmp_path)
    assert views.names == ("a", "b", "c")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("prose.csv", "This is a letter.\nIt is no table.\n", "no column that can be used"),
        ("empty.csv", "a,b\n,\n,\n", "no column that can be used"),
        ("one.csv", "id\n1\n2\n", "no column besides the ids"),
        ("wide.csv", ",".join(f"c{i}" for i in range(100_001)) + "\n" + ",".join(["1"] * 100_001) + "\n", "100,001 columns"),
    ],
)
def test_bad_tables(tmp_path: Path, name: str, content: str, reason: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(ViewfuseError, match=reason):
        load_views([path])


def test_columns_that_are_not_used_are_named_with_the_reason() -> None:
    frame = TABLE.assign(note=[f"customer {i} wrote a long letter to us" for i in range(N)], year=2020, nothing=None)
    with pytest.warns(UnusedColumnsWarning) as caught:
        load_views({"table": frame})
    said = str(caught[0].message)
    assert all(word in said for word in ("'note'", "free text", "'year'", "the same", "'nothing'", "every cell is empty"))


def test_frames_beside_arrays_are_refused_by_load_views() -> None:
    with pytest.raises(ViewsError, match="'b' is not a DataFrame"):
        load_views({"a": TABLE, "b": np.ones((N, 2))})


TITLES = {
    "padded": "Customers of 2020;;\n;;\n",
    "alone": "Customers of 2020\nexported on 1.1.2021\n\n",
    "comments": "# exported on 1.1.2021; by me\n# version 2\n",
}


@pytest.mark.parametrize("title", TITLES.values(), ids=TITLES)
def test_lines_above_the_header_are_not_read_and_named(tmp_path: Path, expected: np.ndarray, title: str) -> None:
    (tmp_path / "table.csv").write_text(title + TABLE.to_csv(index=False, sep=";"), encoding="utf-8")
    with pytest.warns(UnusedVariablesWarning, match=r"lines above the header are not read: '(Customers of 2020|# exported)"):
        views = load_views(tmp_path / "table.csv")
    np.testing.assert_allclose(views.arrays[0], expected)
    assert views.ids[0] == "C000"


def test_lines_above_the_header_of_a_sheet_are_not_read_and_named(tmp_path: Path, expected: np.ndarray) -> None:
    pytest.importorskip("openpyxl", reason="openpyxl is not installed: pip install 'viewfuse[tables]'")
    TABLE.to_excel(tmp_path / "table.xlsx", index=False, startrow=2)
    book = pytest.importorskip("openpyxl").load_workbook(tmp_path / "table.xlsx")
    book.active["A1"] = "Customers of 2020"
    book.save(tmp_path / "table.xlsx")
    with pytest.warns(UnusedVariablesWarning, match="2 lines above the header are not read: 'Customers of 2020'"):
        views = load_views(tmp_path / "table.xlsx")
    np.testing.assert_allclose(views.arrays[0], expected)


def test_rows_of_separators_below_a_table_are_not_samples(tmp_path: Path, expected: np.ndarray) -> None:
    (tmp_path / "table.csv").write_text(TABLE.to_csv(index=False, sep=";") + ";;\n" * 4, encoding="utf-8")
    views = load_views(tmp_path / "table.csv")
    np.testing.assert_allclose(views.arrays[0], expected)
    assert len(views.ids) == N


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        (b'[{"a": 1}, {"a": 2}]', "is JSON, not a table"),
        (b"<html><table><tr><td>1</td></tr></table>", "is HTML or XML, not a table"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "save it as .xlsx"),
        (b"x\n1\n2\n3\n", "the table has one column, 'x'"),
        (b"id\na\nb\nc\n", "no column besides the ids"),
    ],
)
def test_files_that_are_no_tables_are_named(tmp_path: Path, content: bytes, fact: str) -> None:
    (tmp_path / "table.xls").write_bytes(content)
    with pytest.raises(ViewsError, match=fact):
        load_views(tmp_path / "table.xls")


def test_ids_without_their_leading_zeros_are_matched_if_asked(tmp_path: Path) -> None:
    numbers = np.arange(N)
    pd.DataFrame({"id": [f"{i:04d}" for i in numbers], "x": numbers**2 % 7}).to_csv(tmp_path / "a.csv", index=False)
    pd.DataFrame({"id": numbers[::-1], "visits": numbers[::-1] % 5}).to_csv(tmp_path / "b.csv", index=False)
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    with pytest.raises(ViewsError, match="30 would be if case, blanks and leading zeros did not count"):
        load_views(files)
    views = load_views(files, loose_ids=True)
    assert views.ids[3] == "0003"
    assert views.arrays[1][3] == 3 % 5


@pytest.mark.parametrize(
    ("separator", "other", "expected"),
    [
        (";", ["3", "4", "5"], 1333),
        (",", ["1.033.061", "742", "1.200"], 1333),
        (";", ["0.5", "1.25", "3"], 1.333),
        (",", ["0.5", "1.25", "3"], 1.333),
    ],
)
def test_points_between_thousands_beside_small_whole_numbers(tmp_path, separator, other, expected):
    rows = zip(["a", "b", "c"], ["1.333", "756", "454"], other, strict=True)
    lines = [["id", "sales", "other"], *map(list, rows)]
    (tmp_path / "t.csv").write_text("\n".join(map(separator.join, lines)))
    assert read_table(tmp_path / "t.csv").frame["sales"].astype(float).tolist() == [expected, 756, 454]


def test_points_that_may_be_decimal_points_are_told(tmp_path):
    (tmp_path / "t.csv").write_text("id,sales,other\na,1.333,3\nb,756,4\nc,454,5\n")
    with pytest.warns(SuspiciousValuesWarning, match=r"'sales' has '756' and '1.333', whose point may be") as found:
        assert read_table(tmp_path / "t.csv").frame["sales"].tolist() == [1.333, 756, 454]
    assert found[0].message.hint == "If it divides thousands, write 1333."


def test_numbers_below_the_sample_may_be_written_otherwise(tmp_path):
    rows = [f"p{i};{1 + i % 9}.333" if i % 2 else f"p{i};{100 + i % 899}" for i in range(1_200)]
    (tmp_path / "t.csv").write_text("\n".join(["id;sales", *rows, "last;0.5"]))
    assert read_table(tmp_path / "t.csv").frame["sales"].iloc[-1] == "0.5"
