"""What empty cells cost: accuracy of AutoFusion on complete data less that with a share of the cells missing.

Cells are missing at random, or the larger a value is, the more often it is missing. Prints the mean and the worst loss, in
points, of each family of data for 5, 15 and 30 % of the cells, and how many of the bars (1, 3 and 6 points) hold:

    python benchmarks/empty_cells.py [DRAWS] [FAMILY …] [--seed S]
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

import viewfuse as vf
from viewfuse.exceptions import ViewfuseWarning

BARS = {0.05: 1.0, 0.15: 3.0, 0.3: 6.0}  # points that may be lost, by the share of empty cells


def blobs(rng: np.random.Generator) -> tuple[list[np.ndarray], np.ndarray]:
    k = int(rng.integers(2, 7))
    y = rng.integers(0, k, 400)
    return [rng.normal(size=(k, d))[y] * 6 + rng.normal(size=(400, d)) for d in rng.integers(2, 6, 3)], y


def units(rng: np.random.Generator) -> tuple[list[np.ndarray], np.ndarray]:
    """Blobs with two more columns of noise in each view, every column in another unit."""
    views, y = blobs(rng)
    wide = [np.hstack([view, rng.normal(size=(len(y), 2))]) for view in views]
    return [view * np.exp(rng.uniform(-3, 5, view.shape[1])) + rng.uniform(-50, 200, view.shape[1]) for view in wide], y


def _in_halves(load: Callable[[], Any], rng: np.random.Generator) -> tuple[list[np.ndarray], np.ndarray]:
    """A table of scikit-learn, its columns divided into two views."""
    found = load()
    columns = rng.permutation(found.data.shape[1])
    half = len(columns) // 2
    return [found.data[:, columns[:half]], found.data[:, columns[half:]]], found.target


def iris(rng: np.random.Generator) -> tuple[list[np.ndarray], np.ndarray]:
    return _in_halves(load_iris, rng)


def wine(rng: np.random.Generator) -> tuple[list[np.ndarray], np.ndarray]:
    return _in_halves(load_wine, rng)


def cancer(rng: np.random.Generator) -> tuple[list[np.ndarray], np.ndarray]:
    return _in_halves(load_breast_cancer, rng)


def digits(rng: np.random.Generator) -> tuple[list[np.ndarray], np.ndarray]:
    views = vf.datasets.load_digits_views()[np.sort(rng.permutation(1797)[:600])]
    return [np.asarray(view) for view in views.arrays], views.y


FAMILIES = {made.__name__: made for made in (blobs, units, iris, wine, cancer, digits)}


def with_holes(view: np.ndarray, share: float, by_value: bool, rng: np.random.Generator) -> np.ndarray:
    rank = np.argsort(np.argsort(view, axis=0), axis=0) / len(view)
    empty = rng.random(view.shape) < (2 * share * rank if by_value else share)
    empty[empty.all(axis=1), 0] = False
    return np.where(empty, np.nan, view)


def accuracy(views: list[np.ndarray], y: np.ndarray) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ViewfuseWarning)
        model = vf.AutoFusion(len(np.unique(y)), random_state=0).fit(views)
    return 100 * vf.metrics.accuracy(y, model.labels_)


def main(draws: int, families: list[str], seed: int) -> None:
    held = []
    for family in families or FAMILIES:
        losses: dict[tuple[float, bool], list[float]] = {(share, kind): [] for kind in (False, True) for share in BARS}
        for draw in range(draws):
            views, y = FAMILIES[family](np.random.default_rng([seed, draw]))
            complete = accuracy(views, y)
            for (share, by_value), found in losses.items():
                rng = np.random.default_rng([draw, round(100 * share), by_value, seed][: 4 if seed else 3])
                found.append(complete - accuracy([with_holes(view, share, by_value, rng) for view in views], y))
        for by_value in (False, True):
            shown = "  ".join(
                f"{share:.0%}: {np.mean(losses[share, by_value]):4.1f} (worst {max(losses[share, by_value]):4.1f})"
                for share in BARS
            )
            held += [np.mean(losses[share, by_value]) <= bar for share, bar in BARS.items()]
            print(f"{family:7s} {'by value' if by_value else 'at random':9s} {shown}", flush=True)
    print(f"{sum(held)} of {len(held)} bars hold")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("draws", nargs="?", type=int, default=10)
    parser.add_argument("families", nargs="*", metavar="FAMILY")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    main(given.draws, given.families, given.seed)
