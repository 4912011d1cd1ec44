"""Data with many columns: clusters of unequal sizes, and data without clusters; AutoFusion's accuracy and its warnings.

    python benchmarks/wide.py [--draws 40] [--seed 0] [--count]

Prints the mean accuracy in percent with and without uneven cuts of neighbour graphs, and that of scikit-learn's spectral
clustering on the same columns (logarithms where values are log-normal, standardised). Then, of clusterings that are right
(at least 95 %) and wrong (less than 80 %), and of data without clusters, how many have a NoStructureWarning or an
UnstableClustersWarning. ``--count`` prints instead the mean adjusted Rand index with the number of clusters given and found,
and how often that number is right and how often there are said to be none.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from unittest import mock

import numpy as np
from sklearn.cluster import SpectralClustering
from sklearn.preprocessing import StandardScaler

from viewfuse import AutoFusion, metrics
from viewfuse.cluster.auto.choosing import Chooser
from viewfuse.exceptions import NoStructureWarning, UnstableClustersWarning

Views = list[np.ndarray]
RIGHT, WRONG = 0.95, 0.8  # accuracies


def _unequal(rng: np.random.Generator, n: int, k: int, least: float) -> np.ndarray:
    shares = np.maximum(rng.dirichlet(np.full(k, 2.0)), least)
    return np.unique(rng.choice(k, n, p=shares / shares.sum()), return_inverse=True)[1]


def omics(rng: np.random.Generator) -> tuple[Views, np.ndarray]:
    """Log-normal values of 200 patients in three views, a tenth of the columns informative."""
    k = int(rng.integers(2, 6))
    y, views = _unequal(rng, 200, k, 0.04), []
    for d in (300, 80, 150):
        means = np.zeros((k, d))
        means[:, : d // 10] = 1.2 * rng.normal(size=(k, d // 10))
        views.append(np.exp(means[y] + 0.8 * rng.normal(size=(200, d)) + rng.normal(size=d)))
    return views, y


def clouds(rng: np.random.Generator) -> tuple[Views, np.ndarray]:
    """Normally distributed clusters in one to three views, with five weak factors that have nothing to do with them."""
    k, n = int(rng.integers(3, 9)), int(rng.integers(250, 800))
    y, views = _unequal(rng, n, k, 12 / n), []
    for _ in range(int(rng.integers(1, 4))):
        d = int(rng.integers(40, 600))
        informative = max(4, int(d * rng.uniform(0.05, 0.3)))
        means = np.zeros((k, d))
        means[:, :informative] = rng.normal(size=(k, informative)) * rng.uniform(0.9, 1.6) * np.sqrt(25 / informative)
        factors = 0.1 * rng.normal(size=(5, d))
        views.append(means[y] + rng.normal(size=(n, d)) + rng.normal(size=(n, 5)) @ factors)
    return views, y


def _normal(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    return rng.normal(size=(n, d))


def _uniform(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    return rng.random((n, d))


def _heavy_tails(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    return rng.standard_t(4, size=(n, d))


def _exponential(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    return rng.exponential(size=(n, d))


def _factors(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    q = int(rng.integers(1, 6))
    return rng.normal(size=(n, q)) @ rng.normal(size=(q, d)) * rng.uniform(0.1, 1) + rng.normal(size=(n, d))


def _chains(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Each column resembles the one before it."""
    values = rng.normal(size=(n, d))
    for j in range(1, d):
        values[:, j] = 0.8 * values[:, j - 1] + 0.6 * values[:, j]
    return values


CLUSTERED = {"omics": omics, "clouds": clouds}
WITHOUT_CLUSTERS: dict[str, Callable[[np.random.Generator, int, int], np.ndarray]] = {
    "normal": _normal,
    "uniform": _uniform,
    "heavy tails": _heavy_tails,
    "exponential": _exponential,
    "factors": _factors,
    "chains": _chains,
}
COLUMNS = (3, 10, 25, 80, 200, 500)


def fitted(views: Views, k: int | str) -> tuple[AutoFusion, bool]:
    """The model, and whether it was warned of."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        model = AutoFusion(k, random_state=0).fit(views)
    return model, any(issubclass(each.category, (NoStructureWarning, UnstableClustersWarning)) for each in given)


def spectral(views: Views, k: int) -> np.ndarray:
    columns = np.hstack([np.log(view) if (view > 0).all() else view for view in views])
    graph = SpectralClustering(k, affinity="nearest_neighbors", random_state=0)
    return graph.fit_predict(StandardScaler().fit_transform(columns))


def print_clustered(draws: int, seed: int) -> None:
    print(
        "| | AutoFusion | without uneven cuts | spectral | right, warned of | wrong, warned of |\n|---|---|---|---|---|---|"
    )
    for name, make in CLUSTERED.items():
        rows, warned = [], []
        for i in range(draws):
            views, y = make(np.random.default_rng([seed, i]))
            k = int(y.max()) + 1
            model, is_warned = fitted(views, k)
            with mock.patch.object(Chooser, "_uneven", return_value={}):
                plain, _ = fitted(views, k)
            found = [model.labels_, plain.labels_, spectral(views, k)]
            rows.append([100 * metrics.accuracy(y, labels) for labels in found])
            warned.append(is_warned)
        accuracy = np.array(rows)[:, 0] / 100
        means = " | ".join(f"{value:.1f}" for value in np.mean(rows, axis=0))
        print(f"| {name} | {means} | {_share(accuracy >= RIGHT, warned)} | {_share(accuracy < WRONG, warned)} |", flush=True)


def print_counted(draws: int, seed: int) -> None:
    print("| | ARI, number given | ARI, number found | right | no clusters |\n|---|---|---|---|---|")
    for name, make in CLUSTERED.items():
        rows = []
        for i in range(draws):
            views, y = make(np.random.default_rng([seed, i]))
            k = int(y.max()) + 1
            given, found = fitted(views, k)[0], fitted(views, "auto")[0]
            scores = [metrics.ari(y, model.labels_) for model in (given, found)]
            rows.append([*scores, found.n_clusters_ == k, found.n_clusters_ == 1])
        ari, ari_found, right, none = np.mean(rows, axis=0)
        print(f"| {name} | {ari:.3f} | {ari_found:.3f} | {right:.0%} | {none:.0%} |", flush=True)


def print_without_clusters(draws: int, seed: int) -> None:
    print("\n| no clusters | warned of |\n|---|---|")
    for place, (name, make) in enumerate(WITHOUT_CLUSTERS.items()):
        warned = []
        for i in range(draws):
            rng = np.random.default_rng([seed, i, place])
            n, d = int(rng.integers(80, 700)), COLUMNS[i % len(COLUMNS)]
            views = [make(rng, n, d) for _ in range(int(rng.integers(1, 4)))]
            warned.append(fitted(views, int(rng.integers(2, 9)))[1])
        print(f"| {name} | {_share(np.ones(draws, dtype=bool), warned)} |", flush=True)


def _share(which: np.ndarray, warned: list[bool]) -> str:
    return f"{int(np.sum(np.array(warned)[which]))} of {int(which.sum())}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", action="store_true")
    options = parser.parse_args()
    if options.count:
        print_counted(options.draws, options.seed)
        return
    print_clustered(options.draws, options.seed)
    print_without_clusters(options.draws, options.seed)


if __name__ == "__main__":
    main()
