"""The authors' program: ``F`` from ``S``; every ``Z_v`` and, at once, its weight; then ``S`` from both.

``S`` starts as the identity. ``Z_v`` is symmetrized and ``S`` is clipped at 0; the change of ``S`` is measured before
clipping. The embedding of the result is the one from the beginning of the last iteration, so it belongs to the ``S`` before
the last.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from array_api_compat import array_namespace

from ...graphs import GramFactor
from ...linalg.threads import matmul, spans
from ..driver import Variant
from ..kernels import ConsensusUpdate, GraphNorms, kernels_for
from ..kernels.differences import Differences, add_step
from ..problem import Problem
from ..result import Sweep
from ..state import Embedding, State, new_graphs
from ..steps import distance_weight, embed, scatter_after, sweep_record, update_views
from ..stopping import StoppingRule
from ..view_graphs import LearnedGraph

__all__ = ["HINT", "PUBLISHED", "equal_weights", "penalty_of", "points_and_penalty"]

# A distance, in norms of S, at which differences in single precision change S by no more than 1e-10 of it.
_NEAR = 2e-3

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
    graph, new = state.scratch()  # the old S is kept for ``finish``
    if is_near(problem, state):
        products = consensus_products(problem, state, memory=graph)
        identity, unit = state.consensus_is_identity, unit_of(problem, state)
        differences = Differences.of(state.consensus, state.norm2, unit, memory=graph, is_identity=identity)
        norms, error, raw_weights = update_differences(problem, state, differences, products)
        replace_consensus = differences.update_consensus
    else:
        products = None
        norms, error, raw_weights = update_views(problem, state, distance_weight, graph, weighted_sum=new)
        replace_consensus = partial(kernels_for(new).update_consensus, weighted_sum=new, consensus=state.consensus)
    weights, total = np.asarray(raw_weights), sum(raw_weights)
    points, penalty = points_and_penalty(problem, embedding, total, state.consensus)
    change = replace_consensus(ConsensusUpdate(total, penalty, symmetric=True), points=points, out=new)
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
            moved=math.sqrt(change.moved2),
            products=products,
            embedding=embedding,
        ),
        sweep,
    )


def is_near(problem: Problem, state: State) -> bool:
    """Whether single precision is enough for the differences of the graphs from the consensus.

    The weight of a difference is the inverse of its length, so that all count alike: with a relative error of ε in each, the
    new ``S`` has at most ε times the smallest length times the number of views. With fixed weights that is not so.
    """
    learned = len(factors_of(problem)) == len(problem.graphs) and problem.fixed_weights is None and problem.alpha > 0
    if not learned or not Differences.suit(state.consensus, sum(view.rank for view in problem.graphs)):
        return False
    return distance_bound(problem, state) < _NEAR * math.sqrt(state.norm2)


def distance_bound(problem: Problem, state: State) -> float:
    """A bound on the smallest distance of a graph from the consensus.

    If ``S`` is the identity, ``Z − S = −α(G + cI)⁻¹`` before clipping, at most ``α/c``; clipping brings Z nearer to ``S``.
    Later the graphs follow ``S``, so that distances grow by no more than twice its last step.
    """
    if state.consensus_is_identity:
        return share_of_alpha(problem, state) * math.sqrt(state.norm2)
    return 0.5 / float(state.weights.max()) + 2 * state.moved


def unit_of(problem: Problem, state: State) -> float:
    """About the distance of the nearest graph.

    It is a power of two times ``1 − ρ`` of that graph, so that the factor of ``S`` in its difference is not rounded. Errors
    of this factor would not average out, as those of entries do.
    """
    share = share_of_alpha(problem, state)
    return share * 2.0 ** round(math.log2(distance_bound(problem, state) / share))


def share_of_alpha(problem: Problem, state: State) -> float:
    """``1 − ρ = α / (α + βw)`` of the view with the largest weight."""
    return problem.alpha / (problem.alpha + problem.beta * float(state.weights.max()))


def consensus_products(problem: Problem, state: State, memory: np.ndarray) -> np.ndarray:
    """``S`` times the bases of all views side by side, by the last step of ``S`` if the products before it are known.

    ``memory`` is an (n, n) array that is overwritten.
    """
    bases = [factor.basis for factor in factors_of(problem)]
    if state.consensus_is_identity:
        return np.hstack(bases)
    if state.products is None:
        return matmul(state.consensus, np.hstack(bases))
    add_step(state.products, state.previous, state.consensus, bases, memory)
    return state.products


def factors_of(problem: Problem) -> list[GramFactor]:
    """The factors of the views whose graphs are learned from them."""
    return [view.factor for view in problem.graphs if isinstance(view, LearnedGraph)]


def update_differences(
    problem: Problem, state: State, differences: Differences, products: np.ndarray
) -> tuple[list[GraphNorms], float, list[float]]:
    """The same as ``update_views``, by the differences of the graphs from the consensus."""
    norms: list[GraphNorms] = []
    weights: list[float] = []
    error, factors = 0.0, factors_of(problem)
    ends = np.cumsum([len(factor.eigenvalues) for factor in factors])
    for v, (factor, own) in enumerate(zip(factors, np.split(products, ends[:-1], axis=1), strict=True)):
        norms.append(differences.write(factor, own, problem.alpha, problem.beta * float(state.weights[v])))
        weights.append(distance_weight(norms[-1], state.consensus))
        error += differences.add(weights[-1], factor, own, start=v == 0)
    return norms, error, weights


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
