"""Measure how stable a clustering is when some samples are left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.utils import check_random_state

from .._utils.device import to_host
from ..cluster import MultiViewClusterer
from ..cluster._checks import check_count
from ._quiet import ignore_fit_warnings

__all__ = ["Stability", "stability"]

_SUBSET_SHARE = 0.9  # share of the samples in each subset


@dataclass(frozen=True)
class Stability:
    """Agreement between the clusters of all samples and those of subsets.

    Attributes
    ----------
    score : float, the mean of ``each``: 1 if the clusters never change, 0 if they agree only by chance
    each : (n_resamples,) array, adjusted Rand index between the clusters of a subset and those of all samples
    """

    score: float
    each: np.ndarray


def stability(model: MultiViewClusterer, views: Any, *, n_resamples: int = 10, random_state: Any = None) -> Stability:
    """Fit the model again on subsets of 90 % of the samples, and compare the clusters.

    This costs ``n_resamples`` more fits.

    Parameters
    ----------
    model : estimator, fitted to ``views`` or not
    views : what ``model.fit`` takes
    n_resamples : int
    random_state : int, RandomState or None, for the subsets

    Examples
    --------
    >>> from viewfuse import GFSC
    >>> from viewfuse.datasets import make_views
    >>> from viewfuse.selection import stability
    >>> views = make_views(n_samples=90, random_state=0)
    >>> stability(GFSC(3, random_state=0).fit(views), views, n_resamples=3, random_state=0).score
    1.0
    """
    check_count("n_resamples", n_resamples, least=1)
    rng = check_random_state(random_state)
    data = model._as_views(views)
    again = clone(model).set_params(views=None)
    with ignore_fit_warnings():
        if not hasattr(model, "labels_"):
            model = clone(model).fit(views)
        labels = to_host(model.labels_)
        if again.n_clusters == "auto":  # the number of clusters is fixed here: only their stability is measured
            again.set_params(n_clusters=max(int(np.unique(labels).size), 2))
        each = []
        for _ in range(n_resamples):
            subset = np.sort(rng.choice(len(data), round(_SUBSET_SHARE * len(data)), replace=False))
            each.append(adjusted_rand_score(labels[subset], to_host(clone(again).fit(data[subset]).labels_)))
    return Stability(float(np.mean(each)), np.array(each))
