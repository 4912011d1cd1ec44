"""Downloads of real files, with their real checksums, from a server on loopback; and what can go wrong."""

from __future__ import annotations

import gc
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from viewfuse import datasets
from viewfuse.exceptions import DownloadError

pytest.importorskip("pooch")
pytest.importorskip("h5py")

CATALOGUED = ("MSRC-v5", "3Sources", "GFSC-Reuters", "GFSC-BBC", "GFSC-Digits")


class Handler(BaseHTTPRequestHandler):
    """Serves ``/how/FILE``: the whole file, with a wrong byte, truncated, stalled in the middle, or not found."""

    folder: Path

    def do_GET(self) -> None:
        how, name = self.path.strip("/").split("/")
        if how == "gone":
            self.send_error(404)
            return
        body = (self.folder / name).read_bytes()
        if how == "wrong":
            body = body[:1000] + bytes([body[1000] ^ 1]) + body[1001:]
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if how in ("truncated", "stalled"):
            self.wfile.write(body[: len(body) // 2])
            self.wfile.flush()
            self.server.half_sent.set()  # type: ignore[attr-defined]
            if how == "stalled":
                self.server.over.wait(timeout=30)  # type: ignore[attr-defined]
            self.close_connection = True
            return
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Do not log."""


@pytest.fixture
def server(shared: Path) -> Iterator[ThreadingHTTPServer]:
    handler = type("SharedHandler", (Handler,), {"folder": shared / "datasets"})
    running = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    running.half_sent = threading.Event()  # type: ignore[attr-defined]
    running.over = threading.Event()  # type: ignore[attr-defined]
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    yield running
    running.over.set()  # type: ignore[attr-defined]
    running.shutdown()
    running.server_close()


@pytest.fixture(autouse=True)
def _abandoned_responses() -> Iterator[None]:
    """Collect the unclosed responses of failed downloads here, so that their warnings do not appear in other tests."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setenv("VIEWFUSE_DATA", str(folder))
    for proxy in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(proxy, raising=False)
    return folder


def address(server: ThreadingHTTPServer, how: str, name: str) -> str:
    return f"http://127.0.0.1:{server.server_address[1]}/{how}/{datasets.describe(name).file}"


@pytest.mark.parametrize("name", CATALOGUED)
def test_real_files_are_downloaded_and_verified(
    server: ThreadingHTTPServer, cache: Path, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    entry = datasets.describe(name)
    views = datasets.fetch(name, url=address(server, "whole", name))
    assert len(views) == entry.n_samples
    assert sorted(array.shape[1] for array in views) == sorted(entry.view_features)
    assert len(set(views.y)) == entry.n_clusters
    assert [path.name for path in cache.iterdir()] == [entry.file]
    assert "100%" in capfd.readouterr().err  # the progress bar
    again = datasets.fetch(name, url="http://127.0.0.1:9/never-asked")
    assert again.names == views.names


def test_views_have_the_names_of_the_catalogue(server: ThreadingHTTPServer, cache: Path) -> None:
    assert datasets.fetch("3sources", url=address(server, "whole", "3Sources")).names == ("BBC", "Guardian", "Reuters")


@pytest.mark.parametrize(
    ("how", "reason"),
    [("wrong", "another checksum, so it was deleted"), ("truncated", "bytes read|IncompleteRead"), ("gone", "404")],
)
def test_a_wrong_file_is_not_kept(server: ThreadingHTTPServer, cache: Path, how: str, reason: str) -> None:
    entry = datasets.describe("MSRC-v5")
    with pytest.raises(DownloadError, match=reason) as caught:
        datasets.fetch("MSRC-v5", url=address(server, how, "MSRC-v5"))
    assert str(cache / entry.file) in caught.value.hint
    for fact in (entry.file, entry.sha256, str(cache / entry.file)):
        assert fact in str(caught.value)
    assert list(cache.iterdir()) == []


def test_a_refused_connection_is_an_error_with_instructions(cache: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(DownloadError, match=r"Could not download Caltech101-20\.mat .*refused.*63b593468e24") as caught:
        datasets.fetch("Caltech101-20", url=f"http://127.0.0.1:{port}/Caltech101-20.mat")
    assert str(cache / "Caltech101-20.mat") in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (cache / "Caltech101-20.mat").exists()


def test_a_killed_download_leaves_no_file_that_is_used(server: ThreadingHTTPServer, cache: Path) -> None:
    url = address(server, "stalled", "MSRC-v5")
    process = subprocess.Popen(
        [sys.executable, "-c", f"from viewfuse import datasets; datasets.fetch('MSRC-v5', url={url!r})"],
        stderr=subprocess.DEVNULL,
        env=os.environ | {"VIEWFUSE_DATA": str(cache)},
    )
    assert server.half_sent.wait(timeout=30)  # type: ignore[attr-defined]
    time.sleep(0.2)
    process.send_signal(signal.SIGKILL)
    assert process.wait(timeout=10) == -signal.SIGKILL
    assert not (cache / "MSRC-v5.mat").exists()
    # The next download works, whatever the killed one has left.
    assert len(datasets.fetch("MSRC-v5", url=address(server, "whole", "MSRC-v5"))) == 210


def test_existing_files_are_used_and_verified(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIEWFUSE_DATA", str(shared / "datasets"))
    assert datasets.download("GFSC-BBC") == shared / "datasets" / "bbc_seg14of4.mat"
    monkeypatch.setenv("VIEWFUSE_DATA", str(tmp_path))
    wrong = tmp_path / "MSRC-v5.mat"
    wrong.write_bytes(b"something else")
    with pytest.raises(DownloadError, match="is not the MSRC-v5 of the catalogue: its sha256 is"):
        datasets.fetch("MSRC-v5")
    assert wrong.read_bytes() == b"something else"


def test_a_folder_that_does_not_exist_is_not_created(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIEWFUSE_DATA", str(tmp_path / "datsets"))
    with pytest.raises(DownloadError, match=r"VIEWFUSE_DATA is .*datsets, but there is no such folder\. Create the folder"):
        datasets.fetch("MSRC-v5")
    assert list(tmp_path.iterdir()) == []
