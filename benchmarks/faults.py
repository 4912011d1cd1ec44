"""Test faults: kill -9 while files are written or a Dask worker computes; a full disk, a read-only folder, a missing input.

    python benchmarks/faults.py --trials 100 --seed 0 [--only Tune --only Dask ...]

After each kill, every visible file must be complete (the old one or the new one), and running the same command again must
give the result of a run without a fault. Commands run in forks of this process, so that a kill hits the command and not its
imports. The full disk and the read-only folder are small tmpfs mounts; without the right to mount they are skipped. Exits
with status 1 if anything was lost. The downloads need ../shared/datasets.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ["MPLBACKEND"] = "agg"

import matplotlib.pyplot  # noqa: F401  (imported once here, so that the forks do not import it)
import numpy as np
import pooch
import typer  # noqa: F401

import viewfuse as vf
from viewfuse.cli._app import run as command_line

SHARED = Path(__file__).parents[2] / "shared" / "datasets"
DOWNLOADED = "MSRC-v5"


class Lost(Exception):
    """A file was lost or damaged by a fault."""


def forked(work: Callable[[], object]) -> int:
    """Start ``work`` in a fork, which exits with the status of the work; return its process id."""
    child = os.fork()
    if child:
        return child
    status = 0
    try:
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        if "VIEWFUSE_FAULTS_DEBUG" not in os.environ:
            os.dup2(silent, 2)
        work()
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 1
    except BaseException:
        status = 99
    finally:
        os._exit(status)


def completed(work: Callable[[], object]) -> tuple[int, float]:
    """Exit status and seconds of work without a fault."""
    begin = time.perf_counter()
    status = os.waitstatus_to_exitcode(os.waitpid(forked(work), 0)[1])
    return status, time.perf_counter() - begin


def killed(work: Callable[[], object], after: float) -> bool:
    """Kill the work after this many seconds; return whether it was still running."""
    child = forked(work)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def command(*arguments: object) -> Callable[[], None]:
    def work() -> None:
        sys.argv = ["viewfuse", *map(str, arguments)]
        command_line()

    return work


class Trial:
    """Work that is killed: how to prepare a folder for it, what it does, and how to check the folder afterwards."""

    def __init__(self, folder: Path) -> None:
        self.reference = folder / f"{type(self).__name__}-reference"
        self.prepare(self.reference)
        status, _ = completed(self.work(self.reference))
        _, self.seconds = completed(self.work(self.rehearsal(folder)))
        if status != 0:
            raise Lost(f"{type(self).__name__} exits with {status} even without a fault")

    def rehearsal(self, folder: Path) -> Path:
        """A folder for a second run without a fault; its time predicts the trials, because caches are filled by then."""
        place = folder / f"{type(self).__name__}-rehearsal"
        self.prepare(place)
        return place

    def prepare(self, folder: Path) -> None:
        folder.mkdir(parents=True)

    def work(self, folder: Path) -> Callable[[], object]:
        raise NotImplementedError

    def check_visible(self, folder: Path) -> None:
        """Raise Lost if a visible file is half-written."""

    def check_done(self, folder: Path) -> None:
        """Raise Lost if the folder differs from the reference."""

    def __call__(self, folder: Path, rng: random.Random) -> bool:
        self.prepare(folder)
        was_running = killed(self.work(folder), rng.uniform(0, 1.1 * self.seconds))
        self.check_visible(folder)
        status, _ = completed(self.work(folder))
        if status != 0:
            raise Lost(f"the second run exited with {status}")
        self.check_done(folder)
        return was_running


class ClusterOutput(Trial):
    """``viewfuse cluster -o --save`` over older results."""

    def prepare(self, folder: Path) -> None:
        super().prepare(folder)
        views = vf.datasets.make_views(n_samples=150, n_clusters=3, random_state=0)
        np.savez(folder / "data.npz", **dict(zip(views.names, views.arrays, strict=True)))
        older = vf.METHODS["km"](2, random_state=0).fit(views)
        vf.io.save_labels(folder / "labels.csv", older, views)
        vf.io.save_results(folder / "fit.npz", older, views)
        self.old = (folder / "labels.csv").read_bytes()

    def work(self, folder: Path) -> Callable[[], object]:
        return command(
            "cluster", folder / "data.npz", "-k", 3, "-o", folder / "labels.csv", "--save", folder / "fit.npz", "--no-labels"
        )

    def check_visible(self, folder: Path) -> None:
        new = (self.reference / "labels.csv").read_bytes()
        if (folder / "labels.csv").read_bytes() not in (self.old, new):
            raise Lost("labels.csv is neither the old nor the new file")
        vf.io.load_results(folder / "fit.npz")  # raises if the file is not complete

    def check_done(self, folder: Path) -> None:
        if (folder / "labels.csv").read_bytes() != (self.reference / "labels.csv").read_bytes():
            raise Lost("labels.csv differs")
        found, expected = (vf.io.load_results(place / "fit.npz") for place in (folder, self.reference))
        if not np.array_equal(found.labels, expected.labels):
            raise Lost("fit.npz differs")


class SavedModel(Trial):
    """``model.save`` over an older model."""

    def __init__(self, folder: Path) -> None:
        views = vf.datasets.make_views(n_samples=300, n_clusters=3, random_state=0)
        self.models = [vf.GFSC(k, random_state=0).fit(views) for k in (2, 3)]
        super().__init__(folder)

    def prepare(self, folder: Path) -> None:
        super().prepare(folder)
        self.models[0].save(folder / "fit.model")

    def work(self, folder: Path) -> Callable[[], object]:
        return lambda: self.models[1].save(folder / "fit.model")

    def check_visible(self, folder: Path) -> None:
        if vf.load(folder / "fit.model").n_clusters not in (2, 3):
            raise Lost("fit.model is neither the old nor the new file")

    def check_done(self, folder: Path) -> None:
        if not np.array_equal(vf.load(folder / "fit.model").labels_, self.models[1].labels_):
            raise Lost("fit.model differs")


class Reproduce(Trial):
    """``viewfuse reproduce``, which resumes."""

    tables = ("tables.csv", "tables.json", "table-tiny.tex")

    def prepare(self, folder: Path) -> None:
        super().prepare(folder)
        views = vf.datasets.make_views(n_samples=48, n_clusters=3, n_features=(5, 7), noise=2.0, random_state=0)
        np.savez(folder.parent / "tiny.npz", X1=views.arrays[0], X2=views.arrays[1], y=views.y)

    def work(self, folder: Path) -> Callable[[], object]:
        return command("reproduce", "-o", folder, "-d", folder.parent / "tiny.npz", "--quick", "-m", "km,sc-ave", "-w", 1)

    def check_visible(self, folder: Path) -> None:
        cells = folder / "cells.jsonl"
        lines = cells.read_bytes().split(b"\n")[:-1] if cells.exists() else []
        for line in lines:
            json.loads(line)
        for name in self.tables:
            if (folder / name).exists() and (folder / name).read_bytes() != (self.reference / name).read_bytes():
                raise Lost(f"{name} is half-written")

    def check_done(self, folder: Path) -> None:
        for name in self.tables:
            if (folder / name).read_bytes() != (self.reference / name).read_bytes():
                raise Lost(f"{name} differs after resuming")


class Tune(Trial):
    """``tune(folder=...)``, which continues from its finished points."""

    grid: ClassVar = {"alpha": [1, 2], "beta": [0.1, 0.2], "gamma": [1, 2, 4]}

    def tuning(self, folder: Path) -> vf.selection.Tuning:
        views = vf.datasets.make_views(n_samples=150, n_clusters=3, noise=3.0, random_state=0)
        return vf.selection.tune(views, 3, grid=self.grid, folder=folder)

    def work(self, folder: Path) -> Callable[[], object]:
        return lambda: self.tuning(folder)

    def check_visible(self, folder: Path) -> None:
        lines = (folder / "cells.jsonl").read_bytes().split(b"\n")[:-1] if (folder / "cells.jsonl").exists() else []
        for line in lines:
            json.loads(line)

    def check_done(self, folder: Path) -> None:
        entries = [json.loads(line) for line in (folder / "cells.jsonl").read_bytes().splitlines()]
        keys = [entry["result"]["key"] for entry in entries if "result" in entry]
        if len(keys) != len(set(keys)) or len(keys) != 12:
            raise Lost(f"{len(keys)} points were computed for {len(set(keys))} of 12")
        if not np.array_equal(self.tuning(folder).clusterings, self.tuning(self.reference).clusterings):
            raise Lost("the clusters differ after resuming")


class Predict(Trial):
    """``viewfuse predict -o`` over older clusters."""

    def prepare(self, folder: Path) -> None:
        super().prepare(folder)
        views = vf.datasets.make_views(n_samples=200, n_clusters=3, random_state=0)
        vf.AutoFusion(3, random_state=0).fit(views[:150]).save(folder / "fit.model")
        np.savez(folder / "new.npz", **dict(zip(views.names, views[150:].arrays, strict=True)))
        (folder / "labels.csv").write_text("older\n")

    def work(self, folder: Path) -> Callable[[], object]:
        return command("predict", folder / "fit.model", folder / "new.npz", "-o", folder / "labels.csv")

    def check_visible(self, folder: Path) -> None:
        allowed = (b"older\n", (self.reference / "labels.csv").read_bytes())
        if (folder / "labels.csv").read_bytes() not in allowed:
            raise Lost("labels.csv is neither the old nor the new file")

    def check_done(self, folder: Path) -> None:
        if (folder / "labels.csv").read_bytes() != (self.reference / "labels.csv").read_bytes():
            raise Lost("labels.csv differs")


class Benchmark(Trial):
    """``viewfuse benchmark``, which resumes."""

    def prepare(self, folder: Path) -> None:
        super().prepare(folder)
        views = vf.datasets.make_views(n_samples=48, n_clusters=3, n_features=(5, 7), noise=2.0, random_state=0)
        np.savez(folder.parent / "small.npz", X1=views.arrays[0], X2=views.arrays[1], y=views.y)

    def work(self, folder: Path) -> Callable[[], object]:
        data = folder.parent / "small.npz"
        return command("benchmark", "-o", folder, "--data", data, "-m", "km,sc-ave", "--seeds", 2, "-w", 1, "--cells-only")

    def check_visible(self, folder: Path) -> None:
        self.cells(folder)

    def check_done(self, folder: Path) -> None:
        if self.cells(folder) != self.cells(self.reference):
            raise Lost("the scores differ after resuming")

    def cells(self, folder: Path) -> dict[str, object]:
        """The scores of each finished cell, by its key."""
        path = folder / "cells.jsonl"
        lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
        results = [entry["result"] for entry in map(json.loads, lines) if "result" in entry]
        return {json.dumps(result["key"]): result.get("scores") for result in results}


class Download(Trial):
    """``viewfuse datasets fetch`` from a local server that sends the file slowly."""

    def __init__(self, folder: Path) -> None:
        self.entry = vf.datasets.describe(DOWNLOADED)
        body = (SHARED / self.entry.file).read_bytes()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                with contextlib.suppress(OSError):
                    for begin in range(0, len(body), 1 << 18):
                        self.wfile.write(body[begin : begin + (1 << 18)])
                        time.sleep(0.02)

            def log_message(self, *_: object) -> None:
                """Print nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        super().__init__(folder)

    def work(self, folder: Path) -> Callable[[], object]:
        fetch = command("datasets", "fetch", DOWNLOADED, "--url", f"http://127.0.0.1:{self.server.server_address[1]}/file")

        def work() -> None:
            os.environ["VIEWFUSE_DATA"] = str(folder)
            fetch()

        return work

    def check_visible(self, folder: Path) -> None:
        path = folder / self.entry.file
        if path.exists() and pooch.file_hash(str(path)) != self.entry.sha256:
            raise Lost("the file of the data set has the wrong checksum")

    def check_done(self, folder: Path) -> None:
        if pooch.file_hash(str(folder / self.entry.file)) != self.entry.sha256:
            raise Lost("the file has the wrong checksum after the second download")


