"""What a first look at some of the samples misses of views that contradict each other.

    python benchmarks/first_look.py [--draws 1000] [--seed 0]

Each draw is a generated data set of 300 to 2,000 samples in two to five views, damaged or not, with labels that are true or
those of k-means. The messages about contradicting views are made twice: as in a fit, where 150 samples are looked at first,
and from a full look in any case. Printed are the draws in which they differ, how many had messages, and how many needed no
full look.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.cluster import KMeans

from viewfuse import Views
from viewfuse._utils.warn import recording, texts_of
from viewfuse.cluster import contradiction

Arrays = list[np.ndarray]


def clusters(y: np.ndarray, d: int, apart: float, rng: np.random.Generator) -> np.ndarray:
    return apart * rng.normal(size=(y.max() + 1, d))[y] + rng.normal(size=(len(y), d))


def shuffled(share: float) -> Callable[[Arrays, float, np.random.Generator], Arrays]:
    def damage(arrays: Arrays, apart: float, rng: np.random.Generator) -> Arrays:
        n = len(arrays[0])
        rows = rng.choice(n, int(share * n), replace=False)
        last = arrays[-1].copy()
        last[rows] = last[rng.permutation(rows)]
        return [*arrays[:-1], last]

    return damage


def noise(arrays: Arrays, apart: float, rng: np.random.Generator) -> Arrays:
    return [*arrays[:-1], rng.normal(size=arrays[-1].shape)]


def other_clusters(arrays: Arrays, apart: float, rng: np.random.Generator) -> Arrays:
    """Every second view shows others."""
    z = rng.integers(0, rng.choice([2, 3, 5, 10]), len(arrays[0]))
    return [clusters(z, 5, apart, rng) if v % 2 else view for v, view in enumerate(arrays)]


def both_clusters(arrays: Arrays, apart: float, rng: np.random.Generator) -> Arrays:
    """Every view shows others too, more clearly."""
    z = rng.integers(0, rng.choice([2, 3, 5, 10]), len(arrays[0]))
    return [np.hstack([view[:, :4] / 2, clusters(z, 4, 2 * apart, rng)]) for view in arrays]


DAMAGES: dict[str, Callable[[Arrays, float, np.random.Generator], Arrays]] = {
    "none": lambda arrays, apart, rng: arrays,
    "another order": shuffled(1.0),
    "half in another order": shuffled(0.5),
    "a tenth in another order": shuffled(0.1),
    "noise": noise,
    "other clusters": other_clusters,
    "both clusters": both_clusters,
}


def drawn(rng: np.random.Generator) -> tuple[str, Views, np.ndarray, bool]:
    """The damage, the views, labels, and whether the number of clusters was found."""
    n, k, apart = (
        int(rng.choice([300, 350, 500, 900, 2000])),
        int(rng.choice([2, 3, 5, 8, 10, 20])),
        rng.choice([0.5, 1, 2, 3, 5]),
    )
    y, name = rng.integers(0, k, n), str(rng.choice(list(DAMAGES)))
    arrays = [clusters(y, int(rng.choice([3, 6, 20, 120])), apart, rng) for _ in range(rng.integers(2, 6))]
    arrays = DAMAGES[name](arrays, apart, rng)
    if rng.random() < 0.5:
        y = KMeans(k, n_init=1, random_state=0).fit_predict(np.hstack([view / view.std() for view in arrays]))
    return name, Views({f"view {v}": view for v, view in enumerate(arrays)}), y, bool(rng.random() < 0.5)


def messages(views: Views, labels: np.ndarray, counted: bool) -> list[str]:
    with warnings.catch_warnings(), recording() as given:
        warnings.simplefilter("ignore")
        contradiction.warn_of_contradictions(views, views.float_arrays(), None, labels, counted=counted)
    return sorted(texts_of(given))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    first_look = contradiction._is_harmless
    told = quick = missed = 0
    for draw in range(options.draws):
        name, views, labels, counted = drawn(rng)
        is_harmless = first_look(views, views.float_arrays(), None, labels)
        contradiction._is_harmless = lambda *_: False
        full = messages(views, labels, counted)
        contradiction._is_harmless = first_look
        told, quick, missed = told + bool(full), quick + is_harmless, missed + (is_harmless and bool(full))
        if is_harmless and full:
            print(f"draw {draw}, {name}, {len(views)} samples: {' '.join(full)}", flush=True)
    print(
        f"{options.draws} draws: {told} with messages, {quick} without a full look, {missed} of them with a message missed"
    )


if __name__ == "__main__":
    main()
