"""The code in the README, the documentation and the gallery runs, and prints what the pages show."""

from __future__ import annotations

import os
import re
import runpy
import shlex
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import pytest

import viewfuse
from viewfuse.datasets import load_digits_views, make_customers, make_views

ROOT = Path(__file__).resolve().parents[2]
PAGES = [page.relative_to(ROOT).as_posix() for page in (*ROOT.glob("*.md"), *sorted((ROOT / "docs").glob("*.md")))]
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))

pytest.importorskip("pandas")
pytest.importorskip("matplotlib").use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def python_blocks(page: str) -> list[str]:
    """Python blocks and plots, in the order of the page."""
    found = re.findall(r"```python\n(.*?)```|\.\. plot::\n(?:   :[^\n]*\n)*\n(.*?)```", text_of(page), flags=re.DOTALL)
    return [block or textwrap.dedent(plot) for block, plot in found]


def shown_outputs(page: str) -> list[tuple[int, str]]:
    """The text blocks that directly follow a Python block: the number of that block, and the text."""
    blocks = re.findall(r"```python\n.*?```(?:\n+```text\n(.*?)```)?", text_of(page), flags=re.DOTALL)
    return [(number, output) for number, output in enumerate(blocks) if output]


def shell_lines(page: str) -> list[str]:
    blocks = re.findall(r"```(?:bash)?\n((?:(?!```).)*?)```", text_of(page), flags=re.DOTALL)
    lines = [line.partition("#")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith(("viewfuse ", "make "))]


@pytest.fixture(autouse=True)
def close_figures() -> object:
    yield
    plt.close("all")


