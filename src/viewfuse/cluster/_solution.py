"""The record that a method returns: what it found, for the base class to turn into fitted attributes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["Solution"]


@dataclass(frozen=True)
class Solution:
    """Result of a method; fields that it does not have are None.

    A method of your own returns it from ``cluster_views`` if it has more to tell than labels.

    Attributes
    ----------
    converged : bool
    n_iter : int
    objective : (n_iter,) array or None
        The objective after every iteration.
    points : (n, p) array or None
        The rows that k-means clusters; None if the solver finds ``labels`` itself.
    labels : (n,) array of int or None
    embedding : (n, p) array or None
    graph : (n, n) array, dense or sparse, or None, the fused graph
    weights : (n_views,) array summing to 1, or None
    history : dict of arrays, other traces by name
    """

    converged: bool = True
    n_iter: int = 1
    objective: np.ndarray | None = None
    points: np.ndarray | None = None
    labels: np.ndarray | None = None
    embedding: np.ndarray | None = None
    graph: Any = None
    weights: np.ndarray | None = None
    history: dict[str, np.ndarray] = field(default_factory=dict)
