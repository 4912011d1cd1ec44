"""Error rates at low and high confidence: ``python benchmarks/confidence.py [BBC ...]``.

For each labelled data set of ../shared/datasets, print the error rate of the tenth of the samples with the lowest
confidence, and that of the rest. Errors are the samples outside the best one-to-one matching of clusters to classes.
Labels are used for this only.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from label_free import FOLDER, SETS
from scipy.optimize import linear_sum_assignment
from sklearn.metrics.cluster import contingency_matrix

import viewfuse as vf


def wrong(true: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Which samples are outside the best matching of clusters to classes."""
    classes, clusters = np.unique(true), np.unique(found)
    rows, columns = linear_sum_assignment(contingency_matrix(true, found), maximize=True)
    match = dict(zip(clusters[columns], classes[rows], strict=True))
    return np.array([match.get(cluster) != label for cluster, label in zip(found, true, strict=True)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="SET", help=", ".join(SETS))
    names = parser.parse_args().names
    warnings.simplefilter("ignore")
    for name in names or list(SETS):
        views = vf.load_views(FOLDER / f"{SETS[name]}.mat")
        k = np.unique(views.y).size
        for method in (vf.GFSC, vf.AnchorGFSC):
            model = method(k, random_state=0).fit(views)
            order = np.argsort(np.asarray(model.confidence_), kind="stable")
            errors = wrong(views.y, np.asarray(model.labels_))[order]
            tenth = len(errors) // 10
            low, rest = 100 * errors[:tenth].mean(), 100 * errors[tenth:].mean()
            ratio = f"{low / rest:.1f} times" if rest else ("no errors" if not low else "all errors are in the lowest tenth")
            print(
                f"{name:9} {method.__name__:10} lowest tenth {low:5.1f} % wrong, the rest {rest:5.1f} %: {ratio}", flush=True
            )


if __name__ == "__main__":
    main()
