"""Faults outside a command: one line, exit code 2, and no file is lost. ``benchmarks/faults.py`` has more trials."""

import os
import resource
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import viewfuse as vf
from viewfuse._utils.files import replacing

pytest.importorskip("typer")
pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    views = vf.datasets.make_views(n_samples=60, n_clusters=3, random_state=0)
    path = tmp_path_factory.mktemp("data") / "data.npz"
    np.savez(path, **dict(zip(views.names, views.arrays, strict=True)))
    return path


def viewfuse(*arguments, **options):
    command = [sys.executable, "-c", "from viewfuse.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **options)


def test_full_disk_keeps_the_former_file(data, tmp_path):
    def limit_file_size():
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))

    target = tmp_path / "fit.npz"
    target.write_bytes(b"former content")
    ended = viewfuse("cluster", data, "-k", 3, "-m", "km", "--save", target, preexec_fn=limit_file_size)
    assert ended.returncode == 2
    assert ended.stderr.strip() == f"viewfuse: {target}: File too large"
    assert target.read_bytes() == b"former content"
    assert [path.name for path in tmp_path.iterdir()] == ["fit.npz"]


def test_missing_input_writes_nothing(tmp_path):
    ended = viewfuse("cluster", tmp_path / "gone.npz", "-k", 3, "-o", tmp_path / "labels.csv")
    assert ended.returncode == 2
    assert len(ended.stderr.strip().splitlines()) == 1
    assert str(tmp_path / "gone.npz") in ended.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_folder_without_write_permission_names_the_target(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError) as refusal:
        vf.GFSC(3).save(tmp_path / "fit.model")
    assert refusal.value.filename == str(tmp_path / "fit.model")


def test_error_names_the_target_and_not_the_temporary_file(tmp_path):
    with pytest.raises(PermissionError) as refusal, replacing(tmp_path / "fit.model") as temporary:
        raise PermissionError(13, "Permission denied", temporary)
    assert refusal.value.filename == str(tmp_path / "fit.model")


def test_missing_folder_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match="folder"):
        vf.GFSC(3).save(tmp_path / "no" / "fit.model")


SAVING = """
import sys, viewfuse as vf
models = [vf.METHODS["km"](k, random_state=0).fit(vf.datasets.make_views(n_samples=60, random_state=0)) for k in (2, 3)]
print("ready", flush=True)
while True:
    for model in models:
        model.save(sys.argv[1])
"""


def test_kill_while_saving_leaves_a_complete_model(tmp_path):
    path = tmp_path / "fit.model"
    for wait in (0.0, 0.013, 0.031):
        process = subprocess.Popen([sys.executable, "-c", SAVING, str(path)], stdout=subprocess.PIPE)
        process.stdout.readline()
        time.sleep(wait)
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=30)
        process.stdout.close()
        if path.exists():
            assert vf.load(path).n_clusters in (2, 3)


def test_two_writers_of_one_file_leave_one_complete_file(tmp_path):
    path = tmp_path / "result.txt"
    with replacing(path) as first:
        first.write_text("first")
        child = os.fork()
        if child == 0:
            with replacing(path) as second:
                second.write_text("second")
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert path.read_text() == "second"
    assert path.read_text() == "first"
    assert [p.name for p in tmp_path.iterdir()] == ["result.txt"]
