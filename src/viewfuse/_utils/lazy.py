"""Attributes that are computed when they are first read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

__all__ = ["lazy"]

T = TypeVar("T")


class lazy(Generic[T]):
    """``functools.cached_property`` without its lock, which in Python 3.11 is one for all objects of a class.

    Threads that read the attribute of different objects would wait for each other. Two that read that of the same object may
    both compute it, and get the same.

    >>> class Squares:
    ...     @lazy
    ...     def first(self):
    ...         print("computed")
    ...         return [1, 4, 9]
    >>> squares = Squares()
    >>> squares.first, squares.first
    computed
    ([1, 4, 9], [1, 4, 9])
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute, self._name, self.__doc__ = compute, compute.__name__, compute.__doc__

    def __get__(self, owner: Any, kind: type | None = None) -> T:
        if owner is None:
            return self  # type: ignore[return-value]  # read from the class, by documentation
        found = vars(owner)[self._name] = self._compute(owner)
        return found
