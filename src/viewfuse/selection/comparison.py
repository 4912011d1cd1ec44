"""Scores of several clusterings of the same samples: against true labels, or against each other and the views."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.metrics import silhouette_score

from ..graphs import as_dense, unit_samples
from ..metrics import accuracy, ari, nmi, purity
from ..views import Views

__all__ = ["label_free_scores", "labelled_scores"]


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
