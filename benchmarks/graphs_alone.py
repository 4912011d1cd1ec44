"""Graphs without features: AutoFusion beside spectral clustering, on random networks with communities.

    python benchmarks/graphs_alone.py [--draws N] [--seed S] [--count]

Prints the adjusted Rand index in percent. "k-means" is k-means of eigenvectors of the regularised mean graph, rows at unit
length, as AutoFusion took until 19 November 2026; "spectral" is scikit-learn's SpectralClustering of the sum. Both know the
number of communities. With --count the number is found too.
"""

from __future__ import annotations

import argparse
import warnings

import networkx as nx
import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import normalize

import viewfuse as vf
from viewfuse.graphs.relations import spectral_points


def communities(n, k, ratio, rng):
    """Labels in random order; the largest community is ``ratio`` times as large as the smallest."""
    shares = np.geomspace(1, ratio, k)
    return rng.permutation(np.repeat(np.arange(k), np.maximum(8, np.round(n * shares / shares.sum()).astype(int))))


def network(y, rng, inside, outside, *, hubs=False, by_pairs=False):
    """A graph with so many expected edges of each node inside its community and to others.

    With ``by_pairs`` each two nodes of a community are connected with the same probability, so that nodes of small ones have
    few edges. With ``hubs`` degrees have a heavy tail.
    """
    n = len(y)
    activity = np.minimum((1 - rng.random(n)) ** (-1 / 1.8), 15) if hubs else np.ones(n)
    activity /= activity.mean()
    size = np.full(n, n / (y.max() + 1)) if by_pairs else np.bincount(y, weights=activity)[y]
    chances = np.where(y[:, None] == y, inside / size[:, None], outside / n) * np.outer(activity, activity)
    upper = np.triu(rng.random((n, n)) < chances, 1)
    return sp.csr_array((upper | upper.T).astype(float))


def made(n, k, ratio, inside, outside, times=1, **options):
    def draw(seed):
        rng = np.random.default_rng(seed)
        y = communities(n, k, ratio, rng)
        return y, [network(y, rng, inside, outside, **options) for _ in range(times)]

    return draw


def beside_noise(seed):
    rng = np.random.default_rng(seed)
    y = communities(400, 4, 4, rng)
    return y, [network(y, rng, 8, 4), network(y, rng, 0, 10)]


def complementary(seed):
    """Each of three networks knows another division of four communities."""
    rng = np.random.default_rng(seed)
    y = communities(400, 4, 2, rng)
    return y, [network(division, rng, 12, 4) for division in (np.minimum(y, 1), np.maximum(y, 1) - 1, y % 2)]


def lfr(seed):
    """The benchmark of Lancichinetti, Fortunato & Radicchi (2008)."""
    sizes = {"average_degree": 10, "max_degree": 50, "min_community": 25, "max_community": 150}
    graph = nx.LFR_benchmark_graph(600, 2.5, 1.5, 0.35, seed=seed, max_iters=500, **sizes)
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    found = {}
    y = np.array([found.setdefault(frozenset(graph.nodes[i]["community"]), len(found)) for i in range(len(graph))])
    return y, [sp.csr_array(nx.to_scipy_sparse_array(graph, nodelist=range(len(graph)), dtype=float))]


SORTS = {
    "equal": made(500, 5, 1, 7, 6),
    "small have few edges, twice": made(500, 5, 8, 14, 10, times=2, by_pairs=True),
    "unequal": made(500, 5, 8, 8, 5),
    "eight unequal, three times": made(600, 8, 10, 4, 5, times=3),
    "hubs": made(600, 4, 1, 8, 6, hubs=True),
    "unequal, hubs": made(600, 6, 6, 9, 5, hubs=True),
    "sparse": made(600, 4, 3, 4.5, 1.2),
    "sparse, hubs, twice": made(600, 4, 3, 3, 1, times=2, hubs=True),
    "beside noise": beside_noise,
    "complementary": complementary,
    "twenty": made(800, 20, 5, 9, 4),
    "1 : 20": made(1_500, 3, 20, 9, 4),
    "LFR": lfr,
}


def by_k_means(graphs, k):
    mean = sp.csr_array(sum(graph / graph.mean() for graph in graphs) / len(graphs))
    return KMeans(k, n_init=10, random_state=0).fit_predict(normalize(spectral_points(mean, k, np.random.RandomState(0))[1]))


def by_spectral(graphs, k):
    total = sum(graph.toarray() for graph in graphs) + 1e-9
    return SpectralClustering(k, affinity="precomputed", random_state=0).fit_predict(total)


def measured(y, graphs, count):
    k, names = int(y.max() + 1), [f"graph{g}" for g in range(len(graphs))]
    views = vf.Views(dict(zip(names, graphs, strict=True)), kinds=dict.fromkeys(names, "graph"))
    found = {"k-means": by_k_means(graphs, k), "spectral": by_spectral(graphs, k)}
    found["AutoFusion"] = vf.AutoFusion(k, random_state=0).fit(views).labels_
    right = ""
    if count:
        found["number found"] = vf.AutoFusion(random_state=0).fit(views).labels_
        right = f"{found['number found'].max() + 1} of {k}"
    return {way: 100 * adjusted_rand_score(y, labels) for way, labels in found.items()}, right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", action="store_true", help="find the number of communities too")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    means = []
    for name, draw in SORTS.items():
        found = [measured(*draw(options.seed + i), options.count) for i in range(options.draws)]
        scores = {way: float(np.mean([one[way] for one, _ in found])) for way in found[0][0]}
        means.append(list(scores.values()))
        print(
            f"{name:28}",
            *(f"{way} {score:5.1f} " for way, score in scores.items()),
            *(right for _, right in found),
            flush=True,
        )
    print(f"{'mean':28}", *(f"{way} {score:5.1f} " for way, score in zip(scores, np.mean(means, axis=0), strict=True)))


if __name__ == "__main__":
    main()
