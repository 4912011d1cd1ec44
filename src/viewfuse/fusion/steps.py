"""Steps that the variants share. Each is a function of the problem and of the variables it needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from array_api_compat import array_namespace

from ..linalg import Laplacian, smallest_eigenpairs
from .kernels import ConsensusChange, GraphNorms, kernels_for
from .problem import Problem
from .result import Sweep
from .state import Embedding, State

__all__ = [
    "distance_weight",
    "embed",
    "scatter",
    "scatter_after",
    "sweep_record",
    "update_views",
    "write_view_graph",
]


def write_view_graph(problem: Problem, v: int, state: State, out: Any, *, symmetric: bool) -> GraphNorms:
    """``out ← Z_v``, given the consensus and the weight of view v."""
    return problem.graphs[v].write(
        out,
        state.consensus,
        problem.alpha,
        problem.beta * float(state.weights[v]),
        symmetric=symmetric,
        identity=state.consensus_is_identity,
    )


def update_views(
    problem: Problem, state: State, weight: Callable[[GraphNorms, Any], float], graph: Any, weighted_sum: Any
) -> tuple[list[GraphNorms], float, list[float]]:
    """Compute each symmetric ``Z_v`` in turn, its weight ``weight(norms, Z_v)``, and the weighted sum of all.

    ``graph`` and ``weighted_sum`` are overwritten. Returns the norms, the total reconstruction error and the weights.
    """
    kernels = kernels_for(graph)
    norms: list[GraphNorms] = []
    weights: list[float] = []
    error = 0.0
    for v in range(len(problem.graphs)):
        norms.append(write_view_graph(problem, v, state, graph, symmetric=True))
        weights.append(problem.weight(v, weight(norms[-1], graph)))
        kernels.add_scaled(weighted_sum, weights[-1], graph, start=v == 0)
        error += problem.reconstruction_error(v, graph, symmetric=True)
    return norms, error, weights


def distance_weight(norms: GraphNorms, graph: Any) -> float:
    """``w_v = 1 / (2‖Z_v − S‖)``; the distance is at least the rounding error of the entries."""
    rounding2 = (0.01 * array_namespace(graph).finfo(graph.dtype).eps) ** 2 * norms.norm2
    distance2 = max(norms.distance2, float(rounding2))
    return 0.5 / math.sqrt(distance2) if distance2 > 0 else 1.0


def embed(
    problem: Problem, graph: Any, block: Any = None, *, residual: float, normalized: bool, symmetric: bool = True
) -> Embedding:
    """The embedding of a graph; ``block`` is that of an earlier embedding, where the eigensolver starts."""
    laplacian = Laplacian.of(graph, normalized=normalized, symmetric=symmetric)
    found = smallest_eigenpairs(laplacian, problem.n_clusters, start=block, tol=residual, random_state=problem.random_state)
    return Embedding(
        vectors=found.vectors,
        eigenvalues=found.values,
        points=found.vectors,
        block=found.block,
        is_rough=residual > problem.stopping.final_residual,
    )


def scatter(weights: np.ndarray, norms: Sequence[GraphNorms]) -> float:
    """``Σ_v w_v ‖Z_v − S‖²``."""
    return sum(float(w) * each.distance2 for w, each in zip(weights, norms, strict=True))


def scatter_after(weights: np.ndarray, norms: Sequence[GraphNorms], change: ConsensusChange) -> float:
    """``Σ_v w_v ‖Z_v − S′‖²`` for the new consensus ``S′``."""
    return scatter(weights, norms) + float(weights.sum()) * (change.moved2 - 2 * change.towards)


def sweep_record(
    problem: Problem,
    weights: np.ndarray,
    *,
    error: float,
    norms: Sequence[GraphNorms],
    scatter: float,
    penalty: float,
    penalty_weights: np.ndarray,
    cut: float,
    change2: float,
    old_norm2: float,
) -> Sweep:
    """The objective after an iteration and the relative change of ``S``.

    The cut counts ``4β Σw · penalty``: the γ for which this penalty gives the optimal ``S``. ``penalty_weights`` are the
    weights at the time of that update.
    """
    gamma = 4 * problem.beta * float(penalty_weights.sum()) * penalty
    size = sum(each.norm2 for each in norms)
    objective = error + problem.alpha * size + problem.beta * scatter + gamma * cut
    change = math.sqrt(change2 / old_norm2) if old_norm2 > 0 else math.inf
    with np.errstate(invalid="ignore"):  # if all weights are 0, the driver reports the divergence
        return Sweep(float(objective), change, weights / weights.sum())
