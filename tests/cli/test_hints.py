"""Errors and warnings in the words of the command line."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("typer")

import typer

from viewfuse.cli import _hints
from viewfuse.cli._app import COMMANDS, app
from viewfuse.cli._hints import HINTS, message
from viewfuse.exceptions import NotEnoughMemoryError, ParameterError, UnusedColumnsWarning, ViewsError
from viewfuse.views import Views


@pytest.mark.parametrize(
    ("parameter", "value", "expected"),
    [
        ("views", None, "--views NAME, once for each view"),
        ("views", "audio", "--views NAME, once for each view"),
        ("views", ("audio", "image"), "--views NAME, once for each view"),
        ("views", (["audio_*", "size"], "*"), "--views 'audio_*' --views size; --views '*' takes all"),
        ("views", (["audio_*", "size"],), "--views 'audio_*' --views size."),
        ("views", ("*",), "--views audio:2-21 --views 'image_*'; --views '*' takes all"),
        ("ids", None, "--ids NAME"),
        ("labels", ("y", False), "--labels NAME"),
        ("labels", (False,), "--no-labels"),
        ("samples", ("rows", "columns"), "--samples rows or --samples columns"),
        ("samples", None, "Leave --samples out."),
        (
            "missing",
            "error",
            "Use --missing keep to keep all samples, or use --missing drop to keep those that all views share: viewfuse",
        ),
        ("missing", ("keep", "drop"), "Use --missing keep to keep all samples, or use --missing drop"),
        ("missing", ("keep",), "wrong. Use --missing keep to keep all samples: viewfuse"),
        ("missing", ("error",), "wrong. Leave --missing out."),
        ("missing", ("error", "keep", "drop"), "or leave --missing out: viewfuse"),
        ("types", ("zip=number", "zip=ignore"), "--type zip=number"),
        ("types", ("zip",), "--type zip=category"),
        ("types", "zip", "--type COLUMN=TYPE"),
        ("loose_ids", None, "--loose-ids"),
        ("device", "cuda", "leave --device out"),
        ("n_clusters", "auto", "Give the number of clusters with -k."),
        ("n_clusters", 31, "Choose another number of clusters with -k."),
        ("method", ["kmm"], "-m: auto, gfsc, gf, "),
        ("datasets", ["Digits"], "viewfuse datasets fetch NAME"),
        ("datasets", "digit", "-d with names"),
        ("names", None, "rename the files"),
        ("source", None, "Rename one of the files."),
        ("output", Path("x"), "--output"),
        ("save", Path("x"), "--save"),
        ("report", Path("x"), "--report"),
        ("folder", Path("x"), "another folder with --output"),
    ],
)
def test_hint_for_a_parameter_replaces_the_python_hint(parameter: str, value: object, expected: str) -> None:
    error = ViewsError("This is wrong.", hint=f"Use {parameter}=…", parameter=parameter, value=value)
    text = message(error)
    assert text.startswith("This is wrong. ")
    assert expected in text
    assert f"{parameter}=" not in text


@pytest.mark.parametrize(
    "error",
    [
        ParameterError("alpha is -1.", hint="Use alpha=1.", parameter="alpha", value=-1),
        ViewsError("A view is empty.", hint="Leave it out."),
        ViewsError("A view is empty."),
        ValueError("other"),
        "a warning's text",
    ],
)
def test_message_without_an_option_is_printed_in_full(error: Exception | str) -> None:
    assert message(error) == str(error)


def test_memory_error_names_the_method_that_needs_less() -> None:
    error = NotEnoughMemoryError("GFSC needs 90 GB; 8 GB are free.", hint="Use AnchorGFSC.")
    assert message(error).startswith("GFSC needs 90 GB; 8 GB are free. Use -m anchor-gfsc")
    assert message(NotEnoughMemoryError("GFSC ran out of memory.")) == "GFSC ran out of memory."


VALUES = [None, 3, ["a"], (["a"], "*"), ("*",), ("rows", "columns"), ("error", "keep", "drop")]


def test_every_option_in_a_hint_exists(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["viewfuse", "info", "a.csv", "b.csv"])
    hints = [hint if isinstance(hint, str) else " ".join(map(hint, VALUES)) for hint in HINTS.values()]
    mentioned = set(re.findall(r"(?<!\w)--?[a-z][a-z-]*", " ".join([*hints, _hints._MEMORY_HINT])))
    assert {"--views", "--missing", "-k", "-m"} <= mentioned
    group = typer.main.get_command(app)
    commands = [group.get_command(typer.Context(group), name) for name in COMMANDS]
    assert mentioned <= {name for command in commands for option in command.params for name in option.opts}


def test_error_in_a_command_ends_with_the_hint_and_exit_code_2(command: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ViewsError("3 samples are missing.", hint="Use missing='drop'.", parameter="missing", value="error")

    monkeypatch.setattr("viewfuse.cli._options.load_views", refuse)
    ended = command("info", "some.mat")
    assert ended.code == 2
    assert ended.err.startswith("viewfuse: 3 samples are missing. Use --missing keep")
    assert ended.err.count("\n") == 1


def test_warning_in_a_command_ends_with_the_hint(command: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    def warn(*_: object, **__: object) -> Views:
        warnings.warn(
            UnusedColumnsWarning("Column 'b' is not used.", hint="Use views={…}.", parameter="views"), stacklevel=1
        )
        return Views([[[1.0, 2.0], [3.0, 4.0]]])

    monkeypatch.setattr("viewfuse.cli._options.load_views", warn)
    ended = command("info", "some.mat")
    assert ended.code == 0, ended.err
    assert ended.err == "viewfuse: Column 'b' is not used. Choose them with --views NAME, once for each view.\n"
