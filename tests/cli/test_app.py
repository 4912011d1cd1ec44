"""What all commands share: help, JSON, errors, colours, completion."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from viewfuse.datasets import make_views

pytest.importorskip("typer")

import typer

from viewfuse.cli._app import COMMANDS as LISTED
from viewfuse.cli._app import app
from viewfuse.cli._progress import fit_bar, spinner

COMMANDS = ("demo", "cluster", "report", "info", "datasets", "compare", "methods", "reproduce")


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    views = make_views(n_samples=40, n_features=(3, 4), random_state=0)
    path = tmp_path / "made.npz"
    np.savez(path, **dict(zip(views.names, views.arrays, strict=True)))
    return path


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str, command: Callable) -> None:
    ended = command(name, "--help")
    assert ended.code == 0
    assert "Usage: viewfuse" in ended.out


def test_the_list_of_commands_shows_the_first_sentence_of_each() -> None:
    group = typer.main.get_command(app)
    for name, sentence in LISTED.items():
        assert group.get_command(typer.Context(group), name).help.splitlines()[0] == sentence
    assert set(COMMANDS) <= set(LISTED)


def test_help_imports_no_numerical_library() -> None:
    program = (
        "import atexit, sys; sys.argv = ['viewfuse', '--help']\n"
        "atexit.register(lambda: print(*({'numpy', 'scipy', 'sklearn', 'pandas'} & set(sys.modules)), file=sys.stderr))\n"
        "from viewfuse.cli import main; main()"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert all(f" {name} " in ended.stdout for name in COMMANDS)
    assert ended.stderr.split() == []


SINGLE_COMMANDS = [name for name in COMMANDS if name != "datasets"] + [
    f"datasets {name}" for name in ("list", "info", "fetch")
]


@pytest.mark.parametrize("name", SINGLE_COMMANDS)
def test_help_has_examples(name: str, command: Callable) -> None:
    shown = command(*name.split(), "--help").out
    assert f"viewfuse {name}" in shown.partition("Examples")[2].partition("╭")[0]


@pytest.mark.parametrize(
    ("arguments", "holds"),
    [
        (["methods"], lambda found: found[0]["key"] == "auto"),
        (["datasets", "list"], lambda found: {"name", "n_samples", "sha256", "here"} <= found[0].keys()),
        (["datasets", "info", "msrc-v5"], lambda found: found["n_samples"] == 210),
    ],
)
def test_json_has_the_documented_keys(arguments: list[str], holds: Callable, command: Callable) -> None:
    ended = command(*arguments, "--json")
    assert ended.code == 0
    assert holds(json.loads(ended.out))


def test_json_of_info(archive: Path, command: Callable) -> None:
    found = json.loads(command("info", archive, "--json").out)
    assert found["samples"] == 40
    assert [view["features"] for view in found["views"]] == [3, 4]
    assert found["labels"] is None


def test_json_of_report(archive: Path, tmp_path: Path, command: Callable) -> None:
    pytest.importorskip("jinja2")
    command("cluster", archive, "-k", 2, "--save", tmp_path / "fit.npz")
    ended = command("report", tmp_path / "fit.npz", archive, "-o", tmp_path / "page.html", "--json")
    found = json.loads(ended.out)
    assert found == {"samples": 40, "clusters": 2, "written": {"report": str(tmp_path / "page.html")}}
    assert (tmp_path / "page.html").stat().st_size > 0


def test_json_of_reproduce(tmp_path: Path, command: Callable) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("filelock")
    views = make_views(n_samples=40, n_features=(3, 4), random_state=0)
    np.savez(tmp_path / "tiny.npz", X1=views.arrays[0], X2=views.arrays[1], y=views.y)
    ended = command(
        "reproduce", "-d", tmp_path / "tiny.npz", "-m", "km", "--quick", "-w", 1, "-o", tmp_path / "out", "--json"
    )
    found = json.loads(ended.out)
    assert {row["method"] for row in found["rows"]} == {"km"}
    assert Path(found["written"]["page"]).is_file()


def test_error_is_one_line_and_a_traceback_with_debug(tmp_path: Path, command: Callable) -> None:
    ended = command("cluster", tmp_path / "nothing.mat", "-k", 2)
    assert ended.code == 2
    assert ended.err.count("\n") == 1
    with pytest.raises(FileNotFoundError):
        command("cluster", tmp_path / "nothing.mat", "-k", 2, "--debug")
    with pytest.raises(FileNotFoundError):
        command("--debug", "cluster", tmp_path / "nothing.mat", "-k", 2)


def test_internal_error_is_one_line_and_exit_code_1(
    archive: Path, command: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("viewfuse.cli.cluster.choose", fail)
    ended = command("cluster", archive, "-k", 2)
    assert ended.code == 1
    assert "Internal error (ZeroDivisionError: by zero)" in ended.err
    assert "--debug" in ended.err
    assert ended.err.count("\n") == 1
    assert "Traceback" not in ended.err


def test_shell_completion_is_printed(command: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")  # the tests may run without a shell
    ended = command("--show-completion", "bash")
    assert ended.code == 0
    assert "_VIEWFUSE_COMPLETE" in ended.out


def on_a_terminal(*arguments: object, **environment: str) -> str:
    """The output of a command whose standard output and error are a terminal; bars are shown at once."""
    ours, theirs = pty.openpty()
    kept = {
        name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "CI", "GITHUB_ACTIONS")
    }
    program = (
        "import functools, viewfuse.cli.cluster as cluster\n"
        "cluster.fit_bar = functools.partial(cluster.fit_bar, delay=0.0)\n"
        "cluster.spinner = functools.partial(cluster.spinner, delay=0.0)\n"
        "from viewfuse.cli import main; main()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdin=theirs, stdout=theirs, stderr=theirs, env={**kept, "TERM": "xterm-256color", **environment},
    ) as process:  # fmt: skip
        os.close(theirs)
        written = b""
        try:
            while part := os.read(ours, 65536):
                written += part
        except OSError:  # Linux raises this when the other end is closed
            pass
    os.close(ours)
    assert process.returncode in (0, 3), written
    return written.decode()


def test_terminal_shows_colours_and_a_bar_and_no_color_removes_the_colours(archive: Path) -> None:
    coloured = on_a_terminal("cluster", archive, "-k", 3)
    assert "\x1b[1m" in coloured
    assert "Clustering 40 samples, choosing among graphs" in coloured
    assert "Clustering 40 samples" in on_a_terminal("cluster", archive, "-k", 3, "-m", "gfsc")
    plain = on_a_terminal("cluster", archive, "-k", 3, NO_COLOR="1")
    assert not any(f"\x1b[{colour}m" in plain for colour in range(30, 38))
    assert "\x1b[38;" not in plain


def test_piped_output_has_no_colours_and_no_bar(archive: Path, command: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("viewfuse.cli.cluster.fit_bar", partial(fit_bar, delay=0.0))
    monkeypatch.setattr("viewfuse.cli.cluster.spinner", partial(spinner, delay=0.0))
    for options in ((), ("-m", "gfsc")):
        ended = command("cluster", archive, "-k", 3, *options)
        assert "\x1b" not in ended.out + ended.err
        assert "Clustering" not in ended.out + ended.err


def test_python_m_viewfuse_runs_the_command_line() -> None:
    ended = subprocess.run([sys.executable, "-m", "viewfuse", "methods"], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "anchor-gfsc" in ended.stdout
