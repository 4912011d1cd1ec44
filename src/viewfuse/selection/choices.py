"""Choices without labels: the number of clusters, the parameters; and how far a clustering can be relied on.

Nothing here reads labels. A choice is judged by what does not change: under another sample of the data, or other parameters.
"""

from __future__ import annotations

import itertools
import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.utils import check_random_state

from .._utils.device import to_host
from .._utils.extras import require
from ..cluster import METHODS, MultiViewClusterer, known_methods
from ..cluster._checks import check_count, informative_views
from ..cluster.counting import ClusterCounts, count_clusters_of_views, default_counts
from ..exceptions import ParameterError, ViewfuseWarning
from ..fusion import gfsc, learned_factors
from ..linalg import assign_clusters, unit_rows
from ..views import Views

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["GRIDS", "ClusterCounts", "Stability", "Tuning", "choose_n_clusters", "stability", "tune"]

# Around the defaults, a factor of about three either way: the robust parameters mean the same on any data.
GRIDS: dict[str, dict[str, tuple[Any, ...]]] = {
    "gfsc": {"alpha": (0.3, 1.0, 3.0), "beta": (0.03, 0.1, 0.3), "gamma": (1.0, 2.0, 4.0)},
    "anchor-gfsc": {"n_anchors": ("auto", 200), "n_neighbors": (3, 5, 8), "gamma": (0.0, 0.5, 1.0)},
}
_SHARE = 0.9  # of the samples in a subset


def choose_n_clusters(
    views: Any, counts: Iterable[int] | None = None, *, n_resamples: int = 10, random_state: Any = None
) -> ClusterCounts:
    """How many clusters there are, and how well every number suits.

    The views are fused into one graph, which needs no number of clusters, and each sample keeps its √n strongest ties. For
    every k, the k leading eigenvectors divide the samples; the division is worth what it saves in describing the graph, and
    must hold when a tenth of the samples is left out (:mod:`viewfuse.cluster.counting`). Whether there are clusters at all
    is judged beside normally distributed samples with the same covariances.

    Parameters
    ----------
    views : Views, or a list or dict of (n_samples, n_features) views
    counts : range or iterable of int, optional
        The numbers to try, each between 2 and n_samples − 1. By default 2 to √n, at most 30.
    n_resamples : int
        How often to leave a tenth of the samples out.
    random_state : int, RandomState or None

    Returns
    -------
    ClusterCounts
        Printed, it is a table with the best number first; ``suggested`` is that number, 1 where ``structured`` is False;
        ``to_frame()`` and :func:`viewfuse.plotting.plot_counts` show it in other forms.

    Examples
    --------
    >>> from viewfuse.datasets import make_views
    >>> from viewfuse.selection import choose_n_clusters
    >>> found = choose_n_clusters(make_views(n_samples=120, n_clusters=4, random_state=0), range(2, 7), random_state=0)
    >>> found.suggested, found.structured
    (4, True)
    """
    views = views if isinstance(views, Views) else Views(views)
    arrays = views.float_arrays()
    check_count("n_resamples", n_resamples, least=1)
    tried = _checked_counts(default_counts(len(views)) if counts is None else counts, len(views))
    used = [arrays[v] for v in informative_views(views, arrays)]
    return count_clusters_of_views(used, tried, n_resamples=n_resamples, random_state=check_random_state(random_state))


def _checked_counts(counts: Iterable[int], n_samples: int) -> list[int]:
    found = list(counts)
    for count in found:
        check_count("Each number of clusters to try", count, least=2)
        if count >= n_samples:
            raise ParameterError(f"{count} clusters cannot be tried on {n_samples} samples; there must be more samples.")
    if not found:
        raise ParameterError("There is no number of clusters to try; give a range such as range(2, 11).")
    return sorted({int(count) for count in found})


