"""How often the right number of clusters is found: ``python benchmarks/n_clusters.py [--draws 100]``.

The eight labelled sets of ../shared/datasets (three seeds each), blobs with clear structure, and data without clusters.
Labels are used only to score the results.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

import numpy as np

from viewfuse import Views, load_views
from viewfuse.datasets import make_views
from viewfuse.exceptions import ViewfuseWarning
from viewfuse.selection import choose_n_clusters

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "datasets"
SETS = {
    "BBC": "bbc_seg14of4", "Reuters": "reuters_1200", "Digits": "Handwritten_numerals", "MSRC-v5": "MSRC-v5",
    "3Sources": "3Sources", "BBCSport": "BBCSport_fea_gt", "NGs": "NGs", "ORL": "ORL_4view",
}  # fmt: skip
SEEDS = 3


def close(found: int, true: int) -> bool:
    return abs(found - true) <= (0.15 * true if true > 10 else 1)


def real_sets() -> None:
    right = near = 0.0
    for name, file in SETS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ViewfuseWarning)
            views = load_views(FOLDER / f"{file}.mat")
            true = np.unique(views.y).size
            started = time.perf_counter()
            found = [choose_n_clusters(views, random_state=seed).suggested for seed in range(SEEDS)]
        seconds = (time.perf_counter() - started) / SEEDS
        right += np.mean([k == true for k in found])
        near += np.mean([close(k, true) for k in found])
        print(f"{name:10} true {true:2}  found {found}  {seconds:.1f} s", flush=True)
    print(f"right on {right:.1f} of {len(SETS)}, close (±1, or 15 % above 10 clusters) on {near:.1f}, mean over seeds\n")


def blobs(draws: int) -> None:
    right = 0
    for seed in range(draws):
        k = 2 + seed % 7
        views = make_views(n_samples=200, n_clusters=k, random_state=seed)
        right += choose_n_clusters(views, n_resamples=4, random_state=seed).suggested == k
    print(f"clear blobs of 2 to 8 clusters: right in {right} of {draws} draws", flush=True)


def without_clusters(draws: int) -> None:
    rng = np.random.default_rng(0)

    def shared_gaussian() -> Views:
        hidden = rng.normal(size=(200, 4))
        return Views([hidden @ rng.normal(size=(4, 10)) + 0.3 * rng.normal(size=(200, 10)) for _ in range(3)])

    kinds = {
        "independent noise": lambda seed: make_views(n_samples=200, n_clusters=1, random_state=seed),
        "noise in two dimensions": lambda seed: make_views(
            n_samples=200, n_clusters=1, n_features=(2, 2), random_state=seed
        ),
        "uniform": lambda _: Views([rng.random((200, 8)), rng.random((200, 3))]),
        "one Gaussian in three views": lambda _: shared_gaussian(),
    }
    for name, draw in kinds.items():
        found = [choose_n_clusters(draw(seed), n_resamples=4, random_state=seed) for seed in range(draws)]
        print(f"{name}: no clusters found in {sum(not f.structured for f in found)} of {draws} draws", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=100)
    draws = parser.parse_args().draws
    if FOLDER.is_dir():
        real_sets()
    blobs(draws)
    without_clusters(draws // 4)


if __name__ == "__main__":
    main()
