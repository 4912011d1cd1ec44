"""The parameters of a fit as Python source, so that a saved fit has the same parameters as the model."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["Expression", "from_source", "recorded"]


class Expression(str):
    """A value that is not a Python literal, as source text: ``slice(0, 20, None)``. Its ``repr`` has no quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def recorded(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters for the record: literals as they are, everything else as an :class:`Expression`."""
    return {
        name: from_source(repr(value.item() if isinstance(value, np.generic) else value)) for name, value in params.items()
    }


def from_source(text: str) -> Any:
    """The value of a Python literal; other text becomes an :class:`Expression`. Nothing is executed.

    >>> from_source("(1, 'a')"), from_source("slice(0, 2, None)")
    ((1, 'a'), slice(0, 2, None))
    """
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return Expression(text)
