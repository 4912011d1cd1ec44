"""New samples of which nothing is known: texts without a known word, nodes without edges.

They lie somewhere among the others, by chance. So they belong equally to all clusters, and are outliers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...graphs.representation import Representation
from .membership import ABOVE
from .votes import Votes

__all__ = ["as_outliers", "belonging_equally", "nothing_known"]

_SCORE = 10.0  # as in surroundings a thousandth as dense as those of the neighbours


def nothing_known(representations: Sequence[Representation], views: Sequence[Any], present: np.ndarray | None) -> np.ndarray:
    """Which samples have no direction, or are missing, in every view, (n,)."""
    found = np.ones(views[0].shape[0], dtype=bool)
    for v, (representation, view) in enumerate(zip(representations, views, strict=True)):
        nothing = representation.nothing_in(view)
        found &= nothing if present is None else nothing | ~present[:, v]
    return found


def belonging_equally(membership: np.ndarray, labels: np.ndarray, unknown: np.ndarray) -> np.ndarray:
    """The memberships, equal for unknown samples but for a trifle in favour of the label."""
    k = membership.shape[1]
    equal = (np.ones(k) + ABOVE * k * np.eye(k)[labels[unknown]]) / (k + ABOVE * k)
    changed = membership.copy()
    changed[unknown] = equal
    return changed


def as_outliers(votes: Votes, unknown: np.ndarray) -> Votes:
    """The votes, with high outlier scores of unknown samples."""
    return replace(votes, outlier_scores=np.where(unknown, np.maximum(votes.outlier_scores, _SCORE), votes.outlier_scores))
