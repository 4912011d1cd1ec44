"""Cost and accuracy of ``selection.stability``: ``python benchmarks/stability.py [-n 500 1797] [-m auto gfsc …] [--fits]``.

On handwritten digits and on noise, print for each method the CPU time of ``stability`` in units of that of one fit, and how
often clusters came back. With ``--fits``, also the same from twenty fits of halves: the direct version.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

import viewfuse as vf
from viewfuse.linalg import halves, recurrence


def timed(task: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.process_time()
    result = task()
    return time.process_time() - begin, result


def by_fits(model: Any, views: vf.Views, n_fits: int = 20) -> Any:
    resampled = []
    for part in halves(len(views), n_fits, int(model.labels_.max()) + 2, np.random.RandomState(1)):
        found = np.full(len(views), -1)
        found[part] = clone(model).fit(views[part]).labels_
        resampled.append(found)
    return recurrence(model.labels_, resampled)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, nargs="+", default=[500, 1797])
    parser.add_argument("-m", nargs="+", default=["auto", "gfsc", "gf", "anchor-gfsc"])
    parser.add_argument("--fits", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    digits = vf.datasets.load_digits_views()
    print(f"{'data':7} {'n':>5} {'method':12} {'fit, s':>7} {'ratio':>6} {'came back':>10} {'overlap':>8}", end="")
    print("  by fits: came back, overlap" if options.fits else "")
    for n in options.n:
        noise = vf.datasets.make_views(n_samples=n, n_clusters=1, n_features=(20, 30), random_state=0)
        for name, views, k in (("digits", digits[:n], 10), ("noise", noise, 5)):
            for key in options.m:
                unfitted = vf.METHODS[key](n_clusters=k, random_state=0)
                fit, model = timed(lambda unfitted=unfitted, views=views: unfitted.fit(views))
                own, found = timed(lambda model=model, views=views: vf.selection.stability(model, views, random_state=0))
                line = f"{name:7} {n:5} {key:12} {fit:7.2f} {own / fit:6.1f} {found.clusters.mean():10.2f} "
                line += f"{found.overlap.mean():8.2f}"
                if options.fits:
                    direct = by_fits(model, views)
                    line += f" {direct.clusters.mean():20.2f} {direct.mean_overlap.mean():8.2f}"
                print(line, flush=True)


if __name__ == "__main__":
    main()
