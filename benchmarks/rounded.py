"""Rounded data: what AutoFusion makes of questionnaires, scores, codes and whole numbers, where many samples are the same.

    python benchmarks/rounded.py [--draws 20] [--seed 0] [--as-they-are]

Prints for each family, with the number of clusters given: Acc, and the Acc of the best of three simple ways, picked with the
labels; and without it: how often the number that is found is right or within one, and the ARI. Then how often data without
clusters is found to have none, and is warned of if three are asked for. ``--as-they-are`` does not spread values over their
steps (``viewfuse.graphs.rounding``).
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from unittest import mock

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.preprocessing import StandardScaler

from viewfuse import AutoFusion, metrics
from viewfuse.cluster.auto import measure
from viewfuse.exceptions import NoStructureWarning

Rng = np.random.Generator
Made = tuple[list[np.ndarray | pd.DataFrame], np.ndarray]


def halves(values: np.ndarray) -> list[np.ndarray]:
    """The columns as two views."""
    middle = max(values.shape[1] // 2, 1)
    return [values[:, :middle], values[:, middle:]]


def groups(rng: Rng, most: int = 5) -> tuple[int, np.ndarray]:
    """A number of clusters, and the cluster of each sample."""
    k = int(rng.integers(2, most + 1))
    return k, rng.integers(0, k, int(rng.integers(200, 900)))


def questionnaire(rng: Rng) -> Made:
    (k, y), p, levels = groups(rng), int(rng.integers(5, 12)), int(rng.choice([3, 5, 7]))
    tendency = rng.uniform(1, levels, (k, p))[y]
    return halves(np.clip(np.round(tendency + 0.14 * levels * rng.standard_normal((len(y), p))), 1, levels)), y


def yes_or_no(rng: Rng) -> Made:
    (k, y), p = groups(rng), int(rng.integers(6, 16))
    return halves((rng.random((len(y), p)) < rng.beta(0.4, 0.4, (k, p))[y]).astype(float)), y


def scores_with_a_floor(rng: Rng) -> Made:
    (k, y), p = groups(rng, 3), int(rng.integers(6, 11))
    level = np.vstack([np.zeros(p), rng.uniform(2, 9, (k - 1, p))])[y]
    spread = np.array([0.5, 1.7, 2.1])[y][:, None] * np.abs(rng.standard_normal((len(y), p)))
    return halves(np.clip(np.round(level + spread), 0, 9)), y


def whole_numbers(rng: Rng) -> Made:
    (k, y), p = groups(rng), int(rng.integers(2, 5))
    return halves(np.round(rng.uniform(0, 12, (k, p))[y] + rng.standard_normal((len(y), p)))), y


def categories(rng: Rng) -> Made:
    k, y = groups(rng, 4)
    tables = []
    for table in range(2):
        columns = {}
        for column in range(int(rng.integers(2, 5))):
            n_values = int(rng.integers(3, 7))
            share = rng.dirichlet(np.full(n_values, 0.25), k)
            columns[f"{table}{column}"] = [chr(97 + rng.choice(n_values, p=share[c])) for c in y]
        tables.append(pd.DataFrame(columns))
    return tables, y


def many_zeros(rng: Rng) -> Made:
    """One cluster has no amounts at all."""
    k, y = groups(rng, 4)
    values = rng.uniform(0, 14, (k, 6))[y] + rng.standard_normal((len(y), 6))
    values[y == 0] = 0
    return halves(values), y


def rounded_cloud(rng: Rng) -> list[np.ndarray]:
    n, p = int(rng.integers(100, 800)), int(rng.integers(2, 12))
    return halves(np.round(rng.choice([0.7, 1.0, 2.0]) * rng.standard_normal((n, p))))


def answers_at_random(rng: Rng) -> list[np.ndarray]:
    n, p = int(rng.integers(100, 800)), int(rng.integers(2, 12))
    return halves(rng.integers(1, int(rng.choice([3, 5, 7])) + 1, (n, p)).astype(float))


def one_trait(rng: Rng) -> list[np.ndarray]:
    n, p = int(rng.integers(100, 800)), int(rng.integers(2, 12))
    trait = rng.standard_normal((n, 1)) * rng.uniform(0.5, 1.2, p)
    return halves(np.clip(np.round(3 + trait + 0.7 * rng.standard_normal((n, p))), 1, 5))


def coins(rng: Rng) -> list[np.ndarray]:
    n, p = int(rng.integers(100, 800)), int(rng.integers(2, 12))
    return halves((rng.random((n, p)) < rng.uniform(0.1, 0.9, p)).astype(float))


FAMILIES = (questionnaire, yes_or_no, scores_with_a_floor, whole_numbers, categories, many_zeros)
WITHOUT_CLUSTERS = (rounded_cloud, answers_at_random, one_trait, coins)


def best_simple(views: list[np.ndarray | pd.DataFrame], y: np.ndarray, k: int) -> float:
    """The largest accuracy of three simple ways."""
    joint = np.hstack([np.asarray(pd.get_dummies(v) if isinstance(v, pd.DataFrame) else v, dtype=float) for v in views])
    scaled = StandardScaler().fit_transform(joint)
    ways = (
        KMeans(k, n_init=10, random_state=0).fit_predict(scaled),
        KMeans(k, n_init=10, random_state=0).fit_predict(joint),
        SpectralClustering(k, affinity="nearest_neighbors", random_state=0).fit_predict(scaled),
    )
    return max(metrics.accuracy(y, labels) for labels in ways)


def print_family(family: Callable[[Rng], Made], draws: int, seed: int) -> None:
    rows = []
    for draw in range(draws):
        views, y = family(np.random.default_rng([seed, draw]))
        k = int(y.max()) + 1
        given, found = (AutoFusion(number, random_state=0).fit(views) for number in (k, "auto"))
        off = abs(found.n_clusters_ - k)
        acc, ari = metrics.accuracy(y, given.labels_), metrics.ari(y, found.labels_)
        rows.append([acc, best_simple(views, y, k), off == 0, off <= 1, metrics.ari(y, given.labels_), ari])
    acc, best, right, near, ari_given, ari_found = np.mean(rows, axis=0) * [100, 100, 1, 1, 100, 100]
    name = family.__name__.replace("_", " ")
    print(f"| {name} | {acc:.1f} | {best:.1f} | {right:.0%} | {near:.0%} | {ari_given:.1f} | {ari_found:.1f} |", flush=True)


def print_without_clusters(family: Callable[[Rng], list[np.ndarray]], draws: int, seed: int) -> None:
    none = warned = 0
    for draw in range(draws):
        views = family(np.random.default_rng([seed, draw]))
        none += AutoFusion(random_state=0).fit(views).n_clusters_ == 1
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            AutoFusion(3, random_state=0).fit(views)
        warned += any(issubclass(each.category, NoStructureWarning) for each in given)
    print(f"| {family.__name__.replace('_', ' ')} | {none} of {draws} | {warned} of {draws} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--as-they-are", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    as_they_are = mock.patch.object(measure, "has_more_copies", return_value=False)
    with as_they_are if options.as_they_are else nullcontext():
        print("| | Acc | best simple way | number right | within one | ARI, number given | ARI, number found |")
        print("|---|---|---|---|---|---|---|")
        for family in FAMILIES:
            print_family(family, options.draws, options.seed)
        print("\n| without clusters | none found | warned of three |\n|---|---|---|")
        for cloud in WITHOUT_CLUSTERS:
            print_without_clusters(cloud, options.draws, options.seed)


if __name__ == "__main__":
    main()
