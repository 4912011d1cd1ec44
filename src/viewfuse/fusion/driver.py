"""The loop of an exact fusion: start, iterate until the stopping rule holds, finish."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..exceptions import DivergenceError
from ..linalg.threads import worker_threads
from .problem import Problem
from .result import FusionResult, Sweep
from .state import State
from .stopping import StoppingRule

__all__ = ["Variant", "fuse"]


@dataclass(frozen=True)
class Variant:
    """The functions that make up a variant of the algorithm.

    Attributes
    ----------
    start : ``(problem, like) -> State``, the variables before the first iteration; arrays are made like ``like``
    iterate : ``(problem, state) -> (State, Sweep)``, one pass over all variables; may overwrite ``state.scratch()``
    has_converged : ``(problem, state, changes) -> bool``, given the changes of all iterations so far
    finish : ``(problem, state) -> State``, the variables of the result
    stopping : the variant's stopping rule; the caller sets ``tol``
    hint : what to do if the iterations diverge
    """

    start: Callable[[Problem, Any], State]
    iterate: Callable[[Problem, State], tuple[State, Sweep]]
    has_converged: Callable[[Problem, State, Sequence[float]], bool]
    finish: Callable[[Problem, State], State]
    stopping: StoppingRule
    hint: str


def fuse(
    problem: Problem,
    variant: Variant,
    like: Any,
    *,
    max_iter: int,
    on_sweep: Callable[[int, Sweep], bool] | None = None,
) -> FusionResult:
    """Solve the problem; ``like`` is an (n, ·) array of the library, dtype and device to use.

    The iterations end when the variant has converged, after ``max_iter``, or when ``on_sweep(number, sweep)`` returns True.
    """
    with worker_threads():
        state = variant.start(problem, like)
        sweeps: list[Sweep] = []
        converged = stopped = False
        while not converged and not stopped and len(sweeps) < max_iter:
            state, sweep = variant.iterate(problem, state)
            sweeps.append(sweep)
            _check_finite(sweeps, variant.hint, with_objective=problem.with_objective)
            stopped = on_sweep is not None and on_sweep(len(sweeps), sweep)
            converged = variant.has_converged(problem, state, [each.change for each in sweeps])
        state = variant.finish(problem, state)
    assert state.embedding is not None, "every variant has an embedding when it finishes"
    return FusionResult(
        consensus=state.consensus,
        fused=state.consensus if state.weighted_sum is None else state.weighted_sum,
        embedding=state.embedding.vectors,
        eigenvalues=state.embedding.eigenvalues,
        weights=sweeps[-1].weights,
        sweeps=tuple(sweeps),
        converged=converged,
    )


def _check_finite(sweeps: Sequence[Sweep], hint: str, *, with_objective: bool = True) -> None:
    last = sweeps[-1]
    numbers = (last.change, last.objective) if with_objective else (last.change,)
    if not (all(map(math.isfinite, numbers)) and np.isfinite(last.weights).all()):
        raise DivergenceError(
            f"The iterations diverged: the consensus graph is not finite after iteration {len(sweeps)}.", hint=hint
        )