@dataclass(frozen=True)
class Stability:
    """How far a clustering stays when some samples are left out.

    Attributes
    ----------
    score : float, the mean of ``each``: 1 where nothing changes, 0 where the clusters agree no more than by chance
    each : (n_resamples,) array, adjusted Rand index of a subset's clusters with those of all samples
    """

    score: float
    each: np.ndarray


def stability(model: MultiViewClusterer, views: Any, *, n_resamples: int = 10, random_state: Any = None) -> Stability:
    """Fit the model again on subsets of nine tenths of the samples, and compare: the cost of ``n_resamples`` more fits.

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
    with _quietly():
        if not hasattr(model, "labels_"):
            model = clone(model).fit(views)
        labels = to_host(model.labels_)
        if again.n_clusters == "auto":  # how many there are is another question
            again.set_params(n_clusters=max(int(np.unique(labels).size), 2))
        each = []
        for _ in range(n_resamples):
            some = np.sort(rng.choice(len(data), round(_SHARE * len(data)), replace=False))
            each.append(adjusted_rand_score(labels[some], to_host(clone(again).fit(data[some]).labels_)))
    return Stability(float(np.mean(each)), np.array(each))


@dataclass(frozen=True)
class Tuning:
    """What a search found; printed, it is a table with the best point first.

    Attributes
    ----------
    method : key of ``METHODS``
    n_clusters : int
    points : tuple of dict, the parameters tried
    agreement : (n_points,) array
        Mean adjusted Rand index of a point's clusters with those of the other points.
    clusterings : (n_points, n_samples) array of int, the clusters found at each point
    """

    method: str
    n_clusters: int
    points: tuple[dict[str, Any], ...]
    agreement: np.ndarray
    clusterings: np.ndarray

    @property
    def best(self) -> dict[str, Any]:
        """The parameters of the point with the highest agreement."""
        return dict(self.points[int(np.argmax(self.agreement))])

    @property
    def labels(self) -> np.ndarray:
        """Its clusters, (n_samples,)."""
        return self.clusterings[int(np.argmax(self.agreement))]

    def estimator(self, **others: Any) -> MultiViewClusterer:
        """The method with the best parameters, not fitted."""
        return METHODS[self.method](n_clusters=self.n_clusters, **self.best, **others)

    def to_frame(self) -> DataFrame:
        """A row for each point, the best first."""
        order = self._order()
        rows = [{**self.points[i], "agreement": self.agreement[i]} for i in order]
        return require("pandas").DataFrame(rows)

    def __str__(self) -> str:
        lines = ["agreement  parameters"]
        for i in self._order():
            lines.append(f"{self.agreement[i]:9.3f}  {', '.join(f'{k}={v}' for k, v in self.points[i].items())}")
        return "\n".join(lines)

    __repr__ = __str__

    def _order(self) -> np.ndarray:
        return np.argsort(-self.agreement, kind="stable")


def tune(
    views: Any,
    n_clusters: int,
    method: str = "gfsc",
    *,
    grid: Mapping[str, Sequence[Any]] | None = None,
    folder: str | Path | None = None,
    progress: bool = False,
    random_state: int = 0,
) -> Tuning:
    """Search parameters without labels: the point whose clusters agree best with those of all the others.

    Clusters that are in the data come out under most parameters, and mistakes are made each in its own way: the clustering
    in the middle of all has the least of them. A point is thus judged by the mean adjusted Rand index of its clusters with
    those of the others. What fits share, the factors of the views, is computed once.

    Parameters
    ----------
    views : Views, or a list or dict of (n_samples, n_features) views
    n_clusters : int
    method : {"gfsc", "anchor-gfsc"}, or any key of ``METHODS`` with ``grid``
    grid : mapping of parameter to values, optional
        By default ``GRIDS[method]``: α, β and γ, or the number of anchors, of neighbours, and γ.
    folder : path, optional
        Keep finished points here. A search that was stopped goes on from them; one of other data starts afresh beside them.
    progress : bool
        Show a bar.
    random_state : int

    Returns
    -------
    Tuning

    Examples
    --------
    >>> from viewfuse.datasets import make_views
    >>> from viewfuse.selection import tune
    >>> found = tune(make_views(n_samples=60, random_state=0), 3, grid={"alpha": [1, 2], "gamma": [1, 2]})
    >>> len(found.points), sorted(found.best)
    (4, ['alpha', 'gamma'])
    """
    views = views if isinstance(views, Views) else Views(views)
    check_count("n_clusters", n_clusters, least=2)
    points = _grid_points(method, grid)
    with _quietly(), _memory(folder, views, method, n_clusters, random_state) as memory:
        cluster = _clusterer(views, method, n_clusters, random_state)
        found = np.stack([memory(point, cluster) for point in _with_bar(points, progress)])
    pairs = np.array([[adjusted_rand_score(one, other) for other in found] for one in found])
    agreement = (pairs.sum(axis=1) - 1) / max(len(found) - 1, 1)
    return Tuning(method, int(n_clusters), tuple(points), agreement, found)


def _grid_points(method: str, grid: Mapping[str, Sequence[Any]] | None) -> list[dict[str, Any]]:
    known_methods([method])
    if grid is None and method not in GRIDS:
        raise ParameterError(f"There is no default grid for {method!r}; give one, as grid={{'alpha': [1, 2]}}.")
    chosen = GRIDS[method] if grid is None else grid
    unknown = set(chosen) - set(METHODS[method]().get_params())
    if unknown or not chosen or not all(len(values) for values in chosen.values()):
        raise ParameterError(f"grid must map parameters of {method!r} to values to try; got {dict(chosen)!r}.")
    return [dict(zip(chosen, values, strict=True)) for values in itertools.product(*chosen.values())]


def _clusterer(views: Views, method: str, n_clusters: int, seed: int) -> Callable[[dict[str, Any]], np.ndarray]:
    """From parameters to labels."""
    if method != "gfsc":
        return lambda point: to_host(METHODS[method](n_clusters=n_clusters, random_state=seed, **point).fit(views).labels_)
    arrays = views.float_arrays()
    factors = learned_factors([arrays[v] for v in informative_views(views, arrays)])

    def cluster(point: dict[str, Any]) -> np.ndarray:
        if not set(point) <= {"alpha", "beta", "gamma"}:
            return to_host(METHODS[method](n_clusters=n_clusters, random_state=seed, **point).fit(views).labels_)
        rng = np.random.RandomState(seed)  # as GFSC(random_state=seed) would
        fused = gfsc(factors, n_clusters, random_state=rng, **point)
        return to_host(assign_clusters(unit_rows(fused.embedding), n_clusters, n_init=10, random_state=rng))

    return cluster


@contextmanager
def _memory(folder: str | Path | None, views: Views, method: str, n_clusters: int, seed: int) -> Iterator[Any]:
    """Computes a point, or remembers it from an earlier run in the same folder."""
    if folder is None:
        yield lambda point, cluster: cluster(point)
        return
    from .._utils.checksum import checksum
    from .._utils.store import Store

    data = [checksum(array) for array in views.arrays]

    def remember(point: dict[str, Any], cluster: Callable[[dict[str, Any]], np.ndarray]) -> np.ndarray:
        key = json.dumps([method, n_clusters, seed, point, data], sort_keys=True, default=str)
        if key not in store.results:
            store.add({"key": key, "labels": cluster(point).tolist()})
        return np.array(store.results[key]["labels"])

    with Store.opened(Path(folder)) as store:
        store.begin_session({"tune": method})
        yield remember


def _with_bar(points: list[dict[str, Any]], progress: bool) -> Iterable[dict[str, Any]]:
    return require("tqdm", extra="io").tqdm(points, unit="fit") if progress else points


@contextmanager
def _quietly() -> Iterator[None]:
    """Fits made for comparison may be poor ones; their warnings are not about the user's own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ViewfuseWarning)
        yield
