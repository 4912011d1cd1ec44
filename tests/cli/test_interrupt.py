"""Ctrl-C during a command. The signals are real, so most commands run in a process of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import viewfuse as vf

pytest.importorskip("typer")

from viewfuse.cli._interrupt import stop_on_ctrl_c


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    views = vf.datasets.make_views(n_samples=30, n_features=(3, 4), random_state=0)
    np.savez(tmp_path / "made.npz", **dict(zip(views.names, views.arrays, strict=True)))
    return tmp_path / "made.npz"


# The first iteration of a fit of `cluster` sends the signal PRESSES times.
CLUSTER = """
import signal, sys
from contextlib import contextmanager
import viewfuse.cli.cluster as cluster
@contextmanager
def pressing(*arguments, **options):
    def press(iteration, state):
        for _ in range(PRESSES):
            signal.raise_signal(signal.SIGINT)
    yield press
cluster.fit_bar = pressing
"""

# The second iteration of the fit of gfsc in `compare` sends the signal.
COMPARE = """
import signal, sys
import viewfuse
class Interrupted(viewfuse.GFSC):
    def fit(self, X, y=None):
        self.callback = lambda iteration, state: iteration == 2 and signal.raise_signal(signal.SIGINT)
        return super().fit(X, y)
viewfuse.METHODS["gfsc"] = Interrupted
"""


def run(program: str, folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the command line with these arguments after the program, in this folder."""
    argv = ["viewfuse", *map(str, arguments)]
    program += f"\nsys.argv = {argv!r}\nfrom viewfuse.cli import main\nmain()\n"
    environment = {**os.environ, "PYTHONPATH": str(Path(vf.__file__).parents[1])}  # this checkout, wherever the tests run
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize("method", ["gfsc", "gf", "anchor-gfsc"])
def test_first_ctrl_c_in_cluster_saves_the_result_so_far(archive: Path, tmp_path: Path, method: str) -> None:
    ended = run(CLUSTER.replace("PRESSES", "1"), tmp_path, "cluster", archive, "-k", 3, "-m", method)
    assert ended.returncode == 130, ended.stderr
    assert "stopped by Ctrl-C after 1 iteration" in ended.stderr
    assert "saved in viewfuse-partial.npz" in ended.stderr
    assert "callback" not in ended.stderr  # one message is enough
    with np.load(tmp_path / "viewfuse-partial.npz") as saved:
        assert saved["n_iter"] == 1
        assert not saved["converged"]
        assert len(saved["labels"]) == 30


def test_first_ctrl_c_in_cluster_saves_to_the_given_output(archive: Path, tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    ended = run(CLUSTER.replace("PRESSES", "1"), tmp_path, "cluster", archive, "-k", 3, "-m", "gfsc", "-o", "out.csv")
    assert ended.returncode == 130, ended.stderr
    assert "saved in out.csv" in ended.stderr
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 31
    assert not (tmp_path / "viewfuse-partial.npz").exists()


def test_second_ctrl_c_in_cluster_ends_the_program(archive: Path, tmp_path: Path) -> None:
    ended = run(CLUSTER.replace("PRESSES", "2"), tmp_path, "cluster", archive, "-k", 3, "-m", "gfsc")
    assert ended.returncode == 130, ended.stderr
    assert "before anything was found" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert [path.name for path in tmp_path.iterdir()] == [archive.name]


def test_ctrl_c_ends_a_method_without_callback_at_once(
    archive: Path, tmp_path: Path, command: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted(vf.METHODS["km"]):  # type: ignore[misc]
        def fit(self, X: object, y: object = None) -> None:
            assert "callback" not in self.get_params()
            signal.raise_signal(signal.SIGINT)
            pytest.fail("the signal did not interrupt the fit")

    monkeypatch.setitem(vf.METHODS, "km", Interrupted)
    ended = command("cluster", archive, "-k", 3, "-m", "km")
    assert ended.code == 130
    assert "stopped by Ctrl-C before anything was found" in ended.err
    assert [path.name for path in tmp_path.iterdir()] == [archive.name]


# The fit of AutoFusion waits for the signal, so that it arrives during the fit.
AUTO = """
import os, signal, sys, threading, time
import viewfuse.cluster.auto.estimator as estimator
def waiting(*arguments):
    threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT]).start()
    time.sleep(60)
estimator.clearest_cut = waiting
"""


def test_ctrl_c_ends_auto_at_once(archive: Path, tmp_path: Path) -> None:
    begin = time.monotonic()
    ended = run(AUTO, tmp_path, "cluster", archive)
    assert ended.returncode == 130, ended.stderr
    assert time.monotonic() - begin < 50
    assert "stopped by Ctrl-C before anything was found" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert [path.name for path in tmp_path.iterdir()] == [archive.name]


def test_ctrl_c_inside_a_fit_of_compare_leaves_the_method_out(archive: Path, tmp_path: Path) -> None:
    ended = run(COMPARE, tmp_path, "compare", archive, "-k", 3, "-m", "km,gfsc,sc")
    assert ended.returncode == 130, ended.stderr
    assert "Traceback" not in ended.stderr
    assert "after 1 of 3 methods" in ended.stderr
    assert "gfsc" not in ended.stdout
    assert [line.split(",")[0] for line in (tmp_path / "viewfuse-partial.csv").read_text().splitlines()] == ["method", "km"]


def test_ctrl_c_in_the_first_fit_of_compare_saves_nothing(archive: Path, tmp_path: Path) -> None:
    ended = run(COMPARE, tmp_path, "compare", archive, "-k", 3, "-m", "gfsc,km")
    assert ended.returncode == 130, ended.stderr
    assert "before any method had finished" in ended.stderr
    assert ended.stdout == ""
    assert [path.name for path in tmp_path.iterdir()] == [archive.name]


@pytest.mark.parametrize(
    ("arguments", "patched"),
    [
        (["info", "some.npz"], "viewfuse.cli._options.load_views"),
        (["datasets", "fetch", "MSRC-v5"], "viewfuse.datasets.download"),
        (["reproduce", "-m", "km"], "viewfuse.experiments.reproduce"),
    ],
)
def test_ctrl_c_anywhere_else_is_one_line_and_exit_code_130(
    arguments: list[str], patched: str, command: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(patched, interrupt)
    ended = command(*arguments)
    assert ended.code == 130
    assert ended.err.startswith("viewfuse: stopped by Ctrl-C")
    assert ended.err.count("\n") == 1


def test_stop_on_ctrl_c_puts_the_former_handler_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    with stop_on_ctrl_c() as stop:
        assert not stop.requested
        signal.raise_signal(signal.SIGINT)
        assert stop.requested
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_stop_on_ctrl_c_does_nothing_outside_the_main_thread() -> None:
    handlers = []

    def work() -> None:
        with stop_on_ctrl_c():
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert handlers == [signal.getsignal(signal.SIGINT)]
