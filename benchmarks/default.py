"""AutoFusion on data with known labels, beside simpler ways and peers.

    python benchmarks/default.py [--seeds 3] [--processes 16] [--data FOLDER] [NAME ...]
    python benchmarks/default.py --families 10 --processes 16

The labelled sets of ../shared/datasets (rows shuffled) and scikit-learn's tables with their columns in two groups. Labels
are read for the scores only. imml and mvlearn take part where they are installed (``pip install --no-deps imml control
mvlearn``), with standardised views, for at most two minutes. Two more tables follow.

* What each ingredient is worth: the mean accuracy without it.
* Leave one out: the only constant of the choice, the eigengap from which the joint graph is believed, is chosen by the mean
  accuracy on all other sets and applied to the set left out.

``--families N`` prints instead the mean accuracy on N draws of each family of ``families.py``, plain (hardness 1) and harder
(1.5), beside the best of the simple ways on each draw and a choice by agreement alone.
"""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import families
import numpy as np
from sklearn import datasets
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.preprocessing import StandardScaler, normalize

import viewfuse as vf
from viewfuse.cluster import METHODS
from viewfuse.cluster.auto import joint, measure
from viewfuse.cluster.auto.choosing import Chooser
from viewfuse.cluster.auto.merit import Merit
from viewfuse.graphs import represent

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "datasets"
PATIENCE = 120  # seconds for a fit of a peer
FILES = {
    "BBC": "bbc_seg14of4", "Reuters": "reuters_1200", "Digits": "Handwritten_numerals", "MSRC-v5": "MSRC-v5",
    "3Sources": "3Sources", "BBCSport": "BBCSport_fea_gt", "NGs": "NGs", "ORL": "ORL_4view", "100Leaves": "100Leaves",
    "WebKB": "WebKB", "MNIST-4": "MNIST-4", "ProteinFold": "ProteinFold", "Movies": "Movies",
}  # fmt: skip
TABLES = {
    "iris": datasets.load_iris, "wine": datasets.load_wine, "cancer": datasets.load_breast_cancer,
    "digits in halves": datasets.load_digits,
}  # fmt: skip
GAPS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
NEVER = 2.0  # a gap that no graph has
HARDNESS = (1.0, 1.5)
SIMPLE = ("k-means, standardised", "k-means, unit rows", "spectral, standardised")
_DRAW = "draw:"  # then the family, the hardness and a number

Data = tuple[list[np.ndarray], np.ndarray]


@cache
def data(name: str, folder: Path) -> Data | None:
    """Views and labels in random order; None if the file is not there."""
    order = np.random.default_rng(0)
    if name.startswith(_DRAW):
        family, hardness, number = name.removeprefix(_DRAW).split("/")
        return families.draw(family, np.random.default_rng([int(number), len(family)]), float(hardness))
    if name in TABLES:
        bunch = TABLES[name]()
        columns = order.permutation(bunch.data.shape[1])
        views, y = [bunch.data[:, half] for half in np.array_split(columns, 2)], bunch.target
    elif (path := folder / f"{FILES[name]}.mat").exists():
        loaded = vf.load_views(path)
        views, y = [np.asarray(v.toarray() if hasattr(v, "toarray") else v, float) for v in loaded.arrays], loaded.y
    else:
        return None
    rows = order.permutation(len(y))
    return [view[rows] for view in views], np.unique(np.asarray(y)[rows], return_inverse=True)[1]


def auto(views: list[np.ndarray], k: int, seed: int) -> np.ndarray:
    return vf.AutoFusion(k, random_state=seed).fit(views).labels_


def kmeans(points: np.ndarray, k: int, seed: int) -> np.ndarray:
    return KMeans(k, n_init=10, random_state=seed).fit_predict(points)


def standardised(views: list[np.ndarray]) -> np.ndarray:
    return np.hstack([StandardScaler().fit_transform(view) for view in views])


WAYS: dict[str, Any] = {
    "AutoFusion": auto,
    "GFSC": lambda views, k, seed: vf.GFSC(k, random_state=seed).fit(views).labels_,
    "AnchorGFSC": lambda views, k, seed: vf.AnchorGFSC(k, random_state=seed).fit(views).labels_,
    "k-means, standardised": lambda views, k, seed: kmeans(standardised(views), k, seed),
    "k-means, unit rows": lambda views, k, seed: kmeans(np.hstack([normalize(view) for view in views]), k, seed),
    "spectral, standardised": lambda views, k, seed: SpectralClustering(
        k, affinity="nearest_neighbors", random_state=seed
    ).fit_predict(standardised(views)),
    "GMC": lambda views, k, seed: METHODS["gmc"](k, random_state=seed).fit(views).labels_,
    "SNF": lambda views, k, seed: METHODS["snf"](k, random_state=seed).fit(views).labels_,
}


