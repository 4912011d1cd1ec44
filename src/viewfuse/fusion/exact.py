"""Exact fusion on n × n graphs: GFSC (Kang et al., 2020) in three variants, GF, and the fusion of given graphs.

    min  Σ_v ‖X_vᵀ − X_vᵀZ_v‖² + α‖Z_v‖² + β w_v‖Z_v − S‖²  +  γ Tr(FᵀLF),    Z_v ≥ 0, FᵀF = I

over the view graphs ``Z_v`` (n × n), the consensus ``S`` with Laplacian ``L``, and the embedding ``F`` (n × k). A sweep is
4n²r operations per view for its graph (r the view's rank), 2n²r for the objective, and about ten products of ``S`` with a
block of k vectors for the embedding. The robust variant factors the views in the precision they come in and keeps its graphs
in single precision: scaled as they are, their entries are weights between 0 and 1, and sweeps take half the time and memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

from array_api_compat import array_namespace
from sklearn.utils import check_random_state

from ..exceptions import ParameterError
from ..graphs import GramFactor, completed_factors, factorise, factorise_deviations, min_max
from .kernels.dispatch import kernels_for
from .kernels.sizes import GraphSizes, OwnGraph
from .result import FusionResult, Sweep
from .sweeps import SWEEPS, Problem, run_sweeps

__all__ = ["Options", "fuse_graphs", "gf", "gfsc", "learned_factors", "unbounded_consensus"]


_ALPHA, _BETA = 1.0, 0.1  # percent of a view's trace
# Times the mean tie. Only near duplicates, and samples in very small clusters, have stronger ones; a given graph is taken at
# its word.
_STRONGEST = 6.0


class Options(TypedDict, total=False):
    """How to sweep; the same for every function here.

    Attributes
    ----------
    variant : {"robust", "published", "paper"}, default "robust"
        See :class:`viewfuse.GFSC`.
    max_iter : int, default 200
        Largest number of sweeps.
    tol : float, default 1e-3
        The sweeps end when ``S`` changes by less than this share or, in the robust variant, has about five times as much
        left to go at most, by the rate at which its changes shrink.
    random_state : int, RandomState or None
        Start of the iterative eigensolver; in the robust variant the thousand samples by which views are first weighed,
        where there are more than two; ``S`` and ``F`` of the paper's variant.
    present : (n, n_views) array of bool, optional
        Who has which view, where graphs are learned, in the robust variant; a sample that lacks a view is a row of zeros
        there, for which others stand in (:mod:`viewfuse.graphs.completion`).
    on_sweep : callable, optional
        Called as ``on_sweep(number, sweep)`` after every sweep; where it returns True, the sweeps end.
    """

    variant: str
    max_iter: int
    tol: float
    random_state: Any
    present: Any
    on_sweep: Callable[[int, Sweep], bool] | None


def gfsc(
    views: Sequence[Any],
    n_clusters: int,
    *,
    alpha: float = _ALPHA,
    beta: float = _BETA,
    gamma: float = 2.0,
    **options: Unpack[Options],
) -> FusionResult:
    """Learn a graph per view, their consensus and its embedding together.

    Parameters
    ----------
    views : sequence of (n, d_v) arrays or sparse matrices, or of GramFactor
        Finite and floating-point, of one dtype, none constant. The factors of a view (:func:`learned_factors`) do not depend
        on the parameters: fits of the same views share them.
    n_clusters : int
        ``k``, the number of columns of the embedding.
    alpha, beta, gamma : float
        Weights of the graphs' size, of their distance to the consensus, and of the cut.
    **options
        See :class:`Options`.

    Returns
    -------
    FusionResult

    Examples
    --------
    >>> import numpy as np
    >>> from viewfuse.fusion import gfsc
    >>> rng = np.random.default_rng(0)
    >>> centres = np.repeat([[4.0, 0, 0], [0, 4, 0], [0, 0, 4]], 20, axis=0)
    >>> views = [centres + rng.normal(size=(60, 3)) for _ in range(2)]
    >>> result = gfsc(views, 3, random_state=0)
    >>> result.consensus.shape, result.embedding.shape, result.converged
    ((60, 60), (60, 3), True)
    """
    graphs = _learned_graphs(views, alpha, **options)
    problem = Problem(graphs, n_clusters, alpha, beta, gamma, _STRONGEST)
    return _fused(problem, graphs[0].factor.basis, **options)


def gf(
    views: Sequence[Any], n_clusters: int, *, alpha: float = _ALPHA, beta: float = _BETA, **options: Unpack[Options]
) -> FusionResult:
    """Graph fusion without the cut term; the consensus is embedded afterwards, degree-normalised, as a separate step.

    Takes and returns what :func:`gfsc` does.
    """
    return _without_cut(views, n_clusters, alpha, beta, _STRONGEST, **options)


def unbounded_consensus(views: Sequence[Any], **options: Unpack[Options]) -> Any:
    """The consensus of :func:`gf` with every tie as strong as it is: under a bound the strongest could not be ranked."""
    return _without_cut(views, 2, _ALPHA, _BETA, math.inf, **options).consensus


def _without_cut(
    views: Sequence[Any], n_clusters: int, alpha: float, beta: float, strongest: float, **options: Unpack[Options]
) -> FusionResult:
    graphs = _learned_graphs(views, alpha, **options)
    problem = Problem(graphs, n_clusters, alpha, beta, 0.0, strongest, joint=False)
    return _fused(problem, graphs[0].factor.basis, **options)


def fuse_graphs(
    graphs: Sequence[Any],
    n_clusters: int,
    *,
    beta: float = _BETA,
    gamma: float = 2.0,
    joint: bool = True,
    **options: Unpack[Options],
) -> FusionResult:
    """``min Σ_v β w_v‖A_v − S‖² + γ Tr(FᵀLF)``: the same fusion of graphs ``A_v`` that are given.

    The (n, n) non-negative graphs stand in for the ``Z_v``, so there is nothing for α to weigh. They are symmetrised
    except in the paper's variant; the robust one also scales them to one norm. With ``joint=False`` there is no cut
    term and the consensus is embedded afterwards: GF of given graphs.
    """
    _check_variant(**options)
    if options.get("present") is not None:
        raise ParameterError("Given graphs must cover every sample; present= is for views from which graphs are learned.")
    given = [_prepared_graph(graph, options.get("variant", "robust")) for graph in graphs]
    gamma = gamma if joint else 0.0
    problem = Problem([_GivenGraph(graph) for graph in given], n_clusters, 0.0, beta, gamma, joint=joint)
    return _fused(problem, given[0], **options)


def _fused(
    problem: Problem,
    like: Any,
    *,
    variant: str = "robust",
    max_iter: int = 200,
    tol: float = 1e-3,
    random_state: Any = None,
    present: Any = None,  # learned graphs are of completed views
    on_sweep: Callable[[int, Sweep], bool] | None = None,
) -> FusionResult:
    rng = check_random_state(random_state)
    return run_sweeps(problem, variant, like, max_iter=max_iter, tol=tol, random_state=rng, on_sweep=on_sweep)


def _check_variant(*, variant: str = "robust", **_: Any) -> None:
    if variant not in SWEEPS:
        raise ParameterError(f"variant must be one of {', '.join(map(repr, SWEEPS))}; got {variant!r}.")


def _check_may_be_incomplete(variant: str) -> None:
    if variant != "robust":
        raise ParameterError(f"variant={variant!r} needs every sample in every view; use 'robust' where some are missing.")


def learned_factors(views: Sequence[Any], variant: str = "robust") -> list[GramFactor]:
    """The views scaled and factored as the variant does: what its fits share, whatever their parameters."""
    _check_variant(variant=variant)
    if variant == "robust":
        return [factorise_deviations(view) for view in views]
    return [factorise(min_max(view)) for view in views]


def _learned_graphs(
    views: Sequence[Any], alpha: float, *, variant: str = "robust", present: Any = None, **_: Any
) -> list[_LearnedGraph]:
    factored = all(isinstance(view, GramFactor) for view in views)
    factors = views if factored else learned_factors(views, variant)
    if present is not None:
        _check_may_be_incomplete(variant)
        factors = completed_factors(factors, present, alpha)
    return [_LearnedGraph(factor) for factor in factors]


@dataclass(frozen=True)
class _LearnedGraph:
    """A graph learned from features by self-expression."""

    factor: GramFactor

    def own(self, alpha: float) -> OwnGraph:
        return OwnGraph(self.factor.basis, 1 / (self.factor.eigenvalues + alpha))

    def write(self, graph: Any, consensus: Any, alpha: float, pull: float, *, symmetric: bool, identity: bool) -> GraphSizes:
        kernels, basis = kernels_for(graph), self.factor.basis
        shift, ratio = alpha + pull, pull / (alpha + pull)
        mixture = kernels.coefficients(basis, self.factor.eigenvalues, shift, ratio, None if identity else consensus)
        return kernels.write_view_graph(basis, mixture, ratio, consensus, graph, symmetric=symmetric)

    def misfit(self, graph: Any, *, symmetric: bool) -> float:
        return kernels_for(graph).misfit(self.factor.basis, graph, symmetric=symmetric)


@dataclass(frozen=True)
class _GivenGraph:
    """A graph that is given and stays as it is."""

    given: Any

    def own(self, alpha: float) -> OwnGraph:
        return OwnGraph(self.given)

    def write(self, graph: Any, consensus: Any, alpha: float, pull: float, *, symmetric: bool, identity: bool) -> GraphSizes:
        graph[...] = self.given
        return kernels_for(graph).measure_graph(graph, consensus)

    def misfit(self, graph: Any, *, symmetric: bool) -> float:
        return 0.0


def _prepared_graph(graph: Any, variant: str) -> Any:
    if variant == "paper":
        return graph
    graph = (graph + graph.T) / 2
    if variant == "robust":
        xp = array_namespace(graph)
        size = float(xp.linalg.vector_norm(graph))
        graph = xp.astype(graph * (graph.shape[0] ** 0.5 / size) if size > 0 else graph, xp.float32)
    return graph
