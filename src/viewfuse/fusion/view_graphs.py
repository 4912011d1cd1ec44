"""The two kinds of view graph: learned from features, or given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..graphs import GramFactor
from .kernels import GraphNorms, SingleViewGraph, kernels_for

__all__ = ["GivenGraph", "LearnedGraph"]


@dataclass(frozen=True)
class LearnedGraph:
    """A graph learned from features by self-expression."""

    factor: GramFactor

    @property
    def rank(self) -> int:
        return int(self.factor.basis.shape[1])

    def without_consensus(self, alpha: float) -> SingleViewGraph:
        return SingleViewGraph(self.factor.basis, 1 / (self.factor.eigenvalues + alpha))

    def write(self, graph: Any, consensus: Any, alpha: float, pull: float, *, symmetric: bool, identity: bool) -> GraphNorms:
        kernels, basis = kernels_for(graph), self.factor.basis
        shift, ratio = alpha + pull, pull / (alpha + pull)
        mixture = kernels.coefficients(basis, self.factor.eigenvalues, shift, ratio, None if identity else consensus)
        return kernels.write_view_graph(basis, mixture, ratio, consensus, graph, symmetric=symmetric)

    def reconstruction_error(self, graph: Any, *, symmetric: bool) -> float:
        return kernels_for(graph).reconstruction_error(self.factor.basis, graph, symmetric=symmetric)


@dataclass(frozen=True)
class GivenGraph:
    """A graph that is given and does not change."""

    given: Any
    rank: int = 0

    def without_consensus(self, alpha: float) -> SingleViewGraph:
        return SingleViewGraph(self.given)

    def write(self, graph: Any, consensus: Any, alpha: float, pull: float, *, symmetric: bool, identity: bool) -> GraphNorms:
        graph[...] = self.given
        return kernels_for(graph).graph_norms(graph, consensus)

    def reconstruction_error(self, graph: Any, *, symmetric: bool) -> float:
        return 0.0