PEERS = {
    "imml": ("LFIMVC", "EEIMVC", "NEMO"),
    "mvlearn": ("MultiviewKMeans", "MultiviewSpectralClustering", "MultiviewCoRegSpectralClustering"),
}


def peer(way: str) -> Callable[[list[np.ndarray], int, int], np.ndarray]:
    package, name = way.split()

    def fitted(views: list[np.ndarray], k: int, seed: int) -> np.ndarray:
        method = getattr(importlib.import_module(f"{package}.cluster"), name)(n_clusters=k, random_state=seed)
        return np.asarray(method.fit_predict([StandardScaler().fit_transform(view) for view in views]))

    return fitted


def installed_peers() -> Iterator[str]:
    for package, names in PEERS.items():
        try:
            importlib.import_module(f"{package}.cluster")
        except Exception as error:  # an old package may fail in any way
            print(f"{package} is left out: {error}")
            continue
        for name in names:
            yield f"{package} {name}"


def standardise_all(view: Any, **options: Any) -> Any:
    """The representation of a table, whatever the values are."""
    with (
        mock.patch("viewfuse.graphs.representation._is_counts", return_value=False),
        mock.patch("viewfuse.graphs.representation._is_mostly_zero", return_value=False),
        mock.patch("viewfuse.graphs.representation._floor_of_logarithms", return_value=None),
    ):
        return represent(view)


def weighed_by(*names: str) -> Any:
    """Candidates are chosen by the sum of these merits alone."""
    return mock.patch.object(Merit, "total", property(lambda merit: sum(getattr(merit, name) for name in names)))


def without_candidates() -> Any:
    """The joint graph is cut in any case."""
    return mock.patch.object(Chooser, "_among_several", lambda chooser, first, _, *rest: chooser._decided([first], *rest))


ABLATIONS: dict[str, Any] = {
    "with all of it": nullcontext,
    "without representations that suit the view": lambda: mock.patch.object(measure, "represent", standardise_all),
    "without the joint graph's gap (always four candidates)": lambda: mock.patch.object(joint, "CLEAR_GAP", NEVER),
    "without the candidates (the joint graph only)": without_candidates,
    "without agreement of the candidates": lambda: weighed_by("back", "inside"),
    "without halves of the samples": lambda: weighed_by("agreement", "inside"),
    "without neighbours in the views": lambda: weighed_by("agreement", "back"),
    "by agreement alone": lambda: weighed_by("agreement"),
    "by halves alone": lambda: weighed_by("back"),
    "by neighbours alone": lambda: weighed_by("inside"),
}

Score = tuple[float, float, float]  # accuracy and adjusted Rand index in percent, seconds


def _overdue(*_: object) -> None:
    raise TimeoutError(f"not finished in {PATIENCE} s")


def score(way: str, ablation: str, name: str, folder: Path, seed: int) -> Score:
    """One fit; NaN if a peer fails or takes too long."""
    views, y = data(name, folder)
    fit = WAYS[way] if way in WAYS else peer(way)
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, _overdue)
    signal.alarm(PATIENCE if way not in WAYS else 0)
    begin = time.perf_counter()
    try:
        with ABLATIONS[ablation]():
            labels = fit(views, int(y.max()) + 1, seed)
    except Exception as error:
        if way in WAYS:
            raise
        print(f"{way} on {name}: {error!r}"[:120])
        return np.nan, np.nan, np.nan
    finally:
        signal.alarm(0)
    seconds = time.perf_counter() - begin
    return 100 * vf.metrics.accuracy(y, labels), 100 * vf.metrics.ari(y, labels), seconds


def by_gap(name: str, folder: Path) -> list[float]:
    """Accuracy for every eigengap in GAPS from which the joint graph would be believed."""
    warnings.simplefilter("ignore")
    views, y = data(name, folder)
    with mock.patch.object(joint, "CLEAR_GAP", NEVER):
        weighed = vf.AutoFusion(int(y.max()) + 1, random_state=0).fit(views)
    with without_candidates():
        alone = vf.AutoFusion(int(y.max()) + 1, random_state=0).fit(views)
    accuracies = [100 * vf.metrics.accuracy(y, model.labels_) for model in (weighed, alone)]
    return [accuracies[alone.choice_.gap >= gap] for gap in GAPS]


