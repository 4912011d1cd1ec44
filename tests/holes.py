"""Views with empty cells, and what they cost, for several tests."""

import warnings

import numpy as np

import viewfuse as vf
from viewfuse.exceptions import ViewfuseWarning


def with_holes(arrays, share, seed=0):
    """The arrays with this share of their cells empty, but no row entirely."""
    rng = np.random.default_rng(seed)
    holed = []
    for array in arrays:
        empty = rng.random(array.shape) < share
        empty[empty.all(axis=1), 0] = False
        holed.append(np.where(empty, np.nan, array))
    return holed


def mean_loss(arrays, y, share, seeds):
    """The accuracy that AutoFusion loses on average if this share of the cells is empty."""
    n_clusters = len(np.unique(y))
    complete = vf.metrics.accuracy(y, vf.AutoFusion(n_clusters, random_state=0).fit(arrays).labels_)
    found = []
    for seed in seeds:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ViewfuseWarning)
            model = vf.AutoFusion(n_clusters, random_state=0).fit(with_holes(arrays, share, seed))
        found.append(vf.metrics.accuracy(y, model.labels_))
    return complete - np.mean(found)
