"""Bars for what takes a while."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

pytest.importorskip("rich")

from rich.console import Console

from viewfuse.cli import _watching


def test_the_bar_of_a_file_knows_how_much_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    bar = _watching._plain_bar(Console(file=io.StringIO(), force_terminal=True), kind=_watching._ReadingBar)
    task = bar.add_task("Reading", total=1000, begun=200)
    for read, shown in ((200, 0), (700, 500), (5000, 990)):
        monkeypatch.setattr(_watching, "_bytes_read", lambda read=read: read)
        list(bar.get_renderables())
        assert bar.tasks[task].completed == shown


def test_how_much_there_is_to_read(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"x" * 100)
    (tmp_path / "b.mat").write_bytes(b"MATLAB 5.0 MAT-file".ljust(50))
    assert _watching._bytes_to_read(tmp_path / "a.csv") == 100
    assert _watching._bytes_to_read(tmp_path / "b.mat") == 2 * 50
    assert _watching._bytes_to_read(tmp_path) == 200
    assert _watching._bytes_to_read(tmp_path / "absent") == 0


@pytest.mark.skipif(_watching._bytes_read() is None, reason="this system does not count what is read")
def test_what_was_read_is_counted(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 100_000)
    before = _watching._bytes_read()
    (tmp_path / "a").read_bytes()
    assert 100_000 <= _watching._bytes_read() - before < 200_000


def test_where_reading_is_not_counted_there_is_no_end_in_sight(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_watching, "_bytes_read", lambda: None)
    with _watching.watched_reading(tmp_path):
        pass
