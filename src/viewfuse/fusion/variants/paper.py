"""Algorithm 1 as printed: random ``S`` and ``F``; every ``Z_v``; ``S``; ``F``; then every weight.

``Z_v`` is not symmetrized and ``S`` is not clipped. The weights need each ``Z_v`` together with the new ``S``: the ``Z_v``
are computed a second time, so that only one of them is in memory.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from array_api_compat import array_namespace

from ..driver import Variant
from ..kernels import ConsensusUpdate, kernels_for
from ..problem import Problem
from ..result import Sweep
from ..state import Embedding, State, new_graphs
from ..steps import distance_weight, embed, scatter, sweep_record, write_view_graph
from ..stopping import StoppingRule
from .published import HINT, equal_weights, has_converged, points_and_penalty

__all__ = ["PAPER"]


def start(problem: Problem, like: Any) -> State:
    """Random ``S`` and ``F``."""
    xp, (consensus, *spare) = array_namespace(like), new_graphs(like)
    n, k = consensus.shape[0], problem.n_clusters
    options = {"dtype": consensus.dtype, "device": consensus.device}
    consensus[...] = xp.asarray(problem.random_state.random_sample((n, n)), **options)
    vectors = xp.asarray(np.linalg.qr(problem.random_state.standard_normal((n, k)))[0], **options)
    return State(
        consensus=consensus,
        weights=equal_weights(problem),
        norm2=kernels_for(consensus).graph_norms(consensus, consensus).norm2,
        spare=tuple(spare),
        embedding=Embedding(vectors, None, points=vectors),
    )


def iterate(problem: Problem, state: State) -> tuple[State, Sweep]:
    graph, weighted_sum = state.scratch()
    kernels, views = kernels_for(graph), range(len(problem.graphs))
    for v in views:
        write_view_graph(problem, v, state, graph, symmetric=False)
        kernels.add_scaled(weighted_sum, float(state.weights[v]), graph, start=v == 0)
    total = float(state.weights.sum())
    points, penalty = points_and_penalty(problem, state.embedding, total, state.consensus)
    # The new S is written over the weighted sum; the old S is needed to compute the Z_v again.
    new = weighted_sum
    update = ConsensusUpdate(total, penalty, symmetric=False)
    change = kernels.update_consensus(update, weighted_sum, state.consensus, points, out=new)
    embedding, cut = state.embedding, 0.0
    if problem.joint:
        embedding = _embed(problem, state, new, normalized=False)
        cut = float(array_namespace(new).sum(embedding.eigenvalues))
    norms, error, raw_weights = [], 0.0, []
    for v in views:
        write_view_graph(problem, v, state, graph, symmetric=False)
        norms.append(kernels.graph_norms(graph, new))
        error += problem.reconstruction_error(v, graph, symmetric=False)
        raw_weights.append(problem.weight(v, distance_weight(norms[-1], graph)))
    weights = np.asarray(raw_weights)
    sweep = sweep_record(
        problem,
        weights,
        error=error,
        norms=norms,
        scatter=scatter(weights, norms),
        penalty=penalty,
        penalty_weights=state.weights,
        cut=cut,
        change2=change.change2,
        old_norm2=state.norm2,
    )
    spare = (graph, state.consensus)
    return State(consensus=new, weights=weights, norm2=change.norm2, spare=spare, embedding=embedding), sweep


def finish(problem: Problem, state: State) -> State:
    """A graph that others can use: ``sym(S)`` without its negative entries."""
    embedding = state.embedding if problem.joint else _embed(problem, state, state.consensus, normalized=True)
    xp = array_namespace(state.consensus)
    symmetric = (state.consensus + state.consensus.T) / 2
    return replace(state, consensus=xp.where(symmetric > 0, symmetric, xp.zeros_like(symmetric)), embedding=embedding)


def _embed(problem: Problem, state: State, graph: Any, *, normalized: bool) -> Embedding:
    block = None if state.embedding is None else state.embedding.block
    final = problem.stopping.final_residual
    return embed(problem, graph, block, residual=final, normalized=normalized, symmetric=False)


PAPER = Variant(
    start=start,
    iterate=iterate,
    has_converged=has_converged,
    finish=finish,
    stopping=StoppingRule(),
    hint=HINT,
)
