"""What a fusion solves: the views' graphs and the parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from .kernels import GraphNorms, SingleViewGraph
from .stopping import StoppingRule

__all__ = ["Problem", "ViewGraph"]


class ViewGraph(Protocol):
    """What the iterations need of a view."""

    @property
    def rank(self) -> int:
        """The rank of the view's features; 0 for a given graph."""
        ...

    def without_consensus(self, alpha: float) -> SingleViewGraph:
        """The view's graph if there is no consensus."""
        ...

    def write(self, graph: Any, consensus: Any, alpha: float, pull: float, *, symmetric: bool, identity: bool) -> GraphNorms:
        """Set ``graph`` to the ``Z_v`` that is optimal for the consensus.

        ``pull`` is ``β w_v``, the weight of ``‖Z_v − S‖²``; ``identity`` says that the consensus is the identity matrix.
        """
        ...

    def reconstruction_error(self, graph: Any, *, symmetric: bool) -> float:
        """``‖Xᵀ − XᵀZ‖²``."""
        ...


@dataclass(frozen=True)
class Problem:
    """The views, the parameters and the rule by which iterations end.

    Attributes
    ----------
    graphs : one ViewGraph per view
    n_clusters : k, the number of columns of the embedding
    alpha, beta, gamma : weights of ``‖Z_v‖²``, of the distances to the consensus, and of the cut
    random_state : start of the eigensolver; samples for the first weights; start of the paper's variant
    stopping : the variant's stopping rule, with the caller's tolerance
    max_edge : upper bound on an edge of the consensus in mean edge weights, in the robust variant
    joint : whether the cut is part of the fusion; if not, the consensus is embedded once, degree-normalized, at the end
    weighting_samples : the robust variant computes its first weights on this many samples if graphs are learned from more
        than twice as many: a million edges give nearly the same weights as all edges
    fixed_weights : (n_views,) array of positive weights that replace the learned ones, or None
    with_objective : whether the objective is computed; no step depends on it
    """

    graphs: Sequence[ViewGraph]
    n_clusters: int
    alpha: float
    beta: float
    gamma: float
    random_state: np.random.RandomState
    stopping: StoppingRule
    max_edge: float = math.inf
    joint: bool = True
    weighting_samples: int = 1000
    fixed_weights: np.ndarray | None = None
    with_objective: bool = True

    def weight(self, v: int, learned: float) -> float:
        """The weight of view v: the learned one, unless the weights are fixed."""
        return learned if self.fixed_weights is None else float(self.fixed_weights[v])

    def reconstruction_error(self, v: int, graph: Any, *, symmetric: bool) -> float:
        """``‖Xᵀ − XᵀZ‖²`` of view v; NaN without the objective, of which it is the only part that takes long."""
        return self.graphs[v].reconstruction_error(graph, symmetric=symmetric) if self.with_objective else math.nan
