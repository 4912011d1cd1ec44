"""Graphs to one consensus graph: GFSC and GF on n × n graphs, and the same on anchor graphs."""

from .exact import fuse_graphs, gf, gfsc, learned_factors
from .result import FusionResult, Sweep

__all__ = [
    "FusionResult",
    "Sweep",
    "fuse_graphs",
    "gf",
    "gfsc",
    "learned_factors",
]
