"""The whole run: killed and resumed, in one process or two, and the files it writes."""

import csv
import hashlib
import json
import re
import time
from dataclasses import replace

import numpy as np
import pytest
import scipy.io

from viewfuse import datasets
from viewfuse._utils.store import Store
from viewfuse.cli import reproduce as command
from viewfuse.cli._progress import cells_bar
from viewfuse.datasets import catalogue, make_views
from viewfuse.exceptions import ParameterError, ViewsError
from viewfuse.experiments import PAPER_DATASETS, printed_table, reproduce
from viewfuse.experiments.page import Bullets, Code, Figure, Heading, TableBlock, TableCell, Text, as_html
from viewfuse.experiments.protocol import METRICS
from viewfuse.experiments.summary import Comparison

METHODS = ("km", "gfsc")
TABLES = ("tables.csv", "tables.json", "table-tiny.tex", "sensitivity-tiny.svg", "sensitivity-tiny.png", "rows-tiny.svg")


@pytest.fixture(scope="module")
def undisturbed(tiny, tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    seen = []
    reproduce(folder, datasets=[str(tiny)], methods=METHODS, quick=True, on_cell=seen.append)
    return folder, seen


def tables(folder):
    return {name: (folder / name).read_bytes() for name in TABLES}


def lines(folder):
    path = folder / "cells.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_a_killed_and_resumed_run_writes_the_same_tables(undisturbed, started, tmp_path):
    arguments = (tmp_path, "--quick", "-m", ",".join(METHODS), "-w", 2)
    for enough in (3, 8):
        run = started(*arguments)
        while lines(tmp_path) < enough and run.poll() is None:
            time.sleep(0.01)
        run.kill()
        run.communicate(timeout=60)
        assert not (tmp_path / "tables.csv").exists()
    run = started(*arguments)
    out, err = run.communicate(timeout=120)
    assert run.returncode == 0, err
    assert out == f"page written to {tmp_path / 'index.html'}\n"
    assert err == ""  # no progress bar without a terminal
    assert tables(tmp_path) == tables(undisturbed[0])
    keys = [
        json.loads(line)["result"]["key"] for line in (tmp_path / "cells.jsonl").read_text().splitlines() if "key" in line
    ]
    assert len(keys) == len(set(keys)) == len(undisturbed[1])


def test_a_second_run_in_the_same_folder_is_refused(started, tmp_path):
    with Store.opened(tmp_path):
        run = started(tmp_path, "--quick", "-m", "km", "-w", 1)
        out, err = run.communicate(timeout=120)
    assert run.returncode == 2
    assert out == ""
    assert err.startswith("viewfuse: Another run is writing to ")


def test_a_finished_run_computes_nothing(undisturbed, tiny):
    folder, seen = undisturbed
    before = tables(folder)
    reproduce(folder, datasets=[str(tiny)], methods=METHODS, quick=True, on_cell=lambda _: pytest.fail("computed again"))
    assert tables(folder) == before
    assert [p.done for p in seen] == list(range(1, len(seen) + 1))
    assert seen[-1].seconds_left == 0 < seen[0].seconds_left


def test_the_tables_contain_every_row_and_metric(undisturbed):
    records = json.loads((undisturbed[0] / "tables.json").read_text())
    rows = {(r["row"], r["parameters_chosen_by"]) for r in records}
    oracle = {"KM", "GFSC"}
    assert {row for row, by in rows if "oracle" in by} == oracle
    assert {row for row, by in rows if "default" in by} == oracle
    assert len(records) == len(rows) * len(METRICS)
    with (undisturbed[0] / "tables.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == len(records)
    latex = (undisturbed[0] / "table-tiny.tex").read_text()
    assert latex.count(r"\\") == len(oracle) + 2
    assert all(line.count("&") == 13 for line in latex.splitlines() if line.startswith(("KM", "GFSC")))


def test_the_oracle_takes_the_point_with_the_best_mean_acc(undisturbed):
    results = [p for p in undisturbed[1] if p.cell.method == "gfsc" and not p.cell.default]
    best = max(sum(p.result["scores"]["acc"]) / 10 for p in results)
    records = json.loads((undisturbed[0] / "tables.json").read_text())
    (chosen,) = (r for r in records if r["row"] == "GFSC" and "oracle" in r["parameters_chosen_by"] and r["metric"] == "acc")
    assert chosen["mean"] == pytest.approx(best, abs=1e-4)
    assert chosen["grid_points"] == len(results)


def test_the_page_is_self_contained_and_says_how_it_was_made(undisturbed, tiny):
    page = (undisturbed[0] / "index.html").read_text()
    assert not re.search(r'(src|href)="(?!#|data:)', page)
    assert page.count("<svg") == 2
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert "BBC at the printed parameters" not in page  # BBC is not in this run
    for text in ("seeds 0 to 9", "numpy", "sha256", "inverse purity", "oracle", "default", "viewfuse.experiments.reproduce"):
        assert text in page
    assert (undisturbed[0] / "README.md").read_text().startswith("# GFSC")


def test_a_page_of_an_unfinished_run_says_what_is_missing(undisturbed, tiny, tmp_path):
    finished = (undisturbed[0] / "cells.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "cells.jsonl").write_text("".join(finished[:6]))
    reproduce(tmp_path, datasets=[str(tiny)], methods=METHODS, quick=True, page_only=True)
    page = (tmp_path / "README.md").read_text()
    assert "**Not finished.**" in page
    assert re.search(r"GFSC on tiny \(\d+\)", page)
    assert "KM on tiny" not in page
    assert (tmp_path / "cells.jsonl").read_text() == "".join(finished[:6])


def test_an_absent_data_set_is_named_with_the_command_that_downloads_it(tiny, tmp_path, monkeypatch):
    monkeypatch.setenv("VIEWFUSE_DATA", str(tmp_path))
    reproduce(tmp_path / "out", datasets=["Caltech20", str(tiny)], methods=["sc"], quick=True)
    page = (tmp_path / "out" / "README.md").read_text()
    assert "`viewfuse datasets fetch Caltech101-20`" in page
    assert all(f"| {row} |" in page for row in ("SC(1)", "SC(2)", "SC (its view chosen without labels)"))
    with pytest.raises(ViewsError, match=r"None of the data sets is in the data folder: Caltech20\..*fetch\('Caltech101"):
        reproduce(tmp_path / "out2", datasets=["Caltech20"])


@pytest.fixture
def standing_in_for_caltech20(tmp_path, monkeypatch):
    """A data folder with a small file in the place of Caltech20: twenty classes, six views, samples in columns of cells."""
    views = make_views(n_samples=80, n_clusters=20, n_features=(4, 5, 6, 7, 8, 9), noise=0.5, random_state=0)
    cells = np.empty((1, 6), dtype=object)
    cells[0, :] = views.arrays
    entry = datasets.describe("Caltech101-20")
    path = tmp_path / entry.file
    scipy.io.savemat(path, {"X": cells, "Y": views.y[:, None] + 1})
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    monkeypatch.setitem(catalogue._catalogue(), entry.name, replace(entry, sha256=digest))
    monkeypatch.setenv("VIEWFUSE_DATA", str(tmp_path))


@pytest.mark.usefixtures("standing_in_for_caltech20")
def test_the_table_of_caltech20_appears_once_its_file_is_there(tmp_path):
    reproduce(tmp_path / "out", datasets=["Caltech20"], methods=["km", "gfsc"], quick=True)
    page = (tmp_path / "out" / "README.md").read_text()
    assert "## Caltech20\n\n80 samples, 20 classes" in page
    assert "could not be run" not in page
    printed = printed_table("Caltech20")
    for row in ("KM", "GFSC"):
        mean, std = printed[row]["Acc"]
        (line,) = (text for text in page.splitlines() if text.startswith(f"| {row} |") and "paper" in text)
        assert f"paper {mean:.2f}({std:.2f})" in line
    optimum = dict(zip(("alpha", "beta", "gamma"), PAPER_DATASETS["Caltech20"].optimum, strict=True))
    with Store.opened(tmp_path / "out") as store:
        tried = [json.loads(key)[4] for key in store.results if '"gfsc"' in key]
    assert any(optimum.items() <= point.items() for point in tried)
    assert (tmp_path / "out" / "table-caltech20.tex").exists()
    assert (tmp_path / "out" / "sensitivity-caltech20.svg").exists()


def test_invalid_parameters_are_refused(tiny, tmp_path):
    with pytest.raises(ParameterError, match=r"No such method: nonsense.*There are: auto"):
        reproduce(tmp_path, datasets=[str(tiny)], methods=["nonsense"])
    with pytest.raises(ParameterError, match="workers"):
        reproduce(tmp_path, datasets=[str(tiny)], workers=0)


def test_within_means_at_most_the_sum_of_the_standard_deviations():
    assert Comparison((50.0, 2.0), (53.0, 1.0)).within
    assert not Comparison((50.0, 2.0), (53.1, 1.0)).within
    assert Comparison((50.0, 2.0), (53.0, 1.0)).difference == -3
    assert Comparison((99.3103, 0.0), (99.31, 0.0)).within  # as printed


def test_a_terminal_shows_the_time_left_and_a_line_per_cell(undisturbed):
    import io

    from rich.console import Console

    screen = io.StringIO()
    with cells_bar(command._line, console=Console(file=screen, force_terminal=True, width=120)) as show:
        for progress in undisturbed[1]:
            show(progress)
    shown = screen.getvalue()
    assert shown.count(":  Acc ") == len(undisturbed[1])
    assert "0 s left" in shown
    lines, piped = [], io.StringIO()
    with cells_bar(command._line, console=Console(file=piped), piped=lines.append) as show:
        show(undisturbed[1][0])
    assert len(lines) == 1
    assert piped.getvalue() == ""


def test_text_on_the_page_is_escaped(tmp_path):
    (tmp_path / "drawing.svg").write_text('<?xml?><svg><g id="a"/><use href="#a"/></svg>')
    blocks = [
        Heading(1, "a < b"),
        Text("**bold** and `x < y`"),
        TableBlock(["head & tail"], [[TableCell(("first", "<second>"), "within")], ["plain"]], [("group", 1)]),
        Figure("drawing", 'a "caption"'),
        Bullets(["one"]),
        Code("a && b"),
    ]
    page = as_html("<title>", blocks, tmp_path)
    for expected in (
        "<title>&lt;title&gt;</title>",
        "<h1>a &lt; b</h1>",
        "<p><strong>bold</strong> and <code>x &lt; y</code></p>",
        '<th class="group" colspan="1">group</th>',
        "<th>head &amp; tail</th>",
        '<td class="within">first<small>&lt;second&gt;</small></td>',
        "<td>plain</td>",
        '<svg><g id="drawing-a"/><use href="#drawing-a"/></svg><figcaption>a &#34;caption&#34;</figcaption>',
        "<li>one</li>",
        "<pre>a &amp;&amp; b</pre>",
    ):
        assert expected in page
