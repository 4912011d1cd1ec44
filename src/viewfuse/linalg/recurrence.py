"""How often the clusters of a clustering come back when samples are drawn again (Hennig, 2007)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

__all__ = ["CAME_BACK", "Recurrence", "halves", "placed", "recurrence"]

CAME_BACK = 0.75  # Jaccard index from which Hennig calls a cluster recovered


@dataclass(frozen=True)
class Recurrence:
    """How the clusters of some labels come back in R resamples.

    Attributes
    ----------
    overlap : (R, k) array
        Largest Jaccard index between the samples of a cluster that are in the resample and a cluster of the resample; NaN
        if none of its samples is in the resample.
    samples : (n,) array
        Share of the resamples with this sample in which it is in the cluster that overlaps most with its own; NaN if it is
        in no resample.
    """

    overlap: np.ndarray
    samples: np.ndarray

    @property
    def mean_overlap(self) -> np.ndarray:
        """Mean over the resamples, (k,)."""
        return _mean_of_drawn(self.overlap)

    @property
    def clusters(self) -> np.ndarray:
        """Share of the resamples in which a cluster came back: with a Jaccard index of at least 0.75, (k,)."""
        return _mean_of_drawn(np.where(np.isnan(self.overlap), np.nan, self.overlap >= CAME_BACK))


def recurrence(labels: np.ndarray, resampled: Iterable[np.ndarray]) -> Recurrence:
    """Compare a clustering with the clusterings of resamples.

    Parameters
    ----------
    labels : (n,) array of int, 0 … k − 1
    resampled : iterable of (n,) arrays of int
        The labels found in a resample, in any numbering; −1 for the samples that are not in it.
    """
    n, k = len(labels), int(labels.max()) + 1
    overlaps, drawn, kept = [], np.zeros(n), np.zeros(n)
    for found in resampled:
        inside = np.flatnonzero(found >= 0)
        shared = np.zeros((k, int(found.max()) + 1))
        np.add.at(shared, (labels[inside], found[inside]), 1)
        sizes = shared.sum(axis=1)
        union = sizes[:, None] + shared.sum(axis=0)[None, :] - shared
        jaccard = shared / np.maximum(union, 1)
        overlaps.append(np.where(sizes > 0, jaccard.max(axis=1), np.nan))
        drawn[inside] += 1
        kept[inside] += found[inside] == jaccard.argmax(axis=1)[labels[inside]]
    samples = np.where(drawn > 0, kept / np.maximum(drawn, 1), np.nan)
    return Recurrence(np.array(overlaps).reshape(-1, k), samples)


def _mean_of_drawn(values: np.ndarray) -> np.ndarray:
    """The mean over the rows without NaN; NaN if there is no other value."""
    drawn = ~np.isnan(values)
    total = np.where(drawn, values, 0).sum(axis=0)
    return np.where(drawn.any(axis=0), total / np.maximum(drawn.sum(axis=0), 1), np.nan)


def halves(n: int, n_halves: int, least: int, random_state: np.random.RandomState) -> list[np.ndarray]:
    """Random halves of n samples, sorted; each two are complementary, or overlap if a half has fewer than ``least``."""
    size = min(max(n // 2, least), n)
    drawn: list[np.ndarray] = []
    while len(drawn) < n_halves:
        order = random_state.permutation(n)
        drawn += [np.sort(order[:size]), np.sort(order[-size:])]
    return drawn[:n_halves]


def placed(part: np.ndarray, subset: np.ndarray, n: int) -> np.ndarray:
    """The labels of a subset as labels of all samples; −1 for those that are not in it."""
    placed = np.full(n, -1)
    placed[subset] = part
    return placed
