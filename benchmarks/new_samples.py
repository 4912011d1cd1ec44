"""New samples: half of each data set is fitted, the other half predicted, in three draws.

    python benchmarks/new_samples.py FOLDER [METHOD…] [--oracle] [--only NAME…]

FOLDER holds the data sets of the catalogue. Prints, in percent: the adjusted Rand index of the training half predicted
again, its accuracy, and the accuracy of the new half, complete and with 30 % of the views missing. The clusters are matched
with the classes on the training half only.

With --oracle a classifier takes the place of the methods: a linear discriminant for each combination of views, which knows
the classes of the training half. No clustering can be expected to beat it.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

import viewfuse as vf
from viewfuse.cluster import METHODS

FILES = {
    "Digits": "Handwritten_numerals.mat",
    "MNIST-4": "MNIST-4.mat",
    "100Leaves": "100Leaves.mat",
    "NGs": "NGs.mat",
    "BBCSport": "BBCSport_fea_gt.mat",
}
DRAWS = 3


def with_gaps(views, rng):
    """30 % of the views of each sample missing, but never all."""
    lost = rng.random_sample((len(views), views.n_views)) < 0.3
    lost[lost.all(axis=1), rng.randint(views.n_views)] = False
    return vf.Views(views, present=~lost)


def measured(method, views, y, draw):
    rng = np.random.RandomState(draw)
    k, order = y.max() + 1, rng.permutation(len(y))
    train, new = order[: len(y) // 2], order[len(y) // 2 :]
    model = METHODS[method](k, random_state=0).fit(views[train])
    table = np.zeros((k, k))
    np.add.at(table, (model.labels_, y[train]), 1)
    classes = linear_sum_assignment(-table)[1]
    accuracy = lambda labels, rows: 100 * np.mean(classes[labels] == y[rows])  # noqa: E731
    again = model.predict(views[train])
    return (
        100 * adjusted_rand_score(model.labels_, again),
        accuracy(model.labels_, train),
        accuracy(model.predict(views[new]), new),
        accuracy(model.predict(with_gaps(views[new], rng)), new),
    )


def measured_with_classes(views, y, draw):
    """The same for linear discriminants, without the training half."""
    rng = np.random.RandomState(draw)
    order = rng.permutation(len(y))
    train, new = order[: len(y) // 2], order[len(y) // 2 :]
    gaps = with_gaps(views[new], rng)
    points = [np.sqrt(view) if view.min() >= 0 else view for view in map(np.asarray, views.arrays)]
    points = [StandardScaler().fit(view[train]).transform(view) for view in points]

    def accuracy(present):
        right = np.zeros(len(new), dtype=bool)
        for combination in np.unique(present, axis=0):
            rows = np.flatnonzero((present == combination).all(axis=1))
            joint = np.hstack([view for view, there in zip(points, combination, strict=True) if there])
            rule = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3).fit(joint[train], y[train])
            right[rows] = rule.predict(joint[new[rows]]) == y[new[rows]]
        return 100 * right.mean()

    return accuracy(np.ones_like(gaps.present)), accuracy(gaps.present)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="with the data sets of the catalogue")
    parser.add_argument("methods", nargs="*", metavar="METHOD", help="by default auto, gfsc and gf")
    parser.add_argument("--oracle", action="store_true", help="a classifier that knows the classes, instead of the methods")
    parser.add_argument("--only", nargs="+", choices=FILES, default=FILES, metavar="NAME")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in options.only:
        views = vf.load_views(options.folder / FILES[name])
        y = np.unique(views.y, return_inverse=True)[1]
        if options.oracle:
            new, gaps = np.mean([measured_with_classes(views, y, draw) for draw in range(DRAWS)], axis=0)
            print(f"{name:10} (labels) new {new:5.1f}  gaps {gaps:5.1f}", flush=True)
            continue
        for method in options.methods or ("auto", "gfsc", "gf"):
            found = np.mean([measured(method, views, y, draw) for draw in range(DRAWS)], axis=0)
            again, train, new, gaps = found
            print(
                f"{name:10} {method:5} again {again:5.1f}  train {train:5.1f}  new {new:5.1f}  gaps {gaps:5.1f}", flush=True
            )


if __name__ == "__main__":
    main()
