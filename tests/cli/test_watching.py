"""Bars for what takes a while."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

pytest.importorskip("rich")

from rich.console import Console

from viewfuse.cli import _watching


def test_the_bar_of_a_file_knows_how_much_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    console = Console(file=io.StringIO(), force_terminal=True)
    bar = _watching._ReadingBar(console=console, get_time=lambda: clock[0])
    task = bar.add_task("Reading", total=1.0, begun=200, to_read=1000, reading=0.4)
    # Half the bytes after a second, all after two: the rest should take three.
    for now, read, shown in ((0.0, 200, 0), (1.0, 700, 0.2), (1.9, 1190, 0.396), (3.8, 1200, 0.8), (60.0, 1200, 0.99)):
        clock[0] = now
        monkeypatch.setattr(_watching, "_bytes_read", lambda read=read: read)
        list(bar.get_renderables())
        assert bar.tasks[task].completed == pytest.approx(shown, abs=1e-3)


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
    totals = []
    monkeypatch.setattr(_watching, "_bytes_read", lambda: None)
    monkeypatch.setattr(_watching._ReadingBar, "add_task", lambda *_, total, **__: totals.append(total))
    (tmp_path / "a").write_bytes(b"x")
    with _watching.watched_reading(tmp_path):
        pass
    assert totals == [None]
