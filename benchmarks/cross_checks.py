"""Comparison with the authors' programs: ``python benchmarks/cross_checks.py [MSRC-v5 BBCSport Digits]``.

The authors' figures come from runs of the published programs of AMGL and Co-reg (Acc in %, mean ± std of single k-means
runs). A row is one embedding of our implementation. It is clustered by single k-means runs, as in their programs, and by the
estimator (rows of unit length, the best of ten runs by inertia). Rows with "if" change one setting to see its effect.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.cluster import KMeans

from viewfuse import METHODS, Views, load_views, metrics
from viewfuse.graphs import gaussian_graph, strongest_edges, unit_samples

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "datasets"
FILES = {"MSRC-v5": ("MSRC-v5.mat", 7), "BBCSport": ("BBCSport_fea_gt.mat", 5), "Digits": ("Handwritten_numerals.mat", 10)}
RUNS = 20

RAW = {"affinity": "adaptive-neighbors", "n_neighbors": 5, "scaling": "unit-spread"}  # distances between raw features
EUCLIDEAN = {"affinity": "gaussian", "n_neighbors": 10, "scaling": "unit-spread", "mode": "centroid", "lam": 0.1}
COSINE = {**EUCLIDEAN, "scaling": "unit-samples"}  # cosine distance: samples have unit length
GIVEN = {"affinity": "precomputed", "mode": "centroid", "lam": 0.1}


class Row(NamedTuple):
    data: str
    method: str
    note: str
    theirs: str
    options: dict[str, Any]
    prepare: Callable[[Views], Any] = lambda views: views


def either_side(views: Views) -> list[np.ndarray]:
    """The 10-neighbour graphs of the cosine distance; an edge keeps its full weight if one of its samples selects it."""
    graphs = [gaussian_graph(unit_samples(array)) for array in views.float_arrays()]
    return [np.where(strongest_edges(graph, 10) > 0, graph, 0) for graph in graphs]


ROWS = [
    Row("MSRC-v5", "amgl", "raw features, 5 neighbours", "67.7 ± 7.0", RAW),
    Row("MSRC-v5", "co-reg", "Euclidean, λ = 0.1", "80.6", EUCLIDEAN),
    Row("BBCSport", "co-reg", "cosine, λ = 0.1", "97.7", COSINE),
    Row("BBCSport", "co-reg", "if the cosine itself is the graph", "", {**COSINE, "affinity": "cosine"}),
    Row("BBCSport", "co-reg", "if one sample selects the edge", "", GIVEN, either_side),
    Row("BBCSport", "co-reg", "Euclidean, λ = 0.1", "60.4", EUCLIDEAN),
    Row("Digits", "amgl", "raw features, 5 neighbours", "79.6 ± 6.1", RAW),
    Row("Digits", "co-reg", "Euclidean, λ = 0.1", "92.6", EUCLIDEAN),
    Row("Digits", "co-reg", "Euclidean, λ = 0.01", "97.4", {**EUCLIDEAN, "lam": 0.01}),
]


def single_runs(points: np.ndarray, y: np.ndarray, k: int) -> str:
    runs = [KMeans(k, n_init=1, init="random", random_state=seed).fit_predict(points) for seed in range(RUNS)]
    scores = [100 * metrics.accuracy(y, labels) for labels in runs]
    return f"{np.mean(scores):5.1f} ± {np.std(scores):3.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="SET", help=", ".join(FILES))
    wanted = parser.parse_args().names or list(FILES)
    warnings.simplefilter("ignore")
    titles = f"{'single, rows of F':>18} {'single, unit rows':>18} {'best of 10':>11}"
    print(f"{'data':9} {'method':7} {'setting':36} {'theirs':>11} {titles}")
    for name in wanted:
        file, k = FILES[name]
        views = load_views(FOLDER / file)
        for row in (row for row in ROWS if row.data == name):
            model = METHODS[row.method](k, random_state=0, **row.options).fit(row.prepare(views))
            rows = model.embedding_
            unit = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)
            best = f"{100 * metrics.accuracy(views.y, model.labels_):.1f}"
            cells = f"{single_runs(rows, views.y, k):>18} {single_runs(unit, views.y, k):>18} {best:>11}"
            print(f"{name:9} {row.method:7} {row.note:36} {row.theirs:>11} {cells}", flush=True)


if __name__ == "__main__":
    main()
