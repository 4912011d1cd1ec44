"""Time and peak memory of every method: ``python benchmarks/methods.py [MSRC-v5 reuters_1200 Handwritten_numerals]``.

``-m mvsc,imvsc`` runs only these methods. Each fit runs in its own process, so that peak memory is measured per fit.
CPU seconds (the sum over all threads) are printed too: on a shared machine they are more reliable than wall-clock time.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
import warnings
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "datasets"
CLUSTERS = {"MSRC-v5": 7, "reuters_1200": 6, "Handwritten_numerals": 10}


def measure(key: str, name: str, answers: Any) -> None:
    from viewfuse import METHODS, load_views, metrics

    warnings.simplefilter("ignore")
    views = load_views(FOLDER / f"{name}.mat")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started, busy = time.perf_counter(), time.process_time()
    model = METHODS[key](n_clusters=CLUSTERS[name], random_state=0).fit(views)
    seconds, processor = time.perf_counter() - started, time.process_time() - busy
    peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    answers.put((seconds, processor, peak, 100 * metrics.accuracy(views.y, model.labels_)))


def main() -> None:
    from viewfuse import METHODS

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="*", default=list(CLUSTERS))
    parser.add_argument("-m", "--methods", default=",".join(METHODS))
    arguments = parser.parse_args()
    spawn = multiprocessing.get_context("spawn")
    for name in arguments.data:
        totals = [0.0, 0.0]
        for key in arguments.methods.split(","):
            answers = spawn.SimpleQueue()
            process = spawn.Process(target=measure, args=(key, name, answers))
            process.start()
            process.join()
            if process.exitcode:
                print(f"{name:22} {key:11} failed", flush=True)
                continue
            seconds, processor, mebibytes, accuracy = answers.get()
            totals = [totals[0] + seconds, totals[1] + processor]
            figures = f"{seconds:8.2f} s {processor:8.2f} CPU s {mebibytes:6.0f} MiB   Acc {accuracy:4.1f}"
            print(f"{name:22} {key:11} {figures}", flush=True)
        print(f"{name:22} {'all':11} {totals[0]:8.2f} s {totals[1]:8.2f} CPU s", flush=True)


if __name__ == "__main__":
    main()
