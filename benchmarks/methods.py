"""Time and peak memory of every method: ``python benchmarks/methods.py [MSRC-v5 reuters_1200 Handwritten_numerals]``.

Each fit runs in a process of its own, so that its peak memory is its own; the data is read from ../shared/datasets.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import scipy.io
import scipy.sparse as sp

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "datasets"
CLUSTERS = {"MSRC-v5": 7, "reuters_1200": 6, "Handwritten_numerals": 10}


def views_of(name: str) -> list[np.ndarray]:
    path = FOLDER / f"{name}.mat"
    if h5py.is_hdf5(path):
        with h5py.File(path) as file:
            return [np.array(file[reference]).T for reference in np.array(file["data"]).ravel()]
    cells = scipy.io.loadmat(path)["X"].ravel()
    return [cell.toarray() if sp.issparse(cell) else np.asarray(cell, dtype=float) for cell in cells]


def measure(key: str, name: str, answers: Any) -> None:
    from viewfuse import METHODS

    warnings.simplefilter("ignore")
    views = views_of(name)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.perf_counter()
    METHODS[key](n_clusters=CLUSTERS[name], random_state=0).fit(views)
    seconds = time.perf_counter() - started
    answers.put((seconds, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024))


def main() -> None:
    from viewfuse import METHODS

    spawn = multiprocessing.get_context("spawn")
    for name in sys.argv[1:] or list(CLUSTERS):
        total = 0.0
        for key in METHODS:
            answers = spawn.SimpleQueue()
            process = spawn.Process(target=measure, args=(key, name, answers))
            process.start()
            process.join()
            if process.exitcode:
                print(f"{name:22} {key:10} failed", flush=True)
                continue
            seconds, mebibytes = answers.get()
            total += seconds
            print(f"{name:22} {key:10} {seconds:8.2f} s {mebibytes:8.0f} MiB", flush=True)
        print(f"{name:22} {'all':10} {total:8.2f} s", flush=True)


if __name__ == "__main__":
    main()
