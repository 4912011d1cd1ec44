"""How each view relates to a clustering: its weight, how far apart the clusters lie in it, and fits with and without it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from array_api_compat import array_namespace

from .._utils.agreement import adjusted_rand
from .._utils.extras import require
from ..graphs.nearest import centred_products

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["ViewReport", "ViewReportMixin", "noise_views", "separation", "separation_by_products", "view_report"]

_CHANCE = 4.0  # separation, in standard deviations, below which a view may be noise
_FAINT = 0.05  # the same, relative to the largest separation


@dataclass(frozen=True)
class ViewReport:
    """How each view relates to a clustering. ``print`` shows it as a table.

    Attributes
    ----------
    names : tuple of str
    weight : (n_views,) array, summing to 1
    separation : (n_views,) array
        How far apart the clusters lie in the view, compared with random clusters of the same sizes, in standard deviations:
        near 0 for a noise view. NaN for precomputed graphs and if samples are missing from views.
    alone : (n_views,) array
        Adjusted Rand index between the clusters found in this view alone and those found in all views.
    loss : (n_views,) array
        1 minus the adjusted Rand index between the clusters found without this view and those found in all views: 0 if the
        view makes no difference. NaN for a single view, and if a sample is present only in this view.
    noise : tuple of str, the noise views
    """

    names: tuple[str, ...]
    weight: np.ndarray
    separation: np.ndarray
    alone: np.ndarray
    loss: np.ndarray
    noise: tuple[str, ...]

    def to_frame(self) -> DataFrame:
        """The table as a pandas DataFrame with one row per view."""
        columns = {name: getattr(self, name) for name in ("weight", "separation", "alone", "loss")}
        return require("pandas").DataFrame(columns, index=list(self.names))

    def __str__(self) -> str:
        width = max(4, *(len(name) for name in self.names))
        lines = [f"{'view':{width}}  weight  separation  alone   loss"]
        rows = zip(self.names, self.weight, self.separation, self.alone, self.loss, strict=True)
        for name, weight, separation, alone, loss in rows:
            mark = "  ← noise view" if name in self.noise else ""
            lines.append(f"{name:{width}} {weight:7.3f} {separation:11.1f} {alone:6.2f} {loss:6.2f}{mark}")
        return "\n".join(lines)

    __repr__ = __str__


class ViewReportMixin:
    """``view_report_``, computed on first access from the data that ``fit`` keeps in ``_views_fitted``."""

    noise_views_: tuple[str, ...]
    _views_fitted: Any

    @property
    def view_report_(self) -> ViewReport:
        """How each view relates to the clusters. Computed on first access, by two fits per view."""
        if "_view_report" not in self.__dict__:
            if "_views_fitted" not in self.__dict__:
                raise AttributeError(
                    "view_report_ is available after fit. A pickled or saved "
                    f"{type(self).__name__} has it only if it was computed before."
                )
            self._view_report = self._make_view_report()
        return self._view_report

    def _make_view_report(self) -> ViewReport:
        raise NotImplementedError(f"{type(self).__name__} has no _make_view_report")

    def _forget_views(self) -> None:
        """Remove what an earlier fit has set."""
        self.noise_views_ = ()
        for name in ("_view_report", "_views_fitted"):
            self.__dict__.pop(name, None)

    def __getstate__(self) -> dict[str, Any]:
        state: Any = super().__getstate__()
        state = dict(state)  # scikit-learn may return the __dict__ itself
        state.pop("_views_fitted", None)  # a pickled model does not contain the data
        return state


def separation(points: Any, labels: Any) -> float:
    """``(B − E B) / sd B``, where B is the scatter of the cluster means in a view, over all permutations of the labels.

    With centred samples ``x_i``, (n, d), cluster means ``m_r`` and sizes ``n_r``, ``B = Σ_r n_r‖m_r‖²``. Over permutations
    of the labels ``E B = (k − 1)/(n − 1) · Σ‖x_i‖²``, and about ``sd B = √(2(k − 1) Σλ²) / (n − 1)`` with the eigenvalues λ
    of the centred Gram matrix (exact for normal samples): PERMANOVA with moments in place of permutations.
    """
    xp = array_namespace(points)
    points, labels = xp.astype(points, xp.float64), xp.asarray(labels, device=points.device)
    centred = points - xp.mean(points, axis=0)
    members = _members(labels, points)
    sums = members.T @ centred
    products = centred.T @ centred if centred.shape[1] < len(centred) else centred @ centred.T  # both have eigenvalues λ
    return _standardised(xp.sum(sums * sums, axis=1), members, float(xp.sum(centred * centred)), products)


def separation_by_products(products: np.ndarray, labels: np.ndarray) -> float:
    """The same from the inner products of the samples, (n, n): ``‖Σ_{i∈r} x_i‖²`` is a sum of products."""
    centred = centred_products(products.astype(np.float64))
    members = _members(labels, centred)
    squares = np.einsum("ir,ir->r", members, centred @ members)
    return _standardised(squares, members, float(np.trace(centred)), centred)


def _members(labels: Any, like: Any) -> Any:
    """Indicators of the clusters, (n, k)."""
    xp = array_namespace(like)
    clusters = xp.arange(int(xp.max(labels)) + 1, dtype=labels.dtype, device=like.device)
    return xp.astype(labels[:, None] == clusters[None, :], xp.float64)


def _standardised(squares: Any, members: Any, total: float, products: Any) -> float:
    """``(B − E B) / sd B`` from the squared lengths of the clusters' sums."""
    xp, (n, k) = array_namespace(products), members.shape
    sizes = xp.sum(members, axis=0)
    between = float(xp.sum(squares / xp.where(sizes > 0, sizes, xp.ones_like(sizes))))
    spread = float(xp.sum(products * products) * (2 * (k - 1))) ** 0.5 / (n - 1)
    return (between - (k - 1) / (n - 1) * total) / spread if spread > 0 else 0.0


def noise_views(separations: np.ndarray) -> np.ndarray:
    """Positions of the noise views: the clusters are not separated in them, but clearly in another view."""
    best = np.nanmax(separations, initial=0.0)  # 0 if all are NaN
    least = max(_CHANCE, _FAINT * best)
    return np.flatnonzero(separations < least) if best > 3 * least else np.array([], dtype=int)


def view_report(
    names: Sequence[str],
    weights: np.ndarray,
    separations: np.ndarray,
    labels: np.ndarray,
    cluster: Callable[[list[int]], np.ndarray | None],
) -> ViewReport:
    """Compare the clusters of all views with those of each view alone and of all views but one.

    Parameters
    ----------
    names, weights, separations : of the views
    labels : (n,) array of int, found in all views
    cluster : function from positions of views to the labels found in them, or None if a sample is missing from all of them
    """

    def agreement(some: list[int]) -> float:
        found = cluster(some) if some else None
        return float("nan") if found is None else adjusted_rand(labels, found)

    positions = range(len(names))
    return ViewReport(
        names=tuple(names),
        weight=np.asarray(weights, dtype=float),
        separation=separations,
        alone=np.array([agreement([v]) for v in positions]),
        loss=1 - np.array([agreement([u for u in positions if u != v]) for v in positions]),
        noise=tuple(names[v] for v in noise_views(separations)),
    )
