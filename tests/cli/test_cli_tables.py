"""Several tables on the command line: ids, missing samples, types, and problems."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
pytest.importorskip("openpyxl")

N = 90

pytestmark = pytest.mark.filterwarnings("default::viewfuse.exceptions.ViewfuseWarning")  # the command prints them


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Three tables about the same customers; a fifth of them has not answered the survey."""
    rng = np.random.default_rng(0)
    cluster = np.arange(N) % 3
    ids = np.array([f"C{i:03d}" for i in range(N)])
    profile = pd.DataFrame(
        {
            "customer": ids,
            "age": (np.array([25, 45, 65])[cluster] + rng.normal(0, 3, N)).round(),
            "income": np.exp(np.array([8, 9.5, 11])[cluster] + rng.normal(0, 0.3, N)).round(2),
            "sex": rng.choice(["F", "M"], N),
            "zip": rng.integers(1000, 1004, N),
        }
    )
    usage = pd.DataFrame({f"f{i}": rng.poisson((cluster + i) % 3 * 7.0 + 2) for i in range(4)}, dtype=float)
    usage = usage.mask(rng.random(usage.shape) < 0.05)
    usage.insert(0, "customer", ids)
    survey = pd.DataFrame({"customer": ids, "q1": np.array(["never", "sometimes", "always"])[cluster]}).iloc[: 4 * N // 5]
    profile.to_csv(tmp_path / "profile.csv", index=False)
    usage.sample(frac=1, random_state=0).to_parquet(tmp_path / "usage.parquet", index=False)
    survey.sample(frac=1, random_state=1).to_excel(tmp_path / "survey.xlsx", index=False)
    return [tmp_path / name for name in ("profile.csv", "usage.parquet", "survey.xlsx")]


def test_several_files_are_clustered_and_the_id_keeps_its_name(files: list[Path], tmp_path: Path, command: Callable) -> None:
    output, results, page = tmp_path / "out.csv", tmp_path / "fit.npz", tmp_path / "page.html"
    ended = command("cluster", *files, "-k", 3, "--missing", "keep", "-o", output, "--save", results)
    assert ended.code == 0, ended.err
    assert "90 samples" in ended.out
    assert "Empty cells were filled" in ended.err
    labels = pd.read_csv(output).set_index("customer")["label"]
    cluster = pd.Series(np.arange(N) % 3, [f"C{i:03d}" for i in range(N)])
    assert pd.crosstab(labels, cluster.loc[labels.index]).max(axis=1).sum() > 0.95 * N
    ended = command("report", results, *files, "--missing", "keep", "-o", page)
    assert ended.code == 0, ended.err
    assert "income" in page.read_text()


def test_missing_samples_are_counted_and_the_exact_command_is_offered(files: list[Path], command: Callable) -> None:
    ended = command("cluster", *files, "-k", 3)
    assert ended.code == 2
    assert "18 samples missing from view 'survey'" in ended.err
    assert f"viewfuse cluster {' '.join(map(str, files))} -k 3 --missing keep" in ended.err
    assert command("cluster", *files, "-k", 3, "--missing", "drop").code == 0


def test_info_shows_every_column(files: list[Path], command: Callable) -> None:
    ended = command("info", *files, "--missing", "keep", "--json", "--type", "zip=category")
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    assert found["id_name"] == "customer"
    columns = {row["column"]: row for row in found["columns"]}
    assert columns["zip"]["type"] == "category"
    assert columns["q1"]["type"] == "ordered"
    assert columns["f0"]["empty"] > 0
    shown = command("info", *files, "--missing", "keep").out
    assert all(word in shown for word in ("customer", "ordered", "category", "standardised"))


def test_an_order_of_values_can_be_given(files: list[Path], command: Callable) -> None:
    ended = command("info", files[0], "--type", "sex=F<M", "--type", "zip=ignore", "--json")
    columns = {row["column"]: row for row in json.loads(ended.out)["columns"]}
    assert columns["sex"]["type"] == "ordered"
    assert columns["zip"]["left_out"] == "its type was set to ignore"
    ended = command("info", files[0], "--type", "sex")
    assert ended.code == 2
    assert "--type" in ended.err


def test_compare_takes_several_files(files: list[Path], command: Callable) -> None:
    ended = command("compare", *files, "-k", 3, "-m", "km,sc", "--missing", "drop", "--json")
    assert ended.code == 0, ended.err
    assert [row["method"] for row in json.loads(ended.out)["methods"]] == ["km", "sc"]


def test_regression_ids_that_differ_in_case_and_blanks(files: list[Path], tmp_path: Path, command: Callable) -> None:
    usage = pd.read_parquet(files[1])
    usage["customer"] = usage["customer"].str.lower() + " "
    usage.to_csv(tmp_path / "usage.csv", index=False)
    ended = command("cluster", files[0], tmp_path / "usage.csv", "-k", 3, "--missing", "keep")
    assert ended.code == 2
    assert "none is in another view" in ended.err
    assert "--loose-ids" in ended.err
    assert command("cluster", files[0], tmp_path / "usage.csv", "-k", 3, "--loose-ids").code == 0


def test_regression_info_lists_all_problems_of_all_files_at_once(
    files: list[Path], tmp_path: Path, command: Callable
) -> None:
    profile = pd.read_csv(files[0]).astype({"age": object})
    profile.loc[3, "customer"] = "C002"
    profile.loc[7, "age"] = "forty"
    profile["age"] = [f"{int(x)}.{i}" if x != "forty" else x for i, x in enumerate(profile["age"])]
    folder = tmp_path / "folder"
    folder.mkdir()
    profile.to_csv(folder / "profile.csv", index=False)
    usage = pd.read_parquet(files[1])
    usage.loc[usage.index[4], "customer"] = None
    usage.to_csv(folder / "usage.csv", index=False)
    (folder / "broken.csv").write_text("")
    ended = command("info", folder)
    assert ended.code == 2
    expected = (
        "4 problems",
        "broken.csv: the file is empty",
        "'forty'",
        "--type age=number",
        "'C002' in rows 2, 3",
        "no id in row 4",
    )
    assert [fact for fact in expected if fact not in ended.err] == []


@pytest.mark.parametrize(
    ("contents", "fact"),
    [
        ({"a.csv": "This is a letter.\nIt is no table.\n"}, "no column that can be used"),
        ({"a.csv": "id\n1\n2\n"}, "no column besides the ids"),
        ({"a.csv": "id,x\n1,\n2,\n"}, "every cell is empty"),
        ({"a.csv": "id,x\n1,2\n2,3\n", "b.csv": "id,z\n7,2\n8,3\n"}, "none is in another view"),
        ({"a.csv": "x,z\n1,2\n2,3\n", "b.csv": "v,w\n7,2\n8,3\n9,9\n"}, "no column was found that says which row"),
        ({"a.csv": b"\x00\x01\x02\x03" * 50}, "none of the formats"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(tmp_path: Path, command: Callable, contents: dict, fact: str) -> None:
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    ended = command("cluster", *(tmp_path / name for name in contents), "-k", 2)
    assert ended.code == 2
    assert fact in ended.err
    assert ended.err.count("\n") == 1


def test_one_table_is_one_view_with_a_hint(tmp_path: Path, command: Callable) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        rng.normal(size=(40, 4)) + (np.arange(40) % 2)[:, None] * 8, columns=["tx_1", "tx_2", "web_1", "web_2"]
    )
    frame.assign(kind=np.where(np.arange(40) % 2, "a", "b")).to_csv(tmp_path / "all.csv", index=False)
    ended = command("cluster", tmp_path / "all.csv", "-k", 2)
    assert ended.code == 0, ended.err
    assert "--views 'tx_*' --views 'web_*'" in ended.err
    ended = command("cluster", tmp_path / "all.csv", "-k", 2, "--views", "tx_*", "--views", "rest:web_1-kind", "--json")
    assert [view["name"] for view in json.loads(ended.out)["views"]] == ["tx", "rest"]
