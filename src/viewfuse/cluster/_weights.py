"""View weights of the user's own: factors on the learned weights, or weights instead of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._utils.text import listed
from ..exceptions import ParameterError
from ._constraints import ANYTHING

__all__ = ["WEIGHT_CONSTRAINTS", "OwnWeights"]

WEIGHT_CONSTRAINTS: dict[str, Any] = {"view_weights": ANYTHING, "fixed_view_weights": ANYTHING}  # checked by OwnWeights.of


@dataclass(frozen=True)
class OwnWeights:
    """The weights that the user gives to the views.

    Attributes
    ----------
    factors : (n_views,) array, at least 0
    fixed : bool, whether they are the weights themselves, and not factors on the learned ones
    """

    factors: np.ndarray
    fixed: bool

    @classmethod
    def of(cls, model: Any, names: Sequence[str]) -> OwnWeights:
        """Read the parameters ``view_weights`` and ``fixed_view_weights`` for views with these names."""
        factors, fixed = model.view_weights, model.fixed_view_weights
        if factors is not None and fixed is not None:
            raise ParameterError(
                "view_weights and fixed_view_weights exclude each other.",
                hint="Give one of them.",
                parameter="fixed_view_weights",
                value=fixed,
            )
        if factors is None and fixed is None:
            return cls(np.ones(len(names)), False)
        parameter = "view_weights" if fixed is None else "fixed_view_weights"
        return cls(_checked(parameter, factors if fixed is None else fixed, names), fixed is not None)

    @property
    def are_given(self) -> bool:
        return self.fixed or bool((self.factors != 1).any())

    def used(self, positions: Sequence[int]) -> list[int]:
        """The views that do not have weight 0. Raises ParameterError if none is left."""
        left = [v for v in positions if self.factors[v] > 0]
        if not left:
            raise ParameterError(
                "Every view that can be used has weight 0.",
                hint="Give at least one view a positive weight.",
                parameter="fixed_view_weights" if self.fixed else "view_weights",
            )
        return left

    def fixed_weights(self, positions: Sequence[int], learn: Callable[[], np.ndarray]) -> np.ndarray | None:
        """The weights for the fusion of these views; None if they are to be learned.

        Factors multiply what ``learn`` returns, the weights of a fusion without them: inside the fusion a factor would grow,
        because the consensus graph, from which weights are learned, follows the view with the largest weight.
        """
        if not self.are_given:
            return None
        factors = self.factors[list(positions)]
        return factors if self.fixed else factors * learn()

    def applied(self, learned: np.ndarray) -> np.ndarray:
        """The weights of all views, summing to 1, from the learned ones."""
        weights = np.where(learned > 0, self.factors, 0.0) if self.fixed else learned * self.factors
        total = weights.sum()
        return np.asarray(weights / total if total > 0 else learned)


def _checked(parameter: str, given: Any, names: Sequence[str]) -> np.ndarray:
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in names]
        absent = [name for name in names if name not in given] if parameter.startswith("fixed") else []
        if unknown or absent:
            raise ParameterError(
                f"{parameter} names {unknown[0]!r}, but the views are {listed(names)}."
                if unknown
                else f"{parameter} has no weight for view {absent[0]!r}.",
                hint="Name the views of the data." if unknown else "Give every view a weight; 0 leaves it out.",
                view=(unknown or absent)[0],
                parameter=parameter,
                value=given,
            )
        values = [given.get(name, 1.0) for name in names]
    else:
        values = list(given) if isinstance(given, (Sequence, np.ndarray)) and not isinstance(given, str) else [None]
    if len(values) != len(names) or not all(_is_weight(value) for value in values):
        raise ParameterError(
            f"{parameter} must give finite weights of at least 0, as a mapping of view names or one per view "
            f"({len(names)}); got {given!r}.",
            parameter=parameter,
            value=given,
        )
    return np.asarray(values, dtype=float)


def _is_weight(value: Any) -> bool:
    is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, np.bool_))
    return is_number and bool(np.isfinite(value)) and float(value) >= 0
