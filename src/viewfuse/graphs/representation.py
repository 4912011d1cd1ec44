"""How the samples of a view are measured before they are compared, decided from the values of the view.

No single measure suits all data. Distances between standardised columns suit tables but not word counts, where most columns
are rare words; directions suit counts but not tables, where the length of a row has a meaning. So each view is mapped to
points whose Euclidean distances suit its values:

* ``directions``: counts, words and other non-negative data that is mostly zero. Rows of unit length (square roots of counts,
  which have a constant variance), measured from their mean, again of unit length.
* ``logarithms``: positive columns with heavy tails (amounts, concentrations, expression). Standardised logarithms. Of more
  than ten columns the logarithms are centred and all divided by one number: a difference of logarithms is a ratio, whatever
  the column, and the columns that differ most between samples are those that tell most. Among a few, one could decide alone.
* ``square roots``: shares of a whole, such as histograms and topics: non-negative, with the same sum in every row.
  Standardised square roots, whose distance is Hellinger's but for the scales of the columns: the variance of a share grows
  with the share.
* ``standardised``: all other data. Columns of mean 0 and standard deviation 1, clipped at ±4 so that single outliers do not
  dominate a distance.
* ``encoded``: tables whose columns were encoded one by one (:mod:`viewfuse.views.encoding`). They are used as they are.

Whether a view has heavy tails is decided by the median skewness of its columns: logarithms must at least halve it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

__all__ = ["Representation", "represent", "sparse_if_mostly_zero"]

_MOST_ZEROS = 0.5  # share of zeros from which non-negative data is about what is there, not how much
_FEW_NONZERO, _LARGE, _HUGE = 0.1, 10**5, 10**8  # share and numbers of entries, for which a sparse matrix is faster
_FEW = 10  # columns: the direction of a row with no more says little about it, and one of them could decide alone
_SKEWED = 1.5
_FEWEST_SHARES, _SAME_SUM = 3, 1e-3  # columns; deviation of sums
_CLIP = 4.0  # standard deviations
_AT_CENTRE = 1e-7  # length of a direction that is nothing but rounding errors


@dataclass(frozen=True)
class Representation:
    """A map from the rows of one view to points.

    Attributes
    ----------
    kind : {"directions", "logarithms", "square roots", "standardised", "encoded"}
    reason : str, what was seen in the values
    columns : (p,) array of int, the columns that are used; constant ones are not
    centre, scale : (p,) arrays; after the logarithm or the root or, for directions, of the rows of unit length
    floor : (p,) array or None, the smallest value that a logarithm is taken of
    counts : bool, whether square roots are taken first
    rounded : bool
        Whether a column takes two values, or some samples have more copies than neighbours, so that values have to be spread
        over their steps before graphs are made (:mod:`viewfuse.graphs.rounding`).
    """

    kind: str
    reason: str
    columns: np.ndarray
    centre: np.ndarray
    scale: np.ndarray
    floor: np.ndarray | None = None
    counts: bool = False
    rounded: bool = False

    def __call__(self, rows: Any, dtype: Any = np.float64) -> np.ndarray:
        """The points of these rows, (n, p), as numbers of this type."""
        if self.kind == "directions":
            unit = _dense(_unit_rows(rows, self.columns, counts=self.counts))
            unit -= self.centre
            return np.asarray(normalize(unit, copy=False)).astype(dtype, copy=False)
        values = _chosen(_dense(rows, dtype), self.columns)
        if self.kind == "encoded":
            return values
        if self.counts:
            values = np.sqrt(np.maximum(values, 0))
        if self.floor is not None:
            values = np.log(np.maximum(values, self.floor.astype(dtype)))
        points = values - self.centre.astype(dtype)
        points /= self.scale.astype(dtype)
        return np.clip(points, -_CLIP, _CLIP, out=points)

    def products(self, rows: Any) -> np.ndarray | None:
        """The inner products of the points of rows that are mostly zero, (n, n), by their nonzero values; else None.

        Directions are those of ``u_i − c`` with sparse ``u_i``, and ``(u_i − c)·(u_j − c) = u_i·u_j − u_i·c − u_j·c + c·c``.
        """
        if self.kind != "directions" or not sp.issparse(rows) or rows.nnz > _FEW_NONZERO * np.prod(rows.shape):
            return None
        unit = _unit_rows(rows, self.columns, counts=self.counts)
        along = unit @ self.centre
        found = (unit @ unit.T).toarray()
        found -= along[:, None]
        found -= along[None, :]
        found += self.centre @ self.centre
        lengths = np.sqrt(np.maximum(np.diag(found), 0))
        lengths = np.where(lengths > _AT_CENTRE, lengths, 1)
        found /= lengths[:, None]
        found /= lengths[None, :]
        return np.asarray(found)

    def of_rounded(self) -> Representation:
        """The same for a view with rounded values."""
        reason = f"{self.reason}; some columns take few values, which were spread over their steps"
        return replace(self, reason=reason, rounded=True)

    def nothing_in(self, rows: Any) -> np.ndarray:
        """Which of these rows have no direction: 0 in all columns that are used, such as a text without a known word."""
        if self.kind != "directions":
            return np.zeros(rows.shape[0], dtype=bool)
        return np.asarray(abs(rows[:, self.columns]).sum(axis=1)).ravel() == 0


def represent(view: Any, *, encoded: bool = False, known_counts: bool = False) -> Representation:
    """Decide how the samples of an (n, d) view are measured, and learn the numbers that this needs.

    ``encoded`` says that the columns already count about equally, as those of encoded tables do; ``known_counts`` that the
    values are counts, so that the directions of their square roots are measured.
    """
    columns = _varying_columns(view)
    if encoded:
        reason = "columns of a table, encoded one by one"
        return Representation("encoded", reason, columns, np.zeros(columns.size), np.ones(columns.size))
    counts = known_counts or _is_counts(view)
    if known_counts or (view.shape[1] > _FEW and (counts or _is_mostly_zero(view))):
        reason = "whole numbers of at least 0" if counts else "non-negative and mostly zero"
        centre = np.asarray(_unit_rows(view, columns, counts=counts).mean(axis=0)).ravel()
        return Representation("directions", reason, columns, centre, np.ones(columns.size), counts=counts)
    values = _chosen(_dense(view), columns)
    mean, spread = values.mean(axis=0), _spread(values)
    if (floor := _floor_of_logarithms(values, mean, spread)) is not None:
        logarithms = np.log(np.maximum(values, floor))
        scale = _spread(logarithms)
        if columns.size > _FEW:
            scale = np.full(columns.size, np.sqrt(np.mean(scale**2)))
        return Representation("logarithms", "positive with heavy tails", columns, logarithms.mean(axis=0), scale, floor)
    if _are_shares(view):
        roots = np.sqrt(values)
        reason = "not negative, with the same sum in every row"
        return Representation("square roots", reason, columns, roots.mean(axis=0), _spread(roots), counts=True)
    return Representation("standardised", "a table of numbers", columns, mean, spread)


def sparse_if_mostly_zero(view: Any) -> Any:
    """The view as a sparse matrix if that is faster: a large dense array that is mostly zero; else the view itself."""
    if sp.issparse(view) or not _LARGE <= view.size <= _HUGE or np.count_nonzero(view) > _FEW_NONZERO * view.size:
        return view
    return sp.csr_array(view)


def _varying_columns(view: Any) -> np.ndarray:
    if sp.issparse(view):
        largest, smallest = (np.asarray(edge.toarray()).ravel() for edge in (view.max(axis=0), view.min(axis=0)))
    else:
        largest, smallest = view.max(axis=0), view.min(axis=0)
    # Rounding makes a column that was centred far from 0 vary a little.
    varies = largest - smallest > 1e-12 * np.maximum(np.abs(largest), np.abs(smallest))
    # If no column varies beyond rounding, all are kept: there is nothing better to measure.
    return np.flatnonzero(varies) if varies.any() else np.arange(len(varies))


def _is_counts(view: Any) -> bool:
    values = view.data if sp.issparse(view) else view
    return bool(values.size and values.min() >= 0 and values.max() > 2 and np.all(values == np.round(values)))


def _are_shares(view: Any) -> bool:
    """Whether rows are shares of a whole; sums of rounded shares differ a little."""
    if view.shape[1] < _FEWEST_SHARES or view.min() < 0:
        return False
    sums = np.asarray(view.sum(axis=1), dtype=float).ravel()
    return bool(sums.mean() > 0 and np.abs(sums - sums.mean()).max() <= _SAME_SUM * sums.mean())


def _is_mostly_zero(view: Any) -> bool:
    if sp.issparse(view):
        return bool((view.data.size == 0 or view.data.min() >= 0) and view.nnz < (1 - _MOST_ZEROS) * np.prod(view.shape))
    return bool(view.min() >= 0 and np.mean(view == 0) > _MOST_ZEROS)


def _floor_of_logarithms(values: np.ndarray, mean: np.ndarray, spread: np.ndarray) -> np.ndarray | None:
    """The floor of each column if logarithms suit them; else None."""
    if values.min() < 0:
        return None
    before = np.median(np.abs(_skewness(values, mean, spread)))
    if before <= _SKEWED:
        return None
    middle = np.median(values, axis=0)
    if not (middle > 0).all():
        return None
    floor = 1e-3 * middle
    logarithms = np.log(np.maximum(values, floor))
    after = np.median(np.abs(_skewness(logarithms, logarithms.mean(axis=0), _spread(logarithms))))
    return floor if after < before / 2 else None


def _skewness(values: np.ndarray, mean: np.ndarray, spread: np.ndarray) -> np.ndarray:
    centred = values - mean
    centred /= spread
    # Powers take ten times as long, and products of whole arrays four times.
    return np.asarray(np.einsum("ij,ij,ij->j", centred, centred, centred) / len(values))


def _spread(values: np.ndarray) -> np.ndarray:
    spread = values.std(axis=0)
    return np.asarray(np.where(spread > 0, spread, 1))


def _unit_rows(rows: Any, columns: np.ndarray, *, counts: bool) -> Any:
    """New rows of unit length, (n, p); sparse ones stay sparse."""
    if not sp.issparse(rows):
        values = _chosen(np.asarray(rows, dtype=np.float64), columns)
        return np.asarray(normalize(np.sqrt(np.maximum(values, 0)) if counts else values))
    values = sp.csr_array(rows, dtype=np.float64)[:, columns]
    if counts:
        values.data = np.sqrt(np.maximum(values.data, 0))
    return normalize(values)


def _chosen(values: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """These columns; not a copy if they are all."""
    return values if columns.size == values.shape[1] else values[:, columns]


def _dense(rows: Any, dtype: Any = np.float64) -> np.ndarray:
    return np.asarray(rows.toarray() if sp.issparse(rows) else rows, dtype=dtype)
