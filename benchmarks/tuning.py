"""Gain of tuning without labels: ``python benchmarks/tuning.py [BBC ...] [--folder FOLDER]``.

For each labelled data set of ../shared/datasets, print Acc at the defaults, at the point that ``tune`` chooses, and at
the best point of the same grid, chosen with the labels. A run that was stopped resumes from the folder.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from label_free import FOLDER, SETS

from viewfuse import load_views
from viewfuse.metrics import accuracy
from viewfuse.selection import tune

DEFAULTS = {"alpha": 1.0, "beta": 0.1, "gamma": 2.0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=list(SETS))
    parser.add_argument("--folder", default="build/tuning")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for name in options.sets:
        views = load_views(FOLDER / f"{SETS[name]}.mat")
        k = np.unique(views.y).size
        found = tune(views, k, folder=options.folder, progress=True)
        accs = [100 * accuracy(views.y, labels) for labels in found.clusterings]
        default, tuned = accs[found.points.index(DEFAULTS)], 100 * accuracy(views.y, found.labels)
        rows.append((default, tuned, max(accs)))
        print(f"{name:9} defaults {default:5.1f}  tuned {tuned:5.1f}  best of the grid {max(accs):5.1f}", flush=True)
    default, tuned, best = np.mean(rows, axis=0)
    print(f"mean: below the best {best - tuned:.1f}, gain over the defaults {tuned - default:+.1f}")


if __name__ == "__main__":
    main()
