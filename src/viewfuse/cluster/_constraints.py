"""Constraints on the parameters of the estimators, written beside ``__init__`` as in scikit-learn.

An estimator lists in ``_parameter_constraints`` what each parameter may be::

    _parameter_constraints = {**GraphMethod._parameter_constraints, "lam": [Number(least=0)], "mode": [OneOf("a", "b")]}

The list holds alternatives; ``ANYTHING`` accepts every value. A subclass inherits the constraints of its base class.
scikit-learn's own constraints are private and raise errors of its own, which carry no fields.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Protocol

import numpy as np

from ..exceptions import ParameterError

__all__ = [
    "ANYTHING",
    "Constraint",
    "Count",
    "Function",
    "Nothing",
    "Number",
    "OneOf",
    "Text",
    "check_parameters",
    "check_value",
]


class Constraint(Protocol):
    """One alternative of what a parameter may be; ``str()`` says it in words."""

    def accepts(self, value: Any) -> bool: ...


@dataclass(frozen=True)
class Count:
    """A whole number of at least ``least``."""

    least: int

    def accepts(self, value: Any) -> bool:
        return isinstance(value, Integral) and not _is_bool(value) and int(value) >= self.least

    def __str__(self) -> str:
        return f"a whole number of at least {self.least}"


@dataclass(frozen=True)
class Number:
    """A finite number that is larger than ``above`` and not smaller than ``least``."""

    above: float = -math.inf
    least: float = -math.inf

    def accepts(self, value: Any) -> bool:
        is_number = isinstance(value, Real) and not _is_bool(value) and math.isfinite(value)
        return is_number and bool(value > self.above) and bool(value >= self.least)

    def __str__(self) -> str:
        if self.above == 0:
            return "a positive number"
        if self.least == 0:
            return "a non-negative number"
        return f"a number above {self.above:g}" if self.above > -math.inf else f"a number of at least {self.least:g}"


class OneOf:
    """One of some strings."""

    def __init__(self, *options: str) -> None:
        self.options = options

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.options

    def __str__(self) -> str:
        quoted = ", ".join(map(repr, self.options))
        return f"one of {quoted}" if len(self.options) > 1 else quoted


class Nothing:
    """None."""

    def accepts(self, value: Any) -> bool:
        return value is None

    def __str__(self) -> str:
        return "None"


class Text:
    """Any string."""

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str)

    def __str__(self) -> str:
        return "a string"


class Function:
    """Anything that can be called."""

    def accepts(self, value: Any) -> bool:
        return callable(value)

    def __str__(self) -> str:
        return "a function"


class _Anything:
    def accepts(self, value: Any) -> bool:
        return True


ANYTHING: Sequence[Constraint] = (_Anything(),)


def check_parameters(parameters: Mapping[str, Any], constraints: Mapping[str, Sequence[Constraint]]) -> None:
    """Raise ParameterError for the first parameter that none of its constraints accepts.

    A base class may constrain parameters that only some of its subclasses have.
    """
    for name, alternatives in constraints.items():
        if name in parameters:
            check_value(name, parameters[name], alternatives)


def check_value(name: str, value: Any, alternatives: Sequence[Constraint]) -> None:
    """Raise ParameterError unless one of the alternatives accepts the value."""
    if not any(constraint.accepts(value) for constraint in alternatives):
        expected = ", or ".join(map(str, alternatives))
        raise ParameterError(f"{name} must be {expected}; got {value!r}.", parameter=name, value=value)


def _is_bool(value: Any) -> bool:
    return isinstance(value, (bool, np.bool_))
