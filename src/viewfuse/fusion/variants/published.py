"""The authors' program: ``F`` from ``S``; every ``Z_v`` and, at once, its weight; then ``S`` from both.

``S`` starts as the identity. ``Z_v`` is symmetrized and ``S`` is clipped at 0; the change of ``S`` is measured before
clipping. The embedding of the result is the one from the beginning of the last iteration, so it belongs to the ``S`` before
the last.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from array_api_compat import array_namespace

from ...linalg.threads import spans
from ..driver import Variant
from ..kernels import ConsensusUpdate, kernels_for
from ..problem import Problem
from ..result import Sweep
from ..state import Embedding, State, new_graphs
from ..steps import distance_weight, embed, scatter_after, sweep_record, update_views
from ..stopping import StoppingRule

__all__ = ["HINT", "PUBLISHED", "equal_weights", "penalty_of", "points_and_penalty"]

HINT = "Lower gamma, raise beta, or use variant='robust'."


def start(problem: Problem, like: Any) -> State:
    """``S = I`` and, as its embedding, the first k unit vectors."""
    xp, (consensus, *spare) = array_namespace(like), new_graphs(like)
    n = consensus.shape[0]
    options = {"dtype": consensus.dtype, "device": consensus.device}
    for part in spans(n, 1024):
        consensus[part, part] = xp.eye(part.stop - part.start, **options)
    # The Laplacian of the identity is zero; for that matrix LAPACK, and so the program, returns the first unit vectors.
    vectors = xp.eye(n, problem.n_clusters, **options)
    return State(
        consensus=consensus,
        weights=equal_weights(problem),
        norm2=float(n),
        spare=tuple(spare),
        embedding=Embedding(vectors, vectors[0, :] * 0, points=vectors),
        consensus_is_identity=True,
    )


def iterate(problem: Problem, state: State) -> tuple[State, Sweep]:
    embedding = update_embedding(problem, state)
    graph, weighted_sum = state.scratch()
    norms, error, raw_weights = update_views(problem, state, distance_weight, graph, weighted_sum)
    weights, total = np.asarray(raw_weights), sum(raw_weights)
    points, penalty = points_and_penalty(problem, embedding, total, state.consensus)
    update = ConsensusUpdate(total, penalty, symmetric=True)
    # The new S is written over the weighted sum; the old S is kept for ``finish``.
    new = weighted_sum
    change = kernels_for(new).update_consensus(update, weighted_sum, state.consensus, points, out=new)
    sweep = sweep_record(
        problem,
        weights,
        error=error,
        norms=norms,
        scatter=scatter_after(weights, norms, change),
        penalty=penalty,
        penalty_weights=weights,
        cut=change.cut,
        change2=change.change2,
        old_norm2=state.norm2,
    )
    return (
        State(
            consensus=new,
            weights=weights,
            norm2=change.norm2,
            spare=(graph,),
            previous=state.consensus,
            embedding=embedding,
        ),
        sweep,
    )


def update_embedding(problem: Problem, state: State) -> Embedding | None:
    """``F`` of the current ``S``; that of the identity is known, and without a cut none is needed."""
    if state.consensus_is_identity or not problem.joint:
        return state.embedding
    block = None if state.embedding is None else state.embedding.block
    return embed(problem, state.consensus, block, residual=residual_for(problem, state), normalized=False)


def residual_for(problem: Problem, state: State) -> float:
    """The residual of ``F`` that ``S`` can tell from an exact one.

    A completely wrong embedding changes ``S`` by penalty · ‖P‖, where ‖P‖ is about 4√(kn).
    """
    n, k = state.consensus.shape[0], problem.n_clusters
    largest_effect = penalty_of(problem, float(state.weights.sum())) * 4 * math.sqrt(k * n)
    stopping = problem.stopping
    return stopping.final_residual if largest_effect > 1e-6 * math.sqrt(state.norm2) else stopping.rough_residual


def has_converged(problem: Problem, state: State, changes: Sequence[float]) -> bool:
    return problem.stopping.has_converged(changes)


def finish(problem: Problem, state: State) -> State:
    """Embed the last ``S`` if there was no cut; otherwise make sure that the last embedding is exact."""
    embedding, final = state.embedding, problem.stopping.final_residual
    if not problem.joint:
        return replace(state, embedding=embed(problem, state.consensus, residual=final, normalized=True))
    if embedding is not None and embedding.is_rough:
        return replace(state, embedding=embed(problem, state.previous, embedding.block, residual=final, normalized=False))
    return state


def equal_weights(problem: Problem) -> np.ndarray:
    n_views = len(problem.graphs)
    return np.array([problem.weight(v, 1 / n_views) for v in range(n_views)])


def penalty_of(problem: Problem, weight_total: float) -> float:
    """The factor of ``P`` in the update of ``S``: γ / (4β Σ_v w_v)."""
    return problem.gamma / (4 * problem.beta * weight_total)


def points_and_penalty(
    problem: Problem, embedding: Embedding | None, weight_total: float, consensus: Any
) -> tuple[Any, float]:
    """The points whose squared distances are ``P``, and its factor; without a cut, one zero column and 0."""
    if not problem.joint or embedding is None:
        return consensus[:, :1] * 0, 0.0
    return embedding.points, penalty_of(problem, weight_total)


PUBLISHED = Variant(
    start=start,
    iterate=iterate,
    has_converged=has_converged,
    finish=finish,
    stopping=StoppingRule(min_iterations=6),  # the program does not test earlier
    hint=HINT,
)
