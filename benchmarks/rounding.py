"""Whether a result hangs on rounding: ``python benchmarks/rounding.py [NAME ...]``.

AutoFusion finds the number of clusters and the clusters of each labelled set of ../shared/datasets, with one thread and with
two, from numbers in double and in single precision. For each set the numbers found are printed, and the adjusted Rand index
of each result with the first; the same with the true number of clusters. The last line says how many sets gave the same.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import warnings

import numpy as np
from default import FILES, FOLDER, data

import viewfuse as vf

WAYS = [(threads, dtype) for threads in (1, 2) for dtype in ("float64", "float32")]
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def fitted(name: str, dtype: str) -> list[dict]:
    """The number of clusters and the labels, found and with the true number, of one set in this precision."""
    views, y = data(name, FOLDER)
    views = [view.astype(dtype) for view in views]
    models = [vf.AutoFusion(k, random_state=0).fit(views) for k in ("auto", int(y.max()) + 1)]
    return [{"n_clusters": model.n_clusters_, "labels": model.labels_.tolist()} for model in models]


def in_process(name: str, threads: int, dtype: str) -> list[dict]:
    """:func:`fitted` in a process of its own: the number of threads is read when libraries are loaded."""
    environment = {**os.environ, **dict.fromkeys(THREAD_VARIABLES, str(threads))}
    command = [sys.executable, __file__, "--one", name, dtype]
    return json.loads(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def compare(name: str) -> bool:
    """Print what each way gives; whether all are the same."""
    found = [in_process(name, threads, dtype) for threads, dtype in WAYS]
    same = True
    for i, what in enumerate(("number found", "number given")):
        numbers = [way[i]["n_clusters"] for way in found]
        agreement = [vf.metrics.ari(np.array(found[0][i]["labels"]), np.array(way[i]["labels"])) for way in found]
        same = same and len(set(numbers)) == 1 and min(agreement) == 1
        shown = ", ".join(f"{number} ({ari:.3f})" for number, ari in zip(numbers, agreement, strict=True))
        print(f"{name:12s} {what}: {shown}", flush=True)
    return same


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(FILES))
    parser.add_argument("--one", nargs=2, metavar=("NAME", "TYPE"), help=argparse.SUPPRESS)  # for processes of this program
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.one:
        print(json.dumps(fitted(*options.one)))
        return
    print("threads and precision: " + ", ".join(f"{threads} {dtype}" for threads, dtype in WAYS))
    names = [name for name in options.names or FILES if data(name, FOLDER) is not None]
    same = sum(compare(name) for name in names)
    print(f"the same in every way: {same} of {len(names)} sets")


if __name__ == "__main__":
    main()
