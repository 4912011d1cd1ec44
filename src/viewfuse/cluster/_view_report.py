"""What each view has to do with a clustering: whether it sees the clusters, finds them alone, and is missed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from array_api_compat import array_namespace
from sklearn.metrics import adjusted_rand_score

from .._utils.extras import require

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["ViewReport", "ViewReportMixin", "blind_views", "separation", "view_report"]

_CHANCE = 4.0  # standard deviations
_FAINT = 0.05  # of the view that separates the clusters best


@dataclass(frozen=True)
class ViewReport:
    """What each view has to do with a clustering; printed, it is a table.

    Attributes
    ----------
    names : tuple of str
    weight : (n_views,) array, the trust in each view, summing to 1
    separation : (n_views,) array
        How far the clusters lie apart in the view, in standard deviations of what random clusters of these sizes would: near
        0 for a view that knows nothing of the clusters. NaN for graphs that are given, and where samples lack views.
    alone : (n_views,) array
        Adjusted Rand index of the clusters found in this view alone with those found in all.
    loss : (n_views,) array
        1 less the adjusted Rand index of the clusters found without this view with those found in all: 0 where it is not
        missed. NaN for an only view, and where the others do not hold every sample.
    noise : tuple of str, the views that do not see the clusters
    """

    names: tuple[str, ...]
    weight: np.ndarray
    separation: np.ndarray
    alone: np.ndarray
    loss: np.ndarray
    noise: tuple[str, ...]

    def to_frame(self) -> DataFrame:
        """The table as a pandas DataFrame, a row for each view."""
        columns = {name: getattr(self, name) for name in ("weight", "separation", "alone", "loss")}
        return require("pandas").DataFrame(columns, index=list(self.names))

    def __str__(self) -> str:
        width = max(4, *(len(name) for name in self.names))
        lines = [f"{'view':{width}}  weight  separation  alone   loss"]
        rows = zip(self.names, self.weight, self.separation, self.alone, self.loss, strict=True)
        for name, weight, separation, alone, loss in rows:
            mark = "  ← does not see the clusters" if name in self.noise else ""
            lines.append(f"{name:{width}} {weight:7.3f} {separation:11.1f} {alone:6.2f} {loss:6.2f}{mark}")
        return "\n".join(lines)

    __repr__ = __str__


class ViewReportMixin:
    """``view_report_`` for a method that keeps what it needs for it in ``_views_fitted``, and makes it on request."""

    noise_views_: tuple[str, ...]
    _views_fitted: Any

    @property
    def view_report_(self) -> ViewReport:
        """What each view has to do with the clusters: made when first asked for, by two fits for each view."""
        if "_view_report" not in self.__dict__:
            if "_views_fitted" not in self.__dict__:
                raise AttributeError(
                    f"view_report_ is there after fit; a pickled {type(self).__name__} has it if it was asked for before."
                )
            self._view_report = self._make_view_report()
        return self._view_report

    def _make_view_report(self) -> ViewReport:
        raise NotImplementedError(f"{type(self).__name__} has no _make_view_report")

    def _forget_views(self) -> None:
        """Of an earlier fit."""
        self.noise_views_ = ()
        for name in ("_view_report", "_views_fitted"):
            self.__dict__.pop(name, None)

    def __getstate__(self) -> dict[str, Any]:
        state: Any = super().__getstate__()
        state = dict(state)  # scikit-learn may hand out the __dict__ itself
        state.pop("_views_fitted", None)  # a model is not the place to keep the data
        return state


def separation(points: Any, labels: Any) -> float:
    """``(B − E B) / sd B``: B the scatter of the clusters' means in a view, against all ways to hand out the same labels.

    With centred samples ``x_i``, (n, d), cluster means ``m_r`` and sizes ``n_r``, ``B = Σ_r n_r‖m_r‖²``. Over permutations
    of the labels ``E B = (k − 1)/(n − 1) · Σ‖x_i‖²``, and about ``sd B = √(2(k − 1) Σλ²) / (n − 1)`` with the eigenvalues λ
    of the centred Gram matrix (exact for normal samples): PERMANOVA with moments in place of permutations.
    """
    xp = array_namespace(points)
    points, labels = xp.astype(points, xp.float64), xp.asarray(labels, device=points.device)
    n, k = int(points.shape[0]), int(xp.max(labels)) + 1
    centred = points - xp.mean(points, axis=0)
    members = xp.astype(labels[:, None] == xp.arange(k, dtype=labels.dtype, device=points.device)[None, :], xp.float64)
    sizes = xp.sum(members, axis=0)
    sums = members.T @ centred
    between = float(xp.sum(xp.sum(sums * sums, axis=1) / xp.where(sizes > 0, sizes, xp.ones_like(sizes))))
    total = float(xp.sum(centred * centred))
    products = centred.T @ centred if centred.shape[1] < n else centred @ centred.T  # both have the eigenvalues λ
    spread = float(xp.sum(products * products) * (2 * (k - 1))) ** 0.5 / (n - 1)
    return (between - (k - 1) / (n - 1) * total) / spread if spread > 0 else 0.0


def blind_views(separations: np.ndarray) -> np.ndarray:
    """Positions of the views that do not see the clusters, where another clearly does."""
    best = np.nanmax(separations, initial=0.0)  # 0 where all are NaN
    least = max(_CHANCE, _FAINT * best)
    return np.flatnonzero(separations < least) if best > 3 * least else np.array([], dtype=int)


def view_report(
    names: Sequence[str],
    weights: np.ndarray,
    separations: np.ndarray,
    labels: np.ndarray,
    cluster: Callable[[list[int]], np.ndarray | None],
) -> ViewReport:
    """Compare the clusters of all views with those of each alone and of all but one.

    Parameters
    ----------
    names, weights, separations : of the views
    labels : (n,) array of int, found in all views
    cluster : from positions of views to the labels found in those; None where they do not hold every sample
    """

    def agreement(some: list[int]) -> float:
        found = cluster(some) if some else None
        return float("nan") if found is None else float(adjusted_rand_score(labels, found))

    everyone = range(len(names))
    blind = {names[v] for v in blind_views(separations)}
    return ViewReport(
        names=tuple(names),
        weight=np.asarray(weights, dtype=float),
        separation=separations,
        alone=np.array([agreement([v]) for v in everyone]),
        loss=1 - np.array([agreement([u for u in everyone if u != v]) for v in everyone]),
        noise=tuple(name for name in names if name in blind),
    )
