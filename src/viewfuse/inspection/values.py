"""The values of features of the drawn samples, so that a page can compare any selection of samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._utils.row_blocks import read_rows
from ..views import RELATIONS, Views
from .layouts import drawn_samples
from .markers import contrast, feature_kinds, feature_name

__all__ = ["DrawnFeatures", "drawn_features"]

_MOST_VALUES = 2_000_000
_FEWEST_FEATURES, _MOST_VALUES_OF_FEW = 20, 10_000_000  # so many features if they have no more values than this
_MOST_COMPARED = 20_000  # samples, to find the features that differ


@dataclass(frozen=True, eq=False)
class DrawnFeatures:
    """Values of features of some samples.

    Attributes
    ----------
    view : (f,) array of int, the position of the view of each feature
    names, kinds : (f,) arrays of str
    values : (f, n) array of float32; NaN where a value is missing
    left_out : int
        Features that are not here because there are too many: those that differ least between the clusters.
    """

    view: np.ndarray
    names: np.ndarray
    kinds: np.ndarray
    values: np.ndarray
    left_out: int


def _in_single_precision(values: Any) -> np.ndarray:
    """As float32; larger numbers become the largest of these."""
    most = np.finfo(np.float32).max
    return np.clip(np.asarray(values, dtype=float), -most, most).astype(np.float32)


def drawn_features(
    views: Views, rows: np.ndarray, labels: np.ndarray, most_values: int = _MOST_VALUES
) -> DrawnFeatures | None:
    """The features of these rows; of too many, those that differ most between the clusters, from each view its share.

    None if all views are relations between samples.
    """
    with_features = [v for v, kind in enumerate(views.kinds) if kind not in RELATIONS]
    if not with_features:
        return None
    total = sum(int(views.arrays[v].shape[1]) for v in with_features)
    n = max(len(rows), 1)
    most = max(most_values // n, min(_FEWEST_FEATURES, _MOST_VALUES_OF_FEW // n), 1)
    compared = drawn_samples(labels, _MOST_COMPARED)
    view, names, kinds, values = [], [], [], []
    for v in with_features:
        held = read_rows(views.readable(v), rows)
        d = int(held.shape[1])
        kept = np.arange(d)
        if total > most:
            effect = np.abs(contrast(held[compared], labels[compared], np.unique(labels)).effect).max(axis=0)
            kept = np.sort(np.argsort(-effect, kind="stable")[: max(most * d // total, 1)])
        some = held[:, kept]
        some = _in_single_precision(some.toarray() if hasattr(some, "toarray") else some)
        if views.present is not None:
            some = np.where(views.present[rows][:, [v]], some, np.float32(np.nan))
        view += [v] * len(kept)
        names += [feature_name(views.feature_names[v], int(f)) for f in kept]
        kinds += np.where(views.dates(v)[kept], "date", feature_kinds(some)).tolist()
        values.append(some.T)
    return DrawnFeatures(
        np.array(view), np.array(names, dtype=str), np.array(kinds, dtype=str), np.vstack(values), total - len(names)
    )