def dask_trials(count: int, rng: random.Random) -> Counter:
    """Kill a worker process at a random moment of an AnchorGFSC fit, ``count`` times."""
    import dask.array as da
    import distributed

    views = vf.datasets.make_views(n_samples=4000, n_clusters=4, n_features=(6, 9), noise=3.0, random_state=0)
    arrays = [np.asarray(view, dtype=np.float32) for view in views.arrays]
    outcomes: Counter = Counter()

    def slow(block: np.ndarray) -> np.ndarray:
        """A local function, so that it is sent to the workers by value."""
        time.sleep(0.05)
        return block

    def labels() -> np.ndarray:
        chunks = [da.from_array(x, chunks=(500, -1)).map_blocks(slow, dtype=x.dtype) for x in arrays]
        return vf.AnchorGFSC(4, n_anchors=20, random_state=0).fit(chunks).labels_.compute()

    @contextlib.contextmanager
    def workers() -> Iterator[list[int]]:
        """The process ids of new workers; Dask does not always replace a worker that was killed."""
        with (
            distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
            distributed.Client(cluster) as client,
        ):
            client.wait_for_workers(2)
            yield list(client.run(os.getpid).values())

    with workers():
        begin = time.perf_counter()
        expected = labels()
        seconds = time.perf_counter() - begin
    for _ in range(count):
        with workers() as processes:
            timer = threading.Timer(rng.uniform(0, seconds), os.kill, (rng.choice(processes), signal.SIGKILL))
            timer.start()
            try:
                outcomes["same labels" if np.array_equal(labels(), expected) else "DIFFERENT LABELS"] += 1
            except Exception as error:
                outcomes[f"FAILED with {type(error).__name__}: {error}"] += 1
            timer.join()
    return outcomes


