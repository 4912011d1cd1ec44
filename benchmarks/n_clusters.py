"""How often the right number of clusters is found: ``python benchmarks/n_clusters.py [--draws 100]``.

The thirteen labelled sets of ../shared/datasets, families of random data (``families.py``), clear blobs and data without
clusters. Labels are used only to score the results. ``--methods`` compares ways to count instead, on the families: eigengaps
with and without a null, modularity, silhouettes, the gap statistic, stability of halves, density (HDBSCAN) and ours.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np
from default import FILES, FOLDER, data
from families import FAMILIES, STRUCTURELESS, clear_blobs, draw
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.metrics import adjusted_rand_score, silhouette_score

import viewfuse as vf
from viewfuse.cluster.auto.measure import measured_samples
from viewfuse.cluster.structure import modularity
from viewfuse.graphs import Samples
from viewfuse.linalg import halves
from viewfuse.linalg.sparse_cut import quick_cut, spectrum
from viewfuse.selection import choose_n_clusters

MOST = 15


def real_sets() -> None:
    right = near = 0
    found_ari, true_ari = [], []
    for name in FILES:
        if (loaded := data(name, FOLDER)) is None:
            continue
        views, y = loaded
        true = int(y.max()) + 1
        begin = time.perf_counter()
        given = vf.AutoFusion(true, random_state=0).fit(views)
        middle = time.perf_counter()
        model = vf.AutoFusion(random_state=0).fit(views)
        ratio = (time.perf_counter() - middle) / (middle - begin)
        right += model.n_clusters_ == true
        near += abs(model.n_clusters_ - true) <= 1
        found_ari.append(vf.metrics.ari(y, model.labels_))
        true_ari.append(vf.metrics.ari(y, given.labels_))
        found = model.cluster_counts_.sentence()
        print(
            f"{name:12s} true {true:3d}  found {found:24s} ARI {found_ari[-1]:.2f}, "
            f"with the true number {true_ari[-1]:.2f}; {ratio:.1f} times the fit",
            flush=True,
        )
    share = np.mean(found_ari) / np.mean(true_ari)
    print(f"right on {right}, within one on {near} of {len(found_ari)}; mean ARI {share:.2f} of that with the true number\n")


def random_data(draws: int) -> None:
    right = []
    for name in FAMILIES:
        hits = []
        for i in range(draws // 10 or 1):
            views, y = draw(name, np.random.default_rng([1, i, len(name)]))
            hits.append(vf.AutoFusion(random_state=i).fit(views).n_clusters_ == y.max() + 1)
        right += hits
        print(f"{name:16s} right in {sum(hits)} of {len(hits)}", flush=True)
    print(f"families: right in {np.mean(right):.0%}")
    hits = []
    for i in range(draws):
        views, y = clear_blobs(np.random.default_rng([2, i]), 2 + i % 14)
        hits.append(choose_n_clusters(views, random_state=i).suggested == y.max() + 1)
    print(f"clear blobs of 2 to 15 clusters, sizes up to 1 : 20: right in {np.mean(hits):.0%} of {draws}\n", flush=True)
    for name, make in STRUCTURELESS.items():
        none = [
            choose_n_clusters(make(np.random.default_rng([3, i, len(name)]), 400), random_state=i).suggested == 1
            for i in range(draws)
        ]
        print(f"{name:28s} no clusters in {np.mean(none):.0%} of {draws}", flush=True)


def _cuts(samples: Samples) -> tuple[np.ndarray, Callable[[int], np.ndarray]]:
    found = spectrum(samples.joint_graph(), MOST + 1, random_state=np.random.RandomState(0))
    return found.values, lambda k: quick_cut(found.vectors[:, :k])


def by_eigengap(samples: Samples) -> int:
    values, _ = _cuts(samples)
    return int(np.argmax(np.diff(values)[1:]) + 2)


def by_jump(samples: Samples) -> int:
    values, _ = _cuts(samples)
    null, _ = _cuts(samples.null(np.random.RandomState(0)))
    ratio = np.maximum(values, 1e-6) / np.maximum(null, 1e-6)
    return int(np.argmax(np.diff(ratio)[1:]) + 2)


def by_modularity(samples: Samples) -> int:
    graph, (_, cut) = samples.joint_graph(), _cuts(samples)
    return int(np.argmax([modularity(graph, cut(k)) for k in range(2, MOST + 1)]) + 2)


def by_silhouette(samples: Samples) -> int:
    points, (_, cut) = samples.joint(), _cuts(samples)
    return int(np.argmax([silhouette_score(points, cut(k)) for k in range(2, MOST + 1)]) + 2)


def by_gap_statistic(samples: Samples) -> int:
    points, rng = samples.joint(), np.random.RandomState(0)
    low, high = points.min(axis=0), points.max(axis=0)
    uniform = [rng.uniform(low, high, size=points.shape) for _ in range(3)]

    def spread(some: np.ndarray, k: int) -> float:
        return float(np.log(KMeans(k, n_init=3, random_state=0).fit(some).inertia_))

    gaps = [np.mean([spread(u, k) for u in uniform]) - spread(points, k) for k in range(1, MOST + 1)]
    drops = [k for k in range(1, MOST) if gaps[k - 1] >= gaps[k]]
    return drops[0] if drops else MOST


def by_stability(samples: Samples) -> int:
    rng = np.random.RandomState(0)
    _, cut = _cuts(samples)
    parts = halves(len(samples), 4, MOST + 1, rng)
    cuts = [_cuts(samples.of_rows(part))[1] for part in parts]
    scores = [
        np.mean([adjusted_rand_score(cut(k)[part], half(k)) for part, half in zip(parts, cuts, strict=True)])
        for k in range(2, MOST + 1)
    ]
    return int(np.argmax(scores) + 2)


def by_density(samples: Samples) -> int:
    labels = HDBSCAN(min_cluster_size=10).fit_predict(samples.joint())
    return max(int(labels.max()) + 1, 1)


WAYS: dict[str, Callable[[Samples], int]] = {
    "eigengap": by_eigengap, "jump over the null": by_jump, "modularity": by_modularity, "silhouette": by_silhouette,
    "gap statistic": by_gap_statistic, "stability of halves": by_stability, "density (HDBSCAN)": by_density,
    "ours": lambda samples: vf.cluster.counting.count_clusters(samples).suggested,
}  # fmt: skip


def compare(draws: int) -> None:
    print(f"{'':20s} families  clear blobs  no clusters  seconds")
    drawn = [draw(name, np.random.default_rng([4, i, len(name)])) for name in FAMILIES for i in range(draws)]
    blobs = [clear_blobs(np.random.default_rng([5, i]), 2 + i % 13) for i in range(4 * draws)]
    nothing = [make(np.random.default_rng([6, i]), 300) for make in STRUCTURELESS.values() for i in range(draws)]
    for name, way in WAYS.items():
        begin = time.perf_counter()
        rates = [
            np.mean([way(measured_samples(views, None, [False] * len(views))) == y.max() + 1 for views, y in some])
            for some in (drawn, blobs)
        ]
        none = np.mean([way(measured_samples(views, None, [False] * len(views))) == 1 for views in nothing])
        print(f"{name:20s} {rates[0]:8.0%} {rates[1]:12.0%} {none:12.0%} {time.perf_counter() - begin:8.0f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--methods", action="store_true", help="compare ways to count, with a twentieth of the draws")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.methods:
        compare(max(options.draws // 20, 1))
        return
    real_sets()
    random_data(options.draws)


if __name__ == "__main__":
    main()
