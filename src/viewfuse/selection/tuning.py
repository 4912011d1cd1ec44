"""Choose parameters without labels."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from .._utils.checksum import checksum
from .._utils.device import to_host
from .._utils.extras import require
from .._utils.store import Store
from .._utils.warn import quietly
from ..cluster import METHODS, MultiViewClusterer, known_methods
from ..cluster._checks import check_count, nonconstant_views
from ..exceptions import ParameterError
from ..fusion import gfsc, learned_factors
from ..linalg import assign_clusters, numbered_by_size, unit_rows
from ..views import Views

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["GRIDS", "Tuning", "tune"]

# The defaults, and about a third and three times each: the robust variant's parameters do not depend on the data's scale.
GRIDS: dict[str, dict[str, tuple[Any, ...]]] = {
    "gfsc": {"alpha": (0.3, 1.0, 3.0), "beta": (0.03, 0.1, 0.3), "gamma": (1.0, 2.0, 4.0)},
    "anchor-gfsc": {"n_anchors": ("auto", 200), "n_neighbors": (3, 5, 8), "gamma": (0.0, 0.5, 1.0)},
}


@dataclass(frozen=True)
class Tuning:
    """Result of a parameter search. Its text is a table with the best point first.

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
        """The clusters at the best point, (n_samples,)."""
        return self.clusterings[int(np.argmax(self.agreement))]

    def estimator(self, **others: Any) -> MultiViewClusterer:
        """Return the method with the best parameters, not fitted."""
        return METHODS[self.method](n_clusters=self.n_clusters, **self.best, **others)

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row for each point, the best first."""
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
    """Choose the parameters whose clusters agree best with those of the other parameters.

    Clusters that exist in the data are found with most parameters, while each poor choice of parameters makes mistakes of
    its own. The score of a point of the grid is therefore the mean adjusted Rand index between its clusters and those of
    the other points. The factors of the views, which all fits of GFSC share, are computed once.

    Parameters
    ----------
    views : Views, or a list or dict of (n_samples, n_features) views
    n_clusters : int
    method : {"gfsc", "anchor-gfsc"}, or any key of ``METHODS`` with ``grid``
    grid : mapping of parameter to values, optional
        The default is ``GRIDS[method]``: α, β and γ, or the number of anchors, the number of neighbours and γ.
    folder : path, optional
        Finished points are saved here, and a search that was stopped resumes from them. Searches on other data may use
        the same folder.
    progress : bool
        Show a progress bar.
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
    with quietly(), _saved_points(folder, views, method, n_clusters, random_state) as saved_or_computed:
        cluster = _clusterer(views, method, n_clusters, random_state)
        found = np.stack([saved_or_computed(point, cluster) for point in _with_bar(points, progress)])
    pairs = np.array([[adjusted_rand_score(one, other) for other in found] for one in found])
    agreement = (pairs.sum(axis=1) - 1) / max(len(found) - 1, 1)
    return Tuning(method, int(n_clusters), tuple(points), agreement, found)


def _grid_points(method: str, grid: Mapping[str, Sequence[Any]] | None) -> list[dict[str, Any]]:
    known_methods([method])
    if grid is None and method not in GRIDS:
        raise ParameterError(
            f"There is no default grid for {method!r}.",
            hint="Pass one, for example grid={'alpha': [1, 2]}.",
            parameter="grid",
        )
    chosen = GRIDS[method] if grid is None else grid
    unknown = set(chosen) - set(METHODS[method]().get_params())
    if unknown or not chosen or not all(len(values) for values in chosen.values()):
        raise ParameterError(
            f"grid must map parameters of {method!r} to lists of values; got {dict(chosen)!r}.",
            parameter="grid",
            value=grid,
        )
    return [dict(zip(chosen, values, strict=True)) for values in itertools.product(*chosen.values())]


def _clusterer(views: Views, method: str, n_clusters: int, seed: int) -> Callable[[dict[str, Any]], np.ndarray]:
    """Return a function from parameters to labels."""
    if method != "gfsc":
        return lambda point: to_host(METHODS[method](n_clusters=n_clusters, random_state=seed, **point).fit(views).labels_)
    arrays = views.float_arrays()
    factors = learned_factors([arrays[v] for v in nonconstant_views(views, arrays)])

    def cluster(point: dict[str, Any]) -> np.ndarray:
        if not set(point) <= {"alpha", "beta", "gamma"}:
            return to_host(METHODS[method](n_clusters=n_clusters, random_state=seed, **point).fit(views).labels_)
        rng = np.random.RandomState(seed)  # the same random numbers as GFSC(random_state=seed)
        fused = gfsc(factors, n_clusters, random_state=rng, **point)
        labels = assign_clusters(unit_rows(fused.embedding), n_clusters, n_init=10, random_state=rng)
        return to_host(numbered_by_size(labels))

    return cluster


@contextmanager
def _saved_points(folder: str | Path | None, views: Views, method: str, n_clusters: int, seed: int) -> Iterator[Any]:
    """Yield a function that reads a point's labels from the folder, or computes and saves them."""
    if folder is None:
        yield lambda point, cluster: cluster(point)
        return
    data = [checksum(array) for array in views.arrays]

    def saved_or_computed(point: dict[str, Any], cluster: Callable[[dict[str, Any]], np.ndarray]) -> np.ndarray:
        key = json.dumps([method, n_clusters, seed, point, data], sort_keys=True, default=str)
        if key not in store.results:
            store.add({"key": key, "labels": cluster(point).tolist()})
        return np.array(store.results[key]["labels"])

    with Store.opened(Path(folder)) as store:
        store.begin_session({"tune": method})
        yield saved_or_computed


def _with_bar(points: list[dict[str, Any]], progress: bool) -> Iterable[dict[str, Any]]:
    return require("tqdm", extra="io").tqdm(points, unit="fit") if progress else points
