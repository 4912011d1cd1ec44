"""Exact fusion on n × n graphs: GFSC (Kang et al., 2020) in three variants, GF, and the fusion of given graphs.

    min  Σ_v ‖X_vᵀ − X_vᵀZ_v‖² + α‖Z_v‖² + β w_v‖Z_v − S‖²  +  γ Tr(FᵀLF),    Z_v ≥ 0, FᵀF = I

over the view graphs ``Z_v`` (n × n), the consensus ``S`` with Laplacian ``L``, and the embedding ``F`` (n × k). An iteration
takes 4n²r operations per view for its graph (r the view's rank), 2n²r for the objective, and about ten products of ``S``
with a block of k vectors for the embedding. The robust variant factorises the views in their own precision and keeps its
graphs in single precision: after scaling, their entries are weights between 0 and 1, and iterations take half the time and
memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypedDict, Unpack

import numpy as np
import scipy.sparse as sp
from array_api_compat import array_namespace, is_numpy_array
from sklearn.utils import check_random_state

from ..exceptions import ParameterError
from ..graphs import GramFactor, GramMatrix, completed_factors, factorise, factorise_deviations, min_max
from ..linalg.threads import collected
from .driver import fuse
from .kernels import SingleViewGraph, kernels_for
from .problem import Problem, ViewGraph
from .result import FusionResult, Sweep
from .variants import VARIANTS
from .variants.robust import inverse_distance
from .view_graphs import GivenGraph, LearnedGraph, WideGraph

__all__ = ["Options", "fuse_graphs", "gf", "gfsc", "learned_factors", "unbounded_consensus"]


_ALPHA, _BETA = 1.0, 0.1  # percent of a view's trace
# With a trace of 100, condition numbers of G + αI are at most 1,000 then, and its inverse in single precision is accurate.
_LEAST_ALPHA = 0.1
# Upper bound on an edge of a learned consensus, in mean edge weights. Only near duplicates and samples in very small
# clusters have larger weights. Given graphs are not bounded.
_MAX_EDGE = 6.0


# Views with at most so many rows or columns are factorised at the same time, each on one thread. For larger ones a threaded
# LAPACK is as fast and needs less memory.
_SIDE_BY_SIDE = 2_000


class Options(TypedDict, total=False):
    """How to iterate; the same for every function here.

    Attributes
    ----------
    variant : {"robust", "published", "paper"}, default "robust"
        See :class:`viewfuse.GFSC`.
    max_iter : int, default 200
        Largest number of iterations.
    tol : float, default 1e-3
        Tolerance on the relative change of ``S``; see :class:`viewfuse.fusion.stopping.StoppingRule`.
    random_state : int, RandomState or None
        Start of the iterative eigensolver; in the robust variant also the thousand samples on which the first weights are
        computed if there are more than two thousand; in the paper's variant also ``S`` and ``F``.
    present : (n, n_views) array of bool, optional
        Which samples each view has; only for learned graphs, in the robust variant. A sample without a view is a row of
        zeros there and is completed from similar samples (:mod:`viewfuse.graphs.completion`).
    on_sweep : callable, optional
        Called as ``on_sweep(number, sweep)`` after every iteration; if it returns True, the iterations end.
    fixed_weights : (n_views,) array, optional
        Positive weights of the views, which replace the learned ones.
    with_objective : bool, default True
        If False, the objective of the iterations may be NaN, which saves up to a third of their operations.
    """

    variant: str
    max_iter: int
    tol: float
    random_state: Any
    present: Any
    on_sweep: Callable[[int, Sweep], bool] | None
    fixed_weights: Any
    with_objective: bool


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
    views : sequence of (n, d_v) arrays or sparse matrices, or of GramFactor and GramMatrix
        Finite and floating-point, of one dtype, none constant. The factors of a view (:func:`learned_factors`) do not depend
        on the parameters, so several fits of the same views can share them.
    n_clusters : int
        ``k``, the number of columns of the embedding.
    alpha, beta, gamma : float
        Weights of ``‖Z_v‖²``, of the distances to the consensus, and of the cut.
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
    parameters = {"alpha": alpha, "beta": beta, "gamma": gamma, "max_edge": _MAX_EDGE}
    return _fused(_learned_graphs(views, alpha, **options), n_clusters, parameters, **options)


def gf(
    views: Sequence[Any], n_clusters: int, *, alpha: float = _ALPHA, beta: float = _BETA, **options: Unpack[Options]
) -> FusionResult:
    """Graph fusion without the cut term; the consensus is embedded afterwards, degree-normalized, as a separate step.

    Takes and returns the same as :func:`gfsc`.
    """
    return _without_cut(views, n_clusters, alpha, beta, _MAX_EDGE, **options)


def unbounded_consensus(views: Sequence[Any], **options: Unpack[Options]) -> Any:
    """The consensus of :func:`gf` without an upper bound on its edges, so that the largest ones can be ranked."""
    return _without_cut(views, 2, _ALPHA, _BETA, math.inf, **options).consensus


def _without_cut(
    views: Sequence[Any], n_clusters: int, alpha: float, beta: float, max_edge: float, **options: Unpack[Options]
) -> FusionResult:
    parameters = {"alpha": alpha, "beta": beta, "gamma": 0.0, "max_edge": max_edge, "joint": False}
    return _fused(_learned_graphs(views, alpha, **options), n_clusters, parameters, **options)


def fuse_graphs(
    graphs: Sequence[Any],
    n_clusters: int,
    *,
    beta: float = _BETA,
    gamma: float = 2.0,
    joint: bool = True,
    **options: Unpack[Options],
) -> FusionResult:
    """``min Σ_v β w_v‖A_v − S‖² + γ Tr(FᵀLF)``: the same fusion for given graphs ``A_v``.

    The (n, n) non-negative graphs take the place of the ``Z_v``, so there is no term with α. They are symmetrized except in
    the paper's variant; the robust variant also scales them to the same norm. With ``joint=False`` there is no cut term and
    the consensus is embedded afterwards: GF of given graphs.

    In the robust variant the weights are those of the distances to the mean of all graphs. Learned graphs follow the
    consensus; given graphs do not, so a consensus that is a little nearer to one graph would end with that graph alone.
    """
    _check_variant(**options)
    if options.get("present") is not None:
        raise ParameterError(
            "Given graphs must cover every sample, but present= was passed.",
            hint="Pass present= only with views, from which graphs are learned.",
            parameter="present",
        )
    given = [_prepared_graph(graph, options.get("variant", "robust")) for graph in graphs]
    if options.get("variant", "robust") == "robust" and options.get("fixed_weights") is None:
        options["fixed_weights"] = _distances_to_mean(given)
    parameters = {"alpha": 0.0, "beta": beta, "gamma": gamma if joint else 0.0, "joint": joint}
    return _fused([GivenGraph(graph) for graph in given], n_clusters, parameters, like=given[0], **options)


def _fused(
    graphs: Sequence[Any],
    n_clusters: int,
    parameters: dict[str, Any],
    *,
    like: Any = None,
    max_iter: int = 200,
    on_sweep: Callable[[int, Sweep], bool] | None = None,
    **options: Any,
) -> FusionResult:
    problem = _problem(graphs, n_clusters, parameters, **options)
    like = graphs[0].array if like is None else like
    variant = VARIANTS[options.get("variant", "robust")]
    return fuse(problem, variant, like, max_iter=max_iter, on_sweep=on_sweep)


def _problem(
    graphs: Sequence[ViewGraph],
    n_clusters: int,
    parameters: dict[str, Any],
    *,
    variant: str = "robust",
    tol: float = 1e-3,
    random_state: Any = None,
    present: Any = None,  # learned graphs are those of completed views
    fixed_weights: Any = None,
    with_objective: bool = True,
) -> Problem:
    stopping = replace(VARIANTS[variant].stopping, tol=tol)
    return Problem(
        graphs,
        n_clusters,
        random_state=check_random_state(random_state),
        stopping=stopping,
        fixed_weights=fixed_weights,
        with_objective=with_objective,
        **parameters,
    )


def _check_variant(*, variant: str = "robust", **_: Any) -> None:
    if variant not in VARIANTS:
        raise ParameterError(
            f"variant must be one of {', '.join(map(repr, VARIANTS))}; got {variant!r}.", parameter="variant", value=variant
        )


def _check_accepts_missing(variant: str) -> None:
    if variant != "robust":
        raise ParameterError(
            f"variant={variant!r} needs every sample in every view.",
            hint="Use variant='robust' if samples are missing from some views.",
            parameter="variant",
            value=variant,
        )


def learned_factors(views: Sequence[Any], variant: str = "robust") -> list[Any]:
    """The views scaled and factorised for a variant: what fits with different parameters can share.

    They are GramFactors or, for the robust variant if there are as many features as samples, GramMatrices.
    """
    _check_variant(variant=variant)
    one = factorise_deviations if variant == "robust" else _factorise_scaled
    on_host = all(sp.issparse(view) or is_numpy_array(view) for view in views)
    if on_host and len(views) > 1 and max(min(view.shape) for view in views) <= _SIDE_BY_SIDE:
        return collected(one, views)
    return [one(view) for view in views]


def _factorise_scaled(view: Any) -> GramFactor:
    return factorise(min_max(view))


def _learned_graphs(
    views: Sequence[Any], alpha: float, *, variant: str = "robust", present: Any = None, **_: Any
) -> list[LearnedGraph | WideGraph]:
    factored = all(isinstance(view, (GramFactor, GramMatrix)) for view in views)
    factors = views if factored else learned_factors(views, variant)
    if present is not None:
        _check_accepts_missing(variant)
        factors = completed_factors(factors, present, alpha)
    invertible = variant == "robust" and alpha >= _LEAST_ALPHA
    return [_learned_graph(factor, invertible) for factor in factors]


def _learned_graph(view: GramFactor | GramMatrix, invertible: bool) -> LearnedGraph | WideGraph:
    if isinstance(view, GramFactor):
        return LearnedGraph(view)
    return WideGraph(view) if invertible else LearnedGraph(view.factor())


def _distances_to_mean(graphs: Sequence[Any]) -> np.ndarray:
    """Weights of given graphs of one norm: the inverse of their distances to the mean, without self-loops."""
    norms2, with_sum = kernels_for(graphs[0]).edge_inner_products([SingleViewGraph(graph) for graph in graphs])
    sum2 = float(with_sum.sum())
    return np.array([inverse_distance(product, norm2, sum2) for product, norm2 in zip(with_sum, norms2, strict=True)])


def _prepared_graph(graph: Any, variant: str) -> Any:
    if variant == "paper":
        return graph
    graph = (graph + graph.T) / 2
    if variant == "robust":
        xp = array_namespace(graph)
        norm = float(xp.linalg.vector_norm(graph))
        graph = xp.astype(graph * (graph.shape[0] ** 0.5 / norm) if norm > 0 else graph, xp.float32)
    return graph
