"""How much a column of a table counts: less if it has nothing to do with any other column.

A category divides the samples into groups that no neighbour graph connects, and most categories have nothing to do with the
clusters. Clusters that show in several columns make these predict each other: where two samples are alike in all other
columns, they are alike in this one. So each column is predicted, for each sample, by the mean of the ten samples that are
nearest in all other columns, of all tables. With ``e`` the mean squared error and ``v`` the variance,
``R² = 1 − e/(v(1 + 1/10))`` is about 0 for a column that is independent of the others; what permuted values reach by chance
(their mean and three standard deviations) is subtracted. The factor is ``√(R²/0.1)``, at most 1 and at least 0.25. If no
column is predicted that well, nothing shows in several columns, and all count fully.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["column_weights"]

_NEIGHBORS, _PERMUTATIONS = 10, 10
_MOST_ROWS, _FEWEST_ROWS = 500, 40
_FEWEST_COLUMNS, _MOST_COLUMNS = 3, 300
_RELATED = 0.1  # R² from which a column counts fully
_LEAST = 0.25


def column_weights(array: np.ndarray, widths: Sequence[int]) -> np.ndarray:
    """The factor of each column of tables, (q,).

    Parameters
    ----------
    array : (n, p) array, the encoded columns of all tables side by side; NaN where a cell is empty
    widths : the number of encoded columns that each of the q columns became
    """
    n, q = len(array), len(widths)
    if n < _FEWEST_ROWS or not _FEWEST_COLUMNS <= q <= _MOST_COLUMNS:
        return np.ones(q)
    rows = np.unique(np.linspace(0, n - 1, min(n, _MOST_ROWS)).astype(int))
    parts = np.split(array[rows], np.cumsum(widths)[:-1], axis=1)
    distances = [_squared_distances(np.nan_to_num(part)) for part in parts]
    total = np.sum(distances, axis=0)
    np.fill_diagonal(total, np.inf)
    share = np.array([_predicted(part, total - own) for part, own in zip(parts, distances, strict=True)])
    return np.clip(np.sqrt(np.maximum(share, 0) / _RELATED), _LEAST, 1.0) if share.max() >= _RELATED else np.ones(q)


def _predicted(values: np.ndarray, distance: np.ndarray) -> float:
    """``R²`` of the values of a column, (n, m), by the samples nearest in the other columns."""
    known = ~np.isnan(values).any(axis=1)
    if known.sum() <= 2 * _NEIGHBORS:
        return 0.0
    values, distance = values[known], distance[np.ix_(known, known)]
    nearest = np.argpartition(distance, _NEIGHBORS - 1, axis=1)[:, :_NEIGHBORS]
    variance = float(((values - values.mean(axis=0)) ** 2).sum())
    if variance == 0:
        return 0.0
    rng = np.random.RandomState(0)
    found, *by_chance = (
        1 - float(((some - some[nearest].mean(axis=1)) ** 2).sum()) / (variance * (1 + 1 / _NEIGHBORS))
        for some in (values, *(values[rng.permutation(len(values))] for _ in range(_PERMUTATIONS)))
    )
    return found - float(np.mean(by_chance) + 3 * np.std(by_chance))


def _squared_distances(points: np.ndarray) -> np.ndarray:
    squares = (points * points).sum(axis=1)
    return np.maximum(squares[:, None] + squares[None, :] - 2 * points @ points.T, 0.0)