def print_ways(pool: ProcessPoolExecutor, names: list[str], folder: Path, seeds: int) -> None:
    ways = [*WAYS, *installed_peers()]
    tasks = {
        (name, way): [pool.submit(score, way, "with all of it", name, folder, seed) for seed in range(seeds)]
        for name in names
        for way in ways
    }
    found = {key: np.mean([task.result() for task in each], axis=0) for key, each in tasks.items()}
    print("| | " + " | ".join(ways) + " |\n|" + "---|" * (len(ways) + 1))
    for name in names:
        print(f"| {name} | " + " | ".join("{:.1f} / {:.1f}, {:.1f} s".format(*found[name, way]) for way in ways) + " |")
    means = [np.mean([found[name, way] for name in names], axis=0) for way in ways]
    print("| mean | " + " | ".join("{:.1f} / {:.1f}, {:.1f} s".format(*mean) for mean in means) + " |", flush=True)


def print_ablations(pool: ProcessPoolExecutor, names: list[str], folder: Path, seeds: int) -> None:
    print("\nWhat each ingredient is worth: mean accuracy and adjusted Rand index without it")
    tasks = {
        what: [pool.submit(score, "AutoFusion", what, name, folder, seed) for name in names for seed in range(seeds)]
        for what in ABLATIONS
    }
    for what, each in tasks.items():
        accuracy, ari, _ = np.mean([task.result() for task in each], axis=0)
        print(f"  {what:56s} {accuracy:5.1f} {ari:5.1f}", flush=True)


def print_left_out(pool: ProcessPoolExecutor, names: list[str], folder: Path) -> None:
    gaps = np.array(list(pool.map(by_gap, names, [folder] * len(names))))
    left_out = [gaps[i, np.delete(gaps, i, axis=0).mean(axis=0).argmax()] for i in range(len(gaps))]
    print("\nThe eigengap: " + ", ".join(f"{gap} {acc:.1f}" for gap, acc in zip(GAPS, gaps.mean(axis=0), strict=True)))
    print(f"  chosen on the other sets, met on the one left out: {np.mean(left_out):.1f}")


def print_families(pool: ProcessPoolExecutor, draws: int) -> None:
    ours = {"AutoFusion": "with all of it", "by agreement alone": "by agreement alone"}
    print(f"{'family':24s}{'hardness':>10s}{'best simple':>14s}" + "".join(f"{what:>20s}" for what in ours))
    totals = []
    for hardness in HARDNESS:
        for family in families.FAMILIES:
            names = [f"{_DRAW}{family}/{hardness}/{number}" for number in range(draws)]
            simple = [[pool.submit(score, way, "with all of it", name, FOLDER, 0) for way in SIMPLE] for name in names]
            found = [[pool.submit(score, "AutoFusion", what, name, FOLDER, 0) for name in names] for what in ours.values()]
            best = np.mean([max(task.result()[0] for task in each) for each in simple])
            means = [best, *(np.mean([task.result()[0] for task in each]) for each in found)]
            totals.append(means)
            print(f"{family:24s}{hardness:10.1f}{means[0]:14.1f}" + "".join(f"{m:20.1f}" for m in means[1:]), flush=True)
    mean = np.mean(totals, axis=0)
    print(f"{'mean':34s}{mean[0]:14.1f}" + "".join(f"{m:20.1f}" for m in mean[1:]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--data", type=Path, default=FOLDER)
    parser.add_argument("--families", type=int, metavar="N", help="N draws of each family of generated data instead")
    parser.add_argument("names", nargs="*", default=[*FILES, *TABLES], metavar="NAME")
    options = parser.parse_args()
    if options.families:
        with ProcessPoolExecutor(options.processes) as pool:
            print_families(pool, options.families)
        return
    names = [name for name in options.names if data(name, options.data) is not None]
    with ProcessPoolExecutor(options.processes) as pool:
        print_ways(pool, names, options.data, options.seeds)
        print_ablations(pool, names, options.data, options.seeds)
        print_left_out(pool, names, options.data)


if __name__ == "__main__":
    main()
