"""Accuracy with 30 % of the (sample, view) pairs missing at random, averaged over five draws.

    python benchmarks/missing.py [--methods AutoFusion GFSC AnchorGFSC] [--oracle] [--folder ../shared/datasets] [FILE ...]

The columns are: complete data, incomplete data, and incomplete
data whose missing rows are filled with the means of the features. Exits with 1 if filling with means is better.

With --oracle only a classifier is measured, which knows the true labels of all other samples: what no clustering can be
expected to beat.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

import viewfuse as vf

FILES = (
    "Handwritten_numerals.mat",
    "MSRC-v5.mat",
    "3Sources.mat",
    "NGs.mat",
    "BBCSport_fea_gt.mat",
    "ORL_4view.mat",
    "100Leaves.mat",
)
METHODS = {"AutoFusion": vf.AutoFusion, "GFSC": vf.GFSC, "AnchorGFSC": vf.AnchorGFSC}
DRAWS, SHARE = 5, 0.3


def with_holes(arrays: list[np.ndarray], seed: int) -> list[np.ndarray]:
    """Rows of NaN for missing samples. Every sample is present in at least one view."""
    absent = np.random.default_rng(seed).random((len(arrays[0]), len(arrays))) < SHARE
    absent[absent.all(axis=1), 0] = False
    return [np.where(absent[:, [v]], np.nan, array) for v, array in enumerate(arrays)]


def with_means(holes: list[np.ndarray]) -> list[np.ndarray]:
    return [np.where(np.isnan(array), np.nanmean(array, axis=0), array) for array in holes]


def accuracy(method: type, views: list[np.ndarray], y: np.ndarray) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return 100 * vf.metrics.accuracy(y, method(len(np.unique(y)), random_state=0).fit(views).labels_)


def oracle_accuracy(views: list[np.ndarray], y: np.ndarray) -> float:
    """Of linear discriminants, one in each view, whose log-probabilities are added up. Eight folds are left out in turn."""
    classes = np.unique(y)
    total = np.zeros((len(y), len(classes)))
    for known, asked in StratifiedKFold(8, shuffle=True, random_state=0).split(y, y):
        for view in views:
            points = StandardScaler().fit_transform(np.sqrt(view) if np.nanmin(view) >= 0 else view)
            mine, theirs = (rows[~np.isnan(points[rows]).any(axis=1)] for rows in (known, asked))
            rule = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3).fit(points[mine], y[mine])
            places = np.searchsorted(classes, rule.classes_)
            total[np.ix_(theirs, places)] += np.log(np.maximum(rule.predict_proba(points[theirs]), 1e-6))
    return 100 * float(np.mean(classes[total.argmax(axis=1)] == y))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", default=FILES)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--oracle", action="store_true", help="a classifier that knows the labels, instead of the methods")
    parser.add_argument("--folder", type=Path, default=Path(__file__).parents[2] / "shared" / "datasets")
    asked = parser.parse_args()
    worse = False
    print(f"{'data set':26}{'method':12}{'complete':>9}{'missing':>9}{'means':>9}")
    for file in asked.files:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            views = vf.load_views(asked.folder / file)
        arrays = [np.asarray(x.toarray() if hasattr(x, "toarray") else x, dtype=float) for x in views.arrays]
        draws = [with_holes(arrays, seed) for seed in range(DRAWS)]
        if asked.oracle:
            missing = np.mean([oracle_accuracy(holes, views.y) for holes in draws])
            print(f"{file:26}{'(labels)':12}{oracle_accuracy(arrays, views.y):9.1f}{missing:9.1f}", flush=True)
            continue
        for name in asked.methods:
            method = METHODS[name]
            complete = accuracy(method, arrays, views.y)
            missing = np.mean([accuracy(method, holes, views.y) for holes in draws])
            means = np.mean([accuracy(method, with_means(holes), views.y) for holes in draws])
            worse |= bool(missing < means)
            print(f"{file:26}{name:12}{complete:9.1f}{missing:9.1f}{means:9.1f}", flush=True)
    return int(worse)


if __name__ == "__main__":
    raise SystemExit(main())