@pytest.mark.filterwarnings("default::viewfuse.exceptions.EmptyCellsWarning")  # the pages say that it is given
@pytest.mark.parametrize("page", [page for page in PAGES if python_blocks(page)])
def test_the_python_blocks_of_a_page_run(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for module in ("dask", "h5py"):
        if any(f"import {module}" in block for block in python_blocks(page)):
            pytest.importorskip(module, reason=f"{page} shows {module}, which is not installed")
    expected = dict(shown_outputs(page))
    for number, block in enumerate(python_blocks(page)):
        exec(compile(block, page, "exec"), names)
        printed = capsys.readouterr().out
        if number in expected:
            assert printed == expected[number], f"{page} shows another output than its code prints"


@pytest.mark.filterwarnings("default::viewfuse.exceptions.EmptyCellsWarning")  # the pages say that it is given
@pytest.mark.parametrize("page", [page for page in PAGES if shell_lines(page)])
def test_the_shell_lines_of_a_page_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Generated data replaces each file that a line reads. Of what is long or needs more, only --help runs."""
    monkeypatch.chdir(tmp_path)
    for line in shell_lines(page):
        if line.startswith("make "):
            target = line.split()[1]
            assert re.search(rf"^{target}:", text_of("Makefile"), flags=re.MULTILINE), line
            continue
        arguments = shlex.split(line)[1:]
        # The module of add-a-method.md is written by the test that follows that page.
        if arguments[0] in ("demo", "reproduce") or "median_graph" in line:
            arguments = [arguments[0], "--help"]
        for name in arguments:
            if name.endswith(".mat") and not Path(name).exists():
                write_mat(Path(name))
            if Path(name).stem in ("profile", "usage", "survey") and not Path(name).exists():
                make_customers(n_samples=200, random_state=0)[0][Path(name).stem].to_csv(name, index=False)
        run_viewfuse(arguments)


def write_mat(path: Path) -> None:
    import numpy as np
    import scipy.io

    views = make_views(n_samples=60, n_clusters=6, random_state=0)
    cell = np.empty(views.n_views, dtype=object)
    cell[:] = views.arrays
    scipy.io.savemat(path, {"X": cell, "y": views.y})


def run_viewfuse(arguments: list[str]) -> None:
    from typer.testing import CliRunner

    from viewfuse.cli._app import app

    ended = CliRunner().invoke(app, arguments)
    assert ended.exit_code == 0, (arguments, ended.output, ended.exception)


def test_the_tests_that_pages_name_exist() -> None:
    named = {(page, *name) for page in PAGES for name in re.findall(r"`(tests/[\w/.]+)(?:::(\w+))?`", text_of(page))}
    assert any(test for _, _, test in named)
    for page, path, test in named:
        assert (ROOT / path).exists(), f"{page}: {path}"
        assert not test or f"def {test}(" in (ROOT / path).read_text(encoding="utf-8"), f"{page}: {path}::{test}"


def test_the_blocks_of_the_pages_are_found() -> None:
    for page in ("README.md", "docs/data.md", "docs/start.md", "docs/guide.md", "docs/report.md"):
        assert python_blocks(page), page
    assert any("plot_views" in block for block in python_blocks("docs/guide.md"))
    assert "viewfuse info news.mat" in shell_lines("docs/start.md")
    assert "make docs" in shell_lines("CONTRIBUTING.md")
    assert "make test-fast" in shell_lines("CONTRIBUTING.md")
    ((_, output),) = shown_outputs("README.md")
    assert "weight" in output


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_a_gallery_example_runs(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if "mudata" in example.name:
        pytest.importorskip("mudata")
    if "dask" in example.name:
        pytest.importorskip("dask")
    monkeypatch.chdir(tmp_path)
    data = ROOT.parent / "shared" / "datasets"
    monkeypatch.setenv("VIEWFUSE_DATA", str(data if data.is_dir() else tmp_path))
    monkeypatch.setenv("VIEWFUSE_EXAMPLE_ROWS", "3000")
    few = load_digits_views()[:300]
    monkeypatch.setattr(viewfuse.datasets, "load_digits_views", lambda: few)
    runpy.run_path(str(example), run_name="__main__")
    assert capsys.readouterr().out
    assert plt.get_fignums() or not data.is_dir()


def test_adding_a_method_as_the_page_describes(tmp_path: Path) -> None:
    """Follow docs/add-a-method.md step by step: a package of one module, registered by its entry point."""
    page = text_of("docs/add-a-method.md")
    blocks = dict(re.findall(r":::\{code-block\} \w+\n:caption: (.*?)\n\n(.*?):::", page, flags=re.DOTALL))
    for file, content in blocks.items():
        (tmp_path / file).write_text(content)
    # What an installation of this pyproject.toml would write beside the module.
    project = tomllib.loads(blocks["pyproject.toml"])["project"]
    installed = tmp_path / "median_graph-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    ((group, entries),) = project["entry-points"].items()
    lines = [f"{name} = {place}" for name, place in entries.items()]
    (installed / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines]) + "\n")
    path = os.pathsep.join([str(tmp_path), str(Path(viewfuse.__file__).parents[1])])

    def run(*arguments: object) -> str:
        ended = subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path, "COLUMNS": "150"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout

    assert " failed" not in run("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_median_graph.py")
    run("-c", SAVES_VIEWS)
    assert "Spectral clustering of the median of the views' graphs." in run("-m", "viewfuse", "methods")
    compared = run("-m", "viewfuse", "compare", "made.npz", "-k", 3, "-m", "median-graph,median_graph:MedianGraph")
    assert compared.count("1.000") == 2  # they agree with each other
    run("-c", LOADS_MODEL)


SAVES_VIEWS = """
import numpy as np, viewfuse as vf
from median_graph import MedianGraph
views = vf.datasets.make_views(n_samples=60, random_state=0)
np.savez("made.npz", **dict(zip(views.names, views.arrays)))
MedianGraph(3, random_state=0).fit(views).save("fit.model")
"""
LOADS_MODEL = """
import viewfuse as vf
print(vf.load("fit.model").labels_)
"""


def test_the_reports_of_the_gallery_are_written(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    reports = runpy.run_path(str(ROOT / "docs" / "reports.py"))
    assert set(reports["REPORTS"]) == {"customers", "omics", "patients", "digits"}
    for page, clusters in zip(reports["write"](tmp_path, ("customers", "omics", "patients")), (4, 4, 2), strict=True):
        text = page.read_text(encoding="utf-8")
        assert f"These {clusters} clusters are supported" in text
