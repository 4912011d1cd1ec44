"""The field's benchmark: data sets × methods × seeds, resumable, with ranks and their test."""

from .run import benchmark

__all__ = ["benchmark"]
