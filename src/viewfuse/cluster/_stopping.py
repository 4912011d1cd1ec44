"""Stopping a fit between two iterations, by ``callback`` or by ``max_time``."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from .._utils.warn import warn
from ..exceptions import ConvergenceWarning
from ..fusion import Sweep
from ._constraints import ANYTHING, Constraint, Count, Function, Nothing, Number, OneOf

__all__ = ["ITERATION_CONSTRAINTS", "Callback", "Iterations", "StoppableMixin"]

Callback = Callable[[int, Sweep], Any]

ITERATION_CONSTRAINTS: dict[str, Sequence[Constraint]] = {
    "n_clusters": [Count(2), OneOf("auto")],
    "tol": [Number(least=0)],
    "max_iter": [Count(1)],
    "max_time": [Number(above=0), Nothing()],
    "n_init": [Count(1)],
    "verbose": ANYTHING,
    "device": ANYTHING,  # checked by PyTorch
    "callback": [Function(), Nothing()],
}  # of the parameters that all fusion methods have


class Iterations:
    """Follows the iterations of one fit: called after each, it returns whether the fit is to stop.

    Parameters
    ----------
    model : the estimator, with ``callback``, ``max_time``, ``verbose`` and ``tol``
    all_weights : from the weights of the views that are used to those of all views, in the order of the data

    Attributes
    ----------
    stopped : None, "callback" or "max_time", the parameter that stopped the fit
    """

    def __init__(self, model: Any, all_weights: Callable[[np.ndarray], np.ndarray]) -> None:
        self.stopped: str | None = None
        self._model, self._all_weights = model, all_weights
        self._begin = time.monotonic()

    def __call__(self, iteration: int, sweep: Sweep) -> bool:
        model = self._model
        state = replace(sweep, weights=self._all_weights(np.asarray(sweep.weights)))
        if model.verbose:
            weights = " ".join(f"{weight:.3f}" for weight in state.weights)
            print(
                f"{type(model).__name__} iteration {iteration}: change {state.change:.2e}, "
                f"objective {state.objective:.6g}, weights {weights}"
            )
        if model.callback is not None and model.callback(iteration, state):
            self.stopped = "callback"
        elif model.max_time is not None and time.monotonic() - self._begin >= model.max_time:
            self.stopped = "max_time"
        return self.stopped is not None


class StoppableMixin:
    """For estimators with ``callback`` and ``max_time``: the fitted attributes that describe the iterations."""

    tol: float
    max_iter: int
    max_time: float | None
    callback: Callback | None

    _unsaved_parameters: ClassVar[tuple[str, ...]] = ("callback",)

    def _record_end(self, sweeps: Sequence[Sweep], converged: bool, stopped: str | None) -> None:
        """Set ``n_iter_``, ``converged_`` and ``stopped_``, and warn if the iterations did not converge."""
        self.n_iter_ = len(sweeps)
        self.converged_ = converged
        self.stopped_ = None if converged else stopped
        if not converged:
            warn(self._not_converged(sweeps))

    def _record_history(self, sweeps: Sequence[Sweep], all_weights: Callable[[np.ndarray], np.ndarray]) -> None:
        """Set ``history_``, ``objective_`` and ``view_weights_``."""
        self.history_ = {
            "objective": np.asarray([sweep.objective for sweep in sweeps]),
            "change": np.asarray([sweep.change for sweep in sweeps]),
            "weights": all_weights(np.asarray([sweep.weights for sweep in sweeps])),
        }
        self.objective_ = self.history_["objective"]
        self.view_weights_ = self.history_["weights"][-1]

    def _not_converged(self, sweeps: Sequence[Sweep]) -> ConvergenceWarning:
        name = type(self).__name__
        iterations = f"{len(sweeps)} iteration{'s' if len(sweeps) > 1 else ''}"
        change = f"the consensus graph still changes by {sweeps[-1].change:.1e} per iteration (tol={self.tol:g})"
        if self.stopped_ is None:
            problem = f"{name} did not converge in {iterations}: {change}."
            return ConvergenceWarning(problem, hint="Increase max_iter or tol.", parameter="max_iter", value=self.max_iter)
        cause = "the callback" if self.stopped_ == "callback" else f"max_time={self.max_time:g} seconds"
        value = None if self.stopped_ == "callback" else self.max_time
        problem = f"{name} was stopped by {cause} after {iterations}: {change}. The result so far is kept."
        return ConvergenceWarning(problem, parameter=self.stopped_, value=value)
