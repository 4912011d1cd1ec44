"""Features and graphs together: AutoFusion beside simple ways, on made data of the sorts that people have.

    python benchmarks/relations.py [SORT…] [--draws N]

Prints the accuracy in percent. The simple ways know the number of clusters too: k-means of tf-idf words or of standardised
columns ("features"), spectral clustering of the best graph, known by its accuracy ("graph"), of the sum of the normalised
graphs ("sum"), and k-means of words smoothed four times over that sum ("AGC").
"""

import argparse
import time
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import StandardScaler, normalize

import viewfuse as vf


def sizes_to_labels(shares, n, rng):
    """n labels, drawn with these shares."""
    return rng.choice(len(shares), size=n, p=np.asarray(shares) / np.sum(shares))


def words(y, rng, *, vocabulary=1_000, length=30, signal=0.3, sharpness=0.1):
    """Binary bags of words. Each class has its own frequencies of words; a share ``signal`` of the words follows them."""
    base = rng.dirichlet(np.full(vocabulary, 0.3))
    topics = [rng.dirichlet(base * vocabulary * sharpness + 1e-4) for _ in range(y.max() + 1)]
    bags = np.zeros((len(y), vocabulary))
    for i, label in enumerate(y):
        count = max(3, rng.poisson(length))
        own = rng.binomial(count, signal)
        bags[i, rng.choice(vocabulary, own, p=topics[label])] = 1
        bags[i, rng.choice(vocabulary, count - own, p=base)] = 1
    return bags


def block_graph(y, rng, *, degree=4.0, inside=0.75, skew=1.0):
    """Edges inside classes with this probability, ends drawn by weights of a heavy tail."""
    n, count = len(y), int(len(y) * degree / 2)
    weight = rng.pareto(2.0 / skew, n) + 0.3 if skew else np.ones(n)
    one = rng.choice(n, count, p=weight / weight.sum())
    other = np.empty(count, dtype=int)
    same = rng.random_sample(count) < inside
    for c in range(y.max() + 1):
        for where, pool in ((same & (y[one] == c), y == c), (~same & (y[one] == c), y != c)):
            p = np.where(pool, weight, 0)
            other[where] = rng.choice(n, where.sum(), p=p / p.sum())
    graph = sp.csr_array((np.ones(count), (one, other)), shape=(n, n))
    graph = sp.csr_array(((graph + graph.T) > 0).astype(float))
    graph.setdiag(0)
    graph.eliminate_zeros()
    return graph


def meta_path(members):
    """Samples that share a member: ``B Bᵀ > 0`` of a (samples × members) incidence."""
    graph = sp.csr_array(((members @ members.T) > 0).astype(float))
    graph.setdiag(0)
    graph.eliminate_zeros()
    return graph


def incidence(y, rng, *, per_class, members, own):
    """Each sample has ``members`` of the ``per_class`` members of its class with probability ``own``, else of any class."""
    k, n = y.max() + 1, len(y)
    popular = rng.dirichlet(np.full(per_class, 2.0), size=k)
    rows, columns = [], []
    for i in range(n):
        for _ in range(max(1, rng.poisson(members))):
            c = y[i] if rng.random_sample() < own else rng.randint(k)
            rows.append(i)
            columns.append(c * per_class + rng.choice(per_class, p=popular[c]))
    return sp.csr_array((np.ones(len(rows)), (rows, columns)), shape=(n, k * per_class))


def citeseer(rng):
    """Sparse citations, many words: 3,312 papers in 6 topics, 2.8 citations each."""
    y = sizes_to_labels([249, 508, 590, 596, 668, 701], 3_312, rng)
    cites = block_graph(y, rng, degree=2.8, inside=0.74)
    return y, words(y, rng, vocabulary=3_703, length=32, signal=0.3, sharpness=0.03), [cites]


def cora(rng):
    """2,708 papers in 7 topics, 3.9 citations each."""
    y = sizes_to_labels([351, 217, 418, 818, 426, 298, 180], 2_708, rng)
    cites = block_graph(y, rng, degree=3.9, inside=0.81)
    return y, words(y, rng, vocabulary=1_433, length=18, signal=0.3, sharpness=0.03), [cites]


def acm(rng):
    """Papers of three areas: those that share an author (sparse) and those that share a subject (a quarter of all pairs)."""
    y = sizes_to_labels([1, 1, 1], 3_025, rng)
    authors = meta_path(incidence(y, rng, per_class=1_500, members=1.5, own=0.85))
    subjects = meta_path(incidence(y, rng, per_class=6, members=1.0, own=0.7))
    return y, words(y, rng, vocabulary=1_870, length=60, signal=0.15, sharpness=0.05), [authors, subjects]


def dblp(rng):
    """Authors of four areas who share a paper (sparse), a conference or a term (dense); words say little."""
    y = sizes_to_labels([745, 1197, 1109, 1006], 4_057, rng)
    papers = meta_path(incidence(y, rng, per_class=1_200, members=1.0, own=0.8))
    conferences = meta_path(incidence(y, rng, per_class=5, members=1.3, own=0.85))
    terms = meta_path(incidence(y, rng, per_class=150, members=9.0, own=0.3))
    return y, words(y, rng, vocabulary=334, length=6, signal=0.1, sharpness=0.1), [papers, conferences, terms]


def movies(rng):
    """Three classes that both graphs and words hardly know."""
    y = sizes_to_labels([1, 1, 1], 2_000, rng)
    actors = meta_path(incidence(y, rng, per_class=500, members=3.0, own=0.35))
    directors = meta_path(incidence(y, rng, per_class=400, members=1.0, own=0.55))
    return y, words(y, rng, vocabulary=1_200, length=7, signal=0.3, sharpness=0.1), [actors, directors]


