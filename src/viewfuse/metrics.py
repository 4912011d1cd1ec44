"""Scores of a clustering against known labels. The solvers do not import this module.

All scores are in [0, 1] (ARI may be slightly negative) and do not depend on how clusters are numbered. Labels are whole
numbers or strings.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from array_api_compat import is_array_api_obj
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix, pair_confusion_matrix

from ._utils.device import to_host
from .exceptions import ParameterError

__all__ = ["accuracy", "ari", "evaluate", "f_score", "inverse_purity", "nmi", "purity"]

NMIAverage = Literal["arithmetic", "geometric", "max", "min"]


def accuracy(labels_true: Any, labels_pred: Any) -> float:
    """Share of correctly clustered samples under the best one-to-one matching of clusters to classes.

    ``max_π (1/n) Σ_j N(j, π(j))`` with ``N`` the contingency table, solved by the Hungarian algorithm.

    >>> accuracy([0, 0, 1, 1], ["b", "b", "b", "a"])
    0.75
    """
    table = _contingency(labels_true, labels_pred)
    return float(table[linear_sum_assignment(table, maximize=True)].sum() / table.sum())


def nmi(labels_true: Any, labels_pred: Any, average: NMIAverage = "arithmetic") -> float:
    """Normalized mutual information: mutual information divided by a mean of the two entropies.

    The GFSC paper describes ``"geometric"``, but its program computes ``"max"``. scikit-learn's default is ``"arithmetic"``.
    """
    _contingency(labels_true, labels_pred)
    return float(normalized_mutual_info_score(_on_host(labels_true), _on_host(labels_pred), average_method=average))


def ari(labels_true: Any, labels_pred: Any) -> float:
    """Adjusted Rand index: the share of pairs on which the two clusterings agree, corrected for chance."""
    _contingency(labels_true, labels_pred)
    return float(adjusted_rand_score(_on_host(labels_true), _on_host(labels_pred)))


def purity(labels_true: Any, labels_pred: Any) -> float:
    """Share of samples that belong to the largest class of their cluster."""
    table = _contingency(labels_true, labels_pred)
    return float(table.max(axis=0).sum() / table.sum())


def inverse_purity(labels_true: Any, labels_pred: Any) -> float:
    """Share of samples that are in the largest cluster of their class. The GFSC paper prints this as purity."""
    return purity(labels_pred, labels_true)


def f_score(labels_true: Any, labels_pred: Any) -> float:
    """Pairwise F-score: harmonic mean of precision and recall over pairs of samples in the same cluster.

    It is 1 if neither clustering has two samples in one cluster, because they then agree on every pair.
    """
    _contingency(labels_true, labels_pred)
    (_, together_wrongly), (missed, together_rightly) = pair_confusion_matrix(_on_host(labels_true), _on_host(labels_pred))
    total = 2 * together_rightly + together_wrongly + missed
    return float(2 * together_rightly / total) if total else 1.0


def evaluate(labels_true: Any, labels_pred: Any) -> dict[str, float]:
    """Compute every score, and return them by name.

    >>> evaluate([0, 0, 1, 1], [1, 1, 0, 0])["acc"]
    1.0
    """
    return {
        "acc": accuracy(labels_true, labels_pred),
        "nmi": nmi(labels_true, labels_pred),
        "nmi_geometric": nmi(labels_true, labels_pred, "geometric"),
        "nmi_max": nmi(labels_true, labels_pred, "max"),
        "ari": ari(labels_true, labels_pred),
        "purity": purity(labels_true, labels_pred),
        "inverse_purity": inverse_purity(labels_true, labels_pred),
        "f_score": f_score(labels_true, labels_pred),
    }


def _on_host(labels: Any) -> np.ndarray:
    return to_host(labels) if is_array_api_obj(labels) else np.asarray(labels)


def _contingency(labels_true: Any, labels_pred: Any) -> np.ndarray:
    true, predicted = _on_host(labels_true), _on_host(labels_pred)
    if true.ndim != 1 or true.shape != predicted.shape:
        raise ParameterError(
            f"labels_true and labels_pred must be vectors of the same length; got {true.shape} and {predicted.shape}.",
            parameter="labels_pred",
        )
    if true.size == 0:
        raise ParameterError("There are no labels to compare: labels_true is empty.", parameter="labels_true")
    return contingency_matrix(true, predicted)
