"""The program's order of steps, made independent of the data's scale.

* ``S`` starts from the graphs that each view gives without a consensus, weighted, fused and cut, not as the identity.
* A view's distance is taken between normalized graphs, ``‖Z_v/‖Z_v‖ − S/‖S‖‖`` without self-loops: no view gets a larger
  weight because its graph is small, or because its self-loops are large. Weights have mean 1, so β means the same for two
  views and for ten.
* The embedding is degree-normalized and its rows have unit length: ``P_ij = 2 − 2 cos(F_i, F_j)``, so that a sample of low
  degree counts as much as any other. γ is in units of the mean edge before the cut over the mean ``P``.
* No edge of ``S`` exceeds ``max_edge`` times the mean edge where graphs are learned: near duplicates express each other so
  well that they would form clusters of their own. The update is still the minimizer, now within bounds.
* ``S`` and ``F`` are updated in turn within an iteration until ``F`` has converged, or until these rounds have taken twice
  as long as the graphs of the views: of all variables these two depend on each other most. Where that takes more than two
  rounds, ``S`` is updated from an ``F`` that is turned a little further than the last round turned it (momentum). The last
  embedding is that of the last ``S``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from array_api_compat import array_namespace

from ...linalg import row_sums, unit_rows
from ..driver import Variant
from ..kernels import ConsensusChange, ConsensusUpdate, GraphNorms, SingleViewGraph, kernels_for
from ..problem import Problem
from ..result import Sweep
from ..state import Embedding, State, new_graphs
from ..steps import embed, scatter_after, sweep_record, update_views
from ..stopping import StoppingRule, observed_rate

__all__ = ["ROBUST"]

# What takes as long as one operation of a large product, per edge: the elementwise work of a pass over a graph, and an entry
# of a small eigenproblem.
_PASS, _SMALL_EIGENPROBLEM = 250, 1000


def start(problem: Problem, like: Any) -> State:
    """The graphs that each view gives without a consensus, weighted, fused and cut."""
    consensus, graph, weighted_sum = new_graphs(like)
    graphs = [view.without_consensus(problem.alpha) for view in problem.graphs]
    weights = first_weights(problem, graphs, n_samples=int(like.shape[0]))
    kernels_for(weighted_sum).add_weighted(graphs, weights, weighted_sum)
    rough = problem.stopping.rough_residual
    embedding = embed_robust(problem, weighted_sum, residual=rough) if problem.joint else None
    state = State(consensus, weights, 0.0, spare=(graph, weighted_sum), embedding=embedding)
    return update_consensus(
        problem, state, graph, weighted_sum, weights=weights, weight_total=float(weights.sum()), at_start=True
    ).state


def iterate(problem: Problem, state: State) -> tuple[State, Sweep]:
    graph, weighted_sum = state.scratch()
    weight = partial(edge_weight, consensus=state.consensus, consensus_norm2=state.norm2)
    norms, error, raw_weights = update_views(problem, state, weight, graph, weighted_sum)
    weights = with_mean_one(np.asarray(raw_weights))
    done = update_consensus(problem, state, graph, weighted_sum, weights=weights, weight_total=sum(raw_weights))
    sweep = sweep_record(
        problem,
        weights,
        error=error,
        norms=norms,
        scatter=scatter_after(weights, norms, done.change),
        penalty=done.penalty,
        penalty_weights=weights,
        cut=done.change.cut,
        change2=done.change.change2,
        old_norm2=state.norm2,
    )
    return replace(done.state, weight_change=float(np.max(np.abs(weights - state.weights)))), sweep


def has_converged(problem: Problem, state: State, changes: Sequence[float]) -> bool:
    return problem.stopping.has_converged(changes, rate_of(problem, state, changes))


def finish(problem: Problem, state: State) -> State:
    block = None if state.embedding is None else state.embedding.block
    return replace(state, embedding=embed_robust(problem, state.consensus, block, residual=problem.stopping.final_residual))


# --- weights


def first_weights(problem: Problem, graphs: Sequence[SingleViewGraph], *, n_samples: int) -> np.ndarray:
    """Weights from the distance of each graph to the mean of all, on a subset of samples if learned graphs are large.

    Given graphs may be sparse, so that a subset would hold few of their edges: they are always used whole.
    """
    size = problem.weighting_samples
    if n_samples > 2 * size and all(graph.scale is not None for graph in graphs):
        rows = np.sort(problem.random_state.choice(n_samples, size, replace=False))
        graphs = [graph.subgraph(rows) for graph in graphs]
    norms2, with_sum = kernels_for(graphs[0].basis).edge_inner_products(graphs)
    sum2 = with_sum.sum()
    learned = [inverse_distance(product, norm2, sum2) for product, norm2 in zip(with_sum, norms2, strict=True)]
    return with_mean_one(np.array([problem.weight(v, weight) for v, weight in enumerate(learned)]))


def edge_weight(norms: GraphNorms, graph: Any, *, consensus: Any, consensus_norm2: float) -> float:
    """``1 / ‖Z_v/‖Z_v‖ − S/‖S‖‖`` over the edges between different samples."""
    xp = array_namespace(graph)
    loops, consensus_loops = (xp.linalg.diagonal(each) for each in (graph, consensus))
    edges2 = norms.norm2 - float(xp.sum(loops**2))
    consensus_edges2 = consensus_norm2 - float(xp.sum(consensus_loops**2))
    distance2 = norms.distance2 - float(xp.sum((loops - consensus_loops) ** 2))
    return inverse_distance((edges2 + consensus_edges2 - distance2) / 2, edges2, consensus_edges2)


def inverse_distance(product: float, one2: float, other2: float, *, min_distance: float = 0.01) -> float:
    """``1 / ‖Z/‖Z‖ − S/‖S‖‖`` from ⟨Z, S⟩, ‖Z‖² and ‖S‖²; ``min_distance`` bounds the ratio of two weights."""
    lengths = math.sqrt(max(one2 * other2, 0.0))
    cosine = product / lengths if lengths > 0 else 0.0
    return 1 / max(math.sqrt(max(2 - 2 * cosine, 0.0)), min_distance)


def with_mean_one(weights: np.ndarray) -> np.ndarray:
    return weights * (len(weights) / weights.sum())


# --- consensus and embedding


@dataclass(frozen=True)
class _Updated:
    """The state with a new consensus, what changed, and the penalty of the last update."""

    state: State
    change: ConsensusChange
    penalty: float


def update_consensus(
    problem: Problem,
    state: State,
    graph: Any,
    weighted_sum: Any,
    *,
    weights: np.ndarray,
    weight_total: float,
    at_start: bool = False,
) -> _Updated:
    """Update ``S`` from ``F`` and ``F`` from ``S`` until ``F`` has converged, or for as many rounds as are worth it.

    ``weighted_sum`` is ``M``; ``graph`` holds the graph of the last view, which is no longer needed.
    """
    n, kernels = weighted_sum.shape[0], kernels_for(weighted_sum)
    mean_edge = float(array_namespace(weighted_sum).mean(row_sums(weighted_sum))) / n / weight_total
    upper_bound = problem.max_edge * mean_edge
    within_bounds = partial(ConsensusUpdate, weight_total, symmetric=True, upper_bound=upper_bound, unclipped_change=False)
    if not problem.joint:
        no_points = state.consensus[:, :1] * 0
        update = within_bounds(penalty=0.0)
        change = kernels.update_consensus(update, weighted_sum, state.consensus, no_points, out=weighted_sum)
        new = State(weighted_sum, weights, change.norm2, spare=(graph, state.consensus))
        return _Updated(new, change, 0.0)
    assert state.embedding is not None, "with a cut there is an embedding from the start on"
    stopping, embedding = problem.stopping, state.embedding
    allowed = stopping.max_rotation_at_start if at_start else stopping.max_rotation
    rotation, rate, converged = state.rotation, state.rotation_rate, False
    rounds = rounds_worth(problem, n)
    # A rate needs two rotations. If there is only one round in an iteration, the other is that of the last iteration.
    rotations = [] if rounds > 1 or at_start else [rotation]
    last = len(rotations) + max(rounds, 2 if at_start else 1)
    ahead, turn = embedding, None  # F as the next S sees it, and the last turn of F
    while len(rotations) < last and not converged:
        points, penalty = ahead.points, penalty_of(problem, ahead, mean_edge)
        update = within_bounds(penalty=penalty, measured=len(rotations) + 1 == last)
        change = kernels.update_consensus(update, weighted_sum, state.consensus, points, out=graph)
        before = embedding
        # While F still turns, a rough embedding is enough.
        residual = max(stopping.round_residual, 4 * allowed * rotation)
        embedding = embed_robust(problem, graph, before.block, residual=residual)
        last_turn, turn = turn, turn_between(before.vectors, embedding.vectors)
        rotation = size_of_turn(turn)
        rotations.append(rotation)
        on_its_way = len(rotations) > stopping.plain_rounds and keeps_direction(last_turn, turn, before, embedding)
        ahead = with_points(embedding, embedding.vectors + stopping.momentum * turn) if on_its_way else embedding
        if len(rotations) > 1:
            rate = observed_rate(rotations)  # else that of the last iteration
        converged = stopping.embedding_has_converged(rotation, rate, at_start=at_start)
    if not update.measured:  # only the last round is
        change = kernels.update_consensus(replace(update, measured=True), weighted_sum, state.consensus, points, out=graph)
    new = State(
        consensus=graph,
        weights=weights,
        norm2=change.norm2,
        spare=(state.consensus,),
        weighted_sum=weighted_sum,
        embedding=embedding,
        rotation=rotation,
        rotation_rate=rate,
        embedding_converged=converged,
    )
    return _Updated(new, change, penalty)


def rounds_worth(problem: Problem, n_samples: int) -> int:
    """How many rounds of ``S`` and ``F`` take twice as long as the graphs of the views; 1 to ``max_rounds``.

    Wide views cost much and rounds little: ``F`` should converge before the views' graphs are computed again. With narrow
    views and many clusters it is the other way round. Counted in operations, so it does not depend on the machine.
    """
    views = sum(6 * view.rank + _PASS for view in problem.graphs)
    block = problem.n_clusters + max(4, problem.n_clusters // 3)
    one_round = _PASS + 6 * block + _SMALL_EIGENPROBLEM * block**3 / n_samples**2
    return min(max(int(2 * views / one_round), 1), problem.stopping.max_rounds)


def penalty_of(problem: Problem, embedding: Embedding, mean_edge: float) -> float:
    """The factor of ``P`` in the update of ``S``: γ times the mean edge over the mean ``P``."""
    return problem.gamma * mean_edge / embedding.mean_distance if embedding.mean_distance > 0 else 0.0


def embed_robust(problem: Problem, graph: Any, block: Any = None, *, residual: float) -> Embedding:
    """The degree-normalized embedding, with points of unit length and their mean squared distance."""
    found = embed(problem, graph, block, residual=residual, normalized=True)
    return with_points(found, found.vectors)


def with_points(embedding: Embedding, vectors: Any) -> Embedding:
    """The embedding with the rows of ``vectors``, scaled to unit length, as its points."""
    xp, points = array_namespace(vectors), unit_rows(vectors)
    centre = xp.mean(points, axis=0)
    spread = xp.mean(xp.sum(points * points, axis=1))
    return replace(embedding, points=points, mean_distance=2 * float(spread - xp.sum(centre * centre)))


def turn_between(before: Any, after: Any) -> Any:
    """The part of an embedding, (n, k), that is not in the span of the one before."""
    return after - before @ (before.T @ after)


def size_of_turn(turn: Any) -> float:
    """Root mean square of the sines of the angles between the two embeddings."""
    return float(array_namespace(turn).linalg.vector_norm(turn)) / math.sqrt(turn.shape[1])


def keeps_direction(last_turn: Any, turn: Any, before: Embedding, after: Embedding) -> bool:
    """Whether ``F`` turned in the direction of the turn before: if it turns to and fro, momentum would not converge."""
    if last_turn is None:
        return False
    # The columns of the last turn belong to those of the embedding before, which may be in another basis.
    return float(array_namespace(turn).sum(turn * (last_turn @ (before.vectors.T @ after.vectors)))) > 0


# --- rate of convergence


def rate_of(problem: Problem, state: State, changes: Sequence[float]) -> float:
    """The rate at which the changes of ``S`` shrink; infinite if unknown.

    Without a cut the weights may take long to separate, so three changes are needed to observe it.
    """
    if len(changes) > 1:
        return observed_rate(changes) if problem.joint or len(changes) > 2 else math.inf
    if state.embedding_converged and state.weight_change < problem.stopping.max_weight_change:
        return rate_with_fixed_weights(problem, state.weights)
    return math.inf


def rate_with_fixed_weights(problem: Problem, weights: np.ndarray) -> float:
    """max ρ = βw/(α + βw): the rate while neither ``F`` nor the weights change and only the graphs follow ``S``."""
    pulls = problem.beta * weights
    with np.errstate(invalid="ignore"):
        return float(np.max(pulls / (problem.alpha + pulls)))


ROBUST = Variant(
    start=start,
    iterate=iterate,
    has_converged=has_converged,
    finish=finish,
    stopping=StoppingRule(remaining_factor=5.0),
    hint="Choose alpha, beta and gamma closer to their defaults.",
)
