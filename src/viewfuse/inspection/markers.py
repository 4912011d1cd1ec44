"""What sets clusters apart: each feature inside a cluster against all other samples.

For each cluster and each feature: the means (or shares) inside and outside, the difference of means in standard deviations,
the probability that a sample inside has a larger value than one outside (AUC, the Mann-Whitney statistic), and its p-value
by the normal approximation with correction for ties, adjusted by Benjamini and Hochberg over all clusters and features.

The clusters were found in the same data, so that p-values are small even for clusters of noise. They rank features; they are
no evidence that a cluster is real.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from scipy.special import ndtr
from scipy.stats import rankdata

from .._utils.extras import require
from .._utils.row_blocks import read_rows
from ..exceptions import ViewsError
from ..views import RELATIONS, Views
from .layouts import drawn_samples

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Contrast", "adjusted", "contrast", "contrasts_of_views", "feature_kinds", "markers"]

_HUGE = 1e100
_COLUMNS_AT_A_TIME = 256
_MOST_SAMPLES = 20_000
KINDS = ("number", "count", "category", "date")


@dataclass(frozen=True, eq=False)
class Contrast:
    """Features of one view inside each cluster against all other samples.

    Attributes
    ----------
    kind : (d,) array of str
        "category" for columns of 0 and 1, whose means are shares, "count" for whole numbers from 0 to above 10, "date" for
        days since 1970 of a column of dates, else "number".
    inside, outside : (k, d) arrays, means
    effect : (k, d) array, ``(inside − outside) / standard deviation``; 0 for constant columns
    auc : (k, d) array, in [0, 1]: 1 if every sample inside has a larger value than every sample outside
    p_value : (k, d) array, not adjusted
    """

    kind: np.ndarray
    inside: np.ndarray
    outside: np.ndarray
    effect: np.ndarray
    auc: np.ndarray
    p_value: np.ndarray


def markers(model: Any, views: Any) -> DataFrame:
    """The features of every view inside each cluster against all other samples, as a DataFrame.

    Parameters
    ----------
    model : fitted estimator, or FitSummary
        Only ``labels_`` is used.
    views : Views, or anything that ``Views`` accepts
        The data that the model was fitted on. Of more than 20,000 samples, 20,000 are used; each cluster contributes in
        proportion to its size. Missing values are left out.

    Returns
    -------
    DataFrame
        One row for each cluster and feature, the largest effects of each cluster first, with the columns ``cluster``,
        ``view``, ``feature``, ``kind`` ("number", "count", "category" or "date"), ``inside`` and ``outside`` (means; shares
        of categories; days since 1970), ``effect`` (difference of means in standard deviations), ``auc``, ``p_adjusted``
        (Benjamini-Hochberg over all rows) and ``direction`` ("higher" or "lower").

    Notes
    -----
    The clusters were found in the same data. Their p-values are small even if the data is noise: they rank features, and are
    no evidence that a cluster is real. ``model.verdict_`` answers that question.

    Examples
    --------
    >>> import viewfuse as vf
    >>> views = vf.datasets.make_views(n_samples=90, random_state=0)
    >>> model = vf.GFSC(n_clusters=3, random_state=0).fit(views)
    >>> found = vf.inspection.markers(model, views)
    >>> found.columns.tolist()
    ['cluster', 'view', 'feature', 'kind', 'inside', 'outside', 'effect', 'auc', 'p_adjusted', 'direction']
    >>> len(found) == 3 * sum(array.shape[1] for array in views.arrays)
    True
    """
    pandas = require("pandas")
    views = views if isinstance(views, Views) else Views(views)
    labels = np.asarray(model.labels if hasattr(model, "labels") else model.labels_)
    if len(labels) != len(views):
        raise ViewsError(
            f"The model has {len(labels)} labels, but there are {len(views)} samples in the views.",
            hint="Pass the views that the model was fitted on.",
            parameter="views",
        )
    clusters = np.unique(labels)
    frames = []
    for name, found in contrasts_of_views(labels, views).items():
        names = views.feature_names[views.names.index(name)]
        k, d = found.effect.shape
        features = [feature_name(names, f) for f in range(d)]
        frames.append(
            pandas.DataFrame(
                {
                    "cluster": np.repeat(clusters, d),
                    "view": name,
                    "feature": np.tile(np.array(features, dtype=object), k),
                    "kind": np.tile(found.kind, k),
                    **{what: getattr(found, what).ravel() for what in ("inside", "outside", "effect", "auc")},
                    "p_adjusted": found.p_value.ravel(),
                }
            )
        )
    if not frames:
        raise ViewsError("All views are relations between samples; they have no features.", parameter="views")
    table = pandas.concat(frames, ignore_index=True)
    table["p_adjusted"] = adjusted(table["p_adjusted"].to_numpy())
    table["direction"] = np.where(table["effect"] > 0, "higher", "lower")
    order = np.lexsort((-table["effect"].abs().to_numpy(), table["cluster"].to_numpy()))
    return table.iloc[order].reset_index(drop=True)


def feature_name(names: np.ndarray | None, column: int) -> str:
    return f"column {column}" if names is None else str(names[column])


def contrasts_of_views(labels: np.ndarray, views: Views, most_samples: int = _MOST_SAMPLES) -> dict[str, Contrast]:
    """For each view, each cluster against all other samples, from at most ``most_samples``."""
    rows = drawn_samples(labels, most_samples)
    present = None if views.present is None else views.present[rows]
    found = {}
    for v, name in enumerate(views.names):
        if views.kinds[v] in RELATIONS:
            continue  # its columns are samples, not features
        there = np.ones(len(rows), dtype=bool) if present is None else present[:, v]
        one = contrast(read_rows(views.readable(v), rows[there]), labels[rows[there]], np.unique(labels))
        found[name] = replace(one, kind=np.where(views.dates(v), "date", one.kind))
    return found


def contrast(view: Any, labels: np.ndarray, clusters: np.ndarray) -> Contrast:
    """Each of ``clusters`` against all other rows, feature by feature; missing values (NaN) are left out."""
    members = labels[None, :] == clusters[:, None]
    held: Any = sp.csc_array(view) if sp.issparse(view) else np.asarray(view)
    d = held.shape[1]
    parts = []
    for start in range(0, d, _COLUMNS_AT_A_TIME):
        block = held[:, start : start + _COLUMNS_AT_A_TIME]
        parts.append(_contrast(np.asarray(block.toarray() if sp.issparse(block) else block, dtype=float), members))
    return Contrast(*(np.concatenate(part, axis=-1) for part in zip(*parts, strict=True)))


def _contrast(values: np.ndarray, members: np.ndarray) -> tuple[np.ndarray, ...]:
    known = np.isfinite(values)
    largest = np.where(known, np.abs(values), 0.0).max(axis=0, initial=0)
    unit = np.where(largest > _HUGE, largest, 1.0)  # in which sums and squares do not overflow
    values = values / unit
    filled = np.where(known, values, 0.0)
    inside_n = members @ known.astype(float)
    all_n = known.sum(axis=0).astype(float)
    outside_n = all_n - inside_n
    inside_sum = members @ filled
    total = filled.sum(axis=0)
    inside, outside = inside_sum / np.maximum(inside_n, 1), (total - inside_sum) / np.maximum(outside_n, 1)
    mean = total / np.maximum(all_n, 1)
    spread = np.sqrt((np.where(known, values - mean, 0.0) ** 2).sum(axis=0) / np.maximum(all_n, 1))
    varies = spread > 1e-12 * np.maximum(np.abs(mean), 1e-300)
    effect = np.where(varies & (inside_n > 0) & (outside_n > 0), (inside - outside) / np.where(varies, spread, 1), 0.0)
    # Missing values get the highest ranks, which no sum below contains: known values keep the ranks 1 … all_n.
    ranks = rankdata(np.where(known, values, np.inf), axis=0)
    rank_sum = members @ np.where(known, ranks, 0.0)
    pairs = inside_n * outside_n
    larger = rank_sum - inside_n * (inside_n + 1) / 2
    auc = np.where(varies & (pairs > 0), larger / np.maximum(pairs, 1), 0.5)
    ties = _tie_sums(values, known)
    variance = pairs / 12 * (all_n + 1 - ties / np.maximum(all_n * (all_n - 1), 1))
    z = np.where(variance > 0, np.abs(larger - pairs / 2) / np.sqrt(np.maximum(variance, 1e-300)), 0.0)
    return feature_kinds(values), inside * unit, outside * unit, effect, auc, np.where(pairs > 0, 2 * ndtr(-z), 1.0)


def _tie_sums(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    """``Σ (t³ − t)`` over groups of t equal values, of each column."""
    ordered = np.sort(np.where(known, values, np.nan), axis=0)
    found = np.empty(values.shape[1])
    for column in range(values.shape[1]):
        some = ordered[: int(known[:, column].sum()), column]
        ends = np.flatnonzero(np.append(some[1:] != some[:-1], True))
        sizes = np.diff(ends, prepend=-1).astype(float)
        found[column] = (sizes**3 - sizes).sum()
    return found


def feature_kinds(values: np.ndarray) -> np.ndarray:
    """For each column: "category" if it holds only 0 and 1, "count" for whole numbers from 0 to above 10, else "number".

    Ages, of which none is 0, and answers on a scale are numbers: nobody says "1.5 times the age".
    """
    known = np.isfinite(values)
    filled = np.where(known, values, 0.0)
    whole = (filled == np.round(filled)).all(axis=0) & (np.where(known, values, np.inf).min(axis=0, initial=np.inf) == 0)
    largest = filled.max(axis=0, initial=0.0)
    return np.where(whole & (largest <= 1), "category", np.where(whole & (largest > 10), "count", "number"))


def adjusted(p_values: np.ndarray) -> np.ndarray:
    """Benjamini-Hochberg: the smallest false-discovery rate at which each test is significant.

    >>> adjusted(np.array([0.01, 0.04, 0.03, 0.5])).round(3).tolist()
    [0.04, 0.053, 0.053, 0.5]
    """
    order = np.argsort(p_values)
    n = len(p_values)
    scaled = p_values[order] * n / np.arange(1, n + 1)
    found = np.empty(n)
    found[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return found
