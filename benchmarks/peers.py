"""The eight later methods beside direct versions of their programs (``tests/peers.py``): CPU seconds and the ratio.

    python benchmarks/peers.py [ORL_4view BBCSport_fea_gt] [-m gmc,snf] [--no-direct]

A direct version works row by row, with dense products and full decompositions, as the program does. Both do the same work:
the same rows in random order, one k-means run, and five starts of OPMC. The ratio is given for the method and, in
parentheses, for a whole fit with its checks of the data, which the programs do not have. ``--no-direct`` times the
estimators alone, with their defaults.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from sklearn.cluster import KMeans

import peers
from viewfuse import METHODS, load_views, metrics

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "datasets"
LATER = ("gmc", "snf", "lmvsc", "opmc", "fpmvs", "mlan", "swmc", "cgd")
STARTS = 5


def k_means(points: np.ndarray, k: int, **options: Any) -> KMeans:
    return KMeans(k, n_init=1, random_state=0, **options).fit(points)


def direct_lmvsc(views: list[np.ndarray], k: int) -> np.ndarray:
    anchors = [k_means(view, k, init="random", max_iter=100).cluster_centers_ for view in views]
    return k_means(peers.lmvsc(views, anchors)["left"][:, :k], k).labels_


def direct_opmc(views: list[np.ndarray], k: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    runs = [peers.opmc(views, rng.integers(k, size=len(views[0]))) for _ in range(STARTS)]
    return min(runs, key=lambda run: run["losses"][-1])["labels"]


def direct_fpmvs(views: list[np.ndarray], k: int) -> np.ndarray:
    left = np.linalg.svd(peers.fpmvs(views, k)["codes"].T, full_matrices=False)[0]
    return k_means(left / np.maximum(np.linalg.norm(left, axis=1, keepdims=True), 1e-300), k).labels_


def direct_cgd(views: list[np.ndarray], k: int) -> np.ndarray:
    fused = peers.cgd(views, dtype=np.float32)["fused"].astype(float)
    root = fused.sum(axis=1) ** -0.5
    left = scipy.linalg.svd(root[:, None] * fused * root[None, :])[0]
    return k_means(root[:, None] * left[:, :k], k).labels_


def direct_swmc(views: list[np.ndarray], k: int) -> np.ndarray:
    start = np.random.RandomState(0).random_sample(len(views))
    return peers.swmc(views, k, start / start.sum())["labels"]


DIRECT: dict[str, Callable[[list[np.ndarray], int], np.ndarray]] = {
    "gmc": lambda views, k: peers.gmc(views, k)["labels"],
    "snf": lambda views, k: peers.snf(views, k)["labels"],
    "lmvsc": direct_lmvsc,
    "opmc": direct_opmc,
    "fpmvs": direct_fpmvs,
    "mlan": lambda views, k: peers.mlan(views, k)["labels"],
    "swmc": direct_swmc,
    "cgd": direct_cgd,
}


def ours(key: str, views: Any, k: int, *, defaults: bool, checks: bool = True) -> np.ndarray:
    starts = {} if defaults or key == "snf" else {"n_init": STARTS if key == "opmc" else 1}
    model = METHODS[key](k, random_state=0, **starts)
    model._gives_verdict = checks
    return model.fit(views).labels_


def timed(work: Callable[[], np.ndarray], repeat: int = 1) -> tuple[float, np.ndarray]:
    """CPU seconds of all threads, which other programs on the machine disturb least: the least of several runs."""
    times = []
    for _ in range(repeat):
        begin = time.process_time()
        labels = work()
        times.append(time.process_time() - begin)
    return min(times), labels


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="*", default=["ORL_4view", "BBCSport_fea_gt"])
    parser.add_argument("-m", "--methods", default=",".join(LATER))
    parser.add_argument("--no-direct", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in options.data:
        views = load_views(FOLDER / f"{name}.mat")
        views = views[np.random.default_rng(0).permutation(len(views))]
        dense = [view.toarray() if sp.issparse(view) else np.asarray(view, dtype=float) for view in views.arrays]
        k = len(np.unique(views.y))
        for key in options.methods.split(","):
            seconds, labels = timed(
                lambda key=key, views=views, k=k: ours(key, views, k, defaults=options.no_direct),
                1 if options.no_direct else 3,
            )
            line = f"{name:22} {key:6} {seconds:7.2f} s   Acc {100 * metrics.accuracy(views.y, labels):5.1f}"
            if not options.no_direct:
                slow, others = timed(lambda key=key, dense=dense, k=k: DIRECT[key](dense, k))
                accuracy = 100 * metrics.accuracy(views.y, others)
                alone, _ = timed(
                    lambda key=key, views=views, k=k: ours(key, views, k, defaults=False, checks=False), repeat=3
                )
                line += f"   direct {slow:7.2f} s   Acc {accuracy:5.1f}   ratio {slow / alone:6.1f} ({slow / seconds:.1f})"
            print(line, flush=True)


if __name__ == "__main__":
    main()