def run_trials(trial: Trial, count: int, rng: random.Random, folder: Path) -> Counter:
    outcomes: Counter = Counter()
    for number in range(count):
        place = folder / f"{type(trial).__name__}-{number}"
        try:
            outcomes["killed while running" if trial(place, rng) else "already finished"] += 1
        except (Lost, vf.exceptions.ViewfuseError, OSError, ValueError) as error:
            outcomes[f"LOST: {error}"] += 1
    return outcomes


@contextlib.contextmanager
def mounted(folder: Path, size: str) -> Iterator[bool]:
    """Mount a small file system at ``folder``; False without the right to mount."""
    folder.mkdir()
    options = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    allowed = subprocess.run(options, capture_output=True, check=False).returncode == 0
    try:
        yield allowed
    finally:
        if allowed:
            subprocess.run(["umount", str(folder)], check=True)


def failed_command(*arguments: object, **options: object) -> tuple[int, str]:
    """Exit code and error message of a command in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", "from viewfuse.cli import main; main()", *map(str, arguments)],
        capture_output=True, text=True, timeout=300, check=False, **options,  # type: ignore[call-overload]
    )  # fmt: skip
    return done.returncode, done.stderr.strip()


def situations(folder: Path) -> Iterator[tuple[str, int, str, bool]]:
    """For each situation: its name, the exit code, the message, and whether the former files are unchanged."""
    views = vf.datasets.make_views(n_samples=400, n_clusters=3, random_state=0)
    data = folder / "data.npz"
    np.savez(data, **dict(zip(views.names, views.arrays, strict=True)))
    cluster = ("cluster", data, "-k", 3, "-m", "gfsc", "--save")
    with mounted(folder / "full", "48k") as allowed:
        if allowed:
            target = folder / "full" / "fit.npz"
            target.write_bytes(b"former content")
            (folder / "full" / "ballast").write_bytes(b"x" * 40_000)
            code, message = failed_command(*cluster, target)
            kept = target.read_bytes() == b"former content" and len(list(target.parent.iterdir())) == 2
            yield "full disk", code, message, kept
    with mounted(folder / "readonly", "1m") as allowed:
        if allowed:
            target = folder / "readonly" / "fit.npz"
            target.write_bytes(b"former content")
            subprocess.run(["mount", "-o", "remount,ro", str(folder / "readonly")], check=True)
            code, message = failed_command(*cluster, target)
            yield "read-only folder", code, message, target.read_bytes() == b"former content"
    code, message = failed_command("cluster", folder / "vanished.npz", "-k", 3, "-o", folder / "labels.csv")
    yield "missing input", code, message, not (folder / "labels.csv").exists()
    code, message = failed_command("cluster", data, "-k", 3, "-o", folder / "no" / "such" / "labels.csv")
    yield "no such folder", code, message, not (folder / "no").exists()
    from viewfuse._utils.store import Store

    labelled = folder / "labelled.npz"
    np.savez(labelled, **dict(zip(views.names, views.arrays, strict=True)), y=views.y)
    with Store.opened(folder / "run"):
        code, message = failed_command("reproduce", "-o", folder / "run", "--quick", "-m", "km", "-d", labelled)
    yield "second process", code, message, "another" in message


# Shares of the trials; Dask gets the rest.
SHARES = {ClusterOutput: 0.2, SavedModel: 0.1, Predict: 0.15, Benchmark: 0.15, Reproduce: 0.1, Tune: 0.1, Download: 0.1}


def kill_files(kind: type[Trial], count: int, rng: random.Random, folder: Path) -> bool:
    """Run the trials of one kind and print the outcomes; return whether something was lost."""
    if kind is Download and not SHARED.is_dir():
        print("Download       skipped: there is no ../shared/datasets")
        return False
    trial = kind(folder)
    outcomes = run_trials(trial, count, rng, folder)
    listed = ", ".join(f"{number} {outcome}" for outcome, number in outcomes.most_common())
    print(f"{kind.__name__:14} {count:3} kills: {listed}; one run takes {trial.seconds:.2f} s", flush=True)
    return any(outcome.startswith("LOST") for outcome in outcomes)


def kill_workers(count: int, rng: random.Random) -> bool:
    outcomes = dask_trials(count, rng)
    print(f"{'Dask worker':14} {count:3} kills: " + ", ".join(f"{n} {o}" for o, n in outcomes.most_common()), flush=True)
    return any(outcome != "same labels" for outcome in outcomes)


def try_situations(folder: Path) -> bool:
    lost = False
    for situation, code, message, kept in situations(folder):
        passed = code == 2 and kept and len(message.splitlines()) == 1
        print(
            f"{situation:17} exit {code}, {'nothing lost' if kept else 'LOST'}: {message.replace(str(folder), '…')}",
            flush=True,
        )
        lost |= not passed
    return lost


def main() -> int:
    names = [*(kind.__name__ for kind in SHARES), "Dask", "Situations"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=100, help="total number of kills, divided among the kinds")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--only", action="append", choices=names, help="run only these parts, each with its share of the trials"
    )
    options = parser.parse_args()
    chosen = options.only or names
    warnings.simplefilter("ignore")
    lost = False
    counts = {kind: round(share * options.trials) for kind, share in SHARES.items()}
    with tempfile.TemporaryDirectory() as name:
        for kind, count in counts.items():
            if kind.__name__ in chosen:
                lost |= kill_files(kind, count, random.Random(f"{options.seed} {kind.__name__}"), Path(name))
        if "Dask" in chosen:
            lost |= kill_workers(max(options.trials - sum(counts.values()), 0), random.Random(f"{options.seed} Dask"))
        if "Situations" in chosen:
            lost |= try_situations(Path(name))
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
