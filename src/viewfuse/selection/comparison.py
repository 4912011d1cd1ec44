"""How several clusterings of the same samples compare: with true labels, or with each other and the views."""

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
    """The mean ARI with the other clusterings, and the silhouette in the views side by side, samples of unit length.

    NaN where there is no other clustering, or only one cluster.
    """
    points = np.hstack([as_dense(unit_samples(array)) for array in views.float_arrays()])
    scores = {}
    for key, labels in found.items():
        others = [ari(labels, other) for name, other in found.items() if name != key]
        sensible = 1 < np.unique(labels).size < len(labels)
        scores[key] = {
            "agreement": float(np.mean(others)) if others else float("nan"),
            "silhouette": float(silhouette_score(points, labels)) if sensible else float("nan"),
        }
    return scores
