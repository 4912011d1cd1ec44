"""Attributed graphs for tests: words of a topic per class, and edges mostly inside classes."""

import numpy as np
import scipy.sparse as sp

from viewfuse import Views


def words(y, rng, *, n_words=200, per_sample=12, signal=0.3):
    """Binary bags of words: a share of the words of a sample comes from the list of its class."""
    topics = [rng.choice(n_words, 25, replace=False) for _ in range(y.max() + 1)]
    bags = np.zeros((len(y), n_words))
    for i, label in enumerate(y):
        own = rng.binomial(per_sample, signal)
        bags[i, rng.choice(topics[label], own)] = 1
        bags[i, rng.randint(n_words, size=per_sample - own)] = 1
    return bags


def edges(y, rng, *, degree=6.0, inside=0.85):
    """A symmetric graph with this mean degree, whose edges are inside classes with this probability."""
    n, count = len(y), int(len(y) * degree / 2)
    one = rng.randint(n, size=count)
    other = np.array(
        [
            rng.choice(np.flatnonzero(y == y[i])) if rng.random_sample() < inside else rng.choice(np.flatnonzero(y != y[i]))
            for i in one
        ]
    )
    graph = sp.csr_array((np.ones(count), (one, other)), shape=(n, n))
    graph = sp.csr_array(((graph + graph.T) > 0).astype(float))
    graph.setdiag(0)
    graph.eliminate_zeros()
    return graph


def attributed_graph(n=300, k=3, seed=0, *, signal=0.25, degree=6.0, inside=0.85):
    rng = np.random.RandomState(seed)
    y = rng.randint(k, size=n)
    made = {"words": words(y, rng, signal=signal), "cites": edges(y, rng, degree=degree, inside=inside)}
    return Views(made, y=y, kinds={"cites": "graph"})
