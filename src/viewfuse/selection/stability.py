"""How often the clusters come back when only half of the samples are clustered.

The samples are divided at random into two halves, several times, and each half is clustered by itself (complementary pairs,
Shah & Samworth, 2013), so every sample is in the same number of resamples. A cluster came back if its Jaccard index with a
cluster of the half is at least 0.75 (Hennig, 2007).

The time of a fit grows with the number of samples or faster, so six halves take at most about the time of three fits. GFSC
is faster still: the graphs of the views are learned and fused once, from all samples, and only the cut is repeated, on the
subgraph of each half. The graph is the one before the cut. The consensus graph of a fit has been drawn towards its clusters,
so they come back in each of its subgraphs even if the data are noise. Subgraphs do not replace fits for every method: with
those of GF clusters come back too rarely, with those of AnchorGFSC too often.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.utils import check_random_state

from .._utils.device import to_host
from .._utils.extras import require
from .._utils.text import count
from .._utils.warn import quietly, warn
from ..cluster import MultiViewClusterer
from ..cluster._base import Cut
from ..cluster._checks import check_count
from ..exceptions import ConvergenceWarning, ViewsError, ViewsTypeError
from ..linalg import halves, placed, recurrence
from ..views import Views, holds_dask

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Stability", "stability"]

_SHARED, _REFITTED = 20, 6  # resamples


@dataclass(frozen=True)
class Stability:
    """How often the clusters come back in halves of the samples. Its text has one line for each cluster.

    Attributes
    ----------
    sizes : (k,) array of int, the samples in each cluster
    clusters : (k,) array, the share of resamples in which the cluster came back
    overlap : (k,) array, the mean Jaccard index of the cluster and the most similar cluster of a resample
    samples : (n_samples,) array
        The share of its resamples in which the sample was in the cluster that is most similar to its own; NaN for a sample
        that was in none.
    each : (n_resamples,) array, adjusted Rand index between the clusters of a resample and those of all samples
    score : float, the mean of ``each``: 1 if the clusters never change, 0 if they agree only by chance
    """

    sizes: np.ndarray
    clusters: np.ndarray
    overlap: np.ndarray
    samples: np.ndarray
    each: np.ndarray

    @property
    def score(self) -> float:
        return float(np.mean(self.each))

    def to_frame(self) -> DataFrame:
        """The table as a pandas DataFrame with one row per cluster."""
        columns = {"size": self.sizes, "came_back": self.clusters, "overlap": self.overlap}
        return require("pandas").DataFrame(columns).rename_axis("cluster")

    def __str__(self) -> str:
        lines = [
            f"cluster {cluster} ({count(int(size), 'sample')}) came back in {share:.0%} of resamples".replace("%", " %")
            for cluster, (size, share) in enumerate(zip(self.sizes, self.clusters, strict=True))
        ]
        return "\n".join([*lines, f"{len(self.each)} resamples, mean adjusted Rand index {self.score:.2f}"])

    __repr__ = __str__


def stability(
    model: MultiViewClusterer, views: Any, *, n_resamples: int | None = None, random_state: Any = None
) -> Stability:
    """Cluster halves of the samples, and count how often each cluster comes back.

    This takes at most the time of about five fits. ``max_time`` and ``callback`` of the model are not used, so no fit of a
    half is cut short. With more samples than the method clusters (AutoFusion and AnchorGFSC assign the others like new
    samples), as many are drawn, and the others have no value in ``samples``.

    Parameters
    ----------
    model : estimator, fitted to ``views`` or not
    views : what ``model.fit`` takes
    n_resamples : int, optional
        Number of halves. The default is 20 for GFSC, whose graphs are learned once for all halves, and 6 for methods that
        are fitted anew.
    random_state : int, RandomState or None, for the halves

    Returns
    -------
    Stability

    Examples
    --------
    >>> from viewfuse import GFSC
    >>> from viewfuse.datasets import make_views
    >>> from viewfuse.selection import stability
    >>> views = make_views(n_samples=90, random_state=0)
    >>> stability(GFSC(3, random_state=0).fit(views), views, random_state=0)
    cluster 0 (30 samples) came back in 100 % of resamples
    cluster 1 (30 samples) came back in 100 % of resamples
    cluster 2 (30 samples) came back in 100 % of resamples
    20 resamples, mean adjusted Rand index 1.00
    """
    if n_resamples is not None:
        check_count("n_resamples", n_resamples, least=1)
    if holds_dask(views):
        raise ViewsTypeError(
            "stability needs views in memory, but these are Dask collections.", hint="Pass a sample of them."
        )
    rng = check_random_state(random_state)
    with quietly():
        data = model._as_views(views)
        model = model if hasattr(model, "labels_") else clone(model).fit(views)
    labels = to_host(model.labels_)
    _check_fit(model, labels, data)
    k = int(labels.max()) + 1
    if k == 1:  # it comes back in every resample
        ones = np.ones(1)
        return Stability(np.array([len(labels)]), ones, ones, np.ones(len(labels)), ones)
    rows = _resampled_rows(model, len(labels), rng)
    drawn = data if len(rows) == len(data) else _part(model, data, rows)
    with quietly():
        shared = model._shared_cut(drawn, k, rng)
        cluster = _fit_to(model, drawn, k) if shared is None else shared
        parts = halves(len(rows), n_resamples or (_REFITTED if shared is None else _SHARED), k + 1, rng)
        resampled = [placed(to_host(cluster(part)), rows[part], len(labels)) for part in parts]
    return _summarised(labels, resampled)


def _check_fit(model: MultiViewClusterer, labels: np.ndarray, data: Views) -> None:
    if len(labels) != len(data):
        raise ViewsError(
            f"The model was fitted on {len(labels)} samples, but the views have {len(data)}.",
            hint="Pass the views that the model was fitted on.",
            parameter="views",
        )
    stopped = getattr(model, "stopped_", None)
    if stopped is not None:
        warn(
            ConvergenceWarning(
                f"The fit was stopped by {stopped} before it converged, so these may not be the clusters of the method.",
                hint="Fit the model again without a limit.",
                parameter=stopped,
            )
        )


def _resampled_rows(model: MultiViewClusterer, n: int, rng: np.random.RandomState) -> np.ndarray:
    """All rows, or as many as the method clusters."""
    most = model._n_clustered(n)
    return np.arange(n) if most == n else np.sort(rng.choice(n, most, replace=False))


def _fit_to(model: MultiViewClusterer, data: Views, n_clusters: int) -> Cut:
    """Cluster some samples by another fit. The number of clusters is that of the model: only stability is measured."""
    again = clone(model)
    unlimited = {"max_time": None, "callback": None, "verbose": 0, "views": None, "n_clusters": n_clusters}
    again.set_params(**{name: value for name, value in unlimited.items() if name in again.get_params()})

    def labels_of(part: np.ndarray) -> Any:
        one = clone(again)
        one._gives_verdict = False
        return one.fit(_part(model, data, part)).labels_

    return labels_of


def _part(model: MultiViewClusterer, data: Views, rows: np.ndarray) -> Views:
    """The views of some samples; of graphs also the columns."""
    part = data[rows]
    if model.affinity != "precomputed":
        return part
    return Views([graph[:, rows] for graph in part.arrays], names=part.names, ids=part.ids)


def _summarised(labels: np.ndarray, resampled: Sequence[np.ndarray]) -> Stability:
    found = recurrence(labels, resampled)
    each = [adjusted_rand_score(labels[one >= 0], one[one >= 0]) for one in resampled]
    return Stability(np.bincount(labels), found.clusters, found.mean_overlap, found.samples, np.array(each))
