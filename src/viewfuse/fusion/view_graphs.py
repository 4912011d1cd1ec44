"""The kinds of view graph: learned from features, fewer than there are samples or not, or given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..graphs import GramFactor, GramMatrix
from ..linalg import shifted_inverse
from .kernels import GraphNorms, SingleViewGraph, kernels_for
from .kernels.numpy_tiled import NumpyKernels

__all__ = ["GivenGraph", "LearnedGraph", "WideGraph"]


@dataclass(frozen=True)
class LearnedGraph:
    """A graph learned from features by self-expression."""

    factor: GramFactor

    @property
    def rank(self) -> int:
        return int(self.factor.basis.shape[1])

    @property
    def array(self) -> Any:
        return self.factor.basis

    def without_consensus(self, alpha: float) -> SingleViewGraph:
        return SingleViewGraph(self.factor.basis, 1 / (self.factor.eigenvalues + alpha))

    def write(self, graph: Any, consensus: Any, alpha: float, pull: float, *, symmetric: bool, identity: bool) -> GraphNorms:
        kernels, basis = kernels_for(graph), self.factor.basis
        shift, ratio = alpha + pull, pull / (alpha + pull)
        given = None if identity else consensus
        mixture = kernels.coefficients(basis, self.factor.eigenvalues, shift, ratio, given, symmetric=symmetric)
        return kernels.write_view_graph(basis, mixture, ratio, consensus, graph, symmetric=symmetric)

    def reconstruction_error(self, graph: Any, *, symmetric: bool) -> float:
        return kernels_for(graph).reconstruction_error(self.factor.basis, graph, symmetric=symmetric)


@dataclass(frozen=True)
class WideGraph:
    """A graph learned by self-expression from at least as many features as samples: one inverse and one product."""

    view: GramMatrix

    @property
    def rank(self) -> int:
        return len(self.view.gram)

    @property
    def array(self) -> Any:
        return self.view.gram

    def without_consensus(self, alpha: float) -> SingleViewGraph:
        """``(I − αW)₊`` with ``W = (G + αI)⁻¹``."""
        graph = shifted_inverse(self.view.gram, alpha)
        graph *= -alpha
        graph[np.diag_indices(len(graph))] += 1
        return SingleViewGraph(np.maximum(graph, 0, out=graph))

    def write(self, graph: Any, consensus: Any, alpha: float, pull: float, *, symmetric: bool, identity: bool) -> GraphNorms:
        assert symmetric, "only the robust variant keeps Gram matrices"
        inverse = shifted_inverse(self.view.gram, alpha + pull)
        return NumpyKernels().write_wide_graph(inverse, alpha + pull, pull, consensus, graph)

    def reconstruction_error(self, graph: Any, *, symmetric: bool) -> float:
        return NumpyKernels().wide_reconstruction_error(self.view.gram, graph)


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
