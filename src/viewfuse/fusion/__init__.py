"""Graphs to one consensus graph: the GFSC and GF sweeps on n × n graphs."""

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
