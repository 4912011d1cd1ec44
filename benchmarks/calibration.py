"""Whether memberships are calibrated: ``python benchmarks/calibration.py [--draws 3] [--figure calibration.png]``.

Families of random data (``families.py``) are made harder until between 2 and 30 % of the samples are in the wrong cluster;
there clusters and classes are the same thing. Of the samples with a largest membership of about p, a share p should be
right. The expected calibration error is the mean distance of the two, over ten bins. The labelled sets of
../shared/datasets follow, where classes need not be clusters: the error of the least sure tenth and of the rest. Labels are
used for scores only.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
from default import FILES, FOLDER, data
from families import FAMILIES, draw
from scipy.optimize import linear_sum_assignment

import viewfuse as vf

HARDNESS = (1.3, 1.7, 2.2, 3.0, 4.0, 5.5, 7.5, 10.0)
BINS = 10


def is_right(y: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Whether each sample is in the cluster that is matched to its class."""
    table = np.zeros((y.max() + 1, labels.max() + 1))
    np.add.at(table, (y, labels), 1)
    classes, clusters = linear_sum_assignment(-table)
    return np.array([dict(zip(clusters, classes, strict=True)).get(c, -1) for c in labels]) == y


def reliability(largest: np.ndarray, right: np.ndarray) -> np.ndarray:
    """For each bin: samples, sum of memberships, samples that are right; (BINS, 3)."""
    place = np.minimum((largest * BINS).astype(int), BINS - 1)
    return np.stack([np.bincount(place, weights, BINS) for weights in (np.ones_like(largest), largest, right)], axis=1)


def calibration_error(table: np.ndarray) -> float:
    return float(np.abs(table[:, 1] - table[:, 2]).sum() / table[:, 0].sum())


def families(draws: int) -> dict[str, np.ndarray]:
    errors, tables = {}, {}
    for name in FAMILIES:
        found, total = [], np.zeros((BINS, 3))
        for i in range(draws):
            for hardness in HARDNESS:
                views, y = draw(name, np.random.default_rng([7, i, len(name)]), hardness)
                model = vf.AutoFusion(int(y.max()) + 1, random_state=i).fit(views)
                right = is_right(y, model.labels_)
                if 0.02 <= 1 - right.mean() <= 0.3:
                    table = reliability(model.membership_.max(axis=1), right.astype(float))
                    found.append(calibration_error(table))
                    total += table
        errors[name], tables[name] = found, total
        print(f"{name:16s} expected calibration error {np.mean(found):.3f} ({len(found)} draws)", flush=True)
    every = [error for found in errors.values() for error in found]
    print(f"mean over families {np.mean([np.mean(e) for e in errors.values()]):.3f}, over draws {np.mean(every):.3f}\n")
    return tables


def real_sets() -> dict[str, np.ndarray]:
    tables = {}
    for name in FILES:
        if (loaded := data(name, FOLDER)) is None:
            continue
        views, y = loaded
        model = vf.AutoFusion(int(y.max()) + 1, random_state=0).fit(views)
        right, largest = is_right(y, model.labels_), model.membership_.max(axis=1)
        order = np.argsort(largest, kind="stable")
        least, rest = order[: len(y) // 10], order[len(y) // 10 :]
        tables[name] = reliability(largest, right.astype(float))
        wrong = [100 * (1 - right[some].mean()) for some in (least, rest)]
        print(f"{name:12s} wrong: least sure tenth {wrong[0]:5.1f} %, the rest {wrong[1]:5.1f} %; "
              f"calibration error {calibration_error(tables[name]):.2f}", flush=True)  # fmt: skip
    return tables


def picture(tables: dict[str, np.ndarray], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    columns = 6
    rows = -(-len(tables) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(2.1 * columns, 2.2 * rows), layout="constrained", sharex=True, sharey=True
    )
    for ax in axes.flat:
        ax.set_visible(False)
    for ax, (name, table) in zip(axes.flat, tables.items(), strict=False):
        ax.set_visible(True)
        some = table[:, 0] > 0
        ax.plot([0, 1], [0, 1], color="0.7", lw=1)
        ax.scatter(
            table[some, 1] / table[some, 0], table[some, 2] / table[some, 0], s=4 + 120 * table[some, 0] / table[:, 0].sum()
        )
        ax.set_title(name.replace("_", " "), fontsize=9)
        ax.set(xlim=(0, 1.02), ylim=(0, 1.02))
    figure.supxlabel("largest membership")
    figure.supylabel("share that is right")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--figure", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    tables = {**families(options.draws), **real_sets()}
    if options.figure:
        picture(tables, options.figure)


if __name__ == "__main__":
    main()
