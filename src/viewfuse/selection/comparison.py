"""Scores of several clusterings of the same samples: against true labels, or against each other and the views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.metrics import silhouette_score

from ..graphs import as_dense, unit_samples
from ..metrics import accuracy, ari, nmi, purity
from ..views import Views

__all__ = ["LABEL_FREE_COLUMNS", "label_free_choice", "label_free_scores", "labelled_scores"]

LABEL_FREE_COLUMNS = (
    "There are no labels, so no column says which clusters are true. agreement: mean ARI with the other methods; it is high "
    "for what many methods find, also if all of them are wrong in the same way. silhouette: how much nearer samples are to "
    "their own cluster than to the next, in all views side by side; it is high for round, equally large clusters, which "
    "k-means looks for."
)


def labelled_scores(labels_true: Any, found: Mapping[str, np.ndarray]) -> dict[str, dict[str, float]]:
    """Acc, NMI, ARI and purity of each clustering."""
    scores = {"Acc": accuracy, "NMI": nmi, "ARI": ari, "purity": purity}
    return {key: {name: score(labels_true, labels) for name, score in scores.items()} for key, labels in found.items()}


def label_free_scores(views: Views, found: Mapping[str, np.ndarray]) -> dict[str, dict[str, float]]:
    """Agreement and silhouette of each clustering.

    The agreement is the mean ARI with the other clusterings, NaN if there is no other. The silhouette is computed on the
    concatenated views, with samples scaled to unit length, and is NaN if there is only one cluster.
    """
    points = np.hstack([as_dense(unit_samples(array)) for array in views.float_arrays()])
    scores = {}
    for key, labels in found.items():
        others = [ari(labels, other) for name, other in found.items() if name != key]
        has_silhouette = 1 < np.unique(labels).size < len(labels)
        scores[key] = {
            "agreement": float(np.mean(others)) if others else float("nan"),
            "silhouette": float(silhouette_score(points, labels)) if has_silhouette else float("nan"),
        }
    return scores


def label_free_choice(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """Which of the compared methods to take without labels, and why; None with fewer than two results.

    The columns often contradict each other, so the method with the best mean rank in both is named, and it is said where
    they disagree. ``rows`` have the keys "method", "agreement" and "silhouette".
    """
    scored = [row for row in rows if row["agreement"] is not None and row["silhouette"] is not None]
    if len(scored) < 2:
        return None
    # Equal clusterings have equal means but for rounding.
    values = {name: -np.round([row[name] for row in scored], 9) for name in ("agreement", "silhouette")}
    both = np.stack([rankdata(values["agreement"]), rankdata(values["silhouette"])])
    best = int(np.lexsort((both.max(axis=0), both.sum(axis=0)))[0])  # of equal sums the more balanced
    places = {name: rankdata(found, method="min").astype(int) for name, found in values.items()}
    text = (
        f"I would take {scored[best]['method']}: it is number {places['agreement'][best]} by agreement and number "
        f"{places['silhouette'][best]} by silhouette of {len(scored)}, the best in both together."
    )
    first = {
        name: [row["method"] for row, at in zip(scored, found, strict=True) if at == 1] for name, found in places.items()
    }
    if not set(first["agreement"]) & set(first["silhouette"]):
        verb = "is" if len(first["agreement"]) == 1 else "are"
        text += (
            f" The two disagree: {_named(first['agreement'])} {verb} first by agreement, {_named(first['silhouette'])} by "
            "silhouette. Look at both clusterings before you rely on one."
        )
    return text


def _named(methods: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(methods[:-1]), methods[-1]]))
