"""Coordinates of feature views for smoothing: few columns, each view of the same importance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import randomized_svd

from ...graphs.nearest import influence
from ...graphs.representation import Representation, represent

__all__ = ["Coordinates"]

_MOST_COLUMNS = 64
_MOST_LEARNED = 20_000  # samples from which the axes are learned
_MOSTLY_FILLED = 0.5  # share of non-zero values from which no column is rare
_BLOCK = 8_192


@dataclass(frozen=True)
class Coordinates:
    """A linear map from the rows of a view to at most 64 coordinates.

    Words and other rows that are mostly zero are weighted by ``log(n / number of rows that have them)`` and scaled to unit
    length, as in text retrieval: a common word is no evidence. Other views are measured as
    :func:`viewfuse.graphs.representation.represent` decides.

    Attributes
    ----------
    representation : Representation or None, for views that are not mostly zero
    weights : (d,) array or None, of the columns of views that are
    counts : bool, whether square roots of the values are taken first
    axes : (p, r) array or None, leading right singular vectors if there are more columns
    centre : (r,) array, the mean of the coordinates
    size : float, the coordinates are divided by it
    """

    representation: Representation | None
    weights: np.ndarray | None
    counts: bool
    axes: np.ndarray | None
    centre: np.ndarray
    size: float

    @classmethod
    def learn(cls, view: Any, random_state: np.random.RandomState, *, encoded: bool = False) -> Coordinates:
        """Learn the map from the samples of a view; the columns of an ``encoded`` table are taken as they are."""
        n = view.shape[0]
        some = view if n <= _MOST_LEARNED else view[np.sort(random_state.choice(n, _MOST_LEARNED, replace=False))]
        found = represent(some, encoded=encoded)
        weights = _inverse_frequencies(some) if found.kind == "directions" and _is_mostly_zero(some) else None
        start = cls(None if weights is not None else found, weights, found.counts, None, np.zeros(1), 1.0)
        points = start._points(some)
        axes = None
        if points.shape[1] > _MOST_COLUMNS:
            count = min(_MOST_COLUMNS, *points.shape)
            axes = randomized_svd(points, count, random_state=random_state)[2].T
        projected = _project(points, axes)
        centre = projected.mean(axis=0)
        size = 1.0 if weights is not None else influence(projected - centre)
        return cls(start.representation, weights, found.counts, axes, centre, size)

    @property
    def are_directions(self) -> bool:
        return self.weights is not None

    def nothing_in(self, rows: Any) -> np.ndarray:
        """Which of these rows have no direction, such as texts without a known word, (n,)."""
        if self.weights is None:
            assert self.representation is not None
            return self.representation.nothing_in(rows)
        return np.asarray(abs(sp.csr_array(rows)) @ self.weights).ravel() == 0

    def __call__(self, rows: Any) -> np.ndarray:
        blocks = [
            _project(self._points(rows[start : start + _BLOCK]), self.axes) for start in range(0, rows.shape[0], _BLOCK)
        ]
        return np.asarray((np.vstack(blocks) - self.centre) / self.size, dtype=np.float32)

    def _points(self, rows: Any) -> Any:
        if self.weights is None:
            assert self.representation is not None
            return self.representation(rows)
        values = sp.csr_array(rows, dtype=np.float64)
        values = np.sqrt(abs(values)) if self.counts else values
        return normalize(sp.csr_array(values.multiply(self.weights[None, :])))


def _is_mostly_zero(view: Any) -> bool:
    filled = view.count_nonzero() if sp.issparse(view) else np.count_nonzero(view)
    return bool(filled < _MOSTLY_FILLED * np.prod(view.shape))


def _inverse_frequencies(view: Any) -> np.ndarray:
    n = view.shape[0]
    having = np.asarray((sp.csr_array(view) != 0).sum(axis=0)).ravel()
    return np.where(having > 0, np.log(n / np.maximum(having, 1)), 0.0)  # a word that nobody has says nothing


def _project(points: Any, axes: np.ndarray | None) -> np.ndarray:
    if axes is None:
        return points.toarray() if sp.issparse(points) else points
    return np.asarray(points @ axes)
