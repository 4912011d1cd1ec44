"""Runs the command line in this process, as the ``viewfuse`` script does."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

pytest.importorskip("typer")


class Ended(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """``command("info", path)`` returns the exit code, standard output and standard error."""
    import warnings

    from viewfuse.cli import main

    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # main replaces it; restored after the test

    def run(*arguments: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["viewfuse", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return Ended(int(ended.value.code or 0), out, err)

    return run