def subjects(rng):
    """Papers of three areas, with a subject each; a third of the subjects are those of other areas, and words say more."""
    y = sizes_to_labels([1, 1, 1], 1_500, rng)
    graph = meta_path(incidence(y, rng, per_class=18, members=0.3, own=0.65))
    return y, words(y, rng, vocabulary=1_870, length=60, signal=0.15, sharpness=0.05), [graph]


def groups(rng):
    """People in five classes and in one of a hundred groups each, which have nothing to do with the classes."""
    y = sizes_to_labels([1, 2, 3, 3, 2], 2_000, rng)
    return y, words(y, rng), [meta_path(incidence(y, rng, per_class=20, members=2.0, own=0.0))]


def neighbours(rng):
    """Four classes by words, and the nearest neighbours among points that have no classes."""
    y = sizes_to_labels([1, 1, 2, 2], 1_200, rng)
    near = kneighbors_graph(rng.standard_normal((len(y), 20)), 10)
    return y, words(y, rng, signal=0.25), [sp.csr_array(((near + near.T) > 0).astype(float))]


def blocks(signal, inside, degree, noise_graph=False, gaussian=False):
    """Four classes, words or columns that know them by ``signal``, and a graph; perhaps one of noise."""

    def made(rng):
        y = sizes_to_labels([1, 1, 2, 2], 1_200, rng)
        if gaussian:
            features = rng.standard_normal((len(y), 40)) + signal * rng.standard_normal((4, 40))[y]
        else:
            features = words(y, rng, signal=signal)
        graphs = [block_graph(y, rng, degree=degree, inside=inside)]
        if noise_graph:
            graphs.append(block_graph(y, rng, degree=2 * degree, inside=0.278))
        return y, features, graphs

    return made


SORTS = {
    "cora": cora,
    "citeseer": citeseer,
    "acm": acm,
    "dblp": dblp,
    "movies": movies,
    "subjects": subjects,
    "groups": groups,
    "neighbours": neighbours,
    "both": blocks(0.3, 0.75, 4.0),
    "words": blocks(0.5, 0.35, 4.0),
    "graph": blocks(0.05, 0.85, 8.0),
    "weak": blocks(0.2, 0.5, 4.0),
    "apart": blocks(0.4, 0.03, 8.0),  # edges between classes: heterophily
    "noise": blocks(0.3, 0.75, 4.0, noise_graph=True),
    "columns": blocks(0.35, 0.75, 4.0, gaussian=True),
    "columns alone": blocks(0.6, 0.3, 4.0, gaussian=True),
}


def normalised(graph):
    root = 1 / np.sqrt(np.maximum(np.asarray(graph.sum(axis=1)).ravel(), 1))
    return sp.csr_array(graph.multiply(root[:, None]).multiply(root[None, :]))


def kmeans(points, k):
    return KMeans(k, n_init=10, random_state=0).fit_predict(points)


def spectral(graph, k):
    start = np.random.RandomState(0).standard_normal(graph.shape[0])
    return normalize(sp.linalg.eigsh(graph, k=k, which="LA", tol=1e-4, v0=start)[1])


def simple_points(features):
    if (features >= 0).all():
        weighted = features * np.log(len(features) / np.maximum((features > 0).sum(axis=0), 1))
        return TruncatedSVD(64, random_state=0).fit_transform(normalize(sp.csr_array(weighted)))
    return StandardScaler().fit_transform(features)


def simple_ways(features, graphs, k, accuracy):
    points = simple_points(features)
    smoothing = [normalised(sp.csr_array(graph + sp.eye_array(graph.shape[0]))) for graph in graphs]
    total = sp.csr_array(sum(smoothing) / len(smoothing))
    smoothed = points - points.mean(axis=0)
    for _ in range(4):
        smoothed = total @ smoothed
    return {
        "features": accuracy(kmeans(normalize(points), k)),
        "graph": max(accuracy(kmeans(spectral(one, k), k)) for one in smoothing),
        "sum": accuracy(kmeans(spectral(total, k), k)),
        "AGC": accuracy(kmeans(normalize(smoothed), k)),
    }


def measured(made, draw):
    y, features, graphs = made(np.random.RandomState(draw))
    k = y.max() + 1
    names = [f"graph{g}" for g in range(len(graphs))]
    views = vf.Views({"features": features, **dict(zip(names, graphs, strict=True))}, kinds=dict.fromkeys(names, "graph"))

    def accuracy(labels):
        return 100 * vf.metrics.accuracy(y, labels)

    found = simple_ways(features, graphs, k, accuracy)
    begin = time.process_time()
    model = vf.AutoFusion(k, random_state=0).fit(views)
    return {**found, "AutoFusion": accuracy(model.labels_), "seconds": time.process_time() - begin}, model


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sorts", nargs="*", metavar="SORT", help=", ".join(SORTS))
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--say", action="store_true", help="print what was chosen, too")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in options.sorts or SORTS:
        found = []
        for draw in range(options.draws):
            scores, model = measured(SORTS[name], draw)
            found.append(scores)
            if options.say:
                print(model.choice_, model.noise_views_, model.view_weights_.round(2), scores)
        print(f"{name:14}", *(f"{way} {np.mean([one[way] for one in found]):5.1f} " for way in found[0]), flush=True)


if __name__ == "__main__":
    main()
