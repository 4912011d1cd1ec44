"""Accuracy of each method over a small grid: ``python benchmarks/grids.py [MSRC-v5 3Sources Digits] [-m km,rmkmc]``.

Prints the accuracy of the defaults, of the best point of the grid, and of chance (the same cluster sizes, shuffled). The
best point is chosen by the labels, as in the papers' tables. The package itself never uses labels.
"""

from __future__ import annotations

import argparse
import itertools
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from viewfuse import METHODS, load_views, metrics

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "datasets"
FILES = {"MSRC-v5": ("MSRC-v5.mat", 7), "3Sources": ("3Sources.mat", 6), "Digits": ("Handwritten_numerals.mat", 10)}
GRAPHS = {"affinity": ["gaussian", "adaptive-neighbors", "self-expressive"]}
GRIDS: dict[str, dict[str, list[Any]]] = {
    "sc": GRAPHS,
    "sc-ave": GRAPHS,
    "km": {"scaling": ["unit-samples", "unit-spread"]},
    "co-train": GRAPHS,
    "co-reg": {"lam": [0.01, 0.1]},
    "mvkkm": {"p": [3.0, 10.0], "affinity": ["cosine", "gaussian"]},
    "rmkmc": {"gamma": [2.0, 10.0, 100.0]},
    "mspl": {"sharpness": [5.0, 10.0, 20.0]},
    "amgl": GRAPHS,
    "mvsc": {"lam1": [0.001, 0.01, 0.1]},
    "dimsc": {"lam_v": [0.1, 1.0]},
    "imvsc": {"lam1": [0.3, 1.0], "lam3": [1.0]},
}


def settings(key: str) -> list[dict[str, Any]]:
    """The points of the grid without the defaults."""
    grid = GRIDS.get(key, {})
    points = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    defaults = METHODS[key]().get_params()
    return [options for options in points if any(defaults[name] != value for name, value in options.items())]


def chance(y: np.ndarray, labels: np.ndarray) -> float:
    rng = np.random.default_rng(0)
    return 100 * float(np.mean([metrics.accuracy(y, rng.permutation(labels)) for _ in range(50)]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="*", default=list(FILES))
    parser.add_argument("-m", "--methods", default=",".join(METHODS))
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in arguments.data:
        file, k = FILES[name]
        views = load_views(FOLDER / file)
        for key in arguments.methods.split(","):
            plain = METHODS[key](n_clusters=k, random_state=0).fit(views).labels_
            default = best = 100 * metrics.accuracy(views.y, plain)
            at: dict[str, Any] = {}
            for options in settings(key):
                labels = METHODS[key](n_clusters=k, random_state=0, **options).fit(views).labels_
                score = 100 * metrics.accuracy(views.y, labels)
                best, at = max((best, at), (score, options), key=lambda found: found[0])
            figures = f"default {default:5.1f}   best {best:5.1f}   chance {chance(views.y, plain):5.1f}"
            print(f"{name:9} {key:11} {figures}   {at or 'the defaults'}", flush=True)


if __name__ == "__main__":
    main()
